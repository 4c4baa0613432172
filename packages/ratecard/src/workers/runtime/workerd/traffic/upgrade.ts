import http, { type IncomingMessage } from 'node:http'
import { pipeline, type Duplex } from 'node:stream'
import { ServiceError } from '../../../../base/errors/service-error.ts'
import { guardCallback } from '../../../../base/guarded.ts'
import type { RequestContext, RequestOutcome } from '../../worker-runtime.ts'
import { exceptionHeader } from '../process/entry.ts'
import { headBytes, withHeaders, type SafeHead } from './foreign-head.ts'
import { failureOf, isRuntimeFailure, requestHeaders, responseHead, type ProxyOptions } from './proxy.ts'
import type { Invocation } from '../limits/watchdog.ts'

/**
 * Connects an upgraded connection (e.g. a WebSocket) to the worker and copies bytes in both directions. Resolves when the connection has
 * closed.
 */
export function connectUpgraded(
  options: ProxyOptions,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  context: RequestContext,
): Promise<void> {
  return new Promise((resolve, reject) => {
    new Joint(options, socket, head, context, (error) => (error ? reject(error) : resolve())).start(request)
  })
}

class Joint {
  private readonly options: ProxyOptions
  private readonly socket: Duplex
  private readonly head: Buffer
  private readonly context: RequestContext
  private readonly done: (error?: ServiceError) => void
  private readonly invocation: Invocation
  private readonly startedAt = performance.now()
  private timer: NodeJS.Timeout | undefined
  private status: number | null = null
  private settled = false

  constructor(
    options: ProxyOptions,
    socket: Duplex,
    head: Buffer,
    context: RequestContext,
    done: (error?: ServiceError) => void,
  ) {
    this.options = options
    this.socket = socket
    this.head = head
    this.context = context
    this.done = done
    this.invocation = options.begin()
  }

  start(request: IncomingMessage): void {
    const { responseMs } = this.options.spec.limits
    const outgoing = http.request({
      socketPath: this.options.socketPath,
      path: this.context.url,
      method: request.method,
      headers: [
        ...requestHeaders(request, this.context, this.options.spec),
        ...['Connection', 'Upgrade', 'Upgrade', request.headers.upgrade ?? ''],
      ],
      agent: false,
      setDefaultHeaders: false,
    })
    this.timer = setTimeout(() => {
      const detail = `The worker "${this.options.spec.name}" sent no response within ${responseMs} ms.`
      this.finish('timed_out', new ServiceError('worker_timeout', detail))
      outgoing.destroy()
    }, responseMs)
    this.socket.on('error', () => this.socket.destroy())
    this.socket.once('close', () => {
      if (this.status === null) this.finish('cancelled')
      outgoing.destroy()
    })
    const failed = (error: unknown): void => {
      outgoing.destroy()
      this.onError(error).catch(() => this.socket.destroy())
    }
    const onUpgrade = this.onUpgrade.bind(this)
    const onResponse = this.onResponse.bind(this)
    outgoing.on('upgrade', guardCallback(onUpgrade, failed))
    outgoing.on('response', guardCallback(onResponse, failed))
    outgoing.on('error', failed)
    outgoing.end()
  }

  private onUpgrade(answer: IncomingMessage, upstream: Duplex, first: Buffer): void {
    clearTimeout(this.timer)
    // Adds the listener before the pipelines below, because the upstream connection may fail while its headers are checked.
    upstream.on('error', () => upstream.destroy())
    const head = this.headOf(answer, true)
    this.status = 101
    this.invocation.signOfLife()
    upstream.on('data', () => this.invocation.signOfLife())
    this.socket.on('data', () => this.invocation.extend())
    const upgradeHeaders = ['Connection', 'Upgrade', 'Upgrade', answer.headers.upgrade ?? '']
    this.socket.write(headBytes(withHeaders(head, ...upgradeHeaders)))
    if (first.length > 0) this.socket.write(first)
    if (this.head.length > 0) upstream.write(this.head)
    const over = (): void => {
      // Closes the whole connection when one direction ends, because upgraded protocols have no useful half-closed state.
      upstream.destroy()
      this.socket.destroy()
      this.finish('ok')
    }
    pipeline(upstream, this.socket, over)
    pipeline(this.socket, upstream, over)
  }

  private onResponse(answer: IncomingMessage): void {
    clearTimeout(this.timer)
    const { name } = this.options.spec
    if (exceptionHeader in answer.headers || isRuntimeFailure(answer.statusCode ?? 0, answer.headers)) {
      this.status = answer.statusCode ?? null
      answer.resume()
      this.finish('exception', new ServiceError('worker_exception', `The worker "${name}" threw an exception.`))
      return
    }
    const head = this.headOf(answer, false)
    this.status = head.status
    this.socket.write(headBytes(withHeaders(head, 'Connection', 'close')))
    pipeline(answer, this.socket, () => this.finish('ok'))
  }

  private headOf({ statusCode, rawHeaders }: IncomingMessage, upgrade: boolean): SafeHead {
    return responseHead(statusCode, rawHeaders, this.options.spec, this.context, { upgrade })
  }

  private async onError(error: unknown): Promise<void> {
    if (this.status !== null) {
      this.socket.destroy()
      return
    }
    if (this.settled) return
    const failure = await failureOf(this.options, error)
    this.finish(failure.outcome, failure.error)
  }

  private finish(outcome: RequestOutcome['outcome'], error?: ServiceError): void {
    if (this.settled) return
    this.settled = true
    clearTimeout(this.timer)
    this.options.onOutcome({
      requestId: this.context.requestId,
      method: 'GET',
      url: this.context.url,
      status: error?.status ?? this.status,
      outcome,
      wallMs: performance.now() - this.startedAt,
      cpuMs: this.invocation.end(),
    })
    this.done(error)
  }
}
