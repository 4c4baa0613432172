// Five pricing pages as sellers have them: sold by a checkout, changed, cancelled. Each invoice is computed by hand.
import { describe, expect, onTestFinished, test } from 'vitest'
import type Stripe from 'stripe'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { admin, billing, startTestApp, type TestApp } from '../../support/app.ts'
import { begin, day, type Answer } from '../../support/shop/changing-shop.ts'
import { payingCustomer } from '../../support/shop/paying-customer.ts'
import { TestClock } from '../../support/sandbox.ts'
import { cookieOf, urls } from '../../support/shop/selling.ts'

const monthly = { currency: 'usd', interval: 'month' } as const

interface Buyer {
  /** Pays a checkout as the customer, with its session. */
  buy(wish: object): Promise<void>
  checkout(wish: object): Promise<Answer>
  /** Calls a route of the subscription with the customer's session. */
  ask(act: string, body?: object): Promise<Answer>
  /** Previews, changes, and checks that the change says what the preview said. */
  change(body: object): Promise<Answer>
  use(value: number): Promise<void>
  /** Lets the clock reach this day, counted from 1 April 2031. */
  until(days: number): void
  subscriptions(): Promise<readonly Answer[]>
  items(): Promise<readonly unknown[]>
  totals(): Promise<readonly number[]>
}

/** A shop with one customer, whose month of 30 days begins on 1 April 2031. */
async function openPage(document: Omit<BillingConfig, 'version'>): Promise<Buyer> {
  const shop = await startTestApp({ clock: new TestClock(begin * 1000) })
  onTestFinished(() => shop.close())
  const pushed = await shop.push({ version: '1.0.0', ...document })
  if (pushed.statusCode >= 300) throw new Error(pushed.body)
  const customer = await payingCustomer(shop.stripe, { name: 'Acme' })
  await shop.asAdmin({
    method: 'POST',
    url: `${admin}/tenants`,
    payload: { id: 'acme', name: 'Acme', processor_customer_id: customer },
  })
  return buyerOf(shop, customer)
}

async function buyerOf(shop: TestApp, customer: string): Promise<Buyer> {
  const { stripe } = shop
  const cookie = cookieOf((await shop.service.createSession('acme', null)).value)
  const post = async (path: string, payload: object): Promise<Answer> => {
    const response = await shop.inject({ method: 'POST', url: `${billing}/${path}`, headers: { cookie }, payload })
    return { status: response.statusCode, ...response.json<object>() }
  }
  const ask = (act: string, body: object = {}) => post(`subscription/${act}`, body)
  const checkout = (wish: object) => post('checkout', { ...wish, ...urls })
  const subscriptions = async () => {
    const response = await shop.inject({ url: `${billing}/session/subscriptions`, headers: { cookie } })
    return response.json<{ subscriptions: Answer[] }>().subscriptions
  }
  let passed = 0
  return {
    ask,
    checkout,
    subscriptions,
    async buy(wish) {
      const answer = await checkout(wish)
      if (answer.status !== 200) throw new Error(JSON.stringify(answer))
      if (answer['session_id'] === null) return
      const body = new URLSearchParams({ action: 'pay', email: 'acme@example.test', number: '4242424242424242' })
      const paid = await fetch(answer['url'] as string, { method: 'POST', body, redirect: 'manual' })
      if (paid.status !== 303) throw new Error(await paid.text())
    },
    async change(body) {
      const shown = await ask('preview', body)
      if (shown.status !== 200) return shown
      const changed = await ask('change', { ...body, preview: shown['preview'] })
      expect(changed['due_now']).toEqual(shown['due_now'])
      return changed
    },
    use: async (value) => {
      await stripe.billing.meterEvents.create({
        event_name: 'call',
        payload: { stripe_customer_id: customer, value: String(value) },
      })
    },
    until(days) {
      shop.sandbox.control.advance((days - passed) * day)
      passed = days
    },
    items: async () =>
      (await subscriptions()).flatMap(({ items }) =>
        (items as Answer[]).map(({ price_id: id, quantity }) => [id, quantity] as const),
      ),
    totals: async () => {
      const { data } = await stripe.invoices.list({ customer, limit: 100 })
      return data.map(({ total }: Stripe.Invoice) => total).reverse()
    },
  }
}

const meters = [{ id: 'calls', display_name: 'Calls', event_name: 'call' }]

describe('a pricing page with seats and usage in one price', () => {
  test('bills seats and usage on one invoice, added seats for the rest of the month, and the remaining usage after a cancellation', async () => {
    const acme = await openPage({
      meters,
      products: [
        {
          id: 'team',
          name: 'Team',
          unit_label: 'seat',
          prices: [{ id: 'team', amount: 1000, ...monthly, attached_prices: ['team_calls'] }],
        },
        {
          id: 'team_calls',
          name: 'Calls',
          prices: [{ id: 'team_calls', amount: 2, ...monthly, usage_type: 'metered', meter: 'calls' }],
        },
      ],
    })
    await acme.buy({ price_id: 'team', quantity: 3 })
    expect(await acme.items()).toEqual([
      ['team', 3],
      ['team_calls', null],
    ])
    acme.until(15)
    await acme.use(500)
    // Two seats for half a month. The usage stays on its price, and is billed with the renewal.
    expect(await acme.change({ items: [{ price_id: 'team', quantity: 5 }] })).toMatchObject({
      status: 'changed',
      due_now: { amount: 1000 },
      next_invoice: { amount: 6000 },
    })
    acme.until(31)
    // Five seats, and 500 calls at $0.02.
    expect(await acme.totals()).toEqual([3000, 1000, 6000])
    await acme.use(100)
    await acme.ask('cancel')
    acme.until(62)
    expect(await acme.totals()).toEqual([3000, 1000, 6000, 200])
    expect(await acme.subscriptions()).toEqual([])
  })
})

describe('a pricing page with tiers and included units', () => {
  const tiers = (included: number, cents: number) => [
    { up_to: included, unit_amount: 0 },
    { up_to: 'inf' as const, unit_amount: cents },
  ]
  const plan = (id: string, amount: number, [included, cents]: readonly [number, number]) => [
    {
      id,
      name: id,
      subscription_group: 'plan',
      prices: [{ id, amount, ...monthly, attached_prices: [`${id}_calls`] }],
    },
    {
      id: `${id}_calls`,
      name: `${id} calls`,
      prices: [
        {
          ...{ id: `${id}_calls`, ...monthly, usage_type: 'metered' as const, meter: 'calls' },
          ...{ billing_scheme: 'tiered' as const, tiers_mode: 'graduated' as const, tiers: tiers(included, cents) },
        },
      ],
    },
  ]

  test('bills usage beyond the included units, and prorates an upgrade in mid-month', async () => {
    const acme = await openPage({
      meters,
      products: [...plan('starter', 3000, [1000, 5]), ...plan('growth', 9000, [10_000, 3])],
    })
    await acme.buy({ price_id: 'starter' })
    acme.until(10)
    await acme.use(1200)
    acme.until(31)
    // 200 calls beyond the 1,000 that are included, at $0.05.
    expect(await acme.totals()).toEqual([3000, 4000])
    acme.until(40)
    await acme.use(900)
    acme.until(45)
    // 16 of the 31 days of May are left. The processor rounds down: 46.45 less 15.49. The 900 calls are included.
    const changed = await acme.change({ items: [{ price_id: 'growth' }] })
    expect(changed).toMatchObject({ status: 'changed', due_now: { amount: 3096 }, warnings: [{ code: 'usage_apart' }] })
    expect(await acme.items()).toEqual([
      ['growth', 1],
      ['growth_calls', null],
    ])
    // Whoever goes back keeps the larger plan for the rest of what it paid.
    acme.until(50)
    await acme.use(11_000)
    expect(await acme.change({ items: [{ price_id: 'starter' }] })).toMatchObject({ status: 'scheduled' })
    acme.until(62)
    // 1,000 calls beyond the 10,000 of Growth, at $0.03, and the next month of Starter.
    expect(await acme.totals()).toEqual([3000, 4000, 3096, 6000])
    await acme.ask('cancel')
    acme.until(92)
    expect([await acme.subscriptions(), await acme.totals()]).toEqual([[], [3000, 4000, 3096, 6000, 0]])
  })
})

describe('a pricing page with a yearly price and usage billed by the month', () => {
  const yearly = {
    meters,
    products: [
      {
        id: 'annual',
        name: 'Annual',
        subscription_group: 'plan',
        prices: [{ id: 'annual', amount: 36_500, currency: 'usd' as const, interval: 'year' as const }],
      },
      {
        id: 'overage',
        name: 'Overage',
        prices: [{ id: 'overage', amount: 2, ...monthly, usage_type: 'metered' as const, meter: 'calls' }],
      },
    ],
  }

  test('cannot be sold in one checkout, and the error advises to use two checkout pages', async () => {
    const acme = await openPage(yearly)
    const refused = await acme.checkout({ items: [{ price_id: 'annual' }, { price_id: 'overage' }] })
    expect(refused).toMatchObject({
      status: 422,
      code: 'checkout_invalid',
      errors: [{ pointer: '#/items/1/price_id', hint: 'Sell them on two pages.' }],
    })
  })

  test('is sold as two subscriptions: the year is billed once, the usage each month, and each subscription can be cancelled alone', async () => {
    const acme = await openPage(yearly)
    await acme.buy({ price_id: 'annual' })
    await acme.buy({ price_id: 'overage' })
    await acme.use(300)
    acme.until(31)
    const [base, usage] = await acme.subscriptions()
    expect(await acme.totals()).toEqual([36_500, 600])
    await acme.use(100)
    await acme.ask('cancel', { subscription: usage?.['id'] })
    await acme.ask('cancel', { subscription: base?.['id'] })
    acme.until(367)
    expect(await acme.subscriptions()).toEqual([])
    expect(await acme.totals()).toEqual([36_500, 600, 200])
  })
})

describe('a pricing page with add-ons', () => {
  const page = {
    products: [
      ...['solo', 'pro'].map((id, at) => ({
        id,
        name: id,
        subscription_group: 'plan',
        prices: [{ id, amount: 3000 + 6000 * at, ...monthly }],
      })),
      { id: 'backup', name: 'Backup', prices: [{ id: 'backup', amount: 600, ...monthly }] },
      { id: 'phone', name: 'Phone support', prices: [{ id: 'phone', amount: 1500, ...monthly }] },
    ],
  }

  test('sells add-ons with the plan, adds and removes add-ons later, and keeps an add-on when the plan is upgraded', async () => {
    const acme = await openPage(page)
    await acme.buy({ items: [{ price_id: 'solo' }, { price_id: 'backup', quantity: 2 }] })
    acme.until(15)
    // Phone support for half a month, in the same subscription.
    expect(await acme.change({ items: [{ price_id: 'solo' }, { price_id: 'phone' }], replaces: 'solo' })).toMatchObject(
      { status: 'changed', due_now: { amount: 750 } },
    )
    // $90.00 less $30.00, for half a month.
    expect(await acme.change({ items: [{ price_id: 'pro' }], replaces: 'solo' })).toMatchObject({
      status: 'changed',
      due_now: { amount: 3000 },
    })
    expect(await acme.change({ items: [], replaces: 'backup' })).toMatchObject({ status: 'scheduled' })
    acme.until(31)
    expect(new Map((await acme.items()) as [string, number][])).toEqual(
      new Map([
        ['pro', 1],
        ['phone', 1],
      ]),
    )
    expect(await acme.totals()).toEqual([4200, 750, 3000, 10_500])
    await acme.ask('cancel')
    acme.until(62)
    expect([await acme.subscriptions(), await acme.totals()]).toEqual([[], [4200, 750, 3000, 10_500]])
  })

  test('requires `replaces` for a request that changes only an add-on, because the add-on would otherwise replace the plan', async () => {
    const acme = await openPage(page)
    await acme.buy({ price_id: 'solo' })
    expect(await acme.ask('preview', { items: [{ price_id: 'phone' }] })).toMatchObject({
      status: 422,
      code: 'change_invalid',
      errors: [{ pointer: '#/replaces' }],
    })
  })
})

describe('a pricing page with a free plan', () => {
  test('moves a customer from free to paid, then to more seats, and back to free at the end of the period', async () => {
    const acme = await openPage({
      products: [
        {
          id: 'free',
          name: 'Free',
          subscription_group: 'plan',
          prices: [{ id: 'free', amount: 0, ...monthly }],
        },
        {
          id: 'team',
          name: 'Team',
          subscription_group: 'plan',
          unit_label: 'seat',
          prices: [{ id: 'team', amount: 1200, ...monthly }],
        },
      ],
    })
    await acme.buy({ price_id: 'free' })
    expect(await acme.items()).toEqual([['free', 1]])
    await acme.buy({ price_id: 'team', quantity: 2 })
    expect(await acme.items()).toEqual([['team', 2]])
    acme.until(10)
    // One seat for 20 of 30 days.
    expect(await acme.change({ items: [{ price_id: 'team', quantity: 3 }] })).toMatchObject({
      due_now: { amount: 800 },
    })
    expect(await acme.change({ items: [{ price_id: 'free' }] })).toMatchObject({ status: 'scheduled' })
    acme.until(31)
    expect(await acme.items()).toEqual([['free', 1]])
    expect(await acme.totals()).toEqual([2400, 800])
    // And up again: the paid plan ends the free one.
    await acme.buy({ price_id: 'team' })
    expect(await acme.items()).toEqual([['team', 1]])
    expect(await acme.totals()).toEqual([2400, 800, 1200])
  })
})
