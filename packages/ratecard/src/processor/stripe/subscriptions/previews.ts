// Preview of a subscription's next invoice, calculated by Stripe.
import type { Stripe } from 'stripe'
import type { InvoicePreview, InvoicePreviewLine } from '../../customer-half.ts'
import { ProcessorError } from '../../processor-error.ts'
import { replyFlaw, type StripeContext } from '../catalog/context.ts'
import { translateReply } from '../customers/single-object.ts'
import { hasEnded } from './live-subscription.ts'
import { pageFlaw } from '../connection/pages.ts'
import { formerId, idIn, integer, milliseconds, requiredList, text } from '../connection/reading.ts'
import type { Untrusted, UntrustedReply } from '../connection/reading.ts'
import { retrieveSubscription } from './subscriptions.ts'

/**
 * Returns the preview; null for a subscription that has ended, or that will end before it bills again. Throws `rejected` for an unknown
 * subscription.
 */
export async function upcomingInvoice(
  context: StripeContext,
  subscription: string,
  signal: AbortSignal,
): Promise<InvoicePreview | null> {
  try {
    const invoice: UntrustedReply<Stripe.Invoice> = await context.caller.call({
      operation: 'POST /v1/invoices/create_preview',
      // A preview writes nothing, although its method is POST.
      access: 'read',
      signal,
      send: () => context.stripe.invoices.createPreview({ subscription }),
      flaw: (answer) => replyFlaw(answer, 'invoice', null),
    })
    const lines = await allLines(context, invoice, signal)
    return translateReply(invoice, (one) => previewOf(subscription, one, lines))
  } catch (error) {
    if (await isNoInvoice(context, subscription, error, signal)) return null
    throw error
  }
}

async function isNoInvoice(
  context: StripeContext,
  subscription: string,
  error: unknown,
  signal: AbortSignal,
): Promise<boolean> {
  if (!(error instanceof ProcessorError) || error.kind !== 'rejected') return false
  if (error.original.code === 'invoice_upcoming_none') return true
  // Stripe has several error codes for an ended subscription. So read the subscription instead of comparing codes.
  const found = await retrieveSubscription(context, subscription, signal)
  return found !== null && hasEnded(found)
}

type InvoiceLineReply = Untrusted<Stripe.InvoiceLineItem>

/** Returns all lines of a preview. The invoice in a reply contains only the first page of its lines. */
async function allLines(
  context: StripeContext,
  invoice: UntrustedReply<Stripe.Invoice>,
  signal: AbortSignal,
): Promise<readonly InvoiceLineReply[]> {
  const lines = [...translateReply(invoice, (one) => requiredList(one.lines?.data, 'lines'))]
  for (let more = invoice.lines?.has_more === true; more;) {
    const last = lines.at(-1)?.id
    const page = await context.caller.call({
      operation: 'GET /v1/invoices/:id/lines',
      access: 'read',
      signal,
      send: () =>
        context.stripe.invoices.listLineItems(invoice.id, {
          limit: 100,
          ...(last === undefined || last === null ? {} : { starting_after: last }),
        }),
      flaw: (answer) => pageFlaw(answer, 'line_item'),
    })
    lines.push(...page.data)
    more = page.has_more
  }
  return lines
}

function previewOf(
  subscription: string,
  invoice: UntrustedReply<Stripe.Invoice>,
  lines: readonly InvoiceLineReply[],
): InvoicePreview {
  return {
    subscription,
    currency: text(invoice.currency, 'currency'),
    subtotal: integer(invoice.subtotal, 'subtotal'),
    total: integer(invoice.total, 'total'),
    amountDue: integer(invoice.amount_due, 'amount_due'),
    // The creation time of a preview is the time at which the invoice will be created.
    dueAt: milliseconds(invoice.created, 'created'),
    lines: lines.map(lineOf),
  }
}

function lineOf(line: InvoiceLineReply): InvoicePreviewLine {
  return {
    description: line.description ?? null,
    // API versions before 2025 have the price on the line itself.
    price: idIn(line.pricing?.price_details?.price) ?? formerId(line, 'price'),
    quantity: line.quantity ?? null,
    amount: integer(line.amount, 'line amount'),
    periodStart: milliseconds(line.period?.start, 'line period'),
    periodEnd: milliseconds(line.period?.end, 'line period'),
  }
}
