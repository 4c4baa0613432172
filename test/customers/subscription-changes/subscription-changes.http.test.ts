import { describe, expect, it } from 'vitest'
import { admin, billing } from '../../support/app.ts'
import { processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import { planDocument, startChangingShop } from '../../support/shop/changing-shop.ts'
import { urls } from '../../support/shop/selling.ts'
import { startedForAll } from '../../support/started.ts'

const shop = startedForAll(() => startChangingShop())
const pro = [{ price_id: 'pro' }]
const basic = [{ price_id: 'basic' }]
const renewal = '2031-05-01T00:00:00.000Z'

describe('POST subscription/change', () => {
  it('upgrades immediately at the amount that the preview showed, once per idempotency key', async () => {
    const tenant = await shop.subscriber('upgrading', { basic: 2 })
    await tenant.pass(10)
    const preview = await tenant.ask('preview', { items: pro })
    // 20 of 30 days are left: 2 × (90.00 − 30.00) × 20/30.
    expect(preview).toMatchObject({
      status: 200,
      when: 'now',
      before: [{ price_id: 'basic', quantity: 2 }],
      after: [{ price_id: 'pro', quantity: 2 }],
      due_now: { amount: 8000, currency: 'usd', formatted: '$80.00' },
      next_invoice: { amount: 18_000, at: renewal, lines: [{ price_id: 'pro', quantity: 2 }] },
      monthly: { before: [{ currency: 'usd', amount: '6000' }], after: [{ amount: '18000' }] },
      warnings: [],
    })
    const body = { items: pro, preview: preview['preview'] as string }
    const changed = await tenant.ask('change', body, { 'idempotency-key': 'upgrade' })
    expect(changed).toMatchObject({ status: 'changed', due_now: { amount: 8000 }, preview: preview['preview'] })
    expect([await tenant.items(), await tenant.totals()]).toEqual([{ pro: 2 }, [6000, 8000]])
    expect(await tenant.ask('change', body, { 'idempotency-key': 'upgrade' })).toEqual(changed)
    expect(await tenant.totals()).toEqual([6000, 8000])
  })

  it('makes a downgrade at the end of the period', async () => {
    const tenant = await shop.subscriber('downgrading', { pro: 2 })
    await tenant.pass(10)
    const changed = await tenant.change({ items: basic })
    expect(changed).toMatchObject({
      status: 'scheduled',
      when: 'period_end',
      effective_at: renewal,
      due_now: { amount: 0 },
      next_invoice: { amount: 6000, at: renewal },
    })
    expect(await tenant.items()).toEqual({ pro: 2 })
    const shown = await shop.asAdmin({ url: `${admin}/tenants/downgrading/subscriptions` })
    expect(shown.json().subscriptions).toMatchObject([
      { scheduled: { at: renewal, items: [{ price_id: 'basic', quantity: 2 }] } },
    ])
    await tenant.pass(21)
    expect([await tenant.items(), await tenant.totals()]).toEqual([{ basic: 2 }, [18_000, 6000]])
  })

  it('begins a new period if the interval changes', async () => {
    const tenant = await shop.subscriber('yearly', { pro: 1 })
    await tenant.pass(15)
    const preview = await tenant.ask('preview', { items: [{ price_id: 'pro_yearly_full' }] })
    // 1,464.00 for a year, less half a month of 90.00.
    expect(preview).toMatchObject({
      when: 'now',
      due_now: { amount: 146_400 - 4500 },
      next_invoice: { amount: 146_400, at: '2032-04-16T00:00:00.000Z' },
      monthly: { after: [{ amount: '12200' }] },
    })
    const changed = await tenant.change({ items: [{ price_id: 'pro_yearly_full' }] })
    expect(changed).toMatchObject({ status: 'changed' })
    expect(await tenant.totals()).toEqual([9000, 141_900])
  })

  it('replaces a scheduled downgrade with an upgrade', async () => {
    const tenant = await shop.subscriber('wavering', { pro: 1 })
    expect(await tenant.change({ items: basic })).toMatchObject({ status: 'scheduled' })
    const upgrade = { items: [{ price_id: 'pro_secret', quantity: 3 }] }
    const preview = await tenant.ask('preview', upgrade)
    expect(preview).toMatchObject({ due_now: { amount: 4500 }, warnings: [{ code: 'replaces_scheduled' }] })
    expect(await tenant.change(upgrade)).toMatchObject({ status: 'changed' })
    await tenant.pass(31)
    expect([await tenant.items(), await tenant.totals()]).toEqual([{ pro_secret: 3 }, [9000, 4500, 13_500]])
  })

  it('keeps subscription items of other products', async () => {
    const tenant = await shop.subscriber('with-addon', { basic: 1, backup: 3 })
    await tenant.pass(15)
    expect(await tenant.change({ items: pro })).toMatchObject({ status: 'changed', due_now: { amount: 3000 } })
    expect(await tenant.items()).toEqual({ pro: 1, backup: 3 })
    const more = { items: [{ price_id: 'backup', quantity: 5 }], replaces: 'backup' }
    expect(await tenant.change(more)).toMatchObject({ status: 'changed', due_now: { amount: 600 } })
    const none = { items: [], replaces: 'backup' }
    expect(await tenant.change(none)).toMatchObject({ status: 'scheduled', next_invoice: { amount: 9000 } })
  })

  it('changes a tenant with a deal to the negotiated price', async () => {
    const tenant = await shop.subscriber('golden', { basic: 1 })
    const deal = { tenant_id: 'golden', enterprise_template: 'gold' }
    await shop.asAdmin({ method: 'POST', url: `${admin}/enterprise/apply-template`, payload: deal })
    expect(await tenant.change({ items: pro })).toMatchObject({
      after: [{ price_id: 'pro_gold' }],
      due_now: { amount: 3000 },
    })
    expect(await tenant.items()).toEqual({ pro_gold: 1 })
  })

  it('does not change the subscription before the payment if the card is declined', async () => {
    const tenant = await shop.subscriber('declined', { basic: 1 })
    const { id } = await shop.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: tenant.customer })
    await shop.stripe.customers.update(tenant.customer, { invoice_settings: { default_payment_method: id } })
    const outcome = await tenant.change({ items: pro })
    expect(outcome).toMatchObject({ status: 'payment_required', url: expect.stringMatching(/^http/) })
    expect(await tenant.items()).toEqual({ basic: 1 })
    expect(await tenant.ask('preview', { items: pro })).toMatchObject({ status: 409, code: 'payment_overdue' })
    const invoice = (await shop.stripe.invoices.list({ customer: tenant.customer })).data[0]
    await shop.stripe.invoices.pay(invoice?.id ?? '', {
      payment_method: (await shop.stripe.paymentMethods.attach('pm_card_visa', { customer: tenant.customer })).id,
    })
    expect([await tenant.items(), await tenant.totals()]).toEqual([{ pro: 1 }, [3000, 6000]])
  })
})

describe('a preview of a subscription change', () => {
  it('becomes stale after 15 minutes of the customer’s clock, and after another change', async () => {
    const tenant = await shop.subscriber('slow', { basic: 1 })
    const asked = { items: pro }
    const { preview } = (await tenant.ask('preview', asked)) as { preview: string }
    await tenant.pass(16 / (24 * 60))
    expect(await tenant.ask('change', { ...asked, preview })).toMatchObject({ status: 409, code: 'preview_stale' })
    const fresh = (await tenant.ask('preview', asked)) as { preview: string }
    await tenant.pass(14 / (24 * 60))
    const other = { items: [{ price_id: 'pro', quantity: 2 }], preview: fresh.preview }
    expect(await tenant.ask('change', other)).toMatchObject({ status: 409, code: 'preview_stale' })
    expect(await tenant.ask('change', { ...asked, preview: fresh.preview })).toMatchObject({ status: 'changed' })
    expect(await tenant.ask('change', { ...asked, preview: fresh.preview })).toMatchObject({ status: 'changed' })
    expect(await tenant.totals()).toHaveLength(2)
  })
})

describe('a customer session', () => {
  it('can change a subscription with a preview, prorated, and never to a hidden price', async () => {
    const tenant = await shop.subscriber('own', { basic: 1 })
    expect(await tenant.askOwn('change', { items: pro })).toMatchObject({ status: 422, code: 'preview_required' })
    const refused = [
      [{ items: [{ price_id: 'pro_secret' }] }, 404, 'price_not_found'],
      [{ items: [{ price_id: 'pro_gold' }] }, 404, 'price_not_found'],
      [{ items: pro, proration: 'none' }, 403, 'not_allowed'],
    ] as const
    for (const [body, status, code] of refused)
      expect([body, await tenant.askOwn('preview', body)]).toMatchObject([body, { status, code }])
    const { preview } = (await tenant.askOwn('preview', { items: pro })) as { preview: string }
    expect(await tenant.askOwn('change', { items: pro, preview })).toMatchObject({ status: 'changed' })
    expect(await tenant.askOwn('preview', { items: basic, when: 'now' })).toMatchObject({ status: 403 })
  })

  it('can cancel at the end of the period and resume, but can neither pause nor cancel immediately', async () => {
    const tenant = await shop.subscriber('leaving', { basic: 1 })
    expect(await tenant.askOwn('cancel', { when: 'now' })).toMatchObject({ status: 403, code: 'not_allowed' })
    expect(await tenant.askOwn('pause')).toMatchObject({ status: 403, code: 'not_allowed' })
    const cancelled = await tenant.askOwn('cancel', { reason: 'too dear' })
    expect(cancelled).toMatchObject({ status: 'active', cancel_at_period_end: true, cancel_at: renewal })
    expect(await tenant.askOwn('preview', { items: basic, when: 'period_end' })).toMatchObject({ code: 'conflict' })
    expect(await tenant.askOwn('resume')).toMatchObject({ cancel_at_period_end: false, cancel_at: null })
    const { entries } = (await shop.asAdmin({ url: `${admin}/tenants/leaving/audit` })).json()
    expect(entries).toMatchObject([
      { action: 'subscription_resumed' },
      { action: 'subscription_cancelled', result: { reason: 'too dear' } },
      { action: 'tenant_created' },
    ])
  })
})

describe('a service key', () => {
  it('can pause a subscription until a given time, resume it, and cancel it immediately', async () => {
    const tenant = await shop.subscriber('paused', { basic: 1 })
    const paused = await tenant.ask('pause', { until: '2031-06-01T00:00:00Z', behavior: 'keep_as_draft' })
    expect(paused).toMatchObject({ pause: { behavior: 'keep_as_draft', until: '2031-06-01T00:00:00.000Z' } })
    expect(await tenant.ask('preview', { items: pro })).toMatchObject({ status: 409, code: 'conflict' })
    expect(await tenant.ask('resume')).toMatchObject({ pause: null })
    expect(await tenant.ask('pause', { until: '2020-01-01T00:00:00Z' })).toMatchObject({ code: 'change_invalid' })
    expect(await tenant.ask('cancel', { when: 'now' })).toMatchObject({ status: 'canceled' })
    expect(await tenant.ask('cancel')).toMatchObject({ status: 404, code: 'subscription_not_found' })
  })

  it('can revoke a change that is not paid yet', async () => {
    const tenant = await shop.subscriber('given-up', { basic: 1 })
    const { id } = await shop.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: tenant.customer })
    await shop.stripe.customers.update(tenant.customer, { invoice_settings: { default_payment_method: id } })
    expect(await tenant.change({ items: pro })).toMatchObject({ status: 'payment_required' })
    expect(await tenant.ask('resume')).toMatchObject({ status: 'active' })
    expect(await tenant.ask('preview', { items: pro })).toMatchObject({ status: 200 })
    const { data } = await shop.stripe.invoices.list({ customer: tenant.customer })
    expect(data.map(({ status }) => status)).toEqual(['void', 'paid'])
  })

  it('cannot revoke a scheduled price migration', async () => {
    const tenant = await shop.subscriber('migrating', { pro: 1 })
    const swaps = [{ from: processorId(await shop.price('pro')), to: processorId(await shop.price('pro_gold')) }]
    const options = { idempotencyKey: 'migrating', signal: AbortSignal.timeout(10_000) }
    await shop.processor.scheduleSwaps({ subscription: tenant.subscription, swaps }, options)
    await tenant.ask('resume')
    await tenant.pass(31)
    expect(await tenant.items()).toEqual({ pro_gold: 1 })
  })

  it('can revoke a scheduled change', async () => {
    const tenant = await shop.subscriber('undone', { pro: 1 })
    await tenant.change({ items: basic })
    expect(await tenant.ask('resume')).toMatchObject({ scheduled: null })
    await tenant.pass(31)
    expect(await tenant.items()).toEqual({ pro: 1 })
  })

  it('can cancel a subscription although a change is scheduled', async () => {
    const tenant = await shop.subscriber('gone', { pro: 1 })
    await tenant.change({ items: basic })
    expect(await tenant.ask('cancel')).toMatchObject({ cancel_at_period_end: true, scheduled: null })
    await tenant.pass(31)
    expect((await tenant.live()).status).toBe('canceled')
  })

  it('can immediately change a subscription that is paid by invoice, and the invoice is emailed', async () => {
    const byMail = { collection_method: 'send_invoice', days_until_due: 14 } as const
    const tenant = await shop.subscriber('by-mail', { basic: 1 }, byMail)
    expect(await tenant.change({ items: pro })).toMatchObject({ status: 'changed', due_now: { amount: 6000 } })
    expect(await tenant.items()).toEqual({ pro: 1 })
  })

  it('can change a subscription in its trial; the trial continues and the change costs nothing now', async () => {
    const tenant = await shop.subscriber('trying', { basic: 1 }, { trial_period_days: 14 })
    const changed = await tenant.change({ items: pro })
    expect(changed).toMatchObject({ status: 'changed', due_now: { amount: 0 }, next_invoice: { amount: 9000 } })
    const { status, trial_end: end } = await tenant.live()
    expect([status, end]).toEqual(['trialing', Date.UTC(2031, 3, 15) / 1000])
  })

  it('can change a subscription, which keeps its running discount', async () => {
    const tenant = await shop.subscriber('reduced', { basic: 1 }, { discounts: [{ coupon: 'third' }] })
    await tenant.pass(15)
    // (90.00 − 30.00) / 2, less 33 %.
    expect(await tenant.change({ items: pro })).toMatchObject({ due_now: { amount: 2010 } })
    const down = await tenant.change({ items: basic })
    expect(down).toMatchObject({ status: 'scheduled', next_invoice: { amount: 2010 } })
    await tenant.pass(16)
    expect(await tenant.totals()).toEqual([2010, 2010, 2010])
  })

  it('is refused an immediate change while invoices are overdue', async () => {
    const tenant = await shop.subscriber('owing', { basic: 1 })
    const { id } = await shop.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: tenant.customer })
    await shop.stripe.customers.update(tenant.customer, { invoice_settings: { default_payment_method: id } })
    await tenant.pass(31)
    expect((await tenant.live()).status).toBe('past_due')
    expect(await tenant.ask('change', { items: pro })).toMatchObject({ status: 409, code: 'payment_overdue' })
    expect(await tenant.change({ items: pro, when: 'period_end' })).toMatchObject({ status: 'scheduled' })
  })

  it('gets an error that names the invalid member of the request', async () => {
    const tenant = await shop.subscriber('mistaken', { basic: 1, backup: 1, usage: null })
    const wrong = [
      [{ items: [{ price_id: 'pro' }, { price_id: 'pro' }] }, '#/items/1/price_id'],
      [{ items: [{ price_id: 'usage', quantity: 2 }], replaces: 'usage' }, '#/items/0/quantity'],
      [{ items: basic }, '#/items'],
      [{ items: [] }, '#/replaces'],
    ] as const
    for (const [body, pointer] of wrong)
      expect([body, await tenant.ask('preview', body)]).toMatchObject([
        body,
        { status: 422, code: 'change_invalid', errors: [{ pointer }] },
      ])
    expect(await tenant.ask('preview', { items: [{ price_id: 'none' }] })).toMatchObject({ code: 'price_not_found' })
    expect(await tenant.ask('change', { items: pro, subscription: 'sub_none' })).toMatchObject({
      code: 'subscription_not_found',
    })
  })
})

describe('a free subscription that is cancelled over HTTP', () => {
  it('ends immediately', async () => {
    const own = await startChangingShop(
      {},
      planDocument('1.0.0', ({ products }) => {
        products.push({
          id: 'free',
          name: 'Free',
          prices: [{ id: 'free', amount: 0, currency: 'usd', interval: 'month' }],
        })
      }),
    )
    await own.asAdmin({ method: 'POST', url: `${admin}/tenants`, payload: { id: 'thrifty', name: 'Thrifty' } })
    const payload = { tenant_id: 'thrifty', price_id: 'free', ...urls }
    await own.asAdmin({ method: 'POST', url: `${billing}/checkout`, payload })
    const cancel = () =>
      own.asAdmin({ method: 'POST', url: `${billing}/subscription/cancel`, payload: { tenant_id: 'thrifty' } })
    expect((await cancel()).json()).toMatchObject({ home: 'local', status: 'canceled' })
    expect((await cancel()).json()).toMatchObject({ code: 'subscription_not_found' })
    await own.close()
  })
})

describe('a price that was replaced by a push', () => {
  it('is left only on demand', async () => {
    const own = await startChangingShop()
    const tenant = await own.subscriber('faithful', { pro: 1 })
    await own.push(
      planDocument('1.1.0', ({ products }) => void Object.assign(products[1]?.prices?.[0] ?? {}, { amount: 12_000 })),
    )
    expect(await tenant.ask('preview', { items: pro })).toMatchObject({
      ...{ status: 422, code: 'change_invalid' },
      errors: [{ hint: expect.stringContaining('"to_current": true') as string }],
    })
    const preview = await tenant.ask('preview', { items: pro, to_current: true })
    expect(preview).toMatchObject({
      before: [{ price_id: 'pro' }],
      after: [{ price_id: 'pro' }],
      due_now: { amount: 3000 },
      monthly: { before: [{ amount: '9000' }], after: [{ amount: '12000' }] },
      warnings: [{ code: 'legacy_price_left' }],
    })
    await own.close()
  })
})

describe('a promotion code in a subscription change', () => {
  it('takes effect together with the change, whether immediately or at the end of the period', async () => {
    const tenant = await shop.subscriber('code-now', { basic: 1 })
    await tenant.pass(15)
    // The old price is credited as it was charged: 90.00 less 33 %, for half a month, less 15.00.
    const now = await tenant.change({ items: pro, promotion_code: 'THIRD' })
    expect(now).toMatchObject({ status: 'changed', due_now: { amount: 3015 - 1500 }, next_invoice: { amount: 6030 } })
    const later = await shop.subscriber('code-later', { pro: 1 })
    const scheduled = await later.change({ items: basic, promotion_code: 'THIRD' })
    expect(scheduled).toMatchObject({ status: 'scheduled', next_invoice: { amount: 2010 } })
    await later.pass(31)
    expect(await later.totals()).toEqual([9000, 2010])
  })

  it('is refused if it does not exist, and a session may make only a limited number of attempts', async () => {
    const tenant = await shop.subscriber('guessing', { basic: 1 })
    const guess = () => tenant.askOwn('preview', { items: pro, promotion_code: 'GUESS' })
    for (let tried = 0; tried < 10; tried++) expect(await guess()).toMatchObject({ status: 422 })
    expect(await guess()).toMatchObject({ status: 429, code: 'rate_limited' })
  })
})
