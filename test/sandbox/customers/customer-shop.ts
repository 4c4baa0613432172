import type Stripe from 'stripe'
import { test } from 'vitest'
import { payingCustomer } from '../../support/shop/paying-customer.ts'
import { shop, type Shop } from '../shop.ts'

export const day = 86_400

export interface CustomerShop extends Shop {
  readonly customer: string
  /** Creates a price of the product, by default monthly and in dollars. */
  monthly(unitAmount: number, params?: Partial<Stripe.PriceCreateParams>): Promise<Stripe.Price>
  /** The customer on one licensed price. */
  subscribed(price: Stripe.Price, params?: Partial<Stripe.SubscriptionCreateParams>): Promise<Stripe.Subscription>
  invoices(): Promise<Stripe.Invoice[]>
}

/** Creates a shop with a customer. If `frozenAt` (seconds) is given, the customer is on a test clock with that time. */
export async function customerShop(frozenAt?: number): Promise<CustomerShop & { readonly clockId: string }> {
  const base = await shop()
  const { stripe, product } = base
  const clockId =
    frozenAt === undefined ? '' : (await stripe.testHelpers.testClocks.create({ frozen_time: frozenAt })).id
  const customer = await payingCustomer(stripe, frozenAt === undefined ? {} : { test_clock: clockId })
  return {
    ...base,
    clockId,
    customer,
    monthly: (unitAmount, params = {}) =>
      stripe.prices.create({
        currency: 'usd',
        product,
        recurring: { interval: 'month' },
        unit_amount: unitAmount,
        ...params,
      }),
    subscribed: (price, params = {}) =>
      stripe.subscriptions.create({ customer, items: [{ price: price.id }], ...params }),
    invoices: async () => (await stripe.invoices.list({ customer, limit: 100 })).data.reverse(),
  }
}

export function utc(text: string): number {
  return Date.parse(`${text}Z`) / 1000
}

export function iso(seconds: number | undefined): string {
  return new Date((seconds ?? NaN) * 1000).toISOString().slice(0, 10)
}

export function firstItem(subscription: Stripe.Subscription): Stripe.SubscriptionItem {
  const [item] = subscription.items.data
  if (item === undefined) throw new Error('The subscription has no items')
  return item
}

/** Creates a meter with this event name, and a price that charges the sum of its events. */
export async function meteredPrice(
  sandbox: Shop,
  params: Partial<Stripe.PriceCreateParams> = { unit_amount: 5 },
): Promise<Stripe.Price> {
  const { stripe, product } = sandbox
  const meter = await stripe.billing.meters.create({
    default_aggregation: { formula: 'sum' },
    display_name: 'Calls',
    event_name: 'calls',
  })
  const recurring = { interval: 'month' as const, usage_type: 'metered' as const, meter: meter.id }
  return stripe.prices.create({ currency: 'usd', product, recurring, ...params })
}

/** `test` with a {@link customerShop}: `async ({ shop }) => …`. */
export const customerTest = test.extend('shop', () => customerShop())
