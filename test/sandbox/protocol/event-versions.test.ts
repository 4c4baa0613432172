// Events in the API version of their webhook endpoint. Source of the shapes: the types of the SDK's major versions 17 to 23.
import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { listenLocally } from '../../support/listen.ts'
import { contractVersion } from '../../support/stripe-contract.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { customerShop } from '../customers/customer-shop.ts'

interface Sent {
  readonly api_version: string
  readonly type: string
  readonly data: {
    readonly object: Readonly<Record<string, unknown>>
    readonly previous_attributes?: Readonly<Record<string, unknown>>
  }
}

type ApiVersion = '2024-06-20' | '2025-02-24.acacia' | '2025-08-27.basil' | '2026-02-25.clover'

/** A shop with an endpoint in an API version, and a function that returns the first event of a type that it received. */
async function shopWith(version: ApiVersion) {
  const received: Sent[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')))
    request.on('end', () => {
      received.push(JSON.parse(body) as Sent)
      response.end()
    })
  })
  const port = await listenLocally(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const shop = await customerShop()
  await shop.stripe.webhookEndpoints.create({
    url: `http://127.0.0.1:${port}/hook`,
    enabled_events: ['*'],
    api_version: version,
  })
  const first = (type: string): Promise<Sent> =>
    vi.waitFor(
      () => {
        const found = received.find((sent) => sent.type === type)
        if (found === undefined) throw new Error(`no ${type} yet`)
        return found
      },
      { timeout: 20_000 },
    )
  return { ...shop, first }
}

describe('an event that is sent to an endpoint with its own API version,', () => {
  test.each(['2024-06-20', '2025-02-24.acacia'] as const)(
    'in version %s, has the subscription’s period and discount, and the invoice’s subscription, payment and prices, in the shape of that version',
    async (version) => {
      const { stripe, subscribed, monthly, first } = await shopWith(version)
      const coupon = (await stripe.coupons.create({ percent_off: 50, duration: 'forever' })).id
      const price = await monthly(1000)
      const made = await subscribed(price, { discounts: [{ coupon }] })
      const [item] = made.items.data
      const created = await first('customer.subscription.created')
      expect(created.api_version).toBe(version)
      const { items, ...subscription } = created.data.object as unknown as { items: { data: unknown[] } }
      expect(subscription).toMatchObject({
        current_period_start: item?.current_period_start,
        current_period_end: item?.current_period_end,
        discount: { object: 'discount', coupon: { id: coupon, object: 'coupon' } },
      })
      expect(items.data[0]).not.toHaveProperty('current_period_end')
      expect(items.data[0]).toMatchObject({ price: { id: price.id, recurring: { aggregate_usage: null } } })
      const paid = (await first('invoice.paid')).data.object
      const [intent] = (await stripe.paymentIntents.list()).data
      expect(paid).toMatchObject({
        charge: intent?.latest_charge,
        discount: { coupon: { id: coupon } },
        paid: true,
        payment_intent: intent?.id,
        subscription: made.id,
        subscription_details: { metadata: {} },
        total_tax_amounts: [],
        lines: {
          data: [
            {
              price: { id: price.id, object: 'price' },
              plan: { id: price.id, object: 'plan' },
              proration: false,
              subscription_item: item?.id,
              tax_amounts: [],
              type: 'subscription',
            },
          ],
        },
      })
      for (const later of ['parent', 'confirmation_secret', 'total_taxes']) expect(paid).not.toHaveProperty(later)
      expect((await first('charge.succeeded')).data.object).toMatchObject({ invoice: made.latest_invoice })
    },
  )

  test('before version basil, contains previous values in the shape of that version', async () => {
    const { stripe, subscribed, monthly, first } = await shopWith('2025-02-24.acacia')
    const { id, items } = await subscribed(await monthly(1000), { metadata: { a: '1' } })
    const trialEnd = (items.data[0]?.current_period_end ?? 0) + 86_400
    await stripe.subscriptions.update(id, { trial_end: trialEnd, metadata: { a: '2', b: '3' } })
    const updated = await first('customer.subscription.updated')
    expect(updated.data.object).toMatchObject({ current_period_end: trialEnd })
    expect(updated.data.previous_attributes).toMatchObject({
      current_period_end: items.data[0]?.current_period_end,
      metadata: { a: '1', b: null },
    })
  })

  test('in version basil, contains whole coupons in discounts and promotion codes', async () => {
    const { stripe, subscribed, monthly, first } = await shopWith('2025-08-27.basil')
    const coupon = (await stripe.coupons.create({ percent_off: 50, duration: 'forever' })).id
    await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon }, code: 'HALF' })
    const code = (await first('promotion_code.created')).data.object
    expect(code).toMatchObject({ code: 'HALF', coupon: { id: coupon, percent_off: 50 } })
    expect(code).not.toHaveProperty('promotion')
    await subscribed(await monthly(1000), { discounts: [{ coupon }] })
    const discount = (await first('customer.discount.created')).data.object
    expect(discount).toMatchObject({ coupon: { id: coupon } })
    expect(discount).not.toHaveProperty('source')
    const made = (await first('customer.subscription.created')).data.object
    expect(made).not.toHaveProperty('current_period_end')
  })

  test('in version clover, equals the event of the current version, except for pages of checkout sessions', async () => {
    const { stripe, monthly, customer, first } = await shopWith('2026-02-25.clover')
    const session = await stripe.checkout.sessions.create({
      customer,
      mode: 'subscription',
      line_items: [{ price: (await monthly(1000)).id, quantity: 1 }],
      success_url: 'https://shop.example/done',
    })
    await stripe.checkout.sessions.expire(session.id)
    const expired = await first('checkout.session.expired')
    expect(expired).toMatchObject({ api_version: '2026-02-25.clover', data: { object: { ui_mode: 'hosted' } } })
    expect(session.ui_mode).toBe('hosted_page')
    // The API itself lists events in the version of the sandbox.
    const [listed] = (await stripe.events.list({ type: 'checkout.session.expired' })).data
    expect(listed).toMatchObject({ api_version: contractVersion, data: { object: { ui_mode: 'hosted_page' } } })
  })
})

test('a webhook endpoint with an API version that the sandbox cannot produce is refused', async () => {
  const { stripe } = await customerShop()
  const old = { url: 'https://shop.example/hook', enabled_events: ['*' as const], api_version: '2023-10-16' as const }
  expect(await refusal(stripe.webhookEndpoints.create(old))).toMatchObject({
    status: 400,
    param: 'api_version',
    message: 'The sandbox does not support events in the API version `2023-10-16`, before 2024-04-10.',
  })
})
