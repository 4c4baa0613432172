// Draft invoices: replaces the lines, and computes discounts, taxes and totals again.
import type { InvoiceBody, InvoiceLineBody } from '../../objects/customer-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { applyReductions, reductionsOf, type Reduction } from '../pricing/discounts.ts'
import { withTaxes } from './taxes.ts'
import { totals } from './totals.ts'

/**
 * Replaces the lines of a draft invoice and computes its amounts again. `fresh` maps the ids of new lines to their tax rates; all other
 * lines keep their tax rates.
 */
export function withLines(
  call: OperationContext,
  invoice: InvoiceBody,
  lines: readonly InvoiceLineBody[],
  fresh: ReadonlyMap<string, readonly string[]> = new Map(),
): InvoiceBody {
  const ratesOf = new Map(
    lines.map((line) => [
      line.id,
      fresh.get(line.id) ?? line.taxes.map(({ tax_rate_details: { tax_rate: rate } }) => rate),
    ]),
  )
  const reductions = reductionsOfDraft(call, invoice)
  const ofItems = new Set(reductions.flatMap(({ discount, item }) => (item === undefined ? [] : [discount])))
  const plain = lines.map((line) => ({ ...line, discount_amounts: [], invoice: invoice.id, taxes: [] }))
  const data = withTaxes(call, applyReductions(plain, reductions), (line) => ratesOf.get(line.id) ?? [])
  const sums = totals(data, ofItems)
  const due = Math.max(0, sums.total + invoice.starting_balance)
  const after = { ...invoice, ...sums, amount_due: due, amount_remaining: due, lines: { ...invoice.lines, data } }
  return call.update(invoice, after, 'invoice.updated')
}

/** Returns the coupons that reduce a draft invoice, in the order in which they were applied: those of single items come first. */
function reductionsOfDraft(call: OperationContext, invoice: InvoiceBody): Reduction[] {
  const taken = invoice.lines.data.flatMap((line) => line.discount_amounts.map(({ discount }) => discount))
  const own = new Set(invoice.discounts)
  const ofItems = [...new Set(taken)].filter((discount) => !own.has(discount))
  const then = call.at(invoice.created)
  return [...ofItems, ...own].flatMap((discount) => {
    const item = call.find('discount', discount)?.subscription_item ?? null
    return reductionsOf(then, [discount]).map((one) => (item === null ? one : { ...one, item }))
  })
}
