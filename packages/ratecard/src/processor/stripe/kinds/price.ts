import type { Stripe } from 'stripe'
import { currencies } from '../../../base/money/currencies.ts'
import { processorId, type CanonicalTier, type ObservedResource } from '../../../catalog/resource.ts'
import type { CurrencyOptions } from '../../../catalog/kinds.ts'
import { flatAmountParams, isEmpty, observedAmount, observedTierAmount, unitAmountParams } from './amounts.ts'
import { changeParams, creationParams, readFields, updatableFields, type Translations } from './field-translation.ts'
import { changeableText, immutableField } from './same-member.ts'
import { idOf, known, ordinary, reasonsIn, unlessNull, type CreateOf, type KindAdapter, type UpdateOf } from './kind.ts'
import { unmanagedMembers } from './members.ts'
import { metadataChange, newMetadata, splitMetadata } from './metadata.ts'

const translations: Translations<'price', Stripe.Price, Stripe.PriceCreateParams, Stripe.PriceUpdateParams> = {
  product: {
    read: (price) => idOf(price.product),
    create: (product) => ({ product }),
  },
  currency: immutableField('currency'),
  interval: {
    read: (price) => known(['day', 'week', 'month', 'year'], price.recurring?.interval),
    create: (interval) => (interval === null ? {} : { recurring: { interval } }),
  },
  intervalCount: {
    read: (price) => price.recurring?.interval_count ?? 1,
    create: (count, { fields }) => (fields.interval === null ? {} : { recurring: { interval_count: count } }),
  },
  usageType: {
    read: (price) => known(['licensed', 'metered'], price.recurring?.usage_type) ?? 'licensed',
    create: (type, { fields }) => (fields.interval === null ? {} : { recurring: { usage_type: type } }),
  },
  meter: {
    read: (price) => (price.recurring?.meter ? processorId(price.recurring.meter) : null),
    create: (meter, { fields }) => (fields.interval === null || meter === null ? {} : { recurring: { meter } }),
  },
  billingScheme: {
    read: (price) => (isTiered(price) ? 'tiered' : 'per_unit'),
    create: (scheme) => ({ billing_scheme: scheme }),
  },
  tiersMode: {
    read: (price) => (isTiered(price) ? (known(['graduated', 'volume'], price.tiers_mode) ?? 'graduated') : null),
    create: (mode) => unlessNull('tiers_mode', mode),
  },
  unitAmount: {
    read: (price) => (isTiered(price) ? null : observedAmount(price.unit_amount, price.unit_amount_decimal)),
    create: (amount) => (amount === null ? {} : unitAmountParams(amount)),
  },
  tiers: {
    read: observeTiers,
    create: (tiers) => (tiers === null ? {} : { tiers: tiers.map(tierParams) }),
  },
  currencyOptions: {
    read: observeOptions,
    create: (options) => (isEmpty(options) ? {} : { currency_options: optionParams(options) }),
    update: (options) => ({ currency_options: isEmpty(options) ? '' : optionParams(options) }),
  },
  transformQuantity: {
    read: ({ transform_quantity: packages }) => {
      const round = known(['up', 'down'], packages?.round)
      return packages && round ? { divideBy: packages.divide_by, round } : null
    },
    create: (packages) =>
      packages === null ? {} : { transform_quantity: { divide_by: packages.divideBy, round: packages.round } },
  },
  customUnitAmount: {
    read: ({ custom_unit_amount: chosen }) =>
      chosen && { minimum: chosen.minimum, maximum: chosen.maximum, preset: chosen.preset },
    create: (chosen) =>
      chosen === null
        ? {}
        : {
            custom_unit_amount: {
              enabled: true,
              ...unlessNull('minimum', chosen.minimum),
              ...unlessNull('maximum', chosen.maximum),
              ...unlessNull('preset', chosen.preset),
            },
          },
  },
  lookupKey: {
    read: (price) => price.lookup_key ?? '',
    create: keyParams,
    update: keyParams,
  },
  nickname: changeableText('nickname'),
  taxBehavior: {
    read: (price) => known(['inclusive', 'exclusive'], price.tax_behavior) ?? 'unspecified',
    create: (behavior) => (behavior === 'unspecified' ? {} : { tax_behavior: behavior }),
    update: (behavior) => ({ tax_behavior: behavior }),
  },
}

const expand = ['tiers', 'currency_options', 'currency_options.tiers']
const listExpand = expand.map((member) => `data.${member}`)

export function priceAdapter(prices: Stripe['prices']): KindAdapter<'price', Stripe.Price> {
  const change = (id: string, params: Stripe.PriceUpdateParams) => ({
    operation: 'POST /v1/prices/:id',
    send: (options: Stripe.RequestOptions) => prices.update(id, { ...params, expand }, options),
  })
  const list = (filter: Stripe.PriceListParams) => ({
    operation: 'GET /v1/prices',
    page: (paging: Stripe.PaginationParams, options: Stripe.RequestOptions) =>
      prices.list({ ...filter, ...paging, expand: listExpand }, options),
  })
  return {
    kind: 'price',
    object: 'price',
    updatable: updatableFields(translations),
    create: (step) => ({
      operation: 'POST /v1/prices',
      send: (options) => prices.create({ ...newPriceParams(step), expand }, options),
    }),
    update: (step) => change(step.processorId, priceChangeParams(step)),
    archive: (id) => change(id, { active: false }),
    retrieve: (id) => ({
      operation: 'GET /v1/prices/:id',
      send: (options) => prices.retrieve(id, { expand }, options),
    }),
    search: (step) => list({ lookup_keys: [step.fields.lookupKey], active: true }),
    // Two lists are needed for all prices, because without this filter Stripe lists only active prices.
    lists: () => [list({ active: true }), list({ active: false })],
    observe: observePrice,
  }
}

export function newPriceParams(step: CreateOf<'price'>): Stripe.PriceCreateParams {
  return {
    ...(creationParams(translations, step) as Pick<Stripe.PriceCreateParams, 'currency'>),
    metadata: newMetadata(step.configId, step.fields.metadata),
  }
}

/** Takes the key over from the price that has it. */
function keyParams(key: string): { lookup_key: string; transfer_lookup_key: true } {
  return { lookup_key: key, transfer_lookup_key: true }
}

function tierParams(tier: CanonicalTier): Stripe.PriceCreateParams.Tier {
  return {
    up_to: tier.upTo ?? 'inf',
    ...(tier.unitAmount === null ? {} : unitAmountParams(tier.unitAmount)),
    ...(tier.flatAmount === null ? {} : flatAmountParams(tier.flatAmount)),
    // Stripe requires at least one amount per tier, so a free tier gets a unit amount of 0.
    ...(tier.unitAmount === null && tier.flatAmount === null ? { unit_amount: 0 } : {}),
  }
}

export function priceChangeParams(step: UpdateOf<'price'>): Stripe.PriceUpdateParams {
  return {
    ...(step.activate ? { active: true } : {}),
    ...changeParams(translations, step.set),
    ...metadataChange(step),
  }
}

export function observePrice(price: Stripe.Price): ObservedResource<'price'> {
  const { author, mark, companions } = splitMetadata(price.metadata)
  return {
    ...ordinary,
    ...unmanagedMembers('price', price),
    kind: 'price',
    processorId: processorId(price.id),
    active: price.active,
    fields: { ...readFields<'price'>(translations, price), metadata: author },
    mark,
    companions,
    created: price.created,
    unrepresentable: inexpressibleReasons(price),
    raw: null,
  }
}

function isTiered(price: Stripe.Price): boolean {
  return price.billing_scheme === 'tiered'
}

function observeTiers(price: Stripe.Price): CanonicalTier[] | null {
  if (!isTiered(price)) return null
  return tiersOf(price, price).map(observeTier)
}

/**
 * Returns the tiers of a price. Throws if the list is missing: Stripe sends it only if it is expanded, and without tiers the price would
 * seem to be free.
 */
function tiersOf({ tiers }: { readonly tiers?: readonly Stripe.Price.Tier[] }, { id }: Stripe.Price) {
  if (tiers === undefined) throw new TypeError(`the tiers of ${id} did not come with it`)
  return tiers
}

/** Returns the currency options of a price. Leaves out the price's main currency, which Stripe's map also contains. */
function observeOptions(price: Stripe.Price): CurrencyOptions {
  const others = Object.entries(price.currency_options ?? {}).filter(([currency]) => currency !== price.currency)
  return Object.fromEntries(
    others.map(([currency, option]) => [
      currency,
      {
        unitAmount: isTiered(price) ? null : observedAmount(option.unit_amount, option.unit_amount_decimal),
        tiers: isTiered(price) ? tiersOf(option, price).map(observeTier) : null,
        taxBehavior: known(['inclusive', 'exclusive'], option.tax_behavior) ?? 'unspecified',
      },
    ]),
  )
}

function optionParams(options: CurrencyOptions): Record<string, Stripe.PriceCreateParams.CurrencyOptions> {
  return Object.fromEntries(
    Object.entries(options).map(([currency, { unitAmount, tiers, taxBehavior }]) => [
      currency,
      {
        ...(unitAmount === null ? {} : asText(unitAmountParams(unitAmount))),
        ...(tiers === null ? {} : { tiers: tiers.map((tier) => asText(tierParams(tier))) }),
        ...(taxBehavior === 'unspecified' ? {} : { tax_behavior: taxBehavior }),
      },
    ]),
  )
}

/** Converts Decimal objects in nested parameters to text. Otherwise the SDK would serialize their internal members. */
function asText<T extends object>(params: T): T {
  return Object.fromEntries(
    Object.entries(params).map(([key, value]: [string, unknown]) => [
      key,
      typeof value === 'object' && value !== null ? (value as { toString(): string }).toString() : value,
    ]),
  ) as T
}

function observeTier(tier: Stripe.Price.Tier): CanonicalTier {
  return {
    upTo: tier.up_to,
    unitAmount: observedTierAmount(tier.unit_amount, tier.unit_amount_decimal),
    flatAmount: observedTierAmount(tier.flat_amount, tier.flat_amount_decimal),
  }
}

function inexpressibleReasons(price: Stripe.Price): string[] {
  const { recurring } = price
  const noInterval = known(['day', 'week', 'month', 'year'], recurring?.interval) === null
  const metered = recurring?.usage_type === 'metered'
  return reasonsIn({
    currency: !currencies.some((currency) => currency === price.currency),
    // True if an additional currency is unsupported, or lets the customer choose the amount although the price does not.
    currency_options: Object.entries(price.currency_options ?? {}).some(
      ([currency, option]) =>
        currency !== price.currency &&
        (!currencies.some((one) => one === currency) || (option.custom_unit_amount ?? null) !== null),
    ),
    transform_quantity:
      price.transform_quantity !== null && known(['up', 'down'], price.transform_quantity.round) === null,
    // True for a metered price without a meter. Such legacy prices used usage records, and can no longer be created.
    metered_without_meter: metered && !recurring.meter,
    'recurring.interval': recurring !== null && noInterval,
    'recurring.usage_type': recurring !== null && known(['licensed', 'metered'], recurring.usage_type) === null,
    billing_scheme: known(['per_unit', 'tiered'], price.billing_scheme) === null,
    tiers_mode: price.tiers_mode !== null && known(['graduated', 'volume'], price.tiers_mode) === null,
  })
}
