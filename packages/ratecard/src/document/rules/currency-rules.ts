// Checks the currencies of a document: the twenty of the specification, and those that the document allows with `extra_currencies`.
import { isCurrency, standardCurrencies } from '../../base/money/currencies.ts'
import { pointerToken } from '../../base/errors/issue.ts'
import { draftOf, entryName, errorIssue, quoteValue, type Draft, type Entry, type Rule } from './draft.ts'

const standard: ReadonlySet<string> = new Set(standardCurrencies)

/** Reports each currency of the processor that the document uses but does not allow. The shape check reports all other codes. */
export const allowedCurrencies: Rule = (draft) => {
  const extra = draft.root.list('extra_currencies')
  return currencyPlaces(draft)
    .filter(({ code }) => isCurrency(code) && !standard.has(code) && !extra.includes(code))
    .map(({ code, pointer, owner }) =>
      errorIssue(
        'currency_unknown',
        pointer,
        `${owner} is in ${quoteValue(code)}, a currency that the document does not allow.`,
        `Allow it in the document: "extra_currencies": ${JSON.stringify([...extra, code])}. Without that member: ${standardCurrencies.join(', ')}.`,
      ),
    )
}

/** Returns the currencies that a document uses and that it must allow with `extra_currencies`, sorted by code. */
export function neededExtraCurrencies(document: unknown): readonly string[] {
  const codes = currencyPlaces(draftOf(document)).map(({ code }) => code)
  return [...new Set(codes)].filter((code) => isCurrency(code) && !standard.has(code)).sort()
}

interface CurrencyPlace {
  readonly code: string
  readonly pointer: string
  /** The item in a message, e.g. `The price "pro"`. */
  readonly owner: string
}

function currencyPlaces({ prices, coupons, promotionCodes }: Draft): readonly CurrencyPlace[] {
  return [
    ...prices.flatMap((price) => {
      const owner = entryName('price', price)
      const credit = `The credit of ${entryName('price', price, 'the')}`
      return [...placesIn(price, owner, 'currency'), ...placesIn(price.child('grants_credit'), credit, 'currency')]
    }),
    ...coupons.flatMap((coupon) => placesIn(coupon, entryName('coupon', coupon), 'currency')),
    ...promotionCodes.flatMap((code) => placesIn(code, entryName('promotion code', code), 'minimum_amount_currency')),
  ]
}

function placesIn(entry: Entry, owner: string, member: string): readonly CurrencyPlace[] {
  const own = entry.text(member)
  const options = entry.child('currency_options')
  return [
    ...(own === undefined ? [] : [{ code: own, pointer: entry.at(member), owner }]),
    ...options.keys().map((code) => ({ code, pointer: `${options.pointer}/${pointerToken(code)}`, owner })),
  ]
}
