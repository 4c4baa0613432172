// Whether a browser asks on behalf of our own pages. A cookie comes with whatever any page makes the browser ask for; pages of
// other ports on this machine even count as the same site. So each request says where it comes from, in headers that scripts cannot write.
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors/service-error.ts'

export interface SameOrigin {
  /** Throws `not_allowed` unless the request is known to come from a page of ours. For everything that acts. */
  require(request: FastifyRequest): void
  /** Throws `not_allowed` when it is known to come from another page. For what only reads, and for what takes no cookie. */
  refuseForeign(request: FastifyRequest): void
}

/** Both with or without the port that the scheme implies. */
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
    // Typed into the address bar, or from a bookmark.
    if (site === 'none') return request.method === 'GET' || request.method === 'HEAD' ? 'ours' : 'foreign'
    if (site !== undefined) return site === 'same-origin' ? 'ours' : 'foreign'
    // Browsers leave the header out where there is no TLS, but for this machine itself.
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
