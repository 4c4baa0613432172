// Converts invoices for the mirror, with all lines and payments.
import type { Stripe } from 'stripe'
import {
  idIn,
  formerId,
  formerObject,
  requireInteger,
  listOf,
  requireMilliseconds,
  requiredList,
  text,
  requireWord,
} from '../connection/reading.ts'
import type { Untrusted, UntrustedReply } from '../connection/reading.ts'
import type { MirroredInvoice, MirroredInvoiceLine } from '../../mirrored.ts'
import type { StripeContext } from '../catalog/context.ts'
import { readAll, translateReply } from '../customers/single-object.ts'
import { formerList, isInclusive, lineAmounts, sum, type TaxReply } from '../subscriptions/invoice-lines.ts'

export const invoiceExpand = ['payments'] as const

export type InvoiceReply = UntrustedReply<Stripe.Invoice>
type LineReply = Untrusted<Stripe.InvoiceLineItem>

/**
 * Converts an invoice that was requested with `invoiceExpand`. A reply contains only the first ten lines and payments, so further ones are
 * read here.
 */
export async function mirroredInvoice(
  context: StripeContext,
  reply: InvoiceReply,
  signal: AbortSignal,
): Promise<MirroredInvoice> {
  const lines = await allLines(context, reply, signal)
  const payments = await allPayments(context, reply, signal)
  return translateReply(reply, (said) => translateInvoice(said, lines.map(lineOf), payments.flatMap(paymentIds)))
}

function translateInvoice(
  said: InvoiceReply,
  lines: readonly MirroredInvoiceLine[],
  paidBy: readonly string[],
): MirroredInvoice {
  const amount = (member: AmountMember) => requireInteger(said[member], member)
  return {
    id: said.id,
    number: said.number ?? null,
    customer: idIn(said.customer),
    subscription: subscriptionOf(said),
    status: requireWord(['draft', 'open', 'paid', 'uncollectible', 'void'], said.status, 'status'),
    billingReason: said.billing_reason ?? null,
    currency: text(said.currency, 'currency'),
    createdAt: requireMilliseconds(said.created, 'created'),
    finalizedAt: momentOf(said.status_transitions?.finalized_at, 'finalized_at'),
    dueAt: momentOf(said.due_date, 'due_date'),
    paidAt: momentOf(said.status_transitions?.paid_at, 'paid_at'),
    subtotal: amount('subtotal'),
    discount: sum(listOf(said.total_discount_amounts), 'discount'),
    tax: taxOf(said),
    total: amount('total'),
    amountDue: amount('amount_due'),
    creditNotes: said.pre_payment_credit_notes_amount ?? 0,
    amountPaid: amount('amount_paid'),
    amountRemaining: amount('amount_remaining'),
    attemptCount: amount('attempt_count'),
    nextAttemptAt: momentOf(said.next_payment_attempt, 'next_payment_attempt'),
    url: said.hosted_invoice_url ?? null,
    payments: [...new Set([...paidBy, ...formerPayments(said)])].sort(),
    lines,
  }
}

type AmountMember = 'subtotal' | 'total' | 'amount_due' | 'amount_paid' | 'amount_remaining' | 'attempt_count'

export function momentOf(seconds: number | null | undefined, member: string): number | null {
  return seconds === null || seconds === undefined ? null : requireMilliseconds(seconds, member)
}

/** Returns the sum of all taxes. API versions before 2025 have `total_tax_amounts` in place of `total_taxes`. */
export function taxOf(said: Taxed): number {
  return sum(totalTaxes(said), 'tax')
}

/** Returns the sum of those taxes that the amounts contain. */
export function inclusiveTaxOf(said: Taxed): number {
  return sum(totalTaxes(said).filter(isInclusive), 'tax')
}

interface Taxed {
  readonly total_taxes?: unknown
}

function totalTaxes(said: Taxed): readonly TaxReply[] {
  return listOf((said.total_taxes ?? formerList(said, 'total_tax_amounts')) as readonly TaxReply[] | null)
}

function subscriptionOf(said: InvoiceReply): string | null {
  const { parent } = said
  // API versions before 2025 have the subscription on the invoice.
  return idIn(parent?.subscription_details?.subscription) ?? formerId(said, 'subscription')
}

function formerPayments(said: InvoiceReply): string[] {
  return [formerId(said, 'payment_intent'), formerId(said, 'charge')].filter((id) => id !== null)
}

function paymentIds({ status, payment }: Untrusted<Stripe.InvoicePayment>): string[] {
  if (status !== 'paid') return []
  return [idIn(payment?.payment_intent), idIn(payment?.charge)].filter((id) => id !== null)
}

function lineOf(line: LineReply): MirroredInvoiceLine {
  const item = line.parent?.subscription_item_details
  const byHand = line.parent?.invoice_item_details
  const { amount, discount, inclusiveTax } = lineAmounts(line)
  return {
    description: line.description ?? null,
    price: idIn(line.pricing?.price_details?.price) ?? idIn(formerObject(line, 'price')),
    subscriptionItem: idIn(item?.subscription_item) ?? formerId(line, 'subscription_item'),
    quantity: line.quantity ?? null,
    ...{ amount, discount, inclusiveTax },
    proration: (item?.proration ?? byHand?.proration ?? formerFlag(line, 'proration')) === true,
    periodStart: requireMilliseconds(line.period?.start, 'period of a line'),
    periodEnd: requireMilliseconds(line.period?.end, 'period of a line'),
  }
}

function formerFlag(said: object, member: string): unknown {
  return (said as Readonly<Record<string, unknown>>)[member]
}

async function allLines(
  context: StripeContext,
  reply: InvoiceReply,
  signal: AbortSignal,
): Promise<readonly LineReply[]> {
  const { lines } = reply
  if (lines?.has_more !== true) return translateReply(reply, () => requiredList(lines?.data, 'lines'))
  return readAll<Stripe.InvoiceLineItem>(
    context,
    'line_item',
    {
      operation: 'GET /v1/invoices/:id/lines',
      page: (paging, options) => context.stripe.invoices.listLineItems(reply.id, paging, options),
    },
    signal,
  )
}

async function allPayments(
  context: StripeContext,
  reply: InvoiceReply,
  signal: AbortSignal,
): Promise<readonly Untrusted<Stripe.InvoicePayment>[]> {
  const { payments } = reply
  if (payments?.has_more !== true) return listOf(payments?.data)
  return readAll<Stripe.InvoicePayment>(
    context,
    'invoice_payment',
    {
      operation: 'GET /v1/invoice_payments',
      page: (paging, options) => context.stripe.invoicePayments.list({ ...paging, invoice: reply.id }, options),
    },
    signal,
  )
}
