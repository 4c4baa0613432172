// Names of Ratecard's cookies. Over TLS the names have the prefix `__Host-`. Browsers then accept the cookie only from this host, over TLS
// and for the path `/`. So a worker's hostname, for example, cannot set it.
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

export interface OwnCookie {
  readonly name: string
  /** Path of the cookie without TLS. Over TLS the path is `/`, because browsers reject any other path with `__Host-`. */
  readonly path: string
}

const nameFor = ({ name }: OwnCookie, overTls: boolean) => (overTls ? `__Host-${name}` : name)

/**
 * Returns the raw value of the cookie, or undefined if the request has none. The name of the cookie depends on whether the request uses
 * TLS.
 */
export function readOwnCookie(request: FastifyRequest, cookie: OwnCookie): string | undefined {
  const header = request.headers.cookie
  if (header === undefined) return undefined
  const value = request.server.parseCookie(header)[nameFor(cookie, request.server.isOverTls(request.raw))]
  return value === '' ? undefined : value
}

/** Sets a cookie. Over TLS the cookie always has the attribute `Secure`; without TLS, `options.secure` decides. */
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
