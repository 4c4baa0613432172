import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { nearest } from '../../../base/errors/suggest.ts'

/**
 * Records the routes as they are added. Returns a function that creates the error for a request without a route: 405 for a wrong method, or
 * 404 for an unknown path.
 */
export function watchRoutes(
  app: FastifyInstance,
): (request: FastifyRequest) => { readonly error: ServiceError; readonly allow: string | null } {
  const routes: { readonly path: RegExp; readonly pattern: string; readonly method: string }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return
    const path = new RegExp(`^${url.replace(/[.$+?()[\]{}|^\\]/g, '\\$&').replace(/:[A-Za-z_]+/g, '[^/]+')}/?$`)
    for (const one of [method].flat()) routes.push({ path, pattern: url, method: one })
  })
  return (request) => {
    const path = request.url.replace(/\?.*$/s, '')
    const allowed = new Set(routes.filter((route) => route.path.test(path)).map((route) => route.method))
    // The router treats a path with a trailing slash as a different path. So even if the method is allowed without the slash, the path with
    // it gets 404.
    if (allowed.size > 0 && !allowed.has(request.method)) {
      const allow = [...allowed].sort().join(', ')
      return {
        error: new ServiceError(
          'method_not_allowed',
          `${request.method} is not allowed for this path. Allowed: ${allow}.`,
        ),
        allow,
      }
    }
    const near = nearest(path, new Set(routes.map((route) => route.pattern)))
    const hint = near === undefined || near === path ? undefined : `Did you mean ${near}?`
    return {
      error: new ServiceError('route_not_found', `There is no route ${request.method} ${path}.`, { hint }),
      allow: null,
    }
  }
}
