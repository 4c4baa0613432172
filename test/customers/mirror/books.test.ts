// The books: a year of 60 tenants at the sandbox, and the export of it. Each row adds up, and the sums are the processor's own.
import type Stripe from 'stripe'
import { expect, test } from 'vitest'
import { createMirror } from '../../../packages/ratecard/src/customers/mirror/mirror.ts'
import type { MirrorReadDeps } from '../../../packages/ratecard/src/customers/mirror/reads/deps.ts'
import { readExport } from '../../../packages/ratecard/src/customers/mirror/reads/export.ts'
import { readTenantInvoices } from '../../../packages/ratecard/src/customers/mirror/reads/invoices.ts'
import { createPriceBooks } from '../../../packages/ratecard/src/customers/item-swaps/price-book.ts'
import { processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import { meteredPrice } from '../../sandbox/customers/customer-shop.ts'
import { payPage } from '../../support/shop/pay-page.ts'
import { giveCard } from '../../support/shop/paying-customer.ts'
import { newAudit, newTenant } from '../../support/shop/tenant-records.ts'
import { mirrorWorld, type MirrorWorld } from './mirror-world.ts'
import type { ExportRow } from '../../../packages/ratecard/src/api/customers/invoices.ts'

const monthS = 30.5 * 86_400
const page = { limit: 100, offset: 0 }

interface Tenant {
  readonly id: string
  readonly customer: string
  /** What the tenant buys: one of ten ways. */
  readonly way: number
  readonly subscription: Stripe.Subscription | null
}

interface Prices {
  readonly month: string
  readonly year: string
  readonly tiny: string
  readonly usage: string
  readonly topUp: string
  readonly onTop: string
  readonly within: string
  readonly percent: string
  readonly amount: string
}

async function priceList(world: MirrorWorld): Promise<Prices> {
  const { stripe, product } = world
  const yearly = { recurring: { interval: 'year' as const } }
  const rate = { display_name: 'VAT', percentage: 19 }
  return {
    month: (await world.monthly(1999)).id,
    year: (await world.monthly(12_000, yearly)).id,
    tiny: (await world.monthly(30)).id,
    usage: (await meteredPrice(world, { unit_amount: 7 })).id,
    topUp: (await stripe.prices.create({ currency: 'usd', product, unit_amount: 2000 })).id,
    onTop: (await stripe.taxRates.create({ ...rate, inclusive: false })).id,
    within: (await stripe.taxRates.create({ ...rate, inclusive: true })).id,
    percent: (await stripe.coupons.create({ percent_off: 33, duration: 'forever' })).id,
    amount: (await stripe.coupons.create({ amount_off: 150, currency: 'usd', duration: 'forever' })).id,
  }
}

async function tenantOf(world: MirrorWorld, prices: Prices, index: number): Promise<Tenant> {
  const { stripe, store } = world
  const [id, way] = [`tenant_${String(index)}`, index % 10]
  const { id: customer } = await stripe.customers.create(way === 5 ? { balance: -5000 - index } : {})
  await giveCard(stripe, customer)
  await store.tenants.add(newTenant({ id, processorCustomerId: customer }), newAudit(id))
  const items = (price: string, quantity = 1 + (index % 4)) => ({ items: [{ price, quantity }] })
  const ways: readonly (Omit<Stripe.SubscriptionCreateParams, 'customer'> | null)[] = [
    { ...items(prices.month), default_tax_rates: [prices.onTop] },
    { ...items(prices.year), default_tax_rates: [prices.within] },
    {
      items: [{ price: prices.month, quantity: 3, discounts: [{ coupon: prices.amount }] }],
      discounts: [{ coupon: prices.percent }],
    },
    { items: [{ price: prices.usage }] },
    null,
    items(prices.month),
    items(prices.year),
    { ...items(prices.month), collection_method: 'send_invoice', days_until_due: 20 },
    { ...items(prices.month), default_tax_rates: [prices.within] },
    items(prices.tiny, 1),
  ]
  const params = ways[way] ?? null
  const subscription = params === null ? null : await stripe.subscriptions.create({ customer, ...params })
  if (way === 3)
    await stripe.billing.creditGrants.create({
      customer,
      category: 'paid',
      amount: { type: 'monetary', monetary: { currency: 'usd', value: 900 } },
      applicability_config: { scope: { price_type: 'metered' } },
    })
  return { id, customer, way, subscription }
}

/** What the tenants of a way do in a month, beside renewing. */
async function act(world: MirrorWorld, prices: Prices, { customer, way, subscription }: Tenant, month: number) {
  const { stripe } = world
  if (way === 3)
    await stripe.billing.meterEvents.create({
      event_name: 'calls',
      payload: { stripe_customer_id: customer, value: String(40 + month * 11) },
    })
  if (way === 4 && month % 4 === 1) await topUp(world, prices, customer, month)
  const [item] = subscription?.items.data ?? []
  if (way === 6 && month === 5 && item !== undefined)
    await stripe.subscriptions.update(subscription?.id ?? '', {
      items: [{ id: item.id, price: prices.month }],
      proration_behavior: 'always_invoice',
    })
  const status = way === 7 ? 'open' : 'paid'
  const [last] = (await stripe.invoices.list({ customer, status, limit: 1 })).data
  if (last === undefined) return
  if (way === 5 && month === 8) await stripe.creditNotes.create({ invoice: last.id, amount: 500, refund_amount: 500 })
  if (way === 5 && month === 9) await stripe.creditNotes.create({ invoice: last.id, amount: 300, credit_amount: 300 })
  if (way === 2 && month === 3) await refundOf(stripe, last, 250)
  if (way === 7) {
    if (month % 3 === 0) await stripe.invoices.voidInvoice(last.id)
    else {
      if (month % 3 === 1) await stripe.creditNotes.create({ invoice: last.id, amount: 199 })
      await stripe.invoices.pay(last.id)
    }
  }
  if (way === 8 && month === 7) {
    const { id } = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } })
  }
}

async function topUp({ stripe }: MirrorWorld, prices: Prices, customer: string, month: number) {
  const { url } = await stripe.checkout.sessions.create({
    customer,
    mode: 'payment',
    success_url: 'https://shop.test/',
    line_items: [{ price: prices.topUp, quantity: month, tax_rates: [month > 4 ? prices.onTop : prices.within] }],
    ...(month > 8 ? { discounts: [{ coupon: prices.percent }] } : {}),
  })
  await payPage(url)
  const [intent] = (await stripe.paymentIntents.list({ customer, limit: 1 })).data
  if (month > 4) await stripe.refunds.create({ payment_intent: intent?.id ?? '', amount: 1234 })
}

async function refundOf(stripe: Stripe, { id }: Stripe.Invoice, amount: number) {
  const [payment] = (await stripe.invoicePayments.list({ invoice: id, limit: 1 })).data
  await stripe.refunds.create({ payment_intent: String(payment?.payment.payment_intent), amount })
}

async function exported(deps: MirrorReadDeps): Promise<readonly ExportRow[]> {
  const { rows } = await readExport(deps, { from: null, to: '2099-01-01' })
  const found: ExportRow[] = []
  for await (const row of rows) found.push(row)
  return found
}

/** `12.34` as 1234. */
const cents = (text: string | null) => Math.round(Number(text ?? 0) * 100)
const sumOf = (rows: readonly ExportRow[], column: 'amountPaid' | 'total') =>
  rows.reduce((sum, row) => sum + cents(row[column]), 0)

async function all<T extends { id: string }>(list: Stripe.ApiListPromise<T>): Promise<readonly T[]> {
  return list.autoPagingToArray({ limit: 10_000 })
}

test('a year of 60 tenants: each row of the export adds up, and the sums are the charges less the refunds of the processor', async () => {
  const world = await mirrorWorld()
  const { stripe, store, clock, control, apiKey } = world
  const prices = await priceList(world)
  const tenants: Tenant[] = []
  for (let index = 0; index < 60; index += 1) tenants.push(await tenantOf(world, prices, index))
  for (let month = 1; month <= 12; month += 1) {
    for (const tenant of tenants) await act(world, prices, tenant, month)
    control.advance(monthS, apiKey)
  }
  await world.fill()
  await world.settle()
  const priceBook = createPriceBooks(store)
  const mirror = createMirror({ store: store.mirror, clock })
  await store.mirror.setState({ beganAt: clock.now() })
  const deps: MirrorReadDeps = { store, mirror, priceBook: () => priceBook(), currentSums: () => Promise.resolve() }
  const rows = await exported(deps)

  const paid = rows.filter(({ type }) => type === 'invoice' || type === 'payment')
  for (const row of paid) {
    const [subtotal, discount, tax] = [row.subtotal, row.discount, row.tax].map(cents) as [number, number, number]
    const [credit, balance, due] = [row.creditApplied, row.balanceApplied, row.amountDue].map(cents) as [
      number,
      number,
      number,
    ]
    expect([row.id, subtotal - discount + tax]).toEqual([row.id, cents(row.total)])
    expect([row.id, cents(row.total) - credit - balance]).toEqual([row.id, due])
  }
  const charges = (await all(stripe.charges.list({ limit: 100 }))).filter(({ status }) => status === 'succeeded')
  const refunds = (await all(stripe.refunds.list({ limit: 100 }))).filter(({ status }) => status === 'succeeded')
  const charged = charges.reduce((sum, { amount }) => sum + amount, 0)
  const refunded = refunds.reduce((sum, { amount }) => sum + amount, 0)
  const refundRows = rows.filter(({ type, status }) => type === 'refund' && status === 'succeeded')
  expect(sumOf(paid, 'amountPaid')).toBe(charged)
  expect(sumOf(refundRows, 'total')).toBe(refunded)
  expect(rows.every(({ tenantId }) => tenantId !== null)).toBe(true)

  // Nothing of this is empty: each kind of row and each column occurs.
  const kinds = new Set(rows.map(({ type, status }) => `${type} ${status}`))
  expect([...kinds].sort()).toEqual([
    'credit_note issued',
    'invoice open',
    'invoice paid',
    'invoice void',
    'payment paid',
    'refund succeeded',
  ])
  for (const column of ['discount', 'tax', 'taxIncluded', 'creditApplied', 'balanceApplied'] as const)
    expect([column, paid.some((row) => cents(row[column]) > 0)]).toEqual([column, true])
  expect(paid.some(({ balanceApplied }) => cents(balanceApplied) < 0)).toBe(true)

  // The lines of the processor ask what the column says.
  for (const invoice of await all(stripe.invoices.list({ limit: 100 }))) {
    const row = paid.find(({ id }) => id === invoice.id)
    const asked = invoice.lines.data.reduce((sum, { amount }) => sum + amount, 0)
    const credit = (invoice.total_pretax_credit_amounts ?? []).filter(({ type }) => type !== 'discount')
    const applied = credit.reduce((sum, { amount }) => sum + amount, 0)
    expect([invoice.id, cents(row?.subtotal ?? null)]).toEqual([invoice.id, asked])
    expect([invoice.id, cents(row?.creditApplied ?? null)]).toEqual([invoice.id, applied])
    if (invoice.status === 'paid' && invoice.ending_balance !== null)
      expect([invoice.id, cents(row?.balanceApplied ?? null)]).toEqual([
        invoice.id,
        invoice.ending_balance - invoice.starting_balance,
      ])
  }

  // The invoices of a tenant say the same, payments among them.
  for (const { id, customer } of tenants) {
    const { items } = await readTenantInvoices(deps, id, page)
    const own = paid.filter((row) => row.customer === processorId(customer))
    const shown = items.map((one) => [
      one.type,
      one.id,
      Number(one.total),
      Number(one.amountDue),
      Number(one.amountRefunded),
    ])
    const booked = own.map((row) => [
      row.type,
      row.id,
      cents(row.total),
      cents(row.amountDue),
      cents(row.amountRefunded),
    ])
    expect(shown.sort()).toEqual(booked.sort())
  }
})

test('while lists are read again after an upgrade, the export is refused and other reads are not', async () => {
  const world = await mirrorWorld()
  await world.fill()
  const { store, clock } = world
  const mirror = createMirror({ store: store.mirror, clock })
  await store.mirror.setState({ beganAt: clock.now(), filling: { kind: 'purchase', after: null, objects: 0 } })
  await expect(mirror.require()).resolves.toMatchObject({ stale: false })
  await expect(mirror.requireWhole()).rejects.toMatchObject({ code: 'mirror_filling', retryAfter: 5 })
  await world.fill()
  await expect(mirror.requireWhole()).resolves.toMatchObject({ stale: false })
})
