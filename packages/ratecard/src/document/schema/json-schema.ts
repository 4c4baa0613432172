// The published JSON Schema: the document's schema plus hints for editors. Validation does not use it, because rules.ts checks more than a
// schema can express.
import { currencies, currencyNames, otherCurrencies, standardCurrencies } from '../../base/money/currencies.ts'
import { currencyPattern } from './fields.ts'
import { membersOfBase } from './prices/percent-off.ts'
import { BillingConfig } from './schema.ts'
import { webhookEvents } from './webhook-events.generated.ts'

type Schema = Record<string, unknown>

// Default values that editors show. They are not in schema.ts, because a serializer with that schema would add them to responses.
const defaults: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  product: { type: 'service' },
  price: {
    interval_count: 1,
    usage_type: 'licensed',
    billing_scheme: 'per_unit',
    tiers_mode: 'graduated',
    public: true,
    default: false,
  },
  webhook: { connect: false },
  promotion_code: { active: true, first_time_transaction: false },
  tax_rate: { active: true },
}

const enumWords: Readonly<Record<string, string>> = {
  ...currencyNames,
  day: 'Billed every day',
  week: 'Billed every week',
  month: 'Billed every month',
  year: 'Billed every year',
  licensed: 'Billed by quantity, in advance',
  metered: 'Billed by measured usage, afterwards; needs `meter` and `interval`',
  per_unit: 'One amount for every unit',
  tiered: 'The amount depends on the quantity; needs `tiers` and `interval`',
  graduated: 'Each unit at the price of its own tier',
  volume: 'All units at the price of the tier that the quantity reaches',
  service: 'A service or software',
  good: 'A physical product that is shipped',
  sum: 'The values of all events added up',
  count: 'The number of events',
  last: 'The value of the last event',
  once: 'The first invoice',
  repeating: 'The invoices of `duration_in_months` months',
  forever: 'Every bill',
}

const requiring = (...fields: string[]): Schema => ({ required: fields })
const havingField = (field: string): Schema => ({ required: [field] })
const hasValue = (field: string, value: unknown): Schema => ({
  properties: { [field]: { const: value } },
  required: [field],
})
const withoutFields = (...fields: string[]): Schema => ({
  properties: Object.fromEntries(fields.map((field) => [field, false])),
})
const ifThen = (condition: Schema, consequence: Schema): Schema => ({ if: condition, then: consequence })

/** A feature of a portal configuration that is on. */
const isOn: Schema = { properties: { enabled: { not: { const: false } } } }

/** Returns a JSON Schema condition on the amounts of one additional currency of a price. */
const inCurrency = (currency: string, option: Schema | false): Schema => ({
  properties: { currency_options: { properties: { [currency]: option } } },
})
const inEachCurrency = (option: Schema): Schema => ({
  properties: { currency_options: { additionalProperties: option } },
})

/** Pattern of a percentage that is more than 0 and at most 100. */
const percentPattern = '^(?!0+(\\.0+)?$)(\\d{1,2}(\\.\\d{1,12})?|100(\\.0{1,12})?)$'

/** Conditions between the members of one object, as far as JSON Schema can express them. */
const relations: Readonly<Record<string, readonly Schema[]>> = {
  price: [
    {
      oneOf: [
        havingField('amount'),
        havingField('unit_amount_decimal'),
        havingField('tiers'),
        havingField('custom_unit_amount'),
        havingField('percent_off_base'),
      ],
    },
    ifThen(havingField('percent_off_base'), withoutFields(...membersOfBase)),
    { properties: { percent_off_base: { pattern: percentPattern } } },
    ifThen(havingField('tiers'), { ...hasValue('billing_scheme', 'tiered') }),
    ifThen(hasValue('billing_scheme', 'tiered'), requiring('tiers', 'interval')),
    ifThen(havingField('tiers_mode'), requiring('tiers')),
    { if: hasValue('usage_type', 'metered'), then: requiring('meter', 'interval'), else: withoutFields('meter') },
    ifThen(havingField('interval_count'), requiring('interval')),
    ifThen(havingField('trial_period_days'), requiring('interval')),
    ifThen({ properties: { attached_prices: { minItems: 1 } }, required: ['attached_prices'] }, requiring('interval')),
    ifThen(havingField('grants_credit'), withoutFields('meter')),
    {
      if: havingField('tiers'),
      then: inEachCurrency(requiring('tiers')),
      else: inEachCurrency(withoutFields('tiers')),
    },
    ...currencies.map((currency) => ifThen(hasValue('currency', currency), inCurrency(currency, false))),
    ifThen(havingField('transform_quantity'), withoutFields('tiers', 'custom_unit_amount')),
    ifThen(havingField('custom_unit_amount'), withoutFields('interval', 'currency_options')),
    ...Object.entries({ day: 1095, week: 156, month: 36, year: 3 }).map(([interval, maximum]) =>
      ifThen(hasValue('interval', interval), { properties: { interval_count: { maximum } } }),
    ),
    {
      if: { anyOf: [havingField('enterprise_template'), havingField('enterprise_id')] },
      then: { properties: { public: { const: false }, default: { const: false } } },
      else: withoutFields('base_price', 'percent_off_base'),
    },
    { not: requiring('enterprise_template', 'enterprise_id') },
  ],
  tier: [
    {
      anyOf: [
        havingField('unit_amount'),
        havingField('unit_amount_decimal'),
        havingField('flat_amount'),
        havingField('flat_amount_decimal'),
      ],
    },
    { not: requiring('unit_amount', 'unit_amount_decimal') },
    { not: requiring('flat_amount', 'flat_amount_decimal') },
  ],
  currency_option: [{ oneOf: [havingField('amount'), havingField('unit_amount_decimal'), havingField('tiers')] }],
  feature: [{ if: hasValue('type', 'metered'), then: requiring('meter'), else: withoutFields('meter') }],
  coupon: [
    { oneOf: [havingField('percent_off'), havingField('amount_off')] },
    { if: havingField('amount_off'), then: requiring('currency'), else: withoutFields('currency', 'currency_options') },
    ...currencies.map((currency) => ifThen(hasValue('currency', currency), inCurrency(currency, false))),
    {
      if: hasValue('duration', 'repeating'),
      then: requiring('duration_in_months'),
      else: withoutFields('duration_in_months'),
    },
  ],
  tax: [{ not: requiring('automatic', 'rates') }],
  portal_features: [
    {
      if: { required: ['subscription_update'], properties: { subscription_update: isOn } },
      then: { required: ['payment_method_update'], properties: { payment_method_update: isOn } },
    },
  ],
  promotion_code: [
    { dependentRequired: { minimum_amount: ['minimum_amount_currency'], minimum_amount_currency: ['minimum_amount'] } },
    ifThen(havingField('currency_options'), requiring('minimum_amount')),
    ...currencies.map((currency) => ifThen(hasValue('minimum_amount_currency', currency), inCurrency(currency, false))),
  ],
}

/**
 * Returns the JSON Schema (draft 2020-12) of one configuration file for editors, with descriptions, examples, defaults and event names.
 * `publicUrl` is the base URL of the service that serves the schema.
 */
export function publishedSchema(publicUrl?: string): Schema {
  const { $id: _id, ...root } = plainSchema(BillingConfig)
  const product = itemsOf(root, 'products')
  const price = itemsOf(product, 'prices')
  const webhook = itemsOf(root, 'webhooks')
  const kinds: Record<string, Schema> = {
    product,
    price,
    tier: itemsOf(price, 'tiers'),
    webhook,
    coupon: itemsOf(root, 'coupons'),
    promotion_code: itemsOf(root, 'promotion_codes'),
    tax_rate: itemsOf(root, 'tax_rates'),
    tax: fieldOf(root, 'tax'),
    portal_features: fieldOf(itemsOf(root, 'portal'), 'features'),
  }
  currencyOf(price)['allOf'] = relations['currency_option']
  // Editors can complete the keys of a map only if the schema lists the keys by name, not if it has a pattern.
  for (const schema of [price, kinds['coupon'], kinds['promotion_code']])
    fieldOf(schema ?? {}, 'currency_options')['propertyNames'] = { enum: currencies }
  for (const [kind, schema] of Object.entries(kinds)) {
    if (relations[kind] !== undefined) schema['allOf'] = relations[kind]
    for (const [field, value] of Object.entries(defaults[kind] ?? {})) fieldOf(schema, field)['default'] = value
  }
  suggestEvents(webhook)
  fieldOf(product, 'features')['uniqueItems'] = true
  fieldOf(fieldOf(root, 'tax'), 'rates')['uniqueItems'] = true
  const portal = itemsOf(root, 'portal')
  const offered = fieldOf(fieldOf(fieldOf(portal, 'features'), 'subscription_update'), 'products')
  for (const form of (offered['anyOf'] as Schema[]).filter(isList))
    fieldOf(form['items'] as Schema, 'prices')['uniqueItems'] = true
  const isDefault = { properties: { default: { const: true } }, required: ['default'] }
  fieldOf(root, 'portal')['allOf'] = [{ contains: isDefault, minContains: 0, maxContains: 1 }]
  listCurrencies(root, price)
  addHints(root)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...(publicUrl === undefined ? {} : { $id: `${publicUrl.replace(/\/+$/, '')}/api/v1/billing/schema` }),
    ...root,
  }
}

/**
 * Lists the standard currencies apart from the others, which are allowed only in a document with `extra_currencies`. The schema cannot
 * express which of them that member contains; validation checks it.
 */
function listCurrencies(root: Schema, price: Schema): void {
  const [coupon, code] = [itemsOf(root, 'coupons'), itemsOf(root, 'promotion_codes')]
  const members = [
    fieldOf(price, 'currency'),
    fieldOf(fieldOf(price, 'grants_credit'), 'currency'),
    fieldOf(coupon, 'currency'),
    fieldOf(code, 'minimum_amount_currency'),
  ]
  for (const schema of members) {
    delete schema['enum']
    schema['anyOf'] = [
      { enum: standardCurrencies },
      { enum: otherCurrencies, description: 'Only if `extra_currencies` of the document lists it.' },
    ]
  }
  const usual = { enum: standardCurrencies }
  const options = { currency_options: { propertyNames: usual } }
  const inItems = (properties: Schema): Schema => ({ items: { properties } })
  const prices = inItems({ currency: usual, ...options, grants_credit: { properties: { currency: usual } } })
  root['allOf'] = [
    ifThen(
      { not: havingField('extra_currencies') },
      {
        properties: {
          products: inItems({ prices }),
          coupons: inItems({ currency: usual, ...options }),
          promotion_codes: inItems({ minimum_amount_currency: usual, ...options }),
        },
      },
    ),
  ]
}

/** Adds the known event names, so that editors complete them. A string with a variable is accepted too. */
function suggestEvents(webhook: Schema): void {
  const events = fieldOf(webhook, 'events')
  events['uniqueItems'] = true
  events['items'] = {
    anyOf: [{ enum: webhookEvents }, { type: 'string', pattern: '\\$\\{' }],
    description: 'An event type, or `*`.',
  }
}

/** Adds hints for editors: Markdown descriptions, and a description of each enum value. */
function addHints(schema: unknown): void {
  if (Array.isArray(schema)) schema.forEach(addHints)
  if (!isSchema(schema)) return
  if (typeof schema['description'] === 'string') schema['markdownDescription'] = schema['description']
  const values = schema['enum']
  if (Array.isArray(values) && values.every((value) => typeof value === 'string' && Object.hasOwn(enumWords, value)))
    schema['markdownEnumDescriptions'] = values.map((value) => enumWords[String(value)])
  for (const [key, member] of Object.entries(schema)) if (key !== 'examples' && key !== 'enum') addHints(member)
}

function itemsOf(schema: Schema, field: string): Schema {
  const items = fieldOf(schema, field)['items']
  if (!isSchema(items)) throw new TypeError(`The schema has no list ${field}`)
  return items
}

const isList = ({ items }: Schema): boolean => isSchema(items)

function fieldOf(schema: Schema, field: string): Schema {
  const properties = schema['properties']
  const found = isSchema(properties) ? properties[field] : undefined
  if (!isSchema(found)) throw new TypeError(`The schema has no field ${field}`)
  return found
}

/** Returns the schema of the amounts of a price in one additional currency. */
function currencyOf(price: Schema): Schema {
  const options = fieldOf(price, 'currency_options')['patternProperties']
  const option = isSchema(options) ? options[currencyPattern] : undefined
  if (!isSchema(option)) throw new TypeError('The schema has no amounts by currency')
  return option
}

/** Returns a plain JSON copy of the schema, without the symbols that the schema builder adds. */
function plainSchema(schema: object): Schema {
  const copy: unknown = JSON.parse(JSON.stringify(schema))
  if (!isSchema(copy)) throw new TypeError('The schema is no object')
  return copy
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
