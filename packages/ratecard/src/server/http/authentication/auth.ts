// Authentication of callers. It runs in the hook `onRequest`, so that a request without a key is refused before its body is read.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { toRfc3339 } from '../../../base/clock.ts'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { keepConnection } from '../listener/connections.ts'
import { scopeNeeded } from '../contract/describe-route.ts'
import type { AddressGuard } from '../listener/address-guard.ts'
import { sessionValueOf, type Origins } from './session.ts'
import type { ServiceKey } from '../../../api/server/keys.ts'
import type { Service } from '../../service/service.ts'
import type { Session } from '../../../api/customers/sessions.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: ServiceKey | null
    /** The tenant session of the request, on routes that accept a session; null if there is none. */
    tenantSession: Session | null
  }
}

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

export interface Authentication {
  /** Hook of admin routes: refuses requests without a valid service key. */
  readonly required: Hook
  /**
   * Hook of public routes. A service key is optional; with one, the response contains more data. An invalid key is refused, because the
   * caller has made a mistake.
   */
  readonly optional: Hook
  /** Hook of checkout routes, runs after `optional`. Accepts a service key or the session cookie of a tenant. The key takes precedence. */
  readonly session: Hook
}

export interface AuthenticationDeps {
  readonly service: Pick<Service, 'authenticate' | 'authenticateSession'>
  readonly guard: AddressGuard
  readonly origins: Origins
}

export function createAuthentication({ service, guard, origins }: AuthenticationDeps): Authentication {
  async function optional(request: FastifyRequest): Promise<void> {
    const key = request.headers['x-service-key']
    if (key === undefined || key === '') return
    const found = typeof key === 'string' ? await service.authenticate(key) : null
    if (found?.state !== 'valid') {
      await guard.count(request, 'failed_authentication')
      throw found?.state === 'expired' ? keyExpired(found) : keyInvalid()
    }
    admit(request, found.key)
  }

  return {
    optional,
    async required(request) {
      await optional(request)
      if (request.caller !== null) return
      await guard.count(request, 'failed_authentication')
      const value = sessionValueOf(request)
      if (value !== undefined && (await service.authenticateSession(value)) !== null)
        throw new ServiceError('not_allowed', 'A session may not use this route: it needs a service key.')
      throw new ServiceError('service_key_missing', 'This route needs the header X-Service-Key.', {
        hint: 'Send a service key in X-Service-Key.',
      })
    },
    async session(request) {
      if (request.caller !== null) return
      const value = sessionValueOf(request)
      const session = value === undefined ? null : await service.authenticateSession(value)
      if (session === null) {
        await guard.count(request, 'failed_authentication')
        throw value === undefined ? credentialsMissing() : sessionInvalid()
      }
      origins.refuseForeign(request)
      request.tenantSession = session
    },
  }
}

/** Sets the key as the caller of the request. Throws if the key's scope does not allow the route. */
export function admit(request: FastifyRequest, key: ServiceKey): void {
  request.caller = key
  keepConnection(request.raw)
  assertScope(request, key)
}

/**
 * Throws if the key's scope does not allow the request. The API contract defines which scope a route requires. Only this function and
 * `requireOwner` check scopes.
 */
function assertScope(request: FastifyRequest, { scope }: ServiceKey): void {
  if (scope === 'owner' || request.is404) return
  const needed = scopeNeeded(request.routeOptions.schema)
  if (needed === 'read' || (needed === 'dry_run' && isDryRun(request))) return
  if (needed === 'owner') throw notOwner(scope)
  if (scope === 'write') return
  throw new ServiceError('key_scope', 'The service key has scope "read" only.', {
    hint:
      needed === 'dry_run'
        ? 'Request a dry run (`--dry-run`, `dry_run=true`), or use a key with the scope "write".'
        : 'Use a key with the scope "write".',
  })
}

/**
 * Throws unless the caller has a key of scope `owner`. For routes where only some requests need that scope, e.g. requests that override
 * policies.
 */
export function requireOwner({ caller }: FastifyRequest): void {
  if (caller?.scope !== 'owner') throw notOwner(caller?.scope ?? 'read')
}

function notOwner(scope: string): ServiceError {
  return new ServiceError('key_scope', `The service key has scope "${scope}", and this needs "owner".`, {
    hint: 'Use a key with the scope "owner", e.g. the one in RATECARD_SERVICE_KEY of the server.',
  })
}

/** False if the request cannot change state: a GET, HEAD or OPTIONS, an unknown route, a route of scope `read`, or a dry run. */
export function mayChange(request: FastifyRequest): boolean {
  if (request.is404 || ['GET', 'HEAD', 'OPTIONS'].includes(request.method)) return false
  const needed = scopeNeeded(request.routeOptions.schema)
  return needed !== 'read' && !isDryRun(request)
}

/**
 * True for a dry run. Compares with exactly those values that the route reads as true: `'true'` before validation of the query, `true`
 * after it.
 */
function isDryRun({ query }: FastifyRequest): boolean {
  return (
    typeof query === 'object' && query !== null && 'dry_run' in query && ['true', true].includes(query.dry_run as never)
  )
}

function keyInvalid(): ServiceError {
  return new ServiceError('service_key_invalid', 'The key in X-Service-Key is not a valid service key.')
}

function keyExpired({ expiresAt }: { readonly expiresAt: number }): ServiceError {
  return new ServiceError('service_key_expired', `The key in X-Service-Key expired at ${toRfc3339(expiresAt)}.`, {
    hint: 'Create a new one: ratecard keys create.',
  })
}

function credentialsMissing(): ServiceError {
  return new ServiceError('service_key_missing', 'This route needs the session cookie of a tenant, or a service key.', {
    hint: 'Send the cookie ratecard_session (over TLS __Host-ratecard_session), or a service key in X-Service-Key.',
  })
}

/**
 * Error for an invalid session. The message is the same for every cause, so that a caller cannot find out whether a session ever existed.
 */
export function sessionInvalid(): ServiceError {
  return new ServiceError('session_invalid', 'The session is not valid.', {
    hint: 'Request a new session from the application.',
  })
}
