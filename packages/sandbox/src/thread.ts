// Runs the sandbox in a worker thread, so that it cannot block or crash the program around it. A crash or hang of the thread is reported.
// The thread is then terminated if necessary, and restarted on the same port with the same folder.
import { Worker } from 'node:worker_threads'
import type { FromThread, StartFailure, ThreadOptions, ToThread } from './messages.ts'
import { StateUnavailable } from './store/state-unavailable.ts'

export { StateUnavailable } from './store/state-unavailable.ts'

export interface SandboxThread {
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

export interface SandboxThreadOptions extends ThreadOptions {
  /** Called with one line per crash, hang or restart. */
  readonly log: (line: string) => void
  /**
   * Called when the clock of the account `clockOf` has moved, also at the start. The clock goes on when the promise resolves, and stops at
   * the returned time (epoch seconds) at the latest; null: it need not stop.
   */
  readonly onClockMoved?: (aheadSeconds: number) => Promise<number | null>
  /** Entry file of the thread. Default: `thread-main`. Only tests of the restart logic set another file. */
  readonly entry?: URL
  readonly timings?: Partial<typeof defaultTimings>
}

const defaultTimings = {
  /** Interval (ms) of the liveness checks. */
  pollIntervalMs: 2000,
  /** Maximum time (ms) without a message from the thread. After that the thread counts as hung and is terminated. */
  hangTimeoutMs: 15_000,
  /** Delay (ms) before the first restart. It doubles with each further restart (at most 30 s), and is reset after a minute of uptime. */
  initialBackoffMs: 200,
  maxBackoffMs: 30_000,
  resetBackoffAfterMs: 60_000,
  closeTimeoutMs: 4000,
}

/**
 * Memory limits of the thread, larger than the tests need for their largest shop. If the thread exceeds them, only the thread crashes and
 * not the process.
 */
const heap = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 16 }

// Tests run the sources (`.ts`), installations run the build (`.js`).
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
const ownEntry = new URL(`./thread-main.${extension}`, import.meta.url)

/**
 * Starts the sandbox in a thread. Rejects like `startSandbox` if the first start fails. Later crashes are reported, and the thread is
 * restarted.
 */
export async function startSandboxThread(options: SandboxThreadOptions): Promise<SandboxThread> {
  const thread = new SandboxSupervisor(options)
  const { url, port } = await thread.start()
  return { url, port, close: () => thread.close() }
}

interface Listening {
  readonly url: string
  readonly port: number
}

class SandboxSupervisor {
  readonly #options: SandboxThreadOptions
  readonly #timings: typeof defaultTimings
  #port: number
  #worker: Worker | null = null
  #closing = false
  #failures = 0
  #timers: NodeJS.Timeout[] = []

  constructor(options: SandboxThreadOptions) {
    this.#options = options
    this.#timings = { ...defaultTimings, ...options.timings }
    this.#port = options.port
  }

  start(): Promise<Listening> {
    const { entry = ownEntry, log: _log, timings: _timings, onClockMoved, ...given } = this.#options
    const plain: ThreadOptions = { ...given, port: this.#port }
    const worker = new Worker(entry, { workerData: plain, resourceLimits: heap, name: 'sandbox' })
    this.#worker = worker
    return new Promise((resolve, reject) => {
      let listening = false
      let reason = 'it exited without an error'
      worker.on('message', (message: FromThread) => {
        if (message.kind === 'log') this.#options.log(message.line)
        if (message.kind === 'failed') reject(toError(message.failure))
        if (message.kind === 'moved')
          void (onClockMoved?.(message.aheadSeconds) ?? Promise.resolve(null))
            .catch((error: unknown) => {
              this.#options.log(`sandbox: the clock goes on although its follower failed: ${String(error)}`)
              return null
            })
            .then((nextStop) => send(worker, { kind: 'followed', move: message.move, nextStop }))
        if (message.kind !== 'listening') return
        listening = true
        this.#port = message.port
        this.#watch(worker, (why) => (reason = why))
        resolve(message)
      })
      worker.on('error', (error: Error) => (reason = error.stack ?? error.message))
      worker.on('exit', () => {
        this.#stopTimers()
        if (!listening) reject(new Error(`The sandbox did not start: ${reason}`))
        else if (!this.#closing) this.#restartSoon(reason)
      })
    })
  }

  /** Polls the thread and terminates it if it hangs. It is restarted after its exit. */
  #watch(worker: Worker, because: (reason: string) => void): void {
    const { pollIntervalMs, hangTimeoutMs, resetBackoffAfterMs } = this.#timings
    let lastMessageAt = performance.now()
    let lastPollAt = lastMessageAt
    worker.on('message', () => (lastMessageAt = performance.now()))
    const ask = setInterval(() => {
      const now = performance.now()
      // If this process itself was suspended (laptop asleep, debugger), do not count that time as silence of the thread.
      if (now - lastPollAt > 2 * pollIntervalMs) lastMessageAt = now
      lastPollAt = now
      if (now - lastMessageAt > hangTimeoutMs) {
        because(`it did not respond for ${Math.round((now - lastMessageAt) / 1000)} s`)
        void worker.terminate()
        return
      }
      send(worker, { kind: 'alive?' })
    }, pollIntervalMs)
    const steady = setTimeout(() => (this.#failures = 0), resetBackoffAfterMs)
    this.#timers = [ask.unref(), steady.unref()]
  }

  #restartSoon(reason: string): void {
    const { initialBackoffMs, maxBackoffMs } = this.#timings
    const wait = Math.min(maxBackoffMs, initialBackoffMs * 2 ** this.#failures++)
    this.#options.log(`sandbox: stopped, restarting in ${wait} ms: ${reason}`)
    const timer = setTimeout(() => {
      this.start().catch((error: unknown) => {
        if (!this.#closing) this.#restartSoon(error instanceof Error ? error.message : String(error))
      })
    }, wait)
    this.#timers = [timer.unref()]
  }

  #stopTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers = []
  }

  async close(): Promise<void> {
    this.#closing = true
    this.#stopTimers()
    const worker = this.#worker
    if (worker === null || worker.threadId < 0) return
    const gone = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    send(worker, { kind: 'close' })
    const forceTimer = setTimeout(() => void worker.terminate(), this.#timings.closeTimeoutMs)
    await gone
    clearTimeout(forceTimer)
  }
}

function send(worker: Worker, message: ToThread): void {
  worker.postMessage(message)
}

function toError({ name, message, code, hint }: StartFailure): Error {
  if (name === 'StateUnavailable') return new StateUnavailable(message, hint)
  const error = name === 'RangeError' ? new RangeError(message) : new Error(message)
  return code === undefined ? error : Object.assign(error, { code })
}
