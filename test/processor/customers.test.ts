import { describe, expect } from 'vitest'
import type Stripe from 'stripe'
import { processorId } from '../../packages/ratecard/src/catalog/resource.ts'
import type { CheckoutRequest, UsageEvent } from '../../packages/ratecard/src/processor/customer-half.ts'
import { at, benchTest as it, customerBench, idOf, meteredPair, withCard } from './suite/customer-bench.ts'
import type { CustomerBench } from './suite/customer-bench.ts'
import { noTax } from '../support/shop/no-tax.ts'

const tenant = { tenantId: 'acme', name: 'Acme Ltd', email: 'billing@acme.example' }

describe('customers at the processor', () => {
  it('have the tenant’s name and address, and are found by the tenant’s id in their metadata', async () => {
    const { processor, stripe, clock, signal, writing } = await customerBench()
    const since = clock.now()
    expect(await processor.findCustomer('acme', since, signal)).toBeNull()
    const id = await processor.createCustomer(tenant, writing())
    expect(await stripe.customers.retrieve(id)).toMatchObject({
      name: 'Acme Ltd',
      email: 'billing@acme.example',
      metadata: { ratecard_tenant_id: 'acme' },
    })
    await processor.createCustomer({ ...tenant, tenantId: 'acme2', email: null }, writing())
    expect(await processor.findCustomer('acme', since, signal)).toBe(id)
    clock.advance(24 * 3600 * 1000)
    expect(await processor.findCustomer('acme', clock.now(), signal)).toBeNull()
  })

  it('are found among hundreds of customers; if two customers have the same tenant id, the older one is used', async () => {
    const { processor, control, apiKey, clock, signal, writing } = await customerBench()
    const since = clock.now()
    const first = await processor.createCustomer(tenant, writing())
    clock.advance(5000)
    await processor.createCustomer(tenant, writing())
    const others = Array.from({ length: 220 }, (_, index) => ({ path: '/v1/customers', params: { name: `C${index}` } }))
    await control.seed(apiKey, others)
    expect(await processor.findCustomer('acme', since, signal)).toBe(first)
  })
})

describe('a checkout at the processor', () => {
  const urls = { successUrl: 'http://127.0.0.1:9/done', cancelUrl: 'http://127.0.0.1:9/back' }
  const request = (bench: CustomerBench, price: Stripe.Price, own: Partial<CheckoutRequest> = {}): CheckoutRequest => ({
    ...urls,
    mode: 'subscription',
    customer: processorId(bench.customer),
    items: [{ price: idOf(price), quantity: 3 }],
    trialPeriodDays: null,
    ...withCard,
    currency: null,
    allowPromotionCodes: false,
    promotionCode: null,
    tax: noTax,
    metadata: { ratecard_tenant_id: 'acme' },
    ...own,
  })
  const pay = (url: string) => {
    const body = new URLSearchParams({ action: 'pay', email: 'a@b.example', number: '4242424242424242' })
    return fetch(url, { method: 'POST', body, redirect: 'manual' })
  }

  it('becomes a subscription of the customer with quantity, trial and metadata once it is paid', async ({
    shop: bench,
  }) => {
    const price = await bench.monthly(1000)
    const wanted = request(bench, price, { trialPeriodDays: 14, allowPromotionCodes: true })
    const { url, sessionId } = await bench.processor.createCheckout(wanted, bench.writing())
    expect(await bench.stripe.checkout.sessions.retrieve(sessionId)).toMatchObject({
      url,
      allow_promotion_codes: true,
      metadata: { ratecard_tenant_id: 'acme' },
    })
    expect((await pay(url)).status).toBe(303)
    const [made] = await bench.processor.subscriptions(processorId(bench.customer), bench.signal)
    expect(made).toMatchObject({ status: 'trialing', trialEnd: at('2027-01-15'), items: [{ quantity: 3 }] })
    expect((await bench.stripe.subscriptions.retrieve(made?.id ?? '')).metadata).toEqual({ ratecard_tenant_id: 'acme' })
  })

  it('has no quantity for a metered price, and is a single payment for a one-time price', async ({ shop: bench }) => {
    const [metered] = await meteredPair(bench)
    const usage = await bench.processor.createCheckout(
      request(bench, metered, { items: [{ price: idOf(metered), quantity: null }] }),
      bench.writing(),
    )
    expect((await pay(usage.url)).status).toBe(303)
    const once = await bench.price()
    const payment = request(bench, once, { mode: 'payment', items: [{ price: idOf(once), quantity: 2 }] })
    const { url, sessionId } = await bench.processor.createCheckout(payment, bench.writing())
    expect((await pay(url)).status).toBe(303)
    const done = await bench.stripe.checkout.sessions.retrieve(sessionId)
    expect(done).toMatchObject({ status: 'complete', amount_total: 2000, metadata: { ratecard_tenant_id: 'acme' } })
  })

  it('applies the given promotion code', async ({ shop: bench }) => {
    const coupon = await bench.stripe.coupons.create({ percent_off: 50 })
    const code = await bench.stripe.promotionCodes.create({
      code: 'HALF',
      promotion: { type: 'coupon', coupon: coupon.id },
    })
    const wanted = request(bench, await bench.monthly(1000), { promotionCode: idOf(code) })
    const { sessionId } = await bench.processor.createCheckout(wanted, bench.writing())
    expect(await bench.stripe.checkout.sessions.retrieve(sessionId)).toMatchObject({ amount_total: 1500 })
  })

  it.each<[string, (bench: CustomerBench) => Promise<Partial<CheckoutRequest>>]>([
    ['an unknown customer', () => Promise.resolve({ customer: processorId('cus_unknown') })],
    [
      'a deleted customer',
      async ({ stripe, customer }) => {
        await stripe.customers.del(customer)
        return {}
      },
    ],
    ['an unknown price', () => Promise.resolve({ items: [{ price: processorId('price_unknown'), quantity: 1 }] })],
    [
      'an archived price',
      async (bench) => {
        const gone = await bench.monthly(5)
        await bench.stripe.prices.update(gone.id, { active: false })
        return { items: [{ price: idOf(gone), quantity: 1 }] }
      },
    ],
    ['a recurring price as a payment', () => Promise.resolve({ mode: 'payment' as const })],
  ])('is refused for %s', async (_name, prepare) => {
    const bench = await customerBench()
    const wanted = request(bench, await bench.monthly(1000), await prepare(bench))
    const refused = bench.processor.createCheckout(wanted, bench.writing())
    await expect(refused).rejects.toMatchObject({ name: 'ProcessorError', kind: 'rejected', outcomeUnknown: false })
  })
})

describe('the customer portal', () => {
  it('has a page for an existing customer, and is refused for an unknown or deleted customer', async () => {
    const { processor, stripe, customer, writing } = await customerBench()
    const portal = (id: string) =>
      processor.createPortal(
        { customer: processorId(id), returnUrl: 'http://127.0.0.1:9/', configuration: null, flow: null },
        writing(),
      )
    await expect(portal(customer)).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('default configuration has not been created'),
      hint: expect.stringContaining('Save the settings of the customer portal'),
    })
    await stripe.billingPortal.configurations.create({ features: { invoice_history: { enabled: true } } })
    expect((await fetch((await portal(customer)).url)).status).toBe(200)
    await stripe.customers.del(customer)
    for (const id of [customer, 'cus_unknown'])
      await expect(portal(id)).rejects.toMatchObject({ kind: 'rejected', original: { code: 'resource_missing' } })
  })
})

describe('usage that is reported to the processor', () => {
  const event = (bench: CustomerBench, own: Partial<UsageEvent> = {}): UsageEvent => ({
    eventName: 'calls',
    payload: { stripe_customer_id: bench.customer, value: '40' },
    timestamp: null,
    identifier: 'one',
    ...own,
  })

  it('is counted once per identifier, even with another idempotency key, and at the timestamp of the report', async ({
    shop: bench,
  }) => {
    const [dear] = await meteredPair(bench)
    await bench.stripe.subscriptions.create({ customer: bench.customer, items: [{ price: dear.id }] })
    await bench.until('2027-01-20T00:00:00')
    const { processor, writing } = bench
    await processor.recordUsage(event(bench), writing('a'))
    await processor.recordUsage(event(bench), writing('a'))
    await processor.recordUsage(event(bench), writing('b'))
    await processor.recordUsage(event(bench, { identifier: 'two', timestamp: at('2027-01-10') + 999 }), writing())
    await bench.until('2027-02-02T00:00:00')
    expect(await bench.totals()).toEqual([400])
  })

  it.each<[string, Partial<UsageEvent>, string]>([
    ['an event without a meter', { eventName: 'nothing' }, 'no_meter'],
    ['an unknown customer', { payload: { stripe_customer_id: 'cus_unknown', value: '1' } }, 'resource_missing'],
    ['a value that is no number', { payload: { stripe_customer_id: '', value: 'many' } }, 'meter_event_invalid_value'],
    ['a time long ago', { timestamp: at('2026-01-01') }, 'timestamp_too_far_in_past'],
  ])('is refused for %s', async (_name, own, code) => {
    const bench = await customerBench()
    await meteredPair(bench)
    const named = event(bench, own)
    const payload =
      named.payload['stripe_customer_id'] === ''
        ? { ...named.payload, stripe_customer_id: bench.customer }
        : named.payload
    const refused = bench.processor.recordUsage({ ...named, payload }, bench.writing())
    await expect(refused).rejects.toMatchObject({ kind: 'rejected', original: { code } })
  })
})

describe('the preview of the next invoice', () => {
  /** Reads the preview, advances to 2 February, and compares the preview with the invoice of that day. */
  async function expectTrue(bench: CustomerBench, made: { readonly id: string }) {
    const preview = await bench.processor.upcomingInvoice(made.id, bench.signal)
    const before = await bench.invoices()
    await bench.until('2027-02-02T00:00:00')
    const charged = (await bench.invoices()).at(-1)
    expect(charged?.id).not.toBe(before.at(-1)?.id)
    expect(preview).toEqual({
      subscription: made.id,
      currency: 'usd',
      subtotal: charged?.subtotal,
      total: charged?.total,
      amountDue: charged?.amount_due,
      startingBalance: 0,
      creditsApplied: 0,
      discounts: (charged?.total_discount_amounts ?? []).map(({ discount }) => discount),
      dueAt: (charged?.created ?? NaN) * 1000,
      lines: charged?.lines.data.map((line) => ({
        description: line.description,
        price: line.pricing?.price_details?.price,
        quantity: line.quantity,
        amount: line.amount,
        net: line.amount - (line.discount_amounts ?? []).reduce((sum, { amount }) => sum + amount, 0),
        periodStart: line.period.start * 1000,
        periodEnd: line.period.end * 1000,
        proration: false,
      })),
    })
    return preview
  }

  it('equals the invoice that is charged later, with seats, usage and a discount', async ({ shop: bench }) => {
    const [dear] = await meteredPair(bench)
    const seats = await bench.monthly(1000)
    const coupon = await bench.stripe.coupons.create({ percent_off: 25, duration: 'forever' })
    const items = [{ price: seats.id, quantity: 7 }, { price: dear.id }]
    const made = await bench.subscribed(seats, { items, discounts: [{ coupon: coupon.id }] })
    await bench.use('60')
    expect(await expectTrue(bench, made)).toMatchObject({ subtotal: 7300, total: 5475, dueAt: at('2027-02-01') })
  })

  it('contains the price of a scheduled swap', async ({ shop: bench }) => {
    const [list, negotiated] = [await bench.monthly(1000), await bench.monthly(700)]
    const made = await bench.subscribed(list)
    const swaps = [{ from: idOf(list), to: idOf(negotiated) }]
    await bench.processor.scheduleSwaps({ subscription: made.id, swaps }, bench.writing())
    expect(await expectTrue(bench, made)).toMatchObject({ total: 700 })
  })

  it('shows the first charge after the trial of a subscription in its trial', async ({ shop: bench }) => {
    const made = await bench.subscribed(await bench.monthly(1000), { trial_period_days: 20 })
    expect(await expectTrue(bench, made)).toMatchObject({ total: 1000, dueAt: at('2027-01-21') })
  })

  it('is null if the subscription will have no further invoice, and is refused for an unknown subscription', async () => {
    const { processor, stripe, monthly, subscribed, signal } = await customerBench()
    const price = await monthly(1000)
    const ending = await subscribed(price, { cancel_at_period_end: true })
    expect(await processor.upcomingInvoice(ending.id, signal)).toBeNull()
    await stripe.subscriptions.cancel(ending.id)
    expect(await processor.upcomingInvoice(ending.id, signal)).toBeNull()
    await expect(processor.upcomingInvoice('sub_unknown', signal)).rejects.toMatchObject({ kind: 'rejected' })
  })
})
