// The session cookie of a tenant in HTTP, and the web origins that may use the cookie.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { isLoopback } from '../listener/client-address.ts'
import { readOwnCookie, setOwnCookie } from './own-cookie.ts'

export const sessionCookie = { name: 'ratecard_session', path: '/' }

/** Returns the raw value of the session cookie; undefined if absent. */
export const sessionValueOf = (request: FastifyRequest) => readOwnCookie(request, sessionCookie)

/**
 * Sets the session cookie. Omits `Secure` only if the hostname of the public URL and the requested hostname are both loopback, where there
 * is no TLS.
 */
export function setSessionCookie(
  reply: FastifyReply,
  value: string,
  options: { readonly maxAgeSeconds: number; readonly publicUrl: string | null },
): void {
  // `Secure` is omitted only if both hostnames are loopback. The public URL alone is not enough: by default it is a loopback address,
  // although a proxy may serve the service under a public hostname.
  const hosts = [reply.request.hostname, ...(options.publicUrl === null ? [] : [new URL(options.publicUrl).hostname])]
  setOwnCookie(reply, sessionCookie, value, {
    sameSite: 'lax',
    secure: !hosts.every(isLoopbackHost),
    maxAge: options.maxAgeSeconds,
  })
}

export interface Origins {
  /** True if pages of the given origin may send the session cookie. */
  isAllowed(origin: string | undefined): boolean
  /**
   * CSRF protection: throws `not_allowed` if the request comes from a page of an origin that is not allowed. Programs send no Origin
   * header, so they are allowed.
   */
  refuseForeign(request: FastifyRequest): void
}

/** Creates the check of origins. Allows the configured origins, the public URL of the service, and loopback. */
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
      throw new ServiceError(
        'not_allowed',
        `Pages of the origin ${JSON.stringify(origin)} may not use the session cookie.`,
        {
          hint: 'Add the origin to RATECARD_ALLOWED_REDIRECTS.',
        },
      )
    },
  }
}

/** Returns the origin of a URL; null if the text is no web origin. E.g. the opaque origin `null` must not equal an allowed origin. */
function originOf(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : null
}

function isLoopbackHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return host === 'localhost' || isLoopback(host)
}
