// The session cookie on the wire, and the web origins that may use it.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors/service-error.ts'
import { isLoopback } from '../server/client-address.ts'
import { readOwnCookie, setOwnCookie } from './own-cookie.ts'

export const sessionCookie = { name: 'ratecard_session', path: '/' }

/** The cookie's value as it came; undefined without one. */
export const sessionValueOf = (request: FastifyRequest) => readOwnCookie(request, sessionCookie)

/** Sets the cookie. `Secure` but where both addresses of the service, its own and the caller's, are loopback: no TLS there. */
export function setSessionCookie(
  reply: FastifyReply,
  value: string,
  options: { readonly maxAgeSeconds: number; readonly publicUrl: string | null },
): void {
  // Without a setting the public URL is loopback, although a proxy may serve a name of the world in front of it.
  const hosts = [reply.request.hostname, ...(options.publicUrl === null ? [] : [new URL(options.publicUrl).hostname])]
  setOwnCookie(reply, sessionCookie, value, {
    sameSite: 'lax',
    secure: !hosts.every(isLoopbackHost),
    maxAge: options.maxAgeSeconds,
  })
}

export interface Origins {
  /** Whether a page of this origin may send the session cookie. */
  isAllowed(origin: string | undefined): boolean
  /** Another site's page cannot make a customer's browser act: throws `not_allowed`. Programs send no origin. */
  refuseForeign(request: FastifyRequest): void
}

/** Pages of the allowed origins, of the service's own address, and of this machine. */
export function createOrigins(publicUrl: string | null, allowedRedirects: readonly string[]): Origins {
  const allowed = new Set([...allowedRedirects, publicUrl ?? ''].map(originOf).filter((origin) => origin !== null))
  const isAllowed = (given: string | undefined) => {
    const origin = given === undefined ? null : originOf(given)
    return origin !== null && (allowed.has(origin) || isLoopbackHost(new URL(origin).hostname))
  }
  return {
    isAllowed,
    refuseForeign(request) {
      const { origin } = request.headers
      if (origin === undefined || isAllowed(origin)) return
      throw new ServiceError('not_allowed', 'Pages of this origin may not use the session cookie.', {
        hint: 'Add the origin to RATECARD_ALLOWED_REDIRECTS.',
      })
    },
  }
}

/** null for text that is no web origin, such as the opaque `null`: it equals none of the allowed. */
function originOf(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : null
}

function isLoopbackHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return host === 'localhost' || isLoopback(host)
}
