// Random catalogues with enterprise prices, random subscriptions, and their expected cost. The cost is calculated here independently
// from the documents, with fractions of integers and without the product's arithmetic.
import fc from 'fast-check'
import type { BillingConfig, Price, Tier } from '../../../packages/ratecard/src/document/schema/schema.ts'

export interface Offer {
  readonly base: string
  readonly metered: boolean
  readonly interval: 'month' | 'year'
  readonly first: Amount
  /** Amount of the base price in the second version. Null if unchanged. */
  readonly second: Amount | null
  readonly gold: Amount | null
  readonly silver: Amount | null
}

/** Minor units per unit as decimal text, or tiers. */
export type Amount = string | { readonly mode: 'graduated' | 'volume'; readonly tiers: readonly Tier[] }

export interface Bought {
  readonly interval: 'month' | 'year'
  /** Indexes of `offers`. Only offers with the subscription's interval are bought. */
  readonly offers: readonly number[]
  readonly quantity: number
  readonly trial: boolean
  readonly ending: boolean
}

export interface Case {
  readonly offers: readonly Offer[]
  readonly bought: readonly Bought[]
  readonly usageBefore: number
  readonly usageAfter: number
}

const unit = fc
  .tuple(fc.integer({ min: 1, max: 50_000 }), fc.constantFrom('', '', '', '.5', '.125', '.0000000001'))
  .map(([whole, part]) => `${String(whole)}${part}`)

const tiered = fc
  .record({
    mode: fc.constantFrom('graduated' as const, 'volume' as const),
    limit: fc.integer({ min: 1, max: 8 }),
    low: fc.integer({ min: 1, max: 900 }),
    high: fc.integer({ min: 1, max: 900 }),
    // Some currencies are charged only in multiples of 100 minor units.
    flat: fc.integer({ min: 0, max: 5 }).map((hundreds) => hundreds * 100),
  })
  .map(({ mode, limit, low, high, flat }): Amount => ({
    mode,
    tiers: [
      { up_to: limit, unit_amount: low, ...(flat === 0 ? {} : { flat_amount: flat }) },
      { up_to: 'inf', unit_amount: high },
    ],
  }))

const amount: fc.Arbitrary<Amount> = fc.oneof({ weight: 3, arbitrary: unit }, { weight: 1, arbitrary: tiered })

/** Every id but the first extends another one, for the search of the longest matching base id. */
const ids = ['plan', 'plan_a', 'plan_a_x', 'seat', 'seat-b', 'calls']

const offers = fc
  .array(
    fc.record({
      metered: fc.boolean(),
      interval: fc.constantFrom('month' as const, 'month' as const, 'year' as const),
      first: amount,
      second: fc.option(amount),
      gold: fc.option(amount, { freq: 4 }),
      silver: fc.option(amount),
    }),
    { minLength: 2, maxLength: ids.length },
  )
  .map((list) => list.map((offer, index): Offer => ({ ...offer, base: ids[index] ?? '' })))
  .filter((list) => list.some(({ gold }) => gold !== null))

const bought = fc.record({
  interval: fc.constantFrom('month' as const, 'month' as const, 'year' as const),
  offers: fc.uniqueArray(fc.nat(ids.length - 1), { minLength: 1, maxLength: 5 }),
  quantity: fc.integer({ min: 1, max: 40 }),
  trial: fc.boolean(),
  ending: fc.boolean(),
})

export const arbitraryCase: fc.Arbitrary<Case> = fc.record({
  offers,
  bought: fc.array(bought, { minLength: 1, maxLength: 3 }),
  usageBefore: fc.nat(500),
  usageAfter: fc.nat(500),
})

/** The offers that a subscription contains. */
export function itemsOf({ offers: all }: Case, { interval, offers: wanted }: Bought): readonly Offer[] {
  return wanted.flatMap((position) => all[position] ?? []).filter((offer) => offer.interval === interval)
}

export function documentOf({ offers: all }: Case, currency: Price['currency'], version: 1 | 2): BillingConfig {
  return {
    version: `${String(version)}.0.0`,
    extra_currencies: [currency],
    meters: all.filter(({ metered }) => metered).map(({ base }) => meterOf(base)),
    products: [
      {
        id: 'product',
        name: 'Product',
        prices: all.flatMap((offer) => [
          priceOf(offer, currency, offer.base, version === 2 ? (offer.second ?? offer.first) : offer.first),
          ...(offer.gold === null
            ? []
            : [{ ...priceOf(offer, currency, `${offer.base}.gold`, offer.gold), enterprise_template: 'gold' }]),
          ...(offer.silver === null
            ? []
            : [{ ...priceOf(offer, currency, `${offer.base}_silver`, offer.silver), enterprise_template: 'silver' }]),
        ]),
      },
    ],
  }
}

function meterOf(base: string) {
  return { id: `m_${base}`, display_name: base, event_name: eventOf(base) }
}

export const eventOf = (base: string) => `used_${base}`

function priceOf({ interval, metered, base }: Offer, currency: Price['currency'], id: string, of: Amount): Price {
  return {
    id,
    currency,
    interval,
    ...(metered ? { usage_type: 'metered' as const, meter: `m_${base}` } : {}),
    ...(typeof of === 'string'
      ? { unit_amount_decimal: of }
      : {
          billing_scheme: 'tiered' as const,
          tiers_mode: of.mode,
          tiers: [...of.tiers],
        }),
  }
}

const scale = 10n ** 12n

/** Cost of a quantity in minor units, rounded half up once. */
export function cost(of: Amount, quantity: number): number {
  return Number((2n * exact(of, quantity) + scale) / (2n * scale))
}

function exact(of: Amount, quantity: number): bigint {
  if (typeof of === 'string') return scaled(of) * BigInt(quantity)
  const [low, high] = of.tiers
  if (low === undefined || high === undefined || low.up_to === 'inf') throw new Error('two tiers are expected')
  const at = (tier: Tier, units: number) => scale * BigInt((tier.unit_amount ?? 0) * units + (tier.flat_amount ?? 0))
  if (of.mode === 'volume') return at(quantity <= low.up_to ? low : high, quantity)
  const above = Math.max(0, quantity - low.up_to)
  return at(low, quantity - above) + (above === 0 ? 0n : at(high, above))
}

function scaled(text: string): bigint {
  const [whole = '0', part = ''] = text.split('.')
  return BigInt(whole) * scale + BigInt(part.padEnd(12, '0'))
}
