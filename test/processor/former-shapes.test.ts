// Reads responses in the documented shapes of this API version and of former ones.
import { describe, expect, it } from 'vitest'
import { processorId } from '../../packages/ratecard/src/catalog/resource.ts'
import { observePromotionCode } from '../../packages/ratecard/src/processor/stripe/kinds/promotion-code.ts'
import { answering } from './suite/scripted.ts'

const signal = AbortSignal.timeout(600_000)
const [begun, border, end] = [1_800_000_000, 1_802_000_000, 1_804_000_000]
const list = (...data: unknown[]) => ({ object: 'list', data, has_more: false, url: '/' })
const recurring = { interval: 'month', interval_count: 1, usage_type: 'licensed', meter: null }
const price = (id: string) => ({
  ...{ id, object: 'price', active: true, currency: 'usd', billing_scheme: 'per_unit', unit_amount: 500 },
  ...{ unit_amount_decimal: '500', recurring },
})
const item = { id: 'si_a', object: 'subscription_item', price: price('price_a'), quantity: 7, subscription: 'sub_a' }
const period = { current_period_start: begun, current_period_end: border }
const subscription = {
  ...{ id: 'sub_a', object: 'subscription', customer: 'cus_a', status: 'active', currency: 'usd', created: begun },
  ...{
    collection_method: 'charge_automatically',
    cancel_at_period_end: false,
    cancel_at: null,
    trial_end: null,
    schedule: null,
    metadata: null,
  },
}
/** A phase as in the documented example of a schedule: nulls where the SDK's types have lists, and no newer members. */
const documentedPhase = {
  ...{ add_invoice_items: null, application_fee_percent: null, billing_cycle_anchor: null, billing_thresholds: null },
  ...{ collection_method: null, coupon: null, currency: 'usd', default_payment_method: null, default_tax_rates: null },
  ...{ description: null, discounts: null, invoice_settings: null, metadata: null, on_behalf_of: null },
  ...{
    proration_behavior: 'create_prorations',
    start_date: begun,
    end_date: border,
    transfer_data: null,
    trial_end: null,
  },
  items: [{ price: 'price_a', plan: 'price_a', quantity: 7, discounts: null, metadata: null, tax_rates: null }],
}
const documented = {
  ...{ id: 'sub_sched_a', object: 'subscription_schedule', customer: 'cus_a', subscription: 'sub_a', status: 'active' },
  ...{ end_behavior: 'release', current_phase: { start_date: begun, end_date: border }, metadata: null },
  phases: [documentedPhase],
}

interface Scene {
  readonly subscription: unknown
  readonly schedule: { readonly phases: readonly object[] }
}

/** Schedules a swap of `price_a` to `price_b`. Returns the parameters of the request. */
async function moved({ subscription: held, schedule }: Scene): Promise<Record<string, string>> {
  const { processor, seen } = await answering(({ method, url, body }) => {
    if (url.startsWith('/v1/prices/')) return { body: price('price_b') }
    if (url.startsWith('/v1/subscriptions/')) return { body: held }
    if (!body.includes('phases')) return { body: schedule }
    const [first] = schedule.phases
    const then = { ...first, start_date: border, end_date: end, items: [{ price: 'price_b', quantity: 7 }] }
    return { body: method === 'POST' ? { ...schedule, phases: [first, then] } : schedule }
  })
  const request = { subscription: 'sub_a', swaps: [{ from: processorId('price_a'), to: processorId('price_b') }] }
  await processor.scheduleSwaps(request, { idempotencyKey: 'k', signal })
  const sent = seen.findLast(({ method }) => method === 'POST')
  return Object.fromEntries(new URLSearchParams(sent?.body))
}

const present = { ...subscription, discounts: [], items: list({ ...item, ...period, discounts: [], tax_rates: [] }) }

describe('a schedule in a response of Stripe', () => {
  it('can be changed if it contains nulls, as in Stripe’s documented example', async () => {
    const sent = await moved({ subscription: present, schedule: documented })
    expect(sent).toMatchObject({
      'phases[0][items][0][price]': 'price_a',
      'phases[0][end_date]': String(border),
      'phases[1][items][0][price]': 'price_b',
      'phases[1][items][0][quantity]': '7',
      proration_behavior: 'none',
    })
    expect(Object.keys(sent).filter((name) => /discounts|tax|metadata|coupon/.test(name))).toEqual([])
  })

  it('keeps the subscription’s discount even if it has the single member `discount` of former API versions instead of a list', async () => {
    const { discounts: _none, ...former } = documentedPhase
    const held = { ...subscription, ...period, discount: { id: 'di_a', coupon: { id: 'ten' } }, items: list(item) }
    const schedule = { ...documented, phases: [{ ...former, coupon: 'ten' }] }
    expect(await moved({ subscription: held, schedule })).toMatchObject({
      'phases[0][discounts][0][discount]': 'di_a',
      'phases[1][discounts][0][discount]': 'di_a',
    })
  })

  it('may contain discounts, payment methods and tax rates as ids or as objects', async () => {
    const told = {
      ...documentedPhase,
      default_payment_method: { id: 'pm_a', object: 'payment_method' },
      default_tax_rates: [{ id: 'txr_a', object: 'tax_rate' }],
      discounts: [{ coupon: null, discount: { id: 'di_a' }, promotion_code: null }],
    }
    const held = {
      ...present,
      default_payment_method: 'pm_a',
      default_tax_rates: [{ id: 'txr_a' }],
      discounts: ['di_a'],
    }
    expect(await moved({ subscription: held, schedule: { ...documented, phases: [told] } })).toMatchObject({
      'phases[0][default_payment_method]': 'pm_a',
      'phases[1][default_payment_method]': 'pm_a',
      'phases[0][default_tax_rates][0]': 'txr_a',
      'phases[1][discounts][0][discount]': 'di_a',
    })
  })
})

describe('a subscription in a response of Stripe', () => {
  it('is readable even if it has the period on the subscription, as in former API versions, and not on the items', async () => {
    const { processor } = await answering(() => ({ body: { ...subscription, ...period, items: list(item) } }))
    expect(await processor.subscription('sub_a', signal)).toMatchObject({
      items: [{ quantity: 7, currentPeriodStart: begun * 1000, currentPeriodEnd: border * 1000 }],
      allowsDuplicate: false,
      ends: [],
    })
  })

  it('may contain its customer and its schedule as ids or as objects', async () => {
    const expanded = { customer: { id: 'cus_a', object: 'customer' }, schedule: { id: 'sub_sched_a' } }
    const { processor } = await answering(() => ({ body: { ...present, ...expanded } }))
    expect(await processor.subscription('sub_a', signal)).toMatchObject({ customer: 'cus_a', schedule: 'sub_sched_a' })
  })
})

describe('an upcoming invoice', () => {
  const invoice = { id: 'in_a', object: 'invoice', currency: 'usd', subtotal: 500, total: 500, amount_due: 500 }
  const line = { id: 'il_a', object: 'line_item', amount: 500, quantity: 1, period: { start: begun, end: border } }
  it.each<[string, object]>([
    ['now', { pricing: { type: 'price_details', price_details: { price: 'price_a', product: 'prod_a' } } }],
    ['expanded', { pricing: { price_details: { price: price('price_a') } } }],
    ['before 2025', { price: price('price_a'), plan: null }],
  ])('is read with a line’s price in the shape of %s', async (_when, own) => {
    const body = { ...invoice, created: border, lines: list({ ...line, ...own }) }
    const { processor } = await answering(() => ({ body }))
    expect(await processor.upcomingInvoice('sub_a', signal)).toMatchObject({
      dueAt: border * 1000,
      lines: [{ price: 'price_a', amount: 500 }],
    })
  })
})

describe('a promotion code', () => {
  const code = {
    ...{ id: 'promo_a', object: 'promotion_code', active: true, code: 'HELLO', created: begun, customer: null },
    ...{ expires_at: null, livemode: false, max_redemptions: null, metadata: null, times_redeemed: 0 },
  }
  it.each<[string, object]>([
    ['now', { promotion: { type: 'coupon', coupon: 'ten' }, restrictions: null }],
    ['expanded', { promotion: { type: 'coupon', coupon: { id: 'ten' } }, restrictions: {} }],
    ['before 2025-09-30.clover', { coupon: { id: 'ten', object: 'coupon' } }],
  ])('is read with its coupon in the shape of %s', (_when, own) => {
    const observed = observePromotionCode({ ...code, ...own } as never, { now: begun })
    expect(observed.fields).toMatchObject({ coupon: 'ten', firstTimeTransaction: false, minimumAmount: null })
    expect(observed.unrepresentable).toEqual([])
  })
})
