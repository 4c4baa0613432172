// Requests for workers never reach the router: no body is parsed, no header of the API is added, and nothing of the framework
// is paid for. Decides only which worker is meant; the host of workers does the rest.
import { STATUS_CODES } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ServiceError } from '../errors/service-error.ts'
import type { Service } from '../service.ts'
import { problemMediaType, problemOf, toServiceError } from './problem.ts'
import { requestIdOf } from './request-id.ts'

export interface WorkerGatewayOptions {
  readonly service: Pick<Service, 'workerAtHost' | 'dispatchToWorker' | 'upgradeToWorker'>
  readonly docsUrl: string
  /** Draining: what is new is refused, and upgraded connections end after a moment. */
  readonly closing: AbortSignal
  /** Failures of ours, with their cause. */
  readonly onInternal: (error: unknown, requestId: string) => void
}

interface Target {
  readonly name: string
  /** Path and query as the worker sees them. */
  readonly path: string
  readonly prefix: string
}

const root = '/workers/'
/** What is under way on an upgraded connection may end; nobody can know when it has. */
const upgradedGraceMs = 3_000

export class WorkerGateway {
  private readonly options: WorkerGatewayOptions
  private readonly upgraded = new Set<Duplex>()

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

  /** Only a WebSocket for a worker is upgraded; any other wish is ignored, as HTTP allows. */
  wantsUpgrade(request: IncomingMessage): boolean {
    return request.headers.upgrade?.toLowerCase() === 'websocket' && this.targetOf(request) !== null
  }

  watchUpgrades(server: Server): void {
    server.on('upgrade', (request, socket, head) => {
      void this.join(request, socket, head)
    })
  }

  private dispatch(target: Target, request: IncomingMessage, response: ServerResponse): void {
    const requestId = requestIdOf(request)
    const { name, path, prefix } = target
    if (this.options.closing.aborted) response.shouldKeepAlive = false
    const work = this.options.closing.aborted
      ? Promise.reject(draining())
      : this.options.service.dispatchToWorker(name, request, response, { requestId, path, prefix })
    work.catch((error: unknown) => {
      if (response.headersSent) response.destroy()
      else this.refuse(error, requestId, request, response)
    })
  }

  private refuse(error: unknown, requestId: string, request: IncomingMessage, response: ServerResponse): void {
    const problem = this.problem(error, requestId)
    // The rest of a body that nobody reads must not be taken for the next request.
    if (!request.complete) response.shouldKeepAlive = false
    const { retryAfter } = problem
    response.writeHead(problem.status, {
      'content-type': problemMediaType,
      'cache-control': 'no-store',
      'x-request-id': requestId,
      ...(retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfter)) }),
    })
    response.end(JSON.stringify(problemOf(problem, requestId, this.options.docsUrl)))
  }

  private async join(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const requestId = requestIdOf(request)
    const target = this.wantsUpgrade(request) ? this.targetOf(request) : null
    socket.on('error', () => socket.destroy())
    this.upgraded.add(socket)
    socket.once('close', () => this.upgraded.delete(socket))
    try {
      if (target === null) throw new ServiceError('request_invalid', 'Nothing here can be upgraded.')
      if (this.options.closing.aborted) throw draining()
      const { name, path, prefix } = target
      await this.options.service.upgradeToWorker(name, request, socket, head, { requestId, path, prefix })
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

  private targetOf(request: IncomingMessage): Target | null {
    const url = request.url ?? ''
    const name = this.nameAtHost(request.rawHeaders)
    if (name !== null) return { name, path: url.startsWith('/') ? url : '/', prefix: '' }
    if (!url.startsWith(root)) return null
    const length = url.slice(root.length).search(/[/?]/)
    const end = length < 0 ? url.length : root.length + length
    if (end === root.length) return null
    const rest = url.slice(end)
    return {
      name: url.slice(root.length, end),
      path: rest.startsWith('/') ? rest : `/${rest}`,
      prefix: url.slice(0, end),
    }
  }

  /** From the raw list: Node's own header object costs a good part of a short answer. */
  private nameAtHost(rawHeaders: readonly string[]): string | null {
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index] ?? ''
      if (name.length !== 4 || name.toLowerCase() !== 'host') continue
      const host = (rawHeaders[index + 1] ?? '').toLowerCase().replace(/:\d*$/, '')
      return this.options.service.workerAtHost(host)
    }
    return null
  }

  private cut(): void {
    for (const socket of this.upgraded) socket.destroy()
  }
}

function draining(): ServiceError {
  return new ServiceError('shutting_down', 'This replica is draining.', { retryAfter: 1 })
}
