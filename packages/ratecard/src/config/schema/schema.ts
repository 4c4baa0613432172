// The schema of the configuration document. The TypeScript type, the published JSON Schema, the OpenAPI component and the runtime check are
// derived from it. It describes the shape only; rules.ts checks relations between fields.
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
import { Feature, ProductFeature } from './feature-schema.ts'
import { Coupon, PromotionCode } from './promotion-schema.ts'

import { PriceUi, ProductUi } from './ui-schema.ts'

export { idPattern } from './fields.ts'
export { Feature } from './feature-schema.ts'
export { Coupon, PromotionCode } from './promotion-schema.ts'
export { PriceUi, ProductUi } from './ui-schema.ts'

export const Tier = Type.Object(
  {
    up_to: Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), Type.Literal('inf')], {
      description: 'Last unit of the tier; "inf" for the last tier.',
      examples: [1000, 'inf'],
    }),
    unit_amount: Type.Optional(Minor('Amount per unit in minor units.', 6)),
    unit_amount_decimal: Type.Optional(
      Decimal('Amount per unit in minor units with up to 12 decimals, in place of `unit_amount`.'),
    ),
    flat_amount: Type.Optional(
      Minor('Amount in minor units that is charged once if the quantity reaches the tier.', 300),
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
    id: Id(
      'Your id of the price, unique across all products. It becomes the lookup key at the processor.',
      'pro_monthly',
    ),
    amount: Type.Optional(
      Minor(
        'Amount per unit in minor units: 1200 is €12.00, but ¥1,200. 0 makes a free price, which exists only in Ratecard.',
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
        'Id of the ordinary price that this enterprise price replaces. Default: the longest id of an ordinary price that its own id starts with.',
        'pro_monthly',
      ),
    ),
    percent_off_base: Type.Optional(
      Type.String({
        pattern: decimalPattern,
        description:
          'Per cent that an enterprise price is cheaper than its base price, more than 0 and at most 100. In place of amount, tiers, packages and other currencies, which follow the base price.',
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
    name: Name('Name on invoices and receipts.', 'Pro'),
    description: Type.Optional(Description('Longer text on invoices and receipts.')),
    type: Type.Optional(
      Type.Enum(['service', 'good'], { description: 'Fixed at creation: a change is refused. Default `service`.' }),
    ),
    tax_code: Type.Optional(TaxCode),
    unit_label: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 12,
        description: 'Name of one unit on invoices and in the checkout.',
        examples: ['seat'],
      }),
    ),
    statement_descriptor: Type.Optional(StatementDescriptor),
    url: Type.Optional(WebAddress('URL of a public page about the product.', 'https://example.com/pro')),
    images: Type.Optional(
      Type.Array(WebAddress('Address of an image.', 'https://example.com/pro.png'), {
        minItems: 1,
        maxItems: 8,
        description: 'Addresses of up to 8 images, the first one shown first.',
        examples: [['https://example.com/pro.png']],
      }),
    ),
    marketing_features: Type.Optional(
      Type.Array(
        Type.String({ minLength: 1, maxLength: 80, description: 'One feature, as the processor’s pages show it.' }),
        {
          minItems: 1,
          maxItems: 15,
          description: 'Up to 15 features that the processor’s own pricing pages list, in this order.',
          examples: [['Unlimited notebooks', 'Shared shelves']],
        },
      ),
    ),
    shippable: Type.Optional(Type.Boolean({ description: 'Whether the product is shipped to the customer.' })),
    package_dimensions: Type.Optional(PackageDimensions),
    features: Type.Optional(
      Type.Array(ProductFeature, {
        description:
          'What subscribers of the product may use: ids of `features`, and for features with a limit how much.',
        examples: [['sso', { id: 'projects', limit: 10 }]],
      }),
    ),
    grandfather_features: Type.Optional(
      Type.Boolean({
        description:
          'Subscribers to an earlier generation of a price keep the features and limits that the product gave when that price was replaced. Default false.',
      }),
    ),
    subscription_group: Type.Optional(
      Id('Products with the same group exclude each other: a tenant has at most one of them at a time.', 'plan'),
    ),
    prices: Type.Optional(Type.Array(Price, { description: 'Prices of the product.' })),
    ui: Type.Optional(ProductUi),
    metadata: Type.Optional(Metadata),
    previous_ids: Type.Optional(PreviousIds),
    processor_id: Type.Optional(ProcessorId),
  },
  { ...closed, description: 'Something you sell.' },
)

const PayloadKey = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 100, description, examples: [example] })

export const Meter = Type.Object(
  {
    id: Id('Your id of the meter; metered prices name it.', 'api_calls'),
    display_name: Name('Name of the meter on invoices and in dashboards.', 'API calls'),
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
        { ...closed, description: 'How usage is added up.' },
      ),
    ),
    customer_mapping: Type.Optional(
      Type.Object(
        {
          type: Type.Literal('by_id', { description: 'The payload carries the processor’s customer id.' }),
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
        'Your id of the endpoint. Without it, editing the URL makes a new endpoint with a new secret.',
        'billing_hook',
      ),
    ),
    url: Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'Where events are delivered; https, or http on loopback. May hold `${VARIABLES}`.',
      examples: ['https://${API_HOST}/hooks/billing'],
    }),
    events: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      minItems: 1,
      description: 'Event types to deliver, or `*` for all.',
      examples: [['invoice.paid', 'customer.subscription.updated']],
    }),
    connect: Type.Optional(
      Type.Boolean({ description: 'Deliver events of connected accounts. Fixed at creation. Default false.' }),
    ),
    description: Type.Optional(Description('What the endpoint is for.')),
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
  },
  {
    ...closed,
    $id: 'billing-config',
    title: 'Ratecard billing configuration',
    description: 'Products, prices, features, meters, webhooks, coupons and promotion codes.',
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
export type BillingConfig = Static<typeof BillingConfig>
