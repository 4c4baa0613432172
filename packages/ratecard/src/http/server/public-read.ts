// Fast path for the public price list. It bypasses the router, which would triple the CPU time of the response
// (docs/decisions/0067-plain-means.md).
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Service } from '../../service/service.ts'
import { configAnswer } from '../response/config-answer.ts'
import { requestIdOf } from '../request/request-id.ts'

export const configPath = '/api/v1/billing/config'

export interface PublicReadOptions {
  readonly service: Service
  /** Returns false during shutdown. The router then handles the request: it closes connections and refuses requests. */
  readonly isOpen: () => boolean
  readonly onAnswer: (status: number) => void
}

/**
 * Wraps `route`: answers a plain `GET` of the public price list with the same bytes as its route. Every other request goes to `route`, e.g.
 * one with a service key, a query, or a duplicate header.
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
 * True if the fast path may answer the request. Node merges or drops duplicate headers, so a duplicate makes the header object smaller than
 * the raw list.
 */
function isPlainRead({ url, method, headers, rawHeaders }: IncomingMessage): boolean {
  if (url !== configPath || method !== 'GET' || headers.host === undefined) return false
  const isRouted = ['x-service-key', 'content-length', 'transfer-encoding'].some((name) => name in headers)
  return !isRouted && rawHeaders.length === 2 * Object.keys(headers).length
}
