// One document for each violation of a rule. Each document violates exactly one rule, so unit, HTTP and command line tests can all
// expect exactly one issue.
import { attachedPrices } from './rule-cases-attached.ts'
import { credits, creditWarnings } from './rule-cases-credit.ts'
import { enterprise } from './rule-cases-enterprise.ts'
import { duplicates, hooks, promotions, texts } from './rule-cases-other.ts'
import { prices } from './rule-cases-price.ts'
import { requiredFields, shapes } from './rule-cases-shape.ts'
import { portals } from './rule-cases-portal.ts'
import { taxes } from './rule-cases-tax.ts'
import { price, partner, webhook, config, withPrices, without, firstPrice, secondPrice, of } from './rule-parts.ts'
import type { RuleCase } from './rule-parts.ts'

export { validDocument } from './rule-parts.ts'
export type { RuleCase } from './rule-parts.ts'

/** Documents with exactly one error. */
export const ruleCases: readonly RuleCase[] = [
  ...requiredFields,
  ...shapes,
  ...texts,
  ...prices,
  ...enterprise,
  ...attachedPrices,
  ...credits,
  ...duplicates,
  ...hooks,
  ...promotions,
  ...taxes,
  ...portals,
]

/** Valid documents with exactly one warning. */
export const warningCases: readonly RuleCase[] = [
  ...creditWarnings,
  of('an enterprise price without a base', 'base_price_missing', firstPrice, withPrices(partner())),
  of('a webhook without an id', 'webhook_id_missing', '#/webhooks/0', config({ webhooks: [without(webhook(), 'id')] })),
  of(
    'a yen amount written with decimals',
    'amount_suspicious',
    `${firstPrice}/amount`,
    withPrices(price({ currency: 'jpy', amount: 120_000 })),
  ),
  of(
    'a yen amount far above its dollar twin',
    'amount_suspicious',
    `${secondPrice}/amount`,
    withPrices(price({ amount: 500 }), price({ id: 'pro_jpy', currency: 'jpy', amount: 50_000 })),
  ),
  of(
    'an amount below what the processor charges',
    'amount_below_minimum',
    `${firstPrice}/amount`,
    withPrices(price({ amount: 12 })),
  ),
  of(
    'a decimal amount below what the processor charges',
    'amount_below_minimum',
    `${firstPrice}/unit_amount_decimal`,
    withPrices(without(price({ unit_amount_decimal: '49.9' }), 'amount')),
  ),
  of(
    'a yen amount far above that of its own price',
    'amount_suspicious',
    `${firstPrice}/currency_options/jpy/amount`,
    withPrices(price({ amount: 1200, currency_options: { eur: { amount: 1100 }, jpy: { amount: 150_000 } } })),
  ),
  of(
    'a yen amount far above what its price costs in another currency',
    'amount_suspicious',
    `${firstPrice}/amount`,
    withPrices(price({ amount: 50_000, currency: 'jpy', currency_options: { usd: { amount: 500 } } })),
  ),
  of(
    'an amount in another currency below what the processor charges',
    'amount_below_minimum',
    `${firstPrice}/currency_options/eur/amount`,
    withPrices(price({ amount: 1200, currency_options: { eur: { amount: 11 } } })),
  ),
]
