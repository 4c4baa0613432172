// The schema of the configuration document. The TypeScript type, the published JSON Schema, the OpenAPI component and the runtime check are
// derived from it. Relations between fields are not part of the schema; rules.ts checks them.
import { Type, type Static } from 'typebox'
import {
  ApiVersion,
  closed,
  Count,
  CurrencyField,
  Decimal,
  decimalPattern,
  Description,
  Id,
  LookupKey,
  Metadata,
  Minor,
  Name,
  PreviousIds,
  ProcessorId,
  StatementDescriptor,
  TaxCode,
  WebAddress,
  versionPattern,
  byCurrency,
} from './fields.ts'
import { GrantsCredit } from './credit-schema.ts'
import { Feature, ProductFeature } from './feature-schema.ts'
import { maxItemsTogether } from './prices/items-together.ts'
import { Coupon, PromotionCode } from './promotion-schema.ts'
import { Portal, type PortalFeatures, type PortalProduct } from './portal-schema.ts'
import { Tax, TaxRate } from './tax-schema.ts'

import { PriceUi, ProductUi } from './ui-schema.ts'

export { idPattern } from './fields.ts'
export { Feature } from './feature-schema.ts'
export { Coupon, PromotionCode } from './promotion-schema.ts'
export { Portal, PortalFeatures } from './portal-schema.ts'
export { Tax, TaxRate } from './tax-schema.ts'
export { PriceUi, ProductUi } from './ui-schema.ts'

export const Tier = Type.Object(
  {
    up_to: Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), Type.Literal('inf')], {
      description: 'Highest quantity of the tier; "inf" for the last tier.',
      examples: [1000, 'inf'],
    }),
    unit_amount: Type.Optional(Minor('Amount per unit in minor units.', 6)),
    unit_amount_decimal: Type.Optional(
      Decimal('Amount per unit in minor units with up to 12 decimals, in place of `unit_amount`.'),
    ),
    flat_amount: Type.Optional(
      Minor(
        'Amount in minor units for the whole tier. `graduated`: charged for each tier that the quantity reaches. `volume`: only for the tier reached.',
        300,
      ),
    ),
    flat_amount_decimal: Type.Optional(
      Decimal('Flat amount in minor units with up to 12 decimals, in place of `flat_amount`.'),
    ),
  },
  { ...closed, description: 'One tier of a tiered price: a unit amount, a flat amount, or both.' },
)

const amountIn = {
  amount: Type.Optional(Minor('Amount per unit in minor units of this currency.')),
  unit_amount_decimal: Type.Optional(
    Decimal('Amount per unit in minor units with up to 12 decimals, in place of `amount`.'),
  ),
  tiers: Type.Optional(
    Type.Array(Tier, {
      minItems: 1,
      maxItems: 100,
      description: 'Tiers with the same `up_to` as in the price’s own currency.',
    }),
  ),
  tax_included_in_price: Type.Optional(
    Type.Boolean({ description: 'Whether the amount includes tax. Default: as for the price itself.' }),
  ),
}

export const CurrencyOption = Type.Object(amountIn, {
  ...closed,
  description: 'Amounts of the price in another currency.',
})

export const TransformQuantity = Type.Object(
  {
    divide_by: Type.Integer({
      minimum: 2,
      maximum: 1_000_000_000,
      description: 'Units of one package.',
      examples: [1000],
    }),
    round: Type.Enum(['up', 'down'], {
      description: 'Whether an incomplete package is billed (`up`) or not (`down`).',
    }),
  },
  { ...closed, description: 'The quantity is divided into packages before it is billed. Not with tiers.' },
)

export const CustomUnitAmount = Type.Object(
  {
    minimum: Type.Optional(Minor('Minimum amount that the customer may choose, in minor units.', 500)),
    maximum: Type.Optional(Minor('Maximum amount, in minor units.', 50_000)),
    preset: Type.Optional(Minor('Preset amount, in minor units.', 2000)),
  },
  { ...closed, description: 'The customer chooses the amount. One-time prices only, in place of `amount`.' },
)

export const Price = Type.Object(
  {
    id: Id('Your id of the price, unique across all products.', 'pro_monthly'),
    amount: Type.Optional(
      Minor(
        'Amount per unit in minor units: 1200 is €12.00, but ¥1,200 and KWD 1.200. 0 makes a free price, which exists only in Ratecard.',
      ),
    ),
    unit_amount_decimal: Type.Optional(
      Decimal('Amount per unit in minor units with up to 12 decimals, in place of `amount`: "0.05" is $0.0005.'),
    ),
    tiers: Type.Optional(
      Type.Array(Tier, {
        minItems: 1,
        maxItems: 100,
        description: 'Tiers in ascending order, the last one up to "inf". In place of `amount`.',
        examples: [
          [
            { up_to: 1000, unit_amount: 5 },
            { up_to: 'inf', unit_amount: 3 },
          ],
        ],
      }),
    ),
    currency: CurrencyField('Lowercase three-letter currency code.'),
    interval: Type.Optional(
      Type.Enum(['day', 'week', 'month', 'year'], { description: 'Billing period. Without it the price is one-time.' }),
    ),
    interval_count: Type.Optional(
      Count('Number of intervals between bills, at most three years in all. Default 1.', 3),
    ),
    usage_type: Type.Optional(
      Type.Enum(['licensed', 'metered'], {
        description: 'Billed by quantity (`licensed`, the default) or by measured usage (`metered`, needs `meter`).',
      }),
    ),
    meter: Type.Optional(Id('Id of the meter that a metered price bills.', 'api_calls')),
    billing_scheme: Type.Optional(
      Type.Enum(['per_unit', 'tiered'], { description: 'One amount per unit (`per_unit`, the default) or `tiers`.' }),
    ),
    tiers_mode: Type.Optional(
      Type.Enum(['graduated', 'volume'], {
        description: '`graduated` (the default): each unit at its own tier. `volume`: all units at the tier reached.',
      }),
    ),
    tax_included_in_price: Type.Optional(
      Type.Boolean({ description: 'Whether the amount includes tax. Default: not specified at the processor.' }),
    ),
    currency_options: Type.Optional(
      byCurrency(CurrencyOption, 'Amounts in other currencies, by currency code, without the price’s own currency.', {
        usd: { amount: 1300 },
      }),
    ),
    transform_quantity: Type.Optional(TransformQuantity),
    custom_unit_amount: Type.Optional(CustomUnitAmount),
    lookup_key: Type.Optional(
      LookupKey(
        200,
        'Lookup key at the processor, with which your programs can find the price. Default: the id; a price that is adopted with `processor_id` keeps its key. If an earlier managed price has the new key, the key is moved to this price.',
        'Pro Monthly (2031)',
      ),
    ),
    nickname: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 5000,
        description: 'Internal name of the price. Customers do not see it.',
        examples: ['Pro, monthly, 2031'],
      }),
    ),
    trial_period_days: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 730,
        description:
          'Trial in days for a checkout that requests none. Recurring prices only. Not sent to the processor.',
        examples: [14],
      }),
    ),
    attached_prices: Type.Optional(
      Type.Array(Id('Id of a recurring price.', 'api_calls_usage'), {
        maxItems: maxItemsTogether - 1,
        description:
          'Ids of recurring prices that are always sold together with this one, in the same subscription. Metered prices are billed by usage, the others in the same quantity. Not sent to the processor.',
        examples: [['api_calls_usage']],
      }),
    ),
    grants_credit: Type.Optional(GrantsCredit),
    public: Type.Optional(
      Type.Boolean({
        description:
          '`false` hides the price from public responses. Default true; an enterprise price is never public.',
      }),
    ),
    default: Type.Optional(Type.Boolean({ description: 'The default price of its product, at most one.' })),
    enterprise_template: Type.Optional(Id('Name of the discount tier that this price belongs to.', 'partner')),
    enterprise_id: Type.Optional(Id('Id of the deal with a single customer that this price belongs to.', 'acme_2030')),
    base_price: Type.Optional(
      Id(
        'Id of the ordinary price that this enterprise price replaces. It may belong to another product. Default: the longest id of an ordinary price that its own id starts with, first among the prices of the same product.',
        'pro_monthly',
      ),
    ),
    percent_off_base: Type.Optional(
      Type.String({
        pattern: decimalPattern,
        description:
          'Discount of an enterprise price on its base price in per cent, more than 0 and at most 100. Use it instead of amount, tiers, packages and other currencies, which are then taken from the base price.',
        examples: ['20', '12.5'],
      }),
    ),
    metadata: Type.Optional(Metadata),
    previous_ids: Type.Optional(PreviousIds),
    processor_id: Type.Optional(ProcessorId),
    ui: Type.Optional(PriceUi),
  },
  { ...closed, description: 'A price of a product.' },
)

const Dimension = (description: string, example: number) =>
  Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000, description, examples: [example] })

export const PackageDimensions = Type.Object(
  {
    height: Dimension('Inches, up to 2 decimals.', 4),
    length: Dimension('Inches, up to 2 decimals.', 12.5),
    weight: Dimension('Ounces, up to 2 decimals.', 20),
    width: Dimension('Inches, up to 2 decimals.', 8),
  },
  { ...closed, description: 'Size and weight of the shipped package.' },
)

export const Product = Type.Object(
  {
    id: Id('Your id of the product, unique across products.', 'pro'),
    name: Name('Name for customers, e.g. on invoices.', 'Pro'),
    description: Type.Optional(Description('Longer text about the product for customers.')),
    type: Type.Optional(
      Type.Enum(['service', 'good'], {
        description: 'Type of the product. It cannot be changed later. Default: `service`.',
      }),
    ),
    tax_code: Type.Optional(TaxCode),
    unit_label: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 12,
        description: 'Name of one unit on receipts and invoices, in the checkout and in the customer portal.',
        examples: ['seat'],
      }),
    ),
    statement_descriptor: Type.Optional(StatementDescriptor),
    url: Type.Optional(WebAddress('URL of a public page about the product.', 'https://example.com/pro')),
    images: Type.Optional(
      Type.Array(WebAddress('Address of an image.', 'https://example.com/pro.png'), {
        minItems: 1,
        maxItems: 8,
        description: 'Addresses of up to 8 images for customers.',
        examples: [['https://example.com/pro.png']],
      }),
    ),
    marketing_features: Type.Optional(
      Type.Array(
        Type.String({
          minLength: 1,
          maxLength: 80,
          description: 'One feature, as the processor’s pricing tables show it.',
        }),
        {
          minItems: 1,
          maxItems: 15,
          description: 'Up to 15 features that the processor’s own pricing tables list.',
          examples: [['Unlimited notebooks', 'Shared shelves']],
        },
      ),
    ),
    shippable: Type.Optional(Type.Boolean({ description: 'Whether the product is shipped to the customer.' })),
    package_dimensions: Type.Optional(PackageDimensions),
    features: Type.Optional(
      Type.Array(ProductFeature, {
        description:
          'Features that subscribers of the product may use: ids of `features`, with the limit for features that have one.',
        examples: [['sso', { id: 'projects', limit: 10 }]],
      }),
    ),
    grandfather_features: Type.Optional(
      Type.Boolean({
        description:
          'If true, subscribers to an earlier version of a price keep the features and limits that the product had when that version was replaced. Default: false.',
      }),
    ),
    subscription_group: Type.Optional(
      Id('Name of a group of products. A tenant can have at most one product of a group at a time.', 'plan'),
    ),
    prices: Type.Optional(Type.Array(Price, { description: 'Prices of the product.' })),
    ui: Type.Optional(ProductUi),
    metadata: Type.Optional(Metadata),
    previous_ids: Type.Optional(PreviousIds),
    processor_id: Type.Optional(ProcessorId),
  },
  { ...closed, description: 'A product that you sell, with its prices.' },
)

const PayloadKey = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 100, description, examples: [example] })

export const Meter = Type.Object(
  {
    id: Id('Your id of the meter; metered prices name it.', 'api_calls'),
    display_name: Name('Name of the meter. Customers do not see it.', 'API calls'),
    event_name: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Name of the usage events that the meter counts, unique across meters.',
      examples: ['api_call'],
    }),
    default_aggregation: Type.Optional(
      Type.Object(
        {
          formula: Type.Enum(['sum', 'count', 'last'], {
            description: 'How the events of a period are aggregated. Default `sum`.',
          }),
        },
        { ...closed, description: 'How the usage of a period is calculated.' },
      ),
    ),
    customer_mapping: Type.Optional(
      Type.Object(
        {
          type: Type.Literal('by_id', { description: 'The payload contains the processor’s customer id.' }),
          event_payload_key: PayloadKey(
            'Payload key with the customer id. Default `stripe_customer_id`.',
            'stripe_customer_id',
          ),
        },
        { ...closed, description: 'Which member of an event contains its customer.' },
      ),
    ),
    value_settings: Type.Optional(
      Type.Object(
        { event_payload_key: PayloadKey('Payload key with the number. Default `value`.', 'value') },
        { ...closed, description: 'Which member of an event contains its value.' },
      ),
    ),
    event_time_window: Type.Optional(
      Type.Enum(['hour', 'day'], {
        description:
          'Window (hour or day) of preaggregated events: only the last event of each window counts. For meters with very many events. Fixed at creation. Default: each event counts.',
      }),
    ),
    previous_ids: Type.Optional(PreviousIds),
    processor_id: Type.Optional(ProcessorId),
  },
  { ...closed, description: 'A usage meter.' },
)

export const Webhook = Type.Object(
  {
    id: Type.Optional(
      Id(
        'Your id of the endpoint. Without an id, editing the URL creates a new endpoint with a new secret.',
        'billing_hook',
      ),
    ),
    url: Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'URL that events are delivered to: https, or http on loopback. May contain `${VARIABLES}`.',
      examples: ['https://${API_HOST}/hooks/billing'],
    }),
    events: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      minItems: 1,
      description: 'Event types to deliver, or `*` for all but those that the processor sends only by name.',
      examples: [['invoice.paid', 'customer.subscription.updated']],
    }),
    connect: Type.Optional(
      Type.Boolean({
        description:
          'Deliver the events of connected accounts instead of your own account’s. Fixed at creation. Default false.',
      }),
    ),
    description: Type.Optional(Description('Purpose of the endpoint.')),
    api_version: Type.Optional(ApiVersion),
    metadata: Type.Optional(Metadata),
    previous_ids: Type.Optional(PreviousIds),
    processor_id: Type.Optional(ProcessorId),
  },
  { ...closed, description: 'A webhook endpoint that the processor delivers events to.' },
)

export const BillingConfig = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: 'URL of this schema, for your editor. Ignored.' })),
    version: Type.String({
      pattern: versionPattern,
      description: 'Version of the document, MAJOR.MINOR.PATCH. Raise it with every change.',
      examples: ['1.0.0'],
    }),
    extra_currencies: Type.Optional(
      Type.Array(CurrencyField('A lowercase currency code.'), {
        description:
          'Currencies that the document may use besides the usual twenty. Several files: the codes of all of them.',
        examples: [['krw', 'huf']],
      }),
    ),
    webhooks: Type.Optional(
      Type.Array(Webhook, { description: 'Webhook endpoints that the processor delivers events to.' }),
    ),
    meters: Type.Optional(Type.Array(Meter, { description: 'Meters for usage-based prices.' })),
    features: Type.Optional(
      Type.Array(Feature, { description: 'Features that products entitle their subscribers to.' }),
    ),
    products: Type.Array(Product, { description: 'Products and their prices; at least one in the merged document.' }),
    coupons: Type.Optional(Type.Array(Coupon, { description: 'Coupons: the discounts that promotion codes give.' })),
    promotion_codes: Type.Optional(
      Type.Array(PromotionCode, { description: 'Promotion codes: what customers type to get a coupon.' }),
    ),
    tax_rates: Type.Optional(Type.Array(TaxRate, { description: 'Tax rates, which `tax` names.' })),
    tax: Type.Optional(Tax),
    portal: Type.Optional(Type.Array(Portal, { description: 'Configurations of the processor’s customer portal.' })),
  },
  {
    ...closed,
    $id: 'billing-config',
    title: 'Ratecard billing configuration',
    description: 'Products, prices, features, meters, webhooks, coupons, promotion codes, taxes and customer portals.',
  },
)

export type CurrencyOption = Static<typeof CurrencyOption>
export type Tier = Static<typeof Tier>
export type Price = Static<typeof Price>
export type Product = Static<typeof Product>
export type Meter = Static<typeof Meter>
export type Webhook = Static<typeof Webhook>
export type Coupon = Static<typeof Coupon>
export type PromotionCode = Static<typeof PromotionCode>
export type TaxRate = Static<typeof TaxRate>
export type Tax = Static<typeof Tax>
export type Portal = Static<typeof Portal>
export type PortalFeatures = Static<typeof PortalFeatures>
export type PortalProduct = Static<typeof PortalProduct>
export type BillingConfig = Static<typeof BillingConfig>
