// Fills a service like one of a team in its second year: 30 revisions with two rollbacks, 60 tenants (some on former prices, in another
// currency, past due, cancelled or with a deal), policies, workers, keys, webhooks, and edits at the processor that the files do not have.
import type { Client } from '../../../packages/client/src/client.ts'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import Stripe from 'stripe'
import { payPage } from './pay-page.ts'

const urls = { successUrl: 'http://127.0.0.1:9/', cancelUrl: 'http://127.0.0.1:9/' }
const monthly = { currency: 'eur', interval: 'month' } as const
const yearly = { currency: 'eur', interval: 'year' } as const
const usd = (amount: number) => ({ usd: { amount } })
const dayS = 86_400

/** The price list of revision 1. */
export const firstPrices = (): BillingConfig => ({
  version: '1.0.0',
  meters: [{ id: 'renders', display_name: 'Renders', event_name: 'render' }],
  features: [
    { id: 'boards', name: 'Boards', type: 'limit', unit: { one: 'board', other: 'boards' } },
    { id: 'sso', name: 'Single sign-on', type: 'switch' },
  ],
  products: [
    {
      id: 'solo',
      name: 'Solo',
      description: 'For one person who draws every day',
      subscription_group: 'plan',
      features: [{ id: 'boards', limit: 20 }],
      prices: [
        { id: 'solo_monthly', amount: 1200, ...monthly, currency_options: usd(1300), default: true },
        { id: 'solo_yearly', amount: 12_000, ...yearly, currency_options: usd(13_000) },
      ],
    },
    {
      id: 'studio',
      name: 'Studio',
      unit_label: 'seat',
      subscription_group: 'plan',
      features: [{ id: 'boards', limit: 50, per_quantity: true }, 'sso'],
      prices: [
        { id: 'studio_monthly', amount: 1400, ...monthly, default: true },
        { id: 'studio_yearly', amount: 14_000, ...yearly },
        { id: 'studio_monthly_gold', amount: 1100, ...monthly, public: false, enterprise_template: 'gold' },
        { id: 'studio_monthly_partner', amount: 900, ...monthly, public: false, enterprise_template: 'partner' },
        { id: 'studio_monthly_harbor', amount: 1000, ...monthly, public: false, enterprise_id: 'harbor' },
      ],
    },
    {
      id: 'render_farm',
      name: 'Render farm',
      prices: [
        {
          id: 'renders_monthly',
          ...monthly,
          usage_type: 'metered',
          meter: 'renders',
          billing_scheme: 'tiered',
          tiers_mode: 'graduated',
          tiers: [
            { up_to: 1000, flat_amount: 900 },
            { up_to: 10_000, unit_amount_decimal: '0.75' },
            { up_to: 'inf', unit_amount_decimal: '0.4' },
          ],
        },
      ],
    },
    { id: 'archive', name: 'Long archive', prices: [{ id: 'archive_monthly', amount: 500, ...monthly }] },
  ],
  coupons: [{ id: 'launch', name: 'Launch', percent_off: 20, duration: 'repeating', duration_in_months: 3 }],
  promotion_codes: [{ id: 'launch', code: 'LAUNCH20', coupon: 'launch' }],
  webhooks: [
    { id: 'shop', url: 'https://shop.example.com/hooks/billing', events: ['checkout.session.completed'] },
    { id: 'ledger', url: 'https://ledger.example.com/hooks', events: ['invoice.paid', 'invoice.payment_failed'] },
  ],
})

type Edit = readonly [why: string, (config: BillingConfig) => void]

const productOf = (config: BillingConfig, id: string) => {
  const product = config.products.find((one) => one.id === id)
  if (product === undefined) throw new Error(`the example has no product ${id}`)
  return product
}
const priceOf = (config: BillingConfig, id: string) => {
  const price = config.products.flatMap(({ prices }) => prices ?? []).find((one) => one.id === id)
  if (price === undefined) throw new Error(`the example has no price ${id}`)
  return price
}
const setAmount = (config: BillingConfig, id: string, amount: number) => {
  const price = priceOf(config, id)
  price.amount = amount
  if (price.currency_options !== undefined) price.currency_options = usd(amount + 100)
}
const raise = (id: string, amount: number): Edit => [`${id} costs more`, (config) => setAmount(config, id, amount)]
const describeAs = (id: string, description: string): Edit => [
  `Better words for ${id}`,
  (config) => void (productOf(config, id).description = description),
]
const addProduct = (id: string, name: string, amount: number): Edit => [
  `${name} is new`,
  ({ products }) => void products.push({ id, name, prices: [{ id: `${id}_monthly`, amount, ...monthly }] }),
]

/** Changes of the revisions 2 to 30 but for the two rollbacks. Revision 25 raises a price, changes tiers and adds a coupon. */
const edits: Readonly<Record<number, Edit>> = {
  2: raise('solo_monthly', 1300),
  3: addProduct('classroom', 'Classroom', 9900),
  4: describeAs('studio', 'For teams that draw together'),
  5: raise('solo_yearly', 13_000),
  6: raise('studio_monthly', 1500),
  7: addProduct('fonts', 'Font library', 700),
  8: describeAs('solo', 'For one person'),
  9: raise('solo_monthly', 1400),
  10: addProduct('review', 'Review links', 400),
  11: raise('studio_yearly', 15_500),
  13: ['Name of the farm', (config) => void (productOf(config, 'render_farm').name = 'Rendering')],
  14: raise('solo_monthly', 1500),
  15: addProduct('plotter', 'Plotter queue', 2900),
  16: describeAs('archive', 'Keeps every version for ten years'),
  17: [
    'The font library ends',
    (config) => void (config.products = config.products.filter(({ id }) => id !== 'fonts')),
  ],
  18: raise('studio_monthly', 1600),
  19: describeAs('classroom', 'For schools'),
  20: addProduct('backup', 'Backup', 600),
  21: raise('solo_monthly', 1600),
  23: ['Partners pay more', (config) => void (priceOf(config, 'studio_monthly_partner').amount = 1000)],
  24: describeAs('review', 'Clients comment without an account'),
  25: [
    'Autumn prices, agreed on 3 September',
    (config) => {
      setAmount(config, 'studio_monthly', 1900)
      priceOf(config, 'renders_monthly').tiers = [
        { up_to: 1000, flat_amount: 1200 },
        { up_to: 5000, unit_amount_decimal: '0.9' },
        { up_to: 'inf', unit_amount_decimal: '0.5' },
      ]
      config.coupons?.push({ id: 'schools', name: 'Schools', percent_off: 50, duration: 'forever' })
    },
  ],
  26: describeAs('plotter', 'Prints overnight'),
  27: raise('solo_yearly', 14_500),
  28: addProduct('stock', 'Stock pictures', 1900),
  29: describeAs('stock', 'A million pictures'),
  30: raise('solo_monthly', 1700),
}
const rollbacks: Readonly<Record<number, number>> = { 12: 10, 22: 20 }

const names = [
  'Acme Rockets',
  'Bergblick GmbH',
  'Café Żółta łódź',
  'Delta Print',
  'Éditions du Lac',
  'Fieldnotes',
  'Grønland Tegnestue',
  'Harbor & Sons',
  'Ítaca Estudio',
  'Joh. Lindqvist AB',
  'Kiln Collective',
  'Lumen Press',
]

/** Prices that the first tenants buy, and the revision that is current then. */
const sales: readonly { readonly at: number; readonly price: string; readonly seats?: number; readonly usd?: true }[] =
  [
    ...Array.from({ length: 8 }, (_, index) => ({
      at: 1,
      price: 'solo_monthly',
      ...(index > 5 ? { usd: true as const } : {}),
    })),
    ...Array.from({ length: 4 }, (_, index) => ({ at: 1, price: 'studio_monthly', seats: 3 + index * 4 })),
    ...Array.from({ length: 6 }, (_, index) => ({
      at: 9,
      price: 'solo_monthly',
      ...(index > 4 ? { usd: true as const } : {}),
    })),
    ...Array.from({ length: 3 }, () => ({ at: 11, price: 'studio_yearly', seats: 5 })),
    ...Array.from({ length: 5 }, (_, index) => ({ at: 18, price: 'studio_monthly', seats: 2 + index })),
    ...Array.from({ length: 3 }, () => ({ at: 20, price: 'renders_monthly' })),
    ...Array.from({ length: 6 }, () => ({ at: 30, price: 'solo_monthly' })),
    ...Array.from({ length: 5 }, (_, index) => ({ at: 30, price: 'studio_monthly', seats: 1 + index * 6 })),
  ]

interface Filling {
  readonly client: Client
  readonly sandboxUrl: string
  /** Key of the service's own account at the sandbox. */
  readonly sandboxKey: string
}

/** Fills the service. Returns the price list of the last revision. */
export async function fillService(filling: Filling): Promise<BillingConfig> {
  const { client } = filling
  for (let number = 0; number < 60; number++)
    await client.tenants.create({
      id: `t${String(number).padStart(2, '0')}`,
      name: `${names[number % names.length] ?? ''}${number < names.length ? '' : ` ${String(Math.floor(number / names.length) + 1)}`}`,
      email: `billing@t${String(number)}.example.com`,
    })
  const config = firstPrices()
  const author = 'mira@example.com'
  await client.admin.push(config, { author, message: 'First prices' })
  await sellAt(client, 1)
  for (let revision = 2; revision <= 30; revision++) {
    const [message, edit] = edits[revision] ?? ['', () => undefined]
    const back = rollbacks[revision]
    config.version = `1.${String(revision - 1)}.0`
    edit(config)
    const given = { author: revision % 3 === 0 ? 'jonas@example.com' : author, approveImpact: true }
    if (back === undefined) await client.admin.push(config, { ...given, message })
    else await client.admin.rollback(back, { ...given, message: 'Sales fell' })
    await sellAt(client, revision)
  }
  await makeDebts(filling)
  await makeDeals(client)
  await cancelSome(client)
  await fillOperations(client)
  await editAtProcessor(filling)
  return config
}

async function sellAt(client: Client, revision: number): Promise<void> {
  for (const [index, { at, price, seats, usd: inUsd }] of sales.entries())
    if (at === revision) {
      const { url } = await client.checkout.create({
        ...urls,
        tenantId: `t${String(index).padStart(2, '0')}`,
        priceId: price,
        ...(seats === undefined ? {} : { quantity: seats }),
        ...(inUsd === true ? { currency: 'usd' } : {}),
      })
      await payPage(url)
    }
}

const stripeOf = ({ sandboxUrl, sandboxKey }: Filling) => {
  const { hostname, port } = new URL(sandboxUrl)
  return new Stripe(sandboxKey, { protocol: 'http', host: hostname, port, maxNetworkRetries: 0, telemetry: false })
}

/** Three tenants whose card is declined at a renewal. Their customers live on test clocks that began 40 days ago. */
async function makeDebts(filling: Filling): Promise<void> {
  const stripe = stripeOf(filling)
  const now = Math.floor(Date.now() / 1000)
  const prices = await stripe.prices.list({ active: true, limit: 100 })
  const products = await stripe.products.list({ active: true, limit: 100 })
  const sold = new Set(products.data.filter(({ name }) => name === 'Solo' || name === 'Studio').map(({ id }) => id))
  for (const [index, amount] of [1700, 1900, 1900].entries()) {
    const clock = await stripe.testHelpers.testClocks.create({ frozen_time: now - 40 * dayS })
    const customer = await stripe.customers.create({ name: `Owing ${String(index + 1)}`, test_clock: clock.id })
    const pays = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id })
    const byDefault = (card: string) =>
      stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: card } })
    await byDefault(pays.id)
    const id = `owing-${String(index + 1)}`
    await filling.client.tenants.create({ id, name: `Owing ${String(index + 1)}`, processorCustomerId: customer.id })
    const price = prices.data.find(
      (one) => one.unit_amount === amount && typeof one.product === 'string' && sold.has(one.product),
    )
    await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: price?.id ?? '', quantity: index + 1 }],
      metadata: { ratecard_tenant: id },
    })
    const declined = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: customer.id })
    await byDefault(declined.id)
    await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: now })
  }
}

async function makeDeals(client: Client): Promise<void> {
  const given = { message: 'Signed on 1 October' }
  await client.enterprise.applyTemplate({ tenantId: 't08', enterpriseTemplate: 'gold' }, given)
  await client.enterprise.applyTemplate({ tenantId: 't21', enterpriseTemplate: 'partner' }, given)
  await client.enterprise.applyTemplate({ tenantId: 't22', enterpriseTemplate: 'partner' }, given)
  await client.enterprise.applyCustom({ tenantId: 't23', enterpriseId: 'harbor' }, given)
}

async function cancelSome(client: Client): Promise<void> {
  const given = { message: 'Asked by mail' }
  await client.subscription.cancel({ tenantId: 't02', when: 'now' }, given)
  await client.subscription.cancel({ tenantId: 't14', when: 'period_end' }, given)
  await client.subscription.pause({ tenantId: 't30' }, given)
}

const policies = {
  rules: [
    { id: 'gentle', rule: 'max_increase_percent', value: 10, severity: 'deny', reason: 'Promised to customers in May' },
    { id: 'few', rule: 'max_tenants_affected', value: 5, severity: 'warn', reason: 'Tell support before' },
    { id: 'money', rule: 'max_monthly_affected', value: { currency: 'eur', amount: 50_000 }, severity: 'warn' },
    {
      id: 'holidays',
      rule: 'freeze',
      value: { from: '2027-12-18', to: '2028-01-04' },
      severity: 'deny',
      reason: 'Nobody is there to answer',
    },
  ],
}

const workerOf = (source: string, crons: string[] = []) => ({
  modules: [{ name: 'worker.js', type: 'esm' as const, content: source }],
  main: 'worker.js',
  compatibilityDate: '2026-11-01',
  crons,
})

async function fillOperations(client: Client): Promise<void> {
  await client.admin.setPolicies(policies, { author: 'mira@example.com', message: 'After the spring' })
  for (const [name, scope] of [
    ['pull requests', 'read'],
    ['website', 'read'],
    ['Jonas', 'write'],
    ['Mira', 'owner'],
  ] as const)
    await client.admin.createKey(name, { scope })
  await client.workers.deploy(
    'price-watch',
    workerOf(
      `export default {
      fetch: () => new Response('watching'),
      scheduled: () => { console.log('12 prices compared'); throw new Error('The report was refused: 503') },
    }`,
      ['30 3 * * *', '*/5 * * * *'],
    ),
  )
  await client.workers.triggerCron('price-watch', '30 3 * * *')
  await client.workers.deploy(
    'billing-hooks',
    workerOf(`export default { fetch: () => { console.log('a hook arrived'); return new Response('ok') } }`),
  )
}

async function editAtProcessor(filling: Filling): Promise<void> {
  const stripe = stripeOf(filling)
  const { data } = await stripe.products.list({ active: true, limit: 100 })
  const studio = data.find(({ name }) => name === 'Studio')
  const stock = data.find(({ name }) => name === 'Stock pictures')
  if (studio === undefined || stock === undefined)
    throw new Error('the example has no products Studio and Stock pictures')
  await stripe.products.update(studio.id, { name: 'Studio (new)' })
  await stripe.products.update(stock.id, { description: 'Two million pictures' })
  await stripe.products.create({ name: 'Consulting day' })
  const prices = await stripe.prices.list({ active: true, limit: 100 })
  const backup = prices.data.find(({ unit_amount: amount }) => amount === 600)
  await stripe.prices.update(backup?.id ?? '', { active: false })
}

/** A further revision that changes much: prices, tiers, a removed product, new products. The policy `gentle` denies it. */
export function nextPrices(config: BillingConfig): BillingConfig {
  const next = structuredClone(config)
  next.version = '2.0.0'
  setAmount(next, 'solo_monthly', 2100)
  setAmount(next, 'studio_monthly', 2000)
  priceOf(next, 'renders_monthly').tiers = [
    { up_to: 500, flat_amount: 1200 },
    { up_to: 'inf', unit_amount_decimal: '0.8' },
  ]
  next.products = next.products.filter(({ id }) => id !== 'archive')
  next.products.push({ id: 'motion', name: 'Motion', prices: [{ id: 'motion_monthly', amount: 3900, ...monthly }] })
  return next
}

/** A price list of 600 prices, each with another amount for each `cents`. */
export const manyPrices = (version: string, cents: number): BillingConfig => ({
  version,
  products: Array.from({ length: 200 }, (_, product) => ({
    id: `p${String(product).padStart(3, '0')}`,
    name: `Product ${String(product)}`,
    prices: Array.from({ length: 3 }, (_, price) => ({
      id: `p${String(product).padStart(3, '0')}_${String(price)}`,
      amount: 1000 * (price + 1) + product + cents,
      ...monthly,
    })),
  })),
})
