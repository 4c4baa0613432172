// The public price list is read far more often than anything else. Its plain GET is answered before the router: the same
// headers and bytes as the route's, without what the framework does for every request. Whatever is unusual goes to the router.
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Service } from '../service.ts'
import { configAnswer } from './config-answer.ts'
import type { ConfigAnswer } from './config-answer.ts'
import { requestIdFrom } from './request-id.ts'

export const configPath = '/api/v1/billing/config'

export interface ShortPath {
  readonly service: Pick<Service, 'published' | 'peekPublished'>
  /** Leaving: the router ends connections then, and refuses later on. */
  readonly isOpen: () => boolean
  readonly onAnswer: (status: 200 | 304) => void
  /** Requests for workers: theirs come first, whatever their path. */
  readonly workers: {
    takes(request: IncomingMessage, response: ServerResponse): boolean
    wantsUpgrade(request: IncomingMessage): boolean
    watchUpgrades(server: Server): void
  }
}

const bodyTimeoutMs = 60_000

/** A server whose plain `GET config` is answered at once; all else goes to `route`. */
export function createServerWithShortPath(route: RequestListener, path: ShortPath): Server {
  const options = {
    keepAliveTimeout: 72_000,
    // A worker may be sent a body for as long as it likes to read; the API's own limit is below.
    requestTimeout: 0,
    shouldUpgradeCallback: (request: IncomingMessage) => path.workers.wantsUpgrade(request),
  }
  const server = createServer(options, (request, response) => {
    if (path.workers.takes(request, response)) return
    const plain =
      request.url === configPath && request.method === 'GET' && path.isOpen() ? plainRequest(request.rawHeaders) : null
    if (plain === null) {
      limitBody(server, request)
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
  path.workers.watchUpgrades(server)
  return server
}

/** A body that does not come to its end is a mistake or an attack: answered like a malformed request. */
function limitBody(server: Server, request: IncomingMessage): void {
  const { headers } = request
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return
  const timer = setTimeout(() => {
    if (!request.complete) server.emit('clientError', new Error('The body did not come in time.'), request.socket)
  }, bodyTimeoutMs)
  request.once('close', () => {
    clearTimeout(timer)
  })
}

interface PlainRequest {
  acceptEncoding: string | undefined
  ifNoneMatch: string | undefined
  requestId: string | undefined
}

/**
 * The headers that matter, or null when the request has a key, a body, or a header twice. Read from the raw list: making Node's
 * own header object costs a tenth of the whole answer.
 */
function plainRequest(rawHeaders: readonly string[]): PlainRequest | null {
  const plain: PlainRequest = { acceptEncoding: undefined, ifNoneMatch: undefined, requestId: undefined }
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
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
  return plain
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
