// Checks that a browser request comes from a dashboard page. The cookie does not prove that: browsers attach it to requests of any page,
// and treat other ports of the same machine as the same site. So the check uses `Origin` and `Sec-Fetch-Site`, which scripts cannot set.
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../../base/errors/service-error.ts'

export interface SameOrigin {
  /** Throws `not_allowed` unless the request certainly comes from a dashboard page. Use it for requests that change state. */
  require(request: FastifyRequest): void
  /** Throws `not_allowed` only if the request certainly comes from another page. Use it for reads, and for requests without a cookie. */
  refuseForeign(request: FastifyRequest): void
}

/** True if `origin` is at `host`. The default port of the scheme is ignored (e.g. `:443` for https). */
function isAt(origin: string, host: string | undefined): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, host: from } = new URL(origin)
  const address = `${protocol}//${host ?? ''}`
  return URL.canParse(address) && new URL(address).host === from
}

export function createSameOrigin(publicUrl: string | null): SameOrigin {
  const own = publicUrl === null ? null : new URL(publicUrl).origin
  const judge = (request: FastifyRequest): 'ours' | 'foreign' | 'unknown' => {
    const { origin, host } = request.headers
    const site = request.headers['sec-fetch-site']
    // `none`: the user typed the URL or opened a bookmark.
    if (site === 'none') return request.method === 'GET' || request.method === 'HEAD' ? 'ours' : 'foreign'
    if (site !== undefined) return site === 'same-origin' ? 'ours' : 'foreign'
    // Without TLS, browsers send `Sec-Fetch-Site` only to loopback addresses. The header is missing here, so `Origin` decides.
    if (origin === undefined) return 'unknown'
    if (origin === own) return 'ours'
    return isAt(origin, host) ? 'ours' : 'foreign'
  }
  const refuse = () =>
    new ServiceError('not_allowed', 'Only pages of this dashboard may send this request.', {
      hint: 'Programs send a service key in X-Service-Key, to /api/v1.',
    })
  return {
    require(request) {
      if (judge(request) !== 'ours') throw refuse()
    },
    refuseForeign(request) {
      if (judge(request) === 'foreign') throw refuse()
    },
  }
}
