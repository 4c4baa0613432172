import { describe, expect, test } from 'vitest'
import type {
  BillingConfig,
  Coupon,
  Meter,
  PromotionCode,
} from '../../../packages/ratecard/src/document/schema/schema.ts'
import { rewritingProxy } from '../../support/programs/rewriting-proxy.ts'
import { nobody, startStack } from '../../support/stack.ts'
import { startedForEach } from '../../support/started.ts'
import { refusalOf } from '../../support/stores/store.ts'

const stack = startedForEach(startStack)

const base: BillingConfig = { version: '1.0.0', products: [{ id: 'p', name: 'P' }] }
const promo = (coupon: Partial<Coupon>, code: Partial<PromotionCode> = {}): BillingConfig => ({
  ...base,
  coupons: [{ id: 'deal', duration: 'once', percent_off: 10, ...coupon }],
  promotion_codes: [{ id: 'code', code: 'DEAL', coupon: 'deal', ...code }],
})

async function codes() {
  return (await stack.stripe.promotionCodes.list({ limit: 100 })).data
}

describe('promotions in a push:', () => {
  test('a changed coupon gets new promotion codes with the same text', async () => {
    await stack.service.push(promo({}), nobody)
    const outcome = await stack.service.push(promo({ percent_off: 20 }), nobody)
    expect(outcome.changes).toMatchObject({ coupons: { updated: ['deal'] }, promotion_codes: { updated: ['code'] } })
    const active = (await codes()).filter((code) => code.active)
    expect(active.map((code) => code.code)).toEqual(['DEAL'])
    const coupons = (await stack.stripe.coupons.list()).data
    expect(coupons.map((coupon) => coupon.percent_off)).toEqual([20])
    expect(active[0]?.promotion.coupon).toBe(coupons[0]?.id)
  })

  test('a coupon whose name is removed from the document is replaced', async () => {
    const plain = promo({})
    await stack.service.push(promo({ name: 'Spring' }), nobody)
    const outcome = await stack.service.push(plain, nobody)
    expect(outcome.details).toMatchObject([
      { kind: 'coupon', configId: 'deal', action: 'replace', because: ['name'] },
      { kind: 'promotion_code', configId: 'code', action: 'replace' },
    ])
    const [coupon, ...others] = (await stack.stripe.coupons.list()).data
    expect([coupon?.name, others]).toEqual([null, []])
    expect((await stack.service.push(plain, nobody)).status).toBe('unchanged')
    // A name that was given in Stripe's dashboard is not in the document, so it is not overwritten.
    await stack.stripe.coupons.update(coupon?.id ?? '', { name: 'By hand' })
    expect((await stack.service.push(plain, nobody)).status).toBe('unchanged')
    expect((await stack.service.drift()).inSync).toBe(true)
  })

  test('a coupon that is removed from the document is deleted, its codes are deactivated, and its last state can still be read', async () => {
    await stack.service.push(promo({}), nobody)
    const [mapping] = (await stack.store.mappings.all()).filter((entry) => entry.kind === 'coupon')
    const outcome = await stack.service.push({ ...base, version: '1.1.0' }, nobody)
    expect(outcome.changes).toMatchObject({ coupons: { archived: ['deal'] }, promotion_codes: { archived: ['code'] } })
    expect((await codes()).every((code) => !code.active)).toBe(true)
    const kept = await stack.store.mappings.archivedObject(mapping?.processorId ?? '')
    expect(JSON.parse(kept?.object ?? '{}')).toMatchObject({ object: 'coupon', percent_off: 10 })
    const back = await stack.service.push({ ...promo({}), version: '1.2.0' }, nobody)
    expect(back.changes).toMatchObject({ coupons: { created: ['deal'] }, promotion_codes: { created: ['code'] } })
    expect((await codes()).filter((code) => code.active)).toHaveLength(1)
  })

  test('a new promotion code that has already expired causes the push to be refused before any write', async () => {
    const writes = stack.writes()
    const ended = promo({}, { expires_at: '2020-01-01T00:00:00Z' })
    await expect(stack.service.push(ended, { ...nobody, dryRun: true })).rejects.toMatchObject({ code: 'plan_refused' })
    await expect(stack.service.push(ended, nobody)).rejects.toMatchObject({
      code: 'plan_refused',
      issues: [{ code: 'date_past', pointer: '#/promotion_codes/0/expires_at' }],
    })
    await expect(stack.service.push(promo({ redeem_by: 1_500_000_000 }), nobody)).rejects.toMatchObject({
      issues: [{ code: 'date_past', pointer: '#/coupons/0/redeem_by' }],
    })
    expect(stack.writes()).toBe(writes)
  })

  test('a promotion code for an unknown customer causes the push to be refused before any write', async () => {
    const { stripe, service } = stack
    await service.push(promo({}), nobody)
    const gone = await stripe.customers.create({ name: 'Gone' })
    await stripe.customers.del(gone.id)
    for (const customer of ['cus_mistyped', gone.id]) {
      const before = stack.writes()
      for (const dryRun of [true, false])
        await expect(service.push(promo({}, { customer }), { ...nobody, dryRun })).rejects.toMatchObject({
          code: 'plan_refused',
          issues: [{ code: 'reference_unknown', pointer: '#/promotion_codes/0/customer' }],
        })
      expect(stack.writes()).toBe(before)
    }
    expect((await codes()).map(({ code, active }) => [code, active])).toEqual([['DEAL', true]])
    const { id } = await stripe.customers.create({ name: 'Here' })
    await service.push(promo({}, { customer: id }), nobody)
    expect((await codes()).filter(({ active }) => active)).toMatchObject([{ code: 'DEAL', customer: id }])
    // An existing code is not checked again.
    await stripe.customers.del(id)
    expect((await service.push(promo({}, { customer: id }), nobody)).status).toBe('unchanged')
  })

  test('the customers of several promotion codes are read concurrently', async () => {
    const { stripe, service, processor } = stack
    const ids = await Promise.all([1, 2, 3].map(async () => (await stripe.customers.create({ name: 'Here' })).id))
    const knows = processor.customerState.bind(processor)
    const asked = new Set<string>()
    const all = Promise.withResolvers<undefined>()
    processor.customerState = async (customer, signal) => {
      asked.add(customer)
      if (asked.size === ids.length) all.resolve(undefined)
      // Each response waits until the last request has arrived.
      await all.promise
      return knows(customer, signal)
    }
    const many = (customers: readonly string[]) => ({
      ...promo({}),
      promotion_codes: customers.map((customer, at) => {
        const name = `code${String(at)}`
        return { id: name, code: name, coupon: 'deal', customer }
      }),
    })
    await service.push(many(ids), nobody)
    expect(await codes()).toHaveLength(3)
  })

  test('a push with a key that cannot read customers succeeds, with a warning that the customer of a code was not checked', async () => {
    const proxy = await rewritingProxy(Number(new URL(stack.sandbox.url).port))
    const restricted = await startStack({ sandbox: stack.sandbox, apiBase: proxy.url })
    try {
      const { id } = await restricted.stripe.customers.create({ name: 'Here' })
      proxy.forbid(({ method, path }) => method === 'GET' && path.startsWith('/v1/customers/'))
      const { status, warnings } = await restricted.service.push(promo({}, { customer: id }), nobody)
      expect([status, warnings.map(({ code, pointer }) => `${code} ${pointer}`)]).toEqual([
        'applied',
        ['customer_unchecked #/promotion_codes/0/customer'],
      ])
      // Without a customer to check, there is no warning.
      expect((await restricted.service.push(promo({}, { customer: id }), nobody)).warnings).toEqual([])
      // The processor checks the customer itself.
      expect(await refusalOf(restricted.service.push(promo({}, { customer: 'cus_mistyped' }), nobody))).toBe(
        'processor_rejected',
      )
    } finally {
      await restricted.close()
    }
  })

  test('a coupon that is limited to products keeps this limit through push and pull', async () => {
    await stack.service.push(promo({ applies_to: ['p'] }), nobody)
    const [coupon] = (await stack.stripe.coupons.list({ expand: ['data.applies_to'] })).data
    expect(coupon?.applies_to?.products).toEqual(['rc_p'])
    expect((await stack.service.pull()).document.coupons?.[0]?.applies_to).toEqual(['p'])
  })

  test('a promotion code can be deactivated and reactivated without being replaced', async () => {
    await stack.service.push(promo({}), nobody)
    const [first] = await codes()
    await stack.service.push(promo({}, { active: false }), nobody)
    expect((await codes()).map((code) => [code.id, code.active])).toEqual([[first?.id, false]])
    await stack.service.push(promo({}), nobody)
    expect((await codes()).map((code) => [code.id, code.active])).toEqual([[first?.id, true]])
  })

  test('two promotion codes can exchange their texts in one push', async () => {
    const two = (a: string, b: string): BillingConfig => ({
      ...base,
      coupons: [{ id: 'deal', duration: 'once', percent_off: 10 }],
      promotion_codes: [
        { id: 'one', code: a, coupon: 'deal' },
        { id: 'two', code: b, coupon: 'deal' },
      ],
    })
    await stack.service.push(two('AAA', 'BBB'), nobody)
    await stack.service.push(two('BBB', 'AAA'), nobody)
    expect(
      (await codes())
        .filter((code) => code.active)
        .map((code) => code.code)
        .sort(),
    ).toEqual(['AAA', 'BBB'])
    expect((await stack.service.push(two('BBB', 'AAA'), nobody)).status).toBe('unchanged')
  })
})

describe('meters in a push:', () => {
  const metered = (meter: Partial<Meter>): BillingConfig => ({
    version: '1.0.0',
    meters: [{ id: 'calls', display_name: 'Calls', event_name: 'call', ...meter }],
    products: [
      {
        id: 'p',
        name: 'P',
        prices: [{ id: 'usage', amount: 5, currency: 'usd', interval: 'month', usage_type: 'metered', meter: 'calls' }],
      },
    ],
  })

  test('a changed aggregation creates a new meter, and its prices are moved to the new meter', async () => {
    await stack.service.push(metered({}), nobody)
    const outcome = await stack.service.push(metered({ default_aggregation: { formula: 'last' } }), nobody)
    expect(outcome.changes).toMatchObject({ meters: { updated: ['calls'] }, prices: { updated: ['usage'] } })
    const active = (await stack.stripe.billing.meters.list({ status: 'active' })).data
    expect(active.map((meter) => meter.default_aggregation.formula)).toEqual(['last'])
    const [price] = (await stack.stripe.prices.list({ active: true })).data
    expect(price?.recurring?.meter).toBe(active[0]?.id)
  })

  test('a meter that is removed from the document and added again is reactivated, not created again', async () => {
    await stack.service.push(metered({}), nobody)
    const [first] = (await stack.stripe.billing.meters.list()).data
    const gone = await stack.service.push({ ...base, version: '1.1.0' }, nobody)
    expect(gone.changes.meters.deactivated).toEqual(['calls'])
    await stack.service.push({ ...metered({}), version: '1.2.0' }, nobody)
    expect((await stack.stripe.billing.meters.list()).data.map((meter) => [meter.id, meter.status])).toEqual([
      [first?.id, 'active'],
    ])
  })

  test('an active unmanaged meter with the same event name is adopted if its aggregation is the same, and refused otherwise', async () => {
    const theirs = await stack.stripe.billing.meters.create({
      display_name: 'Theirs',
      event_name: 'call',
      default_aggregation: { formula: 'sum' },
    })
    await expect(
      stack.service.push(metered({ default_aggregation: { formula: 'count' } }), nobody),
    ).rejects.toMatchObject({
      code: 'plan_refused',
      issues: [{ code: 'meter_event_name_taken', pointer: '#/meters/0/event_name' }],
    })
    const outcome = await stack.service.push(metered({}), nobody)
    expect(outcome.details.find((detail) => detail.kind === 'meter')).toMatchObject({
      action: 'adopt',
      processorIdAfter: theirs.id,
    })
    expect((await stack.stripe.billing.meters.list()).data).toHaveLength(1)
  })
})
