/** What to do after one look at the CPU clock. */
export type BudgetState = 'idle' | 'watch' | 'ping' | 'exceeded'

/** Above this share of a core between two looks, the worker is asked for a sign of life. */
const busyShare = 0.3
const quietShare = 0.05

/**
 * The CPU rule of one process, apart from clocks and timers. Two laws: a stretch of work may use the limit once for each
 * invocation begun in it (this catches loops that yield), and without any sign of life it may use the limit once in all
 * (this catches a loop that does not, however many requests wait behind it).
 */
export class CpuBudget {
  private readonly limitMs: number
  private inFlight = 0
  private begun = 0
  private windowStart: number | null = null
  private last: number
  private busyLooks = 0
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
    }
    this.begun++
    this.inFlight++
  }

  /** A message on an open connection is work asked for like a request. */
  extend(): void {
    if (this.windowStart !== null) this.begun++
  }

  end(): void {
    this.inFlight--
  }

  /** Something came out of the worker, or it answered a ping: it is not stuck in a loop. */
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
      // Background work after the last response: one invocation's worth of it.
      this.windowStart = before
      this.begun = 1
    }
    if (cpuMs - this.windowStart > this.limitMs * this.begun) return 'exceeded'
    if (this.inFlight === 0 && share < quietShare) return this.close()
    return this.silence(cpuMs, before, share)
  }

  private close(): BudgetState {
    this.windowStart = null
    this.silentSince = null
    this.busyLooks = 0
    this.alive = false
    return 'idle'
  }

  private silence(cpuMs: number, before: number, share: number): BudgetState {
    if (this.alive) {
      this.alive = false
      this.silentSince = null
      this.busyLooks = 0
    }
    this.busyLooks = share >= busyShare ? this.busyLooks + 1 : 0
    if (this.silentSince === null) {
      if (this.busyLooks === 0) return 'watch'
      this.silentSince = before
      return 'ping'
    }
    return cpuMs - this.silentSince > this.limitMs ? 'exceeded' : 'watch'
  }
}
