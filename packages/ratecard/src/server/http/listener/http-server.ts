// The HTTP server below the router. Limits connections, and passes requests for workers to the gateway before the router sees them.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { watchConnections, type ConnectionLimits, type Connections, type CutReason } from './connections.ts'

export interface HttpServerOptions {
  readonly limits: ConnectionLimits
  readonly onCut: (reason: CutReason) => void
  readonly onServer: (connections: Connections) => void
  /** The worker gateway. It sees every request before the router does. */
  readonly workers: {
    takes(request: IncomingMessage, response: ServerResponse): boolean
    wantsUpgrade(request: IncomingMessage): boolean
    watchUpgrades(server: Server): void
  }
}

/** Creates a server that passes requests for workers to the gateway, and all others to `route`. */
export function createHttpServer(route: RequestListener, options: HttpServerOptions): Server {
  const { limits, workers } = options
  const settings = {
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // Disabled, because a worker may read its request body for as long as it wants. connections.ts has its own timeouts for bodies.
    requestTimeout: 0,
    // The timeout for headers is set explicitly. Otherwise Node would derive it from `requestTimeout` and disable it too.
    headersTimeout: limits.headersMs,
    connectionsCheckingInterval: Math.min(limits.everyMs, limits.headersMs),
    // Node's own check is off, because the router refuses a request without a Host header with a problem response.
    requireHostHeader: false,
    shouldUpgradeCallback: (request: IncomingMessage) => workers.wantsUpgrade(request),
  }
  const server = createServer(settings, (request, response) => {
    const isForWorker = workers.takes(request, response)
    connections.began(request, response, isForWorker)
    if (!isForWorker) route(request, response)
  })
  const connections = watchConnections(server, limits, options.onCut)
  // Requests with an `Expect` header other than `100-continue` go to the router, which refuses them, even if they are for workers.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    connections.began(request, response, false)
    route(request, response)
  })
  workers.watchUpgrades(server)
  options.onServer(connections)
  return server
}
