// Preview of a subscription's next invoice, calculated by Stripe.
import type { Stripe } from 'stripe'
import type { InvoicePreview, InvoicePreviewLine } from '../../customer-half.ts'
import { ProcessorError } from '../../processor-error.ts'
import { replyFlaw, type StripeContext } from '../catalog/context.ts'
import { translateReply } from '../customers/single-object.ts'
import { lineAmounts } from './invoice-lines.ts'
import { hasEnded } from './live-subscription.ts'
import { pageFlaw } from '../connection/pages.ts'
import {
  formerId,
  idIn,
  idOf,
  requireInteger,
  listOf,
  requireMilliseconds,
  requiredList,
  text,
} from '../connection/reading.ts'
import type { Untrusted, UntrustedReply } from '../connection/reading.ts'
import { retrieveSubscription } from './subscriptions.ts'

/**
 * Returns the preview of the subscription's next invoice. null if the subscription has ended, or will end before it is billed again. Throws
 * `rejected` for an unknown subscription.
 */
export function upcomingInvoice(
  context: StripeContext,
  subscription: string,
  signal: AbortSignal,
): Promise<InvoicePreview | null> {
  return previewInvoice(context, { subscription }, signal)
}

/** Subscription that is previewed, with the parameters. Stripe refuses `subscription` beside `schedule`, so it is not sent with one. */
type PreviewParams = Stripe.InvoiceCreatePreviewParams & { readonly subscription: string }

/** Like {@link upcomingInvoice}, with additional parameters of the preview, e.g. other discounts or changed items. */
export async function previewInvoice(
  context: StripeContext,
  params: PreviewParams,
  signal: AbortSignal,
): Promise<InvoicePreview | null> {
  const { subscription, ...others } = params
  try {
    const invoice: UntrustedReply<Stripe.Invoice> = await context.caller.call({
      operation: 'POST /v1/invoices/create_preview',
      // A preview writes nothing, although its method is POST.
      access: 'read',
      signal,
      send: () => context.stripe.invoices.createPreview(params.schedule === undefined ? params : others),
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
  // Stripe has several error codes for an ended subscription. So the subscription is read to check whether it has ended, instead of
  // comparing codes.
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
    subtotal: requireInteger(invoice.subtotal, 'subtotal'),
    total: requireInteger(invoice.total, 'total'),
    amountDue: requireInteger(invoice.amount_due, 'amount_due'),
    startingBalance: invoice.starting_balance ?? 0,
    creditsApplied: creditsIn(invoice.total_pretax_credit_amounts),
    discounts: listOf(invoice.total_discount_amounts).flatMap(({ discount, amount }) =>
      amount === 0 ? [] : [idOf(discount, 'discount')],
    ),
    // The creation time of a preview is the time at which the invoice will be created.
    dueAt: requireMilliseconds(invoice.created, 'created'),
    lines: lines.map(lineOf),
  }
}

interface PretaxCredit {
  readonly type?: unknown
  readonly amount?: number | null
}

/** Returns the sum of the credit grants in `pretax_credit_amounts` of a line or `total_pretax_credit_amounts` of an invoice. */
function creditsIn(amounts: unknown): number {
  return listOf(amounts as readonly PretaxCredit[] | null | undefined)
    .filter(({ type }) => type === 'credit_balance_transaction')
    .reduce((sum, { amount }) => sum + requireInteger(amount, 'amount of a credit'), 0)
}

function amountsOf(line: InvoiceLineReply): Pick<InvoicePreviewLine, 'amount' | 'net'> {
  const { amount, discount, addedTax } = lineAmounts(line)
  return { amount, net: amount - discount - creditsIn(line.pretax_credit_amounts) + addedTax }
}

function lineOf(line: InvoiceLineReply): InvoicePreviewLine {
  return {
    description: line.description ?? null,
    // API versions before 2025 have the price on the line itself.
    price: idIn(line.pricing?.price_details?.price) ?? formerId(line, 'price'),
    quantity: line.quantity ?? null,
    proration:
      line.parent?.subscription_item_details?.proration === true ||
      line.parent?.invoice_item_details?.proration === true,
    ...amountsOf(line),
    periodStart: requireMilliseconds(line.period?.start, 'line period'),
    periodEnd: requireMilliseconds(line.period?.end, 'line period'),
  }
}
