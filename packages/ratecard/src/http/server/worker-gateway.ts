// Requests for workers never reach the router: no body is parsed, no header of the API is added, and nothing of the framework
// is paid for. Decides only which worker is meant; the host of workers does the rest.
import { STATUS_CODES } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ServiceError } from '../../errors/service-error.ts'
import { guarded } from '../../guarded.ts'
import type { Service } from '../../service/service.ts'
import { workersRoot } from '../../service/workers.ts'
import { problemMediaType, problemOf, toServiceError } from '../response/problem.ts'
import { codingRefusal } from '../request/transfer-coding.ts'
import { requestIdFrom } from '../request/request-id.ts'
import type { ClientAddress } from './client-address.ts'

export interface WorkerGatewayOptions {
  readonly service: Pick<Service, 'workerAtHost' | 'dispatchToWorker' | 'upgradeToWorker'>
  readonly docsUrl: string
  readonly addressOf: ClientAddress
  /** Connections end with their next answer. */
  readonly leaving: AbortSignal
  /** Draining: what is new is refused, and upgraded connections end after a moment. */
  readonly closing: AbortSignal
  /** Failures of ours, with their cause. */
  readonly onInternal: (error: unknown, requestId: string) => void
}

interface WorkerRoute {
  readonly name: string
  readonly host: string
  /** Path and query as the worker sees them. */
  readonly path: string
  readonly prefix: string
}

/** A name, an IPv4 or a bracketed IPv6 address, and perhaps a port: nothing else may become part of a worker's `request.url`. */
const hostForm = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i
const absoluteForm = /^https?:\/\/([^/?#]*)(.*)$/is
/** How long a body that nobody wants is read, so that its sender comes to read the answer. */
const restMs = 5_000
/** What is under way on an upgraded connection may end; nobody can know when it has. */
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

  /** True when the request is a worker's: then it is answered here. */
  takes(request: IncomingMessage, response: ServerResponse): boolean {
    const target = this.targetOf(request)
    if (target === null) return false
    this.dispatch(target, request, response)
    return true
  }

  /** Only a WebSocket for a worker is upgraded; any other wish is ignored, as HTTP allows, and so is one with a body. */
  wantsUpgrade(request: IncomingMessage): boolean {
    const { headers, method } = request
    if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') return false
    if (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0') return false
    return this.targetOf(request) !== null
  }

  watchUpgrades(server: Server): void {
    server.on(
      'upgrade',
      guarded(
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
    // Where a request that is refused for its head ends is not sure: nothing after it is read as another one.
    if (this.options.leaving.aborted || error !== null) response.shouldKeepAlive = false
    const refusal = this.options.closing.aborted ? draining() : error
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
    // With a reason phrase: otherwise Node takes the one that an earlier `writeHead` left, even where that failed.
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
      if (target === null) throw new ServiceError('request_invalid', 'Nothing here can be upgraded.')
      if (this.options.closing.aborted) throw draining()
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
    // RFC 9112 §3.2.2: a target with a host of its own counts, and the Host header beside it does not.
    const absolute = target.startsWith('/') ? null : absoluteForm.exec(target)
    const host = absolute?.[1] ?? firstHost(request.rawHeaders)
    const url = absolute === null ? target : rooted(absolute[2] ?? '')
    const name = this.options.service.workerAtHost(this.plainHost(host))
    if (name !== null) return { name, host, path: url.startsWith('/') ? url : '/', prefix: '' }
    if (!url.startsWith(workersRoot)) return null
    const length = url.slice(workersRoot.length).search(/[/?]/)
    const end = length < 0 ? url.length : workersRoot.length + length
    if (end === workersRoot.length) return null
    return { name: url.slice(workersRoot.length, end), host, path: rooted(url.slice(end)), prefix: url.slice(0, end) }
  }

  /** Without port and case. Most requests name the host of the one before: the price list is read far more often than workers are. */
  private plainHost(host: string): string {
    if (host !== this.lastHost.said)
      this.lastHost = { said: host, plain: host.toLowerCase().replace(/\.?(?::\d*)?$/, '') }
    return this.lastHost.plain
  }

  private cut(): void {
    for (const socket of this.upgraded) socket.destroy()
  }
}

const rooted = (path: string) => (path.startsWith('/') ? path : `/${path}`)

/** From the raw list: Node's own header object costs a good part of a short answer. */
function firstHost(rawHeaders: readonly string[]): string {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') return rawHeaders[index + 1] ?? ''
  }
  return ''
}

/** The request's id, and why it is none for a worker: two parties that read two hosts, or a path in a host, can be played off against each other. */
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
      : new ServiceError('request_invalid', 'A request to a worker names one host, in the form host:port.'),
  }
}

/** For a moment, and for nothing: what still comes then is cut. */
function readRest(request: IncomingMessage): void {
  const { socket } = request
  const timer = setTimeout(() => socket.destroy(), restMs)
  request.once('close', () => {
    clearTimeout(timer)
  })
  request.resume()
}

function draining(): ServiceError {
  return new ServiceError('shutting_down', 'This replica is draining.', { retryAfter: 1 })
}
