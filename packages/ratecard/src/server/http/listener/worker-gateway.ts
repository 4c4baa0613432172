// Passes requests for workers to the worker runtime before the router sees them. This saves overhead, because the router would parse bodies
// and add API headers. The gateway only selects the worker; the runtime handles the request.
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { guardCallback } from '../../../base/guarded.ts'
import { problemMediaType, problemOf, toServiceError } from '../response/problem.ts'
import { codingRefusal } from '../request/transfer-coding.ts'
import { requestIdFrom } from '../request/request-id.ts'
import type { ClientAddress } from './client-address.ts'
import type { Service } from '../../service/service.ts'
import { workersRoot } from '../../../api/workers/workers.ts'

export interface WorkerGatewayOptions {
  readonly service: Service
  readonly docsUrl: string
  readonly addressOf: ClientAddress
  /** Aborts when shutdown begins. From then on, each connection ends with its next response. */
  readonly leaving: AbortSignal
  /** Aborts when draining begins: new requests are refused, and upgraded connections (e.g. WebSockets) are closed after a grace period. */
  readonly closing: AbortSignal
  /** Called with each internal error and its cause, for the log. */
  readonly onInternal: (error: unknown, requestId: string) => void
}

interface WorkerRoute {
  readonly name: string
  readonly host: string
  /** Path and query as passed to the worker. */
  readonly path: string
  readonly prefix: string
}

/**
 * Matches a hostname, an IPv4 address or a bracketed IPv6 address, with an optional port. Other text must not get into a worker's
 * `request.url`.
 */
const hostForm = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i
const absoluteForm = /^https?:\/\/([^/?#]*)(.*)$/is
/** Maximum time (ms) to read the body of a refused request. Without this, a client that is still sending might not read the response. */
const restMs = 5_000
/**
 * Grace period (ms) after which upgraded connections (e.g. WebSockets) are closed during shutdown. The service cannot detect when they are
 * idle.
 */
const upgradedGraceMs = 3_000

export class WorkerGateway {
  private readonly options: WorkerGatewayOptions
  private readonly upgraded = new Set<Duplex>()
  private lastHost = { said: '', plain: '' }

  constructor(options: WorkerGatewayOptions) {
    this.options = options
    options.closing.addEventListener('abort', () => {
      if (this.upgraded.size > 0) setTimeout(() => this.cut(), upgradedGraceMs)
    })
  }

  /** Handles the request and returns true if it is for a worker; otherwise returns false. */
  takes(request: IncomingMessage, response: ServerResponse): boolean {
    const target = this.targetOf(request)
    if (target === null) return false
    this.dispatch(target, request, response)
    return true
  }

  /**
   * True for a WebSocket request to a worker. Other upgrade requests, and upgrade requests with a body, are handled as ordinary requests,
   * as HTTP allows.
   */
  wantsUpgrade(request: IncomingMessage): boolean {
    const { headers, method } = request
    if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') return false
    if (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0') return false
    return this.targetOf(request) !== null
  }

  watchUpgrades(server: Server): void {
    server.on(
      'upgrade',
      guardCallback(
        (request, socket, head) => this.join(request, socket, head),
        (error, _request, socket) => {
          this.options.onInternal(error, requestIdFrom(undefined))
          socket.destroy()
        },
      ),
    )
  }

  private dispatch(target: WorkerRoute, request: IncomingMessage, response: ServerResponse): void {
    const { requestId, error } = headOf(request, target)
    const { name, host, path, prefix } = target
    // It is unclear where a request with malformed headers ends. So the connection is closed; otherwise later bytes could be parsed as
    // another request (request smuggling).
    if (this.options.leaving.aborted || error !== null) response.shouldKeepAlive = false
    const refusal = this.options.closing.aborted ? shuttingDown() : error
    const work =
      refusal === null
        ? this.options.service.dispatchToWorker(name, request, response, {
            requestId,
            host,
            path,
            prefix,
            clientAddress: this.options.addressOf(request),
          })
        : Promise.reject(refusal)
    work
      .catch((problem: unknown) => {
        if (response.headersSent) response.destroy()
        else this.refuse(problem, requestId, request, response)
      })
      .catch((problem: unknown) => {
        this.options.onInternal(problem, requestId)
        response.destroy()
      })
  }

  private refuse(error: unknown, requestId: string, request: IncomingMessage, response: ServerResponse): void {
    const problem = this.problem(error, requestId)
    if (!request.complete) readRest(request)
    const { retryAfter } = problem
    const body = JSON.stringify(problemOf(problem, requestId, this.options.docsUrl))
    // Sets the reason phrase explicitly. Otherwise Node keeps the phrase of an earlier `writeHead`, even if that call failed.
    response.writeHead(problem.status, STATUS_CODES[problem.status], {
      'content-length': Buffer.byteLength(body),
      'content-type': problemMediaType,
      'cache-control': 'no-store',
      'x-request-id': requestId,
      ...(retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfter)) }),
    })
    response.end(body)
  }

  private async join(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const target = this.wantsUpgrade(request) ? this.targetOf(request) : null
    const { requestId, error: wrong } = headOf(request, target)
    socket.on('error', () => socket.destroy())
    this.upgraded.add(socket)
    socket.once('close', () => this.upgraded.delete(socket))
    try {
      if (target === null)
        throw new ServiceError(
          'request_invalid',
          'This path does not support connection upgrades (e.g. WebSocket); only workers do.',
        )
      if (this.options.closing.aborted) throw shuttingDown()
      if (wrong !== null) throw wrong
      const { name, host, path, prefix } = target
      const clientAddress = this.options.addressOf(request)
      const context = { requestId, host, path, prefix, clientAddress }
      await this.options.service.upgradeToWorker(name, request, socket, head, context)
    } catch (error) {
      const problem = this.problem(error, requestId)
      const body = JSON.stringify(problemOf(problem, requestId, this.options.docsUrl))
      const lines = [
        `HTTP/1.1 ${String(problem.status)} ${STATUS_CODES[problem.status] ?? ''}`,
        `Content-Type: ${problemMediaType}`,
        `Content-Length: ${String(Buffer.byteLength(body))}`,
        `X-Request-Id: ${requestId}`,
        'Connection: close',
      ]
      socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
    }
  }

  private problem(error: unknown, requestId: string): ServiceError {
    const problem = toServiceError(error)
    if (problem.code === 'internal') this.options.onInternal(error, requestId)
    return problem
  }

  private targetOf(request: IncomingMessage): WorkerRoute | null {
    const target = request.url ?? ''
    // RFC 9112 §3.2.2: if the request line contains an absolute URL, its host takes precedence over the Host header.
    const absolute = target.startsWith('/') ? null : absoluteForm.exec(target)
    const host = absolute?.[1] ?? firstHost(request.rawHeaders)
    const url = absolute === null ? target : withLeadingSlash(absolute[2] ?? '')
    const name = this.options.service.workerAtHost(this.plainHost(host))
    if (name !== null) return { name, host, path: url.startsWith('/') ? url : '/', prefix: '' }
    if (!url.startsWith(workersRoot)) return null
    const length = url.slice(workersRoot.length).search(/[/?]/)
    const end = length < 0 ? url.length : workersRoot.length + length
    if (end === workersRoot.length) return null
    return {
      name: url.slice(workersRoot.length, end),
      host,
      path: withLeadingSlash(url.slice(end)),
      prefix: url.slice(0, end),
    }
  }

  /**
   * Returns the host without port, in lower case. Caches the result for the last host, because consecutive requests usually have the same
   * host.
   */
  private plainHost(host: string): string {
    if (host !== this.lastHost.said)
      this.lastHost = { said: host, plain: host.toLowerCase().replace(/\.?(?::\d*)?$/, '') }
    return this.lastHost.plain
  }

  private cut(): void {
    for (const socket of this.upgraded) socket.destroy()
  }
}

const withLeadingSlash = (path: string) => (path.startsWith('/') ? path : `/${path}`)

/**
 * Returns the first Host header. Reads the raw header list, because creating Node's header object would take a considerable part of the
 * time of a short response.
 */
function firstHost(rawHeaders: readonly string[]): string {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') return rawHeaders[index + 1] ?? ''
  }
  return ''
}

/**
 * Returns the request id and, if the request must be refused, the error. E.g. a request with two Host headers, or with a path in its host,
 * is refused, because a proxy and this server could read it differently.
 */
function headOf(
  { rawHeaders, headers }: IncomingMessage,
  target: WorkerRoute | null,
): { requestId: string; error: ServiceError | null } {
  let hosts = 0
  let ids = 0
  let id: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
    else if (name.length === 12 && name.toLowerCase() === 'x-request-id') {
      ids++
      id = rawHeaders[index + 1]
    }
  }
  const fine = hosts === 1 && target !== null && hostForm.test(target.host)
  return {
    requestId: requestIdFrom(ids === 1 ? id : undefined),
    error: fine
      ? codingRefusal(headers['transfer-encoding'])
      : new ServiceError(
          'request_invalid',
          'A request to a worker must have exactly one Host header, in the form host or host:port.',
        ),
  }
}

/** Discards the rest of the request body, and destroys the socket if that takes longer than 5 s. */
function readRest(request: IncomingMessage): void {
  const { socket } = request
  const timer = setTimeout(() => socket.destroy(), restMs)
  request.once('close', () => {
    clearTimeout(timer)
  })
  request.resume()
}

function shuttingDown(): ServiceError {
  return new ServiceError('shutting_down', 'This replica is shutting down.', { retryAfter: 1 })
}
