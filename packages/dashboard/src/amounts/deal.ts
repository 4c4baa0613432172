// Effect of a deal in money. A deal moves subscription items of a tenant to negotiated prices. For each item, the effect is its amount at
// the current price and at the new price, for its quantity.
import type {
  BillingDocument,
  EnterpriseOutcome,
  PriceDocument,
  RatecardError,
  SubscriptionItem,
  TenantSubscriptions,
  UpcomingInvoice,
} from '@ratecard/client'
import { calculatePrice } from '../../../ratecard/src/document/pricing/calculate.ts'
import { pricesById } from './price-change.ts'
import { asError } from '../words/words.ts'

export interface DealLine {
  readonly subscription: string
  readonly item: string
  readonly from: string
  readonly to: string
  readonly effective: 'now' | 'period_end'
  readonly quantity: number | null
  readonly currency: string
  readonly interval: PriceDocument['interval']
  /** Amount at the current price, in minor units per period. Null if the amount depends on usage, or if a replaced price is not known. */
  readonly before: number | null
  /**
   * Amount at the new price, in minor units per period. Null if the amount depends on usage, or if the item returns to an earlier price.
   */
  readonly after: number | null
}

export interface DealMoney {
  readonly lines: readonly DealLine[]
  /**
   * Error of the invoice preview; null if the preview succeeded or was not needed. The amounts of replaced prices come from the preview.
   */
  readonly unknown: RatecardError | null
}

/**
 * Returns the amounts of the items that a deal moves. Calls `preview` only if an item is on a replaced price. If the preview fails, the
 * current amount of such an item is unknown.
 */
export async function dealMoney(
  outcome: Pick<EnterpriseOutcome, 'swaps'>,
  tenant: Pick<TenantSubscriptions, 'subscriptions'>,
  document: Pick<BillingDocument, 'products'>,
  preview: () => Promise<Pick<UpcomingInvoice, 'invoices'>>,
): Promise<DealMoney> {
  const prices = pricesById(document)
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
  document: Pick<BillingDocument, 'products'>,
  { invoices }: Pick<UpcomingInvoice, 'invoices'>,
): DealLine[] {
  const prices = pricesById(document)
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
          : billedAmount(
              item,
              invoices.find(({ subscription }) => subscription === swap.subscription),
            ),
      // The document does not contain the amounts of former prices. The dry run returns their sum.
      after: swap.former === true ? null : cost(to),
    }
  })
}

type Swap = EnterpriseOutcome['swaps'][number]

const itemsOf = (subscriptions: TenantSubscriptions['subscriptions']) =>
  new Map(
    subscriptions.flatMap(({ currency, items }) => items.map((item) => [item.id, { ...item, currency }] as const)),
  )

/** True for an item on a price that the document does not contain: a replaced price, or one that Ratecard does not manage. */
const isReplaced = ({ legacy }: SubscriptionItem, { from }: Swap, prices: ReadonlyMap<string, PriceDocument>) =>
  legacy || !prices.has(from)

/** True if the item is billed in advance. False for an item that is billed by usage. */
const isBilledByPeriod = (item: SubscriptionItem): item is SubscriptionItem & { readonly currentPeriodEnd: string } =>
  item.quantity !== null && item.currentPeriodEnd !== null

/** Returns the amount that the processor will bill for the item in the next period. Null if the invoice has no line for the item. */
function billedAmount(item: SubscriptionItem, invoice: UpcomingInvoice['invoices'][number] | undefined): number | null {
  if (!isBilledByPeriod(item)) return null
  const { processorPriceId, currentPeriodEnd } = item
  // Uses only lines of the next period. Lines of the current period are proration.
  const lines = (invoice?.lines ?? []).filter(
    (line) =>
      line.processorPriceId === processorPriceId && Date.parse(line.periodStart) >= Date.parse(currentPeriodEnd),
  )
  return lines.length === 0 ? null : lines.reduce((sum, { amount }) => sum + amount, 0)
}

function costOf(price: PriceDocument | undefined, quantity: number | null, currency: string): number | null {
  if (price === undefined || quantity === null || price.usage_type === 'metered') return null
  if (price.custom_unit_amount !== undefined) return null
  if (currency !== price.currency && price.currency_options?.[currency] === undefined) return null
  return calculatePrice(price as Parameters<typeof calculatePrice>[0], quantity, currency).amount
}
