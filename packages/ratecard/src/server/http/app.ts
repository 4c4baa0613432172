// The HTTP API: its routes, their authentication, and the hooks common to all responses. Contains no billing logic; it calls only the
// Service.
import cookie from '@fastify/cookie'
import cors from '@fastify/cors'
import type { IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from 'fastify'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import type { Clocks } from '../../base/clock.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import type { Operation } from '../../api/notation/operation.ts'
import { workersPath } from '../../api/workers/workers.ts'
import { createAuthentication, mayChange } from './authentication/auth.ts'
import { registerDashboard } from './dashboard-pages/dashboard.ts'
import { noteChanges } from './dashboard-pages/note-changes.ts'
import { errorsPage } from './response/errors-page.ts'
import { redactSecrets } from './response/conceal.ts'
import { registerJsonBody } from './request/json-body.ts'
import { clientAddress, overTls, type IsOverTls } from './listener/client-address.ts'
import { connectionsThatFit, defaultConnectionLimits } from './listener/connections.ts'
import type { ConnectionLimits, Connections } from './listener/connections.ts'
import { createAddressGuard } from './listener/address-guard.ts'
import { createRequestMetrics } from './listener/metrics.ts'
import { watchRoutes } from './contract/not-found.ts'
import { registerDocs, registerOpenApi } from './contract/openapi.ts'
import { answerClientError, answerIsLast, createProblemSender, errorsUrl } from './response/problem.ts'
import { codingRefusal } from './request/transfer-coding.ts'
import { requestIdOf } from './request/request-id.ts'
import { registerPricingTable } from './response/pricing-table.ts'
import { addSecurityHeaders } from './response/security-headers.ts'
import { allRoutes } from './routes/all.ts'
import { subscriptionChangeOperations } from '../../api/customers/subscription-changes.ts'
import type { RouteDeps } from './routes/deps.ts'
import { allowPreflights } from './routes/session-route.ts'
import { metricsPath } from './routes/server/server.ts'
import { mount, type Route } from './contract/route.ts'
import { createOrigins } from './authentication/session.ts'
import { createHttpServer } from './listener/http-server.ts'
import { withPublicRead } from './listener/public-read.ts'
import { compileValidator } from './contract/validator.ts'
import { WorkerGateway } from './listener/worker-gateway.ts'
import type { Service } from '../service/service.ts'

export interface AppOptions extends Clocks {
  readonly service: Service
  readonly settings: {
    /** Rate limit per client address, in requests per minute (e.g. 60). Requests with a valid service key are not counted. */
    readonly rateLimit: number
    readonly publicUrl: string | null
    /** Web origins whose pages may send the session cookie, in addition to the public URL and loopback. */
    readonly allowedRedirects?: readonly string[] | null
    readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
    /** Addresses and networks of trusted proxies, e.g. `10.0.0.0/8`. `X-Forwarded-For` is used only if one of these proxies sent it. */
    readonly trustedProxies?: readonly string[]
    /** Maximum number of open connections. If absent or null: half of the process's file descriptor limit, at most 16,384. */
    readonly maxConnections?: number | null
  }
  /** Overrides of the default connection limits and timeouts. */
  readonly connections?: Partial<ConnectionLimits>
  readonly metrics?: Registry
  readonly logger?: FastifyBaseLogger
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns true if the browser that sent a request uses TLS. Ratecard's cookies then have the `__Host-` prefix. */
    isOverTls: IsOverTls
    /** Begins shutdown: `/readyz` returns 503, and each connection ends with its next response. Requests are still served. */
    leave: () => void
    /** Starts draining: new requests are refused (503) and streams end. Running requests continue. */
    drain: () => void
    /** Stops accepting connections, and ends each open connection with its next response. Resolves when all connections are closed. */
    endConnections: () => Promise<void>
  }
}

/**
 * Time (ms) that an idle connection stays open while the service drains, so that a request that is already in transit still gets a
 * response.
 */
const idleGraceMs = 500
/** Timeout (ms) for sending the last responses during shutdown, after their work has ended. */
const lastResponsesMs = 2_000
const smallBody = 64 * 1024
const publicPath = '/api/v1/billing'
const adminPath = `${publicPath}/admin`

/** Builds the application, ready to listen or to inject requests. It does not own the service: the caller closes the service after it. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { service, settings, clock, wallClock = clock } = options
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
          maxConnections: settings.maxConnections ?? connectionsThatFit(),
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
  // Each route encodes its response itself. A serializer of Fastify could drop or convert members.
  app.setSerializerCompiler(() => JSON.stringify)
  registerJsonBody(app)
  const missing = watchRoutes(app)
  addCommonHooks(app, leaving.signal, closing.signal)
  redactSecrets(app, service)
  metrics.watch(app)
  addSecurityHeaders(app)
  const guard = await createAddressGuard(app, settings.rateLimit, addressOf)
  // The plugin's global hook is off, so that cookies are parsed only on routes that use a cookie.
  await app.register(cookie, { hook: false })
  const origins = createOrigins(settings.publicUrl, settings.allowedRedirects ?? [])
  const authentication = createAuthentication({ service, guard, origins })
  await registerOpenApi(app, settings.publicUrl)
  const notFound = (scope: FastifyInstance) => {
    scope.setNotFoundHandler(async (request, reply) => {
      const { error, allow } = missing(request)
      // The metrics path requires a key for every method, so that a caller without a key cannot probe the route.
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
    wallClock,
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
  // Logs errors of the listener after startup, e.g. no memory to accept a connection. A failure to start is not logged here, because the
  // caller of `listen` gets that error.
  app.server.on('error', (error) => {
    if (app.server.listening) logger.error({ err: error }, 'the listener failed')
  })
  return app
}

/** Selects the operations that the dashboard may call: those that require a service key, the price list, and changes of subscriptions. */
function pagesRoutes(routes: readonly (readonly [string, Route])[]): ByOperation {
  return Object.fromEntries(
    routes.filter(
      ([id, { row }]) =>
        row.path.startsWith('/api/') &&
        (row.access === 'service_key' || row.tag === 'Price list' || Object.hasOwn(subscriptionChangeOperations, id)),
    ),
  )
}

/** Group of a route, which determines its hooks: public price list, admin API, workers, or `root` with only the common hooks. */
type RouteGroup = 'public' | 'admin' | 'workers' | 'root'

function placeOf({ access, path }: Operation): RouteGroup {
  if (access === 'public' || access === 'session') return 'public'
  if (path.startsWith(adminPath)) return 'admin'
  return path.startsWith(workersPath) ? 'workers' : 'root'
}

type ByOperation = Readonly<Record<string, Route>>
interface ScopeDeps extends RouteDeps {
  readonly notFound: (scope: FastifyInstance) => void
}

/** Adds the routes of the public price list. With CORS, pages of every origin can read it. A service key is optional. */
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

async function adminScope(scope: FastifyInstance, deps: ScopeDeps, routes: ByOperation): Promise<void> {
  requireKey(scope, deps)
  // Without this route, the response to CORS preflight requests for public routes (`*`) would also be sent for admin paths.
  scope.options('*', { schema: { hide: true } }, (_request, reply) => {
    reply.callNotFound()
  })
  mount(scope, adminPath, routes)
}

async function workerScope(scope: FastifyInstance, deps: ScopeDeps, routes: ByOperation): Promise<void> {
  requireKey(scope, deps)
  mount(scope, workersPath, routes)
}

/**
 * Adds the check of the service key as the first hook. So a caller without a key cannot probe paths, and the body of its request is not
 * read.
 */
function requireKey(scope: FastifyInstance, { authentication, service, notFound }: ScopeDeps): void {
  scope.addHook('onRequest', authentication.required)
  scope.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', 'no-store')
    done()
  })
  noteChanges(scope, service)
  notFound(scope)
}

function addCommonHooks(app: FastifyInstance, leaving: AbortSignal, closing: AbortSignal): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    const refusal = refusalOf(request.raw)
    if (refusal !== null) {
      // It is unclear where the body of a refused request ends. So the connection is closed; otherwise bytes of the body could be parsed as
      // another request (request smuggling).
      reply.header('connection', 'close')
      answerIsLast(request.raw.socket)
      done(refusal)
      return
    }
    if (leaving.aborted) reply.header('connection', 'close')
    if (closing.aborted && !isProbe(request))
      done(new ServiceError('shutting_down', 'This replica is shutting down.', { retryAfter: 1 }))
    else done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    // Reads are not logged by default, e.g. thousands of checks of a feature a second.
    const level = mayChange(request) ? 'info' : 'debug'
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

/**
 * Returns the error for a request that must not reach a route; null for any other request. To some of these requests Node would send an
 * empty response (e.g. without a Host header). Others could be understood differently by a proxy and by this server (e.g. with two Host
 * headers).
 */
function refusalOf({ httpVersion, rawHeaders, headers }: IncomingMessage): ServiceError | null {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1'))
    return new ServiceError('request_invalid', 'A request must have exactly one Host header.')
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    return new ServiceError('request_invalid', 'The header Expect may only be 100-continue.')
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

/**
 * Begins shutdown and resolves after `delayMs`. Meanwhile `/readyz` returns 503, so that load balancers stop sending traffic, and requests
 * still in transit are served.
 */
export async function leave(app: FastifyInstance, delayMs: number): Promise<void> {
  if (delayMs === 0) return
  app.leave()
  await new Promise((resolve) => setTimeout(resolve, delayMs))
}

/**
 * Refuses new requests, lets running requests end, then closes. If that takes longer than `timeoutMs`, calls `endWork`, which must stop the
 * work of the running requests (e.g. a push between two steps) and wait for a write in flight. Then sends the responses of these requests
 * and cuts the remaining connections.
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
    // All connections ended before the timeout, so there is nothing to cut.
    () => undefined,
  )
  await ended
  late.abort()
  await inTime
  await app.close()
}
