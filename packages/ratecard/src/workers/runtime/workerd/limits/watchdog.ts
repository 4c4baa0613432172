// Enforces the CPU and memory limits of a process from outside. workerd has no limits of its own, and a worker in an endless loop reacts
// only to SIGKILL. Decides when a process must end; the caller ends it.
import { CpuBudget } from './budget.ts'
import type { Readings } from './readings.ts'
import type { WorkerLimits } from '../../worker-runtime.ts'

export interface WatchdogOptions {
  readonly limits: Pick<WorkerLimits, 'cpuMs' | 'memoryMb'>
  readonly readings: Readings
  /** Sends a ping to the process and resolves when it responds. A rejection counts as no response. */
  readonly ping: () => Promise<void>
  /** Called once, when the process has exceeded a limit. */
  readonly onExceeded: (reason: 'exceeded_cpu' | 'exceeded_memory', detail: string) => void
}

export interface Invocation {
  /** Raises the CPU limit by that of one request, because a message on an open connection (e.g. a WebSocket) counts as a request. */
  extend(): void
  signOfLife(): void
  /**
   * Ends the invocation and returns its CPU time (ms); null if the system does not report it. CPU time is divided equally among concurrent
   * invocations.
   */
  end(): number | null
}

const idlePollMs = 1_000
const memoryPollMs = 25
/**
 * Maximum age (ms) of a reading of the CPU clock that is used again while several invocations are running. Reading the clock costs as much
 * as a short request.
 */
const maxReadingAgeMs = 5

export class Watchdog {
  private readonly options: WatchdogOptions
  private readonly budget: CpuBudget
  private readonly pollMs: number
  private timer: NodeJS.Timeout | undefined
  /** True while the CPU clock is read at short intervals. It starts as true, because the top-level code of the worker has just run. */
  private fast = true
  private done = false
  private lastPollAt = performance.now()
  private lastMemoryPollAt = 0
  private inFlight = 0
  /** CPU time (ms) of an invocation that has been running since the process started: the sum of all shares so far. */
  private shared = 0
  private sharedAt: number
  /** True if the system reports CPU time. After the process has ended, the last reading is used. */
  private readonly known: boolean
  private readAt = -Infinity

  constructor(options: WatchdogOptions) {
    this.options = options
    const cpuMs = options.readings.cpuMs()
    this.known = cpuMs !== null
    this.sharedAt = cpuMs ?? 0
    this.budget = new CpuBudget(options.limits.cpuMs, this.sharedAt)
    this.pollMs = Math.min(50, Math.max(5, options.limits.cpuMs / 10))
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
    if (this.inFlight > 1 && now - this.readAt < maxReadingAgeMs) return this.sharedAt
    const cpuMs = this.options.readings.cpuMs()
    if (cpuMs === null) return null
    this.readAt = now
    if (this.inFlight > 0) this.shared += (cpuMs - this.sharedAt) / this.inFlight
    this.sharedAt = cpuMs
    return cpuMs
  }

  private speedUp(): void {
    this.fast = true
    this.lastPollAt = performance.now()
    this.schedule()
  }

  private schedule(): void {
    clearTimeout(this.timer)
    if (this.done) return
    this.timer = setTimeout(() => this.poll(), this.fast ? this.pollMs : idlePollMs)
    this.timer.unref()
  }

  private poll(): void {
    const now = performance.now()
    const cpuMs = this.options.readings.cpuMs()
    if (cpuMs !== null) {
      const verdict = this.budget.look(cpuMs, now - this.lastPollAt)
      if (verdict === 'exceeded') {
        this.exceeded('exceeded_cpu', cpuDetail(this.options.limits.cpuMs))
        return
      }
      if (verdict === 'ping') this.ping()
      this.fast = verdict !== 'idle'
    }
    this.lastPollAt = now
    if (!this.fast || now - this.lastMemoryPollAt >= memoryPollMs) {
      this.lastMemoryPollAt = now
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
  return `The worker used more than ${cpuMs} ms of CPU time for one invocation (limits.cpu_ms of its manifest).`
}

export function memoryDetail(usedMb: number, limitMb: number): string {
  return `The worker used ${Math.ceil(usedMb)} MB of memory; ${limitMb} MB are allowed.`
}
