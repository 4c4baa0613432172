// Enforces CPU and memory limits from outside: the runtime has none of its own, and a looping isolate listens to nothing
// but SIGKILL. Decides when a process has to end; ending it is the caller's act.
import { CpuBudget } from './budget.ts'
import type { Readings } from './readings.ts'
import type { WorkerLimits } from '../../worker-runtime.ts'

export interface WatchdogOptions {
  readonly limits: Pick<WorkerLimits, 'cpuMs' | 'memoryMb'>
  readonly readings: Readings
  /** Resolves when the process answers; its failure counts as silence. */
  readonly ping: () => Promise<void>
  /** Called once, at the moment a limit is passed. */
  readonly onExceeded: (reason: 'exceeded_cpu' | 'exceeded_memory', detail: string) => void
}

export interface Invocation {
  /** A message on an open connection. */
  extend(): void
  signOfLife(): void
  /** The CPU time that fell to the invocation, shared equally among those in flight; null where the system does not tell. */
  end(): number | null
}

export interface Watchdog {
  begin(): Invocation
  stop(): void
}

const idleLookMs = 1_000
const memoryLookMs = 25
/** A look at the CPU clock costs as much as a short request does: among many, one now and then has to do. */
const freshMs = 5

export function startWatchdog(options: WatchdogOptions): Watchdog {
  return new ProcessWatchdog(options)
}

class ProcessWatchdog implements Watchdog {
  private readonly options: WatchdogOptions
  private readonly budget: CpuBudget
  private readonly lookMs: number
  private timer: NodeJS.Timeout | undefined
  /** From its first instant: its top level has just run. */
  private fast = true
  private done = false
  private lastLook = performance.now()
  private lastMemoryLook = 0
  private inFlight = 0
  /** CPU time each invocation in flight has been given so far, had it been there from the start. */
  private shared = 0
  private sharedAt: number
  /** Whether the system tells at all; once the process is gone, what it told last counts. */
  private readonly known: boolean
  private readAt = -Infinity

  constructor(options: WatchdogOptions) {
    this.options = options
    const cpuMs = options.readings.cpuMs()
    this.known = cpuMs !== null
    this.sharedAt = cpuMs ?? 0
    this.budget = new CpuBudget(options.limits.cpuMs, this.sharedAt)
    this.lookMs = Math.min(50, Math.max(5, options.limits.cpuMs / 10))
    this.schedule()
  }

  begin(): Invocation {
    const cpuMs = this.share()
    const start = this.shared
    this.budget.begin(cpuMs ?? 0)
    this.inFlight++
    if (!this.fast) this.speedUp()
    let ended = false
    return {
      extend: () => this.budget.extend(),
      signOfLife: () => this.budget.signOfLife(),
      end: () => {
        if (ended) return null
        ended = true
        this.share()
        this.inFlight--
        this.budget.end()
        this.budget.signOfLife()
        return this.known ? this.shared - start : null
      },
    }
  }

  stop(): void {
    this.done = true
    clearTimeout(this.timer)
  }

  private share(): number | null {
    const now = performance.now()
    if (this.inFlight > 1 && now - this.readAt < freshMs) return this.sharedAt
    const cpuMs = this.options.readings.cpuMs()
    if (cpuMs === null) return null
    this.readAt = now
    if (this.inFlight > 0) this.shared += (cpuMs - this.sharedAt) / this.inFlight
    this.sharedAt = cpuMs
    return cpuMs
  }

  private speedUp(): void {
    this.fast = true
    this.lastLook = performance.now()
    this.schedule()
  }

  private schedule(): void {
    clearTimeout(this.timer)
    if (this.done) return
    this.timer = setTimeout(() => this.look(), this.fast ? this.lookMs : idleLookMs)
    this.timer.unref()
  }

  private look(): void {
    const now = performance.now()
    const cpuMs = this.options.readings.cpuMs()
    if (cpuMs !== null) {
      const verdict = this.budget.look(cpuMs, now - this.lastLook)
      if (verdict === 'exceeded') {
        this.exceeded('exceeded_cpu', cpuDetail(this.options.limits.cpuMs))
        return
      }
      if (verdict === 'ping') this.ping()
      this.fast = verdict !== 'idle'
    }
    this.lastLook = now
    if (!this.fast || now - this.lastMemoryLook >= memoryLookMs) {
      this.lastMemoryLook = now
      const { memoryMb } = this.options.limits
      const used = this.options.readings.memoryMb()
      if (used !== null && used > memoryMb) {
        this.exceeded('exceeded_memory', memoryDetail(used, memoryMb))
        return
      }
    }
    this.schedule()
  }

  private ping(): void {
    this.options.ping().then(
      () => this.budget.signOfLife(),
      () => undefined,
    )
  }

  private exceeded(reason: 'exceeded_cpu' | 'exceeded_memory', detail: string): void {
    this.stop()
    this.readAt = -Infinity
    this.share()
    this.options.onExceeded(reason, detail)
  }
}

export function cpuDetail(cpuMs: number): string {
  return `The worker used more than ${cpuMs} ms of CPU time for one invocation ([limits] cpu_ms in wrangler.toml).`
}

export function memoryDetail(usedMb: number, limitMb: number): string {
  return `The worker used ${Math.ceil(usedMb)} MB of memory; ${limitMb} MB are allowed.`
}
