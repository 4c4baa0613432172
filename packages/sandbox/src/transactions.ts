// Everything that happens in an account goes through here: what has become due by now comes first, then the work itself, in
// one transaction; events leave once it is through.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from './clock.ts'
import { catchUp } from './billing/catch-up.ts'
import { Call } from './protocol/operation-context.ts'
import type { Outgoing, Surroundings } from './protocol/operation-context.ts'
import type { Cause } from './events/events.ts'
import { emptyForm } from './protocol/parameters/form.ts'
import type { FormNode } from './protocol/parameters/form.ts'
import type { State } from './store/state.ts'

interface TransactionParts {
  readonly state: State
  readonly clock: Clock
  readonly origin: () => string
  /** Accounts whose portal settings were saved in the dashboard that is not here. */
  readonly portalSavedFor: ReadonlySet<string>
  readonly deliver: (events: readonly Outgoing[]) => void
}

interface Request {
  readonly operation?: string
  readonly id: string
  readonly childId?: string
  readonly form: FormNode
  readonly version?: string | null
  readonly cause: Cause
}

const byItself: Request = { id: '', form: emptyForm(), cause: { requestId: null, idempotencyKey: null } }

/** How long others wait at most while a clock is on its way. */
const sliceMs = 8

export class Transactions {
  readonly #parts: TransactionParts
  #closed = false
  /** How long what was made is not found by searches, in seconds; the real API says under a minute. */
  searchDelay = 0
  /** Usage that cannot be counted is taken, and told of by an event, as the real API does; else it is refused. */
  usageCheckedLater = false

  constructor(parts: TransactionParts) {
    this.#parts = parts
  }

  /** The account's own time, in seconds. */
  now(account: string): number {
    return Math.floor(this.#parts.clock.now() / 1000) + this.#parts.state.offsetOf(account)
  }

  /** Runs `work` in a transaction; `open` gives it its call. What it throws undoes everything, and nothing is delivered. */
  run<T>(account: string, work: (open: (request: Request) => Call) => T): T {
    const { state, deliver } = this.#parts
    const outbox: Outgoing[] = []
    const result = state.transaction(() =>
      work((request) => {
        const call = new Call(state, account, { ...request, now: this.now(account) }, this.#around(account, outbox))
        catchUp(new Call(state, account, { ...byItself, now: call.now }, this.#around(account, outbox)), null)
        return call
      }),
    )
    if (outbox.length > 0) deliver(outbox)
    return result
  }

  /** The same for work that no request of the API asked for. */
  act<T>(account: string, work: (call: Call) => T): T {
    return this.run(account, (open) => work(open(byItself)))
  }

  /** Moves the account's clock forward and does everything that becomes due on the way. Answers the new time. */
  advance(account: string, seconds: number): number {
    this.#parts.state.setOffset(account, this.#parts.state.offsetOf(account) + seconds)
    return this.act(account, (call) => call.now)
  }

  /**
   * The same in slices of some milliseconds, between which others are served: the clock shows how far it has come. Ends early
   * when `signal` is aborted or the server closes. Answers the time that was reached.
   */
  async advanceInSlices(account: string, seconds: number, signal: AbortSignal): Promise<number> {
    const target = this.now(account) + seconds
    while (!signal.aborted && !this.#closed && this.#slice(account, target)) await nextTurn()
    return this.#closed ? target : this.now(account)
  }

  /** Does what became due while nobody asked, in slices: a request that follows finds next to nothing to do. */
  async settle(account: string): Promise<void> {
    const { state } = this.#parts
    // Nearly always nothing is due, and looking is cheaper than a transaction.
    while (!this.#closed && state.due(account, null, this.now(account)) !== undefined) {
      if (!this.#slice(account, this.now(account))) return
      await nextTurn()
    }
  }

  /** Nothing is done afterwards. */
  close(): void {
    this.#closed = true
  }

  /** One slice of the way to `target`; whether there is more. */
  #slice(account: string, target: number): boolean {
    const { state, deliver } = this.#parts
    const outbox: Outgoing[] = []
    const until = performance.now() + sliceMs
    const reached = state.transaction(() => {
      const call = new Call(state, account, { ...byItself, now: target }, this.#around(account, outbox))
      const stopped = catchUp(call, null, () => performance.now() >= until)
      this.#moveTo(account, stopped ?? target)
      return stopped
    })
    if (outbox.length > 0) deliver(outbox)
    return reached !== null
  }

  #around(account: string, outbox: Outgoing[]): Surroundings {
    return {
      origin: this.#parts.origin,
      searchDelay: this.searchDelay,
      usageCheckedLater: this.usageCheckedLater,
      portalSaved: this.#parts.portalSavedFor.has(account),
      outbox,
    }
  }

  /** A clock never goes back. */
  #moveTo(account: string, moment: number): void {
    const behind = moment - this.now(account)
    if (behind > 0) this.#parts.state.setOffset(account, this.#parts.state.offsetOf(account) + behind)
  }
}
