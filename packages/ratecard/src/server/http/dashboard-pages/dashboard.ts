// The dashboard over HTTP: its files, sign-in, and the admin API for signed-in browsers. Each API request acts with the service key of its
// session, and is handled by the same routes as requests of other clients.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { createPages, type BuiltPages, type Encoding } from '../../dashboard-backend/files.ts'
import { notBuiltPage, openLinkPage, signInPage } from '../../dashboard-backend/sign-in-page.ts'
import { admit } from '../authentication/auth.ts'
import { clearOwnCookie, readOwnCookie, setOwnCookie } from '../authentication/own-cookie.ts'
import { dashboardCookie, dashboardPath, bringsCookies, isNavigation, pageTokenOf, hasPageToken } from './page-token.ts'
import type { AddressGuard } from '../listener/address-guard.ts'
import { compressAnswers } from './compress-answers.ts'
import { noteChanges } from './note-changes.ts'
import { toServiceError } from '../response/problem.ts'
import { mount, type Route } from '../contract/route.ts'
import { createSameOrigin, type SameOrigin } from './same-origin.ts'
import type { ServiceKey } from '../../../api/server/keys.ts'
import type { Service } from '../../service/service.ts'
import type { DashboardPass } from '../../dashboard-backend/sign-in.ts'

export interface DashboardDeps {
  readonly service: Service
  readonly guard: AddressGuard
  readonly publicUrl: string | null
  readonly notFound: (scope: FastifyInstance) => void
  /** Operations available to a signed-in browser, by operation id. */
  readonly routes: Readonly<Record<string, Route>>
}

const apiPrefix = '/api'
const sessionSeconds = 12 * 60 * 60
const maxFormBytes = 4096
const linkToken = /^[\w-]{1,200}$/

const pageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: https:",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; '),
  // The value is `same-origin`, because forms of the dashboard must send an Origin header, but other sites must not see the dashboard's
  // URLs.
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  // With this header, a page that opened the dashboard in a new window gets no reference to that window.
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
} as const

const immutable = { 'cache-control': 'public, max-age=31536000, immutable' }
const notStored = { 'cache-control': 'no-store' }

/** Registers all routes below `/dashboard`. */
export async function registerDashboard(app: FastifyInstance, deps: DashboardDeps): Promise<void> {
  const sameOrigin = createSameOrigin(deps.publicUrl)
  await app.register(
    async (scope) => {
      scope.addHook('onRequest', (_request, reply, done) => {
        reply.headers(pageHeaders)
        done()
      })
      const pages = createPages()
      pageRoutes(scope, deps, pages)
      // Only this scope accepts form bodies, because pages of other sites can send forms without a preflight request.
      await scope.register(async (gate) => {
        takeForms(gate)
        signInRoutes(gate, deps, sameOrigin, pages)
      })
      await scope.register((api) => apiScope(api, deps, sameOrigin), { prefix: apiPrefix })
    },
    { prefix: dashboardPath },
  )
}

const hidden = { schema: { hide: true } }

function takeForms(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: maxFormBytes },
    (_request, body, done) => {
      done(null, new URLSearchParams(String(body)))
    },
  )
}

type Pages = () => Promise<BuiltPages | null>

function pageRoutes(scope: FastifyInstance, { service }: DashboardDeps, pages: Pages): void {
  const index = async (request: FastifyRequest, reply: FastifyReply) => {
    // HEAD of a sign-in link gets 405, because its GET route has no HEAD.
    if (request.method === 'HEAD' && isLink(request)) {
      reply.callNotFound()
      return reply
    }
    const built = await pages()
    if (built === null) return sendPage(reply, 503, notBuiltPage())
    const place = new URL(request.url, 'http://page').pathname.slice(dashboardPath.length)
    const session = isNavigation(request) ? await sessionOf(request, service) : null
    if (session === null && bringsCookies(request)) {
      const ended = cookieOf(request) === undefined ? '' : 'ended&'
      const next = encodeURIComponent(request.url)
      return reply.headers(notStored).redirect(`${dashboardPath}/sign-in?${ended}next=${next}`, 303)
    }
    if (session === null) return sendPage(reply, 200, built.index(place))
    // The response has `no-store`. Otherwise a script could read the embedded page token from the browser's cache.
    const changeTag = await service.changeTag()
    const known = { pageToken: pageTokenOf(session.value), changeTag }
    return sendPage(reply.headers(notStored), 200, built.index(place, known))
  }
  scope.get('/', hidden, index)
  // All paths without a file of their own get the same HTML. The script in it renders the page for the URL (client-side routing).
  scope.get('/*', hidden, index)
  scope.get<{ Params: { file: string } }>('/assets/:file', hidden, async (request, reply) => {
    const file = (await pages())?.file(request.params.file)
    if (file === undefined) throw new ServiceError('route_not_found', 'There is no such file.')
    const encoding = chosenEncoding(request.headers['accept-encoding'])
    return reply
      .headers({ ...immutable, vary: 'accept-encoding' })
      .headers(encoding === 'identity' ? {} : { 'content-encoding': encoding })
      .type(file.mediaType)
      .send(await file.bytes(encoding))
  })
}

const isLink = ({ url }: FastifyRequest) => new URL(url, 'http://page').pathname === `${dashboardPath}/open`

/** Returns the encoding for an `Accept-Encoding` header. Ignores weights, except that `q=0` excludes an encoding. */
function chosenEncoding(header: string | string[] | undefined): Encoding {
  const taken = String(header ?? '')
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => !/;\s*q=0(\.0*)?$/.test(part))
    .map((part) => part.replace(/;.*$/s, '').trim())
  return taken.includes('br') ? 'br' : taken.includes('gzip') ? 'gzip' : 'identity'
}

function sendPage(reply: FastifyReply, status: number, body: string): FastifyReply {
  return reply.code(status).type('text/html; charset=utf-8').send(body)
}

function signInRoutes(scope: FastifyInstance, deps: DashboardDeps, sameOrigin: SameOrigin, pages: Pages): void {
  const { service, guard } = deps

  const signInAnswer = async (
    reply: FastifyReply,
    status: number,
    next: string,
    problem: { readonly detail: string; readonly hint?: string | undefined } | null,
    hasEnded = false,
  ) => {
    const built = await pages()
    const body = built === null ? notBuiltPage() : signInPage({ styleSheet: built.styleSheet, next, problem, hasEnded })
    return sendPage(reply.headers(notStored), built === null ? 503 : status, body)
  }

  const giveCookie = (reply: FastifyReply, { value }: DashboardPass) => {
    setOwnCookie(reply.headers(notStored), dashboardCookie, value, {
      sameSite: 'strict',
      secure: seemsOverTls(reply.request),
      maxAge: sessionSeconds,
    })
  }

  scope.get<{ Querystring: { next?: string; ended?: string } }>('/sign-in', hidden, async (request, reply) => {
    const next = pathWithin(request.query.next)
    // If the user follows a link on another site, the browser first loads a page without the cookie (SameSite). That page redirects to this
    // route. The redirected request includes the cookie, so it is redirected back.
    if (request.query.next !== undefined && (await sessionOf(request, service)) !== null)
      return reply.headers(notStored).redirect(next, 303)
    return signInAnswer(reply, 200, next, null, request.query.ended !== undefined)
  })

  scope.post('/session', hidden, async (request, reply) => {
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
    const next = pathWithin(form.get('next') ?? undefined)
    try {
      sameOrigin.refuseForeign(request)
      const found = await service.authenticate((form.get('key') ?? '').trim())
      if (found?.state !== 'valid') {
        await guard.count(request, 'failed_authentication')
        throw found === null
          ? new ServiceError('service_key_invalid', 'The service key is not valid.', {
              hint: 'Check that the whole key was copied, and that it was not revoked.',
            })
          : new ServiceError('service_key_expired', 'This service key has expired.', {
              hint: 'Create a new one: ratecard keys create.',
            })
      }
      giveCookie(reply, await service.openDashboard(found.key.id))
      return await reply.redirect(next, 303)
    } catch (error) {
      const problem = toServiceError(error)
      if (!wantsPage(request) || problem.status >= 500) throw error
      if (problem.retryAfter !== undefined) reply.header('retry-after', String(Math.ceil(problem.retryAfter)))
      return signInAnswer(reply, problem.status, next, { detail: problem.message, hint: problem.hint })
    }
  })

  const refuseLink = async (request: FastifyRequest, reply: FastifyReply) => {
    await guard.count(request, 'failed_authentication')
    return signInAnswer(reply, 401, dashboardPath, {
      detail: 'This link has already been used, or has expired.',
      hint: 'Create another one with npx ratecard dashboard, or sign in with a service key.',
    })
  }

  // A GET of a sign-in link only shows a form, and the POST of that form consumes the token. Otherwise mail scanners and link previews,
  // which send GET and HEAD, would consume it.
  scope.get<{ Querystring: { token?: string } }>(
    '/open',
    { ...hidden, exposeHeadRoute: false },
    async (request, reply) => {
      const { token } = request.query
      if (typeof token !== 'string' || !linkToken.test(token)) return refuseLink(request, reply)
      const built = await pages()
      const body = built === null ? notBuiltPage() : openLinkPage(built.styleSheet, token)
      return sendPage(reply.headers(notStored), built === null ? 503 : 200, body)
    },
  )

  scope.post('/open', hidden, async (request, reply) => {
    sameOrigin.refuseForeign(request)
    const token = request.body instanceof URLSearchParams ? request.body.get('token') : null
    const pass = token === null ? null : await service.openDashboardByLink(token)
    if (pass === null) return refuseLink(request, reply)
    giveCookie(reply, pass)
    return reply.redirect(dashboardPath, 303)
  })

  scope.post('/sign-out', hidden, async (request, reply) => {
    sameOrigin.require(request)
    const value = cookieOf(request)
    if (value !== undefined) await service.closeDashboard(value)
    return clearOwnCookie(reply, dashboardCookie)
      .headers({ ...notStored, 'clear-site-data': '"cache"' })
      .redirect(`${dashboardPath}/sign-in`, 303)
  })
}

/** Adds the admin API with cookie authentication. Below this path `X-Service-Key` is ignored; on all other paths the cookie is ignored. */
async function apiScope(scope: FastifyInstance, deps: DashboardDeps, sameOrigin: SameOrigin): Promise<void> {
  const { service, guard } = deps
  scope.addHook('onRequest', async (request, reply) => {
    reply.headers(notStored)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (isRead) sameOrigin.refuseForeign(request)
    else sameOrigin.require(request)
    const value = cookieOf(request)
    const visitor = value === undefined ? null : await service.authenticateDashboard(value)
    if (value !== undefined && visitor !== null && !hasPageToken(request, value))
      throw new ServiceError(
        'session_invalid',
        'This page was loaded in an earlier session, so its requests are refused.',
        {
          hint: 'Load the page again. Programs send a service key in X-Service-Key, to /api/v1.',
        },
      )
    if (visitor === null) {
      await guard.count(request, 'failed_authentication')
      throw new ServiceError('session_invalid', 'This browser is not signed in to the dashboard.', {
        hint: `Sign in at ${dashboardPath}/sign-in.`,
      })
    }
    admit(request, visitor.key)
  })
  noteChanges(scope, service)
  compressAnswers(scope)
  deps.notFound(scope)
  scope.get('/*', hidden, (_request, reply) => {
    reply.callNotFound()
  })
  mount(scope, apiPrefix, deps.routes, { isDescribed: false })
}

/** Returns the value of the session cookie and the service key of the session; null if the session is not valid. */
async function sessionOf(
  request: FastifyRequest,
  service: Service,
): Promise<{ readonly value: string; readonly key: ServiceKey } | null> {
  const value = cookieOf(request)
  const visitor = value === undefined ? null : await service.authenticateDashboard(value)
  return value === undefined || visitor === null ? null : { value, key: visitor.key }
}

const cookieOf = (request: FastifyRequest) => readOwnCookie(request, dashboardCookie)

/**
 * True if the browser seems to use TLS. Also looks at headers of a proxy that is not in the settings, because such a proxy may hold the
 * certificate.
 */
function seemsOverTls(request: FastifyRequest): boolean {
  return [request.headers.origin, request.headers['x-forwarded-proto'], `${request.protocol}:`]
    .flat()
    .some((said) => said !== undefined && /^https\b/i.test(said))
}

/** Returns `next` if it is a path of the dashboard, otherwise the dashboard's start page. Prevents open redirects. */
function pathWithin(next: string | undefined): string {
  return next !== undefined && /^\/dashboard(?:[/?][\w\-./~%?=&:,]*)?$/.test(next) && !next.includes('..')
    ? next
    : dashboardPath
}

const wantsPage = (request: FastifyRequest) => (request.headers.accept ?? '').includes('text/html')
