// Implements WorkerRuntime with workerd on this machine: one process per version, plus one per scheduled run.
import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { Clock } from '../../../base/clock.ts'
import { ServiceError } from '../../../base/errors/service-error.ts'
import type {
  RunningWorker,
  RuntimeState,
  ScheduledEvent,
  ScheduledResult,
  WorkerEvents,
  WorkerRuntime,
  WorkerVersionSpec,
} from '../worker-runtime.ts'
import type { ConfinementMode } from '../confinement-modes.ts'
import { copyOf, findWorkerd } from './process/binary.ts'
import type { EgressPolicy } from './traffic/egress.ts'
import { exceptionIn, limitLines, parseLogLine } from './process/log-lines.ts'
import { startProcess } from './process/process.ts'
import { WorkerdWorker } from './process/running.ts'
import { chooseConfinement, type Confinement } from './confinement/confinement.ts'
import { traceMapper, type TraceMapper } from './process/source-map.ts'
import { StartFailed } from './process/start-watch.ts'
import { createRoot, sweepOrphans } from './confinement/sweep.ts'
import { openUsers, type Users } from './confinement/users.ts'

export interface WorkerdRuntimeOptions {
  readonly clock: Clock
  readonly egress: Omit<EgressPolicy, 'onRefused'>
  /** Confinement mode; default `auto`, the strictest mode that works. */
  readonly confinement?: 'auto' | ConfinementMode
  /** Path of the workerd executable. Default: the installed one. null: there is none. */
  readonly binary?: string | null
  readonly startTimeoutMs?: number
  /** Called with each line that workerd itself prints, for the operator's log. */
  readonly onRuntimeLine?: (worker: string, line: string) => void
}

interface RuntimeBase {
  readonly binary: string
  readonly confinement: Confinement
  readonly root: string
  /** null if worker processes run as the user of the service. */
  readonly users: Users | null
}

const defaultStartMs = 10_000

export function createWorkerdRuntime(options: WorkerdRuntimeOptions): WorkerRuntime {
  return new WorkerdRuntime(options)
}

class WorkerdRuntime implements WorkerRuntime {
  private readonly options: WorkerdRuntimeOptions
  private readonly live = new Set<WorkerdWorker>()
  private readonly starting = new Set<Promise<unknown>>()
  private ground: Promise<RuntimeBase> | undefined
  private count = 0
  private closed = false

  constructor(options: WorkerdRuntimeOptions) {
    this.options = options
  }

  async state(): Promise<RuntimeState> {
    try {
      const { confinement } = await this.prepare()
      return { available: true, detail: confinement.detail }
    } catch (error) {
      return { available: false, detail: error instanceof Error ? error.message : String(error) }
    }
  }

  start(spec: WorkerVersionSpec, events: WorkerEvents): Promise<RunningWorker> {
    return this.launch(spec, events)
  }

  async runOnce(
    spec: WorkerVersionSpec,
    event: ScheduledEvent,
    events: Pick<WorkerEvents, 'log'>,
  ): Promise<ScheduledResult> {
    const startedAt = performance.now()
    const log: WorkerEvents['log'] = (line) => events.log({ ...line, runId: event.runId })
    try {
      const worker = await this.launch(spec, { log, request: () => undefined, exit: () => undefined })
      const result = await worker.scheduled(event)
      await worker.dispose()
      return result
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error)
      return { outcome: 'lost', wallMs: performance.now() - startedAt, cpuMs: null, error: detail }
    }
  }

  async close(): Promise<void> {
    this.closed = true
    await Promise.allSettled(this.starting)
    await Promise.all([...this.live].map((worker) => worker.dispose()))
    const ground = await this.ground?.catch(() => undefined)
    if (ground !== undefined) await rm(ground.root, { recursive: true, force: true })
  }

  private prepare(): Promise<RuntimeBase> {
    this.ground ??= this.findGround()
    return this.ground
  }

  private async findGround(): Promise<RuntimeBase> {
    const installed = this.options.binary === undefined ? findWorkerd() : this.options.binary
    if (installed === null) throw new Error('The workerd binary is not installed (the optional dependency "workerd").')
    await sweepOrphans()
    const root = await createRoot()
    try {
      const mode = this.options.confinement ?? 'auto'
      const chosen = await chooseConfinement(mode, installed, () => copyOf(installed, root))
      return { root, ...chosen, users: chosen.confinement.ownUsers ? await openUsers() : null }
    } catch (error) {
      await rm(root, { recursive: true, force: true })
      throw error
    }
  }

  private async launch(spec: WorkerVersionSpec, events: WorkerEvents): Promise<WorkerdWorker> {
    const starting = this.startWorker(spec, events)
    this.starting.add(starting)
    try {
      return await starting
    } finally {
      this.starting.delete(starting)
    }
  }

  private async startWorker(spec: WorkerVersionSpec, events: WorkerEvents): Promise<WorkerdWorker> {
    if (this.closed) throw new ServiceError('shutting_down', 'The worker host is shutting down.')
    const ground = await this.prepare().catch((error: unknown) => {
      throw new ServiceError('worker_unavailable', `No worker can run here: ${String(error)}`, { cause: error })
    })
    // The pool is imported when the first worker starts, so that a service without workers does not load undici.
    const { createPool } = await import('./traffic/pool.ts')
    const map = traceMapper(spec.sourceMap)
    const user = (await ground.users?.claim()) ?? null
    const limit = limitLines(
      spec.version,
      () => this.options.clock.now(),
      (line) => events.log(line),
    )
    try {
      const process = await startProcess({
        spec,
        binary: ground.binary,
        confinement: ground.confinement,
        user: user?.id ?? null,
        folder: path.join(ground.root, String(++this.count)),
        startTimeoutMs: this.options.startTimeoutMs ?? defaultStartMs,
        egress: { ...this.options.egress, onRefused: (detail) => limit.log(this.systemLine(spec, detail)) },
        onLine: (line, from) => {
          if (!limit.takes(line.length)) return
          const context = { version: spec.version, now: this.options.clock.now(), map }
          const parsed = from === 'stdout' ? parseLogLine(line, context) : exceptionIn(line, context)
          if (parsed !== undefined) events.log(parsed)
          else if (from === 'stderr') this.options.onRuntimeLine?.(spec.name, line)
        },
      })
      const worker = new WorkerdWorker(spec, process, events, map, createPool(process.httpSocket))
      this.live.add(worker)
      worker
        .exited()
        .finally(() => this.live.delete(worker))
        .then(async () => {
          limit.flush()
          await process.removed
          await user?.release()
        })
        .catch((error: unknown) =>
          this.options.onRuntimeLine?.(spec.name, `The end was not in order: ${String(error)}`),
        )
      return await this.checked(worker)
    } catch (error) {
      await user?.release()
      throw startProblem(spec, error, map)
    }
  }

  /**
   * Asks the control worker for the handlers of the worker. Resolves when it has reported them; otherwise disposes of the process and
   * rejects.
   */
  private async checked(worker: WorkerdWorker): Promise<WorkerdWorker> {
    const handlers = await worker.describe().catch(async (error: unknown) => {
      await worker.dispose()
      throw error
    })
    if (handlers.fetch || handlers.scheduled) return worker
    await worker.dispose()
    throw new StartFailed('The default export has neither a fetch nor a scheduled handler.', '')
  }

  private systemLine(spec: WorkerVersionSpec, message: string) {
    return { time: this.options.clock.now(), level: 'system', message, version: spec.version } as const
  }
}

function startProblem(spec: WorkerVersionSpec, error: unknown, map: TraceMapper): unknown {
  if (error instanceof ServiceError) return error
  const words = error instanceof StartFailed ? authorError(error.stderrTail) : ''
  const reason = error instanceof Error ? error.message : String(error)
  const detail = words === '' ? reason : map(words)
  return new ServiceError('worker_start_failed', `Version ${spec.version} of "${spec.name}" did not start: ${detail}`, {
    hint: 'The version that was serving before keeps serving.',
    cause: error,
  })
}

/**
 * Returns the error in the worker author's code from the output of workerd, without prefixes such as `service user: `, and without what
 * workerd then says about the host's own workers, which cannot find the author's.
 */
function authorError(lastWords: string): string {
  const lines = lastWords
    .split('\n')
    .filter((line) => !/bootstrap compile cache|binding "WORKER" refers to service|^\s*$/.test(line))
  return lines
    .map((line) => line.replace(/^service \w+: /, '').replace(/^workerd\/.*?: /, ''))
    .join('\n')
    .slice(0, 4_000)
}
