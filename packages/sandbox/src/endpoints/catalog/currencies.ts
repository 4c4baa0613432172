import { badRequest } from '../../protocol/responses/errors.ts'
import { checked, text, type Param } from '../../protocol/parameters/params.ts'

/** Currencies that prices and coupons accept. */
const currencies = (
  'usd aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob brl bsd bwp byn bzd cad cdf chf clp ' +
  'cny cop crc cve czk djf dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gnf gtq gyd hkd hnl htg huf idr ils inr isk ' +
  'jmd jod jpy kes kgs khr kmf krw kwd kyd kzt lak lbp lkr lrd lsl mad mdl mga mkd mmk mnt mop mur mvr mwk mxn myr mzn ' +
  'nad ngn nio nok npr nzd omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr sek sgd shp sle sos srd std ' +
  'szl thb tjs tnd top try ttd twd tzs uah ugx uyu uzs vnd vuv wst xaf xcd xof xpf yer zar zmw'
).split(' ')
const known = new Set(currencies)

function invalid(given: string, param: string): Error {
  const message = `Invalid currency: ${given}. Stripe currently supports these currencies: ${currencies.join(', ')}`
  return badRequest(message, param)
}

/** Accepts a currency code in upper or lower case and converts it to lower case. */
export function currency(): Param<string, false> {
  return checked(text(), (spelt, name) => {
    const given = spelt.toLowerCase()
    if (!known.has(given)) throw invalid(given, name)
    return given
  })
}

/** Checks the key of a map by currency. Such a key must be in lower case. */
export function checkCurrencyKey(key: string, param: string): void {
  if (known.has(key)) return
  const lower = key.toLowerCase()
  if (!known.has(lower)) throw invalid(key, param)
  throw badRequest(
    `Currencies must be lowercase when used as keys in a map. Use \`${lower}\` instead of \`${key}\`.`,
    param,
  )
}
