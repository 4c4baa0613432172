// Discounts of running subscriptions: given, taken away, and what becomes of those that run already.
import { describe, expect, test } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import type { FaultKind } from '../../../packages/sandbox/src/control/faults.ts'
import { startedForEach } from '../../support/started.ts'
import { nobody } from '../../support/stack.ts'
import { caller, startWorld } from '../tenants/world.ts'
import type { NewDiscount } from '../../../packages/ratecard/src/api/customers/discounts.ts'

const usd = { currency: 'usd' } as const
const monthly = (id: string, amount: number) => ({ id, amount, interval: 'month' as const, ...usd })

/** A product with a plan, another one, and a coupon or code for each limit. */
function shop(version = '1.0.0'): BillingConfig {
  return {
    version,
    products: [
      { id: 'team', name: 'Team', prices: [monthly('team_monthly', 10_000)] },
      { id: 'storage', name: 'Storage', prices: [monthly('storage_monthly', 500)] },
    ],
    coupons: [
      { id: 'fifth', percent_off: 20, duration: 'forever' },
      { id: 'quarter_year', percent_off: 50, duration: 'repeating', duration_in_months: 3 },
      { id: 'fifty', amount_off: 5000, ...usd, duration: 'once' },
      { id: 'euros', amount_off: 5000, currency: 'eur', duration: 'once' },
      { id: 'for_storage', percent_off: 10, duration: 'forever', applies_to: ['storage'] },
      { id: 'twice', percent_off: 10, duration: 'forever', max_redemptions: 1 },
    ],
    promotion_codes: [
      { id: 'code_half', code: 'HALF', coupon: 'quarter_year' },
      { id: 'code_big', code: 'BIG', coupon: 'fifth', minimum_amount: 100, minimum_amount_currency: 'usd' },
      { id: 'code_first', code: 'FIRST', coupon: 'fifth', first_time_transaction: true },
    ],
  }
}

const tenant = { id: 'acme', name: 'Acme', email: 'a@acme.example' }
let worlds = 0
const world = startedForEach(async () => {
  const secretKey = `sk_test_discounts${String(process.pid)}x${String(++worlds)}`
  const started = await startWorld({ document: shop(), tenant, secretKey })
  await started.pay((await started.buy('acme', 'team_monthly')).url)
  return { ...started, secretKey }
})

const keyed = (idempotencyKey: string | null = null) => ({ ...caller, idempotencyKey })
const add = (discount: NewDiscount, key: string | null = null) =>
  world.service.addDiscount('acme', discount, keyed(key))
const remove = (id: string, key: string | null = null) => world.service.removeDiscount('acme', id, keyed(key))
const list = () => world.service.tenantDiscounts('acme')
const subscription = async () => {
  const { data } = await world.stripe.subscriptions.list({ expand: ['data.discounts'] })
  const [found] = data.filter(({ items }) => items.data[0]?.price.unit_amount === 10_000)
  if (found === undefined) throw new Error('the tenant has no subscription')
  return found
}
const nextTotal = async () => (await world.service.upcomingInvoices('acme'))[0]?.total
const advance = (days: number) => world.sandbox.control.advance(days * 86_400, world.secretKey)
const actions = async () =>
  (await world.service.tenantAudit('acme', { limit: 20, offset: 0 })).items
    .filter(({ action }) => action.startsWith('discount_'))
    .map(({ action }) => action)
const jobs = async () =>
  (await world.service.listJobs({ limit: 20, offset: 0, kind: 'subscription_discount' })).items.map(
    ({ state }) => state,
  )

describe('a discount on a running subscription', () => {
  test('reduces the next invoice, is listed, and is in the audit log', async () => {
    const { id } = await subscription()
    const given = await add({ couponId: 'fifth' })
    expect(given).toEqual({
      id: expect.stringMatching(/^di_/),
      couponId: 'fifth',
      promotionCodeId: null,
      subscription: id,
      endsAt: null,
    })
    expect(await list()).toEqual([given])
    expect(await nextTotal()).toBe(8000)
    const [entry] = (await world.service.tenantAudit('acme', { limit: 1, offset: 0 })).items
    expect(entry).toMatchObject({
      action: 'discount_added',
      author: 'ada',
      result: { coupon_id: 'fifth', subscription: id, discount: { id: given.id } },
    })
    expect(await jobs()).toEqual(['done'])
  })

  test('has a link to the promotion code that was redeemed, whether the request names the code’s id or its text in another case', async () => {
    const given = await add({ promotionCode: 'half' })
    expect(given).toMatchObject({ couponId: 'quarter_year', promotionCodeId: 'code_half' })
    const start = (await subscription()).discounts[0]
    const end = typeof start === 'object' ? start.end : null
    expect(given.endsAt).toBe((end ?? 0) * 1000)
    await remove(given.id)
    expect(await add({ promotionCode: 'code_half' })).toMatchObject({ promotionCodeId: 'code_half' })
  })

  test('does not change the dates of earlier discounts, and neither does its removal', async () => {
    const first = await add({ couponId: 'quarter_year' })
    advance(40)
    const second = await add({ couponId: 'fifth' })
    const third = await add({ couponId: 'fifty' })
    expect(await list()).toEqual([first, second, third])
    await remove(second.id)
    expect(await list()).toEqual([first, third])
    // 50 % of 100.00, then 50.00 off.
    expect(await nextTotal()).toBe(0)
    await remove(third.id)
    await remove(first.id)
    expect(await list()).toEqual([])
    expect(await nextTotal()).toBe(10_000)
    expect(await actions()).toEqual([
      ...Array<string>(3).fill('discount_removed'),
      ...Array<string>(3).fill('discount_added'),
    ])
  })

  test('is shown by a dry run with the next invoice before and after, and the dry run writes nothing', async () => {
    const { id } = await subscription()
    const written = async () => (await world.stripe.events.list({ limit: 1 })).data[0]?.id
    const before = await written()
    expect(await world.service.planDiscount('acme', { couponId: 'fifty' })).toMatchObject({
      dryRun: true,
      couponId: 'fifty',
      subscription: id,
      duration: 'once',
      durationInMonths: null,
      nextInvoice: {
        currency: 'usd',
        before: 10_000,
        beforeFormatted: '$100.00',
        after: 5000,
        afterFormatted: '$50.00',
      },
    })
    expect(await written()).toBe(before)
    expect(await list()).toEqual([])
    const given = await add({ couponId: 'fifth' })
    expect(await world.service.planDiscountRemoval('acme', given.id)).toMatchObject({
      couponId: 'fifth',
      duration: null,
      nextInvoice: { before: 8000, after: 10_000 },
    })
    expect(await list()).toEqual([given])
  })

  test('is added to the subscription that the request names, if the tenant has several', async () => {
    await world.pay((await world.buy('acme', 'storage_monthly')).url)
    const refusal = add({ couponId: 'fifth' })
    await expect(refusal).rejects.toMatchObject({ code: 'discount_invalid', issues: [{ pointer: '#/subscription' }] })
    const { id } = await subscription()
    expect(await add({ couponId: 'fifth', subscription: id })).toMatchObject({ subscription: id })
    await expect(add({ couponId: 'fifth', subscription: 'sub_none' })).rejects.toMatchObject({
      code: 'subscription_not_found',
    })
  })

  test('is kept when a push renames its coupon, and is shown under the new id', async () => {
    const given = await add({ couponId: 'fifth' })
    const renamed = shop('2.0.0')
    const coupons = (renamed.coupons ?? []).map((one) =>
      one.id === 'fifth' ? { ...one, id: 'loyal', previous_ids: ['fifth'] } : one,
    )
    const codes = (renamed.promotion_codes ?? []).map((one) =>
      one.coupon === 'fifth' ? { ...one, coupon: 'loyal' } : one,
    )
    await world.service.push({ ...renamed, coupons, promotion_codes: codes }, { ...nobody, approveImpact: true })
    expect(await list()).toEqual([{ ...given, couponId: 'loyal' }])
    await remove(given.id)
    expect(await add({ couponId: 'fifth' })).toMatchObject({ couponId: 'loyal' })
  })
})

describe('a discount is refused with an error that names the member and the reason if it is', () => {
  const refused = (discount: NewDiscount) => add(discount).catch((error: unknown) => error)

  test.each([
    ['without a coupon and a code', {}, '#/coupon_id', 'needs "coupon_id" or "promotion_code"'],
    ['with both coupon and code', { couponId: 'fifth', promotionCode: 'HALF' }, '#/promotion_code', 'not both'],
    ['of an unknown coupon', { couponId: 'nothing' }, '#/coupon_id', 'There is no coupon "nothing"'],
    ['of an unknown code', { promotionCode: 'nothing' }, '#/promotion_code', 'There is no promotion code "nothing"'],
    [
      'with a coupon in another currency than the subscription',
      { couponId: 'euros' },
      '#/coupon_id',
      'in eur; the subscription',
    ],
    ['with a coupon for other products only', { couponId: 'for_storage' }, '#/coupon_id', 'is for "storage"'],
    ['with a code that has a minimum amount', { promotionCode: 'BIG' }, '#/promotion_code', 'minimum amount'],
  ] as const)('%s', async (_what, discount, pointer, reason) => {
    const before = world.writes()
    expect(await refused(discount)).toMatchObject({
      code: 'discount_invalid',
      status: 422,
      message: expect.stringContaining(reason) as string,
      issues: [{ pointer }],
    })
    expect(world.writes()).toBe(before)
    expect(await jobs()).toEqual([])
  })

  test('of a coupon whose redemptions are used up', async () => {
    await add({ couponId: 'twice' })
    await world.service.createTenant({ id: 'other', name: 'Other' }, caller)
    await world.pay((await world.buy('other', 'team_monthly')).url)
    await expect(world.service.addDiscount('other', { couponId: 'twice' }, keyed())).rejects.toMatchObject({
      code: 'discount_invalid',
      message: 'The coupon was used 1 times, which is its limit.',
    })
  })

  test('of a code for first payments only, with the processor’s message', async () => {
    await expect(add({ promotionCode: 'FIRST' })).rejects.toMatchObject({
      code: 'processor_rejected',
      message: expect.stringContaining('prior transactions') as string,
    })
    expect(await jobs()).toEqual(['failed'])
    expect(await list()).toEqual([])
  })

  test('of a coupon that is already on the subscription', async () => {
    const given = await add({ couponId: 'fifth' })
    await expect(add({ couponId: 'fifth' })).rejects.toMatchObject({ code: 'conflict', extra: { discount: given.id } })
  })

  test('for a tenant without a paid subscription; the removal of an unknown discount is refused too', async () => {
    await world.service.createTenant({ id: 'none', name: 'None' }, caller)
    await expect(world.service.addDiscount('none', { couponId: 'fifth' }, keyed())).rejects.toMatchObject({
      code: 'subscription_not_found',
    })
    expect(await world.service.tenantDiscounts('none')).toEqual([])
    await world.service.createTenant({ id: 'gone', name: 'Gone', processorCustomerId: 'cus_gone' }, caller)
    expect(await world.service.tenantDiscounts('gone')).toEqual([])
    await expect(remove('di_none')).rejects.toMatchObject({ code: 'discount_not_found' })
  })
})

describe('a discount on a subscription with a schedule', () => {
  /** Two more phases of the tenant's subscription: the same price, with a coupon of their own, and without any. */
  async function scheduled() {
    const { id, items } = await subscription()
    const { id: schedule, phases } = await world.stripe.subscriptionSchedules.create({ from_subscription: id })
    const [present] = phases
    const price = items.data[0]?.price.id ?? ''
    if (present === undefined) throw new Error('the schedule has no phase')
    const own = await world.stripe.coupons.create({ percent_off: 1, duration: 'forever' })
    const line = [{ price, quantity: 1 }]
    const month = { interval: 'month', interval_count: 1 } as const
    await world.stripe.subscriptionSchedules.update(schedule, {
      end_behavior: 'release',
      phases: [
        { start_date: present.start_date, end_date: present.end_date, items: line },
        { items: line, duration: month, discounts: [{ coupon: own.id }], metadata: { kept: 'yes' } },
        { items: line, duration: month },
      ],
    })
    return schedule
  }
  const phasesOf = async (schedule: string) => (await world.stripe.subscriptionSchedules.retrieve(schedule)).phases

  test('applies to the later phases too, and reduces the invoice of each phase', async () => {
    const schedule = await scheduled()
    const given = await add({ couponId: 'fifth' })
    const phases = await phasesOf(schedule)
    expect(phases.slice(1).map(({ discounts }) => discounts.map((one) => one.discount ?? one.coupon))).toEqual([
      [expect.any(String), given.id],
      [given.id],
    ])
    expect(phases[1]?.metadata).toEqual({ kept: 'yes' })
    advance(70)
    const totals = (await world.stripe.invoices.list()).data.map(({ total }) => total).reverse()
    // 1 % and then 20 % off in the second month.
    expect(totals).toEqual([10_000, 7920, 8000])
  })

  test('is removed from the later phases too', async () => {
    const schedule = await scheduled()
    const given = await add({ couponId: 'fifth' })
    await remove(given.id)
    const phases = await phasesOf(schedule)
    expect(phases.slice(1).map(({ discounts }) => discounts.length)).toEqual([1, 0])
    expect(await list()).toEqual([])
  })
})

describe('a change of the discounts of a tenant', () => {
  test('is made once per idempotency key, and a request with another key makes a second change', async () => {
    const given = await add({ couponId: 'fifth' }, 'once')
    expect(await add({ couponId: 'fifth' }, 'once')).toEqual(given)
    await remove(given.id, 'away')
    await remove(given.id, 'away')
    await expect(remove(given.id, 'again')).rejects.toMatchObject({ code: 'discount_not_found' })
    expect(await actions()).toEqual(['discount_removed', 'discount_added'])
  })

  test('waits for another change of the same tenant, so that all concurrent changes are applied', async () => {
    const ids = ['fifth', 'quarter_year', 'fifty']
    await Promise.all(ids.map((couponId) => add({ couponId })))
    expect((await list()).map(({ couponId }) => couponId).sort()).toEqual([...ids].sort())
  })

  test.each(['close_after', 'error_after', 'cut_body'] as const satisfies readonly FaultKind[])(
    'is found by a retry if the response to the first attempt is lost (%s)',
    async (kind) => {
      world.sandbox.control.fail({ kind, method: 'POST', path: '/v1/subscriptions/*', count: 3 })
      const given = await add({ couponId: 'fifth' })
      expect(await list()).toEqual([given])
      expect(await actions()).toEqual(['discount_added'])
    },
  )

  test('can be requested again after an outage that prevented the processor from receiving it', async () => {
    world.sandbox.control.fail({ kind: 'close_before', method: 'POST', path: '/v1/subscriptions/*', count: null })
    await expect(add({ couponId: 'fifth' }, 'a')).rejects.toMatchObject({
      code: expect.stringMatching(/^processor_/) as string,
    })
    world.sandbox.control.clearFaults()
    const given = await add({ couponId: 'fifth' }, 'a')
    expect(await list()).toEqual([given])
    expect(await actions()).toEqual(['discount_added'])
  })

  test('is completed by a retry if the first attempt stopped between its two writes', async () => {
    const { id } = await subscription()
    const { id: schedule, phases } = await world.stripe.subscriptionSchedules.create({ from_subscription: id })
    const line = [{ price: (await subscription()).items.data[0]?.price.id ?? '', quantity: 1 }]
    await world.stripe.subscriptionSchedules.update(schedule, {
      phases: [
        { start_date: phases[0]?.start_date ?? 0, end_date: phases[0]?.end_date ?? 0, items: line },
        { items: line, duration: { interval: 'month', interval_count: 1 } },
      ],
    })
    world.sandbox.control.fail({
      kind: 'close_before',
      method: 'POST',
      path: '/v1/subscription_schedules/*',
      count: null,
    })
    await expect(add({ couponId: 'fifth' }, 'a')).rejects.toMatchObject({
      code: expect.stringMatching(/^processor_/) as string,
    })
    world.sandbox.control.clearFaults()
    const given = await add({ couponId: 'fifth' }, 'a')
    expect(await list()).toEqual([given])
    const after = (await world.stripe.subscriptionSchedules.retrieve(schedule)).phases
    expect(after[1]?.discounts).toMatchObject([{ discount: given.id }])
  })
})
