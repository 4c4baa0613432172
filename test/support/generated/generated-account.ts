// Generates an account at the processor from a seed: objects of every kind, with odd text, any currency, and values at the processor's
// limits. The objects are made with the Stripe SDK, as other programs make them.
import type { Stripe } from 'stripe'
import { taxTypes } from '../../../packages/ratecard/src/document/schema/tax-schema.ts'
import { currencies, currencyDecimals, isCurrency } from '../../../packages/ratecard/src/base/money/currencies.ts'
import { generatePortals } from './generated-portals.ts'

/** Texts as they occur in old accounts. All of them are legal at the processor. */
const oddTexts = [
  'Pro',
  '  spaces around  ',
  'two\nlines',
  'tab\tand\r\nreturn',
  'Über „Größe“ – naïve',
  'プロ版 👩‍💻🔥',
  'مخطط احترافي ‏',
  'ключ',
  '<b>"quotes" & \'apostrophes\'</b>',
  '${NOT_A_VARIABLE} and $${ESCAPED}',
  'line\u2028separator',
  '__proto__',
  '%s %d \\n',
  '=SUM(A1)',
]

/** Random choices from a seed; two generators with one seed make the same choices. */
export class Choices {
  #state: number

  constructor(seed: number) {
    this.#state = (seed * 2_654_435_761 + 1) >>> 0
  }

  /** Returns a whole number from 0 to `below - 1`. */
  number(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }

  one<T>(values: readonly T[]): T {
    return values[this.number(values.length)] as T
  }

  /** True in one of `times` cases. */
  rarely(times: number): boolean {
    return this.number(times) === 0
  }

  maybe<T extends object>(part: T): Partial<T> {
    return this.rarely(2) ? part : {}
  }

  /** Returns odd text of at most `length` characters, sometimes of exactly that length. */
  text(length: number): string {
    const text = this.one(oddTexts)
    return this.rarely(6) ? text.padEnd(length, 'x').slice(0, length).padEnd(length, 'x') : text.slice(0, length)
  }

  metadata(): Stripe.MetadataParam {
    const keys = this.one([0, 0, 1, 3, 48, 49, 50])
    const entries = Array.from({ length: keys }, (_, place) => {
      const key = place === 0 && this.rarely(3) ? 'k'.repeat(40) : `key ${String(place)} ${this.one(['é', 'x', '.'])}`
      return [key, place === 0 && this.rarely(3) ? 'v'.repeat(500) : this.one(oddTexts)]
    })
    return Object.fromEntries(entries) as Stripe.MetadataParam
  }
}

/** Fills the account of the client. The same seed makes the same objects, apart from the ids that the processor gives. */
export async function generateAccount(stripe: Stripe, seed: number): Promise<void> {
  const choose = new Choices(seed)
  const meters = await generateMeters(stripe, choose)
  const features = await generateFeatures(stripe, choose, seed)
  const products: string[] = []
  for (let place = 0; place < 1 + choose.number(4); place++) {
    const product = await generateProduct(stripe, choose, { place, features })
    products.push(product)
    await generatePrices(stripe, choose, { product, place, seed, meters })
    // The first product stays active: an account without any has no document.
    if (place > 0 && choose.rarely(5)) await stripe.products.update(product, { active: false })
  }
  const coupons = await generateCoupons(stripe, choose, products)
  await generateCodes(stripe, choose, coupons, seed)
  await generateWebhooks(stripe, choose)
  await generateTaxRates(stripe, choose)
  await generatePortals(stripe, choose)
}

async function generateMeters(stripe: Stripe, choose: Choices): Promise<string[]> {
  const active: string[] = []
  for (let place = 0; place < 1 + choose.number(2); place++) {
    const meter = await stripe.billing.meters.create({
      display_name: choose.text(250),
      event_name: choose.one([`calls_${String(place)}`, `api.calls ${String(place)}`, `вызов-${String(place)}`]),
      default_aggregation: { formula: choose.one(['sum', 'count', 'last'] as const) },
      ...choose.maybe({ customer_mapping: { type: 'by_id' as const, event_payload_key: 'account' } }),
      ...choose.maybe({ event_time_window: choose.one(['day', 'hour'] as const) }),
    })
    if (choose.rarely(4)) await stripe.billing.meters.deactivate(meter.id)
    else active.push(meter.id)
  }
  return active
}

async function generateFeatures(stripe: Stripe, choose: Choices, seed: number): Promise<string[]> {
  const ids: string[] = []
  for (let place = 0; place < 1 + choose.number(3); place++) {
    const key = `${choose.one(oddTexts).trim()} ${String(seed)}/${String(place)}`
    const feature = await stripe.entitlements.features.create({
      name: choose.text(80),
      lookup_key: choose.rarely(4) ? key.padEnd(80, 'y') : key,
      metadata: choose.metadata(),
    })
    if (choose.rarely(6)) await stripe.entitlements.features.update(feature.id, { active: false })
    else ids.push(feature.id)
  }
  return ids
}

async function generateProduct(
  stripe: Stripe,
  choose: Choices,
  { place, features }: { readonly place: number; readonly features: readonly string[] },
): Promise<string> {
  const images = Array.from({ length: choose.one([1, 8]) }, (_, at) => `https://example.com/${String(at)}.png?a=b&c`)
  const product = await stripe.products.create({
    name: choose.text(250),
    ...choose.maybe({ id: choose.one([`plan-${String(place)}`, `Plan_${String(place)}.v2`]) }),
    // A document cannot contain the bell, so the pulled item leaves this description out.
    ...choose.maybe({ description: choose.rarely(4) ? 'bell\u0007' : choose.text(5000) }),
    ...choose.maybe({ type: choose.one(['service', 'good'] as const) }),
    ...choose.maybe({ tax_code: 'txcd_10103001' }),
    ...choose.maybe({ statement_descriptor: choose.one(['EXAMPLE', 'A-22 character descr.']) }),
    ...choose.maybe({ url: 'https://example.com/ü?q=1#top' }),
    ...choose.maybe({ images }),
    ...choose.maybe({
      marketing_features: Array.from({ length: choose.one([1, 15]) }, () => ({ name: choose.text(80) })),
    }),
    ...choose.maybe({ shippable: choose.rarely(2) }),
    ...choose.maybe({ package_dimensions: { height: 0.01, length: 12.5, weight: 20, width: 99.99 } }),
    metadata: choose.metadata(),
  })
  for (const feature of features)
    if (choose.rarely(2)) await stripe.products.createFeature(product.id, { entitlement_feature: feature })
  return product.id
}

interface PricedProduct {
  readonly product: string
  readonly place: number
  readonly seed: number
  readonly meters: readonly string[]
}

async function generatePrices(stripe: Stripe, choose: Choices, { product, place, seed, meters }: PricedProduct) {
  const made: string[] = []
  for (let index = 0; index < 1 + choose.number(5); index++) {
    // Consecutive seeds go through all currencies.
    const currency = currencies[(seed * 7 + place * 5 + index) % currencies.length] ?? 'usd'
    const key = `${choose.one(oddTexts)} ${String(seed)}/${String(place)}/${String(index)}`
    const price = await stripe.prices.create({
      product,
      currency,
      ...choose.maybe({ lookup_key: choose.rarely(4) ? key.padEnd(200, 'z') : key }),
      ...choose.maybe({ nickname: choose.text(250) }),
      ...choose.maybe({ tax_behavior: choose.one(['inclusive', 'exclusive', 'unspecified'] as const) }),
      metadata: choose.metadata(),
      ...(choose.rarely(8) ? chosenByCustomer : amounts(choose, currency, meters)),
    })
    if (choose.rarely(5)) await stripe.prices.update(price.id, { active: false })
    else made.push(price.id)
  }
  const [first] = made
  if (first !== undefined && choose.rarely(2)) await stripe.products.update(product, { default_price: first })
}

type Params = Omit<Stripe.PriceCreateParams, 'currency' | 'product'>

/** Returns the interval of a price, at the processor's limit of three years in some cases. */
function rhythm(choose: Choices, meters: readonly string[]): Params {
  const meter = meters[0]
  const [interval, longest] = choose.one([
    ['day', 1095],
    ['week', 156],
    ['month', 36],
    ['year', 3],
  ] as const)
  const interval_count = choose.one([1, 1, 1, longest])
  const metered = meter !== undefined && choose.rarely(3) ? { usage_type: 'metered' as const, meter } : {}
  const trial = metered.meter === undefined && choose.rarely(8) ? { trial_period_days: 14 } : {}
  return { recurring: { interval, interval_count, ...metered, ...trial } }
}

/** Returns the amounts of a price, and how often it is paid: some are paid once, but tiered prices need an interval. */
function amounts(choose: Choices, currency: string, meters: readonly string[]): Params {
  const priced = money(choose, currency)
  return priced.tiers === undefined && choose.rarely(6) ? priced : { ...rhythm(choose, meters), ...priced }
}

/** Amounts of a price that is paid once, and whose amount the customer chooses. */
const chosenByCustomer: Params = { custom_unit_amount: { enabled: true, minimum: 1000, maximum: 90_000, preset: 5000 } }

/** Returns the amounts of a price. */
function money(choose: Choices, currency: string): Params {
  const other = (place: number) => currencies[(currencies.indexOf(currency as 'usd') + place) % currencies.length] ?? ''
  const amount = () => wholeAmount(choose, currency)
  switch (choose.number(7)) {
    case 0:
      return { unit_amount_decimal: choose.one(['0.000000000001', '0.5', '99999999.25']) } as unknown as Params
    case 1:
      return { ...tiers(choose, choose.one(['graduated', 'volume'])) }
    case 2: {
      const options = [1, 40, 80].map((place) => [other(place), { unit_amount: wholeAmount(choose, other(place)) }])
      return { unit_amount: amount(), currency_options: Object.fromEntries(options) as never }
    }
    case 3:
      return {
        unit_amount: amount(),
        transform_quantity: { divide_by: choose.one([2, 1000]), round: choose.one(['up', 'down']) },
      }
    default:
      return { unit_amount: amount() }
  }
}

const hasThreeDecimals = (currency: string) => isCurrency(currency) && currencyDecimals[currency] === 3

/** Returns an amount: 0, the largest, one of everyday, or one that the processor stores but does not charge in some currencies. */
function wholeAmount(choose: Choices, currency: string): number {
  const everyday = hasThreeDecimals(currency) ? 12_340 : 1200
  return choose.one([everyday, everyday, everyday, 0, 12_345, 99_999_900])
}

function tiers(choose: Choices, tiers_mode: 'graduated' | 'volume'): Params {
  return {
    billing_scheme: 'tiered',
    tiers_mode,
    tiers: [
      { up_to: 1, flat_amount: 1000 },
      { up_to: 1000, unit_amount: 50, flat_amount: 0 },
      ...(choose.rarely(2) ? [{ up_to: 100_000, unit_amount_decimal: '0.333333333333' as never }] : []),
      { up_to: 'inf', unit_amount: 0 },
    ],
  }
}

async function generateCoupons(stripe: Stripe, choose: Choices, products: readonly string[]): Promise<string[]> {
  const made: string[] = []
  for (let place = 0; place < 1 + choose.number(3); place++) {
    const currency = choose.one(currencies)
    const off = choose.rarely(2)
      ? { percent_off: choose.one([100, 33.33, 0.5]) }
      : {
          amount_off: 1000,
          currency,
          ...choose.maybe({
            currency_options: Object.fromEntries(
              currencies
                .filter((one) => one !== currency)
                .slice(0, 3)
                .map((one) => [one, { amount_off: 2000 }]),
            ),
          }),
        }
    const coupon = await stripe.coupons.create({
      ...off,
      ...choose.one([
        { duration: 'once' as const },
        { duration: 'forever' as const },
        { duration: 'repeating' as const, duration_in_months: 12 },
      ]),
      ...choose.maybe({ id: `COUPON-${String(place)}_x` }),
      ...choose.maybe({ name: choose.text(40) }),
      ...choose.maybe({ max_redemptions: choose.one([1, 1_000_000]) }),
      ...choose.maybe({ redeem_by: 1_924_991_999 }),
      ...choose.maybe({ applies_to: { products: [...products].slice(0, 1) } }),
      metadata: choose.metadata(),
    })
    made.push(coupon.id)
  }
  return made
}

async function generateCodes(stripe: Stripe, choose: Choices, coupons: readonly string[], seed: number): Promise<void> {
  const [coupon] = coupons
  if (coupon === undefined) return
  const { max_redemptions: most, redeem_by: end } = await stripe.coupons.retrieve(coupon)
  const customer = await stripe.customers.create({ name: choose.text(100) })
  for (let place = 0; place < 1 + choose.number(4); place++) {
    const code = await stripe.promotionCodes.create({
      promotion: { type: 'coupon', coupon },
      ...choose.maybe({ code: choose.one([`CODE-${String(place)}`, `code_${String(seed)}_${String(place)}`]) }),
      ...choose.maybe({ max_redemptions: most === null ? 50 : 1 }),
      ...(end === null ? {} : choose.maybe({ expires_at: Math.min(end, Math.floor(Date.now() / 1000) + 86_400 * 30) })),
      ...choose.maybe({ customer: customer.id }),
      ...choose.maybe({
        restrictions: {
          first_time_transaction: choose.rarely(2),
          ...choose.maybe({
            minimum_amount: 5000,
            minimum_amount_currency: 'usd',
            currency_options: { kwd: { minimum_amount: 1000 } },
          }),
        },
      }),
      metadata: choose.metadata(),
    })
    if (choose.rarely(4)) await stripe.promotionCodes.update(code.id, { active: false })
  }
}

async function generateWebhooks(stripe: Stripe, choose: Choices): Promise<void> {
  for (let place = 0; place < 1 + choose.number(3); place++) {
    const endpoint = await stripe.webhookEndpoints.create({
      url: `https://hooks.example.com/${String(place)}${choose.one(['', '?token=s3cr3t', '/T0/aB3dE5gH7jK9mN1pQ3sT'])}`,
      enabled_events: choose.one([['*'], ['invoice.paid', 'customer.created']] as const),
      ...choose.maybe({ description: choose.text(250) }),
      ...choose.maybe({ connect: choose.rarely(2) }),
      ...choose.maybe({ api_version: '2025-03-31.basil' as const }),
      metadata: choose.metadata(),
    })
    if (choose.rarely(4)) await stripe.webhookEndpoints.update(endpoint.id, { disabled: true })
  }
}

async function generateTaxRates(stripe: Stripe, choose: Choices): Promise<void> {
  for (let place = 0; place < 1 + choose.number(4); place++) {
    const rate = await stripe.taxRates.create({
      display_name: choose.text(50),
      percentage: choose.one([0, 100, 19, 8.875, 0.0001, 33.3333]),
      inclusive: choose.rarely(2),
      ...choose.maybe(choose.one([{ country: 'DE' }, { country: 'US', state: 'NY' }, { country: 'CA', state: 'QC' }])),
      ...choose.maybe({ jurisdiction: choose.text(50) }),
      ...choose.maybe({ description: choose.rarely(4) ? 'bell\u0007' : choose.text(5000) }),
      ...choose.maybe({ tax_type: choose.one(taxTypes) }),
      metadata: choose.metadata(),
    })
    if (choose.rarely(4)) await stripe.taxRates.update(rate.id, { active: false })
  }
}

/** Everything that the account has of the kinds that a document contains, as the processor returns it. */
export async function accountOf(stripe: Stripe): Promise<Readonly<Record<string, readonly object[]>>> {
  const all = async (list: AsyncIterable<object>) => {
    const objects: object[] = []
    for await (const object of list) objects.push(object)
    return objects
  }
  const expand = ['data.tiers', 'data.currency_options', 'data.currency_options.tiers']
  const products = (await all(stripe.products.list({ limit: 100 }))) as Stripe.Product[]
  const attached = products.map(async ({ id }) => {
    const { data } = await stripe.products.listFeatures(id, { limit: 100 })
    return { id, features: data.map(({ entitlement_feature: feature }) => feature.id) }
  })
  return {
    meters: await all(stripe.billing.meters.list({ limit: 100 })),
    features: await all(stripe.entitlements.features.list({ limit: 100 })),
    products,
    attached: await Promise.all(attached),
    prices: [
      ...(await all(stripe.prices.list({ active: true, limit: 100, expand }))),
      ...(await all(stripe.prices.list({ active: false, limit: 100, expand }))),
    ],
    coupons: await all(stripe.coupons.list({ limit: 100, expand: ['data.applies_to', 'data.currency_options'] })),
    codes: await all(stripe.promotionCodes.list({ limit: 100, expand: ['data.restrictions.currency_options'] })),
    webhooks: await all(stripe.webhookEndpoints.list({ limit: 100 })),
    taxRates: await all(stripe.taxRates.list({ limit: 100 })),
    portals: await all(
      stripe.billingPortal.configurations.list({
        limit: 100,
        expand: ['data.features.subscription_update.products'],
      }),
    ),
  }
}
