// The public price list. GET config sends cached, precompressed bytes; all other responses are built per request.
import type { FastifyRequest } from 'fastify'
import { publishedSchema } from '../../../../document/schema/json-schema.ts'
import { pointerOf } from '../../../../base/errors/issue.ts'
import { ServiceError } from '../../../../base/errors/service-error.ts'
import { priceListOperations as rows, type Visibility } from '../../../../api/push/price-list.ts'
import { sendCacheable, configAnswer } from '../../response/config-answer.ts'
import type { RouteDeps } from '../deps.ts'
import { rawRoute, route, type Routes } from '../../contract/route.ts'

const visibilityOf = (request: FastifyRequest): Visibility => ({ hidden: request.caller !== null })

export function priceListRoutes({ service, guard, publicUrl }: RouteDeps): Routes<typeof rows> {
  const schema = JSON.stringify(publishedSchema(publicUrl ?? undefined))
  return {
    getSchema: rawRoute(rows.getSchema, ({ request, reply }) =>
      sendCacheable(request, reply, schema, 'application/schema+json; charset=utf-8'),
    ),
    getConfig: rawRoute(
      rows.getConfig,
      async ({ request, reply }) => {
        const { status, headers, body } = await configAnswer(await service.published(), {
          acceptEncoding: headerText(request, 'accept-encoding'),
          ifNoneMatch: request.headers['if-none-match'],
        })
        return reply
          .code(status)
          .headers(headers)
          .send(body ?? undefined)
      },
      { config: { ownHeaders: true } },
    ),
    getPrice: rawRoute(rows.getPrice, async ({ params, request, reply, answer }) => {
      const { price, product } = await service.findPrice(params.id, visibilityOf(request))
      return sendCacheable(request, reply, answer(200, { price, product }))
    }),
    getProduct: rawRoute(rows.getProduct, async ({ params, request, reply, answer }) => {
      const product = await service.findProduct(params.id, visibilityOf(request))
      return sendCacheable(request, reply, answer(200, { product }))
    }),
    getMeter: rawRoute(rows.getMeter, async ({ params, request, reply, answer }) => {
      const meter = await service.findMeter(params.id, visibilityOf(request))
      return sendCacheable(request, reply, answer(200, { meter }))
    }),
    calculatePrice: route(
      rows.calculatePrice,
      async ({ params, body, request, answer }) => {
        const cost = await service.calculate(params.id, quantityOf(body), visibilityOf(request), currencyOf(body))
        return answer(200, cost, { 'cache-control': 'no-store' })
      },
      {
        onRequest: async (request) => {
          if (request.caller === null) await guard.count(request, 'public_call')
        },
      },
    ),
    convertProcessorId: rawRoute(rows.convertProcessorId, async ({ params, request, reply, answer }) => {
      const conversion = await service.convert(params.processorId, visibilityOf(request))
      return sendCacheable(request, reply, answer(200, conversion))
    }),
  }
}

/** Returns the currency in the body. Call it after {@link quantityOf}, which checks that the body is an object. */
function currencyOf(body: unknown): string | undefined {
  const currency = typeof body === 'object' && body !== null && 'currency' in body ? body.currency : undefined
  if (currency === undefined || typeof currency === 'string') return currency
  throw bodyInvalid('type_wrong', ['currency'], 'The currency must be text, for example "usd".')
}

/** Returns the quantity in the body. Validates it by hand, because an invalid quantity has its own status and error code. */
function quantityOf(body: unknown): number {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw bodyInvalid('type_wrong', [], 'The body must be a JSON object with a `quantity`.')
  for (const name of Object.keys(body))
    if (name !== 'quantity' && name !== 'currency')
      throw bodyInvalid('field_unknown', [name], `There is no "${name}" here.`)
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

function headerText(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' ? value : undefined
}
