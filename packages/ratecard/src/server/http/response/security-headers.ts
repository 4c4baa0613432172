import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True: the route sets all of its headers itself. */
    readonly ownHeaders?: boolean
  }
}

/**
 * Security headers of the API, which needs no scripts or frames. The dashboard pages set headers of their own. The proxy that holds the
 * certificate sets HSTS.
 */
const securityHeaders = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
} as const

/** Adds the security headers to every response. A later hook or the route may replace each of them. */
export function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.ownHeaders !== true) reply.headers(securityHeaders)
    done()
  })
}
