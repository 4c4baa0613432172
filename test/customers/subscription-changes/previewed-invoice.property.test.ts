// The next invoice of a preview, what `upcoming-invoice` says of it right after the change, and the invoice that the sandbox then makes are
// equal to the cent: for any plan, tiers, packages, attached and metered prices, discount, tax, balance, credit, usage and moment.
import fc from 'fast-check'
import type Stripe from 'stripe'
import { expect, test } from 'vitest'
import { admin } from '../../support/app.ts'
import { begin, day, planDocument, startChangingShop, type ChangingShop } from '../../support/shop/changing-shop.ts'

const monthly = { currency: 'usd', interval: 'month' } as const
const metered = { ...monthly, usage_type: 'metered', meter: 'calls' } as const

/** Each plan has a metered price of its own, except `flat`; `pack` and `tiers` charge their quantity in packages and in tiers. */
const document = planDocument('1.0.0', (config) => {
  const { products, coupons, promotion_codes: codes } = config
  coupons?.push({ id: 'half', percent_off: 50, duration: 'once' })
  codes?.push({ id: 'half', code: 'HALF', coupon: 'half' })
  Object.assign(products[0]?.prices?.[0] ?? {}, { attached_prices: ['usage'] })
  Object.assign(products[1]?.prices?.[0] ?? {}, { attached_prices: ['usage_pro'] })
  const plan = products[1]?.prices ?? []
  plan.push(
    { id: 'flat', amount: 4100, ...monthly },
    {
      id: 'pack',
      amount: 2500,
      ...monthly,
      transform_quantity: { divide_by: 5, round: 'up' },
      attached_prices: ['usage_tiers'],
    },
    {
      ...{ id: 'tiers', ...monthly, billing_scheme: 'tiered', tiers_mode: 'graduated', attached_prices: ['usage'] },
      tiers: [
        { up_to: 3, unit_amount: 1100 },
        { up_to: 'inf', unit_amount: 700, flat_amount: 300 },
      ],
    },
  )
  products[0]?.prices?.push({ id: 'free', amount: 0, ...monthly })
  const tiers = [
    { up_to: 100, unit_amount: 0 },
    { up_to: 'inf' as const, unit_amount_decimal: '0.7' },
  ]
  products[3]?.prices?.push(
    { id: 'usage_pro', amount: 1, ...metered },
    { id: 'usage_tiers', ...metered, billing_scheme: 'tiered', tiers_mode: 'graduated', tiers },
  )
})

const plans: Readonly<Record<string, string | null>> = {
  basic: 'usage',
  pro: 'usage_pro',
  flat: null,
  pack: 'usage_tiers',
  tiers: 'usage',
  pro_yearly: null,
}
const names = Object.keys(plans)

const situations = fc.record({
  has: fc.constantFrom(...names),
  seats: fc.integer({ min: 1, max: 9 }),
  /** null: another quantity of what it has. */
  other: fc.constantFrom(...names, 'free', ...names, 'free', ...names.map(() => null)),
  more: fc.integer({ min: 1, max: 9 }),
  when: fc.constantFrom('auto', 'period_end', 'now'),
  discount: fc.constantFrom('none', 'percent', 'amount', 'once', 'ending'),
  /** True: the discount is given right before the change, so that a coupon of the duration `once` is not used up. */
  given: fc.boolean(),
  /** Code of a coupon that the change adds: for ever, or for one invoice. */
  code: fc.constantFrom(undefined, undefined, 'THIRD', 'HALF'),
  /** A change that was scheduled before. */
  planned: fc.constantFrom(null, null, ...names),
  /** True: in the quantity that the subscription has, so that a later quantity is for it too. */
  whole: fc.boolean(),
  tax: fc.constantFrom('none', 'on top', 'within'),
  balance: fc.constantFrom(0, 0, -700, -50_000, 400),
  credit: fc.constantFrom(0, 0, 30, 5000),
  usage: fc.constantFrom(0, 60, 163, 5000),
  days: fc.constantFrom(0, 1, 9, 15, 29),
  mode: fc.constantFrom('classic', 'flexible'),
})
type Situation = typeof situations extends fc.Arbitrary<infer T> ? T : never

interface Terms {
  readonly coupons: Readonly<Record<string, string>>
  readonly rates: Readonly<Record<string, string>>
}

async function terms({ stripe }: ChangingShop): Promise<Terms> {
  const coupon = async (params: Stripe.CouponCreateParams) => (await stripe.coupons.create(params)).id
  const rate = async (inclusive: boolean) =>
    (await stripe.taxRates.create({ display_name: 'VAT', percentage: 19, inclusive })).id
  return {
    coupons: {
      percent: await coupon({ percent_off: 17.5, duration: 'forever' }),
      amount: await coupon({ amount_off: 555, currency: 'usd', duration: 'forever' }),
      once: await coupon({ percent_off: 50, duration: 'once' }),
      ending: await coupon({ percent_off: 20, duration: 'repeating', duration_in_months: 1 }),
    },
    rates: { 'on top': await rate(false), within: await rate(true) },
  }
}

const day_ms = day * 1000

/** Days from one time to another, both RFC 3339 or epoch milliseconds. */
const daysTo = (at: number) => (at - begin * 1000) / day_ms

async function check(shop: ChangingShop, { coupons, rates }: Terms, id: string, situation: Situation): Promise<void> {
  const {
    has,
    seats,
    other,
    more,
    when,
    discount,
    given,
    code,
    planned,
    whole,
    tax,
    balance,
    credit,
    usage,
    days,
    mode,
  } = situation
  const asks = other ?? has
  const own = plans[has] ?? null
  const coupon = coupons[discount]
  const rate = rates[tax]
  const tenant = await shop.subscriber(
    id,
    { [has]: seats, ...(own === null ? {} : { [own]: null }) },
    {
      billing_mode: { type: mode },
      ...(coupon === undefined || given ? {} : { discounts: [{ coupon }] }),
      ...(rate === undefined ? {} : { default_tax_rates: [rate] }),
    },
  )
  const { stripe } = shop
  const { customer } = tenant
  if (days > 0) await tenant.pass(days)
  if (usage > 0 && days > 0)
    await stripe.billing.meterEvents.create({
      ...{ event_name: 'call', payload: { stripe_customer_id: customer, value: String(usage) } },
      timestamp: begin + Math.round((days / 2) * day),
    })
  if (balance !== 0) await stripe.customers.update(customer, { balance })
  if (credit > 0)
    await stripe.billing.creditGrants.create({
      ...{ customer, category: 'paid', applicability_config: { scope: { price_type: 'metered' } } },
      amount: { type: 'monetary', monetary: { currency: 'usd', value: credit } },
    })
  if (coupon !== undefined && given) await stripe.subscriptions.update(tenant.subscription, { discounts: [{ coupon }] })
  if (planned !== null)
    await tenant.change({ items: [{ price_id: planned, quantity: whole ? seats : 2 }], when: 'period_end' })
  const asked = {
    items: [{ price_id: asks, ...(asks === 'free' ? {} : { quantity: more }) }],
    ...{ when, ...(code === undefined || asks === 'free' ? {} : { promotion_code: code }) },
  }
  const preview = await tenant.ask('preview', asked)
  if (preview['status'] !== 200) {
    // The change is refused, e.g. because usage would be lost or nothing changes, or because a code came with more of what has a schedule.
    const isCounted = asks === has && planned !== null && code !== undefined
    expect([preview['status'], preview['code']]).toEqual(
      isCounted && preview['status'] === 409 ? [409, 'conflict'] : [422, 'change_invalid'],
    )
    return
  }
  const outcome = await tenant.ask('change', { ...asked, preview: preview['preview'] as string })
  expect(['changed', 'scheduled']).toContain(outcome['status'])
  const upcoming = (await shop.asAdmin({ url: `${admin}/tenants/${id}/upcoming-invoice` })).json()
  const before = new Set((await stripe.invoices.list({ customer, limit: 100 })).data.map((one) => one.id))
  const shown = preview['next_invoice'] as { amount: number; at: string } | null
  // Without a next invoice, none is made at the end of the period.
  const end = has === 'pro_yearly' ? 367 : 31
  const left = (upcoming.due_at === null ? end : daysTo(Date.parse(upcoming.due_at as string)) + 0.2) - days
  await tenant.pass(left)
  const made = (await stripe.invoices.list({ customer, limit: 100 })).data.filter((one) => !before.has(one.id))
  const warnings = preview['warnings'] as readonly { code: string }[]
  if (warnings.some((one) => one.code === 'discount_shared')) {
    // How the processor shares out a fixed discount is its own affair: the preview may be lower by a part of it.
    const more = (made[0]?.amount_due ?? NaN) - (shown?.amount ?? NaN)
    expect([more >= 0, more <= 555]).toEqual([true, true])
    return
  }
  expect([made.length, shown?.amount, shown?.at, upcoming.amount_due]).toEqual([
    shown === null ? 0 : 1,
    made[0]?.amount_due,
    upcoming.due_at ?? undefined,
    made[0]?.amount_due ?? null,
  ])
}

test('the next invoice of a preview is the upcoming invoice after the change, and the invoice that is made', async () => {
  const shop = await startChangingShop({ rateLimit: 100_000 }, document)
  const known = await terms(shop)
  let tenants = 0
  try {
    await fc.assert(
      fc.asyncProperty(situations, (situation) => check(shop, known, `t${String(++tenants)}`, situation)),
      { numRuns: Number(process.env['PREVIEW_RUNS'] ?? 12) },
    )
  } finally {
    await shop.close()
  }
})
