// The workers of this replica. Reads from the store which versions are active. Starts a worker on its first request, replaces it after a
// deployment by another replica, and stops it when idle. Never decides which version is active.
import type { Clock } from '../../base/clock.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { specOf } from './deployment-spec.ts'
import type { ScheduledResult, WorkerVersionSpec } from './worker-runtime.ts'
import type { Candidate, ActiveWorker, Supervisor } from './supervisor.ts'
import type { RunRecord, WorkerRecord } from '../../store/records/workers.ts'
import type { Store } from '../../store/store.ts'

export interface ReplicaWorkersOptions {
  readonly store: Store['workers']
  readonly supervisor: Supervisor
  readonly clock: Clock
  /** Idle time (ms) after which a worker's process is stopped; the next request starts a new one. */
  readonly idleMs: number
  readonly pollMs: number
  readonly report: (error: unknown, what: string) => void
  /** Writes a message of the service to the log of the worker. */
  readonly say: (worker: string, deploymentId: string, message: string) => void
  /** Returns the base URL of the service; null until the service listens. */
  readonly serviceUrl: () => string | null
}

interface Member {
  record: WorkerRecord
  lastUsed: number
}

/** A failed start of the active version, with the time of the next retry. */
interface WorkerStartFailure {
  readonly deploymentId: string
  readonly detail: string
  readonly delayMs: number
  readonly until: number
}

const initialBackoffMs = 1_000
const maxBackoffMs = 30_000
const sweepMs = 5_000

export class ReplicaWorkers {
  private readonly options: ReplicaWorkersOptions
  private readonly members = new Map<string, Member>()
  private readonly hosts = new Map<string, string>()
  private readonly coming = new Map<string, Promise<ActiveWorker>>()
  private readonly failures = new Map<string, WorkerStartFailure>()
  private readonly outdated = new Set<string>()
  private sequence = -1
  /** Number of local changes (e.g. deployments). A list of workers is stale if this number has changed since the list was read. */
  private changes = 0
  private timer: NodeJS.Timeout | undefined
  private polling: Promise<void> = Promise.resolve()
  private closed = false
  private lastSweep = 0

  constructor(options: ReplicaWorkersOptions) {
    this.options = options
  }

  /** Loads the list of deployed workers. Resolves even if the store is unreachable. */
  async start(): Promise<void> {
    await this.poll()
  }

  workerAt(host: string): string | null {
    return this.hosts.get(host) ?? null
  }

  knows(name: string): boolean {
    return this.members.has(name)
  }

  /** Returns the running process of the worker at once, or a promise of its start if there is none. */
  live(name: string): ActiveWorker | Promise<ActiveWorker> {
    const member = this.members.get(name)
    if (member === undefined) throw notFound(name)
    member.lastUsed = this.options.clock.now()
    return this.options.supervisor.find(name) ?? this.bring(name)
  }

  /** Makes a newly activated version the serving version, with its process that already runs. */
  adopt(record: WorkerRecord, candidate: Candidate): void {
    this.changes++
    this.enter(record)
    this.failures.delete(record.name)
    this.outdated.delete(record.name)
    candidate.activate()
  }

  async drop(name: string): Promise<void> {
    this.changes++
    this.leave(name)
    await this.options.supervisor.remove(name)
  }

  /** Executes one scheduled run with the deployment that was active when the tick (the time at which the schedule fires) was claimed. */
  async runScheduled(run: RunRecord): Promise<ScheduledResult> {
    try {
      const { id: runId, scheduledTime, cron } = run
      const live = this.options.supervisor.find(run.worker)
      const spec = live?.spec.version === run.deploymentId ? live.spec : await this.load(run.worker, run.deploymentId)
      return await this.options.supervisor.runVersion(spec, { runId, scheduledTime, cron })
    } catch (error) {
      return { outcome: 'lost', wallMs: 0, cpuMs: null, error: messageOf(error) }
    }
  }

  async load(name: string, deploymentId: string): Promise<WorkerVersionSpec> {
    const content = await this.options.store.content(deploymentId)
    if (content === null) throw notFound(name)
    return specOf({ name, deploymentId }, content, this.options.serviceUrl())
  }

  /** Returns the state of a worker that has no running process: `starting`, `idle`, or `unavailable` with the reason. */
  stateOf(name: string): { readonly state: 'starting' | 'idle' | 'unavailable'; readonly detail: string | null } {
    if (this.coming.has(name)) return { state: 'starting', detail: null }
    const failure = this.failures.get(name)
    return failure === undefined ? { state: 'idle', detail: null } : { state: 'unavailable', detail: failure.detail }
  }

  /** Reads changes from the store now, e.g. a deployment by another replica. This also happens every `pollMs`. */
  poll(): Promise<void> {
    this.polling = this.polling
      .then(() => this.look())
      .catch((error: unknown) => this.options.report(error, 'workers of this replica'))
    return this.polling
  }

  async close(): Promise<void> {
    this.closed = true
    clearTimeout(this.timer)
    await this.polling
    await Promise.allSettled(this.coming.values())
  }

  private async look(): Promise<void> {
    clearTimeout(this.timer)
    if (this.closed) return
    try {
      await this.refresh()
    } catch (error) {
      this.options.report(error, 'list of workers')
    }
    if (!this.isClosed()) this.timer = setTimeout(() => void this.poll(), this.options.pollMs)
    for (const name of this.outdated) if (!this.resting(name)) void this.catchUp(name)
    this.sweep()
  }

  private isClosed(): boolean {
    return this.closed
  }

  private async refresh(): Promise<void> {
    const { store, supervisor } = this.options
    for (;;) {
      const { changes } = this
      const sequence = await store.changeSequence()
      if (sequence === this.sequence) return
      const records = await store.list()
      // The list may be stale, because a local change (e.g. a deployment) happened during the read. Read again.
      if (changes !== this.changes) continue
      this.sequence = sequence
      const present = new Set(records.map((record) => record.name))
      for (const name of this.members.keys()) {
        if (present.has(name)) continue
        this.leave(name)
        supervisor.remove(name).catch((error: unknown) => this.options.report(error, `end of the worker ${name}`))
      }
      for (const record of records) {
        this.enter(record)
        const live = supervisor.find(record.name)
        if (live !== undefined && live.spec.version !== record.deployment.id) this.outdated.add(record.name)
      }
      return
    }
  }

  private enter(record: WorkerRecord): void {
    const { name } = record
    for (const [host, owner] of this.hosts) if (owner === name) this.hosts.delete(host)
    for (const host of record.deployment.hosts) this.hosts.set(host, name)
    const member = this.members.get(name)
    if (member === undefined) this.members.set(name, { record, lastUsed: this.options.clock.now() })
    else member.record = record
  }

  private leave(name: string): void {
    this.members.delete(name)
    this.failures.delete(name)
    this.outdated.delete(name)
    for (const [host, owner] of this.hosts) if (owner === name) this.hosts.delete(host)
  }

  private async catchUp(name: string): Promise<void> {
    this.outdated.delete(name)
    try {
      await this.bring(name)
    } catch {
      // Ignores the error, because the worker's log contains it. The previous version keeps serving, and the start is retried.
      if (this.members.has(name) && this.options.supervisor.find(name) !== undefined) this.outdated.add(name)
    }
  }

  /** Starts the active version. Concurrent callers share one start. */
  private bring(name: string): Promise<ActiveWorker> {
    const present = this.coming.get(name)
    if (present !== undefined) return present
    const coming = this.bringUp(name).finally(() => this.coming.delete(name))
    this.coming.set(name, coming)
    return coming
  }

  private async bringUp(name: string): Promise<ActiveWorker> {
    const { supervisor } = this.options
    for (;;) {
      const member = this.members.get(name)
      if (member === undefined) {
        await supervisor.remove(name)
        throw notFound(name)
      }
      const { id } = member.record.deployment
      const live = supervisor.find(name)
      if (live?.spec.version === id) return live
      if (this.resting(name)) throw this.unavailable(name)
      try {
        await supervisor.deploy(await this.load(name, id))
        this.failures.delete(name)
      } catch (error) {
        // Ignores the failure if the version was replaced or removed while it started.
        if (this.members.get(name)?.record.deployment.id !== id) continue
        this.fail(name, id, messageOf(error))
        throw this.unavailable(name)
      }
    }
  }

  private resting(name: string): boolean {
    const failure = this.failures.get(name)
    const member = this.members.get(name)
    if (failure === undefined || failure.deploymentId !== member?.record.deployment.id) return false
    return this.options.clock.now() < failure.until
  }

  private fail(name: string, deploymentId: string, detail: string): void {
    const before = this.failures.get(name)
    const again = before?.deploymentId === deploymentId
    const delayMs = again ? Math.min(maxBackoffMs, before.delayMs * 2) : initialBackoffMs
    this.failures.set(name, { deploymentId, detail, delayMs, until: this.options.clock.now() + delayMs })
    this.options.say(name, deploymentId, detail)
  }

  private unavailable(name: string): ServiceError {
    const failure = this.failures.get(name)
    const retryAfter = Math.max(1, Math.ceil((failure?.delayMs ?? 0) / 1_000))
    return new ServiceError('worker_unavailable', `The worker "${name}" could not be started.`, {
      hint: 'The reason is in the worker’s logs.',
      retryAfter,
    })
  }

  private sweep(): void {
    const now = this.options.clock.now()
    if (now - this.lastSweep < sweepMs) return
    this.lastSweep = now
    for (const [name, member] of this.members)
      if (now - member.lastUsed >= this.options.idleMs) this.options.supervisor.rest(name)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export function notFound(name: string): ServiceError {
  return new ServiceError('worker_not_found', `No worker "${name}" is deployed.`, {
    hint: 'GET /api/v1/workers lists those that are.',
  })
}
