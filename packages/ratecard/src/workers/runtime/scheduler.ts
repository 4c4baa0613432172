// Runs cron schedules. A tick is a time at which a schedule fires. Each due tick is claimed once across all replicas, and every run gets an
// outcome. due-runs.ts decides which ticks are due and which are missed. The callback `carryOut` executes a run.
import { planDue } from './due-runs.ts'
import type { ScheduledResult } from './worker-runtime.ts'
import type { NewRun, RunRecord } from '../../store/records/workers.ts'
import type { Store } from '../../store/store.ts'

export interface SchedulerOptions {
  readonly runs: Store['workerRuns']
  /** Returns the current time. A service uses the database clock, because clocks of replicas differ. */
  readonly time: () => Promise<number>
  /** Name of this replica. */
  readonly instance: string
  readonly newId: () => string
  /** Executes a scheduled run and resolves with its result; never rejects. */
  readonly carryOut: (run: RunRecord) => Promise<ScheduledResult>
  readonly onEnd?: (run: RunRecord, result: ScheduledResult) => void
  readonly report: (error: unknown, what: string) => void
}

const pollMs = 5_000
const heartbeatMs = 5_000
/** Time (ms) without a heartbeat after which a run counts as lost; four heartbeat intervals. */
export const staleMs = 20_000
/** Maximum number of ticks that a replica claims at once, so that replicas share a long queue of due ticks. */
const claimLimit = 200
const finishAttempts = 10
const retryMs = 1_000

export class Scheduler {
  private readonly options: SchedulerOptions
  private readonly running = new Map<string, Promise<void>>()
  private timer: NodeJS.Timeout | undefined
  private beatTimer: NodeJS.Timeout | undefined
  private ticking: Promise<void> = Promise.resolve()
  private stopped = true
  private lastLook = -Infinity

  constructor(options: SchedulerOptions) {
    this.options = options
  }

  start(): void {
    this.stopped = false
    this.beatTimer = setInterval(() => void this.beat(), heartbeatMs)
    this.beatTimer.unref()
    this.sleep(0)
  }

  /** Checks for due ticks now. Call it after schedules have changed. */
  wake(): void {
    if (!this.stopped) this.sleep(0)
  }

  /** Claims and starts all due runs. Returns the milliseconds until the next tick, or null if no tick is scheduled. */
  async tick(): Promise<number | null> {
    const { runs, instance, newId } = this.options
    const taken: RunRecord[] = []
    try {
      for (;;) {
        const now = await this.options.time()
        await this.expireStaleRuns(now)
        const plan = { instance, newId, limit: claimLimit }
        taken.push(...(await runs.claimDue(now, { ...plan, plan: (due) => planDue(due.cron, due.nextAt, now) })))
        const next = await runs.nextDue()
        if (next === null || next > now) return next === null ? null : next - now
      }
    } finally {
      // Starts the runs after all claims. Otherwise the outcomes of the first runs would be written to the database before the last claims.
      for (const run of taken) this.begin(run).catch((error: unknown) => this.options.report(error, 'cron run'))
    }
  }

  /**
   * Executes one run that a user requested, and resolves when it ends. The outcome is `skipped` if a run of the same cron expression is in
   * progress.
   */
  async trigger(run: Omit<NewRun, 'id' | 'scheduledTime'>): Promise<RunRecord> {
    const { runs, instance, newId } = this.options
    const now = await this.options.time()
    const claimed = await runs.claim({ ...run, id: newId(), scheduledTime: now }, instance, now)
    if (claimed.outcome !== 'running') return claimed
    await this.begin(claimed)
    return (await runs.find(claimed.id)) ?? claimed
  }

  /** Writes a heartbeat for all runs of this replica. */
  async beat(): Promise<void> {
    if (this.running.size === 0) return
    try {
      await this.options.runs.heartbeat(this.options.instance, await this.options.time())
    } catch (error) {
      this.options.report(error, 'cron heartbeat')
    }
  }

  /** Stops claiming ticks, waits up to `deadlineMs` for the current runs, and records the unfinished runs as lost. */
  async stop(deadlineMs: number): Promise<void> {
    this.stopped = true
    clearTimeout(this.timer)
    await this.ticking
    await waitAtMost(deadlineMs, Promise.all(this.running.values()))
    clearInterval(this.beatTimer)
    const error = 'The service stopped before the run ended.'
    const left = [...this.running.keys()]
    await Promise.all(left.map((id) => this.finish(id, { outcome: 'lost', wallMs: 0, cpuMs: null, error }, 1)))
  }

  /** Resolves when no run is in progress on this replica. */
  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running.values())
  }

  private sleep(ms: number): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      // Checks run one after the other. A wake-up during a check queues another check.
      this.ticking = this.ticking.then(() => this.pass())
    }, ms)
  }

  private async pass(): Promise<void> {
    if (this.stopped) return
    try {
      const wait = await this.tick()
      if (!this.isStopped()) this.sleep(Math.min(pollMs, Math.max(1, wait ?? pollMs)))
    } catch (error) {
      this.options.report(error, 'cron schedules')
      if (!this.isStopped()) this.sleep(retryMs)
    }
  }

  private isStopped(): boolean {
    return this.stopped
  }

  private async expireStaleRuns(now: number): Promise<void> {
    if (now - this.lastLook < heartbeatMs) return
    this.lastLook = now
    await this.options.runs.expireStaleRuns(now - staleMs, now)
  }

  private begin(run: RunRecord): Promise<void> {
    const done = this.carryOut(run).finally(() => this.running.delete(run.id))
    this.running.set(run.id, done)
    return done
  }

  private async carryOut(run: RunRecord): Promise<void> {
    const result = await this.options.carryOut(run)
    await this.finish(run.id, result, finishAttempts)
    this.options.onEnd?.(run, result)
  }

  /** Stores the outcome of a run, with retries, so that a short outage of the database does not lose it. */
  private async finish(id: string, result: ScheduledResult, attempts: number): Promise<void> {
    const { outcome, cpuMs } = result
    for (let attempt = 1; attempt <= attempts; attempt++) {
      try {
        await this.options.runs.finish(id, { outcome, error: result.error ?? null, cpuMs }, await this.options.time())
        return
      } catch (error) {
        this.options.report(error, 'outcome of a cron run')
        if (attempt < attempts) await new Promise((resolve) => setTimeout(resolve, retryMs))
      }
    }
  }
}

/** Resolves when `work` resolves, or after `ms` at the latest. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, deadline])
  clearTimeout(timer)
}
