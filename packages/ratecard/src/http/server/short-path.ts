// The public price list is read far more often than anything else. Its plain GET is answered before the router: the same
// headers and bytes as the route's, without what the framework does for every request. Whatever is unusual goes to the router.
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Service } from '../../service/service.ts'
import { configAnswer } from '../response/config-answer.ts'
import type { ConfigAnswer } from '../response/config-answer.ts'
import { watchConnections } from './connections.ts'
import type { ConnectionLimits, Connections, CutReason } from './connections.ts'
import { requestIdFrom } from '../request/request-id.ts'

export const configPath = '/api/v1/billing/config'

export interface ShortPath {
  readonly service: Pick<Service, 'published' | 'peekPublished'>
  /** Leaving: the router ends connections then, and refuses later on. */
  readonly isOpen: () => boolean
  readonly onAnswer: (status: 200 | 304) => void
  readonly limits: ConnectionLimits
  readonly onCut: (reason: CutReason) => void
  readonly onServer: (connections: Connections) => void
  /** Requests for workers: theirs come first, whatever their path. */
  readonly workers: {
    takes(request: IncomingMessage, response: ServerResponse): boolean
    wantsUpgrade(request: IncomingMessage): boolean
    watchUpgrades(server: Server): void
  }
}

/** A server whose plain `GET config` is answered at once; all else goes to `route`. */
export function createServerWithShortPath(route: RequestListener, path: ShortPath): Server {
  const { limits } = path
  const options = {
    keepAliveTimeout: limits.restingMs,
    // Bodies have limits of their own, see connections.ts: a worker may be sent one for as long as it likes to read.
    requestTimeout: 0,
    // Without it Node would make it of the timeout above: none.
    headersTimeout: limits.headersMs,
    connectionsCheckingInterval: Math.min(limits.everyMs, limits.headersMs),
    // The router refuses a request without a host, in the form of every other problem.
    requireHostHeader: false,
    shouldUpgradeCallback: (request: IncomingMessage) => path.workers.wantsUpgrade(request),
  }
  const server = createServer(options, (request, response) => {
    if (path.workers.takes(request, response)) {
      connections.began(request, response, true)
      return
    }
    connections.began(request, response, false)
    const plain =
      request.url === configPath && request.method === 'GET' && path.isOpen() ? plainRequest(request.rawHeaders) : null
    if (plain === null) {
      route(request, response)
      return
    }
    const held = path.service.peekPublished()
    const ready = held === null ? null : configAnswer(held, plain)
    if (ready !== null && !(ready instanceof Promise)) {
      send(ready, plain, response, path)
      return
    }
    answer(plain, response, path).catch(() => {
      // Nothing was sent yet (no configuration, store away): the route tells why.
      route(request, response)
    })
  })
  const connections = watchConnections(server, limits, path.onCut)
  // Whoever expects anything but `100-continue` is told so by the router, workers or not.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    connections.began(request, response, false)
    route(request, response)
  })
  path.workers.watchUpgrades(server)
  path.onServer(connections)
  return server
}

interface PlainRequest {
  acceptEncoding: string | undefined
  ifNoneMatch: string | undefined
  requestId: string | undefined
}

/**
 * The headers that matter, or null when the request has a key, a body, no host, or a header twice. Read from the raw list: making Node's
 * own header object costs a tenth of the whole answer.
 */
function plainRequest(rawHeaders: readonly string[]): PlainRequest | null {
  const plain: PlainRequest = { acceptEncoding: undefined, ifNoneMatch: undefined, requestId: undefined }
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
    // Names of other lengths are none of these: most headers are passed over without a comparison.
    if (name.length < 12 || name.length > 17) continue
    const value = rawHeaders[index + 1]
    switch (name.toLowerCase()) {
      case 'x-service-key':
      case 'content-length':
      case 'transfer-encoding':
        return null
      case 'accept-encoding':
        if (plain.acceptEncoding !== undefined) return null
        plain.acceptEncoding = value
        break
      case 'if-none-match':
        if (plain.ifNoneMatch !== undefined) return null
        plain.ifNoneMatch = value
        break
      case 'x-request-id':
        if (plain.requestId !== undefined) return null
        plain.requestId = value
    }
  }
  return hosts === 1 ? plain : null
}

async function answer(request: PlainRequest, response: ServerResponse, path: ShortPath): Promise<void> {
  send(await configAnswer(await path.service.published(), request), request, response, path)
}

function send(
  { status, headerList, body }: ConfigAnswer,
  request: PlainRequest,
  response: ServerResponse,
  path: ShortPath,
) {
  response.writeHead(status, [...headerList, 'x-request-id', requestIdFrom(request.requestId)])
  response.end(body)
  path.onAnswer(status)
}
