// An upgrade takes a scheduled downgrade off. If the upgrade is never made, the downgrade is scheduled again.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { begin, day, planDocument, startChangingShop } from '../../support/shop/changing-shop.ts'
import type { Answer, ChangingShop, Subscriber } from '../../support/shop/changing-shop.ts'

const clock = { ms: Date.UTC(2031, 3, 1) }
let shop: ChangingShop
beforeAll(async () => {
  shop = await startChangingShop(
    { clock: { now: () => clock.ms } },
    planDocument('1.0.0', ({ products }) => {
      products.push({
        id: 'max',
        name: 'Max',
        subscription_group: 'plan',
        prices: [{ id: 'max', amount: 12_000, currency: 'usd', interval: 'month' }],
      })
    }),
  )
})
afterAll(() => shop.close())
beforeEach(() => {
  clock.ms += 24 * 60 * 60_000
})

const monthEnd = new Date((begin + 30 * day) * 1000).toISOString()
const toBasic = { items: [{ price_id: 'basic' }], promotion_code: 'THIRD' }
const toMax = { items: [{ price_id: 'max' }] }
const scheduled = { at: monthEnd, items: [{ price_id: 'basic', quantity: 1 }] }

async function shownOf({ tenant }: Subscriber): Promise<Answer> {
  const { subscriptions } = await shop.service.tenantSubscriptions(tenant)
  return subscriptions[0] ?? {}
}

const scheduledOf = async (buyer: Subscriber) => {
  const { scheduled: change } = (await shownOf(buyer)) as {
    scheduled: { at: number; items: { priceId: string; quantity: number }[] } | null
  }
  if (change === null) return null
  const items = change.items.map(({ priceId, quantity }) => ({ price_id: priceId, quantity }))
  return { at: new Date(change.at).toISOString(), items }
}

async function card({ customer }: Subscriber, method: string): Promise<void> {
  const { id } = await shop.stripe.paymentMethods.attach(method, { customer })
  await shop.stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } })
}

/** A tenant with a scheduled downgrade with a promotion code, whose card is declined from now on. */
async function downgrading(id: string): Promise<Subscriber> {
  const buyer = await shop.subscriber(id, { pro: 1 })
  expect(await buyer.change(toBasic)).toMatchObject({ status: 'scheduled' })
  await card(buyer, 'pm_card_chargeCustomerFail')
  return buyer
}

/** Lets the minutes pass after which the service looks for schedules to put back. */
async function later(): Promise<void> {
  clock.ms += 10 * 60_000
  await shop.service.waitingJobs.continueDue()
}

describe('an upgrade that replaces a scheduled downgrade, and whose payment is declined', () => {
  test('has a warning in its preview that the downgrade is restored if the payment fails', async () => {
    const buyer = await downgrading('told')
    expect((await buyer.ask('preview', toMax))['warnings']).toMatchObject([
      { code: 'replaces_scheduled', detail: expect.stringContaining('is put back') as string },
    ])
  })

  test('is followed by the restored downgrade once the unpaid invoice of the upgrade expires', async () => {
    const buyer = await downgrading('expired')
    expect(await buyer.change(toMax)).toMatchObject({ status: 'payment_required' })
    await later()
    expect(await scheduledOf(buyer)).toBe(null)
    await buyer.pass(1)
    await later()
    expect(await scheduledOf(buyer)).toEqual(scheduled)
    await later()
    await card(buyer, 'pm_card_visa')
    await buyer.pass(31)
    expect(await buyer.items()).toEqual({ basic: 1 })
    expect((await buyer.totals()).at(-1)).toBe(2010)
    expect(await shop.store.jobs.unfinished('subscription_change', 'expired')).toEqual([])
  })

  test('is given up by `resume`, which restores the downgrade; a second `resume` removes the downgrade', async () => {
    const buyer = await downgrading('resumed')
    await buyer.change(toMax)
    expect(await buyer.ask('resume')).toMatchObject({ status: 'active', scheduled })
    expect(await buyer.ask('resume')).toMatchObject({ scheduled: null })
    await card(buyer, 'pm_card_visa')
    await buyer.pass(31)
    expect(await buyer.items()).toEqual({ pro: 1 })
  })

  test('replaces the downgrade permanently once the invoice of the upgrade is paid', async () => {
    const buyer = await downgrading('paid')
    await buyer.change(toMax)
    await card(buyer, 'pm_card_visa')
    const invoice = (await shop.stripe.invoices.list({ customer: buyer.customer })).data[0]
    await shop.stripe.invoices.pay(invoice?.id ?? '')
    await later()
    expect(await scheduledOf(buyer)).toBe(null)
    await buyer.pass(31)
    expect(await buyer.items()).toEqual({ max: 1 })
  })

  test('leaves no unfinished job if the subscription is cancelled before the payment', async () => {
    const buyer = await downgrading('left')
    await buyer.change(toMax)
    expect(await buyer.ask('cancel', { when: 'now' })).toMatchObject({ status: 'canceled' })
    expect(await shop.store.jobs.unfinished('subscription_change', 'left')).toEqual([])
  })

  test('is followed by the restored downgrade before another change is decided, so a preview from before the restoration is stale', async () => {
    const buyer = await downgrading('next')
    await buyer.change(toMax)
    await buyer.pass(1)
    await card(buyer, 'pm_card_visa')
    // The first of both finds the schedule put back, which the preview could not know.
    expect(await buyer.change(toMax)).toMatchObject({ status: 409, code: 'preview_stale' })
    expect(await scheduledOf(buyer)).toEqual(scheduled)
    expect(await buyer.change(toMax)).toMatchObject({ status: 'changed' })
    expect(await scheduledOf(buyer)).toBe(null)
  })

  test('restores the downgrade for the end of the next period if the date of the downgrade has passed', async () => {
    const buyer = await downgrading('late')
    await buyer.pass(29.5)
    await buyer.change(toMax)
    await card(buyer, 'pm_card_visa')
    await buyer.pass(1)
    await later()
    expect(await scheduledOf(buyer)).toMatchObject({ items: scheduled.items })
    await buyer.pass(31)
    expect(await buyer.items()).toEqual({ basic: 1 })
  })
})

describe('a change that the processor refuses after the service released the subscription’s schedule', () => {
  test.each([
    { title: 'an upgrade', asked: toMax },
    { title: 'a change to another plan of the same price', asked: { items: [{ price_id: 'max' }], proration: 'none' } },
  ])('restores the schedule: $title', async ({ title, asked }) => {
    const id = `refused-${title.replaceAll(' ', '-')}`
    const buyer = await downgrading(id)
    await card(buyer, 'pm_card_visa')
    const shown = await buyer.ask('preview', asked)
    const path = `/v1/subscriptions/${buyer.subscription}`
    shop.sandbox.control.fail({ kind: 'rate_limit', method: 'POST', path, count: null })
    const body = { ...asked, preview: shown['preview'] as string }
    expect((await buyer.ask('change', body)).status).toBeGreaterThanOrEqual(400)
    shop.sandbox.control.clearFaults()
    expect(await scheduledOf(buyer)).toEqual(scheduled)
    expect(await shop.store.jobs.unfinished('subscription_change', id)).toEqual([])
    expect(await buyer.ask('change', body)).toMatchObject({ code: 'preview_stale' })
    expect(await buyer.change(asked)).toMatchObject({ status: 'changed' })
  })

  test('restores the schedule in a later run if the processor refuses the new schedule as well', async () => {
    const buyer = await downgrading('unavailable')
    shop.sandbox.control.fail({ kind: 'rate_limit', method: 'POST', path: '/v1/subscription_schedules', count: null })
    const path = `/v1/subscriptions/${buyer.subscription}`
    shop.sandbox.control.fail({ kind: 'rate_limit', method: 'POST', path, count: null })
    expect((await buyer.change(toMax)).status).toBeGreaterThanOrEqual(400)
    shop.sandbox.control.clearFaults()
    expect(await scheduledOf(buyer)).toBe(null)
    await later()
    expect(await scheduledOf(buyer)).toEqual(scheduled)
  })

  test('restores the schedule also if the change is a cancellation', async () => {
    const buyer = await downgrading('cancelling')
    const path = `/v1/subscriptions/${buyer.subscription}`
    shop.sandbox.control.fail({ kind: 'rate_limit', method: 'POST', path, count: null })
    expect((await buyer.ask('cancel')).status).toBeGreaterThanOrEqual(400)
    shop.sandbox.control.clearFaults()
    expect(await scheduledOf(buyer)).toEqual(scheduled)
  })
})
