// Hosted pages of Stripe: checkouts for one price and an existing customer, and the customer portal.
import { randomUUID } from 'node:crypto'
import type { Stripe } from 'stripe'
import type { ProcessorId } from '../../../catalog/resource.ts'
import { soldPriceKey, type CheckoutRequest, type OpenCheckouts } from '../../customer-half.ts'
import { ProcessorError } from '../../processor-error.ts'
import type { WriteOptions } from '../../processor.ts'
import { tenantKey } from './customers.ts'
import type { StripeContext } from '../catalog/context.ts'
import { readAll, readOne, writeOne } from './single-object.ts'

export async function createCheckout(
  context: StripeContext,
  wanted: CheckoutRequest,
  options: WriteOptions,
): Promise<{ url: string; sessionId: string }> {
  const params = checkoutParams(wanted)
  const request = {
    operation: 'POST /v1/checkout/sessions',
    send: (sending: Stripe.RequestOptions) => context.stripe.checkout.sessions.create(params, sending),
  }
  const reply = await writeOne(context, request, { object: 'checkout.session', id: null }, options)
  return { url: pageOf(reply), sessionId: reply.id }
}

export function checkoutParams(wanted: CheckoutRequest): Stripe.Checkout.SessionCreateParams {
  const { mode, customer, price, quantity, trialPeriodDays, currency, promotionCode } = wanted
  const metadata = { ...wanted.metadata }
  const trial = trialPeriodDays === null ? {} : { trial_period_days: trialPeriodDays }
  return {
    mode,
    customer,
    line_items: [{ price, ...(quantity === null ? {} : { quantity }) }],
    success_url: wanted.successUrl,
    cancel_url: wanted.cancelUrl,
    metadata,
    // `allow_promotion_codes` is sent only if true: Stripe refuses it beside an applied promotion code, whatever its value.
    ...(wanted.allowPromotionCodes ? { allow_promotion_codes: true } : {}),
    ...(currency === null ? {} : { currency }),
    ...(promotionCode === null ? {} : { discounts: [{ promotion_code: promotionCode }] }),
    ...(mode === 'subscription' ? { subscription_data: { metadata, ...trial } } : {}),
  }
}

export async function expireCheckouts(
  context: StripeContext,
  { customer, tenantId, sells, except }: OpenCheckouts,
  signal: AbortSignal,
): Promise<number> {
  const { sessions } = context.stripe.checkout
  const open = await readAll<Stripe.Checkout.Session>(
    context,
    'checkout.session',
    {
      operation: 'GET /v1/checkout/sessions',
      page: (paging, options) => sessions.list({ ...paging, customer, status: 'open' }, options),
    },
    signal,
  )
  const ours = open.filter(
    ({ id, metadata }) =>
      id !== except &&
      metadata?.[tenantKey] === tenantId &&
      (sells === undefined || sells(metadata[soldPriceKey] ?? '')),
  )
  for (const { id } of ours) await expireCheckout(context, id, signal)
  return ours.length
}

/**
 * Expires one session. Stripe refuses to expire a session that was paid or has expired in the meantime; such a session counts as closed.
 */
async function expireCheckout(context: StripeContext, id: string, signal: AbortSignal): Promise<void> {
  const { sessions } = context.stripe.checkout
  const expected = { object: 'checkout.session', id }
  const request = {
    operation: 'POST /v1/checkout/sessions/:id/expire',
    send: (sending: Stripe.RequestOptions) => sessions.expire(id, {}, sending),
  }
  try {
    // The idempotency key is new for each attempt, because Stripe replays a failure under the same key for a day. Expiring a session twice
    // is harmless.
    await writeOne(context, request, expected, { idempotencyKey: `ratecard-expire-${randomUUID()}`, signal })
  } catch (error) {
    if (!(error instanceof ProcessorError) || error.kind !== 'rejected') throw error
    const read = {
      operation: 'GET /v1/checkout/sessions/:id',
      send: (reading: Stripe.RequestOptions) => sessions.retrieve(id, {}, reading),
    }
    if ((await readOne(context, read, expected, signal))?.status === 'open') throw error
  }
}

export async function createPortal(
  context: StripeContext,
  { customer, returnUrl }: { readonly customer: ProcessorId; readonly returnUrl: string },
  options: WriteOptions,
): Promise<{ url: string }> {
  const request = {
    operation: 'POST /v1/billing_portal/sessions',
    send: (sending: Stripe.RequestOptions) =>
      context.stripe.billingPortal.sessions.create({ customer, return_url: returnUrl }, sending),
  }
  const expected = { object: 'billing_portal.session', id: null }
  const reply = await writeOne(context, request, expected, options).catch((error: unknown) => {
    throw withoutSettings(error)
  })
  return { url: pageOf(reply) }
}

/**
 * Adds a hint to the error for a customer portal whose settings were never saved in Stripe's dashboard. Returns any other error unchanged.
 */
function withoutSettings(error: unknown): unknown {
  if (!(error instanceof ProcessorError) || error.kind !== 'rejected') return error
  if (!error.message.includes('default configuration has not been created')) return error
  const hint =
    'Save the settings of the customer portal in the processor’s dashboard once, or make a portal configuration with its API (POST /v1/billing_portal/configurations).'
  return new ProcessorError(error.kind, error.message, error.original, error, error.repeated, hint)
}

function pageOf(session: {
  readonly object: string
  readonly id: string
  readonly url?: string | null | undefined
}): string {
  if (typeof session.url === 'string' && /^https?:\/\//.test(session.url)) return session.url
  throw new ProcessorError('broken', `Stripe’s ${session.object} ${session.id} has no page.`)
}
