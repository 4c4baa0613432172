// Transactions of an account. Each first runs the actions that are due, then the requested work. Events are delivered after the commit.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from './clock.ts'
import { catchUp } from './billing/catch-up.ts'
import { OperationContext } from './protocol/operation-context.ts'
import type { OperationRequest, OutgoingEvent, ServerContext } from './protocol/operation-context.ts'
import { emptyForm } from './protocol/parameters/form.ts'
import type { State } from './store/state.ts'

interface TransactionParts {
  readonly state: State
  readonly clock: Clock
  readonly origin: () => string
  /** Accounts whose portal settings count as saved. Stripe saves them in its dashboard, which the sandbox lacks. */
  readonly portalSavedFor: ReadonlySet<string>
  readonly deliver: (events: readonly OutgoingEvent[]) => void
  readonly follower?: ClockFollower | undefined
}

/** Follows the clock of one account, e.g. the service that runs the sandbox and takes its billing time from it. */
export interface ClockFollower {
  readonly account: string
  /**
   * Called when the clock has moved, with the number of seconds by which it is ahead of the real time. An advancing clock waits until the
   * promise resolves, and stops at the returned time (epoch seconds) at the latest; null: it need not stop.
   */
  readonly onMoved: (aheadSeconds: number) => Promise<number | null>
}

type OpenRequest = Omit<OperationRequest, 'now'>

const noRequest: OpenRequest = { id: '', form: emptyForm(), cause: { requestId: null, idempotencyKey: null } }

/** Maximum time (ms) that other requests wait while a clock advances. */
const sliceMs = 8

/** Thrown when the server closes while a clock advances. The clock stays at the time that it has reached. */
export class ClockClosedError extends Error {
  override readonly name = 'ClockClosed'

  constructor(account: string) {
    super(`The sandbox closed while the clock of ${account} was advancing. Start it again and set the clock again.`)
  }
}

export class Transactions {
  readonly #parts: TransactionParts
  readonly #closing = new AbortController()
  /** Delay in seconds until searches find a new object. Default: 0. The real API documents a delay of less than a minute. */
  searchDelay = 0
  /**
   * True: usage that cannot be counted (e.g. of an unknown customer) is accepted, and an event reports the error later, as in the real API.
   * False: the request is refused.
   */
  usageCheckedLater = false

  constructor(parts: TransactionParts) {
    this.#parts = parts
  }

  /** Returns the account's time in seconds. */
  now(account: string): number {
    return Math.floor(this.#parts.clock.now() / 1000) + this.#parts.state.offsetOf(account)
  }

  /**
   * Runs `work` in a transaction, with a context created by `open`. Delivers the events after the commit. If `work` throws, everything is
   * rolled back and no event is delivered.
   */
  run<T>(account: string, work: (open: (request: OpenRequest) => OperationContext) => T): T {
    const { state, deliver } = this.#parts
    const outbox: OutgoingEvent[] = []
    const result = state.transaction(() =>
      work((request) => {
        const server = this.#serverContext(account, outbox)
        const now = this.now(account)
        catchUp(new OperationContext(state, account, { ...noRequest, now }, server), null)
        return new OperationContext(state, account, { ...request, now }, server)
      }),
    )
    if (outbox.length > 0) deliver(outbox)
    return result
  }

  /** Like `run`, for work without an API request, e.g. of a hosted page. */
  runWithoutRequest<T>(account: string, work: (call: OperationContext) => T): T {
    return this.run(account, (open) => work(open(noRequest)))
  }

  /** Moves the account's clock forward and runs all actions that become due in between. Returns the new time (seconds). */
  advance(account: string, seconds: number): number {
    this.#parts.state.setOffset(account, this.#parts.state.offsetOf(account) + seconds)
    const reached = this.runWithoutRequest(account, (call) => call.now)
    this.tellClock()
    return reached
  }

  /**
   * Like `advance`, but works in slices of 8 ms, so that other requests are served in between. Those requests see the clock at the time
   * reached so far. Waits for the follower of the clock at each of its stops. Stops early if `signal` is aborted, and returns the time that
   * was reached. Throws `ClockClosedError` if the server closes before the target time.
   */
  async advanceInSlices(account: string, seconds: number, signal: AbortSignal): Promise<number> {
    const target = this.now(account) + seconds
    let stop = await this.#nextStop(account, target, signal)
    for (;;) {
      if (this.#closing.signal.aborted) throw new ClockClosedError(account)
      if (signal.aborted) return this.now(account)
      if (this.#slice(account, stop)) await nextTurn()
      else {
        const next = await this.#nextStop(account, target, signal)
        if (stop >= target) return target
        stop = next
      }
    }
  }

  /** Tells the follower where its clock is, e.g. after a reset, without waiting for it. */
  tellClock(): void {
    const { follower, state } = this.#parts
    if (follower !== undefined) void follower.onMoved(state.offsetOf(follower.account))
  }

  /** Waits until the follower of the clock has done what is due, and returns the time to which the clock moves next: at most `target`. */
  async #nextStop(account: string, target: number, signal: AbortSignal): Promise<number> {
    const { follower, state } = this.#parts
    if (follower?.account !== account) return target
    const until = AbortSignal.any([signal, this.#closing.signal])
    const stop = await untilAborted(follower.onMoved(state.offsetOf(account)), until)
    return stop === null || stop <= this.now(account) ? target : Math.min(stop, target)
  }

  /** Executes overdue actions in slices before a request, so that almost none are left for the request itself. */
  async runOverdue(account: string): Promise<void> {
    const { state } = this.#parts
    // Usually no action is due, and this check is cheaper than a transaction.
    while (!this.#closing.signal.aborted && state.due(account, null, this.now(account)) !== undefined) {
      if (!this.#slice(account, this.now(account))) return
      await nextTurn()
    }
  }

  /** Stops advancing clocks and running overdue actions. */
  close(): void {
    this.#closing.abort()
  }

  /** Runs one slice of the actions that are due until `target`. Returns true if there is more to do. */
  #slice(account: string, target: number): boolean {
    const { state, deliver } = this.#parts
    const outbox: OutgoingEvent[] = []
    const until = performance.now() + sliceMs
    const reached = state.transaction(() => {
      const server = this.#serverContext(account, outbox)
      const call = new OperationContext(state, account, { ...noRequest, now: target }, server)
      const stopped = catchUp(call, null, () => performance.now() >= until)
      this.#moveTo(account, stopped ?? target)
      return stopped
    })
    if (outbox.length > 0) deliver(outbox)
    return reached !== null
  }

  #serverContext(account: string, outbox: OutgoingEvent[]): ServerContext {
    return {
      origin: this.#parts.origin,
      searchDelay: this.searchDelay,
      usageCheckedLater: this.usageCheckedLater,
      portalSaved: this.#parts.portalSavedFor.has(account),
      outbox,
    }
  }

  /** Moves the clock to `moment` (seconds), never backwards. */
  #moveTo(account: string, moment: number): void {
    const behind = moment - this.now(account)
    if (behind > 0) this.#parts.state.setOffset(account, this.#parts.state.offsetOf(account) + behind)
  }
}

/** Waits for the promise, but not longer than until `signal` is aborted; then resolves with null. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(null)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
