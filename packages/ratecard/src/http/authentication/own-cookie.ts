// Names of Ratecard's cookies. Over TLS they have the prefix `__Host-`: then no path, no other host of the same domain (e.g. of a worker)
// and no page without TLS can set a cookie of that name.
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

export interface OwnCookie {
  readonly name: string
  /** Path without TLS. Over TLS it is `/`, because browsers reject any other path with `__Host-`. */
  readonly path: string
}

const nameFor = ({ name }: OwnCookie, overTls: boolean) => (overTls ? `__Host-${name}` : name)

/** The raw cookie value under the name that applies to this request; undefined if absent. */
export function readOwnCookie(request: FastifyRequest, cookie: OwnCookie): string | undefined {
  const header = request.headers.cookie
  if (header === undefined) return undefined
  const value = request.server.parseCookie(header)[nameFor(cookie, request.server.isOverTls(request.raw))]
  return value === '' ? undefined : value
}

/** Sets a cookie. `secure` applies without TLS only; over TLS the cookie is always `Secure`. */
export function setOwnCookie(
  reply: FastifyReply,
  cookie: OwnCookie,
  value: string,
  options: Pick<CookieSerializeOptions, 'maxAge' | 'sameSite'> & { readonly secure: boolean },
): void {
  const overTls = reply.server.isOverTls(reply.request.raw)
  reply.setCookie(nameFor(cookie, overTls), value, {
    ...options,
    path: overTls ? '/' : cookie.path,
    httpOnly: true,
    secure: overTls || options.secure,
  })
}

export function clearOwnCookie(reply: FastifyReply, cookie: OwnCookie): FastifyReply {
  const overTls = reply.server.isOverTls(reply.request.raw)
  // Browsers accept a `__Host-` name only with `Secure`, even to clear it.
  return reply.clearCookie(nameFor(cookie, overTls), { path: overTls ? '/' : cookie.path, secure: overTls })
}
