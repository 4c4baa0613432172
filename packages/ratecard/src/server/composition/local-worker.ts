// Runs one worker on this machine for its author. It uses the runtime and supervisor of the worker host, behind a small HTTP server. The
// CLI decides when to build, display and reload.
import { randomUUID } from 'node:crypto'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '../../base/clock.ts'
import { problemCodes } from '../../base/errors/codes.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { guardCallback } from '../../base/guarded.ts'
import { parseCron } from '../../workers/cron/parse.ts'
import {
  defaultLimits,
  type RequestContext,
  type RequestOutcome,
  type ScheduledResult,
  type WorkerHandlers,
  type WorkerLogLine,
} from '../../workers/runtime/worker-runtime.ts'
import { Supervisor } from '../../workers/runtime/supervisor.ts'
import { systemResolve } from '../../workers/runtime/workerd/traffic/egress.ts'
import { createWorkerdRuntime } from '../../workers/runtime/workerd/workerd-runtime.ts'
import type { WorkerBundle } from '../../workers/project/bundle.ts'
import type { WorkerSource } from '../../workers/project/read-workers.ts'

export interface LocalRequest {
  readonly method: string
  readonly path: string
  readonly status: number | null
  readonly outcome: RequestOutcome['outcome']
  readonly wallMs: number
  readonly cpuMs: number | null
}

export interface LocalWorkerOptions {
  /** Port of the server; 0 picks a free port. */
  readonly port: number
  readonly clock: Clock
  /**
   * URL of the Ratecard service, which the worker may call. The worker gets it in `RATECARD_API_URL`, unless its environment defines that
   * variable.
   */
  readonly serviceUrl: string
  /** Additional targets that the worker may call, as `host` or `host:port`. Unlike other targets, they may have private addresses. */
  readonly allowedHosts: readonly string[]
  /** Service key of this machine; null if there is none. A worker that requests a key of its own gets this key. */
  readonly serviceKey: string | null
  readonly onLog: (line: WorkerLogLine) => void
  readonly onRequest: (request: LocalRequest) => void
  readonly onRun: (cron: string, result: ScheduledResult) => void
}

/** Path that triggers the scheduled handler, e.g. with `curl`. Cloudflare's local server uses the same path. */
export const scheduledPath = '/cdn-cgi/handler/scheduled'

/**
 * Starts the server and resolves when it listens. Requests get status 503 until the first version of the worker is running. Rejects if the
 * port is in use.
 */
export async function startLocalWorker(options: LocalWorkerOptions): Promise<LocalWorker> {
  const server = new LocalWorker(options)
  await server.listen(options.port)
  return server
}

export class LocalWorker {
  private readonly options: LocalWorkerOptions
  private readonly supervisor: Supervisor
  private readonly server = http.createServer()
  private readonly requests = new Map<string, { readonly method: string; readonly path: string }>()
  private source: WorkerSource | null = null
  private versions = 0

  constructor(options: LocalWorkerOptions) {
    this.options = options
    const { clock, serviceUrl, onLog } = options
    const allowedHosts = new Set([hostAndPort(serviceUrl), ...options.allowedHosts])
    this.supervisor = new Supervisor({
      runtime: createWorkerdRuntime({
        clock,
        egress: { resolve: systemResolve, allowedHosts, service: null },
      }),
      clock,
      events: {
        log: (_name, line) => onLog(line),
        request: (_name, _version, outcome) => this.tell(outcome),
      },
    })
    this.server.requestTimeout = 0
    this.server.on(
      'request',
      guardCallback(
        (request, response) => this.answer(request, response),
        (error, _request, response) => writeProblem(response, problemOf(error)),
      ),
    )
    this.server.on(
      'upgrade',
      guardCallback(
        (request, socket, head) => this.join(request, socket, head),
        (_error, _request, socket) => socket.destroy(),
      ),
    )
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.server.address())}`
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject)
      this.server.listen(port, '127.0.0.1', () => {
        this.server.off('error', reject)
        resolve()
      })
    })
  }

  /**
   * Starts a new version beside the serving version and switches to it. Rejects if the new version fails to start; then the old version
   * keeps serving.
   */
  async replace(source: WorkerSource, bundle: WorkerBundle): Promise<WorkerHandlers> {
    const { manifest, variables } = source
    const { serviceKey } = this.options
    const handlers = await this.supervisor.deploy({
      name: manifest.name,
      version: `dev-${++this.versions}`,
      code: bundle.code,
      sourceMap: bundle.sourceMap,
      modules: bundle.modules,
      compatibilityDate: manifest.compatibilityDate,
      compatibilityFlags: manifest.compatibilityFlags,
      vars: {
        RATECARD_API_URL: this.options.serviceUrl,
        ...manifest.vars,
        ...Object.fromEntries(variables),
        ...(manifest.serviceKey === null || serviceKey === null ? {} : { RATECARD_SERVICE_KEY: serviceKey }),
      },
      passCredentials: manifest.passCredentials,
      limits: { ...defaultLimits, cpuMs: manifest.limits.cpuMs },
    })
    const before = this.source?.manifest.name
    this.source = source
    if (before !== undefined && before !== manifest.name) await this.supervisor.remove(before)
    return handlers
  }

  /** Runs the scheduled handler once and returns its result. */
  async trigger(cron: string, scheduledTime?: number): Promise<ScheduledResult> {
    const name = this.source?.manifest.name ?? ''
    const time = scheduledTime ?? Math.floor(this.options.clock.now() / 60_000) * 60_000
    const result = await this.supervisor.runScheduled(name, { runId: randomUUID(), scheduledTime: time, cron })
    this.options.onRun(cron, result)
    return result
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()))
    this.server.closeIdleConnections()
    await this.supervisor.close(1_000)
    this.server.closeAllConnections()
    await closed
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if ((request.url ?? '/').replace(/[?#].*$/s, '') === scheduledPath) {
      await this.answerScheduled(request, response)
      return
    }
    const context = this.contextOf(request)
    try {
      await this.live().dispatch(request, response, context)
    } catch (error) {
      writeProblem(response, problemOf(error))
    } finally {
      this.requests.delete(context.requestId)
    }
  }

  private async answerScheduled(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const query = new URL(request.url ?? '/', 'http://local').searchParams
    const given = query.get('cron') ?? this.source?.manifest.crons[0]?.expression ?? '* * * * *'
    const { schedule, issue } = parseCron(given)
    const time = query.has('time') ? Number(query.get('time')) : undefined
    if (issue !== undefined || (time !== undefined && !Number.isFinite(time))) {
      const detail = issue === undefined ? '`time` is a number of milliseconds.' : `${issue.detail} ${issue.hint}`
      writeProblem(response, new ServiceError('cron_invalid', detail))
      return
    }
    if (this.source === null) {
      writeProblem(response, notYet())
      return
    }
    const result = await this.trigger(schedule.expression, time)
    const ok = result.outcome === 'ok'
    response.writeHead(ok ? 200 : 500, { 'content-type': 'text/plain; charset=utf-8' })
    response.end(ok ? 'ok\n' : `${result.outcome}\n${result.error ?? ''}\n`)
  }

  private async join(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const context = this.contextOf(request)
    socket.on('error', () => socket.destroy())
    try {
      await this.live().upgrade(request, socket, head, context)
    } catch (error) {
      const { status, message } = problemOf(error)
      socket.end(`HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ''}\r\nConnection: close\r\n\r\n${message}`)
    } finally {
      this.requests.delete(context.requestId)
    }
  }

  private live() {
    const live = this.source === null ? undefined : this.supervisor.find(this.source.manifest.name)
    if (live === undefined) throw notYet()
    return live
  }

  private contextOf(request: IncomingMessage): RequestContext {
    const requestId = randomUUID()
    const path = request.url ?? '/'
    this.requests.set(requestId, { method: request.method ?? 'GET', path })
    return {
      requestId,
      url: path,
      prefix: '',
      protocol: 'http',
      host: request.headers.host ?? `127.0.0.1:${this.options.port}`,
      clientAddress: request.socket.remoteAddress ?? '127.0.0.1',
    }
  }

  private tell(outcome: RequestOutcome): void {
    const request = this.requests.get(outcome.requestId)
    if (request !== undefined) this.options.onRequest({ ...request, ...outcome })
  }
}

function hostAndPort(url: string): string {
  const { protocol, hostname, port } = new URL(url)
  return `${hostname.replace(/^\[|\]$/g, '')}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`
}

function notYet(): ServiceError {
  return new ServiceError('worker_unavailable', 'No version of the worker has started yet; the terminal says why.', {
    retryAfter: 1,
  })
}

function problemOf(error: unknown): ServiceError {
  return error instanceof ServiceError ? error : new ServiceError('internal', String(error), { cause: error })
}

function writeProblem(response: ServerResponse, problem: ServiceError): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { status, code, message: detail } = problem
  const retry = problem.retryAfter === undefined ? {} : { 'retry-after': String(problem.retryAfter) }
  // The reason phrase is given explicitly. Otherwise Node would use the phrase of an earlier `writeHead` that failed.
  response.writeHead(status, http.STATUS_CODES[status], { 'content-type': 'application/problem+json', ...retry })
  response.end(`${JSON.stringify({ type: 'about:blank', title: problemCodes[code].title, status, detail, code })}\n`)
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0
}
