// The real application for tests: HTTP over the composed service, with an in-memory store and the sandbox processor behind the Stripe
// adapter. Every response taken through `inject` is checked against its OpenAPI description.
// Types of `app.swagger()`.
import type {} from '@fastify/swagger'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import { systemClock, type Clock } from '../../packages/ratecard/src/base/clock.ts'
import type { Service, ServiceOptions } from '../../packages/ratecard/src/server/service/service.ts'
import type { BillingConfig } from '../../packages/ratecard/src/document/schema/schema.ts'
import { buildApp } from '../../packages/ratecard/src/server/http/app.ts'
import type { ConnectionLimits } from '../../packages/ratecard/src/server/http/listener/connections.ts'
import type { Sandbox } from '../../packages/sandbox/src/server.ts'
import type { Store } from '../../packages/ratecard/src/store/store.ts'
import { recordAnswer } from './record-answers.ts'
import { startStack, type Stack } from './stack.ts'

export const admin = '/api/v1/billing/admin'
export const billing = '/api/v1/billing'

export interface TestAppOptions {
  readonly publicUrl?: string | null
  readonly rateLimit?: number
  readonly trustedProxies?: readonly string[]
  readonly connections?: Partial<ConnectionLimits>
  readonly requireVersionBump?: boolean
  readonly workers?: ServiceOptions['workers']
  /** Settings of the mirror. Default: no mirror. */
  readonly mirror?: ServiceOptions['mirror']
  readonly allowedRedirects?: readonly string[] | null
  /** Name of the server's environment. Default: it does not know its own. */
  readonly environment?: string
  readonly clock?: Clock
  /** Address of the processor for the adapter. Default: the sandbox. */
  readonly apiBase?: string
  /** A running sandbox, which its caller closes. Default: one of its own. */
  readonly sandbox?: Sandbox
  /** Receives the log lines. Without it nothing is logged. */
  readonly onLog?: (line: string) => void
  /** Wraps the service of the application, for results that no real call can cause. */
  readonly wrap?: (service: Service) => Service
}

export interface TestApp {
  readonly app: FastifyInstance
  readonly service: Service
  readonly store: Store
  readonly sandbox: Sandbox
  /** The adapter to the sandbox. */
  readonly processor: Stack['processor']
  /** Stripe client of the same account, for edits made outside of Ratecard. */
  readonly stripe: Stack['stripe']
  /** A valid service key. */
  readonly key: string
  /** Sends a request without a key. Fails if the response does not match the OpenAPI description. */
  inject(request: InjectOptions): Promise<LightMyRequestResponse>
  /** Sends a request with the service key. */
  asAdmin(request: InjectOptions): Promise<LightMyRequestResponse>
  push(document: BillingConfig, query?: string): Promise<LightMyRequestResponse>
  close(): Promise<void>
}

/** An application to which {@link sampleConfig} was pushed. */
export async function startPushedApp(options: TestAppOptions = {}): Promise<TestApp> {
  const app = await startTestApp(options)
  await app.push(sampleConfig())
  return app
}

export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const clock = options.clock ?? systemClock
  const stack = await startStack({
    requireVersionBump: options.requireVersionBump ?? false,
    allowedRedirects: options.allowedRedirects ?? null,
    clock,
    ...(options.environment === undefined ? {} : { environment: options.environment }),
    ...(options.workers === undefined ? {} : { workers: options.workers }),
    ...(options.mirror === undefined ? {} : { mirror: options.mirror }),
    ...(options.apiBase === undefined ? {} : { apiBase: options.apiBase }),
    ...(options.sandbox === undefined ? {} : { sandbox: options.sandbox }),
  })
  const { service, store, sandbox } = stack
  const first = await service.ensureFirstKey(null)
  if (first === null) throw new Error('no first key')
  const app = await buildApp({
    service: options.wrap?.(service) ?? service,
    settings: {
      rateLimit: options.rateLimit ?? 600,
      publicUrl: options.publicUrl ?? null,
      allowedRedirects: options.allowedRedirects ?? null,
      trustedProxies: options.trustedProxies ?? [],
      logLevel: 'silent',
    },
    ...(options.connections === undefined ? {} : { connections: options.connections }),
    clock,
    ...(options.onLog === undefined ? {} : { logger: pino({ level: 'trace' }, { write: options.onLog }) }),
  })
  const check = contractCheckOf(app)
  const inject = async (request: InjectOptions) => {
    const response = await app.inject(request)
    check(request, response)
    recordAnswer(
      `${request.method ?? 'GET'} ${typeof request.url === 'string' ? request.url : JSON.stringify(request.url)}`,
      [response.statusCode, response.headers['content-type'], response.body],
    )
    return response
  }
  const asAdmin = (request: InjectOptions) =>
    inject({ ...request, headers: { 'x-service-key': first.key, ...request.headers } })
  return {
    app,
    service,
    store,
    sandbox,
    processor: stack.processor,
    stripe: stack.stripe,
    key: first.key,
    inject,
    asAdmin,
    push: (document, query = '') => asAdmin({ method: 'POST', url: `${admin}/config${query}`, payload: document }),
    async close() {
      await app.close()
      await stack.close()
    },
  }
}

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const objectAt = (value: unknown, ...path: readonly string[]): Json => {
  let found = value
  for (const name of path) found = isObject(found) ? found[name] : undefined
  return isObject(found) ? found : {}
}

type ContractCheck = (request: InjectOptions, response: LightMyRequestResponse) => void

/**
 * Cache of response checks by OpenAPI document: compiling one takes longer than most tests, and most applications share a document.
 */
const contractChecks = new Map<string, ContractCheck>()

function contractCheckOf(app: FastifyInstance): ContractCheck {
  const document = app.swagger() as unknown as Json
  const text = JSON.stringify(document)
  const check = contractChecks.get(text) ?? createContractCheck(document)
  contractChecks.set(text, check)
  return check
}

/**
 * Fails if a response does not match the description: route, status, media type, schema, and the headers common to all responses.
 */
function createContractCheck(document: Json): ContractCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi')
  const compiled = new Map<string, ValidateFunction>()
  const validatorAt = (pointer: string) => {
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` })
    compiled.set(pointer, known)
    return known
  }
  const paths = Object.keys(objectAt(document, 'paths')).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`),
    literal: path.replace(/\{[^}]+\}/g, '').length,
  }))

  return (request, response) => {
    const url = (typeof request.url === 'string' ? request.url : (request.url?.pathname ?? '')).replace(/\?.*$/s, '')
    const method = (request.method ?? 'GET').toLowerCase()
    const fail = (why: string): never => {
      throw new Error(
        `${method.toUpperCase()} ${url} → ${String(response.statusCode)}: ${why}\n${response.body.slice(0, 2000)}`,
      )
    }
    if (response.headers['x-request-id'] === undefined) fail('no X-Request-Id')
    const mediaType = (response.headers['content-type'] ?? '').replace(/;.*$/, '')
    if (response.statusCode >= 400) checkProblem(response, mediaType, fail)
    const found = paths.filter(({ pattern }) => pattern.test(url)).sort((a, b) => b.literal - a.literal)[0]
    const operation = objectAt(document, 'paths', found?.path ?? '', method === 'head' ? 'get' : method)
    // Unknown routes, wrong methods, preflight requests and pages have no operation.
    if (found === undefined || Object.keys(operation).length === 0) return
    const status = String(response.statusCode)
    const described = objectAt(operation, 'responses', status)
    if (Object.keys(described).length === 0) fail('the status is not described')
    if (response.body === '' || method === 'head') return
    const content = objectAt(described, 'content')
    if (!(mediaType in content)) fail(`the media type ${mediaType} is not described`)
    if (!mediaType.includes('json') || response.headers['content-encoding'] !== undefined) return
    const pointer = ['paths', found.path, method, 'responses', status, 'content', mediaType, 'schema']
      .map((token) => `/${encodeURIComponent(token.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
      .join('')
    const validate = validatorAt(pointer)
    if (!validate(JSON.parse(response.body))) fail(ajv.errorsText(validate.errors, { separator: '\n' }))
  }
}

function checkProblem(response: LightMyRequestResponse, mediaType: string, fail: (why: string) => never): void {
  if (response.body === '') return
  if (mediaType !== 'application/problem+json') fail('an error that is no problem+json')
  const problem: unknown = JSON.parse(response.body)
  if (!isObject(problem)) return fail('the problem is no object')
  if (problem['status'] !== response.statusCode) fail('status and answer disagree')
  if (problem['instance'] !== `urn:request:${String(response.headers['x-request-id'])}`)
    fail('instance is not the request')
  if (!String(problem['type']).endsWith(`/docs/errors#${String(problem['code'])}`))
    fail('type does not lead to the code')
}

/** A document with every kind of item: public, hidden, free, metered, tiered and enterprise prices; webhook, coupon and code. */
export function sampleConfig(version = '1.0.0'): BillingConfig {
  return {
    version,
    webhooks: [
      { id: 'main_hook', url: 'https://hooks.example.test/billing', events: ['invoice.paid', 'invoice.created'] },
    ],
    meters: [{ id: 'api_calls', display_name: 'API calls', event_name: 'api_call' }],
    products: [
      {
        id: 'free',
        name: 'Free',
        prices: [{ id: 'free', amount: 0, currency: 'usd', interval: 'month' }],
      },
      {
        id: 'pro',
        name: 'Pro',
        description: 'For teams',
        prices: [
          { id: 'pro_monthly', amount: 1200, currency: 'usd', interval: 'month', default: true },
          { id: 'pro_secret', amount: 900, currency: 'usd', interval: 'month', public: false },
          { id: 'pro_monthly_acme', amount: 800, currency: 'usd', interval: 'month', enterprise_id: 'acme' },
          { id: 'pro_monthly_gold', amount: 1000, currency: 'usd', interval: 'month', enterprise_template: 'gold' },
        ],
      },
      {
        id: 'usage',
        name: 'Usage',
        prices: [
          {
            id: 'usage_graduated',
            currency: 'usd',
            interval: 'month',
            usage_type: 'metered',
            meter: 'api_calls',
            billing_scheme: 'tiered',
            tiers: [
              { up_to: 100, unit_amount: 0 },
              { up_to: 'inf', unit_amount_decimal: '0.5', flat_amount: 10 },
            ],
          },
        ],
      },
      {
        id: 'backstage',
        name: 'Backstage',
        prices: [{ id: 'backstage_yearly', amount: 99_000, currency: 'usd', interval: 'year', public: false }],
      },
      { id: 'announced', name: 'Announced' },
    ],
    coupons: [{ id: 'welcome', percent_off: 25, duration: 'once' }],
    promotion_codes: [{ id: 'hello', code: 'HELLO25', coupon: 'welcome' }],
  }
}

/** The sample document with another version, edited by `change`. */
export function changedConfig(version: string, change: (config: BillingConfig) => void): BillingConfig {
  const config = sampleConfig(version)
  change(config)
  return config
}
