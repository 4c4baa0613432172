// The public price list is read far more often than anything else. Its plain GET is answered before the router: the same
// headers and bytes as the route's, without what the framework does for every request. Whatever is unusual goes to the router.
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Service } from '../service.ts'
import { configAnswer } from './config-answer.ts'
import { requestIdOf } from './request-id.ts'

export const configPath = '/api/v1/billing/config'

export interface ShortPath {
  readonly service: Pick<Service, 'published'>
  /** Draining: the router refuses then. */
  readonly isOpen: () => boolean
  readonly onAnswer: (status: 200 | 304) => void
}

/** A server whose plain `GET config` is answered at once; all else goes to `route`. */
export function createServerWithShortPath(route: RequestListener, path: ShortPath): Server {
  return createServer({ keepAliveTimeout: 72_000, requestTimeout: 60_000 }, (request, response) => {
    if (request.url === configPath && request.method === 'GET' && isPlain(request) && path.isOpen())
      void answer(request, response, path).catch(() => {
        // Nothing was sent yet (no configuration, store away): the route tells why.
        route(request, response)
      })
    else route(request, response)
  })
}

function isPlain({ headers }: IncomingMessage): boolean {
  return (
    headers['x-service-key'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    !('content-length' in headers)
  )
}

async function answer(request: IncomingMessage, response: ServerResponse, path: ShortPath): Promise<void> {
  const { headers } = request
  const { status, headerList, body } = await configAnswer(await path.service.published(), {
    acceptEncoding: typeof headers['accept-encoding'] === 'string' ? headers['accept-encoding'] : undefined,
    ifNoneMatch: headers['if-none-match'],
  })
  response.writeHead(status, [...headerList, 'x-request-id', requestIdOf(request)])
  response.end(body)
  path.onAnswer(status)
}
