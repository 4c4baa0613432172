// Public operations of the price list. They need no key. With a valid key, lookups of single items also find hidden prices.
import { Type } from 'typebox'
import type { Meter, Price, Product } from '../../document/schema/schema.ts'
import { ResourceKind } from '../notation/common.ts'
import { ServedConfig } from './config.ts'
import { idParams, operations } from '../notation/operation.ts'
import { omittedIf, closed, code, Count, document, nullable, shape, type Inside } from '../notation/schema.ts'

/**
 * An exact amount in minor units (e.g. cents). The code has it as decimal text. In the API a whole number is an integer, so that clients
 * can add usual amounts without parsing, and a fraction is decimal text.
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
  quantity: Count('Number of units on this line.'),
  unit_amount: ExactMinor('Exact amount in minor units.'),
  flat_amount: ExactMinor('Exact amount in minor units.'),
  amount: ExactMinor('Exact amount in minor units.'),
})
export const AttachedCost = shape('AttachedCost', {
  price_id: Type.String(),
  quantity: nullable(Count('Quantity of the attached price; null if it is metered.')),
  amount: nullable(Count('Amount in minor units; null for a metered price, whose amount depends on the usage.')),
  formatted: Type.String({
    description: 'The amount formatted for display or, for a metered price, the cost of its usage.',
  }),
})
export const Cost = shape('Cost', {
  price_id: Type.String(),
  quantity: Count('As asked.'),
  currency: Type.String(),
  billing_scheme: Type.Enum(['per_unit', 'tiered']),
  tiers_mode: omittedIf(Type.Enum(['graduated', 'volume']), null),
  amount: Count('Amount in minor units, rounded half up once, at the end.'),
  amount_decimal: Type.String({ description: 'Amount in minor units before rounding.' }),
  effective_unit_amount: nullable(ExactMinor('Average amount per unit in minor units; null at quantity 0.')),
  formatted: Type.String({ description: 'The amount, formatted for display.' }),
  breakdown: Type.Array(CostLine),
  attached: omittedIf(
    Type.Array(AttachedCost, {
      description:
        'Prices that are always sold with this one, and are not included in its amount. Absent if there are none.',
    }),
    null,
  ),
})
export type Cost = Inside<typeof Cost>

/** The route validates this body by hand, because an invalid quantity has its own status and error code. */
export const Calculation = shape(
  'Calculation',
  {
    quantity: Count('Number of units.'),
    currency: Type.Optional(
      Type.String({
        description: 'One of the price’s currencies. Default: the price’s main currency.',
        examples: ['usd'],
      }),
    ),
  },
  'Quantity and currency of the calculation.',
)

export const Conversion = shape('Conversion', {
  config_id: Type.String(),
  processor_id: Type.String({ description: 'Current processor id, even if the request named an earlier one.' }),
  item_type: ResourceKind,
  history_count: Type.Integer({
    minimum: 1,
    description: 'Number of processor ids that the item has had, including the current one.',
  }),
  current: Type.Boolean({ description: 'Whether the requested processor id is the current one.' }),
})
export type Conversion = Inside<typeof Conversion>

const path = '/api/v1/billing'
const all = { tag: 'Price list', access: 'public' } as const
const notModified = {
  description: 'The content has not changed since the ETag in `If-None-Match`.',
  schema: null,
} as const

export const priceListOperations = operations({
  getSchema: {
    ...all,
    method: 'GET',
    path: `${path}/schema`,
    summary: 'Get the JSON Schema of the configuration document',
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
    summary: 'Get the public price list',
    description: 'Contains only public prices, their products, and their meters. Served from memory.',
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
    summary: 'Get a price by its configuration id',
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
    summary: 'Get a product by its configuration id',
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
    summary: 'Get a meter by its configuration id',
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
    summary: 'Calculate the cost of a quantity',
    description:
      'The result is what the processor would invoice: calculated exactly, and rounded once (half up) at the end.',
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
    summary: 'Find the configuration id for a current or earlier processor id',
    params: { processor_id: Type.String({ description: 'Id at the processor.' }) },
    answers: { 200: { description: 'The mapping.', schema: Conversion }, 304: notModified },
    errors: ['mapping_not_found'],
  },
})

/** With `hidden: true` the result includes prices that are not public; only for callers with a service key. */
export interface Visibility {
  readonly hidden: boolean
}
