// The specification's public operations. They need no key; with a valid key, single lookups include hidden prices.
import { Type } from 'typebox'
import type { Meter, Price, Product } from '../config/schema/schema.ts'
import { ResourceKind } from './notation/common.ts'
import { ServedConfig } from './config.ts'
import { idParams, operations } from './notation/operation.ts'
import { absent, closed, code, Count, document, nullable, shape } from './notation/schema.ts'

/**
 * An exact amount in minor units; in the code a canonical decimal as text. In the API a whole number is an integer, so that common amounts
 * can be added without parsing, and a fraction is decimal text.
 */
const ExactMinor = (description: string) =>
  code<string, number | string>(
    Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^\\d+\\.\\d+$' })], { description }),
    { encode: minorUnits, decode: String },
  )

function minorUnits(canonical: number | string): number | string {
  const whole = Number(canonical)
  return Number.isSafeInteger(whole) && String(whole) === canonical ? whole : canonical
}

export const CostLine = shape('CostLine', {
  up_to: code<number | null, number | 'inf'>(Type.Union([Type.Integer(), Type.Literal('inf')]), {
    encode: (upTo) => upTo ?? 'inf',
    decode: (upTo) => (upTo === 'inf' ? null : upTo),
  }),
  quantity: Count('Units of this line.'),
  unit_amount: ExactMinor('Exact, in minor units.'),
  flat_amount: ExactMinor('Exact, in minor units.'),
  amount: ExactMinor('Exact, in minor units.'),
})
export const Cost = shape('Cost', {
  price_id: Type.String(),
  quantity: Count('As asked.'),
  currency: Type.String(),
  billing_scheme: Type.Enum(['per_unit', 'tiered']),
  tiers_mode: absent(Type.Enum(['graduated', 'volume']), null),
  amount: Count('Minor units, rounded half up once, at the end.'),
  amount_decimal: Type.String({ description: 'Minor units before rounding.' }),
  effective_unit_amount: nullable(ExactMinor('Minor units per unit; null at quantity 0.')),
  formatted: Type.String({ description: 'The amount as people read it.' }),
  breakdown: Type.Array(CostLine),
})
/** The route validates this body by hand, because an invalid quantity has its own status and error code. */
export const Calculation = shape(
  'Calculation',
  {
    quantity: Count('How many units.'),
    currency: Type.Optional(
      Type.String({
        description: 'One of the price’s currencies. Default: the price’s main currency.',
        examples: ['usd'],
      }),
    ),
  },
  'What to calculate.',
)

export const Conversion = shape('Conversion', {
  config_id: Type.String(),
  processor_id: Type.String({ description: 'The current one, also when a past one was asked for.' }),
  item_type: ResourceKind,
  history_count: Type.Integer({
    minimum: 1,
    description: 'Entries in the mapping’s history, the current one included.',
  }),
  current: Type.Boolean({ description: 'Whether the id asked for is the current one.' }),
})

const path = '/api/v1/billing'
const all = { tag: 'Price list', access: 'public' } as const
const notModified = { description: 'The content is the one that `If-None-Match` names.', schema: null } as const

export const priceListOperations = operations({
  getSchema: {
    ...all,
    method: 'GET',
    path: `${path}/schema`,
    summary: 'The JSON Schema of the configuration document',
    answers: {
      200: {
        description: 'The schema.',
        schema: Type.Object({}, { additionalProperties: true }),
        mediaType: 'application/schema+json',
      },
      304: notModified,
    },
  },
  getConfig: {
    ...all,
    method: 'GET',
    path: `${path}/config`,
    summary: 'The public price list',
    description: 'Only public prices and their products, and the meters. Answered from memory.',
    answers: {
      200: {
        description: 'The configuration as anyone may see it.',
        schema: ServedConfig,
        headers: { ETag: { type: 'string', description: 'Strong validator for `If-None-Match`.' } },
      },
      304: notModified,
    },
    errors: ['config_not_found'],
  },
  getPrice: {
    ...all,
    method: 'GET',
    path: `${path}/config/prices/:id`,
    summary: 'A price by its configuration id',
    params: idParams,
    answers: {
      200: {
        description: 'The price and its product.',
        schema: Type.Object({ price: document<Price>('Price'), product: document<Product>('Product') }, closed),
      },
      304: notModified,
    },
    errors: ['price_not_found', 'config_not_found'],
  },
  getProduct: {
    ...all,
    method: 'GET',
    path: `${path}/config/products/:id`,
    summary: 'A product by its configuration id',
    params: idParams,
    answers: {
      200: { description: 'The product.', schema: Type.Object({ product: document<Product>('Product') }, closed) },
      304: notModified,
    },
    errors: ['product_not_found', 'config_not_found'],
  },
  getMeter: {
    ...all,
    method: 'GET',
    path: `${path}/config/meters/:id`,
    summary: 'A meter by its configuration id',
    params: idParams,
    answers: {
      200: { description: 'The meter.', schema: Type.Object({ meter: document<Meter>('Meter') }, closed) },
      304: notModified,
    },
    errors: ['meter_not_found', 'config_not_found'],
  },
  calculatePrice: {
    ...all,
    method: 'POST',
    path: `${path}/config/prices/:id/calculate`,
    summary: 'What a quantity costs',
    description: 'Exact arithmetic, one rounding, half up, at the end: what the processor would invoice.',
    params: idParams,
    body: document<unknown>('Calculation'),
    bodyLimit: 16 * 1024,
    answers: { 200: { description: 'The cost.', schema: Cost } },
    errors: ['price_not_found', 'config_not_found', 'quantity_invalid', 'currency_not_offered', 'price_not_calculable'],
  },
  convertProcessorId: {
    ...all,
    method: 'GET',
    path: `${path}/convert/processor-id/:processor_id`,
    summary: 'The configuration id behind a processor id, current or past',
    params: { processor_id: Type.String({ description: 'Id at the processor.' }) },
    answers: { 200: { description: 'The mapping.', schema: Conversion }, 304: notModified },
    errors: ['mapping_not_found'],
  },
})
