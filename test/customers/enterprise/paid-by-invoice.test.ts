// Negotiated prices of customers who pay by invoice: the billing terms stay, nothing is billed now, and the next invoice is exact.
import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { negotiated, nothing, tenantShop, type TenantShop, caller } from '../../support/shop/tenant-shop.ts'

const monthly = 32
const day = 86_400

const idIn = (reference: string | { readonly id: string } | null | undefined) =>
  typeof reference === 'object' ? (reference?.id ?? null) : (reference ?? null)

interface Invoiced {
  readonly customer: string
  readonly id: string
}

/** Creates a subscription that is paid by invoice: seven seats and metered calls, with tax rates, discounts, a card and a description. */
async function invoiced(
  shop: TenantShop,
  own: Partial<Stripe.SubscriptionCreateParams> = {},
  priceIds: readonly string[] = ['pro_monthly', 'calls'],
): Promise<Invoiced> {
  const { stripe } = shop
  const customer = await shop.tenant('t')
  await stripe.customers.update(customer, { address: { country: 'DE' } })
  const rate = async (percentage: number) =>
    (await stripe.taxRates.create({ display_name: 'VAT', percentage, inclusive: false })).id
  const [usual, special] = [await rate(20), await rate(10)]
  const off = async (percent: number) =>
    (await stripe.coupons.create({ percent_off: percent, duration: 'forever', name: `${percent} off` })).id
  const card = await stripe.paymentMethods.attach('pm_card_mastercard', { customer })
  const items = await Promise.all(
    priceIds.map(async (priceId) => ({
      price: await shop.processorPrice(priceId),
      metadata: { line: priceId },
      ...(priceId.startsWith('calls')
        ? {}
        : { quantity: 7, discounts: [{ coupon: await off(25) }], tax_rates: [special] }),
    })),
  )
  const made = await stripe.subscriptions.create({
    customer,
    items,
    collection_method: 'send_invoice',
    days_until_due: 30,
    default_tax_rates: [usual],
    default_payment_method: card.id,
    description: 'Contract 4711',
    discounts: [{ coupon: await off(10) }],
    metadata: { contract: '4711' },
    ...own,
  })
  return { customer, id: made.id }
}

/** Billing terms that a swap must not change. */
async function terms({ stripe }: TenantShop, { id }: Invoiced) {
  const live = await stripe.subscriptions.retrieve(id)
  return {
    status: live.status,
    method: live.collection_method,
    days: live.days_until_due,
    rates: live.default_tax_rates?.map((rate) => rate.id),
    tax: live.automatic_tax.enabled,
    card: idIn(live.default_payment_method),
    description: live.description,
    metadata: live.metadata,
    discounts: live.discounts.map(idIn),
    items: live.items.data.map((item) => ({
      quantity: item.quantity,
      metadata: item.metadata,
      discounts: item.discounts.map(idIn),
      rates: item.tax_rates?.map((one) => one.id),
    })),
  }
}

/**
 * Returns the expected total: seats minus a quarter, everything minus a tenth, plus 10 % tax on seats and 20 % on calls, rounded per line.
 */
function total(seat: number, seats: number, calls = 0): number {
  const [first, second] = [seat * seats * 0.75, calls]
  const [one, two] = [first * 0.9, second * 0.9]
  return Math.round(one) + Math.round(one * 0.1) + Math.round(two) + Math.round(two * 0.2)
}

const last = async (shop: TenantShop, customer: string) => (await shop.invoices(customer)).at(-1)

describe('a negotiated price of a customer who pays by invoice', () => {
  test('is applied and removed without an extra invoice; the terms stay, and the next invoice is exact and emailed', async () => {
    const shop = await tenantShop(negotiated())
    const bought = await invoiced(shop, {}, ['pro_monthly'])
    const [before, bills] = [await terms(shop, bought), (await shop.invoices(bought.customer)).length]
    expect(before).toMatchObject({ method: 'send_invoice', days: 30, description: 'Contract 4711' })
    expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 1, skipped: [] })
    expect(await terms(shop, bought)).toEqual(before)
    expect(await shop.invoices(bought.customer)).toHaveLength(bills)
    const [preview] = await shop.service.upcomingInvoices('t')
    expect(preview).toMatchObject({ total: total(800, 7), lines: [{ priceId: 'pro_monthly_gold' }] })
    shop.advance(monthly)
    expect(await last(shop, bought.customer)).toMatchObject({
      total: total(800, 7),
      collection_method: 'send_invoice',
      status: 'open',
      billing_reason: 'subscription_cycle',
    })
    expect(await shop.apply('t', nothing)).toMatchObject({ pricesSwapped: 1 })
    expect({ ...(await terms(shop, bought)), status: before.status }).toEqual(before)
    shop.advance(monthly)
    expect((await last(shop, bought.customer))?.total).toBe(total(1000, 7))
  })

  test('is scheduled if it is metered, and the billing terms stay before, during and after the schedule', async () => {
    const shop = await tenantShop(negotiated())
    const bought = await invoiced(shop)
    const before = await terms(shop, bought)
    await shop.use(bought.customer, 100)
    expect((await shop.apply('t')).swaps.map(({ to, effective }) => [to, effective])).toEqual([
      ['pro_monthly_gold', 'now'],
      ['calls_gold', 'period_end'],
    ])
    expect(await terms(shop, bought)).toEqual(before)
    expect(await shop.invoices(bought.customer)).toHaveLength(1)
    shop.advance(monthly)
    expect((await last(shop, bought.customer))?.total).toBe(total(800, 7, 500))
    expect({ ...(await terms(shop, bought)), status: before.status }).toEqual(before)
    await shop.use(bought.customer, 100)
    shop.advance(monthly)
    expect((await last(shop, bought.customer))?.total).toBe(total(800, 7, 300))
    shop.advance(monthly)
    expect((await shop.stripe.subscriptions.retrieve(bought.id)).schedule).toBeNull()
    expect({ ...(await terms(shop, bought)), status: before.status }).toEqual(before)
  })

  test('keeps automatic tax through a schedule', async () => {
    const shop = await tenantShop(negotiated())
    const bought = await invoiced(shop, { default_tax_rates: '', automatic_tax: { enabled: true } }, ['calls'])
    const before = await terms(shop, bought)
    expect(before.tax).toBe(true)
    await shop.use(bought.customer, 100)
    await shop.apply('t')
    expect(await terms(shop, bought)).toEqual(before)
    shop.advance(monthly)
    shop.advance(monthly)
    expect(await terms(shop, bought)).toMatchObject({ tax: true, method: 'send_invoice', days: 30 })
  })

  test('keeps billing terms that were changed on the subscription after its schedule was created', async () => {
    const shop = await tenantShop(negotiated())
    const bought = await invoiced(shop)
    await shop.stripe.subscriptionSchedules.create({ from_subscription: bought.id })
    const other = (await shop.stripe.taxRates.create({ display_name: 'GST', percentage: 5, inclusive: false })).id
    const card = await shop.stripe.paymentMethods.attach('pm_card_visa', { customer: bought.customer })
    await shop.stripe.subscriptions.update(bought.id, {
      days_until_due: 45,
      default_tax_rates: [other],
      default_payment_method: card.id,
      description: 'Contract 4712',
    })
    const before = await terms(shop, bought)
    await shop.apply('t')
    expect(await terms(shop, bought)).toEqual(before)
    shop.advance(monthly)
    expect({ ...(await terms(shop, bought)), status: before.status }).toEqual(before)
  })
})

describe('a negotiated price for a customer whose subscription already had a schedule', () => {
  /** Creates a schedule with phases of one month; later phases have more seats and their own terms. */
  async function planned(shop: TenantShop, bought: Invoiced, later: readonly number[]) {
    const { stripe } = shop
    const made = await stripe.subscriptionSchedules.create({ from_subscription: bought.id })
    const live = await stripe.subscriptions.retrieve(bought.id)
    const first = made.phases[0]
    if (first === undefined) throw new Error('no phase')
    const rates = live.default_tax_rates?.map((rate) => rate.id) ?? []
    const discounts = live.discounts.map((one) => ({ discount: idIn(one) ?? '' }))
    const items = (seats: number) =>
      live.items.data.map((item) => ({
        price: item.price.id,
        metadata: item.metadata,
        ...(item.quantity === undefined ? {} : { quantity: seats }),
        discounts: item.discounts.map((one) => ({ discount: idIn(one) ?? '' })),
        ...(item.tax_rates?.length ? { tax_rates: item.tax_rates.map((one) => one.id) } : {}),
      }))
    const phase = (seats: number) => ({ items: items(seats), discounts, default_tax_rates: rates })
    await stripe.subscriptionSchedules.update(made.id, {
      phases: [
        { ...phase(7), start_date: first.start_date, end_date: first.end_date },
        ...later.map((seats, index) => ({
          ...phase(seats),
          duration: { interval: 'month' as const },
          collection_method: 'send_invoice' as const,
          invoice_settings: { days_until_due: 60 + index },
          description: `Phase ${String(index + 2)}`,
        })),
      ],
      proration_behavior: 'none',
    })
    return made.id
  }

  test.each([[[8]], [[8, 9]]])(
    'replaces the price in each later phase (seats %j) and keeps the phase’s other terms',
    async (later) => {
      const shop = await tenantShop(negotiated())
      const bought = await invoiced(shop)
      const id = await planned(shop, bought, later)
      const before = await terms(shop, bought)
      const { swaps, skipped } = await shop.apply('t')
      expect([swaps.map(({ effective }) => effective), skipped]).toEqual([['period_end', 'period_end'], []])
      expect(await terms(shop, bought)).toEqual(before)
      expect(await shop.invoices(bought.customer)).toHaveLength(1)
      const after = await shop.stripe.subscriptionSchedules.retrieve(id)
      const said = after.phases
        .slice(1)
        .map((phase) => [
          phase.items[0]?.quantity,
          phase.collection_method,
          phase.invoice_settings?.days_until_due,
          phase.description,
          phase.default_tax_rates?.length,
          phase.items[0]?.discounts.length,
          phase.items[0]?.tax_rates?.length,
          phase.discounts.length,
        ])
      const wanted = later.map((seats, index) => [
        ...[seats, 'send_invoice', 60 + index, `Phase ${String(index + 2)}`],
        ...[1, 1, 1, 1],
      ])
      expect(said).toEqual(wanted)
      for (const [index, seats] of later.entries()) {
        await shop.use(bought.customer, 100)
        shop.advance(31)
        const bill = await last(shop, bought.customer)
        expect(bill?.total).toBe(total(800, seats, index === 0 ? 500 : 300))
        expect(await terms(shop, bought)).toMatchObject({ days: 60 + index, description: `Phase ${String(index + 2)}` })
      }
    },
  )
})

test('a migration keeps the billing terms of subscribers who pay by invoice, and the next invoice has the new amount', async () => {
  const shop = await tenantShop(negotiated())
  const bought = await invoiced(shop)
  const before = await terms(shop, bought)
  await shop.reprice('1.1.0', 'pro_monthly', 1200)
  const job = await shop.service.startMigration({ priceId: 'pro_monthly', to: 'renewal' }, caller)
  await shop.finished(job.id)
  expect(await terms(shop, bought)).toEqual(before)
  expect(await shop.invoices(bought.customer)).toHaveLength(1)
  shop.advance(monthly)
  const bill = await last(shop, bought.customer)
  expect(bill).toMatchObject({ total: total(1200, 7), collection_method: 'send_invoice' })
  expect((bill?.due_date ?? 0) - (bill?.created ?? 0)).toBeGreaterThanOrEqual(30 * day)
  expect({ ...(await terms(shop, bought)), status: before.status }).toEqual(before)
})
