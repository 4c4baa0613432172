/** Action for the watchdog after one reading of the CPU clock: nothing, keep watching, ping the process, or end it. */
export type BudgetState = 'idle' | 'watch' | 'ping' | 'exceeded'

/** Share of a core (30 %). A process that uses more between two readings is busy and gets pinged. */
const busyShare = 0.3
const quietShare = 0.05

/**
 * CPU limit of one process, without clocks and timers. It has two rules. First, while the process is busy, it may use one limit for each
 * invocation that began in that time; this stops loops that yield to the event loop. Second, without a sign of life it may use one limit in
 * total, however many requests are queued; this stops loops that block the event loop.
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

  /** Adds one CPU limit for a message on an open connection, as for a request. */
  extend(): void {
    if (this.windowStart !== null) this.begun++
  }

  end(): void {
    this.inFlight--
  }

  /** Records a sign of life: output of the worker or a ping response, which shows that its event loop is not blocked. */
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
      // No invocation is in flight, so this is background work after the last response. It gets the limit of one invocation.
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
