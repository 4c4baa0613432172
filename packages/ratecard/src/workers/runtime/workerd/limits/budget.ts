/** What the watchdog does after one reading of the CPU clock: nothing, keep watching, ping the process, or end it. */
export type BudgetState = 'idle' | 'watch' | 'ping' | 'exceeded'

/** Share of a CPU core (30 %). A process that uses more between two readings is busy and gets a ping. */
const busyShare = 0.3
const quietShare = 0.05
/**
 * Part of the CPU limit (a quarter) after which a process gets a ping even if it is not busy. On a loaded machine, a loop that blocks the
 * event loop may never get 30 % of a core.
 */
const partWithoutPing = 0.25

/**
 * CPU limit of one process, without clocks and timers. It consists of two rules. First, while the process is busy, it may use one limit for
 * each invocation that began in that time. This rule stops loops that let the event loop run. Second, without a sign of life (see
 * `signOfLife`) it may use one limit in total, no matter how many requests are queued. This rule stops loops that block the event loop.
 */
export class CpuBudget {
  private readonly limitMs: number
  private inFlight = 0
  private begun = 0
  private windowStart: number | null = null
  private last: number
  /** CPU time at the last sign of life, or when the window began. */
  private aliveAt = 0
  private silentSince: number | null = null
  private alive = false

  constructor(limitMs: number, cpuMs: number) {
    this.limitMs = limitMs
    this.last = cpuMs
  }

  begin(cpuMs: number): void {
    if (this.windowStart === null) {
      this.windowStart = cpuMs
      this.begun = 0
      this.last = cpuMs
      this.aliveAt = cpuMs
    }
    this.begun++
    this.inFlight++
  }

  /** Adds the CPU limit of one request, because a message on an open connection counts as a request. */
  extend(): void {
    if (this.windowStart !== null) this.begun++
  }

  end(): void {
    this.inFlight--
  }

  /** Records that the worker's event loop is not blocked, because the worker sent output or answered a ping. */
  signOfLife(): void {
    this.alive = true
  }

  look(cpuMs: number, elapsedMs: number): BudgetState {
    const used = cpuMs - this.last
    const before = this.last
    this.last = cpuMs
    const share = elapsedMs > 0 ? used / elapsedMs : 0
    if (this.windowStart === null) {
      if (share < busyShare) return 'idle'
      // No invocation is in progress, so the CPU time is used by background work after the last response. It gets the limit of one
      // invocation.
      this.windowStart = before
      this.aliveAt = before
      this.begun = 1
    }
    if (cpuMs - this.windowStart > this.limitMs * this.begun) return 'exceeded'
    if (this.inFlight === 0 && share < quietShare) return this.close()
    return this.silence(cpuMs, before, share)
  }

  private close(): BudgetState {
    this.windowStart = null
    this.silentSince = null
    this.alive = false
    return 'idle'
  }

  private silence(cpuMs: number, before: number, share: number): BudgetState {
    if (this.alive) {
      this.alive = false
      this.silentSince = null
      this.aliveAt = before
    }
    if (this.silentSince === null) {
      if (share < busyShare && cpuMs - this.aliveAt <= this.limitMs * partWithoutPing) return 'watch'
      this.silentSince = before
      return 'ping'
    }
    return cpuMs - this.silentSince > this.limitMs ? 'exceeded' : 'watch'
  }
}
