// What workers say, on its way to the store: gathered for a moment, written in batches, never more in memory than a bound,
// and what does not fit is counted and said. Reading for `follow` is here too, as ids decide what is new.
import type { Clock } from '../../clock.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { LogRecord, WorkerLogStore } from '../../store/worker-store.ts'
import type { RequestOutcome, WorkerLogLine } from './runtime.ts'

export interface LogBookOptions {
  readonly store: WorkerLogStore
  readonly clock: Clock
  /** Names this replica in ids, so that no two replicas make the same. */
  readonly instance: string
  readonly report: (error: unknown, what: string) => void
  readonly onDropped?: (lines: number) => void
}

const flushMs = 200
const flushLines = 500
const maxWaiting = 10_000
const maxMessage = 16_384
const requestsPerSecond = 100
const followMs = 400
/** A line may become visible later than one with a higher id, from another replica: new is what was not seen, not what is higher. */
const overlapMs = 5_000
const followLimit = 10_000

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** Sorts like the number; `length` digits. */
function sortable(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32)) text = alphabet.charAt(rest % 32) + text
  return text
}

/** Less than the id of every line that arrives at `time` or later. */
function idAt(time: number): string {
  return sortable(Math.max(0, time), 10)
}

export class LogBook {
  private readonly options: LogBookOptions
  private waiting: LogRecord[] = []
  private dropped = 0
  private count = 0
  private timer: NodeJS.Timeout | undefined
  private writing: Promise<void> = Promise.resolve()
  private readonly quiet = new Map<string, { second: number; logged: number; unlogged: number }>()

  constructor(options: LogBookOptions) {
    this.options = options
  }

  add(worker: string, line: WorkerLogLine): void {
    if (this.waiting.length >= maxWaiting) {
      this.dropped++
      this.options.onDropped?.(1)
      return
    }
    const { time, level, message, version, requestId, runId } = line
    this.waiting.push({
      id: this.newId(),
      worker,
      deploymentId: version,
      time,
      level,
      message: message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message,
      requestId: requestId ?? null,
      runId: runId ?? null,
    })
    if (this.waiting.length >= flushLines) void this.flush()
    else this.timer ??= setTimeout(() => void this.flush(), flushMs)
  }

  /** Failures always; what went well at most a hundred times a second, the rest as a number. */
  addRequest(worker: string, version: string, outcome: RequestOutcome): void {
    const time = this.options.clock.now()
    const second = Math.floor(time / 1_000)
    const quiet = this.quiet.get(worker) ?? { second, logged: 0, unlogged: 0 }
    this.quiet.set(worker, quiet)
    if (quiet.second !== second) {
      const { unlogged } = quiet
      Object.assign(quiet, { second, logged: 0, unlogged: 0 })
      if (unlogged > 0) {
        const message = `${String(unlogged)} more requests were answered within a second and are not listed.`
        this.add(worker, { time, level: 'system', message, version })
      }
    }
    const fine = outcome.outcome === 'ok'
    if (fine && quiet.logged >= requestsPerSecond) {
      quiet.unlogged++
      return
    }
    quiet.logged++
    this.add(worker, {
      time,
      level: fine || outcome.outcome === 'cancelled' ? 'info' : 'error',
      message: describeRequest(outcome),
      version,
      requestId: outcome.requestId,
    })
  }

  /** Writes what waits; after a failure it goes on waiting. */
  flush(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    this.writing = this.writing.then(() => this.write())
    return this.writing
  }

  async close(): Promise<void> {
    await this.flush()
    // Once more for what the first write had to say.
    await this.flush()
    clearTimeout(this.timer)
  }

  /** Lines that arrive from now on, of all replicas, until `signal` aborts. */
  async *follow(worker: string, signal: AbortSignal): AsyncGenerator<LogRecord> {
    const { store, clock } = this.options
    await this.flush()
    let from = clock.now()
    const seen = new Set<string>()
    const unseen = async () => {
      const at = clock.now()
      const after = idAt(from - overlapMs)
      const lines = await store.list(worker, { limit: followLimit, after })
      from = at
      for (const id of seen) if (id < after) seen.delete(id)
      const fresh = lines.filter((line) => !seen.has(line.id))
      for (const line of fresh) seen.add(line.id)
      return fresh
    }
    await unseen()
    for (;;) {
      await pause(followMs, signal)
      if (signal.aborted) return
      yield* await unseen()
    }
  }

  private newId(): string {
    this.count = (this.count + 1) % 32 ** 5
    // The count keeps lines of one millisecond in their order; it starts anew only after thirty million lines.
    return `${idAt(this.options.clock.now())}${sortable(this.count, 5)}${this.options.instance}`
  }

  private async write(): Promise<void> {
    const lines = this.waiting
    if (lines.length === 0) return
    this.waiting = []
    try {
      await this.options.store.add(lines)
    } catch (error) {
      this.options.report(error, 'worker logs')
      // Another failure than an absent database would come again with the same lines.
      const room = isUnavailable(error) ? maxWaiting - this.waiting.length : 0
      const lost = Math.max(0, lines.length - room)
      this.dropped += lost
      if (lost > 0) this.options.onDropped?.(lost)
      this.waiting = [...lines.slice(lost), ...this.waiting]
      if (this.waiting.length === 0) return
      this.timer ??= setTimeout(() => void this.flush(), 1_000)
      return
    }
    this.tellDropped(lines.at(-1))
  }

  private tellDropped(last: LogRecord | undefined): void {
    if (this.dropped === 0 || last === undefined) return
    const message = `${String(this.dropped)} log lines could not be stored.`
    this.dropped = 0
    const { worker, deploymentId } = last
    this.add(worker, { time: this.options.clock.now(), level: 'system', message, version: deploymentId })
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'store_unavailable'
}

function describeRequest({ method, url, status, outcome, wallMs, cpuMs }: RequestOutcome): string {
  // What follows the question mark may hold secrets.
  const path = url.replace(/\?.*$/s, '')
  const cpu = cpuMs === null ? '' : `, ${cpuMs.toFixed(1)} ms CPU`
  return `${method} ${path} ${status === null ? '-' : String(status)} ${outcome} in ${wallMs.toFixed(1)} ms${cpu}`
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
}
