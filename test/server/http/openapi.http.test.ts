import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { beforeAll, describe, expect, it } from 'vitest'
import { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { issueCodes, problemCodes } from '../../../packages/ratecard/src/base/errors/codes.ts'
import { sampleConfig, startTestApp } from '../../support/app.ts'
import { startedForAll } from '../../support/started.ts'

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: string[]
  readonly security: object[]
  readonly parameters?: {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema: object
  }[]
  readonly requestBody?: { readonly content: object }
  readonly responses: Record<
    string,
    { readonly description: string; readonly content?: Record<string, { schema: object }> }
  >
}
interface Document {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly servers: { readonly url: string }[]
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: {
    readonly schemas: Record<string, { properties: Record<string, { enum?: string[] }> }>
    readonly securitySchemes: object
  }
}

const test = startedForAll(() => startTestApp({ publicUrl: 'https://billing.example.test' }))
let document: Document

beforeAll(async () => {
  document = (await test.inject({ url: '/api/v1/openapi.json' })).json()
})

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

/** Every `$ref` anywhere in the value. */
function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' && typeof member === 'string' ? [member] : refsIn(member),
  )
}

describe('the OpenAPI document', () => {
  it('is a valid OpenAPI 3.1 document', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(document.info.title).toBe('Ratecard')
    expect(document.servers).toEqual([{ url: 'https://billing.example.test' }])
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { path, method, operation } of operations()) {
      expect(path).toMatch(/^\//)
      expect(operation.summary, `${method} ${path}`).toBeTruthy()
      expect(operation.tags).toHaveLength(1)
      const named = [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1])
      const given = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
      expect(given.map(({ name }) => name).sort(), path).toEqual(named.sort())
      expect(given.every(({ required }) => required === true)).toBe(true)
      const statuses = Object.keys(operation.responses)
      expect(statuses.some((status) => status.startsWith('2'))).toBe(true)
      for (const status of statuses) {
        expect(status).toMatch(/^[2345]\d\d$/)
        expect(operation.responses[status]?.description, `${path} ${status}`).toBeTruthy()
      }
    }
  })

  it('marks no query parameter as required that has a default', () => {
    const query = operations().flatMap(({ path, operation: { parameters = [] } }) =>
      parameters.filter((one) => one.in === 'query').map((one) => ({ path, ...one })),
    )
    const byDefault = query.filter(({ schema }) => 'default' in schema)
    expect(byDefault.map(({ name }) => name)).toEqual(expect.arrayContaining(['limit', 'dry_run', 'follow']))
    expect(byDefault.filter(({ required }) => required === true)).toEqual([])
  })

  it('has no dangling references, and all its schemas compile', () => {
    for (const ref of refsIn(document)) {
      const name = /^#\/components\/schemas\/(.+)$/.exec(ref)?.[1]
      expect(Object.keys(document.components.schemas)).toContain(name)
    }
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    ajv.addSchema(document, 'openapi')
    const pointers: string[] = Object.keys(document.components.schemas).map((name) => `/components/schemas/${name}`)
    const seen = new Set<string>()
    for (const { path, method, operation } of operations())
      for (const [status, { content = {} }] of Object.entries(operation.responses))
        for (const [type, { schema }] of Object.entries(content)) {
          const text = JSON.stringify(schema)
          if (seen.has(text)) continue
          seen.add(text)
          pointers.push(
            ['', 'paths', path, method, 'responses', status, 'content', type, 'schema']
              .map((token) => encodeURIComponent(token.replaceAll('/', '~1')))
              .join('/'),
          )
        }
    for (const pointer of pointers) expect(() => ajv.compile({ $ref: `openapi#${pointer}` }), pointer).not.toThrow()
  })

  it('lists each route of the application', () => {
    const routes = test.app
      .printRoutes({ commonPrefix: false, includeHooks: false })
      .split('\n')
      .flatMap((line) => {
        const found = /(\/\S*) \(([A-Z, ]+)\)/.exec(line)
        return found === null ? [] : [{ line, methods: (found[2] ?? '').split(', ') }]
      })
    expect(routes.length).toBeGreaterThan(10)
    const known = test.app
    for (const { path, method } of operations())
      expect(known.hasRoute({ method: method.toUpperCase(), url: path.replace(/\{([^}]+)\}/g, ':$1') }), path).toBe(
        true,
      )
    const specification = [
      'GET /api/v1/billing/schema',
      'GET /api/v1/billing/config',
      'GET /api/v1/billing/config/prices/{id}',
      'GET /api/v1/billing/config/products/{id}',
      'GET /api/v1/billing/config/meters/{id}',
      'POST /api/v1/billing/config/prices/{id}/calculate',
      'GET /api/v1/billing/convert/processor-id/{processor_id}',
      'GET /api/v1/billing/admin/config',
      'POST /api/v1/billing/admin/config',
      'POST /api/v1/billing/admin/config/validate',
      'GET /api/v1/billing/admin/config/history',
      'GET /api/v1/billing/admin/config/history/{revision}',
      'GET /api/v1/billing/admin/config/history/{from}/diff/{to}',
      'POST /api/v1/billing/admin/config/rollback',
      'GET /api/v1/billing/admin/config/pull',
      'GET /api/v1/billing/admin/config/drift',
      'POST /api/v1/billing/admin/config/reset',
      'GET /api/v1/billing/admin/pushes',
      'GET /api/v1/billing/admin/pushes/{id}',
      'GET /api/v1/billing/admin/pushes/{id}/events',
      'POST /api/v1/billing/admin/pushes/{id}/resume',
      'GET /api/v1/billing/admin/webhooks',
      'GET /api/v1/billing/admin/enterprise/prices/by-template/{template}',
      'GET /api/v1/billing/admin/enterprise/prices/by-id/{enterprise_id}',
      'POST /api/v1/billing/admin/keys',
      'GET /api/v1/billing/admin/keys',
      'DELETE /api/v1/billing/admin/keys/{id}',
      'GET /api/v1/billing/admin/doctor',
      'POST /api/v1/billing/checkout',
      'POST /api/v1/billing/portal',
      'POST /api/v1/billing/usage',
      'POST /api/v1/billing/admin/tenants',
      'GET /api/v1/billing/admin/tenants',
      'GET /api/v1/billing/admin/tenants/{id}',
      'PATCH /api/v1/billing/admin/tenants/{id}',
      'DELETE /api/v1/billing/admin/tenants/{id}',
      'GET /api/v1/billing/admin/tenants/{id}/subscriptions',
      'GET /api/v1/billing/admin/tenants/{id}/audit',
      'GET /api/v1/billing/admin/tenants/{id}/upcoming-invoice',
      'POST /api/v1/billing/admin/sessions',
      'DELETE /api/v1/billing/admin/sessions/{id}',
      'POST /api/v1/billing/admin/enterprise/apply-template',
      'POST /api/v1/billing/admin/enterprise/apply-custom',
      'POST /api/v1/billing/admin/enterprise/remove',
      'GET /api/v1/billing/admin/enterprise/coverage',
      'POST /api/v1/billing/admin/enterprise/move-template',
      'POST /api/v1/billing/admin/migrations',
      'GET /api/v1/billing/admin/jobs',
      'GET /api/v1/billing/admin/jobs/{id}',
      'POST /api/v1/billing/admin/jobs/{id}/resume',
      'POST /api/v1/billing/admin/jobs/{id}/cancel',
      'GET /api/v1/openapi.json',
      'GET /healthz',
      'GET /readyz',
      'GET /metrics',
    ]
    const described = operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`)
    expect(described).toEqual(expect.arrayContaining(specification))
  })

  it('marks the routes that require a service key', () => {
    for (const { path, method, operation } of operations()) {
      const needsKey = /^\/api\/v1\/(billing\/admin|workers)|^\/metrics$/.test(path)
      expect([
        method,
        path,
        operation.security.length > 0 && operation.security.every((one) => 'ServiceKey' in one),
      ]).toEqual([method, path, needsKey])
    }
  })

  it('lists each error code under the status of that code', () => {
    const codes = document.components.schemas['Problem']?.properties['code']?.enum
    expect(codes).toEqual(Object.keys(problemCodes))
    expect(document.components.schemas['Issue']?.properties['code']?.enum).toEqual(Object.keys(issueCodes))
    for (const { path, operation } of operations())
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        if (Number(status) < 400) continue
        expect(Object.keys(content), `${path} ${status}`).toEqual(['application/problem+json'])
        const [, narrowed] = (
          content['application/problem+json']?.schema as {
            allOf: [object, { properties: { code: { enum: (keyof typeof problemCodes)[] } } }]
          }
        ).allOf
        for (const code of narrowed.properties.code.enum)
          expect([code, problemCodes[code].status]).toEqual([code, Number(status)])
      }
  })

  it('describes billing documents with the published JSON Schema', () => {
    const component = document.components.schemas['BillingConfig']
    expect(Object.keys(component?.properties ?? {})).toEqual(Object.keys(BillingConfig.properties))
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    ajv.addSchema(document, 'openapi')
    const validate = ajv.compile({ $ref: 'openapi#/components/schemas/BillingConfig' })
    expect(validate(sampleConfig())).toBe(true)
    expect(validate({ ...sampleConfig(), extra: 1 })).toBe(false)
  })

  it('is shown on a page that loads no file from other hosts', async () => {
    const page = await test.inject({ url: '/docs' })
    expect(page.statusCode).toBe(200)
    expect(page.headers['content-type']).toContain('text/html')
    expect(page.headers['content-security-policy']).toContain("script-src 'self'")
    for (const [, address] of page.body.matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect(address).not.toMatch(/^https?:/)
      const part = await test.inject({ url: new URL(address ?? '', 'http://test/docs').pathname })
      expect([address, part.statusCode]).toEqual([address, 200])
    }
    const root = await test.inject({ url: '/' })
    expect([root.statusCode, root.headers['location']]).toEqual([302, '/docs'])
  })
})
