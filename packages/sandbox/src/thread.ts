// Runs the sandbox in a thread of its own, so that nothing it does can hold up or end the program around it. A thread that
// crashes or stops answering is reported, ended, and started again on the same port with the same folder.
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
  /** What happened, in one line: crashes, hangs, restarts. */
  readonly log: (line: string) => void
  /** Another file to start, for tests of the supervision itself. */
  readonly entry?: URL
  readonly timings?: Partial<typeof defaultTimings>
}

const defaultTimings = {
  /** How often the thread is asked whether it lives. */
  askEveryMs: 2000,
  /** How long it may be silent. */
  silentForMs: 15_000,
  /** Wait before the first restart; twice as long before each further one, until it has run for a minute. */
  restartAfterMs: 200,
  longestWaitMs: 30_000,
  steadyAfterMs: 60_000,
  closeWithinMs: 4000,
}

/** More than the largest shop of the tests needs; a thread that wants more ends alone. */
const heap = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 16 }

// Sources are run as they are by tests, the build by everybody else.
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
const ownEntry = new URL(`./thread-main.${extension}`, import.meta.url)

/** Fails as `startSandbox` does when the first start fails; later failures are reported and tried again. */
export async function startSandboxThread(options: SandboxThreadOptions): Promise<SandboxThread> {
  const thread = new Supervised(options)
  const { url, port } = await thread.start()
  return { url, port, close: () => thread.close() }
}

interface Listening {
  readonly url: string
  readonly port: number
}

class Supervised {
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
    const { host, dataDir, deliverAnywhere, profile, portalSavedFor, entry = ownEntry } = this.#options
    const plain: ThreadOptions = {
      port: this.#port,
      dataDir,
      ...(host === undefined ? {} : { host }),
      ...(deliverAnywhere === undefined ? {} : { deliverAnywhere }),
      ...(profile === undefined ? {} : { profile }),
      ...(portalSavedFor === undefined ? {} : { portalSavedFor }),
    }
    const worker = new Worker(entry, { workerData: plain, resourceLimits: heap, name: 'sandbox' })
    this.#worker = worker
    return new Promise((resolve, reject) => {
      let listening = false
      let reason = 'it ended by itself'
      worker.on('message', (message: FromThread) => {
        if (message.kind === 'log') this.#options.log(message.line)
        if (message.kind === 'failed') reject(toError(message.failure))
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

  /** Ends a thread that is silent for too long; its exit starts the next one. */
  #watch(worker: Worker, because: (reason: string) => void): void {
    const { askEveryMs, silentForMs, steadyAfterMs } = this.#timings
    let heardAt = performance.now()
    let askedAt = heardAt
    worker.on('message', () => (heardAt = performance.now()))
    const ask = setInterval(() => {
      const now = performance.now()
      // A pause of this very process (a stopped machine, a debugger) is not the thread's silence.
      if (now - askedAt > 2 * askEveryMs) heardAt = now
      askedAt = now
      if (now - heardAt > silentForMs) {
        because(`it did not answer for ${Math.round((now - heardAt) / 1000)} s`)
        void worker.terminate()
        return
      }
      tell(worker, { kind: 'alive?' })
    }, askEveryMs)
    const steady = setTimeout(() => (this.#failures = 0), steadyAfterMs)
    this.#timers = [ask.unref(), steady.unref()]
  }

  #restartSoon(reason: string): void {
    const { restartAfterMs, longestWaitMs } = this.#timings
    const wait = Math.min(longestWaitMs, restartAfterMs * 2 ** this.#failures++)
    this.#options.log(`sandbox: ended and started again in ${wait} ms: ${reason}`)
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
    tell(worker, { kind: 'close' })
    const impatient = setTimeout(() => void worker.terminate(), this.#timings.closeWithinMs)
    await gone
    clearTimeout(impatient)
  }
}

function tell(worker: Worker, message: ToThread): void {
  worker.postMessage(message)
}

function toError({ name, message, code, hint }: StartFailure): Error {
  if (name === 'StateUnavailable') return new StateUnavailable(message, hint)
  const error = name === 'RangeError' ? new RangeError(message) : new Error(message)
  return code === undefined ? error : Object.assign(error, { code })
}
