// Connection limits of one server: the number of open connections, the eviction of connections above that number, and timeouts for slow
// peers. Works with sockets and request states only, not with the content of requests.
import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as SocketServer, type Socket } from 'node:net'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'

export interface ConnectionLimits {
  /** Maximum number of open connections. */
  readonly maxConnections: number
  /** Timeout (ms) for the request headers. It starts with the connection or with the first byte of the request. */
  readonly headersMs: number
  /** Timeout (ms) for the body of an API request. It starts at the end of the request's headers. */
  readonly bodyMs: number
  /**
   * Minimum upload rate (bytes per second) of a request body for a worker. It is measured only while the worker reads the body. Such a body
   * has no total timeout.
   */
  readonly workerBytesPerSecond: number
  /**
   * Maximum time (ms) to read the rest of a request body after the response was sent. Without this, a client that is still sending might
   * not read the response.
   */
  readonly restMs: number
  /** Timeout (ms) for the client to receive a complete response. */
  readonly answerMs: number
  /** Keep-alive timeout (ms): maximum idle time between two requests. */
  readonly keepAliveTimeoutMs: number
  /** Interval (ms) between two checks for slow peers. */
  readonly everyMs: number
}

export const defaultConnectionLimits: Omit<ConnectionLimits, 'maxConnections'> = {
  headersMs: 20_000,
  bodyMs: 60_000,
  workerBytesPerSecond: 100,
  restMs: 5_000,
  answerMs: 120_000,
  keepAliveTimeoutMs: 72_000,
  everyMs: 2_000,
}

/** Reason why the server closed a connection. */
export type CutReason = 'crowded' | 'slow_body' | 'slow_reader'

export interface Connections {
  /** Watches a request until its response is sent. Call it at the start of each request. */
  began(request: IncomingMessage, response: ServerResponse, forWorker: boolean): void
  readonly count: () => number
  /**
   * Accepts no further connections. Ends each open connection with its next response, which must contain `Connection: close`, and closes
   * connections that stay idle for `idleMs`. Resolves when all connections are closed, i.e. after all running requests.
   */
  drain(idleMs: number): Promise<void>
}

interface TrackedConnection {
  readonly socket: Socket
  request: IncomingMessage | null
  response: ServerResponse | null
  /** Start of the connection or of its last request, in milliseconds of `performance.now()`. */
  since: number
  forWorker: boolean
  upgraded: boolean
  /** True if the current request has a valid service key. */
  signedIn: boolean
  /** Time of the first check that found a complete response which the client has not received yet; null if there is none. */
  answeredAt: number | null
  /** Bytes read from the socket at the last check, to measure the upload rate of a body for a worker. */
  readBefore: number
  readAt: number
}

const connectionOf = new WeakMap<Socket, TrackedConnection>()

/** Protects the connection of an authenticated request from eviction. */
export function keepConnection(request: IncomingMessage): void {
  const connection = connectionOf.get(request.socket)
  if (connection?.request === request) connection.signedIn = true
}

/** Duration (ms) over which the upload rate of a request body for a worker is measured. */
const workerBodyMs = 60_000

/**
 * Limits the number of connections of `server` and closes slow ones. Slow headers and idle connections are left to the server's own
 * timeouts.
 */
export function watchConnections(
  server: Server,
  limits: ConnectionLimits,
  onCut: (reason: CutReason) => void,
): Connections {
  const open = new Set<TrackedConnection>()
  const cut = (connection: TrackedConnection, reason: CutReason) => {
    onCut(reason)
    open.delete(connection)
    connection.socket.destroy()
  }

  server.on('connection', (socket: Socket) => {
    if (open.size >= limits.maxConnections && !makeRoom(open, limits, cut)) {
      onCut('crowded')
      socket.destroy()
      return
    }
    const now = performance.now()
    const connection: TrackedConnection = {
      ...{ socket, request: null, response: null, since: now, forWorker: false, upgraded: false, signedIn: false },
      ...{ answeredAt: null, readBefore: 0, readAt: now },
    }
    // Raises the limit of listeners by one, so that Node does not warn about a leak when the next listener is added.
    socket.setMaxListeners(socket.getMaxListeners() + 1)
    open.add(connection)
    connectionOf.set(socket, connection)
    socket.once('close', () => open.delete(connection))
  })
  server.on('upgrade', ({ socket }: IncomingMessage) => {
    const connection = connectionOf.get(socket)
    if (connection !== undefined) connection.upgraded = true
  })

  const look = () => {
    const now = performance.now()
    for (const connection of open) {
      const reason = slownessOf(connection, limits, now)
      if (reason === null) continue
      if (reason === 'slow_body' && connection.response?.headersSent === false) {
        // The `clientError` handler sends the client a problem response before the socket is closed.
        onCut(reason)
        connection.request = null
        server.emit('clientError', new Error('The body did not arrive in time.'), connection.socket)
      } else cut(connection, reason)
    }
  }
  server.once('listening', () => {
    const timer = setInterval(look, limits.everyMs).unref()
    server.once('close', () => {
      clearInterval(timer)
    })
  })

  return {
    count: () => open.size,
    drain: (idleMs) => drainConnections(server, open, idleMs),
    began(request, response, forWorker) {
      const connection = connectionOf.get(request.socket)
      if (connection === undefined) return
      connection.request = request
      connection.response = response
      connection.since = performance.now()
      connection.forWorker = forWorker
      connection.signedIn = false
      connection.answeredAt = null
      connection.readBefore = request.socket.bytesRead
      connection.readAt = connection.since
    },
  }
}

/**
 * Accepts no further connections and closes the open ones; see `Connections.drain`. `http.Server.close` is not used, because it would
 * destroy idle connections at once. The kernel may already have received a request on such a connection, and its client would get a reset
 * (ECONNRESET).
 */
async function drainConnections(server: Server, open: ReadonlySet<TrackedConnection>, idleMs: number): Promise<void> {
  if (!server.listening) return
  for (const { socket, response } of open) {
    closeSoftly(socket)
    // Sets `Connection: close` for a request that was already running when draining began: the hook that usually sets it ran too early.
    if (response?.headersSent === false) response.shouldKeepAlive = false
  }
  server.prependListener('connection', closeSoftly)
  // New connections that wait in the listener's backlog are accepted in the next poll phase of the event loop. So wait for that phase.
  // Closing the listener earlier would reset these connections.
  await turn()
  const closed = new Promise<'closed'>((resolve) => {
    SocketServer.prototype.close.call(server, () => resolve('closed'))
  })
  while ((await Promise.race([closed, delay(idleMs, 'waiting', { ref: false })])) === 'waiting') {
    for (const { socket, response, upgraded } of open)
      if (!upgraded && (response === null || response.writableFinished)) hangUp(socket)
  }
}

/**
 * Replaces `destroySoon` of the socket, which Node calls after the last response of a connection. Node's own version would close the socket
 * at once.
 */
function closeSoftly(socket: Socket): void {
  socket.destroySoon = () => {
    hangUp(socket)
  }
}

/** Timeout (ms) for the peer to close its side of the connection, e.g. after it has read the response. */
const lingerMs = 2_000

/**
 * Half-closes the socket and keeps reading. Closing a socket that has unread bytes would reset the connection, and the peer would not get
 * the response.
 */
function hangUp(socket: Socket): void {
  if (socket.writableEnded) return
  socket.end()
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => {
    clearTimeout(timer)
  })
}

/**
 * Returns the eviction rank of a connection; connections with the lowest rank are evicted first. 0: it has had no complete request yet. 1:
 * idle. 2: slow sender or reader. 3: just opened, perhaps the health check. 4: stream of a worker. null (never evicted): a running request
 * with a service key.
 */
function evictionRank(
  { request, response, upgraded, forWorker, signedIn, since }: TrackedConnection,
  newSince: number,
): number | null {
  if (upgraded) return 4
  if (response === null) return since < newSince ? 0 : 3
  if (response.writableFinished || response.destroyed) return 1
  if (signedIn) return null
  return forWorker && request?.complete !== false ? 4 : 2
}

/**
 * Closes up to 1/16 of the maximum number of connections in one scan, lowest rank and oldest first. So one scan makes room for many new
 * connections.
 */
function makeRoom(
  open: ReadonlySet<TrackedConnection>,
  { maxConnections, headersMs }: ConnectionLimits,
  cut: (connection: TrackedConnection, reason: CutReason) => void,
): boolean {
  const newSince = performance.now() - headersMs / 10
  const candidates = [...open].flatMap((connection) => {
    const rank = evictionRank(connection, newSince)
    return rank === null ? [] : [{ connection, rank }]
  })
  candidates.sort((a, b) => a.rank - b.rank || a.connection.since - b.connection.since)
  const [first] = candidates
  if (first === undefined) return false
  // Evicts connections of a single rank. If this frees enough room, connections with a higher rank (more active ones) need not be evicted.
  const batch = candidates
    .slice(0, Math.max(1, Math.floor(maxConnections / 16)))
    .filter(({ rank }) => rank === first.rank)
  for (const { connection } of batch) cut(connection, 'crowded')
  return true
}

function slownessOf(connection: TrackedConnection, limits: ConnectionLimits, now: number): CutReason | null {
  const { request, response, socket } = connection
  if (request === null || response === null || connection.upgraded) return null
  if (response.writableEnded) {
    connection.answeredAt ??= now
    if (!response.writableFinished && !connection.forWorker)
      return now - connection.answeredAt > limits.answerMs ? 'slow_reader' : null
    return !request.complete && now - connection.answeredAt > limits.restMs ? 'slow_body' : null
  }
  if (request.complete) return null
  if (!connection.forWorker) return now - connection.since > limits.bodyMs ? 'slow_body' : null
  // If the worker has not yet read the data already received (backpressure), the slow party is the worker and not the sender.
  if (request.readableLength > 0 || request.isPaused()) {
    connection.readBefore = socket.bytesRead
    connection.readAt = now
    return null
  }
  const window = now - connection.readAt
  if (window < Math.min(workerBodyMs, limits.bodyMs)) return null
  const slow = socket.bytesRead - connection.readBefore < (limits.workerBytesPerSecond * window) / 1000
  connection.readBefore = socket.bytesRead
  connection.readAt = now
  return slow ? 'slow_body' : null
}

const mostByDefault = 16_384
/**
 * Share of the process's file descriptors that connections may use. The store, the processor and workers need the other ones: a request to
 * a worker uses a second descriptor.
 */
const shareOfDescriptors = 0.5

/** Returns the default maximum of open connections: half of the process's file descriptor limit, at most 16,384. */
export function connectionsThatFit(): number {
  return Math.min(mostByDefault, Math.floor(descriptorLimit() * shareOfDescriptors))
}

function descriptorLimit(): number {
  try {
    const found = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return found === undefined || found === 'unlimited' ? Number.POSITIVE_INFINITY : Number(found)
  } catch {
    // The file exists only on Linux. Elsewhere assume 1,024, the usual default limit.
    return 1_024
  }
}
