// Manages the live version of each worker on this replica. Starts a candidate beside the running version, switches requests to it, drains
// the old version, and restarts crashed processes. Never decides which version to deploy, and stores nothing.
import { ServiceError } from '../../base/errors/service-error.ts'
import { HostedWorker } from './hosted-worker.ts'
import type {
  RunningWorker,
  RuntimeState,
  ScheduledEvent,
  ScheduledResult,
  WorkerHandlers,
  WorkerLogLine,
  WorkerVersionSpec,
} from './worker-runtime.ts'
import type { HostedState, SupervisorOptions } from './supervisor-options.ts'

/** The serving version of a worker. */
export type ActiveWorker = Pick<RunningWorker, 'dispatch' | 'upgrade' | 'spec'>

/** A version that is running and has reported its handlers, but gets no requests yet. */
export interface Candidate {
  readonly handlers: WorkerHandlers
  /** Sends requests to this version from now on. The previous version finishes its requests in the background. */
  activate(): void
  discard(): Promise<void>
}

const defaults = { drainMs: 30_000, maxRunProcesses: 32, restartPatienceMs: 2_000 }
const defaultDelaysMs = [0, 100, 500, 2_000, 5_000, 15_000, 30_000]

export class Supervisor {
  private readonly options: Required<SupervisorOptions>
  private readonly hosted = new Map<string, HostedWorker>()
  private readonly queues = new Map<string, Promise<unknown>>()
  private readonly retiring = new Set<Promise<void>>()
  private readonly waitingRuns: (() => void)[] = []
  private runProcesses = 0
  private closing = false

  constructor(options: SupervisorOptions) {
    this.options = { ...defaults, restartDelaysMs: defaultDelaysMs, ...options }
  }

  runtimeState(): Promise<RuntimeState> {
    return this.options.runtime.state()
  }

  /** Starts a version beside the serving one, which continues to serve. Rejects with `worker_start_failed` or `worker_unavailable`. */
  async prepare(spec: WorkerVersionSpec): Promise<Candidate> {
    if (this.closing) throw new ServiceError('shutting_down', 'The worker host is shutting down.')
    const next = new HostedWorker(spec, this.options)
    const handlers = await next.start()
    return { handlers, activate: () => this.activate(next), discard: () => next.retire(0) }
  }

  /** Starts a version and makes it live. Deployments of one name run one at a time. Does nothing if the version is already live. */
  deploy(spec: WorkerVersionSpec): Promise<WorkerHandlers> {
    return this.inTurn(spec.name, async () => {
      const live = this.hosted.get(spec.name)
      if (live?.spec.version === spec.version) return live.handlers
      const candidate = await this.prepare(spec)
      if (this.closing) {
        await candidate.discard()
        throw new ServiceError('shutting_down', 'The worker host is shutting down.')
      }
      candidate.activate()
      return candidate.handlers
    })
  }

  find(name: string): HostedWorker | undefined {
    return this.hosted.get(name)
  }

  states(): readonly HostedState[] {
    return [...this.hosted.values()].map((worker) => worker.state())
  }

  /** Executes one scheduled run with the live version; never rejects. */
  async runScheduled(name: string, event: ScheduledEvent): Promise<ScheduledResult> {
    const live = this.hosted.get(name)
    if (live === undefined) return { outcome: 'lost', wallMs: 0, cpuMs: null, error: `No worker "${name}" is live.` }
    return this.runVersion(live.spec, event)
  }

  /** Executes one scheduled run with the given version, live or not; never rejects. */
  async runVersion(spec: WorkerVersionSpec, event: ScheduledEvent): Promise<ScheduledResult> {
    if (this.runProcesses >= this.options.maxRunProcesses) {
      const live = this.hosted.get(spec.name)
      if (live?.spec.version === spec.version) return live.scheduled(event)
      await new Promise<void>((resolve) => this.waitingRuns.push(resolve))
    } else this.runProcesses++
    try {
      const log = (line: WorkerLogLine): void => this.options.events.log(spec.name, line)
      return await this.options.runtime.runOnce(spec, event, { log })
    } finally {
      // Passes the slot of this run to the next queued run.
      const next = this.waitingRuns.shift()
      if (next === undefined) this.runProcesses--
      else next()
    }
  }

  /**
   * Stops an idle worker. Requests that arrive in the meantime are still served. Returns false and does nothing if the worker is busy or
   * not live.
   */
  rest(name: string): boolean {
    const live = this.hosted.get(name)
    if (live === undefined || (live.state().stats?.inFlight ?? 0) > 0) return false
    this.hosted.delete(name)
    this.retire(live, this.options.drainMs)
    return true
  }

  /** Stops serving a worker at once, and resolves when its process has ended. */
  remove(name: string): Promise<void> {
    return this.inTurn(name, async () => {
      const live = this.hosted.get(name)
      this.hosted.delete(name)
      await live?.retire(0)
    })
  }

  /** Waits up to `deadlineMs` for the work of all workers, then ends every process. */
  async close(deadlineMs: number): Promise<void> {
    this.closing = true
    await Promise.allSettled(this.queues.values())
    for (const worker of this.hosted.values()) this.retire(worker, deadlineMs)
    this.hosted.clear()
    let timer: NodeJS.Timeout | undefined
    const deadline = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, deadlineMs)
    })
    await Promise.race([Promise.all(this.retiring), deadline])
    clearTimeout(timer)
    await this.options.runtime.close()
  }

  private activate(next: HostedWorker): void {
    const { name } = next.spec
    const old = this.hosted.get(name)
    this.hosted.set(name, next)
    next.serve()
    if (old !== undefined) this.retire(old, this.options.drainMs)
  }

  private retire(worker: HostedWorker, drainMs: number): void {
    const done = worker.retire(drainMs)
    this.retiring.add(done)
    const clear = (): void => void this.retiring.delete(done)
    done.then(clear, clear)
  }

  private inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.queues.get(name) ?? Promise.resolve()).then(work, work)
    this.queues.set(name, turn)
    const clear = (): void => {
      if (this.queues.get(name) === turn) this.queues.delete(name)
    }
    turn.then(clear, clear)
    return turn
  }
}
