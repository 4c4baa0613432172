// Generates configurations of the customer portal for a generated account. The first one is the account's default.
import type { Stripe } from 'stripe'
import { cancellationReasons } from '../../../packages/ratecard/src/document/schema/portal-schema.ts'
import type { Choices } from './generated-account.ts'

type Features = Stripe.BillingPortal.ConfigurationCreateParams.Features

/** Product with prices that a customer can change to in the portal. */
interface Offered {
  readonly product: string
  readonly prices: readonly string[]
}

export async function generatePortals(stripe: Stripe, choose: Choices): Promise<void> {
  const offered = await offeredPrices(stripe)
  for (let place = 0; place < 1 + choose.number(4); place++) {
    const portal = await stripe.billingPortal.configurations.create({
      business_profile: {
        ...choose.maybe({ headline: choose.text(60) }),
        ...choose.maybe({ privacy_policy_url: 'https://example.com/privacy?a=b&c#ü' }),
        ...choose.maybe({ terms_of_service_url: 'https://example.com/terms' }),
      },
      ...choose.maybe({ default_return_url: 'https://example.com/account?token=s3cr3t' }),
      ...choose.maybe({ login_page: { enabled: choose.rarely(2) } }),
      ...choose.maybe({ name: choose.text(80) }),
      features: features(choose, offered),
      metadata: choose.metadata(),
    })
    // The processor does not deactivate the account's default.
    if (place > 0 && choose.rarely(5)) await stripe.billingPortal.configurations.update(portal.id, { active: false })
  }
  const [dropped] = offered
  if (dropped !== undefined && choose.rarely(4)) await archiveOnePrice(stripe, dropped)
}

/** Archives a price of the product. Configurations can name prices that were archived later. */
async function archiveOnePrice(stripe: Stripe, { product, prices }: Offered): Promise<void> {
  const { default_price: first } = await stripe.products.retrieve(product)
  const price = prices.find((id) => id !== first)
  if (price !== undefined) await stripe.prices.update(price, { active: false })
}

async function offeredPrices(stripe: Stripe): Promise<Offered[]> {
  const offered = new Map<string, string[]>()
  for await (const price of stripe.prices.list({ active: true, limit: 100 })) {
    const product = price.product as string
    if (price.recurring !== null) offered.set(product, [...(offered.get(product) ?? []), price.id])
  }
  return [...offered].map(([product, prices]) => ({ product, prices }))
}

/** Returns some of the values, in one of six cases none. */
function some<T>(choose: Choices, values: readonly T[]): T[] {
  if (choose.rarely(6)) return []
  return values.filter(() => choose.rarely(2))
}

function features(choose: Choices, offered: readonly Offered[]): Features {
  const update = choose.rarely(2) ? subscriptionUpdate(choose, offered) : null
  return {
    ...choose.maybe({
      customer_update: {
        enabled: !choose.rarely(4),
        allowed_updates: some(choose, ['address', 'email', 'name', 'phone', 'shipping', 'tax_id'] as const),
      },
    }),
    invoice_history: { enabled: choose.rarely(2) },
    payment_method_update: { enabled: update?.enabled === true || choose.rarely(2) },
    ...choose.maybe({
      subscription_cancel: {
        enabled: !choose.rarely(4),
        ...choose.maybe({ mode: choose.one(['at_period_end', 'immediately'] as const) }),
        ...choose.maybe({ proration_behavior: choose.one(['none', 'create_prorations'] as const) }),
        ...choose.maybe({
          cancellation_reason: { enabled: choose.rarely(2), options: some(choose, cancellationReasons) },
        }),
      },
    }),
    ...(update !== null && { subscription_update: update }),
  }
}

function subscriptionUpdate(choose: Choices, offered: readonly Offered[]) {
  const products = some(choose, offered)
  return {
    enabled: products.length > 0 && !choose.rarely(5),
    default_allowed_updates: some(choose, ['price', 'promotion_code', 'quantity'] as const),
    products: products.map(({ product, prices }) => ({
      product,
      prices: [...prices.slice(0, 1), ...some(choose, prices.slice(1))],
      ...choose.maybe({ adjustable_quantity: quantity(choose) }),
    })),
    ...choose.maybe({ proration_behavior: choose.one(['none', 'create_prorations', 'always_invoice'] as const) }),
    ...choose.maybe({ billing_cycle_anchor: choose.one(['now', 'unchanged'] as const) }),
    ...choose.maybe({ trial_update_behavior: choose.one(['continue_trial', 'end_trial'] as const) }),
    ...choose.maybe({
      schedule_at_period_end: {
        conditions: some(choose, ['decreasing_item_amount', 'shortening_interval'] as const).map((type) => ({ type })),
      },
    }),
  }
}

function quantity(choose: Choices) {
  return choose.one([
    { enabled: false },
    { enabled: true },
    { enabled: true, minimum: 0, maximum: 1 },
    { enabled: true, minimum: 2, maximum: 999_999 },
    { enabled: true, minimum: 5 },
  ])
}
