// Malformed responses about customers, subscriptions and checkouts: none counts as a success.
import { describe, expect, it } from 'vitest'
import { processorId } from '../../packages/ratecard/src/catalog/resource.ts'
import { withCard } from './suite/customer-bench.ts'
import { against, answering } from './suite/scripted.ts'
import { noTax } from '../support/shop/no-tax.ts'

const signal = AbortSignal.timeout(600_000)
const writing = { idempotencyKey: 'k', signal }
const broken = { kind: 'broken', outcomeUnknown: true }

const price = {
  ...{ id: 'price_a', object: 'price', active: true, currency: 'usd', billing_scheme: 'per_unit', unit_amount: 5 },
  ...{
    unit_amount_decimal: '5',
    recurring: { interval: 'month', interval_count: 1, usage_type: 'licensed', meter: null },
  },
}
const item = {
  ...{ id: 'si_a', object: 'subscription_item', price, quantity: 7, subscription: 'sub_a' },
  ...{ current_period_start: 1_800_000_000, current_period_end: 1_802_000_000 },
}
const list = (...data: unknown[]) => ({ object: 'list', data, has_more: false, url: '/' })
const subscription = {
  ...{ id: 'sub_a', object: 'subscription', customer: 'cus_a', status: 'active', currency: 'usd', schedule: null },
  ...{
    collection_method: 'charge_automatically',
    cancel_at_period_end: false,
    cancel_at: null,
    trial_end: null,
    created: 1_800_000_000,
    discounts: [],
  },
  items: list(item),
}
const changed = (own: object) => ({ ...subscription, ...own })
const withItem = (own: object) => changed({ items: list({ ...item, ...own }) })
const phase = {
  start_date: 1_800_000_000,
  end_date: 1_802_000_000,
  items: [{ price: 'price_a', quantity: 7, discounts: [], metadata: {} }],
}
const schedule = {
  ...{ id: 'sub_sched_a', object: 'subscription_schedule', subscription: 'sub_a', status: 'active' },
  ...{ end_behavior: 'release', current_phase: { start_date: phase.start_date, end_date: phase.end_date } },
  phases: [
    {
      ...phase,
      ...{ discounts: [], add_invoice_items: [], trial_end: null, currency: 'usd', application_fee_percent: null },
      ...{ collection_method: null, default_payment_method: null, on_behalf_of: null, transfer_data: null },
      ...{
        billing_thresholds: null,
        billing_cycle_anchor: null,
        description: null,
        metadata: {},
        invoice_settings: null,
      },
    },
  ],
}

describe('a subscription in a response', () => {
  it.each<[string, unknown]>([
    ['another object', changed({ object: 'customer' })],
    ['another subscription', changed({ id: 'sub_b' })],
    ['an unknown state', changed({ status: 'dozing' })],
    ['no items', changed({ items: undefined })],
    ['an item without a price', withItem({ price: undefined })],
    ['an item without a period', withItem({ current_period_end: undefined })],
    ['a licensed item without a quantity', withItem({ quantity: undefined })],
    ['a price that does not recur', withItem({ price: { ...price, recurring: null } })],
    ['an unknown interval', withItem({ price: { ...price, recurring: { ...price.recurring, interval: 'moon' } } })],
  ])('is refused with the error kind `broken` if a member is wrong: %s', async (_name, body) => {
    const { processor } = await against({ body })
    await expect(processor.subscription('sub_a', signal)).rejects.toMatchObject(broken)
  })

  it('is read completely if its items fill two pages', async () => {
    const more = { ...item, id: 'si_b' }
    const { processor, seen } = await against(
      { body: changed({ items: { ...list(item), has_more: true } }) },
      { body: list(item, more) },
    )
    const found = await processor.subscription('sub_a', signal)
    expect(found?.items.map(({ id }) => id)).toEqual(['si_a', 'si_b'])
    expect(seen[1]?.url).toMatch(/^\/v1\/subscription_items\?.*subscription=sub_a/)
  })
})

describe('an unexpected response of Stripe', () => {
  const swap = { item: 'si_a', price: processorId('price_b'), quantity: 7 }
  it.each<[string, unknown]>([
    ['the old price', subscription],
    ['quantity 1', withItem({ price: { ...price, id: 'price_b' }, quantity: 1 })],
    ['another item', withItem({ id: 'si_b', price: { ...price, id: 'price_b' } })],
    ['another subscription', changed({ id: 'sub_b' })],
  ])('is an error if it follows a swap of prices: %s', async (_name, body) => {
    const { processor, seen } = await against({ body })
    await expect(processor.swapItems('sub_a', [swap], writing)).rejects.toMatchObject(broken)
    expect(seen).toHaveLength(1)
    const form = new URLSearchParams(seen[0]?.body)
    expect(Object.fromEntries(form)).toEqual({
      'items[0][id]': 'si_a',
      'items[0][price]': 'price_b',
      'items[0][quantity]': '7',
      proration_behavior: 'none',
    })
  })

  it.each<[string, object]>([
    ['no page', { id: 'cs_a', object: 'checkout.session', url: null }],
    ['a script for a page', { id: 'cs_a', object: 'checkout.session', url: 'javascript:alert(1)' }],
    ['no id', { object: 'checkout.session', url: 'https://a.example/' }],
    ['another object', { id: 'cs_a', object: 'checkout', url: 'https://a.example/' }],
  ])('is an error if it follows the creation of a checkout session: %s', async (_name, body) => {
    const { processor } = await against({ body })
    const request = {
      ...{ mode: 'payment' as const, customer: processorId('cus_a') },
      items: [{ price: processorId('price_a'), quantity: 1 }],
      ...{ successUrl: 'https://a.example/', cancelUrl: 'https://a.example/', trialPeriodDays: null, currency: null },
      ...withCard,
      ...{ allowPromotionCodes: false, promotionCode: null, tax: noTax, metadata: {} },
    }
    await expect(processor.createCheckout(request, writing)).rejects.toMatchObject(broken)
  })

  it('is an error if it follows a usage report, a customer request or a preview', async () => {
    const { processor } = await against({ body: { id: 'x', object: 'oddity', identifier: 'other' } })
    const event = { eventName: 'calls', payload: {}, timestamp: null, identifier: 'one' }
    await expect(processor.recordUsage(event, writing)).rejects.toMatchObject(broken)
    const customer = { tenantId: 't', name: 'T', email: null }
    await expect(processor.createCustomer(customer, writing)).rejects.toMatchObject(broken)
    await expect(processor.upcomingInvoice('sub_a', signal)).rejects.toMatchObject(broken)
  })

  it('is an error if it follows a usage report and contains another identifier than the report', async () => {
    const { processor } = await against({ body: { object: 'billing.meter_event', identifier: 'other' } })
    const event = { eventName: 'calls', payload: {}, timestamp: null, identifier: 'one' }
    await expect(processor.recordUsage(event, writing)).rejects.toMatchObject(broken)
  })
})

describe('a refusal of Stripe to expire a checkout page', () => {
  const metadata = { ratecard_tenant_id: 'acme' }
  const page = (status: string) => ({ id: 'cs_a', object: 'checkout.session', status, metadata })
  const refusal = (message: string, code?: string) => ({ error: { type: 'invalid_request_error', message, code } })
  const closing = async (status: number, afterwards: unknown) => {
    const { processor } = await answering(({ method, url }) => {
      if (method === 'POST') return { status: 400, body: refusal('Only open ones can be expired.') }
      if (url.startsWith('/v1/checkout/sessions/')) return { status, body: afterwards }
      return { body: list(page('open')) }
    })
    return processor.expireCheckouts({ customer: processorId('cus_a'), tenantId: 'acme' }, signal)
  }

  it('is an error if the page is still open', async () => {
    await expect(closing(200, page('open'))).rejects.toMatchObject({
      kind: 'rejected',
      message: 'Only open ones can be expired.',
    })
  })

  it.each<[string, number, unknown]>([
    ['paid', 200, page('complete')],
    ['out of time', 200, page('expired')],
    ['gone', 404, refusal('No such checkout.session', 'resource_missing')],
  ])('counts as success if the page is %s', async (_name, status, afterwards) => {
    expect(await closing(status, afterwards)).toBe(1)
  })

  it.each<[string, number, unknown]>([
    ['cannot be read', 403, refusal('The key may not read it.')],
    ['is another', 200, { ...page('complete'), id: 'cs_b' }],
  ])('is an error if the page %s', async (_name, status, afterwards) => {
    await expect(closing(status, afterwards)).rejects.toMatchObject({ name: 'ProcessorError' })
  })
})

describe('a subscription schedule in a response of Stripe', () => {
  const request = { subscription: 'sub_a', swaps: [{ from: processorId('price_a'), to: processorId('price_b') }] }
  const target = { body: { ...price, id: 'price_b' } }

  it('causes no write if it belongs to another subscription', async () => {
    const { processor, seen } = await against({ body: subscription }, target, {
      body: { ...schedule, subscription: 'sub_b' },
    })
    await expect(processor.scheduleSwaps(request, writing)).rejects.toMatchObject(broken)
    expect(seen).toHaveLength(3)
  })

  it('causes no write if its items differ from the subscription’s items, because a write would change the items at once', async () => {
    const owned = changed({ schedule: 'sub_sched_a' })
    const other = {
      ...schedule,
      phases: [{ ...schedule.phases[0], items: [{ price: 'price_a', quantity: 8, discounts: [] }] }],
    }
    const { processor, seen } = await against({ body: owned }, { body: other }, target)
    await expect(processor.scheduleSwaps(request, writing)).rejects.toMatchObject({ kind: 'rejected' })
    expect(seen.filter(({ method }) => method === 'POST')).toEqual([])
  })

  it('is an error if it does not contain the change that Ratecard just wrote', async () => {
    const { processor, seen } = await against({ body: subscription }, target, { body: schedule }, { body: schedule })
    await expect(processor.scheduleSwaps(request, writing)).rejects.toThrow(/its phases are not what was asked/)
    expect(seen.map(({ method, headers }) => [method, headers['idempotency-key']]).slice(2)).toEqual([
      ['POST', 'k:make'],
      ['POST', 'k:change'],
    ])
  })
})
