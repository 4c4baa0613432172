import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ServiceError } from '../../base/errors/service-error.ts'
import type {
  RequestContext,
  RunningWorker,
  ScheduledEvent,
  ScheduledResult,
  WorkerExit,
  WorkerHandlers,
  WorkerVersionSpec,
} from './worker-runtime.ts'
import type { HostedState, SupervisorOptions } from './supervisor-options.ts'

/** Uptime (30 s) after which a worker counts as healthy. After its next crash, the restart delays then begin with the first one again. */
const healthyMs = 30_000

/** One worker version with its current process. Restarts the process after a crash. */
export class HostedWorker {
  readonly spec: WorkerVersionSpec
  handlers: WorkerHandlers = { fetch: false, scheduled: false, pending: 0 }
  private readonly options: Required<SupervisorOptions>
  private worker: RunningWorker | undefined
  private starting: Promise<void> | undefined
  private restartTimer: NodeJS.Timeout | undefined
  private readonly waiting = new Set<() => void>()
  private serving = false
  private retired = false
  private restarts = 0
  private inARow = 0
  private startedAt = 0
  private lastExit: WorkerExit | null = null

  constructor(spec: WorkerVersionSpec, options: Required<SupervisorOptions>) {
    this.spec = spec
    this.options = options
  }

  /** Starts the first process. Rejects if the start fails, so that the caller of the deployment gets the error. */
  async start(): Promise<WorkerHandlers> {
    await this.launch()
    return this.handlers
  }

  /** From now on emits state events and restarts the process after a crash. */
  serve(): void {
    this.serving = true
    if (this.worker?.alive !== true) this.restartLater()
    this.tell()
  }

  async dispatch(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void> {
    const worker = this.worker?.alive === true ? this.worker : await this.ready()
    await worker.dispatch(request, response, context)
  }

  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, context: RequestContext): Promise<void> {
    await (await this.ready()).upgrade(request, socket, head, context)
  }

  async scheduled(event: ScheduledEvent): Promise<ScheduledResult> {
    try {
      return await (await this.ready()).scheduled(event)
    } catch (error) {
      return { outcome: 'lost', wallMs: 0, cpuMs: null, error: error instanceof Error ? error.message : String(error) }
    }
  }

  state(): HostedState {
    const running = this.worker?.alive === true
    return {
      name: this.spec.name,
      version: this.spec.version,
      state: this.retired ? 'stopped' : running ? 'running' : 'restarting',
      restarts: this.restarts,
      lastExit: this.lastExit,
      stats: this.worker?.stats() ?? null,
    }
  }

  /** Stops the worker permanently. Waits for requests and background work, up to `drainMs` (ms). */
  async retire(drainMs: number): Promise<void> {
    this.retired = true
    clearTimeout(this.restartTimer)
    this.wake()
    await this.starting?.catch(() => undefined)
    const worker = this.worker
    if (worker === undefined) return
    if (drainMs > 0) await worker.drain(drainMs)
    await worker.dispose()
    if (this.serving) this.tell()
  }

  private async ready(): Promise<RunningWorker> {
    const deadline = performance.now() + this.options.restartPatienceMs
    for (;;) {
      if (this.worker?.alive === true) return this.worker
      const left = deadline - performance.now()
      if (left <= 0 || this.retired) {
        const why = this.lastExit === null ? '' : ` ${this.lastExit.detail}`
        throw new ServiceError('worker_unavailable', `The worker "${this.spec.name}" is restarting.${why}`, {
          retryAfter: 1,
        })
      }
      await this.change(left)
    }
  }

  private change(atMostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        this.waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, atMostMs)
      this.waiting.add(done)
    })
  }

  private wake(): void {
    for (const done of this.waiting) done()
  }

  private launch(): Promise<void> {
    const { name, version } = this.spec
    const { runtime, events, clock } = this.options
    let self: RunningWorker | undefined
    this.starting = runtime
      .start(this.spec, {
        log: (line) => events.log(name, line),
        request: (outcome) => events.request(name, version, outcome),
        exit: (exit) => this.onExit(exit, self),
      })
      .then((worker) => {
        self = worker
        this.worker = worker
        this.handlers = worker.handlers
        this.startedAt = clock.now()
        this.wake()
      })
      .finally(() => (this.starting = undefined))
    return this.starting
  }

  private onExit(exit: WorkerExit, from: RunningWorker | undefined): void {
    // Ignores the exit of a process that failed to start, because the promise of the start rejects with a better error.
    if (from === undefined || from !== this.worker || this.retired) return
    this.lastExit = exit
    const { name, version } = this.spec
    const { events, clock } = this.options
    events.log(name, { time: clock.now(), level: 'system', message: exit.detail, version })
    if (clock.now() - this.startedAt >= healthyMs) this.inARow = 0
    if (this.serving) this.restartLater()
  }

  private restartLater(): void {
    if (this.retired) return
    const delays = this.options.restartDelaysMs
    const delay = delays[Math.min(this.inARow, delays.length - 1)] ?? 0
    this.inARow++
    this.tell()
    clearTimeout(this.restartTimer)
    this.restartTimer = setTimeout(() => void this.restart(), delay)
  }

  private async restart(): Promise<void> {
    if (this.retired) return
    this.restarts++
    try {
      await this.launch()
      if (this.worker?.alive === true) this.tell()
      else this.restartLater()
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error)
      this.lastExit = { reason: 'crashed', detail }
      const { events, clock } = this.options
      events.log(this.spec.name, { time: clock.now(), level: 'system', message: detail, version: this.spec.version })
      this.restartLater()
    }
  }

  private tell(): void {
    this.options.events.state?.(this.state())
  }
}
