// The payment that a pending update of a subscription waits for.
import type { Stripe } from 'stripe'
import type { RequiredPayment } from '../../subscription-change.ts'
import type { StripeContext } from '../catalog/context.ts'
import { idOf, requireMilliseconds, type UntrustedReply } from '../connection/reading.ts'
import { readAll, translateReply } from '../customers/single-object.ts'
import type { SubscriptionReply } from './live-subscription.ts'

/** Returns the payment that a pending update waits for, right after the update; null if there is no pending update. */
export const paymentOf = (reply: SubscriptionReply): RequiredPayment | null => paymentBy(reply.latest_invoice, reply)

function paymentBy(
  invoice: SubscriptionReply['latest_invoice'],
  { pending_update: pending }: Pick<SubscriptionReply, 'pending_update'>,
): RequiredPayment | null {
  if (pending === null || pending === undefined) return null
  const page = typeof invoice === 'object' && invoice !== null ? invoice.hosted_invoice_url : null
  return {
    invoice: idOf(invoice, 'latest_invoice'),
    url: page ?? null,
    expiresAt: requireMilliseconds(pending.expires_at, 'pending_update'),
  }
}

/**
 * As {@link paymentOf}, at any later time. Another invoice of the subscription may be the latest one by then, e.g. one that was made by hand:
 * paying it would not complete the update, and voiding it would give up money.
 */
export async function readPayment(
  context: StripeContext,
  reply: SubscriptionReply & { readonly id: string },
  signal: AbortSignal,
): Promise<RequiredPayment | null> {
  const latest = reply.latest_invoice
  const isPending = reply.pending_update !== null && reply.pending_update !== undefined
  if (!isPending || (typeof latest === 'object' && isOfUpdate(latest))) return translateReply(reply, paymentOf)
  const open = await readAll<Stripe.Invoice>(
    context,
    'invoice',
    {
      operation: 'GET /v1/invoices',
      page: (paging, options) =>
        context.stripe.invoices.list({ ...paging, subscription: reply.id, status: 'open' }, options),
    },
    signal,
  )
  const own = open.find(isOfUpdate)
  return translateReply(reply, (one) => (own === undefined ? paymentOf(one) : paymentBy(own, one)))
}

const isOfUpdate = (invoice: Pick<UntrustedReply<Stripe.Invoice>, 'billing_reason'> | null) =>
  invoice?.billing_reason === 'subscription_update'
