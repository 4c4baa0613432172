// Costs of the prices that are sold together with a price. Pure.
import type { BillingConfig, Price } from '../schema/schema.ts'
import { calculatePrice, inCurrency } from './calculate.ts'
import { describePrice } from './describe.ts'
import { attachedTo } from './sold-together.ts'

/** Cost of an attached price. A metered price is billed by usage, so it has neither quantity nor amount. */
export interface AttachedCost {
  readonly priceId: string
  readonly quantity: number | null
  /** Amount in minor units. */
  readonly amount: number | null
  /** The cost as text, e.g. `$15.00` for a licensed price, or `$0.02 per unit / month` for a metered price. */
  readonly formatted: string
}

/** Returns what the attached prices of a price cost in addition to it, for a quantity and a currency, in document order. */
export function attachedCosts(
  price: Price,
  { quantity, currency }: { readonly quantity: number; readonly currency: string },
  {
    config,
    find,
  }: { readonly config: Pick<BillingConfig, 'products'>; readonly find: (id: string) => Price | undefined },
): readonly AttachedCost[] {
  return attachedTo(price, config).flatMap((id) => {
    const attached = find(id)
    return attached === undefined ? [] : [costOf(attached, price.usage_type === 'metered' ? 1 : quantity, currency)]
  })
}

function costOf(price: Price, quantity: number, currency: string): AttachedCost {
  if (price.usage_type !== 'metered') {
    const { amount, formatted } = calculatePrice(price, quantity, currency)
    return { priceId: price.id, quantity, amount, formatted }
  }
  const { currency_options: _options, ...inOne } = inCurrency(price, currency)
  return { priceId: price.id, quantity: null, amount: null, formatted: describePrice(inOne) }
}
