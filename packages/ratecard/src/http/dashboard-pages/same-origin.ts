// Checks that a browser request comes from a dashboard page. Browsers attach cookies to requests of any page, and pages on other ports of
// the same machine count as same-site. So the check uses headers that scripts cannot set (`Origin`, `Sec-Fetch-Site`).
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors/service-error.ts'

export interface SameOrigin {
  /** Throws `not_allowed` unless the request is known to come from a dashboard page. For requests that change state. */
  require(request: FastifyRequest): void
  /** Throws `not_allowed` if the request is known to come from another page. For reads, and for requests without a cookie. */
  refuseForeign(request: FastifyRequest): void
}

/** Compares hosts after normalizing the scheme's default port (e.g. `:443`). */
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
    // Typed into the address bar, or opened from a bookmark.
    if (site === 'none') return request.method === 'GET' || request.method === 'HEAD' ? 'ours' : 'foreign'
    if (site !== undefined) return site === 'same-origin' ? 'ours' : 'foreign'
    // Without TLS, browsers send `Sec-Fetch-Site` to loopback only.
    if (origin === undefined) return 'unknown'
    if (origin === own) return 'ours'
    return isAt(origin, host) ? 'ours' : 'foreign'
  }
  const refuse = () =>
    new ServiceError('not_allowed', 'Only pages of this dashboard may do this.', {
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
