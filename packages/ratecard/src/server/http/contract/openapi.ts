import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifySchema } from 'fastify'
import type { TObject } from 'typebox'
import { publicHeaders } from '../response/config-answer.ts'
import { components } from '../../../api/contract.ts'
import { descriptionOperations } from '../../../api/server/server.ts'
import { securityScheme, sessionScheme } from './describe-route.ts'
import { mount, rawRoute } from './route.ts'
import { sessionCookie } from '../authentication/session.ts'

/** Registers the OpenAPI description. Must run before the routes are added, because the description is collected from them. */
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
          [sessionScheme]: { type: 'apiKey', in: 'cookie', name: sessionCookie.name },
        },
      },
    },
    transform: ({ schema, url }) => ({ url, schema: withOptionalDefaults(schema) }),
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `schema-${String(index)}`,
    },
  })
  let text: string | undefined
  const getOpenApi = rawRoute(descriptionOperations.getOpenApi, ({ reply }) =>
    reply
      .headers(publicHeaders)
      .header('cache-control', 'public, max-age=0, must-revalidate')
      .type('application/json; charset=utf-8')
      .send((text ??= JSON.stringify(app.swagger()))),
  )
  mount(app, '', { getOpenApi })
}

/** Returns the schema with query parameters that have a default as optional. For Fastify they are required, so that types have their values. */
function withOptionalDefaults(schema: FastifySchema): FastifySchema {
  const query = schema.querystring as TObject | undefined
  if (query?.required === undefined) return schema
  const required = query.required.filter((name) => !('default' in (query.properties[name] ?? {})))
  return { ...schema, querystring: { ...query, required } }
}

/** Serves the OpenAPI description as a page at `/docs`. */
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
