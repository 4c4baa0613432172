// The HTTP server below the router: limits connections, and dispatches worker requests before the router sees them.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { watchConnections, type ConnectionLimits, type Connections, type CutReason } from './connections.ts'

export interface HttpServerOptions {
  readonly limits: ConnectionLimits
  readonly onCut: (reason: CutReason) => void
  readonly onServer: (connections: Connections) => void
  /** The worker gateway. It gets every request first, whatever its path. */
  readonly workers: {
    takes(request: IncomingMessage, response: ServerResponse): boolean
    wantsUpgrade(request: IncomingMessage): boolean
    watchUpgrades(server: Server): void
  }
}

/** Creates a server that dispatches worker requests to the gateway and all others to `route`. */
export function createHttpServer(route: RequestListener, options: HttpServerOptions): Server {
  const { limits, workers } = options
  const settings = {
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // Body timeouts are in connections.ts: a worker may read its request body for as long as it wants.
    requestTimeout: 0,
    // Set explicitly, because Node would derive it from `requestTimeout`, i.e. disable it.
    headersTimeout: limits.headersMs,
    connectionsCheckingInterval: Math.min(limits.everyMs, limits.headersMs),
    // The router refuses a request without a Host header, so that the response is a problem like all others.
    requireHostHeader: false,
    shouldUpgradeCallback: (request: IncomingMessage) => workers.wantsUpgrade(request),
  }
  const server = createServer(settings, (request, response) => {
    const isForWorker = workers.takes(request, response)
    connections.began(request, response, isForWorker)
    if (!isForWorker) route(request, response)
  })
  const connections = watchConnections(server, limits, options.onCut)
  // The router refuses every `Expect` but `100-continue`, also for workers.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    connections.began(request, response, false)
    route(request, response)
  })
  workers.watchUpgrades(server)
  options.onServer(connections)
  return server
}
