import http from 'node:http'
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream'
import type { Duplex } from 'node:stream'
import { ServiceError } from '../../../errors/service-error.ts'
import type { RequestContext, RequestOutcome } from '../runtime.ts'
import { exceptionHeader } from './entry.ts'
import { endToEnd, rawHead } from './headers.ts'
import { isRuntimeFailure, problemOf, requestHeaders, responseHeaders } from './proxy.ts'
import type { ProxyOptions } from './proxy.ts'

/** Joins an upgraded connection to the worker, byte for byte. Resolves when the connection is over. */
export function upgrade(
  options: ProxyOptions,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  context: RequestContext,
): Promise<void> {
  const invocation = options.begin()
  const startedAt = performance.now()
  const { name, limits, version } = options.spec
  let status: number | null = null
  let clientLeft = false
  const outgoing = http.request({
    socketPath: options.socketPath,
    path: context.url,
    method: request.method,
    headers: [...requestHeaders(request, context), 'Connection', 'Upgrade', 'Upgrade', request.headers.upgrade ?? ''],
    agent: false,
    setDefaultHeaders: false,
  })
  const answered = new Promise<RequestOutcome['outcome']>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(
        new ServiceError('worker_timeout', `The worker "${name}" sent no response within ${limits.responseMs} ms.`),
      )
      outgoing.destroy()
    }, limits.responseMs)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      clientLeft = status === null
      if (clientLeft) resolve('cancelled')
      outgoing.destroy()
    })
    outgoing.on('close', () => clearTimeout(timer))
    outgoing.on('upgrade', (answer, upstream, first) => {
      clearTimeout(timer)
      status = 101
      invocation.signOfLife()
      upstream.on('data', () => invocation.signOfLife())
      socket.on('data', () => invocation.extend())
      const upgradeHeaders = ['Connection', 'Upgrade', 'Upgrade', answer.headers.upgrade ?? '']
      socket.write(rawHead(answer, [...responseHeaders(answer.rawHeaders, version), ...upgradeHeaders]))
      if (first.length > 0) socket.write(first)
      if (head.length > 0) upstream.write(head)
      join(upstream, socket, () => resolve('ok'))
    })
    outgoing.on('response', (answer) => {
      clearTimeout(timer)
      status = answer.statusCode ?? 502
      if (exceptionHeader in answer.headers || isRuntimeFailure(status, answer.headers)) {
        answer.resume()
        reject(new ServiceError('worker_exception', `The worker "${name}" threw an exception.`))
        return
      }
      socket.write(rawHead(answer, [...endToEnd(responseHeaders(answer.rawHeaders, version)), 'Connection', 'close']))
      pipeline(answer, socket, () => resolve('ok'))
    })
    outgoing.on('error', () => {
      clearTimeout(timer)
      if (status === null && !clientLeft) void options.cause().then((exit) => reject(problemOf(name, exit).error))
    })
    outgoing.end()
  })
  const report = (outcome: RequestOutcome['outcome'], code: number | null): void =>
    options.onOutcome({
      requestId: context.requestId,
      status: code,
      outcome,
      wallMs: performance.now() - startedAt,
      cpuMs: invocation.end(),
    })
  return answered.then(
    (outcome) => report(outcome, status),
    (error: unknown) => {
      if (!(error instanceof ServiceError)) throw error
      report(outcomeOf(error), error.status)
      throw error
    },
  )
}

function join(upstream: Duplex, socket: Duplex, done: () => void): void {
  let open = 2
  const over = (): void => {
    // An upgraded protocol has no half-closed state worth keeping: when one direction ends, so does the connection.
    upstream.destroy()
    socket.destroy()
    if (--open === 0) done()
  }
  pipeline(upstream, socket, over)
  pipeline(socket, upstream, over)
}

function outcomeOf(error: ServiceError): RequestOutcome['outcome'] {
  if (error.code === 'worker_exception') return 'exception'
  if (error.code === 'worker_timeout') return 'timed_out'
  if (error.code === 'worker_exceeded_cpu') return 'exceeded_cpu'
  return error.code === 'worker_exceeded_memory' ? 'exceeded_memory' : 'unavailable'
}
