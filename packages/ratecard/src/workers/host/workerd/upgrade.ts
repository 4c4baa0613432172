import http from 'node:http'
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream'
import type { Duplex } from 'node:stream'
import { ServiceError } from '../../../errors/service-error.ts'
import type { RequestContext, RequestOutcome } from '../runtime.ts'
import { exceptionHeader } from './entry.ts'
import { rawHead } from './headers.ts'
import { isRuntimeFailure, problemOf, requestHeaders, responseHeaders } from './proxy.ts'
import type { ProxyOptions } from './proxy.ts'
import type { Invocation } from './watchdog.ts'

/** Joins an upgraded connection to the worker, byte for byte. Resolves when the connection is over. */
export function upgrade(
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
    outgoing.on('upgrade', (answer, upstream, first) => this.onUpgrade(answer, upstream, first))
    outgoing.on('response', (answer) => this.onResponse(answer))
    outgoing.on('error', () => void this.onError())
    outgoing.end()
  }

  private onUpgrade(answer: IncomingMessage, upstream: Duplex, first: Buffer): void {
    clearTimeout(this.timer)
    this.status = 101
    this.invocation.signOfLife()
    upstream.on('data', () => this.invocation.signOfLife())
    this.socket.on('data', () => this.invocation.extend())
    const upgradeHeaders = ['Connection', 'Upgrade', 'Upgrade', answer.headers.upgrade ?? '']
    const headers = [...this.headersOf(answer), ...upgradeHeaders]
    this.socket.write(rawHead(answer, headers))
    if (first.length > 0) this.socket.write(first)
    if (this.head.length > 0) upstream.write(this.head)
    const over = (): void => {
      // An upgraded protocol has no half-closed state worth keeping: when one direction ends, so does the connection.
      upstream.destroy()
      this.socket.destroy()
      this.finish('ok')
    }
    pipeline(upstream, this.socket, over)
    pipeline(this.socket, upstream, over)
  }

  private onResponse(answer: IncomingMessage): void {
    clearTimeout(this.timer)
    this.status = answer.statusCode ?? 502
    const { name } = this.options.spec
    if (exceptionHeader in answer.headers || isRuntimeFailure(this.status, answer.headers)) {
      answer.resume()
      this.finish('exception', new ServiceError('worker_exception', `The worker "${name}" threw an exception.`))
      return
    }
    this.socket.write(rawHead(answer, [...this.headersOf(answer), 'Connection', 'close']))
    pipeline(answer, this.socket, () => this.finish('ok'))
  }

  private headersOf(answer: IncomingMessage): string[] {
    return responseHeaders(answer.rawHeaders, this.options.spec.version, this.context)
  }

  private async onError(): Promise<void> {
    if (this.status !== null || this.settled) return
    const problem = problemOf(this.options.spec.name, await this.options.cause())
    this.finish(problem.outcome, problem.error)
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
