// The public rows of the specification: no key needed; a valid one shows hidden prices in the single lookups.
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Service, Visibility } from '../../service.ts'
import { publishedSchema } from '../../config/json-schema.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { configAnswer, publicCacheControl, publicHeaders } from '../config-answer.ts'
import { matchedTag } from '../conditional.ts'
import { describeRoute } from '../contract.ts'
import type { AddressGuard } from '../limits.ts'
import { idParams } from '../request-parts.ts'
import type { IdParams } from '../request-parts.ts'
import { pointerOf } from '../../errors/issue.ts'
import { conversionToWire, costToWire } from '../wire.ts'
import { ConversionSchema, CostSchema, ref, ServedConfigSchema } from '../wire-schemas.ts'

export interface PublicRouteDeps {
  readonly service: Pick<Service, 'published' | 'findPrice' | 'findProduct' | 'findMeter' | 'calculate' | 'convert'>
  readonly guard: AddressGuard
  readonly publicUrl: string | null
}

const visibilityOf = (request: FastifyRequest): Visibility => ({ hidden: request.caller !== null })
const notModified = { description: 'The content is the one that `If-None-Match` names.', schema: null } as const
const object = (properties: Parameters<typeof Type.Object>[0]) =>
  Type.Object(properties, { additionalProperties: false })

export function publicRoutes(app: FastifyInstance, deps: PublicRouteDeps): void {
  schemaRoute(app, deps)
  configRoute(app, deps)
  itemRoutes(app, deps)
  calculateRoute(app, deps)
  convertRoute(app, deps)
}

function schemaRoute(app: FastifyInstance, { publicUrl }: PublicRouteDeps): void {
  const schema = JSON.stringify(publishedSchema(publicUrl ?? undefined))
  app.get(
    '/schema',
    {
      schema: describeRoute({
        operationId: 'getSchema',
        summary: 'The JSON Schema of the configuration document',
        tag: 'Price list',
        access: 'public',
        answers: {
          200: {
            description: 'The schema.',
            schema: Type.Object({}, { additionalProperties: true }),
            mediaType: 'application/schema+json',
          },
          304: notModified,
        },
      }),
    },
    (request, reply) => sendCacheable(request, reply, schema, 'application/schema+json; charset=utf-8'),
  )
}

function configRoute(app: FastifyInstance, { service }: PublicRouteDeps): void {
  app.get(
    '/config',
    {
      helmet: false,
      schema: describeRoute({
        operationId: 'getConfig',
        summary: 'The public price list',
        description: 'Only public prices and their products, and the meters. Answered from memory.',
        tag: 'Price list',
        access: 'public',
        answers: {
          200: {
            description: 'The configuration as anyone may see it.',
            schema: ServedConfigSchema,
            headers: { ETag: { type: 'string', description: 'Strong validator for `If-None-Match`.' } },
          },
          304: notModified,
        },
        errors: ['config_not_found'],
      }),
    },
    async (request, reply) => {
      const answer = await configAnswer(await service.published(), {
        acceptEncoding: headerText(request, 'accept-encoding'),
        ifNoneMatch: request.headers['if-none-match'],
      })
      return reply
        .code(answer.status)
        .headers(answer.headers)
        .send(answer.body ?? undefined)
    },
  )
}

function itemRoutes(app: FastifyInstance, { service }: PublicRouteDeps): void {
  app.get<{ Params: IdParams }>(
    '/config/prices/:id',
    {
      schema: describeRoute({
        operationId: 'getPrice',
        summary: 'A price by its configuration id',
        tag: 'Price list',
        access: 'public',
        params: idParams,
        answers: {
          200: {
            description: 'The price and its product.',
            schema: object({ price: ref('Price'), product: ref('Product') }),
          },
          304: notModified,
        },
        errors: ['price_not_found', 'config_not_found'],
      }),
    },
    async (request, reply) => {
      const { price, product } = await service.findPrice(request.params.id, visibilityOf(request))
      return sendCacheable(request, reply, JSON.stringify({ price, product }))
    },
  )
  app.get<{ Params: IdParams }>(
    '/config/products/:id',
    {
      schema: describeRoute({
        operationId: 'getProduct',
        summary: 'A product by its configuration id',
        tag: 'Price list',
        access: 'public',
        params: idParams,
        answers: {
          200: { description: 'The product.', schema: object({ product: ref('Product') }) },
          304: notModified,
        },
        errors: ['product_not_found', 'config_not_found'],
      }),
    },
    async (request, reply) => {
      const product = await service.findProduct(request.params.id, visibilityOf(request))
      return sendCacheable(request, reply, JSON.stringify({ product }))
    },
  )
  app.get<{ Params: IdParams }>(
    '/config/meters/:id',
    {
      schema: describeRoute({
        operationId: 'getMeter',
        summary: 'A meter by its configuration id',
        tag: 'Price list',
        access: 'public',
        params: idParams,
        answers: { 200: { description: 'The meter.', schema: object({ meter: ref('Meter') }) }, 304: notModified },
        errors: ['meter_not_found', 'config_not_found'],
      }),
    },
    async (request, reply) => {
      const meter = await service.findMeter(request.params.id, visibilityOf(request))
      return sendCacheable(request, reply, JSON.stringify({ meter }))
    },
  )
}

function calculateRoute(app: FastifyInstance, { service, guard }: PublicRouteDeps): void {
  app.post<{ Params: IdParams }>(
    '/config/prices/:id/calculate',
    {
      bodyLimit: 16 * 1024,
      onRequest: async (request) => {
        if (request.caller === null) await guard.count(request, 'public_call')
      },
      schema: describeRoute({
        operationId: 'calculatePrice',
        summary: 'What a quantity costs',
        description: 'Exact arithmetic, one rounding, half up, at the end: what the processor would invoice.',
        tag: 'Price list',
        access: 'public',
        params: idParams,
        body: ref('Calculation'),
        answers: { 200: { description: 'The cost.', schema: CostSchema } },
        errors: ['price_not_found', 'config_not_found', 'quantity_invalid'],
      }),
    },
    async (request, reply) => {
      const quantity = quantityOf(request.body)
      const cost = await service.calculate(request.params.id, quantity, visibilityOf(request))
      return reply.header('cache-control', 'no-store').send(costToWire(cost))
    },
  )
}

/** By hand: a wrong quantity has a status and a code of its own. */
function quantityOf(body: unknown): number {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw bodyInvalid('type_wrong', [], 'The body must be a JSON object with a `quantity`.')
  for (const name of Object.keys(body))
    if (name !== 'quantity') throw bodyInvalid('field_unknown', [name], `There is no "${name}" here.`)
  const quantity = 'quantity' in body ? body.quantity : undefined
  if (typeof quantity === 'number' && Number.isSafeInteger(quantity) && quantity >= 0) return quantity
  const detail = 'The quantity must be a whole number, zero or more.'
  throw new ServiceError('quantity_invalid', detail, {
    issues: [
      {
        code: quantity === undefined ? 'field_missing' : 'value_invalid',
        pointer: '#/quantity',
        severity: 'error',
        detail,
      },
    ],
  })
}

function bodyInvalid(code: 'type_wrong' | 'field_unknown', path: readonly string[], detail: string): ServiceError {
  return new ServiceError('request_invalid', detail, {
    issues: [{ code, pointer: pointerOf(path), severity: 'error', detail }],
  })
}

function convertRoute(app: FastifyInstance, { service }: PublicRouteDeps): void {
  app.get<{ Params: { processor_id: string } }>(
    '/convert/processor-id/:processor_id',
    {
      schema: describeRoute({
        operationId: 'convertProcessorId',
        summary: 'The configuration id behind a processor id, current or past',
        tag: 'Price list',
        access: 'public',
        params: Type.Object({ processor_id: Type.String({ description: 'Id at the processor.' }) }),
        answers: { 200: { description: 'The mapping.', schema: ConversionSchema }, 304: notModified },
        errors: ['mapping_not_found'],
      }),
    },
    async (request, reply) => {
      const conversion = await service.convert(request.params.processor_id, visibilityOf(request))
      return sendCacheable(request, reply, JSON.stringify(conversionToWire(conversion)))
    },
  )
}

/** An answer that caches may keep if they ask again; with a key it is for that caller alone. */
function sendCacheable(
  request: FastifyRequest,
  reply: FastifyReply,
  body: string,
  mediaType = 'application/json; charset=utf-8',
): FastifyReply {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
  reply
    .headers(publicHeaders)
    .header('vary', 'X-Service-Key')
    .header('cache-control', request.caller === null ? publicCacheControl : 'private, no-store')
    .header('etag', etag)
  if (matchedTag(request.headers['if-none-match'], etag, [etag]) !== null) return reply.code(304).send()
  return reply.type(mediaType).send(body)
}

function headerText(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' ? value : undefined
}
