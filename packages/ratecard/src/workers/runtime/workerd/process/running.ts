// One running version of a worker. Implements RunningWorker with the process, proxy, control client and watchdog.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Pool } from 'undici'
import { ServiceError } from '../../../../base/errors/service-error.ts'
import {
  durationText,
  type RequestContext,
  type RunningWorker,
  type ScheduledEvent,
  type ScheduledResult,
  type WorkerEvents,
  type WorkerExit,
  type WorkerHandlers,
  type WorkerStats,
  type WorkerVersionSpec,
} from '../../worker-runtime.ts'
import { controlOf, type Control } from './control.ts'
import type { ProcessExit, WorkerdProcess } from './process.ts'
import { dispatchRequest, type ProxyOptions } from '../traffic/proxy.ts'
import { readingsOf, type Readings } from '../limits/readings.ts'
import type { TraceMapper } from './source-map.ts'
import { connectUpgraded } from '../traffic/upgrade.ts'
import { Watchdog, type Invocation } from '../limits/watchdog.ts'

const drainLookMs = 50
const killAfterMs = 2_000
/** Maximum wait (ms) for the exit event of a process whose socket broke. If no event arrives, the process counts as running. */
const newsMs = 500

const outOfMemory = /out of memory|heap limit|last resort|Allocation failed|Cannot allocate memory/i

export class WorkerdWorker implements RunningWorker {
  readonly spec: WorkerVersionSpec
  handlers: WorkerHandlers = { fetch: false, scheduled: false, pending: 0 }
  private readonly process: WorkerdProcess
  private readonly events: WorkerEvents
  private readonly map: TraceMapper
  private readonly control: Control
  private readonly pool: Pool
  private readonly readings: Readings
  private readonly watchdog: Watchdog
  private readonly proxy: ProxyOptions
  private readonly exit: Promise<WorkerExit>
  private inFlight = 0
  private requests = 0
  private stopping = false
  private cause: WorkerExit | undefined

  constructor(spec: WorkerVersionSpec, process: WorkerdProcess, events: WorkerEvents, map: TraceMapper, pool: Pool) {
    this.spec = spec
    this.process = process
    this.events = events
    this.map = map
    this.control = controlOf(process.controlSocket)
    this.pool = pool
    this.readings = readingsOf(process.pid)
    this.watchdog = new Watchdog({
      limits: spec.limits,
      readings: this.readings,
      ping: () => this.control.ping(),
      onExceeded: (reason, detail) => {
        this.cause = { reason, detail }
        this.process.kill()
      },
    })
    this.proxy = {
      spec,
      socketPath: process.httpSocket,
      begin: () => this.begin(),
      cause: () => this.causeSoon(),
      onOutcome: (outcome) => events.request(outcome),
    }
    this.exit = process.ended.then((ended) => this.onEnded(ended))
  }

  get alive(): boolean {
    return this.cause === undefined && !this.stopping
  }

  dispatch(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void> {
    this.requests++
    if (this.isFull()) return Promise.reject(this.full())
    return dispatchRequest(this.pool, this.proxy, request, response, context)
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, context: RequestContext): Promise<void> {
    this.requests++
    if (this.isFull()) return Promise.reject(this.full())
    return connectUpgraded(this.proxy, request, socket, head, context)
  }

  private isFull(): boolean {
    return this.inFlight >= this.spec.limits.concurrent
  }

  private full(): ServiceError {
    const { name, limits } = this.spec
    return new ServiceError(
      'worker_unavailable',
      `The worker "${name}" has ${String(limits.concurrent)} requests in progress, which is its limit.`,
      { hint: 'Try again in a moment. A worker that calls itself may cause endless requests.', retryAfter: 1 },
    )
  }

  async scheduled(event: ScheduledEvent): Promise<ScheduledResult> {
    const startedAt = performance.now()
    const invocation = this.begin()
    const result = await this.runScheduled(event)
    return { ...result, wallMs: performance.now() - startedAt, cpuMs: invocation.end() }
  }

  private async runScheduled(event: ScheduledEvent): Promise<Pick<ScheduledResult, 'outcome' | 'error'>> {
    const { scheduledMs } = this.spec.limits
    const timeout = AbortSignal.timeout(scheduledMs)
    try {
      const [first] = await this.control.runScheduled(event, timeout)
      if (first === undefined) return { outcome: 'ok' }
      return { outcome: 'exception', error: this.map(first.stack ?? `${first.name}: ${first.message}`) }
    } catch {
      if (timeout.aborted)
        return {
          outcome: 'timed_out',
          error: `The scheduled handler exceeded its limit of ${durationText(scheduledMs)}.`,
        }
      const cause = await this.causeSoon()
      const known = cause?.reason === 'exceeded_cpu' || cause?.reason === 'exceeded_memory'
      return { outcome: known ? cause.reason : 'lost', error: cause?.detail ?? 'The worker did not answer.' }
    }
  }

  async describe(): Promise<WorkerHandlers> {
    this.handlers = await this.control.describe()
    return this.handlers
  }

  stats(): WorkerStats {
    return {
      pid: this.process.pid,
      inFlight: this.inFlight,
      requests: this.requests,
      cpuMs: this.readings.cpuMs(),
      memoryMb: this.readings.memoryMb(),
    }
  }

  async drain(deadlineMs: number): Promise<void> {
    const deadline = performance.now() + deadlineMs
    while (performance.now() < deadline && this.cause === undefined) {
      // Check for requests again, because a request can arrive while the worker reports its background work.
      if (this.noneInFlight() && (await this.nonePending()) && this.noneInFlight()) return
      await new Promise((resolve) => setTimeout(resolve, drainLookMs))
    }
  }

  private noneInFlight(): boolean {
    return this.inFlight === 0
  }

  private async nonePending(): Promise<boolean> {
    // If the worker does not respond, there is no background work to wait for.
    return this.describe().then(
      (handlers) => handlers.pending === 0,
      () => true,
    )
  }

  async dispose(): Promise<void> {
    this.stopping = true
    this.process.terminate()
    const timer = setTimeout(() => this.process.kill(), killAfterMs)
    await this.exit
    clearTimeout(timer)
    await this.process.removed
  }

  /** Resolves with the exit of the process; never rejects. */
  exited(): Promise<WorkerExit> {
    return this.exit
  }

  private begin(): Invocation {
    const invocation = this.watchdog.begin()
    this.inFlight++
    let open = true
    return {
      extend: () => invocation.extend(),
      signOfLife: () => invocation.signOfLife(),
      end: () => {
        if (open) this.inFlight--
        open = false
        return invocation.end()
      },
    }
  }

  private async causeSoon(): Promise<WorkerExit | undefined> {
    if (this.cause !== undefined) return this.cause
    let timer: NodeJS.Timeout | undefined
    const news = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), newsMs)
    })
    const exit = await Promise.race([this.exit, news])
    clearTimeout(timer)
    return exit
  }

  private async onEnded(ended: ProcessExit): Promise<WorkerExit> {
    this.watchdog.stop()
    this.readings.close()
    const exit = this.cause ?? exitOf(ended, this.stopping, this.spec)
    this.cause = exit
    // Ignores errors of the pool: requests that are still open fail when the process ends.
    await this.pool.destroy().catch(() => undefined)
    this.events.exit(exit)
    return exit
  }
}

function exitOf(ended: ProcessExit, stopping: boolean, spec: WorkerVersionSpec): WorkerExit {
  if (stopping) return { reason: 'stopped', detail: 'The worker was stopped.' }
  if (outOfMemory.test(ended.stderrTail)) {
    const detail = `The worker ran out of its ${spec.limits.heapMb} MB of JavaScript heap.`
    return { reason: 'exceeded_memory', detail }
  }
  const how = ended.signal === null ? `with code ${ended.code ?? 'unknown'}` : `by ${ended.signal}`
  return { reason: 'crashed', detail: `The worker's process ended ${how}.` }
}
