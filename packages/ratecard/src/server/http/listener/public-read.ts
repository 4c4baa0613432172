// Fast path for the public price list. It bypasses the router, with which a response takes 1.4 times the CPU time
// (docs/decisions/20-what-a-request-may-cost.md).
import type { IncomingMessage, RequestListener } from 'node:http'
import { configAnswer } from '../response/config-answer.ts'
import { requestIdOf } from '../request/request-id.ts'
import type { Service } from '../../service/service.ts'

export const configPath = '/api/v1/billing/config'

export interface PublicReadOptions {
  readonly service: Service
  /** Returns false during shutdown. Then the router handles all requests, because it closes connections and refuses requests. */
  readonly isOpen: () => boolean
  readonly onAnswer: (status: number) => void
}

/**
 * Wraps `route` with a fast path: a plain `GET` of the public price list is answered with the same bytes as by its route. All other
 * requests go to `route`, e.g. those with a service key, a query, or a duplicate header.
 */
export function withPublicRead(route: RequestListener, { service, isOpen, onAnswer }: PublicReadOptions) {
  const listener: RequestListener = (request, response) => {
    if (!isPlainRead(request) || !isOpen()) {
      route(request, response)
      return
    }
    const { 'accept-encoding': acceptEncoding, 'if-none-match': ifNoneMatch } = request.headers
    service
      .published()
      .then((published) => configAnswer(published, { acceptEncoding: acceptEncoding?.toString(), ifNoneMatch }))
      .then(
        ({ status, headers, body }) => {
          response.writeHead(status, { ...headers, 'x-request-id': requestIdOf(request) })
          response.end(body)
          onAnswer(status)
        },
        () => {
          // The fast path failed and sent nothing (e.g. no configuration, store unreachable). The route sends the error.
          route(request, response)
        },
      )
  }
  return listener
}

/**
 * True if the fast path may answer the request. Requests with duplicate headers may not be answered. They are detected by comparing sizes:
 * Node merges or drops duplicates, so the header object is smaller than the raw list.
 */
function isPlainRead({ url, method, headers, rawHeaders }: IncomingMessage): boolean {
  if (url !== configPath || method !== 'GET' || headers.host === undefined) return false
  const isRouted = ['x-service-key', 'content-length', 'transfer-encoding'].some((name) => name in headers)
  return !isRouted && rawHeaders.length === 2 * Object.keys(headers).length
}
