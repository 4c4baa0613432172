// Late usage: usage that is reported while the invoice of its period is still a draft. Finalization counts the metered lines again. Source:
// docs.stripe.com/billing/subscriptions/usage-based/configure-grace-period.
import type { InvoiceBody, InvoiceLineBody } from '../../objects/customer-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { withLines } from './draft-lines.ts'
import { meteredLines } from './invoice-lines.ts'
import { isMetered } from '../subscriptions/subscription-records.ts'

/** Returns the draft with its metered lines counted again, from all usage that was reported until now. */
export function withLateUsage(call: OperationContext, invoice: InvoiceBody): InvoiceBody {
  const subscription = call.find('subscription', invoice.parent?.subscription_details.subscription ?? '')
  if (subscription === undefined || invoice.billing_reason !== 'subscription_cycle') return invoice
  const counted = new Map<string, InvoiceLineBody[]>()
  for (const line of invoice.lines.data) {
    const usage = usageOf(call, line)
    if (usage === undefined || counted.has(usage.key)) continue
    const item = call.find('subscription_item', usage.item) ?? call.findDeleted('subscription_item', usage.item)
    if (item === undefined) continue
    counted.set(usage.key, meteredLines(call, subscription, { ...item, price: usage.price }, line.period))
  }
  const amountsOf = (lines: readonly InvoiceLineBody[]): string =>
    JSON.stringify(lines.map(({ amount, quantity_decimal: quantity }) => [amount, quantity]))
  const same = [...counted].every(([key, lines]) => {
    const before = invoice.lines.data.filter((line) => usageOf(call, line)?.key === key)
    return amountsOf(before) === amountsOf(lines)
  })
  return same ? invoice : withCountedLines(call, invoice, counted)
}

/**
 * Returns the item and the price whose usage a line bills, and a key that identifies item, price and period. Undefined if the line bills no
 * usage. An item whose price changed in mid-period has lines with several keys.
 */
function usageOf(
  call: OperationContext,
  { parent, period, pricing }: InvoiceLineBody,
): { readonly key: string; readonly item: string; readonly price: string } | undefined {
  const { subscription_item_details: details } = parent
  const price = call.find('price', pricing.price_details?.price ?? '')
  if (details === null || details.proration || price === undefined || !isMetered(price)) return undefined
  const { subscription_item: item } = details
  return { key: `${item} ${price.id} ${period.start}`, item, price: price.id }
}

/** Replaces metered lines in place. The draft keeps its discounts and tax rates. */
function withCountedLines(
  call: OperationContext,
  invoice: InvoiceBody,
  counted: ReadonlyMap<string, readonly InvoiceLineBody[]>,
): InvoiceBody {
  const placed = new Set<string>()
  const lines = invoice.lines.data.flatMap((line) => {
    const key = usageOf(call, line)?.key ?? ''
    const own = placed.has(key) ? [] : (counted.get(key) ?? [line])
    if (counted.has(key)) placed.add(key)
    // A new line takes over the tax rates of the line that it replaces.
    return own.map((one) => ({ ...one, taxes: line.taxes }))
  })
  return withLines(call, invoice, lines)
}
