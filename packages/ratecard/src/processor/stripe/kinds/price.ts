import type { Stripe } from 'stripe'
import { currencies } from '../../../money/currencies.ts'
import { processorId } from '../../../catalog/resource.ts'
import type { CanonicalTier, ObservedResource, PriceFields, ProcessorId } from '../../../catalog/resource.ts'
import { flatAmountParams, observedAmount, observedTierAmount, unitAmountParams } from './amounts.ts'
import { idOf, known, reasons } from './kind.ts'
import type { CreateOf, KindAdapter, UpdateOf } from './kind.ts'
import { metadataChange, newMetadata, splitMetadata } from './metadata.ts'

const expand = ['tiers', 'currency_options']
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
    updatable: ['taxBehavior', 'metadata'],
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
    search: (step) => list({ lookup_keys: [step.configId], active: true }),
    // Without the filter only active prices come.
    lists: () => [list({ active: true }), list({ active: false })],
    observe: observePrice,
  }
}

export function newPriceParams({ configId, fields }: CreateOf<'price'>): Stripe.PriceCreateParams {
  return {
    product: fields.product,
    currency: fields.currency,
    billing_scheme: fields.billingScheme,
    ...(fields.unitAmount === null ? {} : unitAmountParams(fields.unitAmount)),
    ...(fields.tiers === null ? {} : { tiers: fields.tiers.map(tierParams) }),
    ...(fields.tiersMode === null ? {} : { tiers_mode: fields.tiersMode }),
    ...(fields.interval === null ? {} : { recurring: recurringParams(fields, fields.interval) }),
    ...(fields.taxBehavior === 'unspecified' ? {} : { tax_behavior: fields.taxBehavior }),
    lookup_key: configId,
    transfer_lookup_key: true,
    metadata: newMetadata(configId, fields.metadata),
  }
}

function recurringParams(fields: PriceFields<ProcessorId>, interval: string): Stripe.PriceCreateParams.Recurring {
  return {
    interval,
    interval_count: fields.intervalCount,
    usage_type: fields.usageType,
    ...(fields.meter === null ? {} : { meter: fields.meter }),
  }
}

function tierParams(tier: CanonicalTier): Stripe.PriceCreateParams.Tier {
  return {
    up_to: tier.upTo ?? 'inf',
    ...(tier.unitAmount === null ? {} : unitAmountParams(tier.unitAmount)),
    ...(tier.flatAmount === null ? {} : flatAmountParams(tier.flatAmount)),
    // A tier must say at least one amount.
    ...(tier.unitAmount === null && tier.flatAmount === null ? { unit_amount: 0 } : {}),
  }
}

export function priceChangeParams(step: UpdateOf<'price'>): Stripe.PriceUpdateParams {
  return {
    ...(step.activate ? { active: true } : {}),
    ...(step.claimLookupKey ? { lookup_key: step.configId, transfer_lookup_key: true } : {}),
    ...(step.set.taxBehavior === undefined ? {} : { tax_behavior: step.set.taxBehavior }),
    ...metadataChange(step),
  }
}

export function observePrice(price: Stripe.Price): ObservedResource<'price'> {
  if (price.billing_scheme === 'tiered' && price.tiers === undefined)
    throw new TypeError(`the tiers of ${price.id} did not come with it`)
  const { author, mark } = splitMetadata(price.metadata)
  const recurring = price.recurring
  const interval = known(['day', 'week', 'month', 'year'], recurring?.interval)
  const tiered = price.billing_scheme === 'tiered'
  return {
    kind: 'price',
    processorId: processorId(price.id),
    active: price.active,
    fields: {
      product: idOf(price.product),
      currency: price.currency,
      interval,
      intervalCount: recurring?.interval_count ?? 1,
      usageType: known(['licensed', 'metered'], recurring?.usage_type) ?? 'licensed',
      meter: recurring?.meter ? processorId(recurring.meter) : null,
      billingScheme: tiered ? 'tiered' : 'per_unit',
      tiersMode: tiered ? (known(['graduated', 'volume'], price.tiers_mode) ?? 'graduated') : null,
      unitAmount: tiered ? null : observedAmount(price.unit_amount, price.unit_amount_decimal),
      tiers: tiered ? (price.tiers ?? []).map(observeTier) : null,
      taxBehavior: known(['inclusive', 'exclusive'], price.tax_behavior) ?? 'unspecified',
      metadata: author,
    },
    mark,
    created: price.created,
    lookupKey: price.lookup_key,
    redeemed: 0,
    carried: 0,
    spent: false,
    unrepresentable: whatNoDocumentSays(price, interval === null),
    raw: null,
  }
}

function observeTier(tier: Stripe.Price.Tier): CanonicalTier {
  return {
    upTo: tier.up_to,
    unitAmount: observedTierAmount(tier.unit_amount, tier.unit_amount_decimal),
    flatAmount: observedTierAmount(tier.flat_amount, tier.flat_amount_decimal),
  }
}

function whatNoDocumentSays(price: Stripe.Price, noInterval: boolean): string[] {
  const { recurring } = price
  const metered = recurring?.usage_type === 'metered'
  return reasons({
    currency: !currencies.some((currency) => currency === price.currency),
    currency_options: Object.keys(price.currency_options ?? {}).some((currency) => currency !== price.currency),
    custom_unit_amount: price.custom_unit_amount !== null,
    transform_quantity: price.transform_quantity !== null,
    // Usage records were the way before meters; such a price cannot be made any more.
    metered_without_meter: metered && !recurring.meter,
    'recurring.interval': recurring !== null && noInterval,
    'recurring.usage_type': recurring !== null && known(['licensed', 'metered'], recurring.usage_type) === null,
    'recurring.trial_period_days': (recurring?.trial_period_days ?? null) !== null,
    billing_scheme: known(['per_unit', 'tiered'], price.billing_scheme) === null,
    tiers_mode: price.tiers_mode !== null && known(['graduated', 'volume'], price.tiers_mode) === null,
    tiers: (price.tiers ?? []).some((tier) => observeTier(tier).flatAmount?.includes('.') ?? false),
  })
}
