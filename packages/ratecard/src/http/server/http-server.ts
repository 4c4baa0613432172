// The HTTP server under the router: it bounds connections and hands requests for workers over before the router sees them.
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { watchConnections } from './connections.ts'
import type { ConnectionLimits, Connections, CutReason } from './connections.ts'

export interface HttpServerOptions {
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

/** A server that gives requests for workers to the gateway, and all others to `route`. */
export function createHttpServer(route: RequestListener, options: HttpServerOptions): Server {
  const { limits, workers } = options
  const settings = {
    keepAliveTimeout: limits.restingMs,
    // Bodies have limits of their own, see connections.ts: a worker may be sent one for as long as it likes to read.
    requestTimeout: 0,
    // Without it Node would make it of the timeout above: none.
    headersTimeout: limits.headersMs,
    connectionsCheckingInterval: Math.min(limits.everyMs, limits.headersMs),
    // The router refuses a request without a host, in the form of every other problem.
    requireHostHeader: false,
    shouldUpgradeCallback: (request: IncomingMessage) => workers.wantsUpgrade(request),
  }
  const server = createServer(settings, (request, response) => {
    const isForWorker = workers.takes(request, response)
    connections.began(request, response, isForWorker)
    if (!isForWorker) route(request, response)
  })
  const connections = watchConnections(server, limits, options.onCut)
  // The router refuses every `Expect` but `100-continue`, for workers as well.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    connections.began(request, response, false)
    route(request, response)
  })
  workers.watchUpgrades(server)
  options.onServer(connections)
  return server
}
