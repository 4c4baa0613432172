// What a deal changes in money: each item that would move, at the price it has and at the one it would get, for its quantity.
import type {
  BillingDocument,
  EnterpriseOutcome,
  PriceDocument,
  SubscriptionItem,
  TenantSubscriptions,
  UpcomingInvoice,
} from '@ratecard/client'
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
  /** Minor units a period; null where usage decides, or where nothing says what an earlier version of the price costs. */
  readonly before: number | null
  /** Minor units a period; null where usage decides. */
  readonly after: number | null
}

export function dealLines(
  { swaps }: Pick<EnterpriseOutcome, 'swaps'>,
  { subscriptions }: Pick<TenantSubscriptions, 'subscriptions'>,
  { products }: Pick<BillingDocument, 'products'>,
  { invoices }: Pick<UpcomingInvoice, 'invoices'>,
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
      before:
        item === undefined || (!item.legacy && prices.has(swap.from))
          ? cost(prices.get(swap.from))
          : billed(
              item,
              invoices.find(({ subscription }) => subscription === swap.subscription),
            ),
      after: cost(to),
    }
  })
}

/** A price that was replaced, or is none of ours, is in no document: what the processor will bill for the next period. */
function billed(
  { processorPriceId, quantity, currentPeriodEnd }: SubscriptionItem,
  invoice: UpcomingInvoice['invoices'][number] | undefined,
): number | null {
  if (quantity === null || currentPeriodEnd === null) return null
  // Lines of the running period are corrections of it.
  const lines = (invoice?.lines ?? []).filter(
    (line) =>
      line.processorPriceId === processorPriceId && Date.parse(line.periodStart) >= Date.parse(currentPeriodEnd),
  )
  return lines.length === 0 ? null : lines.reduce((sum, { amount }) => sum + amount, 0)
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
