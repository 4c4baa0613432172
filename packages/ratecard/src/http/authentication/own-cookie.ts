// The names under which a browser keeps our cookies. Over TLS they begin with `__Host-`: then neither a path, nor another host of
// the same domain (e.g. of a worker), nor a page without TLS can put a cookie of that name before ours.
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

export interface OwnCookie {
  readonly name: string
  /** Where it goes without TLS. Over TLS it is `/`: browsers take no other path for a name with `__Host-`. */
  readonly path: string
}

const nameFor = ({ name }: OwnCookie, overTls: boolean) => (overTls ? `__Host-${name}` : name)

/** The value as it came, under the one name that counts for this request; undefined without one. */
export function readOwnCookie(request: FastifyRequest, cookie: OwnCookie): string | undefined {
  const header = request.headers.cookie
  if (header === undefined) return undefined
  const value = request.server.parseCookie(header)[nameFor(cookie, request.server.isOverTls(request.raw))]
  return value === '' ? undefined : value
}

/** `secure` counts without TLS only: over TLS the cookie always has it. */
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
  // Browsers take a name with `__Host-` only together with `Secure`, even to clear it.
  return reply.clearCookie(nameFor(cookie, overTls), { path: overTls ? '/' : cookie.path, secure: overTls })
}
