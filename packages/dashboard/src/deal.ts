// What a deal changes in money: each item that would move, at the price it has and at the one it would get, for its quantity.
import type { BillingDocument, EnterpriseOutcome, PriceDocument, TenantSubscriptions } from '@ratecard/client'
import { calculate } from '../../ratecard/src/pricing/calculate.ts'

export interface DealLine {
  readonly subscription: string
  readonly item: string
  readonly from: string
  readonly to: string
  readonly effective: 'now' | 'period_end'
  readonly quantity: number | null
  readonly currency: string
  readonly interval: PriceDocument['interval']
  /** Minor units a period; null where usage decides, or where it is on an earlier version of the price. */
  readonly before: number | null
  /** Minor units a period; null where usage decides. */
  readonly after: number | null
}

export function dealLines(
  { swaps }: Pick<EnterpriseOutcome, 'swaps'>,
  { subscriptions }: Pick<TenantSubscriptions, 'subscriptions'>,
  { products }: Pick<BillingDocument, 'products'>,
): DealLine[] {
  const prices = new Map(products.flatMap(({ prices = [] }) => prices.map((price) => [price.id, price] as const)))
  const items = new Map(
    subscriptions.flatMap(({ currency, items: list }) => list.map((item) => [item.id, { ...item, currency }] as const)),
  )
  return swaps.map((swap) => {
    const item = items.get(swap.item)
    const to = prices.get(swap.to)
    const currency = item?.currency ?? to?.currency ?? 'usd'
    const quantity = item?.quantity ?? null
    const cost = (price: PriceDocument | undefined) => costOf(price, quantity, currency)
    return {
      ...swap,
      quantity,
      currency,
      interval: to?.interval,
      before: item?.legacy === true ? null : cost(prices.get(swap.from)),
      after: cost(to),
    }
  })
}

function costOf(price: PriceDocument | undefined, quantity: number | null, currency: string): number | null {
  if (price === undefined || quantity === null || price.usage_type === 'metered') return null
  if (price.custom_unit_amount !== undefined) return null
  if (
    currency !== price.currency &&
    price.currency_options?.[currency as keyof typeof price.currency_options] === undefined
  )
    return null
  return calculate(price as Parameters<typeof calculate>[0], quantity, currency).amount
}
