// Egress proxy of a worker: a unix socket beside its process, and the only network access of that process. Decides which hosts are allowed,
// and connects only to the address that it checked. The worker itself follows redirects, so each redirect passes this check too.
import http, { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import os from 'node:os'
import { pipeline, type Duplex } from 'node:stream'
import { guardCallback } from '../../../../base/guarded.ts'
import { isPublicAddress } from './addresses.ts'
import { egressHeader } from '../process/entry.ts'
import { checkHead, headBytes, withHeaders, writeHead } from './foreign-head.ts'
import { endToEnd, hopByHopAnd } from './headers.ts'
import { workersRoot } from '../../../../api/workers/workers.ts'

/** Resolves with all addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

/**
 * Resolves a host name to IPv4 and IPv6 addresses with the machine's resolver. @public for the code that starts worker hosting; tests pass
 * their own resolver.
 */
export const systemResolve: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map((answer) => answer.address)

export interface EgressPolicy {
  readonly resolve: Resolve
  /** Hosts that the operator allows even if their addresses are not public, e.g. `db.internal`, or `db.internal:8080` for one port only. */
  readonly allowedHosts: ReadonlySet<string>
  /** The service itself, which is always allowed: its origins (e.g. `https://billing.example.com`) and its listening address. */
  readonly service: { readonly origins: ReadonlySet<string>; readonly address: string; readonly port: number } | null
  /**
   * Returns the addresses of this machine, including public ones. Requests to them are refused, because services on this machine are not
   * part of the internet.
   */
  readonly ownAddresses?: () => ReadonlySet<string>
  /** Called with the reason for each refused request, for the worker's log. */
  readonly onRefused?: (detail: string) => void
}

export interface Egress {
  readonly server: http.Server
  close(): void
}

interface EgressTarget {
  readonly url: URL
  /** True if the target is the service itself. */
  readonly ours: boolean
  readonly address: string
  readonly port: number
  readonly secure: boolean
}

/** Error of a refused request. Its message is shown to the author of the worker. */
export class EgressRefusedError extends Error {}

const connectTimeoutMs = 10_000
/** Maximum number of concurrent fetches per process. Each fetch uses memory and a file descriptor of the service. */
const maxFetches = 1_000
/**
 * Maximum number of concurrent fetches from a process to workers of this service. Each may cause further fetches: if a worker called itself
 * twice per request, its requests would double until all connections are used.
 */
const maxFetchesToWorkers = 64
const notHost = hopByHopAnd('host')
/**
 * Headers removed from requests to the service. They come from this machine, like those of a trusted proxy, so a worker could forge the
 * client address with `X-Forwarded-For`.
 */
const notClient = hopByHopAnd('host', 'x-forwarded-for')
const notOurs = hopByHopAnd(egressHeader)

export function createEgress(policy: EgressPolicy): Egress {
  const agents = { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) }
  const takePlace = placesAtWorkers()
  const server = http.createServer({ requireHostHeader: false, keepAliveTimeout: 0 })
  server.requestTimeout = 0
  server.maxConnections = maxFetches
  server.on('drop', () =>
    policy.onRefused?.(`A fetch failed: the worker had ${String(maxFetches)} under way, which is its limit.`),
  )
  server.on(
    'request',
    guardCallback(
      (request, response) => forwardRequest(policy, agents, takePlace, request, response),
      (error, _request, response) => fail(response, refusalText(policy, error)),
    ),
  )
  server.on(
    'upgrade',
    guardCallback(
      (request, socket, head) => forwardUpgrade(policy, takePlace, request, socket, head),
      (error, _request, socket) => failUpgrade(socket, refusalText(policy, error)),
    ),
  )
  server.on('connect', (_request, socket: Duplex) => socket.destroy())
  server.on('error', (error) => policy.onRefused?.(`Fetches of the worker may fail: ${error.message}.`))
  return {
    server,
    close() {
      server.close()
      server.closeAllConnections()
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

/** Counts a fetch until its connection closes. Throws EgressRefusedError if the maximum number of fetches is reached. */
type TakePlace = (target: EgressTarget, connection: ServerResponse | Duplex) => void

function placesAtWorkers(): TakePlace {
  let taken = 0
  return ({ url, ours }, connection) => {
    if (!ours || !url.pathname.startsWith(workersRoot)) return
    if (taken >= maxFetchesToWorkers)
      throw new EgressRefusedError(
        `fetch to ${url.host} was refused: the worker had ${String(maxFetchesToWorkers)} requests to workers of this service under way, which is its limit. A worker that calls itself may cause endless requests.`,
      )
    taken++
    connection.once('close', () => taken--)
  }
}

/**
 * Returns the address for a requested URL. Throws EgressRefusedError, with a message for the worker's author, if the URL is not allowed.
 */
export async function findTarget(policy: EgressPolicy, text: string | undefined): Promise<EgressTarget> {
  const url = URL.canParse(text ?? '') ? new URL(text ?? '') : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new EgressRefusedError('Only http and https URLs can be fetched.')
  const secure = url.protocol === 'https:'
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
  if (policy.service?.origins.has(url.origin) === true)
    return { url, ours: true, address: policy.service.address, port: policy.service.port, secure: false }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = isIP(host) === 0 ? await lookUp(policy, url, host) : [host]
  if (policy.allowedHosts.has(host) || policy.allowedHosts.has(`${host}:${port}`))
    return { url, ours: false, address: addresses[0]!, port, secure }
  const own = (policy.ownAddresses ?? machineAddresses)()
  const address = addresses.find((item) => isPublicAddress(item) && !own.has(item))
  if (address === undefined)
    throw new EgressRefusedError(
      `fetch to ${url.host} was refused: workers may not reach loopback, link-local or private addresses.`,
    )
  return { url, ours: false, address, port, secure }
}

async function lookUp(policy: EgressPolicy, url: URL, host: string): Promise<readonly string[]> {
  try {
    const addresses = await policy.resolve(host)
    if (addresses.length > 0) return addresses
  } catch {
    // A failed lookup gets the error below, whatever its cause.
  }
  throw new EgressRefusedError(`fetch to ${url.host} failed: the host name could not be resolved.`)
}

function machineAddresses(): ReadonlySet<string> {
  return new Set(Object.values(os.networkInterfaces()).flatMap((list) => (list ?? []).map((item) => item.address)))
}

function requestOptions(target: EgressTarget, incoming: IncomingMessage): https.RequestOptions {
  const { url, ours, address, port } = target
  return {
    method: incoming.method,
    // Connects to the address that was checked. A second DNS lookup could return another address (DNS rebinding).
    host: address,
    port,
    path: url.pathname + url.search,
    headers: [...endToEnd(incoming.rawHeaders, ours ? notClient : notHost), 'Host', url.host],
    servername: isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 ? url.hostname : '',
    setDefaultHeaders: false,
  }
}

async function forwardRequest(
  policy: EgressPolicy,
  agents: { http: http.Agent; https: https.Agent },
  takePlace: TakePlace,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.on('error', () => undefined)
  const target = await findTarget(policy, incoming.url)
  takePlace(target, response)
  const headers = incoming.headers
  const chunked = headers['transfer-encoding'] !== undefined ? ['Transfer-Encoding', 'chunked'] : []
  const options = requestOptions(target, incoming)
  const outgoing = (target.secure ? https : http).request({
    ...options,
    headers: [...(options.headers as string[]), ...chunked],
    agent: target.secure ? agents.https : agents.http,
  })
  const failed = (error: unknown): void => {
    outgoing.destroy()
    fail(response, failureOf(target, error))
  }
  timeOutConnect(outgoing)
  response.on('close', () => {
    if (!response.writableFinished) outgoing.destroy()
  })
  const onResponse = (answer: IncomingMessage): void => {
    const head = checkHead(answer.statusCode, answer.rawHeaders, notOurs)
    if ('problem' in head) throw new Error(`the server ${head.problem}`)
    writeHead(response, head)
    pipeline(answer, response, () => undefined)
  }
  outgoing.on('response', guardCallback(onResponse, failed))
  outgoing.on('upgrade', (_answer, upstream: Duplex) => {
    upstream.destroy()
    failed(new Error('the server answered with the status 101, and no upgrade was asked for'))
  })
  outgoing.on('error', failed)
  pipeline(incoming, outgoing, () => undefined)
}

async function forwardUpgrade(
  policy: EgressPolicy,
  takePlace: TakePlace,
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  socket.on('error', () => socket.destroy())
  const target = await findTarget(policy, incoming.url)
  takePlace(target, socket)
  const options = requestOptions(target, incoming)
  const upgradeTo = incoming.headers.upgrade ?? 'websocket'
  const outgoing = (target.secure ? https : http).request({
    ...options,
    headers: [...(options.headers as string[]), 'Connection', 'Upgrade', 'Upgrade', upgradeTo],
    agent: false,
  })
  let answered = false
  const failed = (error: unknown): void => {
    outgoing.destroy()
    // The response headers have already been sent, so the client would read an error text as part of the body or of the upgraded protocol.
    // So close the connection.
    if (answered) socket.destroy()
    else failUpgrade(socket, failureOf(target, error))
  }
  timeOutConnect(outgoing)
  const onUpgrade = (answer: IncomingMessage, upstream: Duplex, first: Buffer): void => {
    upstream.on('error', () => upstream.destroy())
    const checked = checkHead(answer.statusCode, answer.rawHeaders, notOurs, { upgrade: true })
    if ('problem' in checked) throw new Error(`the server ${checked.problem}`)
    answered = true
    socket.write(
      headBytes(withHeaders(checked, 'Connection', 'Upgrade', 'Upgrade', answer.headers.upgrade ?? upgradeTo)),
    )
    if (first.length > 0) socket.write(first)
    if (head.length > 0) upstream.write(head)
    pipeline(upstream, socket, () => undefined)
    pipeline(socket, upstream, () => undefined)
  }
  const onResponse = (answer: IncomingMessage): void => {
    const checked = checkHead(answer.statusCode, answer.rawHeaders, notOurs)
    if ('problem' in checked) throw new Error(`the server ${checked.problem}`)
    answered = true
    socket.write(headBytes(withHeaders(checked, 'Connection', 'close')))
    pipeline(answer, socket, () => undefined)
  }
  outgoing.on('upgrade', guardCallback(onUpgrade, failed))
  outgoing.on('response', guardCallback(onResponse, failed))
  outgoing.on('error', failed)
  outgoing.end()
}

function timeOutConnect(request: http.ClientRequest): void {
  request.on('socket', (socket) => {
    if (!socket.connecting) return
    const timer = setTimeout(() => socket.destroy(new Error('the connection timed out')), connectTimeoutMs)
    const clear = (): void => clearTimeout(timer)
    socket.once('connect', clear)
    socket.once('close', clear)
  })
}

function refusalText(policy: EgressPolicy, error: unknown): string {
  const detail = error instanceof EgressRefusedError ? error.message : 'The request could not be sent.'
  policy.onRefused?.(detail)
  return detail
}

function failureOf(target: EgressTarget, error: unknown): string {
  return `fetch to ${target.url.host} failed: ${error instanceof Error ? error.message : String(error)}.`
}

function fail(response: ServerResponse, detail: string): void {
  if (response.headersSent || response.destroyed) response.destroy()
  else response.writeHead(502, STATUS_CODES[502], { [egressHeader]: encodeURIComponent(detail.toWellFormed()) }).end()
}

function failUpgrade(socket: Duplex, detail: string): void {
  const text = encodeURIComponent(detail.toWellFormed())
  socket.end(`HTTP/1.1 502 Bad Gateway\r\n${egressHeader}: ${text}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
