// Generators of random valid documents and random edits of them, for properties that hold for every configuration.
import fc from 'fast-check'
import { isLocalPrice } from '../../../packages/ratecard/src/document/schema/ids.ts'
import {
  chargeStep,
  currencies,
  otherCurrencies,
  type Currency,
} from '../../../packages/ratecard/src/base/money/currencies.ts'
import type { FeatureLimit, ProductFeature } from '../../../packages/ratecard/src/document/schema/feature-schema.ts'
import type {
  BillingConfig,
  Coupon,
  Feature,
  Meter,
  Price,
  Product,
  PromotionCode,
  Tier,
  Webhook,
} from '../../../packages/ratecard/src/document/schema/schema.ts'
import { compact, metadata, optional, text, type Members } from './arbitrary-parts.ts'
import { portal, tax, taxRate } from './arbitrary-sales.ts'

/** Few ids, so that two random documents share most ids and differ in their members. */
const productIds = ['alpha', 'beta', 'gamma', 'delta']
const meterIds = ['calls', 'minutes', 'storage']
const featureIds = ['sso', 'audit_log', 'exports']
const couponIds = ['welcome', 'winter', 'alumni']
const codeIds = ['code_a', 'code_b', 'code_c']
const portalIds = ['self_service', 'partners']
const taxRateIds = ['vat', 'city_tax']
const webhookIds = ['billing', 'audit']

const decimal = fc
  .tuple(fc.nat(99_999), fc.integer({ min: 1, max: 999_999 }))
  .map(([whole, part]) => `${String(whole)}.${String(part).padStart(6, '0')}`)

const size = fc.integer({ min: 1, max: 9999 }).map((hundredths) => hundredths / 100)
const addresses = fc.uniqueArray(fc.constantFrom('https://example.com/1.png', 'https://example.com/2.png'), {
  minLength: 1,
})

const tierAmounts = fc.oneof(
  fc.record({ unit_amount: fc.nat(5000) }),
  fc.record({ unit_amount: fc.nat(5000), flat_amount: fc.nat(9000) }),
  fc.record({ flat_amount: fc.nat(9000) }),
  decimal.map((unit_amount_decimal) => ({ unit_amount_decimal })),
)

const tiers: fc.Arbitrary<Tier[]> = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 1, max: 100_000 }), { maxLength: 4 }),
    fc.array(tierAmounts, { minLength: 5, maxLength: 5 }),
  )
  .map(([bounds, amounts]) => {
    const ends: (number | 'inf')[] = [...bounds.sort((a, b) => a - b), 'inf']
    return ends.map((up_to, index) => ({ up_to, ...amounts[index] }))
  })

const interval = fc.constantFrom('day', 'week', 'month', 'year')

/** Members that must be generated together. */
type MoneyMembers = Pick<
  Price,
  | 'amount'
  | 'unit_amount_decimal'
  | 'tiers'
  | 'tiers_mode'
  | 'billing_scheme'
  | 'usage_type'
  | 'meter'
  | 'interval'
  | 'interval_count'
  | 'currency_options'
  | 'transform_quantity'
  | 'custom_unit_amount'
  | 'trial_period_days'
>
/** Members of enterprise prices and `default`. They have their own properties. */
type EnterpriseMember = 'enterprise_template' | 'enterprise_id' | 'base_price' | 'percent_off_base' | 'default'
/** Members that depend on other prices of the document. */
type LateMember = 'attached_prices' | 'grants_credit'

function money(meters: readonly string[]): fc.Arbitrary<Partial<MoneyMembers>> {
  const metered =
    meters.length === 0
      ? fc.constant({})
      : fc.record({ usage_type: fc.constant('metered' as const), meter: fc.constantFrom(...meters) })
  return fc.oneof(
    fc.record({ amount: fc.nat(500_000) }),
    fc.record({ amount: fc.nat(500_000), interval }),
    fc.record({ amount: fc.constant(0), interval }),
    fc.record({
      amount: fc.integer({ min: 1, max: 500_000 }),
      interval,
      interval_count: fc.integer({ min: 1, max: 3 }),
    }),
    decimal.map((unit_amount_decimal) => ({ unit_amount_decimal })),
    fc
      .tuple(fc.record({ amount: fc.integer({ min: 1, max: 5000 }), interval }), metered)
      .map(([a, b]) => ({ ...a, ...b })),
    fc
      .tuple(
        tiers,
        fc.constantFrom(undefined, 'graduated' as const, 'volume' as const),
        interval,
        fc.oneof(metered, fc.constant({})),
      )
      .map(([list, mode, every, usage]) =>
        compact<Partial<MoneyMembers>>({
          billing_scheme: 'tiered',
          tiers: list,
          tiers_mode: mode,
          interval: every,
          ...usage,
        }),
      ),
  )
}

const moreOfPrice = fc.record({
  options: optional(fc.uniqueArray(fc.constantFrom('usd' as const, 'gbp' as const, 'jpy' as const), { minLength: 1 })),
  packages: optional(fc.record({ divide_by: fc.integer({ min: 2, max: 1000 }), round: fc.constantFrom('up', 'down') })),
  amounts: fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 5, maxLength: 5 }),
  tax: optional(fc.boolean()),
})
type MoreOfPrice = typeof moreOfPrice extends fc.Arbitrary<infer Value> ? Value : never

/** Members that depend on the price's own scheme: the same scheme in every currency, packages without tiers. */
function moreFor(
  part: Partial<MoneyMembers>,
  currency: string,
  { options = [], packages, amounts, tax }: MoreOfPrice,
): Partial<Price> {
  const others = options.filter((one) => one !== currency)
  const option = compact({
    amount: part.tiers === undefined ? amounts[0] : undefined,
    tiers: part.tiers?.map(({ up_to }, index) => ({ up_to, unit_amount: amounts[index] ?? 1 })),
    tax_included_in_price: tax,
  })
  return compact<Partial<Price>>({
    currency_options: others.length === 0 ? undefined : Object.fromEntries(others.map((one) => [one, option])),
    transform_quantity: part.tiers === undefined ? packages : undefined,
  })
}

/** Makes amounts chargeable: in some currencies the processor charges only multiples of 10 or 100 minor units, e.g. 5.120 KWD. */
const stepOf = (currency: Currency) => chargeStep[currency] ?? 1

function inSteps(part: Partial<MoneyMembers>, currency: Currency): Partial<MoneyMembers> {
  const step = stepOf(currency)
  const { amount, tiers } = part
  return compact<Partial<MoneyMembers>>({
    ...part,
    amount: amount === undefined ? undefined : amount * step,
    tiers: tiers?.map((tier) =>
      tier.flat_amount === undefined ? tier : { ...tier, flat_amount: tier.flat_amount * step },
    ),
  })
}

function price(id: string, meters: readonly string[]): fc.Arbitrary<Price> {
  const members: Members<Price, keyof MoneyMembers | 'currency' | EnterpriseMember | LateMember> = {
    public: optional(fc.boolean()),
    tax_included_in_price: optional(fc.boolean()),
    lookup_key: optional(fc.constantFrom('', '/2022', ' ключ 🔥').map((end) => `Key of ${id}${end}`)),
    nickname: optional(text),
    metadata: optional(metadata),
    ui: optional(fc.record({ display_name: text })),
  }
  return fc
    .record({
      part: money(meters),
      currency: fc.constantFrom(...currencies),
      more: moreOfPrice,
      trial: optional(fc.integer({ min: 0, max: 730 })),
      ...members,
    })
    .map(({ part, more, trial, ...rest }) =>
      compact<Price>({
        id,
        ...rest,
        ...inSteps(part, rest.currency),
        ...moreFor(part, rest.currency, more),
        trial_period_days: part.interval === undefined ? undefined : trial,
      }),
    )
}

function product(id: string, meters: readonly string[], features: readonly string[]): fc.Arbitrary<Product> {
  const prices = fc
    .subarray(['monthly', 'yearly', 'once', 'usage'], { minLength: 0 })
    .chain((names) => fc.tuple(...names.map((name) => price(`${id}_${name}`, meters))))
  const members: Members<Product, 'prices' | 'type' | 'name'> = {
    description: optional(text),
    tax_code: optional(fc.constantFrom('txcd_10103001', 'txcd_99999999')),
    unit_label: optional(fc.constantFrom('seat', 'user')),
    statement_descriptor: optional(fc.constantFrom('EXAMPLE PRO', 'Alpha-99')),
    url: optional(fc.constantFrom('https://example.com/a', 'https://example.com/b?x=1')),
    images: optional(addresses),
    marketing_features: optional(fc.array(text, { minLength: 1, maxLength: 4 })),
    shippable: optional(fc.boolean()),
    features: optional(fc.subarray([...features]).chain((ids) => fc.tuple(...ids.map(productFeature)))),
    grandfather_features: optional(fc.boolean()),
    package_dimensions: optional(fc.record({ height: size, length: size, weight: size, width: size })),
    metadata: optional(metadata),
    ui: optional(fc.record({ badge: text })),
    subscription_group: optional(fc.constantFrom('plan', 'storage')),
  }
  return fc
    .record({ name: text, ...members, prices, chosen: fc.option(fc.nat(3), { nil: undefined }) })
    .map(({ prices: list, chosen, ...rest }) => {
      const withDefault = list.map((one, index) => (index === chosen ? { ...one, default: true } : one))
      // The type cannot change after creation, so every document has the same.
      return compact<Product>({
        id,
        type: id === 'delta' ? 'good' : 'service',
        ...rest,
        prices: withDefault.length === 0 ? undefined : withDefault,
      })
    })
}

/** This feature is a limit in every document, so that what a product says of it always fits. */
const isLimit = (id: string) => id === 'exports'

function productFeature(id: string): fc.Arbitrary<ProductFeature> {
  if (!isLimit(id)) return fc.constant(id)
  const limit = fc.oneof(fc.nat(1000), fc.constant('unlimited' as const))
  const more = { per_quantity: optional(fc.boolean()), beyond: optional(fc.constantFrom('deny', 'allow')) }
  return fc.record({ limit, ...more }).map((rest) => compact<FeatureLimit>({ id, ...rest }))
}

function feature(id: string): fc.Arbitrary<Feature> {
  const members: Members<Feature, 'name' | 'meter'> = {
    lookup_key: optional(fc.constantFrom(`Key of ${id}`, `${id}/2022`)),
    metadata: optional(metadata),
    type: isLimit(id) ? fc.constant('limit') : optional(fc.constant('switch')),
    unit: isLimit(id) ? optional(fc.constant('exports')) : fc.constant(undefined),
  }
  return fc.record({ ...members, name: text }).map((rest) => compact<Feature>({ id, ...rest }))
}

function meter(id: string): fc.Arbitrary<Meter> {
  const key = fc.constantFrom('account', 'stripe_customer_id')
  const members: Members<Meter, 'display_name' | 'event_name'> = {
    default_aggregation: optional(fc.record({ formula: fc.constantFrom('sum', 'count', 'last') })),
    customer_mapping: optional(fc.record({ type: fc.constant('by_id'), event_payload_key: key })),
    value_settings: optional(fc.record({ event_payload_key: fc.constantFrom('value', 'units') })),
    event_time_window: optional(fc.constantFrom('hour', 'day')),
  }
  return fc
    .record({ ...members, display_name: text, event_name: fc.constantFrom(id, `${id}_v2`) })
    .map((rest) => compact<Meter>({ id, ...rest }))
}

/** Options in further currencies, given the generator of one option. */
function inOtherCurrencies<Option>(option: (amount: number) => Option) {
  const amounts = fc.dictionary(fc.constantFrom('usd', 'gbp', 'jpy'), fc.integer({ min: 1, max: 9000 }), { minKeys: 1 })
  return optional(amounts).map((given) => (own: string): Record<string, Option> | undefined => {
    const others = Object.entries(given ?? {}).filter(([currency]) => currency !== own)
    return others.length === 0
      ? undefined
      : Object.fromEntries(others.map(([currency, amount]) => [currency, option(amount)]))
  })
}

function coupon(id: string, products: readonly string[]): fc.Arbitrary<Coupon> {
  const discount = fc.oneof(
    fc.record({ percent_off: fc.integer({ min: 1, max: 200 }).map((half) => half / 2) }),
    fc
      .record({
        amount_off: fc.integer({ min: 1, max: 9000 }),
        currency: fc.constantFrom(...currencies),
        others: inOtherCurrencies((amount_off) => ({ amount_off })),
      })
      .map(({ others, amount_off, currency }) =>
        compact<Partial<Coupon>>({
          currency,
          amount_off: amount_off * stepOf(currency),
          currency_options: others(currency),
        }),
      ),
  )
  const duration = fc.oneof(
    fc.record({ duration: fc.constantFrom('once' as const, 'forever' as const) }),
    fc.record({ duration: fc.constant('repeating' as const), duration_in_months: fc.integer({ min: 1, max: 24 }) }),
  )
  const members: Members<
    Coupon,
    'percent_off' | 'amount_off' | 'currency' | 'currency_options' | 'duration' | 'duration_in_months'
  > = {
    name: optional(fc.constantFrom('Welcome', 'Winter sale')),
    // A code must not allow more redemptions than its coupon.
    max_redemptions: optional(fc.integer({ min: 100, max: 500 })),
    redeem_by: optional(fc.constantFrom('2031-02-28T23:59:59Z', 1_924_991_999)),
    applies_to: optional(fc.subarray([...products], { minLength: Math.min(1, products.length) })),
    metadata: optional(metadata),
  }
  return fc
    .record({ discount, duration, ...members })
    .map(({ discount: off, duration: time, applies_to, ...rest }) =>
      compact<Coupon>({ id, ...off, ...time, ...rest, applies_to: applies_to?.length === 0 ? undefined : applies_to }),
    )
}

function code(id: string, coupons: readonly string[]): fc.Arbitrary<PromotionCode> {
  // The customer of a code must exist: every-field.slow.test.ts creates two.
  const members: Members<
    PromotionCode,
    'code' | 'coupon' | 'minimum_amount' | 'minimum_amount_currency' | 'currency_options' | 'customer'
  > = {
    active: optional(fc.boolean()),
    max_redemptions: optional(fc.integer({ min: 1, max: 100 })),
    first_time_transaction: optional(fc.boolean()),
    // Neither in the past nor after the end of a coupon.
    expires_at: optional(fc.constantFrom('2030-12-31T00:00:00Z', 1_893_456_000)),
    metadata: optional(metadata),
  }
  return fc
    .record({
      ...members,
      code: fc.constantFrom(id.toUpperCase(), `${id.toUpperCase()}-NEW`),
      coupon: fc.constantFrom(...coupons),
      minimum: optional(
        fc
          .record({
            minimum_amount: fc.integer({ min: 1, max: 5000 }),
            minimum_amount_currency: fc.constantFrom(...currencies),
            others: inOtherCurrencies((minimum_amount) => ({ minimum_amount })),
          })
          .map(({ others, ...own }) =>
            compact<Partial<PromotionCode>>({ ...own, currency_options: others(own.minimum_amount_currency) }),
          ),
      ),
    })
    .map(({ minimum, ...rest }) => compact<PromotionCode>({ id, ...rest, ...minimum }))
}

function webhook(id: string): fc.Arbitrary<Webhook> {
  const members: Members<Webhook, 'url' | 'events'> = {
    connect: optional(fc.boolean()),
    description: optional(text),
    api_version: optional(fc.constantFrom('2025-03-31.basil', '2024-06-20')),
    metadata: optional(metadata),
  }
  return fc
    .record({
      ...members,
      events: fc.subarray(['invoice.paid', 'invoice.created', 'charge.refunded'], { minLength: 1 }),
      path: fc.constantFrom('a', 'b'),
    })
    .map(({ path, ...rest }) => compact<Webhook>({ id, url: `https://hooks.example.com/${id}/${path}`, ...rest }))
}

const some = (ids: readonly string[], minLength = 0) => fc.subarray([...ids], { minLength })

/**
 * Attaches prices to others that can be sold with them: of the prices with the same terms, the second, fourth, … to the first, third, ….
 * `most` limits their number.
 */
function withAttached(products: readonly Product[], most: readonly number[]): Product[] {
  const listed = products.flatMap((product) => (product.prices ?? []).map((price) => ({ product, price })))
  const byTerms = Object.groupBy(
    listed.filter(({ price }) => price.interval !== undefined && !isLocalPrice(price)),
    ({ price: { currency, currency_options: options = {}, interval, interval_count: count = 1 } }) =>
      JSON.stringify([currency, Object.keys(options).sort(), interval, count]),
  )
  const attached = new Map<string, string[]>()
  for (const [index, alike = []] of Object.values(byTerms).entries()) {
    const others = alike.filter((_one, at) => at % 2 === 1)
    for (const { product, price } of alike.filter((_one, at) => at % 2 === 0)) {
      const fits = others.filter(
        (one) =>
          (one.price.public !== false || price.public === false) &&
          (one.product.id === product.id ||
            product.subscription_group === undefined ||
            one.product.subscription_group !== product.subscription_group),
      )
      const ids = fits.slice(0, most[index % most.length]).map((one) => one.price.id)
      if (ids.length > 0) attached.set(price.id, ids)
    }
  }
  return products.map((product) => ({
    ...product,
    ...(product.prices && {
      prices: product.prices.map((price) => compact<Price>({ ...price, attached_prices: attached.get(price.id) })),
    }),
  }))
}

/** Lets some of the prices that are paid in advance grant credit, with and without meters. The entries of `most` decide which. */
function withCredits(products: readonly Product[], most: readonly number[]): Product[] {
  const billed = new Set(products.flatMap(({ prices = [] }) => prices.flatMap(({ meter: id }) => id ?? [])))
  return products.map((product) => ({
    ...product,
    ...(product.prices && {
      prices: product.prices.map((price, index) => {
        const amount = most[index % most.length] ?? 0
        if (amount === 0 || price.usage_type === 'metered' || isLocalPrice(price)) return price
        const meters = [...billed].slice(0, amount - 1)
        return compact<Price>({
          ...price,
          grants_credit: compact<NonNullable<Price['grants_credit']>>({
            amount: amount * 1000,
            currency: index % 2 === 0 ? undefined : price.currency,
            expires_after_days: amount === 1 ? 30 : undefined,
            meters: meters.length === 0 ? undefined : meters,
          }),
        })
      }),
    }),
  }))
}

/** Generates a valid document. Two of them share most ids, so a pair is a realistic change. */
export const arbitraryConfig: fc.Arbitrary<BillingConfig> = fc
  .record({
    products: some(productIds, 1),
    meters: some(meterIds),
    features: some(featureIds),
    coupons: some(couponIds),
    codes: some(codeIds),
    rates: some(taxRateIds),
    portals: some(portalIds),
    webhooks: some(webhookIds),
  })
  .chain(({ products, meters, features, coupons, codes, rates, portals, webhooks }) =>
    fc.record({
      version: fc.tuple(fc.nat(3), fc.nat(9), fc.nat(9)).map((parts) => parts.join('.')),
      products: fc.tuple(...products.map((id) => product(id, meters, features))),
      meters: fc.tuple(...meters.map(meter)),
      features: fc.tuple(...features.map(feature)),
      coupons: fc.tuple(...coupons.map((id) => coupon(id, products))),
      promotion_codes:
        coupons.length === 0 ? fc.constant<PromotionCode[]>([]) : fc.tuple(...codes.map((id) => code(id, coupons))),
      taxed: fc
        .tuple(...rates.map(taxRate))
        .chain((tax_rates) => fc.record({ tax_rates: fc.constant(tax_rates), tax: tax(tax_rates) })),
      portalsOf: fc.tuple(...portals.map(portal)),
      webhooks: fc.tuple(...webhooks.map(webhook)),
      most: fc.array(fc.nat(2), { minLength: 3, maxLength: 3 }),
    }),
  )
  .map(({ products, most, meters, features, coupons, promotion_codes, taxed, portalsOf, webhooks, ...rest }) =>
    compact<BillingConfig>({
      ...rest,
      extra_currencies: otherCurrencies,
      products: withCredits(withAttached(products, most), most),
      meters: meters.length === 0 ? undefined : meters,
      features: features.length === 0 ? undefined : features,
      coupons: coupons.length === 0 ? undefined : coupons,
      promotion_codes: promotion_codes.length === 0 ? undefined : promotion_codes,
      tax_rates: taxed.tax_rates.length === 0 ? undefined : taxed.tax_rates,
      tax: taxed.tax,
      portal: portalsOf.length === 0 ? undefined : portalsOf.map((of) => of(products)),
      webhooks: webhooks.length === 0 ? undefined : webhooks,
    }),
  )
