/** Action after one reading of the CPU clock. */
export type BudgetState = 'idle' | 'watch' | 'ping' | 'exceeded'

/** Share of a core (30 %) between two readings from which the worker is pinged. */
const busyShare = 0.3
const quietShare = 0.05

/**
 * CPU limit of one process, without clocks and timers. It has two rules. A busy window may use the limit once per invocation begun in it,
 * which stops loops that yield to the event loop. Without any sign of life a process may use the limit once in total, which stops loops
 * that block the event loop, however many requests are queued.
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

  /** Counts a message on an open connection like a request, with a CPU limit of its own. */
  extend(): void {
    if (this.windowStart !== null) this.begun++
  }

  end(): void {
    this.inFlight--
  }

  /** Records output of the worker or a ping response, which shows that its event loop is not blocked. */
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
      // Background work after the last response gets the limit of one invocation.
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
