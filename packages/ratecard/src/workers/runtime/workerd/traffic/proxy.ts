// Streams requests and responses between a client and one process over its unix socket, and maps each failure to its cause.
import { maxHeaderSize, type IncomingMessage, type ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import type { Dispatcher, Pool } from 'undici'
import { ServiceError } from '../../../../base/errors/service-error.ts'
import type { RequestContext, RequestOutcome, WorkerExit, WorkerVersionSpec } from '../../worker-runtime.ts'
import { protoHeader } from '../process/workerd-config.ts'
import { exceptionHeader } from '../process/entry.ts'
import { checkHead, withHeaders, writeHead, type SafeHead } from './foreign-head.ts'
import { endToEnd, hopByHopAnd } from './headers.ts'
import { withoutOwnCookies, withoutOwnSetCookies } from '../own-cookies.ts'
import type { Invocation } from '../limits/watchdog.ts'

export interface ProxyOptions {
  readonly spec: WorkerVersionSpec
  readonly socketPath: string
  readonly begin: () => Invocation
  /**
   * Returns the exit of the process; undefined if it is running. Waits up to 500 ms for the exit event, because the socket breaks before
   * the event is emitted.
   */
  readonly cause: () => Promise<WorkerExit | undefined>
  readonly onOutcome: (outcome: RequestOutcome) => void
}

/** Request headers that only this proxy sets. Values from a client are removed, because a worker trusts these headers. */
const replaced = hopByHopAnd(
  'host',
  'expect',
  'x-request-id',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-forwarded-prefix',
  'x-forwarded-server',
  'forwarded',
  'x-real-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'cf-connecting-ipv6',
  'cf-pseudo-ipv4',
  'cf-ipcountry',
  'cf-visitor',
  'cf-worker',
  protoHeader,
)
const added = hopByHopAnd('x-worker-version', 'x-request-id')
/**
 * Headers removed from responses on the service's own host, in addition to {@link added}. A worker on that host shares its origin with the
 * dashboard and the session cookies, and these headers affect the whole origin. E.g. `Clear-Site-Data: "cookies"` would sign every user out
 * of the dashboard.
 */
const addedOnOurHost = new Set([
  ...added,
  'alt-svc',
  'clear-site-data',
  'cross-origin-opener-policy',
  'nel',
  'origin-agent-cluster',
  'public-key-pins',
  'public-key-pins-report-only',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'strict-transport-security',
])
/** Maximum size (bytes) of a body that is copied and sent together with the headers. A second write costs more than the copy. */
const smallBody = 4_096
/** Maximum time (ms) for reading and discarding a request body after the worker has responded without reading it. */
const restMs = 5_000

/**
 * Headers removed from requests to workers without `pass_credentials`. With `x-service-key` a worker could call the API of this service as
 * the client that sent the request.
 */
const credentials = new Set([...replaced, 'x-service-key'])

export function requestHeaders(
  request: IncomingMessage,
  context: RequestContext,
  { passCredentials }: Pick<WorkerVersionSpec, 'passCredentials'>,
): string[] {
  const headers = passCredentials
    ? withoutOwnCookies(endToEnd(request.rawHeaders, replaced), 'dashboard')
    : withoutOwnCookies(endToEnd(request.rawHeaders, credentials), 'all')
  // Adds only a few headers, because each header costs workerd more time than this proxy needs to route a request.
  headers.push('host', context.host, 'x-request-id', context.requestId, 'x-forwarded-proto', context.protocol)
  headers.push('x-forwarded-for', context.clientAddress, 'cf-connecting-ip', context.clientAddress)
  if (context.protocol === 'https') headers.push(protoHeader, 'https')
  if (context.prefix !== '') headers.push('x-forwarded-prefix', context.prefix)
  return headers
}

/**
 * Returns the response headers without those that must not be forwarded, plus the worker version and the request id. Throws `worker_failed`
 * for headers that cannot be forwarded.
 */
export function responseHead(
  status: number | undefined,
  rawHeaders: readonly string[],
  { name, version }: Pick<WorkerVersionSpec, 'name' | 'version'>,
  { requestId, prefix }: Pick<RequestContext, 'requestId' | 'prefix'>,
  options: { readonly upgrade?: boolean } = {},
): SafeHead {
  const onOurHost = prefix !== ''
  const own = onOurHost ? withoutOwnSetCookies(rawHeaders) : rawHeaders
  const head = checkHead(status, own, onOurHost ? addedOnOurHost : added, options)
  if ('problem' in head) throw new ServiceError('worker_failed', `The worker "${name}" ${head.problem}.`)
  return withHeaders(head, 'X-Worker-Version', version, 'X-Request-Id', requestId)
}

export function dispatchRequest(
  pool: Pool,
  options: ProxyOptions,
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const proxied = new ProxiedRequest(options, request, response, context, resolve, reject)
    pool.dispatch(
      {
        path: context.url,
        method: request.method ?? 'GET',
        headers: requestHeaders(request, context, options.spec),
        body: bodyOf(request),
        headersTimeout: options.spec.limits.responseMs,
        bodyTimeout: 0,
      },
      proxied,
    )
  })
}

/**
 * Returns the request body for undici; null if there is none. undici destroys a body that it no longer needs. The PassThrough prevents that
 * this destroys the client's connection.
 */
function bodyOf(request: IncomingMessage): PassThrough | null {
  return hasBody(request.rawHeaders) ? request.pipe(new PassThrough().on('error', () => undefined)) : null
}

function hasBody(rawHeaders: readonly string[]): boolean {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (name.length === 14 && name.toLowerCase() === 'content-length') return true
    if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') return true
  }
  return false
}

class ProxiedRequest implements Dispatcher.DispatchHandler {
  private readonly options: ProxyOptions
  private readonly request: IncomingMessage
  private readonly response: ServerResponse
  private readonly context: RequestContext
  private readonly resolve: () => void
  private readonly reject: (error: ServiceError) => void
  private readonly invocation: Invocation
  private readonly startedAt = performance.now()
  private controller: Dispatcher.DispatchController | undefined
  private clientLeft = false
  private settled = false
  private exception = false
  private status: number | null = null
  private length: string | undefined

  constructor(
    options: ProxyOptions,
    request: IncomingMessage,
    response: ServerResponse,
    context: RequestContext,
    resolve: () => void,
    reject: (error: ServiceError) => void,
  ) {
    this.options = options
    this.request = request
    this.response = response
    this.context = context
    this.resolve = resolve
    this.reject = reject
    this.invocation = options.begin()
    response.on('close', this.onClose)
    response.on('drain', this.onDrain)
    // Ignores the cause of a write error (e.g. a write after the end), because it affects only this connection.
    response.on('error', () => response.destroy())
  }

  private readonly onClose = (): void => {
    if (this.settled || this.response.writableFinished) return
    this.clientLeft = true
    this.controller?.abort(new Error('the client left'))
  }

  private readonly onDrain = (): void => {
    this.controller?.resume()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.clientLeft || this.response.destroyed) {
      this.clientLeft = true
      controller.abort(new Error('the client left'))
    }
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: object): void {
    // Skips informational responses (e.g. 103 Early Hints), which precede the final response.
    if (status >= 100 && status < 200) return
    this.invocation.signOfLife()
    if (exceptionHeader in headers || isRuntimeFailure(status, headers)) {
      this.status = status
      this.exception = true
      return
    }
    if ('content-length' in headers && typeof headers['content-length'] === 'string')
      this.length = headers['content-length']
    try {
      const head = responseHead(status, rawHeadersOf(controller.rawHeaders), this.options.spec, this.context)
      this.status = head.status
      writeHead(this.response, head)
    } catch (error) {
      controller.abort(error as Error)
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.invocation.signOfLife()
    if (this.exception) return
    if (chunk.length <= smallBody && this.length === String(chunk.length))
      this.response.end(chunk.toString('latin1'), 'latin1')
    else if (!this.response.write(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    if (this.exception) {
      this.finish(
        'exception',
        new ServiceError('worker_exception', `The worker "${this.options.spec.name}" threw an exception.`),
      )
      return
    }
    if (!this.response.writableEnded) this.response.end()
    this.finish('ok')
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.clientLeft) this.finish('cancelled')
    else if (this.exception) this.onResponseEnd()
    else this.fail(error).catch(() => this.response.destroy())
  }

  private async fail(error: Error): Promise<void> {
    const failure = await failureOf(this.options, error)
    this.finish(failure.outcome, failure.error)
  }

  private finish(outcome: RequestOutcome['outcome'], error?: ServiceError): void {
    if (this.settled) return
    this.settled = true
    this.response.off('close', this.onClose)
    this.response.off('drain', this.onDrain)
    this.options.onOutcome({
      requestId: this.context.requestId,
      method: this.request.method ?? 'GET',
      url: this.context.url,
      status: error?.status ?? this.status,
      outcome,
      wallMs: performance.now() - this.startedAt,
      cpuMs: this.invocation.end(),
    })
    if (!this.request.complete) this.readRest()
    if (error === undefined) {
      this.resolve()
      return
    }
    if (this.response.headersSent) {
      this.response.destroy()
      this.resolve()
    } else this.reject(error)
  }

  /**
   * Reads and discards the rest of the request body for up to 5 s (`restMs`), because a client that is still sending may not read the
   * response yet. Then destroys the socket.
   */
  private readRest(): void {
    const { request } = this
    const { socket } = request
    const timer = setTimeout(() => socket.destroy(), restMs)
    request.once('close', () => clearTimeout(timer))
    request.unpipe()
    request.resume()
  }
}

export interface Failure {
  readonly outcome: RequestOutcome['outcome']
  readonly error: ServiceError
}

/** Error codes of undici and Node for response headers that exceed the size limit. */
const headersTooLarge = new Set<unknown>(['UND_ERR_HEADERS_OVERFLOW', 'HPE_HEADER_OVERFLOW'])

/** Returns the error and outcome of a request that has no response headers to forward. */
export async function failureOf({ spec, cause }: ProxyOptions, error: unknown): Promise<Failure> {
  const { name, limits } = spec
  if (error instanceof ServiceError) return { outcome: 'failed', error }
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'UND_ERR_HEADERS_TIMEOUT')
    return {
      outcome: 'timed_out',
      error: new ServiceError(
        'worker_timeout',
        `The worker "${name}" sent no response within ${limits.responseMs} ms.`,
      ),
    }
  if (headersTooLarge.has(code)) return { outcome: 'failed', error: tooManyHeaders(name) }
  if (typeof code === 'string' && code.startsWith('HPE_'))
    return {
      outcome: 'failed',
      error: new ServiceError('worker_failed', `The worker "${name}" answered with a response that is not valid HTTP.`),
    }
  return problemOf(name, await cause())
}

function tooManyHeaders(name: string): ServiceError {
  const detail = `The worker "${name}" answered with more than ${String(maxHeaderSize / 1024)} KiB of response headers, which is the limit.`
  return new ServiceError('worker_failed', detail, {
    hint: 'Send fewer or shorter headers, e.g. fewer cookies, and put large values into the body.',
  })
}

/** Returns the error and outcome of a request whose process has ended. */
function problemOf(name: string, exit: WorkerExit | undefined): Failure {
  if (exit?.reason === 'exceeded_cpu')
    return { outcome: 'exceeded_cpu', error: new ServiceError('worker_exceeded_cpu', exit.detail, { retryAfter: 1 }) }
  if (exit?.reason === 'exceeded_memory')
    return {
      outcome: 'exceeded_memory',
      error: new ServiceError('worker_exceeded_memory', exit.detail, { retryAfter: 1 }),
    }
  const detail = `The worker "${name}" ended while it handled the request.`
  return { outcome: 'unavailable', error: new ServiceError('worker_unavailable', detail, { retryAfter: 1 }) }
}

/**
 * True for a response with status 500 that workerd itself created because the handler will never respond. Only such a response has
 * `connection: close`.
 */
export function isRuntimeFailure(status: number, headers: object): boolean {
  return status === 500 && 'connection' in headers && String(headers.connection).toLowerCase() === 'close'
}

function rawHeadersOf(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  return Array.isArray(raw) ? raw.map((item) => (typeof item === 'string' ? item : item.toString('latin1'))) : []
}
