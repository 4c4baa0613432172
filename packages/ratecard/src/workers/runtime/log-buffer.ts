// Buffers log lines of workers and writes them to the store in batches. The buffer is bounded; dropped lines are counted and reported.
// `follow` reads new lines of all replicas from the store.
import type { Clock } from '../../base/clock.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { maxMessageLength, type RequestOutcome, type WorkerLogLine } from './worker-runtime.ts'
import type { LogBound, LogRecord } from '../../store/records/workers.ts'
import type { Store } from '../../store/store.ts'

export interface LogBufferOptions {
  readonly store: Pick<Store['workerLogs'], 'add' | 'list'>
  readonly clock: Clock
  /** Replica name. It is part of each line id, so that ids of two replicas never collide. */
  readonly instance: string
  readonly report: (error: unknown, what: string) => void
  readonly onDropped?: (lines: number) => void
}

/** Limit of stored lines per worker: the newest 20,000 lines, up to 32 MiB. */
export const logBound: LogBound = { lines: 20_000, bytes: 32 * 1024 * 1024 }

const flushMs = 200
const flushLines = 500
/**
 * Limits of the lines that are not yet written: per worker, and for all workers together. Each worker may have 64 KiB even if the other
 * workers have filled the shared limit.
 */
const waitingOfOne = { lines: 10_000, bytes: 4 * 1024 * 1024 }
const waitingOfAll = 32 * 1024 * 1024
const waitingAssured = 64 * 1024
/** Maximum size of one write, small enough not to delay other users of the database noticeably. */
const batch = { lines: 100, bytes: 256 * 1024 }
/** Estimated size (bytes) of a line's ids and times. */
const lineOverhead = 200
const requestsPerSecond = 100
const failuresPerSecond = 500
const followMs = 400
/**
 * Overlap (ms) of two consecutive reads of `follow`. A line of another replica may become visible after a line with a higher id. So whether
 * a line is new is decided by its id being unseen, not by being the highest.
 */
const overlapMs = 5_000
const followLimit = 5_000

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** Encodes a number as text of `length` characters that sorts in numeric order. */
function sortableNumber(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32)) text = alphabet.charAt(rest % 32) + text
  return text
}

/** Returns an id prefix that sorts before the ids of all lines created at `time` or later. */
function idAt(time: number): string {
  return sortableNumber(Math.max(0, time), 10)
}

/** Buffered lines of one worker, and the number of its dropped lines. */
interface PendingLines {
  lines: LogRecord[]
  bytes: number
  dropped: number
}

export class LogBuffer {
  private readonly options: LogBufferOptions
  private readonly workers = new Map<string, PendingLines>()
  private bytes = 0
  private count = 0
  private timer: NodeJS.Timeout | undefined
  private writing: Promise<void> = Promise.resolve()
  /** Write that has not started yet. It will include all lines that are added before it starts. */
  private next: Promise<void> | undefined
  private readonly quiet = new Map<string, { second: number; fine: number; failed: number; unlisted: number }>()

  constructor(options: LogBufferOptions) {
    this.options = options
  }

  add(worker: string, line: WorkerLogLine): void {
    const { time, level, message, version, requestId, runId } = line
    const record: LogRecord = {
      id: this.newId(),
      worker,
      deploymentId: version,
      time,
      level,
      message: message.length > maxMessageLength ? `${message.slice(0, maxMessageLength)}…` : message,
      requestId: requestId ?? null,
      runId: runId ?? null,
    }
    const waiting = this.waitingOf(worker)
    if (!this.hasRoom(waiting, sizeOf(record))) {
      this.lose(waiting, 1)
      return
    }
    waiting.lines.push(record)
    this.weigh(waiting, sizeOf(record))
    if (waiting.lines.length >= flushLines) void this.flush()
    else this.timer ??= setTimeout(() => void this.flush(), flushMs)
  }

  private waitingOf(worker: string): PendingLines {
    const waiting = this.workers.get(worker) ?? { lines: [], bytes: 0, dropped: 0 }
    this.workers.set(worker, waiting)
    return waiting
  }

  private hasRoom(waiting: PendingLines, bytes: number): boolean {
    const own = waiting.bytes + bytes
    if (waiting.lines.length >= waitingOfOne.lines || own > waitingOfOne.bytes) return false
    return this.bytes + bytes <= waitingOfAll || own <= waitingAssured
  }

  private weigh(waiting: PendingLines, bytes: number): void {
    waiting.bytes += bytes
    this.bytes += bytes
  }

  private lose(waiting: PendingLines, lines: number): void {
    waiting.dropped += lines
    this.options.onDropped?.(lines)
  }

  /**
   * Adds log lines for requests of a worker: at most 100 successful and 500 failed ones per second. All further requests are logged as one
   * line with their number.
   */
  addRequest(worker: string, version: string, outcome: RequestOutcome): void {
    const time = this.options.clock.now()
    const second = Math.floor(time / 1_000)
    const quiet = this.quiet.get(worker) ?? { second, fine: 0, failed: 0, unlisted: 0 }
    this.quiet.set(worker, quiet)
    if (quiet.second !== second) {
      const { unlisted } = quiet
      Object.assign(quiet, { second, fine: 0, failed: 0, unlisted: 0 })
      if (unlisted > 0) {
        const message = `${String(unlisted)} more requests were answered within a second and are not listed.`
        this.add(worker, { time, level: 'system', message, version })
      }
    }
    const kind = outcome.outcome === 'ok' ? 'fine' : 'failed'
    if (quiet[kind] >= (kind === 'fine' ? requestsPerSecond : failuresPerSecond)) {
      quiet.unlisted++
      return
    }
    quiet[kind]++
    this.add(worker, {
      time,
      level: kind === 'fine' || outcome.outcome === 'cancelled' ? 'info' : 'error',
      message: describeRequest(outcome),
      version,
      requestId: outcome.requestId,
    })
  }

  /** Writes the buffered lines, and resolves when they are written. If the store is unavailable, the lines stay buffered for a retry. */
  flush(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    this.next ??= this.writing.then(() => {
      this.next = undefined
      return this.write()
    })
    this.writing = this.next
    return this.next
  }

  async close(): Promise<void> {
    await this.flush()
    // Writes again if lines were added during the write or could not be written.
    for (let again = 0; again < 2 && this.workers.size > 0; again++) await this.flush()
    clearTimeout(this.timer)
  }

  /** Yields new log lines of a worker from all replicas, until `signal` is aborted. */
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
    // The counter orders lines of the same millisecond. It starts again at zero after 32^5 (33 million) lines.
    return `${idAt(this.options.clock.now())}${sortableNumber(this.count, 5)}${this.options.instance}`
  }

  /** Writes one batch per worker in turn until no lines are left. So a worker with many lines does not delay the others. */
  private async write(): Promise<void> {
    const left = new Map<string, LogRecord[]>()
    for (const [worker, waiting] of this.workers) {
      if (waiting.lines.length > 0) left.set(worker, waiting.lines)
      waiting.lines = []
      this.weigh(waiting, -waiting.bytes)
    }
    while (left.size > 0) {
      for (const [worker, lines] of left) {
        const some = firstBatch(lines)
        let version = some.at(-1)?.deploymentId ?? null
        try {
          await this.options.store.add(some, logBound)
        } catch (error) {
          this.options.report(error, 'worker logs')
          if (isUnavailable(error)) {
            this.waitAgain(left)
            return
          }
          // Drops the lines. The database is available, so writing the same lines would fail again.
          this.lose(this.waitingOf(worker), some.length)
          version = null
        }
        if (some.length < lines.length) {
          left.set(worker, lines.slice(some.length))
          continue
        }
        left.delete(worker)
        if (version !== null) this.reportDropped(worker, version)
      }
    }
  }

  private reportDropped(worker: string, version: string): void {
    const { dropped, lines } = this.waitingOf(worker)
    if (lines.length === 0) this.workers.delete(worker)
    if (dropped === 0) return
    this.waitingOf(worker).dropped = 0
    const message = `${String(dropped)} log lines could not be stored.`
    this.add(worker, { time: this.options.clock.now(), level: 'system', message, version })
  }

  /** Puts unwritten lines back into the buffer, before the newer ones. If the buffer is full, drops the oldest lines. */
  private waitAgain(left: ReadonlyMap<string, LogRecord[]>): void {
    for (const [worker, lines] of left) {
      const waiting = this.waitingOf(worker)
      const kept: LogRecord[] = []
      for (const line of lines.toReversed()) {
        if (kept.length + waiting.lines.length >= waitingOfOne.lines || !this.hasRoom(waiting, sizeOf(line))) break
        kept.push(line)
        this.weigh(waiting, sizeOf(line))
      }
      waiting.lines = [...kept.reverse(), ...waiting.lines]
      if (kept.length < lines.length) this.lose(waiting, lines.length - kept.length)
    }
    this.timer ??= setTimeout(() => void this.flush(), 1_000)
  }
}

function sizeOf({ message }: LogRecord): number {
  return message.length + lineOverhead
}

function firstBatch(lines: readonly LogRecord[]): readonly LogRecord[] {
  let bytes = 0
  const end = lines.findIndex(
    (line, index) => index >= batch.lines || ((bytes += sizeOf(line)) > batch.bytes && index > 0),
  )
  return end < 0 ? lines : lines.slice(0, end)
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'store_unavailable'
}

function describeRequest({ method, url, status, outcome, wallMs, cpuMs }: RequestOutcome): string {
  // Removes the query string, because it may contain secrets.
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
