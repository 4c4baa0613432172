import { firstPrice, metered, meter, of, price, withPrices, type Fields, type RuleCase } from './rule-parts.ts'

const credit = (fields: Fields = {}, more: Fields = {}): Fields =>
  price({ grants_credit: { amount: 5000, ...fields }, ...more })
const firstCredit = `${firstPrice}/grants_credit`
const firstMeter = `${firstCredit}/meters/0`
const calls = metered({ id: 'calls', amount: 2 })
const metering = (...prices: Fields[]): Fields => ({ ...withPrices(...prices), meters: [meter()] })

export const credits: RuleCase[] = [
  of(
    'a credit of a metered price',
    'credit_invalid',
    firstCredit,
    metering({ ...calls, grants_credit: { amount: 1 } }),
  ),
  of('a credit of a free price', 'credit_invalid', firstCredit, metering(credit({}, { amount: 0 }), calls)),
  of('a credit for an unknown meter', 'meter_undefined', firstMeter, metering(credit({ meters: ['call'] }), calls)),
  of(
    'a credit that lists a meter twice',
    'value_invalid',
    `${firstCredit}/meters/1`,
    metering(credit({ meters: ['calls', 'calls'] }), calls),
  ),
  of('a credit for a meter without a price', 'credit_invalid', firstMeter, metering(credit({ meters: ['calls'] }))),
  of('a credit of nothing', 'value_invalid', `${firstCredit}/amount`, metering(credit({ amount: 0 }), calls)),
]

export const creditWarnings: RuleCase[] = [
  of(
    'a credit in a currency that no metered price has',
    'credit_unusable',
    `${firstCredit}/currency`,
    metering(credit({ currency: 'eur' }), calls),
  ),
  of('a credit without any metered price', 'credit_unusable', firstCredit, withPrices(credit())),
  of(
    'a credit of a price in several currencies',
    'credit_unusable',
    firstCredit,
    metering(credit({}, { currency_options: { eur: { amount: 1100 } } }), calls),
  ),
]

/** Credits that no rule objects to. */
export const creditsWithoutIssue: readonly Fields[] = [
  metering(credit({ currency: 'usd', expires_after_days: 90, meters: ['calls'] }), calls),
  metering(credit({}, { interval: undefined }), calls),
  metering(
    credit({ currency: 'eur' }, { interval: undefined }),
    metered({ id: 'calls', amount: 20, currency_options: { eur: { amount: 20 } } }),
  ),
]
