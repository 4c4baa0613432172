// The HTTP API: which routes there are, who may call them, and what every answer has in common. It decides nothing about
// configurations; it knows the Service and nothing beneath it.
import cookie from '@fastify/cookie'
import helmet from '@fastify/helmet'
import cors from '@fastify/cors'
import type { IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import fastify, { LogController } from 'fastify'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import type { Clock } from '../clock.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { Service } from '../service/service.ts'
import type { Operation } from '../api/notation/operation.ts'
import { workersPath } from '../api/workers.ts'
import { createAuthentication } from './authentication/auth.ts'
import type { Authentication } from './authentication/auth.ts'
import { registerDashboard } from './dashboard-pages/dashboard.ts'
import { noteChanges } from './dashboard-pages/note-changes.ts'
import { errorsPage } from './response/errors-page.ts'
import { concealSecrets } from './response/conceal.ts'
import { registerJsonBody } from './request/json-body.ts'
import { clientAddress, overTls } from './server/client-address.ts'
import type { IsOverTls } from './server/client-address.ts'
import { connectionsThatFit, defaultConnectionLimits } from './server/connections.ts'
import type { ConnectionLimits, Connections } from './server/connections.ts'
import { createAddressGuard } from './server/address-guard.ts'
import { createRequestMetrics } from './server/metrics.ts'
import { watchRoutes } from './contract/not-found.ts'
import { registerDocs, registerOpenApi } from './contract/openapi.ts'
import { answerClientError, answerIsLast, createProblemSender, errorsUrl } from './response/problem.ts'
import { codingRefusal } from './request/transfer-coding.ts'
import { requestIdOf } from './request/request-id.ts'
import { registerPricingTable } from './response/pricing-table.ts'
import { allRoutes } from './routes/all.ts'
import { allowPreflights } from './routes/checkout.ts'
import { metricsPath } from './routes/server.ts'
import { mount } from './contract/route.ts'
import type { Route } from './contract/route.ts'
import { createOrigins } from './authentication/session.ts'
import type { Origins } from './authentication/session.ts'
import { createHttpServer } from './server/http-server.ts'
import { withPublicRead } from './server/public-read.ts'
import { compileValidator } from './contract/validator.ts'
import { WorkerGateway } from './server/worker-gateway.ts'

export interface AppOptions {
  readonly service: Service
  readonly settings: {
    /** Requests a minute and address. */
    readonly rateLimit: number
    readonly publicUrl: string | null
    /** Origins whose pages may use the session cookie, beside the public URL's and loopback. */
    readonly allowedRedirects?: readonly string[]
    readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
    /** Addresses and nets of proxies whose `X-Forwarded-For` is believed. */
    readonly trustedProxies?: readonly string[]
    /** Most connections at one time; absent or null is as many as half of the file descriptors. */
    readonly maxConnections?: number | null
  }
  /** How long slow peers are waited for, where that is not as usual. */
  readonly connections?: Partial<ConnectionLimits>
  readonly clock: Clock
  readonly metrics?: Registry
  readonly logger?: FastifyBaseLogger
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Decides under which names our cookies are read and set. */
    isOverTls: IsOverTls
    /** From now on `/readyz` answers 503 and connections end with their next answer; every request is served. */
    leave: () => void
    /** From now on new requests are refused (503) and streams end; those that run go on. */
    drain: () => void
    /** Accepts no further connection and ends the open ones in order; resolves when all are closed. */
    endConnections: () => Promise<void>
  }
}

/** How long an idle connection stays open while the service drains: a request that its client has already sent is answered. */
const idleGraceMs = 500
/** How long responses may take to be sent after the work behind them has ended. */
const lastResponsesMs = 2_000
const smallBody = 64 * 1024
const publicPath = '/api/v1/billing'
const adminPath = `${publicPath}/admin`

/** The application, ready to listen or to be injected into. It does not own the service: close that after it. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { service, settings, clock } = options
  const docsUrl = errorsUrl(settings.publicUrl)
  const leaving = new AbortController()
  const closing = new AbortController()
  const registry = options.metrics ?? new Registry()
  const metrics = createRequestMetrics(registry)
  const sendProblem = createProblemSender(docsUrl)
  const logger = options.logger ?? pino({ level: settings.logLevel })
  const servers: Connections[] = []
  const addressOf = clientAddress(settings.trustedProxies ?? [])
  const workers = new WorkerGateway({
    service,
    docsUrl,
    addressOf,
    leaving: leaving.signal,
    closing: closing.signal,
    onInternal: (error, requestId) => {
      logger.error({ err: error, request_id: requestId }, 'request to a worker failed')
    },
  })
  const publicRead = { service, isOpen: () => !leaving.signal.aborted, onAnswer: metrics.countPublicRead }
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    requestIdHeader: false,
    bodyLimit: smallBody,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 1000 },
    frameworkErrors: (error, request, reply) => void sendProblem(error, request, reply),
    clientErrorHandler: (error, socket) => {
      answerClientError(error, socket, docsUrl)
    },
    serverFactory: (route) =>
      createHttpServer(withPublicRead(route, publicRead), {
        workers,
        limits: {
          ...defaultConnectionLimits,
          most: settings.maxConnections ?? connectionsThatFit(),
          ...options.connections,
        },
        onCut: metrics.countCut,
        onServer: (connections) => {
          servers.push(connections)
          metrics.watchConnections(connections.count)
        },
      }),
  })
  app.decorateRequest('caller', null)
  app.decorateRequest('tenantSession', null)
  app.decorate('isOverTls', overTls(settings.publicUrl, settings.trustedProxies ?? []))
  app.decorate('leave', () => {
    leaving.abort()
  })
  app.decorate('drain', () => {
    leaving.abort()
    closing.abort()
  })
  app.decorate('endConnections', async () => {
    await Promise.all(servers.map((server) => server.drain(idleGraceMs)))
  })
  app.setErrorHandler(sendProblem)
  app.setValidatorCompiler(compileValidator)
  // Answers are encoded by their row, member by member: a serializer that drops or turns members could only do harm.
  app.setSerializerCompiler(() => JSON.stringify)
  registerJsonBody(app)
  const missing = watchRoutes(app)
  addCommonHooks(app, leaving.signal, closing.signal)
  concealSecrets(app, service)
  metrics.watch(app)
  await app.register(helmet, helmetOptions)
  const guard = await createAddressGuard(app, settings.rateLimit, addressOf)
  // Cookies are read where one counts; most requests have none to read.
  await app.register(cookie, { hook: false })
  const origins = createOrigins(settings.publicUrl, settings.allowedRedirects ?? [])
  const authentication = createAuthentication({ service, guard, origins })
  await registerOpenApi(app, settings.publicUrl)
  const notFound = (scope: FastifyInstance) => {
    scope.setNotFoundHandler(async (request, reply) => {
      const { error, allow } = missing(request)
      // The figures need a key whatever the method: who has none learns nothing of the route.
      if (allow !== null && request.url.startsWith(metricsPath) && request.caller === null)
        await authentication.required(request, reply)
      if (allow !== null) reply.header('allow', allow)
      return sendProblem(error, request, reply)
    })
  }
  notFound(app)
  const scopes = {
    service,
    guard,
    authentication,
    origins,
    docsUrl,
    closing: closing.signal,
    notFound,
    publicUrl: settings.publicUrl,
    clock,
    registry,
    isLeaving: () => leaving.signal.aborted,
  }
  const routes = Object.entries<Route>(allRoutes(scopes))
  const at = (place: RouteGroup) => Object.fromEntries(routes.filter(([, { row }]) => placeOf(row) === place))
  await app.register((scope) => publicScope(scope, scopes, at('public')), { prefix: publicPath })
  await app.register((scope) => adminScope(scope, scopes, at('admin')), { prefix: adminPath })
  await app.register((scope) => workerScope(scope, scopes, at('workers')), { prefix: workersPath })
  mount(app, '', at('root'))
  await registerDashboard(app, { service, guard, publicUrl: settings.publicUrl, notFound, routes: pagesRoutes(routes) })
  pageRoutes(app)
  registerPricingTable(app)
  await registerDocs(app)
  await app.ready()
  // For example no memory to accept a connection. While the listener starts, whoever starts it learns of the error.
  app.server.on('error', (error) => {
    if (app.server.listening) logger.error({ err: error }, 'the listener failed')
  })
  return app
}

/** What the dashboard asks for: everything behind the key, and the price list with a key's eyes. */
function pagesRoutes(routes: readonly (readonly [string, Route])[]): ByOperation {
  return Object.fromEntries(
    routes.filter(
      ([, { row }]) => row.path.startsWith('/api/') && (row.access === 'service_key' || row.tag === 'Price list'),
    ),
  )
}

/** Which hooks a row gets: those of the public price list, of what is behind the key, or none but the common ones. */
type RouteGroup = 'public' | 'admin' | 'workers' | 'root'

function placeOf({ access, path }: Operation): RouteGroup {
  if (access === 'public' || access === 'session') return 'public'
  if (path.startsWith(adminPath)) return 'admin'
  return path.startsWith(workersPath) ? 'workers' : 'root'
}

type ByOperation = Readonly<Record<string, Route>>
interface ScopeDeps {
  readonly service: Service
  readonly authentication: Authentication
  readonly origins: Origins
  readonly notFound: (scope: FastifyInstance) => void
}

/** Any origin may read; a key is welcome and not needed. */
async function publicScope(scope: FastifyInstance, deps: ScopeDeps, routes: ByOperation): Promise<void> {
  await scope.register(cors, {
    origin: '*',
    methods: ['GET', 'HEAD', 'POST'],
    allowedHeaders: ['Content-Type', 'If-None-Match', 'X-Request-Id', 'X-Service-Key'],
    exposedHeaders: ['ETag', 'X-Request-Id', 'Retry-After'],
    maxAge: 86_400,
  })
  scope.addHook('onRequest', deps.authentication.optional)
  deps.notFound(scope)
  mount(scope, publicPath, routes)
  allowPreflights(scope, publicPath, deps.origins)
}

/** The key comes first: nobody learns without one which admin paths there are, and no body is read. */
async function adminScope(scope: FastifyInstance, deps: ScopeDeps, routes: ByOperation): Promise<void> {
  scope.addHook('onRequest', deps.authentication.required)
  scope.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', 'no-store')
    done()
  })
  noteChanges(scope, deps.service)
  deps.notFound(scope)
  // Without it the preflight answer of the public scope would speak for these paths too.
  scope.options('*', { schema: { hide: true } }, (_request, reply) => {
    reply.callNotFound()
  })
  mount(scope, adminPath, routes)
}

async function workerScope(scope: FastifyInstance, deps: ScopeDeps, routes: ByOperation): Promise<void> {
  scope.addHook('onRequest', deps.authentication.required)
  scope.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', 'no-store')
    done()
  })
  noteChanges(scope, deps.service)
  deps.notFound(scope)
  mount(scope, workersPath, routes)
}

function addCommonHooks(app: FastifyInstance, leaving: AbortSignal, closing: AbortSignal): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    const refusal = refusalOf(request.raw)
    if (refusal !== null) {
      // Where such a request ends is not sure: nothing after it is read as another one.
      reply.header('connection', 'close')
      answerIsLast(request.raw.socket)
      done(refusal)
      return
    }
    if (leaving.aborted) reply.header('connection', 'close')
    if (closing.aborted && !isProbe(request))
      done(new ServiceError('shutting_down', 'This replica is draining.', { retryAfter: 1 }))
    else done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const level = request.method === 'GET' || request.method === 'HEAD' ? 'debug' : 'info'
    request.log[level](
      {
        request_id: request.id,
        method: request.method,
        path: request.url.replace(/\?.*$/s, ''),
        status: reply.statusCode,
        key: request.caller?.id,
        duration_ms: Math.round(reply.elapsedTime),
      },
      'answered',
    )
    done()
  })
}

/** What Node would refuse with an empty answer, and two hosts, of which a proxy and we might read different ones. */
function refusalOf({ httpVersion, rawHeaders, headers }: IncomingMessage): ServiceError | null {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1'))
    return new ServiceError('request_invalid', 'A request names its host once, in the header Host.')
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    return new ServiceError('request_invalid', 'The header Expect takes 100-continue alone.')
  return codingRefusal(headers['transfer-encoding'])
}

const isProbe = (request: FastifyRequest) => request.url === '/healthz' || request.url === '/readyz'

function pageRoutes(app: FastifyInstance): void {
  app.get('/', { schema: { hide: true } }, (_request, reply) => reply.redirect('/docs'))
  const page = errorsPage()
  app.get('/docs/errors', { schema: { hide: true } }, (_request, reply) =>
    reply
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
      .type('text/html; charset=utf-8')
      .send(page),
  )
}

/** An API needs no scripts or frames; the pages say what they need themselves. HTTPS is the matter of the proxy that has the certificate. */
const helmetOptions = {
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  strictTransportSecurity: false,
  crossOriginEmbedderPolicy: false,
} as const

/** Tells balancers to ask elsewhere, and serves on for `delayMs`: what they still send is not refused. */
export async function leave(app: FastifyInstance, delayMs: number): Promise<void> {
  if (delayMs === 0) return
  app.leave()
  await new Promise((resolve) => setTimeout(resolve, delayMs))
}

/**
 * Refuses new requests, lets running ones end, then closes. After `timeoutMs` calls `endWork`, which must stop the work behind the
 * requests that still run (e.g. a push between two steps) and wait for the write that is in flight; their responses are sent, and
 * the connections that then remain are cut.
 */
export async function closeGracefully(
  app: FastifyInstance,
  timeoutMs: number,
  endWork: () => Promise<void> = async () => undefined,
): Promise<void> {
  app.drain()
  const ended = app.endConnections()
  const late = new AbortController()
  const inTime = delay(timeoutMs, undefined, { signal: late.signal }).then(
    async () => {
      await endWork()
      await Promise.race([ended, delay(lastResponsesMs, undefined, { ref: false })])
      app.server.closeAllConnections()
    },
    // Everything ended before.
    () => undefined,
  )
  await ended
  late.abort()
  await inTime
  await app.close()
}
