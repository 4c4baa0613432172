import http from 'node:http'
import { systemClock } from '../../../packages/ratecard/src/base/clock.ts'
import { problemCodes } from '../../../packages/ratecard/src/base/errors/codes.ts'
import { ServiceError } from '../../../packages/ratecard/src/base/errors/service-error.ts'
import { defaultLimits } from '../../../packages/ratecard/src/workers/runtime/worker-runtime.ts'
import type {
  RequestContext,
  RequestOutcome,
  RunningWorker,
  WorkerEvents,
  WorkerExit,
  WorkerLimits,
  WorkerLogLine,
  WorkerRuntime,
  WorkerVersionSpec,
} from '../../../packages/ratecard/src/workers/runtime/worker-runtime.ts'
import { createWorkerdRuntime } from '../../../packages/ratecard/src/workers/runtime/workerd/workerd-runtime.ts'
import type { WorkerdRuntimeOptions } from '../../../packages/ratecard/src/workers/runtime/workerd/workerd-runtime.ts'
import { listenLocally } from '../../support/listen.ts'

/** A runtime without name resolution by default, so that no test reaches the network. */
export function testRuntime(
  egress: Partial<WorkerdRuntimeOptions['egress']> = {},
  more: Partial<Omit<WorkerdRuntimeOptions, 'egress'>> = {},
): WorkerRuntime {
  return createWorkerdRuntime({
    clock: systemClock,
    egress: { resolve: async () => [], allowedHosts: new Set(), service: null, ...egress },
    ...more,
  })
}

export function spec(
  code: string,
  more: Partial<Omit<WorkerVersionSpec, 'limits'>> & { limits?: Partial<WorkerLimits> } = {},
): WorkerVersionSpec {
  return {
    name: 'sample',
    version: 'v1',
    code,
    sourceMap: null,
    modules: [],
    compatibilityDate: '2026-11-01',
    compatibilityFlags: [],
    vars: {},
    passCredentials: false,
    ...more,
    limits: { ...defaultLimits, ...more.limits },
  }
}

export interface Recorder extends WorkerEvents {
  readonly lines: WorkerLogLine[]
  readonly requests: RequestOutcome[]
  readonly exits: WorkerExit[]
  /** Resolves with the first log line that fits, including earlier lines. */
  line(fits: (line: WorkerLogLine) => boolean): Promise<WorkerLogLine>
  exited(): Promise<WorkerExit>
}

export function recorder(): Recorder {
  const lines: WorkerLogLine[] = []
  const requests: RequestOutcome[] = []
  const exits: WorkerExit[] = []
  const waiting = new Set<() => void>()
  const wake = (): void => waiting.forEach((look) => look())
  const until = <T>(find: () => T | undefined): Promise<T> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = find()
        if (found === undefined) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })
  return {
    lines,
    requests,
    exits,
    log: (line) => {
      lines.push(line)
      wake()
    },
    request: (outcome) => {
      requests.push(outcome)
      wake()
    },
    exit: (exit) => {
      exits.push(exit)
      wake()
    },
    line: (fits) => until(() => lines.find(fits)),
    exited: () => until(() => exits[0]),
  }
}

export interface Front {
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

type Target = Pick<RunningWorker, 'dispatch' | 'upgrade'>

/** A minimal HTTP server in front of a worker, in place of the service's routes. */
export async function front(target: () => Target | Promise<Target>, prefix = ''): Promise<Front> {
  let count = 0
  const contextOf = (request: http.IncomingMessage): RequestContext => ({
    requestId: `r${++count}`,
    url: (request.url ?? '/').slice(prefix.length) || '/',
    prefix,
    protocol: 'http',
    host: request.headers.host ?? '',
    clientAddress: request.socket.remoteAddress ?? '',
  })
  const server = http.createServer((request, response) => {
    void (async () => {
      try {
        await (await target()).dispatch(request, response, contextOf(request))
      } catch (error) {
        const problem = error instanceof ServiceError ? error : new ServiceError('internal', String(error))
        const body = JSON.stringify({
          code: problem.code,
          title: problemCodes[problem.code].title,
          detail: problem.message,
        })
        response.writeHead(problem.status, { 'content-type': 'application/problem+json' }).end(body)
      }
    })()
  })
  server.on('upgrade', (request, socket, head) => {
    void (async () => {
      try {
        await (await target()).upgrade(request, socket, head, contextOf(request))
      } catch (error) {
        socket.end(
          `HTTP/1.1 ${error instanceof ServiceError ? error.status : 500} Problem\r\nConnection: close\r\n\r\n`,
        )
      }
    })()
  })
  const port = await listenLocally(server)
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
