import http from 'node:http'
import type { ScheduledEvent, WorkerHandlers } from '../../worker-runtime.ts'

export interface WorkerFailure {
  readonly name: string
  readonly message: string
  readonly stack?: string
}

/**
 * Client for the control worker, which runs beside the author's worker in each process. Each call opens its own connection, so that a stuck
 * call does not block other calls. Calls are rare.
 */
export interface Control {
  ping(): Promise<void>
  describe(): Promise<WorkerHandlers>
  /** Runs the scheduled handler and its background work. Resolves with their errors, in order. */
  runScheduled(event: ScheduledEvent, signal: AbortSignal): Promise<readonly WorkerFailure[]>
}

export function controlOf(socketPath: string): Control {
  const never = new AbortController().signal
  return {
    async ping() {
      await call(socketPath, '/ping', undefined, never)
    },
    async describe() {
      const answer = objectOf(await call(socketPath, '/describe', undefined, AbortSignal.timeout(10_000)))
      const { fetch, scheduled, pending } = answer
      return {
        fetch: fetch === true,
        scheduled: scheduled === true,
        pending: typeof pending === 'number' ? pending : 0,
      }
    },
    async runScheduled(event, signal) {
      const { errors } = objectOf(await call(socketPath, '/scheduled', JSON.stringify(event), signal))
      return Array.isArray(errors)
        ? errors.map(failureOf)
        : [{ name: 'Error', message: 'The runtime gave no outcome.' }]
    },
  }
}

function call(socketPath: string, path: string, body: string | undefined, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { socketPath, path, method: body === undefined ? 'GET' : 'POST', agent: false, signal }
    const request = http.request(options, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode === 200) resolve(text)
        else reject(new Error(`The control worker answered ${response.statusCode}.`))
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text)
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function failureOf(value: unknown): WorkerFailure {
  const { name, message, stack } =
    typeof value === 'object' && value !== null ? ({ ...value } as Record<string, unknown>) : {}
  return {
    name: typeof name === 'string' ? name : 'Error',
    message: typeof message === 'string' ? message : 'unknown',
    ...(typeof stack === 'string' ? { stack } : {}),
  }
}
