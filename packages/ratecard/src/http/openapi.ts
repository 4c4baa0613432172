import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { BillingConfig, Meter, Price, Product } from '../config/schema.ts'
import { publicHeaders } from './config-answer.ts'
import { describeRoute, securityScheme, sessionScheme } from './contract.ts'
import { Type } from 'typebox'
import { IssueSchema, ProblemSchema } from './problem-schemas.ts'
import { sessionCookie } from './session.ts'
import { PriceImpactSchema } from './impact-wire.ts'
import { ChangeReport, Detail } from '../wire/changes.ts'
import { CalculationSchema, PushStepSchema } from './wire-schemas.ts'

export const openapiPath = '/api/v1/openapi.json'

/** Shared schemas by the name of their component; the document's own come straight from its one truth. */
const components = {
  BillingConfig,
  Product,
  Price,
  Meter,
  Calculation: CalculationSchema,
  Issue: IssueSchema,
  Problem: ProblemSchema,
  ChangeReport,
  Detail,
  PriceImpact: PriceImpactSchema,
  PushStep: PushStepSchema,
}

/** Must come before the routes: the description is collected while they are added. */
export async function registerOpenApi(app: FastifyInstance, publicUrl: string | null): Promise<void> {
  for (const [name, schema] of Object.entries(components)) app.addSchema({ ...schema, $id: name })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Ratecard',
        version: '1',
        description: 'Billing configuration as code: plans, applies and serves a price list.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: publicUrl ?? '/' }],
      components: {
        securitySchemes: {
          [securityScheme]: { type: 'apiKey', in: 'header', name: 'X-Service-Key' },
          [sessionScheme]: { type: 'apiKey', in: 'cookie', name: sessionCookie },
        },
      },
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `schema-${String(index)}`,
    },
  })
  let text: string | undefined
  app.get(
    openapiPath,
    {
      schema: describeRoute({
        operationId: 'getOpenApi',
        summary: 'This description',
        tag: 'Operations',
        access: 'open',
        answers: { 200: { description: 'OpenAPI 3.1.', schema: Type.Object({}, { additionalProperties: true }) } },
      }),
    },
    (_request, reply) =>
      reply
        .headers(publicHeaders)
        .header('cache-control', 'public, max-age=0, must-revalidate')
        .type('application/json; charset=utf-8')
        .send((text ??= JSON.stringify(app.swagger()))),
  )
}

/** `/docs`: the description as a page. */
export async function registerDocs(app: FastifyInstance): Promise<void> {
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { docExpansion: 'list', persistAuthorization: false },
    staticCSP: {
      'default-src': ["'none'"],
      'script-src': ["'self'"],
      'style-src': ["'self'", "'unsafe-inline'"],
      'img-src': ["'self'", 'data:'],
      'font-src': ["'self'"],
      'connect-src': ["'self'"],
      'base-uri': ["'none'"],
      'form-action': ["'none'"],
      'frame-ancestors': ["'none'"],
    },
  })
}
