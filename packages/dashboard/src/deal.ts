// What a deal changes in money: each item that would move, at the price it has and at the one it would get, for its quantity.
import type {
  BillingDocument,
  EnterpriseOutcome,
  PriceDocument,
  RatecardError,
  SubscriptionItem,
  TenantSubscriptions,
  UpcomingInvoice,
} from '@ratecard/client'
import { calculate } from '../../ratecard/src/pricing/calculate.ts'
import { asError } from './words.ts'

export interface DealLine {
  readonly subscription: string
  readonly item: string
  readonly from: string
  readonly to: string
  readonly effective: 'now' | 'period_end'
  readonly quantity: number | null
  readonly currency: string
  readonly interval: PriceDocument['interval']
  /** Minor units a period; null where usage decides, or where nothing says what a replaced price costs. */
  readonly before: number | null
  /** Minor units a period; null where usage decides. */
  readonly after: number | null
}

export interface DealMoney {
  readonly lines: readonly DealLine[]
  /** Why nothing says what the replaced prices cost; null where it was learned, or where there is none. */
  readonly unknown: RatecardError | null
}

/**
 * The lines of a deal. `preview` is asked only where an item is on a price that was replaced; where it fails, the money before of
 * these items alone is not known.
 */
export async function dealMoney(
  outcome: Pick<EnterpriseOutcome, 'swaps'>,
  tenant: Pick<TenantSubscriptions, 'subscriptions'>,
  document: Pick<BillingDocument, 'products'>,
  preview: () => Promise<Pick<UpcomingInvoice, 'invoices'>>,
): Promise<DealMoney> {
  const prices = pricesOf(document.products)
  const items = itemsOf(tenant.subscriptions)
  const isPreviewed = outcome.swaps.some((swap) => {
    const item = items.get(swap.item)
    return item !== undefined && isReplaced(item, swap, prices) && isBilledByPeriod(item)
  })
  if (!isPreviewed) return { lines: dealLines(outcome, tenant, document, { invoices: [] }), unknown: null }
  try {
    return { lines: dealLines(outcome, tenant, document, await preview()), unknown: null }
  } catch (error) {
    return { lines: dealLines(outcome, tenant, document, { invoices: [] }), unknown: asError(error) }
  }
}

export function dealLines(
  { swaps }: Pick<EnterpriseOutcome, 'swaps'>,
  { subscriptions }: Pick<TenantSubscriptions, 'subscriptions'>,
  { products }: Pick<BillingDocument, 'products'>,
  { invoices }: Pick<UpcomingInvoice, 'invoices'>,
): DealLine[] {
  const prices = pricesOf(products)
  const items = itemsOf(subscriptions)
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
        item === undefined || !isReplaced(item, swap, prices)
          ? cost(prices.get(swap.from))
          : billed(
              item,
              invoices.find(({ subscription }) => subscription === swap.subscription),
            ),
      after: cost(to),
    }
  })
}

type Swap = EnterpriseOutcome['swaps'][number]

const pricesOf = (products: BillingDocument['products']): ReadonlyMap<string, PriceDocument> =>
  new Map(products.flatMap(({ prices = [] }) => prices.map((price) => [price.id, price] as const)))

const itemsOf = (subscriptions: TenantSubscriptions['subscriptions']) =>
  new Map(
    subscriptions.flatMap(({ currency, items }) => items.map((item) => [item.id, { ...item, currency }] as const)),
  )

/** A price that was replaced, or is none of ours, is in no document. */
const isReplaced = ({ legacy }: SubscriptionItem, { from }: Swap, prices: ReadonlyMap<string, PriceDocument>) =>
  legacy || !prices.has(from)

/** false: no invoice says beforehand what it costs. */
const isBilledByPeriod = (item: SubscriptionItem): item is SubscriptionItem & { readonly currentPeriodEnd: string } =>
  item.quantity !== null && item.currentPeriodEnd !== null

/** What the processor will bill for the next period. */
function billed(item: SubscriptionItem, invoice: UpcomingInvoice['invoices'][number] | undefined): number | null {
  if (!isBilledByPeriod(item)) return null
  const { processorPriceId, currentPeriodEnd } = item
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
