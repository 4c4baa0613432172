// The sandbox processor: a stateful server that implements Stripe's HTTP API on a loopback address, so that programs written for Stripe run
// against it unchanged. It moves no money, never contacts Stripe, and accepts no live keys.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from './clock.ts'
import { Transactions, type ClockFollower } from './transactions.ts'
import { Api, type ApiReply, type Exchange } from './protocol/api.ts'
import { accountIdOf } from './protocol/requests/auth.ts'
import { Deliveries } from './events/deliveries.ts'
import { SandboxControl } from './control/control.ts'
import { handleControl } from './control/control-routes.ts'
import { Faults } from './control/faults.ts'
import { RateLimit, type RateProfile } from './protocol/requests/rate-limit.ts'
import { RequestLog } from './protocol/requests/request-log.ts'
import { State } from './store/state.ts'
import { handlePage, isPage } from './hosted-pages/pages.ts'

export { StateUnavailable } from './store/state-unavailable.ts'

export interface SandboxOptions {
  /** Port to listen on. 0 picks a free port. */
  readonly port: number
  /** Folder for the state. Null: the state is kept in memory. */
  readonly dataDir: string | null
  /** Loopback address to listen on. Default: 127.0.0.1. */
  readonly host?: string
  readonly clock: Clock
  readonly log?: (line: string) => void
  /** True: events may be delivered to webhook endpoints outside this machine. Affects nothing else. */
  readonly deliverAnywhere?: boolean
  /** Milliseconds before each retry of a failed delivery of an event. Default: 1 s, 5 s, 25 s. */
  readonly retryAfterMs?: readonly number[]
  readonly profile?: RateProfile
  /** API keys of the accounts whose portal settings count as saved in Stripe's dashboard, e.g. the service's own account. */
  readonly portalSavedFor?: readonly string[]
  /** Who follows the clock of one account. */
  readonly follower?: { readonly apiKey: string; readonly onMoved: ClockFollower['onMoved'] }
  /** Called with every handled API request and its response, decoded. */
  readonly observe?: (exchange: Exchange) => void
}

export interface Sandbox {
  readonly url: string
  readonly port: number
  readonly control: SandboxControl
  close(): Promise<void>
}

const maxBodyBytes = 1024 * 1024

/** Starts the server. Throws if the port or the folder is in use, or if `host` is not a loopback address. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const host = options.host ?? '127.0.0.1'
  if (!isLoopback(host)) throw new RangeError(`The sandbox listens on loopback addresses only, not on ${host}.`)
  const state = new State(options.dataDir)
  const report = options.log ?? (() => undefined)
  let url = ''
  const faults = new Faults()
  const rate = new RateLimit(options.profile ?? 'none')
  const log = new RequestLog()
  const deliveries = new Deliveries({
    state,
    clock: options.clock,
    anywhere: options.deliverAnywhere ?? false,
    retryAfterMs: options.retryAfterMs,
  })
  const transactions = new Transactions({
    state,
    clock: options.clock,
    origin: () => url,
    portalSavedFor: new Set(options.portalSavedFor?.map(accountIdOf)),
    deliver: (events) => deliveries.send(events),
    follower: options.follower && { account: accountIdOf(options.follower.apiKey), onMoved: options.follower.onMoved },
  })
  transactions.tellClock()
  const onFailure = (error: unknown): void => {
    report(`sandbox: unexpected failure: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  }
  const api = new Api({
    state,
    transactions,
    clock: options.clock,
    faults,
    rate,
    log,
    observe: options.observe,
    logUrl: (id) => `${url}/_sandbox/requests/${id}`,
    report,
    onFailure,
  })
  const control = new SandboxControl({ state, faults, rate, log, api, transactions, deliveries })
  // The server uses node:http without a framework. Faults close sockets and cut bodies, and one handler serves all paths. A framework's
  // routing would cost thousands of writes per second.
  const server = createServer((request, response) => {
    answer(request, response, { api, control, pages: { state, transactions, onFailure } }).catch((error: unknown) => {
      report(`sandbox: ${String(error)}`)
      response.destroy()
    })
  })
  // The keep-alive timeout is longer than the time for which clients keep idle sockets. If the server closed a socket first, a client could
  // send its next request on the closed socket.
  server.keepAliveTimeout = 75_000
  try {
    await listen(server, options.port, host)
  } catch (error) {
    state.close()
    throw error
  }
  const port = (server.address() as AddressInfo).port
  url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  return { url, port, control, close: () => stop(server, state, deliveries, transactions) }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Stops the server: lets running requests finish (2 s at most), then closes the connections and the file. */
function stop(server: Server, state: State, deliveries: Deliveries, transactions: Transactions): Promise<void> {
  deliveries.close()
  transactions.close()
  return new Promise((resolve) => {
    server.close(() => {
      state.close()
      resolve()
    })
    server.closeIdleConnections()
    setTimeout(() => server.closeAllConnections(), 2000).unref()
  })
}

interface Parts {
  readonly api: Api
  readonly control: SandboxControl
  readonly pages: Parameters<typeof handlePage>[0]
}

async function answer(request: IncomingMessage, response: ServerResponse, parts: Parts): Promise<void> {
  const { api, control, pages } = parts
  const body = await readBody(request)
  const target = request.url ?? '/'
  const question = target.indexOf('?')
  const path = question < 0 ? target : target.slice(0, question)
  const query = question < 0 ? '' : target.slice(question + 1)
  const method = request.method ?? 'GET'
  if (body === undefined) {
    send(response, {
      status: 413,
      headers: { Connection: 'close' },
      body: '{"error":{"message":"Request too large"}}',
      wire: 'whole',
    })
    return
  }
  if (path === '/_sandbox' || path.startsWith('/_sandbox/')) {
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    send(
      response,
      await handleControl(control, { method, path, query, body, headers: request.headers, gone: gone.signal }),
    )
    return
  }
  if (isPage(path)) {
    send(response, await handlePage(pages, { method, path, body }))
    return
  }
  const { authorization, 'content-type': contentType } = request.headers
  const header = (name: string): string | undefined => {
    const value = request.headers[name]
    return Array.isArray(value) ? value[0] : value
  }
  send(
    response,
    await api.handle({
      method,
      path,
      query,
      body,
      authorization,
      contentType,
      idempotencyKey: header('idempotency-key'),
      stripeVersion: header('stripe-version'),
      stripeAccount: header('stripe-account'),
    }),
  )
}

/** Returns the body of a request. Undefined if it exceeds 1 MiB. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBodyBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function send(response: ServerResponse, reply: ApiReply): void {
  if (reply.wire === 'close') {
    response.destroy()
    return
  }
  const body = Buffer.from(reply.body, 'utf8')
  response.writeHead(reply.status, {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    'Cache-Control': 'no-cache, no-store',
    ...reply.headers,
  })
  if (reply.wire === 'whole') {
    response.end(body)
    return
  }
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy())
}
