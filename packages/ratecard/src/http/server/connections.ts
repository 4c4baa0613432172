// The connections of one server: how many there may be, which of them goes when there are too many, and how long a slow peer
// is waited for. It looks at sockets and at how far their requests are, never at what a request means.
import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as SocketServer } from 'node:net'
import type { Socket } from 'node:net'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'

export interface ConnectionLimits {
  /** Most connections at one time. */
  readonly most: number
  /** From the connection, or the first byte of a request, to the end of its headers. */
  readonly headersMs: number
  /** From the headers to the end of the body of a request to the API. */
  readonly bodyMs: number
  /** A body for a worker may take longer, at this rate at least while anybody reads it. */
  readonly workerBytesPerSecond: number
  /** What is left of a body after its answer is read this long, so that its sender comes to read the answer. */
  readonly restMs: number
  /** From the end of an answer to the moment when its reader has taken it. */
  readonly answerMs: number
  /** How long a connection may rest between two requests. */
  readonly restingMs: number
  /** How often slow peers are looked for. */
  readonly everyMs: number
}

export const defaultConnectionLimits: Omit<ConnectionLimits, 'most'> = {
  headersMs: 20_000,
  bodyMs: 60_000,
  workerBytesPerSecond: 100,
  restMs: 5_000,
  answerMs: 120_000,
  restingMs: 72_000,
  everyMs: 2_000,
}

/** Why a connection was ended from this side. */
export type CutReason = 'crowded' | 'slow_body' | 'slow_reader'

export interface Connections {
  /** A request came: what it needs is watched until it is answered. */
  began(request: IncomingMessage, response: ServerResponse, forWorker: boolean): void
  readonly count: () => number
  /**
   * Accepts no further connection, and ends each of the open ones with its next response, which must contain `Connection: close`.
   * Connections that stay idle for `idleMs` are closed then. Resolves when all are closed; requests that run are waited for.
   */
  drain(idleMs: number): Promise<void>
}

interface TrackedConnection {
  readonly socket: Socket
  request: IncomingMessage | null
  response: ServerResponse | null
  /** When it was opened, or its last request began; milliseconds of the process's own clock. */
  since: number
  forWorker: boolean
  upgraded: boolean
  /** Whether its request came with a valid service key. */
  signedIn: boolean
  /** When the answer was first seen to be whole here and not yet with its reader. */
  answeredAt: number | null
  /** Bytes read at the last look; a worker's slow sender is known by it. */
  readBefore: number
  readAt: number
}

const connectionOf = new WeakMap<Socket, TrackedConnection>()

/** The request's key was valid: its connection is not given up for another one. */
export function keepConnection(request: IncomingMessage): void {
  const connection = connectionOf.get(request.socket)
  if (connection?.request === request) connection.signedIn = true
}

/** How long a worker's body may make no progress before its rate counts. */
const workerBodyMs = 60_000

/** Bounds the connections of `server` and ends slow ones. The server's own timeouts end slow headers and resting connections. */
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
    if (open.size >= limits.most && !makeRoom(open, limits, cut)) {
      onCut('crowded')
      socket.destroy()
      return
    }
    const now = performance.now()
    const connection: TrackedConnection = {
      ...{ socket, request: null, response: null, since: now, forWorker: false, upgraded: false, signedIn: false },
      ...{ answeredAt: null, readBefore: 0, readAt: now },
    }
    // One more than those of Node and the router.
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
      const reason = slowness(connection, limits, now)
      if (reason === null) continue
      if (reason === 'slow_body' && connection.response?.headersSent === false) {
        // Answered in the form of every other problem; the socket is ended there.
        onCut(reason)
        connection.request = null
        server.emit('clientError', new Error('The body did not come in time.'), connection.socket)
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
    drain: (idleMs) => drain(server, open, idleMs),
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
 * Unlike `http.Server.close` this destroys no idle connection at once: the kernel may already have taken a request on it, and the
 * client of such a request would see a reset (ECONNRESET).
 */
async function drain(server: Server, open: ReadonlySet<TrackedConnection>, idleMs: number): Promise<void> {
  if (!server.listening) return
  for (const { socket, response } of open) {
    closeSoftly(socket)
    // A request that runs passed the hook that adds the header.
    if (response?.headersSent === false) response.shouldKeepAlive = false
  }
  server.prependListener('connection', closeSoftly)
  // After the poll phase of the event loop the backlog is empty: closing the listener resets what is still in it.
  await turn()
  const closed = new Promise<'closed'>((resolve) => {
    SocketServer.prototype.close.call(server, () => resolve('closed'))
  })
  while ((await Promise.race([closed, delay(idleMs, 'waiting', { ref: false })])) === 'waiting') {
    for (const { socket, response, upgraded } of open)
      if (!upgraded && (response === null || response.writableFinished)) hangUp(socket)
  }
}

/** Replaces what Node calls after the last response of a connection, which closes it at once. */
function closeSoftly(socket: Socket): void {
  socket.destroySoon = () => {
    hangUp(socket)
  }
}

/** How long the peer may take to close its half of a connection, e.g. to read the response and send the rest of a body. */
const lingerMs = 2_000

/** Ends our half and reads on: a socket that is closed with unread bytes resets the connection, and the peer loses the response. */
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
 * How readily a connection is given up for a new one; null is never. One that never sent a whole request goes first, then one
 * that rests, then one whose sender or reader takes its time, then a newcomer, then a stream of a worker. Work of a service key
 * stays. A newcomer has hardly had the time to say what it wants: it may be the health check.
 */
function dispensability(
  { request, response, upgraded, forWorker, signedIn, since }: TrackedConnection,
  newSince: number,
): number | null {
  if (upgraded) return 4
  if (response === null) return since < newSince ? 0 : 3
  if (response.writableFinished || response.destroyed) return 1
  if (signedIn) return null
  return forWorker && request?.complete !== false ? 4 : 2
}

/** Gives up a sixteenth at once, the oldest of the most dispensable: looking through all of them pays for many newcomers. */
function makeRoom(
  open: ReadonlySet<TrackedConnection>,
  { most, headersMs }: ConnectionLimits,
  cut: (connection: TrackedConnection, reason: CutReason) => void,
): boolean {
  const newSince = performance.now() - headersMs / 10
  const candidates = [...open].flatMap((connection) => {
    const rank = dispensability(connection, newSince)
    return rank === null ? [] : [{ connection, rank }]
  })
  candidates.sort((a, b) => a.rank - b.rank || a.connection.since - b.connection.since)
  const [first] = candidates
  if (first === undefined) return false
  // A batch is of one rank: nobody who works is cut off to make more room than is needed now.
  const batch = candidates.slice(0, Math.max(1, Math.floor(most / 16))).filter(({ rank }) => rank === first.rank)
  for (const { connection } of batch) cut(connection, 'crowded')
  return true
}

function slowness(connection: TrackedConnection, limits: ConnectionLimits, now: number): CutReason | null {
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
  // A worker that does not read is no fault of the sender.
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
/** Other descriptors are the store's, the processor's, the workers': a connection to a worker takes a second one. */
const shareOfDescriptors = 0.5

/** Half of the file descriptors that this process may open, at most 16,384. */
export function connectionsThatFit(): number {
  return Math.min(mostByDefault, Math.floor(descriptorLimit() * shareOfDescriptors))
}

function descriptorLimit(): number {
  try {
    const found = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return found === undefined || found === 'unlimited' ? Number.POSITIVE_INFINITY : Number(found)
  } catch {
    // No such file outside Linux: the limit that systems start programs with.
    return 1_024
  }
}
