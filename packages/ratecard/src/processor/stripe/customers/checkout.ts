// Creates links to Stripe's hosted pages: checkouts for an existing customer, and the customer portal.
import { randomUUID } from 'node:crypto'
import type { Stripe } from 'stripe'
import {
  soldPricesIn,
  type CheckoutRequest,
  type OpenCheckouts,
  type PortalFlow,
  type PortalRequest,
  type SaleTax,
} from '../../customer-half.ts'
import { ProcessorError } from '../../processor-error.ts'
import type { WriteOptions } from '../../processor.ts'
import { idIn, listOf } from '../connection/reading.ts'
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
  const { mode, customer, items, trialPeriodDays, trialEnd, currency, promotionCode } = wanted
  const metadata = { ...wanted.metadata }
  const trial = {
    ...(trialPeriodDays === null ? {} : { trial_period_days: trialPeriodDays }),
    ...(trialEnd === null ? {} : { trial_settings: { end_behavior: { missing_payment_method: trialEnd } } }),
  }
  return {
    mode,
    ...buyerParams(mode, customer),
    line_items: items.map(({ price, quantity }) => ({
      price,
      ...(quantity === null ? {} : { quantity }),
      ...(mode === 'payment' && wanted.tax.rates.length > 0 ? { tax_rates: [...wanted.tax.rates] } : {}),
    })),
    success_url: wanted.successUrl,
    cancel_url: wanted.cancelUrl,
    metadata,
    // The parameter is omitted if false. If a promotion code is already applied, Stripe refuses `allow_promotion_codes` even with the value
    // false.
    ...(wanted.allowPromotionCodes ? { allow_promotion_codes: true } : {}),
    ...(wanted.paymentMethodCollection === 'always' ? {} : { payment_method_collection: 'if_required' as const }),
    ...(currency === null ? {} : { currency }),
    ...(promotionCode === null ? {} : { discounts: [{ promotion_code: promotionCode }] }),
    ...(mode === 'subscription' ? { subscription_data: { metadata, ...trial, ...subscriptionTax(wanted.tax) } } : {}),
    ...taxParams(wanted.tax, customer !== null),
  }
}

/** Names the customer. Without one, Stripe creates one for a subscription by itself, and for a payment only if the request says so. */
function buyerParams(
  mode: CheckoutRequest['mode'],
  customer: CheckoutRequest['customer'],
): Pick<Stripe.Checkout.SessionCreateParams, 'customer' | 'customer_creation'> {
  if (customer !== null) return { customer }
  return mode === 'payment' ? { customer_creation: 'always' } : {}
}

/** Returns the tax rates of a subscription. Its invoices use these rates for every line, including one-time items of the page. */
function subscriptionTax({ rates }: SaleTax): { default_tax_rates?: string[] } {
  return rates.length === 0 ? {} : { default_tax_rates: [...rates] }
}

/**
 * Returns the parameters of automatic tax and of the collection of tax ids. For an existing customer Stripe has two conditions. Automatic
 * tax is accepted only if the page may save the address, unless the customer already has one. Tax ids are accepted only if the page may
 * save the name of the business.
 */
function taxParams(
  { automatic, collectTaxIds }: SaleTax,
  existing: boolean,
): Pick<Stripe.Checkout.SessionCreateParams, 'automatic_tax' | 'customer_update' | 'tax_id_collection'> {
  if (!automatic && !collectTaxIds) return {}
  return {
    ...(automatic ? { automatic_tax: { enabled: true } } : {}),
    ...(collectTaxIds ? { tax_id_collection: { enabled: true } } : {}),
    ...(existing && {
      customer_update: {
        ...(automatic ? { address: 'auto' as const } : {}),
        ...(collectTaxIds ? { name: 'auto' as const } : {}),
      },
    }),
  }
}

export async function expireCheckouts(
  context: StripeContext,
  { customer, tenantId, sells, applies, except }: OpenCheckouts,
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
    ({ id, metadata, discounts }) =>
      id !== except &&
      metadata?.[tenantKey] === tenantId &&
      (sells === undefined || soldPricesIn(metadata).some(sells)) &&
      (applies === undefined || listOf(discounts).some((one) => applies(idIn(one.promotion_code) ?? ''))),
  )
  for (const { id } of ours) await expireCheckout(context, id, signal)
  return ours.length
}

/** Expires one session. A session that was paid or has expired in the meantime counts as closed, although Stripe refuses to expire it. */
async function expireCheckout(context: StripeContext, id: string, signal: AbortSignal): Promise<void> {
  const { sessions } = context.stripe.checkout
  const expected = { object: 'checkout.session', id }
  const request = {
    operation: 'POST /v1/checkout/sessions/:id/expire',
    send: (sending: Stripe.RequestOptions) => sessions.expire(id, {}, sending),
  }
  try {
    // Each attempt has a new idempotency key, because Stripe would replay a failure under the same key for a day. That is safe, because
    // expiring a session twice is harmless.
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
  wanted: PortalRequest,
  options: WriteOptions,
): Promise<{ url: string }> {
  const request = {
    operation: 'POST /v1/billing_portal/sessions',
    send: (sending: Stripe.RequestOptions) =>
      context.stripe.billingPortal.sessions.create(portalParams(wanted), sending),
  }
  const expected = { object: 'billing_portal.session', id: null }
  const reply = await writeOne(context, request, expected, options).catch((error: unknown) => {
    throw withoutSettings(error)
  })
  return { url: pageOf(reply) }
}

function portalParams(wanted: PortalRequest): Stripe.BillingPortal.SessionCreateParams {
  const { customer, returnUrl, configuration, flow } = wanted
  return {
    customer,
    return_url: returnUrl,
    ...(configuration === null ? {} : { configuration }),
    ...(flow === null ? {} : { flow_data: flowParams(flow) }),
  }
}

function flowParams(flow: PortalFlow): Stripe.BillingPortal.SessionCreateParams.FlowData {
  const { type, afterCompletion, subscription, offer, confirm } = flow
  const own = {
    ...(subscription === null ? {} : { subscription }),
    ...(offer === null ? {} : { retention: { type: 'coupon_offer' as const, coupon_offer: { coupon: offer } } }),
    ...(confirm === null ? {} : confirmParams(confirm)),
  }
  return {
    type,
    ...(subscription === null ? {} : { [type]: own }),
    ...(afterCompletion === null ? {} : { after_completion: completionParams(afterCompletion) }),
  }
}

function confirmParams({ item, price, quantity, discounts }: NonNullable<PortalFlow['confirm']>) {
  return {
    items: [{ id: item, price, ...(quantity === null ? {} : { quantity }) }],
    ...(discounts.length === 0
      ? {}
      : { discounts: discounts.map((one) => ('coupon' in one ? one : { promotion_code: one.promotionCode })) }),
  }
}

function completionParams({ type, redirect, hostedConfirmation }: NonNullable<PortalFlow['afterCompletion']>) {
  const message = hostedConfirmation?.customMessage
  return {
    type,
    ...(redirect === undefined ? {} : { redirect: { return_url: redirect.returnUrl } }),
    ...(message === undefined ? {} : { hosted_confirmation: { custom_message: message } }),
  }
}

/**
 * If the settings of the customer portal were never saved in Stripe's dashboard, adds a hint to the error. Returns any other error
 * unchanged.
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
