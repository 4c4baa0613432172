// Changes that touch only metered items. In flexible billing mode the processor bills the usage until now with the change.
import { expect, onTestFinished, test } from 'vitest'
import { admin, billing } from '../../support/app.ts'
import { begin, day, planDocument, startChangingShop, type Subscriber } from '../../support/shop/changing-shop.ts'
import { payingCustomer } from '../../support/shop/paying-customer.ts'
import { startedForAll } from '../../support/started.ts'

const withTwoUsagePrices = planDocument('1.0.0', ({ products }) => {
  const usage = products.find(({ id }) => id === 'usage')
  usage?.prices?.push({
    ...{ id: 'usage_hi', amount: 5, currency: 'usd', interval: 'month', usage_type: 'metered', meter: 'calls' },
  })
})

const shop = startedForAll(() => startChangingShop({}, withTwoUsagePrices))

const flexible = { billing_mode: { type: 'flexible' } } as const
const higher = { items: [{ price_id: 'usage_hi' }], replaces: 'usage' }

/** Reports 100 calls on the fifth day. */
async function report({ customer }: Subscriber) {
  await shop.stripe.billing.meterEvents.create({
    event_name: 'call',
    payload: { stripe_customer_id: customer, value: '100' },
    timestamp: begin + 5 * day,
  })
}

/** Lets ten days pass, with 100 calls on the fifth. */
async function use(buyer: Subscriber) {
  await buyer.pass(10)
  await report(buyer)
}

test('a change between metered prices shows the usage so far as due now, and bills exactly that amount', async () => {
  const buyer = await shop.subscriber('swap', { basic: 1, usage: null }, flexible)
  await use(buyer)
  expect(await buyer.change(higher)).toMatchObject({
    ...{ status: 'changed', due_now: { amount: 200 }, next_invoice: { amount: 3000 } },
    warnings: [{ code: 'usage_apart' }],
  })
  expect([await buyer.items(), await buyer.totals()]).toEqual([{ basic: 1, usage_hi: null }, [3000, 200]])
})

test('the immediate removal of a metered item shows the usage so far as due now, and bills exactly that amount', async () => {
  const buyer = await shop.subscriber('gone', { basic: 1, usage: null }, flexible)
  await use(buyer)
  const gone = await buyer.change({ items: [], replaces: 'usage', when: 'now' })
  expect(gone).toMatchObject({ status: 'changed', due_now: { amount: 200 }, next_invoice: { amount: 3000 } })
  expect([await buyer.items(), await buyer.totals()]).toEqual([{ basic: 1 }, [3000, 200]])
})

test('a change succeeds although usage was reported after its preview, and bills that usage too', async () => {
  const buyer = await shop.subscriber('steady', { basic: 1, usage: null }, flexible)
  await use(buyer)
  const shown = await buyer.ask('preview', higher)
  expect(shown).toMatchObject({ due_now: { amount: 200 } })
  await report(buyer)
  const body = { ...higher, preview: shown['preview'] as string }
  expect(await buyer.ask('change', body)).toMatchObject({ status: 'changed', due_now: { amount: 400 } })
  expect([await buyer.items(), await buyer.totals()]).toEqual([{ basic: 1, usage_hi: null }, [3000, 400]])
})

test('a change is refused as stale if the customer’s balance, not only the usage, has changed since the preview', async () => {
  const buyer = await shop.subscriber('credited', { basic: 1, usage: null }, flexible)
  await use(buyer)
  const shown = await buyer.ask('preview', higher)
  await report(buyer)
  await shop.stripe.customers.update(buyer.customer, { balance: 50 })
  const body = { ...higher, preview: shown['preview'] as string }
  expect(await buyer.ask('change', body)).toMatchObject({ code: 'preview_stale' })
  expect(await buyer.items()).toEqual({ basic: 1, usage: null })
})

test('a change between metered prices costs nothing now if there is no usage yet', async () => {
  const buyer = await shop.subscriber('unused', { basic: 1, usage: null }, flexible)
  await buyer.pass(10)
  expect(await buyer.change(higher)).toMatchObject({
    ...{ status: 'changed', due_now: { amount: 0 }, next_invoice: { amount: 3000 } },
  })
  expect([await buyer.items(), await buyer.totals()]).toEqual([{ basic: 1, usage_hi: null }, [3000, 0]])
})

test('a change between metered prices without proration takes effect at the end of the period, so that no usage is lost', async () => {
  const buyer = await shop.subscriber('none', { basic: 1, usage: null }, flexible)
  await use(buyer)
  const unprorated = { ...higher, proration: 'none' }
  expect(await buyer.ask('preview', { ...unprorated, when: 'now' })).toMatchObject({ code: 'change_invalid' })
  expect(await buyer.change(unprorated)).toMatchObject({ status: 'scheduled', due_now: { amount: 0 } })
  await buyer.pass(31)
  expect([await buyer.items(), await buyer.totals()]).toEqual([{ basic: 1, usage_hi: null }, [3000, 3200]])
})

test('a change that bills only usage takes effect at the time of its preview, not at the time of the usage', async () => {
  const start = Date.now()
  const later = await startChangingShop({ clock: { now: () => start + day * 1000 } }, withTwoUsagePrices)
  onTestFinished(() => later.close())
  const customer = await payingCustomer(later.stripe, { name: 'no test clock' })
  await later.asAdmin({
    ...{ method: 'POST', url: `${admin}/tenants` },
    payload: { id: 't', name: 'T', processor_customer_id: customer },
  })
  await later.stripe.subscriptions.create({ customer, ...flexible, items: [{ price: await later.price('usage') }] })
  const preview = await later.asAdmin({
    ...{ method: 'POST', url: `${billing}/subscription/preview` },
    payload: { tenant_id: 't', ...higher },
  })
  const { effective_at: begins } = preview.json<{ readonly effective_at: string }>()
  expect(Date.parse(begins)).toBe(start + day * 1000)
})

test('a change of the quantity bills no usage, and its preview does not say that it does', async () => {
  const buyer = await shop.subscriber('seats', { basic: 3, usage: null }, flexible)
  await use(buyer)
  const more = { items: [{ price_id: 'basic', quantity: 5 }] }
  // 20 of 30 days are left for two more seats; the 100 calls are billed with the renewal.
  expect(await buyer.change(more)).toMatchObject({
    ...{ status: 'changed', due_now: { amount: 4000 }, next_invoice: { amount: 15_200 }, warnings: [] },
  })
  await buyer.pass(21)
  expect(await buyer.totals()).toEqual([9000, 4000, 15_200])
})

test('a preview says what the balance of the customer pays, and what the change gives to it', async () => {
  const buyer = await shop.subscriber('yearly', { pro_yearly: 1 })
  await buyer.pass(183)
  const monthly = await buyer.change({ items: [{ price_id: 'basic' }], when: 'now' })
  // 183 of 366 days are left: 366.00 − 30.00 for the month that begins.
  expect(monthly).toMatchObject({
    due_now: { amount: 0, balance: 0, balance_applied: -33_600 },
    next_invoice: { amount: 0, balance: 33_600, balance_applied: 3000 },
  })
  const { balance } = (await shop.stripe.customers.retrieve(buyer.customer)) as { balance: number }
  expect(balance).toBe(-33_600)
})

test('what a preview says of a month is less the discounts that last, and not less those that end', async () => {
  const { id: once } = await shop.stripe.coupons.create({ percent_off: 50, duration: 'once' })
  const { id: fixed } = await shop.stripe.coupons.create({ amount_off: 500, currency: 'usd', duration: 'forever' })
  const monthly = async (id: string, coupon: string) => {
    const buyer = await shop.subscriber(id, { basic: 2 }, { discounts: [{ coupon }] })
    const preview = await buyer.ask('preview', { items: [{ price_id: 'pro' }] })
    return [preview['monthly'].before[0].amount, preview['monthly'].after[0].amount] as const
  }
  expect(await monthly('third', 'third')).toEqual(['4020', '12060'])
  expect(await monthly('fixed', fixed)).toEqual(['5500', '17500'])
  expect(await monthly('once', once)).toEqual(['6000', '18000'])
})
