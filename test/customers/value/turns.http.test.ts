// The law of value for a session that changes its interval to and fro: what it got is paid for.
import { beforeAll, describe, expect, it } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { admin } from '../../support/app.ts'
import { mirrored, mirrorSettings } from '../../support/mirror.ts'
import { startChangingShop, type ChangingShop, type Subscriber } from '../../support/shop/changing-shop.ts'
import { startedForAll } from '../../support/started.ts'

const usd = { currency: 'usd' } as const
const grants = { grants_credit: { amount: 5000 } } as const
const document: BillingConfig = {
  version: '1.0.0',
  meters: [{ id: 'calls', display_name: 'Calls', event_name: 'call' }],
  products: [
    {
      id: 'pro',
      name: 'Pro',
      subscription_group: 'plan',
      prices: [
        { id: 'pro_month', amount: 1000, ...usd, interval: 'month', ...grants },
        { id: 'pro_year', amount: 12_000, ...usd, interval: 'year', ...grants },
        { id: 'seat_month', amount: 1000, ...usd, interval: 'month', ...grants },
        { id: 'seat_year', amount: 10_000, ...usd, interval: 'year', ...grants },
      ],
    },
    {
      id: 'team',
      name: 'Team',
      subscription_group: 'plan',
      prices: [{ id: 'team_year', amount: 24_000, ...usd, interval: 'year', ...grants }],
    },
  ],
}

const shop = startedForAll(() => startChangingShop({ mirror: mirrorSettings }, document))
const to = (price: string, quantity = 1) => ({ items: [{ price_id: price, quantity }] })

/** Changes as a browser would: a preview, then the change. */
async function turn({ askOwn }: Subscriber, body: object) {
  const shown = await askOwn('preview', body)
  return shown['status'] === 200 ? askOwn('change', { ...body, preview: shown['preview'] as string }) : shown
}

/** Amounts of the credits of a tenant, largest first. */
async function credits(test: ChangingShop, tenant: string): Promise<readonly number[]> {
  await mirrored(test)
  await test.service.waitingJobs.continueDue()
  await mirrored(test)
  const answer = await test.asAdmin({ url: `${admin}/tenants/${tenant}/credits` })
  const { credits: made } = answer.json<{ credits: readonly { amount: number }[] }>()
  return made.map(({ amount }) => amount).sort((a, b) => b - a)
}

describe('a session that changes from a month to a year', () => {
  let buyer: Subscriber
  beforeAll(async () => {
    buyer = await shop.subscriber('turner', { pro_month: 1 })
    expect(await credits(shop, 'turner')).toEqual([5000])
  })

  it('is granted credit for what the year costs beyond the month that is taken back', async () => {
    expect(await turn(buyer, to('pro_year'))).toMatchObject({ status: 'changed', due_now: { amount: 11_000 } })
    // floor(5000 × (12,000 − 1,000) ÷ 12,000)
    expect(await credits(shop, 'turner')).toEqual([5000, 4583])
  })

  it('cannot begin another period before this one ends: back to the month is scheduled, and now is refused', async () => {
    expect(await buyer.askOwn('preview', { ...to('pro_month'), when: 'now' })).toMatchObject({
      status: 403,
      code: 'not_allowed',
      detail: expect.stringContaining('has begun the current period already') as string,
    })
    expect(await turn(buyer, to('pro_month'))).toMatchObject({ status: 'scheduled', due_now: { amount: 0 } })
    expect(await credits(shop, 'turner')).toEqual([5000, 4583])
  })

  it('changes within its interval at once, and a service key begins a period at any time', async () => {
    await buyer.askOwn('resume')
    expect(await turn(buyer, to('team_year'))).toMatchObject({ status: 'changed' })
    expect(await buyer.ask('preview', { ...to('pro_month'), when: 'now' })).toMatchObject({ when: 'now' })
  })

  it('begins a period again after the one that it began has ended', async () => {
    await buyer.pass(367)
    const month = await buyer.ask('change', { ...to('pro_month'), when: 'now' })
    expect(month).toMatchObject({ status: 'changed' })
    expect(await buyer.askOwn('preview', to('pro_year'))).toMatchObject({ when: 'now' })
  })
})

it('a session that raises its quantity at each change of the interval pays for each period', async () => {
  const buyer = await shop.subscriber('raiser', { seat_month: 1 })
  const answers = []
  for (const [price, quantity] of [
    ['seat_year', 2],
    ['seat_month', 20],
    ['seat_year', 3],
    ['seat_month', 40],
  ] as const)
    answers.push((await turn(buyer, to(price, quantity)))['status'])
  expect(answers).toEqual(['changed', 'scheduled', 'changed', 'scheduled'])
  const paid = (await buyer.totals()).reduce((sum, total) => sum + total, 0)
  const granted = (await credits(shop, 'raiser')).reduce((sum, amount) => sum + amount, 0)
  // Every dollar of the month grants five, every dollar of the year a half.
  expect(granted).toBeLessThanOrEqual(1000 * 5 + (paid - 1000) / 2)
})

it('a session that moves on to another product of the same interval still cannot begin a second period', async () => {
  const buyer = await shop.subscriber('mover', { pro_month: 1 })
  expect(await turn(buyer, to('pro_year'))).toMatchObject({ status: 'changed' })
  expect(await turn(buyer, to('team_year'))).toMatchObject({ status: 'changed' })
  // It costs more a month, so that only the begun period keeps it from taking effect at once.
  expect(await buyer.askOwn('preview', to('seat_month', 40))).toMatchObject({ when: 'period_end' })
})

it('a change of the interval whose payment was declined began no period', async () => {
  const buyer = await shop.subscriber('declined', { pro_month: 1 })
  const cards = async () => (await shop.stripe.paymentMethods.list({ customer: buyer.customer })).data
  const [good] = await cards()
  await shop.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: buyer.customer })
  const failing = (await cards()).find(({ id }) => id !== good?.id)
  const payWith = (card = '') => shop.stripe.subscriptions.update(buyer.subscription, { default_payment_method: card })
  await payWith(failing?.id)
  expect(await turn(buyer, to('pro_year'))).toMatchObject({ status: 'payment_required' })
  await buyer.askOwn('resume')
  await payWith(good?.id)
  expect(await turn(buyer, to('pro_year'))).toMatchObject({ status: 'changed' })
})

it('a session changes to at most 1,000 of a price, or to as many as it has', async () => {
  const buyer = await shop.subscriber('crowd', { seat_month: 1 })
  expect(await buyer.askOwn('preview', to('seat_month', 1001))).toMatchObject({
    status: 422,
    code: 'quantity_invalid',
    errors: [{ pointer: '#/items/0/quantity' }],
  })
  expect(await buyer.askOwn('preview', to('seat_month', 1000))).toMatchObject({ status: 200, when: 'now' })
  expect(await buyer.ask('change', to('seat_month', 5000))).toMatchObject({ status: 'changed' })
  expect(await buyer.askOwn('preview', to('seat_year', 5000))).toMatchObject({ status: 200 })
})

it('credit beyond what was paid is named by the checks of the service', async () => {
  await shop.subscriber('too_much', { pro_month: 1 })
  expect(await credits(shop, 'too_much')).toEqual([5000])
  const check = async () => {
    const { findings } = (await shop.asAdmin({ url: `${admin}/doctor` })).json<{
      findings: { check: string; detail: string }[]
    }>()
    return findings.find((one) => one.check === 'credits')
  }
  expect(await check()).toMatchObject({ status: 'ok' })
  const grants = (await shop.stripe.billing.creditGrants.list({ limit: 100 })).data
  const grant = grants.find(({ amount }) => amount.monetary?.value === 5000)
  await shop.stripe.billing.creditGrants.create({
    ...{
      customer: String(grant?.customer),
      category: 'paid',
      amount: { type: 'monetary', monetary: { value: 700, currency: 'usd' } },
    },
    applicability_config: { scope: { price_type: 'metered' } },
    metadata: grant?.metadata ?? {},
  })
  await mirrored(shop)
  expect(await check()).toMatchObject({
    status: 'warning',
    detail: expect.stringContaining('$57.00 in place of $50.00') as string,
  })
})

it('a year that is taken back for months is granted once, although its balance pays the months', async () => {
  const buyer = await shop.subscriber('back_to_months', { pro_year: 1 })
  expect(await credits(shop, 'back_to_months')).toEqual([5000])
  expect(await turn(buyer, to('pro_month'))).toMatchObject({ status: 'changed', due_now: { amount: 0 } })
  for (let month = 0; month < 3; month++) {
    await buyer.pass(31)
    expect(await credits(shop, 'back_to_months')).toEqual([5000])
  }
})
