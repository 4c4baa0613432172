// Changes that meet other changes, other subscriptions or discounts of the same tenant.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { billing } from '../../support/app.ts'
import { begin, day, planDocument, startChangingShop, type ChangingShop } from '../../support/shop/changing-shop.ts'
import { payPage } from '../../support/shop/pay-page.ts'
import { urls } from '../../support/shop/selling.ts'

let shop: ChangingShop
beforeAll(async () => {
  shop = await startChangingShop()
})
afterAll(() => shop.close())

const basic = { items: [{ price_id: 'basic' }] }
const pro = { items: [{ price_id: 'pro' }] }
const backup = (quantity: number) => ({ items: [{ price_id: 'backup', quantity }] })
const monthEnd = new Date((begin + 30 * day) * 1000).toISOString()

describe('two changes of different products that are scheduled for the same time', () => {
  test('both take effect, and the preview of the second one shows both', async () => {
    const buyer = await shop.subscriber('both', { pro: 1, backup: 5 })
    await buyer.change(basic)
    expect(await buyer.change(backup(2))).toMatchObject({
      status: 'scheduled',
      before: [
        { price_id: 'pro', quantity: 1 },
        { price_id: 'backup', quantity: 5 },
      ],
      after: [
        { price_id: 'basic', quantity: 1 },
        { price_id: 'backup', quantity: 2 },
      ],
      monthly: { before: [{ amount: '12000' }], after: [{ amount: '4200' }] },
      next_invoice: { at: monthEnd, amount: 4200 },
    })
    await buyer.pass(31)
    expect(await buyer.items()).toEqual({ basic: 1, backup: 2 })
    expect(await buyer.totals()).toEqual([12_000, 4200])
  })

  test('can only be revoked together', async () => {
    const buyer = await shop.subscriber('neither', { pro: 1, backup: 5 })
    await buyer.changeOwn(basic)
    await buyer.changeOwn(backup(2))
    expect(await buyer.askOwn('resume')).toMatchObject({ scheduled: null })
    await buyer.pass(31)
    expect(await buyer.items()).toEqual({ pro: 1, backup: 5 })
    expect(await buyer.totals()).toEqual([12_000, 12_000])
  })

  test('block an immediate change until both are revoked, and the error states that', async () => {
    const buyer = await shop.subscriber('blocked', { basic: 1, backup: 5 })
    await buyer.changeOwn(backup(2))
    expect(await buyer.ask('preview', pro)).toMatchObject({
      status: 409,
      code: 'conflict',
      detail: expect.stringContaining(monthEnd) as string,
      hint: expect.stringContaining('POST subscription/resume') as string,
    })
    await buyer.askOwn('resume')
    expect(await buyer.change(pro)).toMatchObject({ status: 'changed', due_now: { amount: 6000 } })
  })
})

describe('a product that the tenant already has in another subscription', () => {
  async function withTwo(id: string) {
    const buyer = await shop.subscriber(id, { basic: 1 })
    const items = [{ price: await shop.price('backup') }]
    const second = await shop.stripe.subscriptions.create({ customer: buyer.customer, items })
    return { buyer, second: second.id }
  }

  test('cannot be added to a second subscription, because the tenant would be billed twice', async () => {
    const { buyer, second } = await withTwo('twice')
    const items = [...pro.items, ...backup(1).items]
    expect(await buyer.askOwn('preview', { subscription: buyer.subscription, items })).toMatchObject({
      status: 409,
      code: 'already_subscribed',
      subscription: second,
      price_id: 'backup',
    })
    expect(await buyer.ask('change', { subscription: buyer.subscription, items })).toMatchObject({
      code: 'already_subscribed',
    })
    expect(await buyer.items()).toEqual({ basic: 1 })
  })

  test('prevents a change of the other subscription to another plan of its group', async () => {
    const { buyer, second } = await withTwo('two-plans')
    expect(await buyer.ask('preview', { ...pro, subscription: second, replaces: 'backup' })).toMatchObject({
      status: 409,
      code: 'already_subscribed',
      subscription: buyer.subscription,
      price_id: 'basic',
    })
  })

  test('can be changed in either subscription if the product was deliberately sold twice', async () => {
    const buyer = await shop.subscriber('on-purpose', { basic: 1 })
    const items = [{ price: await shop.price('basic') }]
    const { id: subscription } = await shop.stripe.subscriptions.create({ customer: buyer.customer, items })
    expect(await buyer.change({ ...pro, subscription })).toMatchObject({ status: 'changed' })
  })
})

test('a plan replaces an add-on that is the tenant’s only product only if the request names the add-on in `replaces`', async () => {
  const buyer = await shop.subscriber('add-on-alone', { backup: 1 })
  expect(await buyer.askOwn('preview', pro)).toMatchObject({
    status: 422,
    code: 'change_invalid',
    errors: [{ pointer: '#/replaces' }],
  })
  expect(await buyer.change({ items: [...pro.items, { price_id: 'backup' }] })).toMatchObject({ status: 'changed' })
  expect(await buyer.items()).toEqual({ backup: 1, pro: 1 })
})

describe('a promotion code', () => {
  test('is refused if its coupon already applies to the subscription, so that discounts do not accumulate', async () => {
    const buyer = await shop.subscriber('collector', { basic: 1 })
    const two = { items: [{ price_id: 'basic', quantity: 2 }], promotion_code: 'THIRD' }
    expect(await buyer.change(two)).toMatchObject({ status: 'changed' })
    const three = { items: [{ price_id: 'basic', quantity: 3 }] }
    expect(await buyer.askOwn('preview', { ...three, promotion_code: 'THIRD' })).toMatchObject({
      status: 409,
      code: 'conflict',
      hint: expect.stringContaining('promotion_code') as string,
    })
    expect((await buyer.live()).discounts).toHaveLength(1)
    expect(await buyer.change(three)).toMatchObject({ next_invoice: { amount: 6030 } })
  })

  test('with a scheduled change is applied once, even if the change is scheduled again', async () => {
    const buyer = await shop.subscriber('repeated', { pro: 1 })
    await buyer.change({ ...basic, promotion_code: 'THIRD' })
    await buyer.change({ items: [{ price_id: 'pro_secret' }], promotion_code: 'THIRD' })
    await buyer.change({ ...basic, promotion_code: 'THIRD' })
    await buyer.pass(31)
    expect(await buyer.totals()).toEqual([9000, 2010])
    expect((await buyer.live()).discounts).toHaveLength(1)
  })

  test('with a scheduled change is dropped when another change replaces the scheduled change', async () => {
    const buyer = await shop.subscriber('changed-mind', { pro: 1 })
    await buyer.change({ ...basic, promotion_code: 'THIRD' })
    await buyer.change({ items: [{ price_id: 'pro_secret' }] })
    await buyer.pass(31)
    expect(await buyer.totals()).toEqual([9000, 4500])
  })

  test('is refused for another item if a scheduled change already has a code of the same coupon', async () => {
    const codes = await startChangingShop(
      {},
      planDocument('1.0.0', (config) => {
        config.promotion_codes?.push({ id: 'spring', code: 'SPRING', coupon: 'third' })
      }),
    )
    onTestFinished(() => codes.close())
    const buyer = await codes.subscriber('twin-codes', { pro: 1, backup: 5 })
    await buyer.change({ ...basic, promotion_code: 'THIRD' })
    expect(await buyer.askOwn('preview', { ...backup(2), promotion_code: 'SPRING' })).toMatchObject({
      status: 409,
      code: 'conflict',
      hint: expect.stringContaining('promotion_code') as string,
    })
    // In place of the scheduled change, the other code takes the place of its code.
    expect(await buyer.change({ items: [{ price_id: 'pro_secret' }], promotion_code: 'SPRING' })).toMatchObject({
      status: 'scheduled',
    })
  })

  test('is refused after ten wrong attempts of a customer, in changes as well as in previews', async () => {
    const buyer = await shop.subscriber('guesser', { basic: 1 })
    const guess = (code: string) => buyer.askOwn('change', { ...pro, preview: 'prv_unknown', promotion_code: code })
    for (let attempt = 0; attempt < 10; attempt++) expect(await guess(`GUESS${attempt}`)).toMatchObject({ status: 422 })
    expect(await guess('THIRD')).toMatchObject({ status: 429, code: 'rate_limited' })
  })

  test('can be added to a change that is already scheduled', async () => {
    const buyer = await shop.subscriber('afterthought', { pro: 1 })
    await buyer.change(basic)
    await buyer.change({ ...basic, promotion_code: 'THIRD' })
    await buyer.pass(31)
    expect(await buyer.totals()).toEqual([9000, 2010])
  })

  test('can be applied in the request that undoes a scheduled change and keeps the plan', async () => {
    const buyer = await shop.subscriber('persuaded', { pro: 1 })
    await buyer.change(basic)
    expect(await buyer.change({ ...pro, promotion_code: 'THIRD' })).toMatchObject({
      ...{ status: 'changed', due_now: { amount: 0 }, next_invoice: { amount: 6030 } },
    })
    expect(await buyer.live()).toMatchObject({ schedule: null, discounts: [expect.any(String)] })
    await buyer.pass(31)
    expect(await buyer.totals()).toEqual([9000, 6030])
  })

  test('is not reported as applied if the processor failed to add its discount to the plan that the customer keeps', async () => {
    const buyer = await shop.subscriber('unlucky', { pro: 1 })
    await buyer.change(basic)
    shop.sandbox.control.fail({
      kind: 'error_before',
      method: 'POST',
      path: `/v1/subscriptions/${buyer.subscription}`,
      count: 20,
    })
    const failed = await buyer.change({ ...pro, promotion_code: 'THIRD' })
    shop.sandbox.control.clearFaults()
    expect([failed.status, (await buyer.live()).discounts]).toEqual([504, []])
  })
})

test('a preview is valid for an equal request, even if its members have another order or a default value is written out', async () => {
  const buyer = await shop.subscriber('orderly', { basic: 1 })
  const { preview } = await buyer.askOwn('preview', { items: [{ price_id: 'basic', quantity: 2 }] })
  const again = { preview, proration: 'prorate', when: 'auto', items: [{ quantity: 2, price_id: 'basic' }] }
  expect(await buyer.askOwn('change', again)).toMatchObject({ status: 'changed' })
})

test('an immediate cancellation bills the usage of the current period', async () => {
  const buyer = await shop.subscriber('heavy-user', { basic: 1, usage: null })
  const payload = { value: '100', stripe_customer_id: buyer.customer }
  await shop.stripe.billing.meterEvents.create({ event_name: 'call', payload })
  await buyer.pass(3)
  expect(await buyer.ask('cancel', { when: 'now' })).toMatchObject({ status: 'canceled' })
  expect(await buyer.totals()).toEqual([3000, 200])
})

describe('several items in one change request', () => {
  test('may omit `replaces` if all items belong to one subscription group', async () => {
    const buyer = await shop.subscriber('grown', { basic: 1, backup: 2 })
    const items = [...pro.items, ...backup(4).items]
    expect(await buyer.change({ items })).toMatchObject({ status: 'changed', due_now: { amount: 6000 + 1200 } })
    expect(await buyer.items()).toEqual({ pro: 1, backup: 4 })
  })

  test('are refused if they would add a second plan of a group beside the current plan', async () => {
    const buyer = await shop.subscriber('greedy', { basic: 1, backup: 1 })
    const asked = { items: [...backup(2).items, ...pro.items], replaces: 'backup' }
    for (const answer of [await buyer.askOwn('preview', asked), await buyer.ask('change', asked)])
      expect(answer).toMatchObject({
        status: 422,
        code: 'change_invalid',
        errors: [{ pointer: '#/items', hint: expect.stringContaining('"basic"') as string }],
      })
    expect(await buyer.items()).toEqual({ basic: 1, backup: 1 })
  })

  test('are refused if they would add a second plan beside the scheduled plan', async () => {
    const buyer = await shop.subscriber('greedy-later', { pro: 1, backup: 3 })
    await buyer.change(basic)
    expect(
      await buyer.ask('preview', { items: [...backup(1).items, { price_id: 'pro_yearly' }], replaces: 'backup' }),
    ).toMatchObject({ status: 422, code: 'change_invalid' })
  })
})

test('a customer session that names a hidden price in "replaces" gets price_not_found if its tenant does not have that price', async () => {
  const buyer = await shop.subscriber('curious', { basic: 1 })
  const guess = (replaces: string) => buyer.askOwn('preview', { ...pro, replaces })
  const answers = [await guess('pro_secret'), await guess('none')]
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 404, code: 'price_not_found', errors: [{ pointer: '#/replaces' }] })
  const owner = await shop.subscriber('owner', { pro_secret: 1 })
  expect(await owner.askOwn('preview', { ...pro, replaces: 'pro_secret' })).toMatchObject({ status: 200, when: 'now' })
})

describe('the previewed next invoice has the amount of the new change, not of the scheduled change that it replaces:', () => {
  const rows = [
    { title: 'an upgrade now', asked: { items: [{ price_id: 'pro_secret', quantity: 3 }] }, due: 4500, next: 13_500 },
    { title: 'another downgrade', asked: { items: [{ price_id: 'pro_secret' }] }, due: 0, next: 4500 },
    {
      title: 'a year from the end of the month on',
      asked: { items: [{ price_id: 'pro_yearly' }], when: 'period_end' },
      ...{ due: 0, next: 73_200 },
    },
    { title: 'a code', asked: { ...basic, promotion_code: 'THIRD' }, due: 0, next: 2010 },
  ]
  test.each(rows)('$title', async ({ title, asked, due, next }) => {
    const buyer = await shop.subscriber(`next-${title.replaceAll(' ', '-')}`, { pro: 1 })
    await buyer.change(basic)
    expect(await buyer.change(asked)).toMatchObject({
      due_now: { amount: due },
      next_invoice: { at: monthEnd, amount: next },
    })
    await buyer.pass(31)
    expect(await buyer.totals()).toEqual([9000, ...(due === 0 ? [] : [due]), next])
  })

  test('an immediate change to a yearly price', async () => {
    const buyer = await shop.subscriber('next-year', { pro: 1 })
    await buyer.change(basic)
    const yearEnd = new Date((begin + 366 * day) * 1000).toISOString()
    expect(await buyer.change({ items: [{ price_id: 'pro_yearly_full' }] })).toMatchObject({
      due_now: { amount: 146_400 - 9000 },
      next_invoice: { at: yearEnd, amount: 146_400 },
    })
    await buyer.pass(40)
    expect(await buyer.totals()).toEqual([9000, 146_400 - 9000])
  })
})

describe('a cancellation', () => {
  test('that takes effect immediately voids the unpaid invoice of an upgrade', async () => {
    const buyer = await shop.subscriber('gone', { basic: 1 })
    const { id } = await shop.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: buyer.customer })
    await shop.stripe.customers.update(buyer.customer, { invoice_settings: { default_payment_method: id } })
    expect(await buyer.change(pro)).toMatchObject({ status: 'payment_required' })
    expect(await buyer.ask('cancel', { when: 'now' })).toMatchObject({ status: 'canceled' })
    const { data } = await shop.stripe.invoices.list({ customer: buyer.customer })
    expect(data.map(({ status }) => status)).toEqual(['void', 'paid'])
  })

  test('at the end of the period is refused while the first invoice is unpaid, and the error names the immediate cancellation', async () => {
    const buyer = await shop.subscriber('unpaid', { backup: 1 })
    const card = await shop.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: buyer.customer })
    const { id: subscription } = await shop.stripe.subscriptions.create({
      ...{ customer: buyer.customer, default_payment_method: card.id, items: [{ price: await shop.price('basic') }] },
    })
    expect(await buyer.ask('cancel', { subscription })).toMatchObject({
      status: 409,
      code: 'conflict',
      hint: expect.stringContaining('"when": "now"') as string,
    })
    expect(await buyer.ask('cancel', { subscription, when: 'now' })).toMatchObject({ id: subscription })
  })
})

test('an open checkout page expires when a subscription change gives the tenant the product of that page', async () => {
  const buyer = await shop.subscriber('two-tabs', { basic: 1 })
  const payload = { tenant_id: 'two-tabs', price_id: 'backup', ...urls }
  const open = async () =>
    (await shop.asAdmin({ method: 'POST', url: `${billing}/checkout`, payload })).json<{ session_id: string }>()
  const { session_id: page } = await open()
  const statusOf = async () => (await shop.stripe.checkout.sessions.retrieve(page)).status
  expect(await buyer.change({ items: [{ price_id: 'basic', quantity: 2 }] })).toMatchObject({ status: 'changed' })
  expect(await statusOf()).toBe('open')
  expect(await buyer.change({ items: [...basic.items, { price_id: 'backup' }] })).toMatchObject({ status: 'changed' })
  expect(await statusOf()).toBe('expired')
})

test('a subscription change is refused if a checkout page for the same product is paid during the change, so that nothing is billed twice', async () => {
  const buyer = await shop.subscriber('paid-meanwhile', { basic: 1 })
  const payload = { tenant_id: 'paid-meanwhile', price_id: 'backup', ...urls }
  const opened = await shop.asAdmin({ method: 'POST', url: `${billing}/checkout`, payload })
  const page = opened.json<{ session_id: string; url: string }>()
  const path = `/v1/checkout/sessions/${page.session_id}/expire`
  const { promise: paid, resolve: pay } = Promise.withResolvers<undefined>()
  shop.sandbox.control.fail({ kind: 'latency', method: 'POST', path, until: paid })
  const changing = buyer.change({ items: [...basic.items, { price_id: 'backup' }] })
  await expect.poll(() => shop.sandbox.control.faults()).toHaveLength(0)
  await payPage(page.url)
  pay(undefined)
  expect(await changing).toMatchObject({ status: 409, code: 'already_subscribed', price_id: 'backup' })
  expect(await buyer.items()).toEqual({ basic: 1 })
})

describe('a product that a subscription’s schedule adds later', () => {
  async function withComing(id: string) {
    const buyer = await shop.subscriber(id, { pro: 1 })
    const items = [{ price: await shop.price('backup') }]
    const second = await shop.stripe.subscriptions.create({ customer: buyer.customer, items })
    const { id: schedule, phases } = await shop.stripe.subscriptionSchedules.create({ from_subscription: second.id })
    const [phase] = phases
    await shop.stripe.subscriptionSchedules.update(schedule, {
      phases: [
        { items, start_date: phase?.start_date ?? 0, end_date: phase?.end_date ?? 0 },
        { items: [{ price: await shop.price('usage') }] },
      ],
    })
    return { buyer, second: second.id }
  }

  test('cannot be bought at a checkout', async () => {
    const { second } = await withComing('bought-later')
    const payload = { tenant_id: 'bought-later', price_id: 'usage', ...urls }
    const refused = await shop.asAdmin({ method: 'POST', url: `${billing}/checkout`, payload })
    expect(refused.json()).toMatchObject({ status: 409, code: 'already_subscribed', subscription: second })
  })

  test('cannot be added to another subscription of the tenant', async () => {
    const { buyer, second } = await withComing('added-later')
    const items = [...pro.items, { price_id: 'usage' }]
    expect(await buyer.askOwn('preview', { subscription: buyer.subscription, items })).toMatchObject({
      status: 409,
      code: 'already_subscribed',
      subscription: second,
    })
  })
})

describe('the previewed next invoice of an immediate change', () => {
  test('is reduced by the credit that remains after the change', async () => {
    const buyer = await shop.subscriber('credited', { pro: 1 })
    const changed = await buyer.change({ ...basic, when: 'now' })
    expect(changed).toMatchObject({ due_now: { amount: 0 }, next_invoice: { amount: 0 } })
    const partly = await shop.subscriber('partly-credited', { pro: 1 })
    await partly.pass(15)
    expect(await partly.change({ items: [{ price_id: 'pro_secret' }], when: 'now' })).toMatchObject({
      due_now: { amount: 0 },
      next_invoice: { amount: 4500 - 2250 },
    })
    await partly.pass(16)
    expect((await shop.stripe.invoices.list({ customer: partly.customer })).data[0]).toMatchObject({
      total: 4500,
      amount_due: 2250,
    })
  })

  test('is not reduced by credit that the change itself uses up', async () => {
    const buyer = await shop.subscriber('saved', { pro: 1 })
    // 60.00 of 90.00 are left as credit.
    await buyer.change({ ...basic, when: 'now' })
    expect(await buyer.change({ items: [{ price_id: 'pro', quantity: 2 }] })).toMatchObject({
      due_now: { amount: 18_000 - 3000 - 6000 },
      next_invoice: { amount: 18_000 },
    })
  })
})
