// Configurations and sessions of the customer portal of the sandbox.
import { describe, expect } from 'vitest'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerTest as test, firstItem, type CustomerShop } from '../customers/customer-shop.ts'

const expand = ['features.subscription_update.products']

async function changeable({ stripe, product }: CustomerShop, prices: string[]) {
  return stripe.billingPortal.configurations.create({
    features: {
      payment_method_update: { enabled: true },
      subscription_update: { enabled: true, default_allowed_updates: ['price'], products: [{ product, prices }] },
    },
    expand,
  })
}

describe('portal configurations of the sandbox:', () => {
  test('the products that customers may switch to are stored, and returned if they are expanded', async ({ shop }) => {
    const price = await shop.monthly(1000)
    const made = await changeable(shop, [price.id])
    expect(made.features.subscription_update).toMatchObject({
      enabled: true,
      products: [{ product: shop.product, prices: [price.id], adjustable_quantity: { enabled: false } }],
      proration_behavior: 'none',
    })
    const { configurations } = shop.stripe.billingPortal
    expect((await configurations.retrieve(made.id)).features.subscription_update).not.toHaveProperty('products')
    const after = await configurations.update(made.id, {
      features: {
        subscription_update: {
          billing_cycle_anchor: 'now',
          products: '',
          schedule_at_period_end: { conditions: [{ type: 'shortening_interval' }] },
          trial_update_behavior: 'continue_trial',
        },
      },
      login_page: { enabled: true },
      expand,
    })
    expect(after.features.subscription_update).toMatchObject({
      billing_cycle_anchor: 'now',
      default_allowed_updates: ['price'],
      products: [],
      schedule_at_period_end: { conditions: [{ type: 'shortening_interval' }] },
      trial_update_behavior: 'continue_trial',
    })
    expect(after.login_page).toMatchObject({ enabled: true })
  })

  test('the cancellation reasons and the proration of cancellations are stored', async ({ shop: { stripe } }) => {
    const { features } = await stripe.billingPortal.configurations.create({
      features: {
        subscription_cancel: {
          enabled: true,
          mode: 'immediately',
          proration_behavior: 'create_prorations',
          cancellation_reason: { enabled: true, options: ['unused', 'other'] },
        },
      },
    })
    expect(features.subscription_cancel).toMatchObject({
      mode: 'immediately',
      proration_behavior: 'create_prorations',
      cancellation_reason: { enabled: true, options: ['unused', 'other'] },
    })
  })

  test('a cancellation cannot be configured to create an invoice at once', async ({ shop: { stripe } }) => {
    const subscription_cancel = { enabled: true, mode: 'immediately', proration_behavior: 'always_invoice' } as const
    const refused = await refusal(stripe.billingPortal.configurations.create({ features: { subscription_cancel } }))
    expect(refused).toMatchObject({ param: 'features[subscription_cancel][proration_behavior]' })
  })

  test('subscription updates require the feature payment_method_update, and prices of the named product', async ({
    shop,
  }) => {
    const { stripe, product } = shop
    const price = await shop.monthly(1000)
    const update = {
      enabled: true,
      default_allowed_updates: ['price' as const],
      products: [{ product, prices: [price.id] }],
    }
    const { configurations } = stripe.billingPortal
    expect((await refusal(configurations.create({ features: { subscription_update: update } }))).message).toBe(
      'Cannot enable subscription updates while payment method update is disabled.',
    )
    const other = await stripe.products.create({ name: 'Other' })
    const foreign = await stripe.prices.create({
      product: other.id,
      currency: 'usd',
      unit_amount: 1,
      recurring: { interval: 'month' },
    })
    expect((await refusal(changeable(shop, [foreign.id]))).param).toBe(
      'features[subscription_update][products][0][prices][0]',
    )
  })

  test('custom cancellation reasons and pauses are refused as not supported', async ({ shop: { stripe } }) => {
    const { configurations } = stripe.billingPortal
    for (const features of [
      { subscription_pause: { enabled: true } },
      {
        subscription_cancel: {
          enabled: true,
          cancellation_reason: { enabled: true, options: ['other' as const], feedback_options: ['x'] },
        },
      },
    ])
      expect((await refusal(configurations.create({ features }))).message).toContain('The sandbox does not support')
  })
})

describe('flows of the customer portal of the sandbox:', () => {
  test('the flow of a session is in the response, and is refused if the configuration does not enable the flow’s feature', async ({
    shop,
  }) => {
    const { stripe, customer } = shop
    const price = await shop.monthly(1000)
    const dear = await shop.monthly(2000)
    const subscription = await shop.subscribed(price)
    const { id: configuration } = await changeable(shop, [price.id, dear.id])
    const confirm = {
      subscription: subscription.id,
      items: [{ id: firstItem(subscription).id, price: dear.id, quantity: 1 }],
    }
    const flow_data = { type: 'subscription_update_confirm' as const, subscription_update_confirm: confirm }
    const session = await stripe.billingPortal.sessions.create({ customer, configuration, flow_data })
    expect(session.flow).toMatchObject({
      type: 'subscription_update_confirm',
      subscription_update_confirm: { ...confirm, discounts: null },
      subscription_cancel: null,
      after_completion: { type: 'portal_homepage' },
    })
    const cancel = { type: 'subscription_cancel' as const, subscription_cancel: { subscription: subscription.id } }
    const refused = await refusal(stripe.billingPortal.sessions.create({ customer, configuration, flow_data: cancel }))
    expect(refused.message).toContain('is disabled')
  })

  test('a flow with a price outside the configuration, or with a second item, is refused', async ({ shop }) => {
    const { stripe, customer } = shop
    const price = await shop.monthly(1000)
    const dear = await shop.monthly(2000)
    const subscription = await shop.subscribed(price)
    const { id: configuration } = await changeable(shop, [price.id])
    const confirmed = (items: { id: string; price: string; quantity: number }[]) =>
      stripe.billingPortal.sessions.create({
        customer,
        configuration,
        flow_data: {
          type: 'subscription_update_confirm',
          subscription_update_confirm: { subscription: subscription.id, items },
        },
      })
    const item = { id: firstItem(subscription).id, quantity: 1 }
    expect((await refusal(confirmed([{ ...item, price: dear.id }]))).message).toContain('portal configuration')
  })
})
