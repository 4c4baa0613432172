// Finds what a customer has redeemed. The processor lists no redemptions, but paid pages and invoices tell their discounts.
import type { Stripe } from 'stripe'
import { processorId, type ProcessorId } from '../../../catalog/resource.ts'
import type { StripeContext } from '../catalog/context.ts'
import { formerMember, idIn, listOf, type Untrusted } from '../connection/reading.ts'
import { readAll } from './single-object.ts'

/** Returns the ids of the coupons and promotion codes that a customer has used. */
export async function redeemedCoupons(
  context: StripeContext,
  customer: ProcessorId,
  signal: AbortSignal,
): Promise<ReadonlySet<ProcessorId>> {
  const { stripe } = context
  const pages = await readAll<Stripe.Checkout.Session>(
    context,
    'checkout.session',
    {
      operation: 'GET /v1/checkout/sessions',
      page: (paging, options) => stripe.checkout.sessions.list({ ...paging, customer, status: 'complete' }, options),
    },
    signal,
  )
  const invoices = await readAll<Stripe.Invoice>(
    context,
    'invoice',
    {
      operation: 'GET /v1/invoices',
      page: (paging, options) => stripe.invoices.list({ ...paging, customer, expand: ['data.discounts'] }, options),
    },
    signal,
  )
  const ofPages = pages.flatMap(({ discounts }) =>
    listOf(discounts).flatMap((one) => [idIn(one.coupon), idIn(one.promotion_code)]),
  )
  const ofInvoices = invoices
    .filter(({ status }) => status === 'paid' || status === 'open')
    .flatMap(({ discounts }) => listOf(discounts))
    .flatMap((one) => (typeof one === 'string' ? [] : [couponOf(one), idIn(one.promotion_code)]))
  return new Set([...ofPages, ...ofInvoices].flatMap((id) => (id === null ? [] : [processorId(id)])))
}

/** API versions before September 2025 have the coupon in the discount itself. */
const couponOf = (discount: Untrusted<Stripe.Discount> | Untrusted<Stripe.DeletedDiscount>) =>
  idIn(discount.source?.coupon ?? (formerMember(discount, 'coupon') as Stripe.Coupon | string | null | undefined))
