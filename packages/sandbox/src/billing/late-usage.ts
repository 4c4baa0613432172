// Usage that is reported while the invoice of its period is a draft (docs.stripe.com/billing/subscriptions/usage-based/
// configure-grace-period): when the invoice is finalized its metered lines are counted anew.
import type { InvoiceBody, InvoiceLineBody } from '../objects/customer-bodies.ts'
import type { Call } from '../protocol/call.ts'
import { reduced, reductionsOf } from './discounts.ts'
import type { Reduction } from './discounts.ts'
import { meteredLines } from './lines.ts'
import { isMetered } from './records.ts'
import { taxed } from './taxes.ts'
import { totals } from './totals.ts'

/** The draft with all that was used by now in the periods that it bills. */
export function withLateUsage(call: Call, invoice: InvoiceBody): InvoiceBody {
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
  return same ? invoice : recounted(call, invoice, counted)
}

/** Which usage a line bills; an item whose price changed in the middle has several. */
function usageOf(
  call: Call,
  { parent, period, pricing }: InvoiceLineBody,
): { readonly key: string; readonly item: string; readonly price: string } | undefined {
  const { subscription_item_details: details } = parent
  const price = call.find('price', pricing.price_details?.price ?? '')
  if (details === null || details.proration || price === undefined || !isMetered(price)) return undefined
  const { subscription_item: item } = details
  return { key: `${item} ${price.id} ${period.start}`, item, price: price.id }
}

/** The lines in their places, with the discounts and the taxes that the draft had. */
function recounted(
  call: Call,
  invoice: InvoiceBody,
  counted: ReadonlyMap<string, readonly InvoiceLineBody[]>,
): InvoiceBody {
  const ratesOf = new Map<string, readonly string[]>()
  const placed = new Set<string>()
  const lines = invoice.lines.data.flatMap((line) => {
    const key = usageOf(call, line)?.key ?? ''
    const own = placed.has(key) ? [] : (counted.get(key) ?? [line])
    if (counted.has(key)) placed.add(key)
    return own.map((one) => {
      ratesOf.set(
        one.id,
        line.taxes.map((tax) => tax.tax_rate_details.tax_rate),
      )
      return { ...one, discount_amounts: [], invoice: invoice.id, taxes: [] }
    })
  })
  const reductions = reductionsOfDraft(call, invoice)
  const ofItems = new Set(reductions.flatMap(({ discount, item }) => (item === undefined ? [] : [discount])))
  const data = taxed(call, reduced(lines, reductions), (line) => ratesOf.get(line.id) ?? [])
  const sums = totals(data, ofItems)
  const { starting_balance: starting } = invoice
  const due = Math.max(0, sums.total + starting)
  const after = {
    ...invoice,
    ...sums,
    amount_due: due,
    amount_remaining: due,
    lines: { ...invoice.lines, data },
  }
  return call.update(invoice, after, 'invoice.updated')
}

/** Those of items first, as they were taken off then. */
function reductionsOfDraft(call: Call, invoice: InvoiceBody): Reduction[] {
  const taken = invoice.lines.data.flatMap((line) => line.discount_amounts.map(({ discount }) => discount))
  const own = new Set(invoice.discounts)
  const ofItems = [...new Set(taken)].filter((discount) => !own.has(discount))
  const then = call.at(invoice.created)
  return [...ofItems, ...own].flatMap((discount) => {
    const item = call.find('discount', discount)?.subscription_item ?? null
    return reductionsOf(then, [discount]).map((one) => (item === null ? one : { ...one, item }))
  })
}
