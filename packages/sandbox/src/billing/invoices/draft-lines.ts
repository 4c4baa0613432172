// Draft invoices: replaces the lines, and computes discounts, billing credits, taxes and totals again.
import type { InvoiceBody, InvoiceLineBody, PretaxCreditBody } from '../../objects/customer-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { applyReductions, isItemDiscount, reductionsOf, type Reduction } from '../pricing/discounts.ts'
import { creditUses, plannedOf, recordUses, withCredits } from './credits.ts'
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
  const reductions = reductionsOfDraft(call, invoice)
  // The discounts of a proration were fixed when it was made, because the coupons may be others now.
  const plain = lines.map((line) => ({
    ...line,
    discount_amounts: isProration(line) ? line.discount_amounts : [],
    invoice: invoice.id,
    pretax_credit_amounts: isProration(line) ? withoutCredits(line) : [],
  }))
  const reduced = applyReductions(plain, reductions)
  const uses = creditUses(call, invoice, reduced)
  const after = withNetLines(call, invoice, withCredits(reduced, uses), fresh)
  return call.update(invoice, { ...after, _planned_credits: plannedOf(uses) }, 'invoice.updated')
}

function isProration({ parent }: InvoiceLineBody): boolean {
  return parent.subscription_item_details?.proration === true
}

/** Returns the line's reductions before taxes without its billing credits, i.e. its discounts. */
function withoutCredits(line: InvoiceLineBody): PretaxCreditBody[] {
  return line.pretax_credit_amounts.filter(({ type }) => type === 'discount')
}

/** Returns an invoice that is finalized now, after recording the billing credits that pay for its usage. The caller stores it. */
export function withRecordedCredits(call: OperationContext, invoice: InvoiceBody): InvoiceBody {
  const { _planned_credits: planned = {}, ...own } = invoice
  const lines = own.lines.data.map((line) => ({
    ...line,
    pretax_credit_amounts: withoutCredits(line),
  }))
  const uses = creditUses(call, own, lines)
  if (uses.length === 0 && Object.keys(planned).length === 0) return own
  return withNetLines(call, own, withCredits(lines, uses, recordUses(call, own.id, uses)))
}

/** Returns the invoice with these lines, after computing their taxes and the totals. The lines are already discounted and credited. */
function withNetLines(
  call: OperationContext,
  invoice: InvoiceBody,
  lines: readonly InvoiceLineBody[],
  fresh: ReadonlyMap<string, readonly string[]> = new Map(),
): InvoiceBody {
  const ratesOf = ({ id, taxes }: InvoiceLineBody): readonly string[] =>
    fresh.get(id) ?? taxes.map(({ tax_rate_details: { tax_rate: rate } }) => rate)
  const rates = new Map(lines.map((line) => [line.id, ratesOf(line)]))
  const untaxed = lines.map((line) => ({ ...line, taxes: [] }))
  const data = withTaxes(call, untaxed, ({ id }) => rates.get(id) ?? [])
  const sums = totals(data, (discount) => isItemDiscount(call, discount))
  const due = Math.max(0, sums.total + invoice.starting_balance)
  return { ...invoice, ...sums, amount_due: due, amount_remaining: due, lines: { ...invoice.lines, data } }
}

/** Returns the coupons that reduce a draft invoice, in the order in which they were applied. Coupons for single items come first. */
function reductionsOfDraft(call: OperationContext, invoice: InvoiceBody): Reduction[] {
  const reducible = invoice.lines.data.filter((line) => !isProration(line))
  const taken = reducible.flatMap((line) => line.discount_amounts.map(({ discount }) => discount))
  const own = new Set(invoice.discounts)
  const ofItems = [...new Set(taken)].filter((discount) => !own.has(discount))
  const then = call.at(invoice.created)
  return [...ofItems, ...own].flatMap((discount) => {
    const item = call.find('discount', discount)?.subscription_item ?? null
    return reductionsOf(then, [discount]).map((one) => (item === null ? one : { ...one, item }))
  })
}
