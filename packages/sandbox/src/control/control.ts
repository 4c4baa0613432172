// Control of the sandbox from outside the API, by a test or an operator: inspect, reset, snapshot and restore, inject faults, move clocks.
import { Buffer } from 'node:buffer'
import type { Transactions } from '../transactions.ts'
import type { Api } from '../protocol/api.ts'
import { accountIdOf } from '../protocol/requests/auth.ts'
import type { Deliveries, Delivery } from '../events/deliveries.ts'
import type { Fault, FaultOrder, Faults } from './faults.ts'
import { fromJson, isNode, isRecord, type FormValue } from '../protocol/parameters/form.ts'
import type { RateLimit, RateProfile } from '../protocol/requests/rate-limit.ts'
import type { LoggedRequest, RequestLog } from '../protocol/requests/request-log.ts'
import type { Snapshot, State } from '../store/state.ts'
import { ceilings } from './ceilings.ts'
import { apiVersion } from '../protocol/api-values.generated.ts'

/**
 * One request of a seed (a list of API requests that fills an account). `{{name.field}}` in a text is replaced by that field of the
 * response to the earlier request with `as: name`.
 */
export interface SeedCall {
  readonly path: string
  /** HTTP method. Default: POST. */
  readonly method?: string | undefined
  readonly params?: Readonly<Record<string, unknown>> | undefined
  readonly as?: string | undefined
}

export const usageChecks = ['at_once', 'later'] as const
export type UsageCheck = (typeof usageChecks)[number]

export interface SandboxStatus {
  readonly api_version: string
  readonly profile: RateProfile
  readonly search_delay_seconds: number
  readonly usage_check: UsageCheck
  readonly faults: readonly Fault[]
  readonly snapshots: readonly string[]
  readonly objects: readonly { readonly account: string; readonly kind: string; readonly total: number }[]
}

/** Selects the rows of a log by account, and limits their number. */
interface LogFilter {
  readonly apiKey?: string | undefined
  readonly limit?: number | undefined
}

interface ControlParts {
  readonly state: State
  readonly faults: Faults
  readonly rate: RateLimit
  readonly log: RequestLog
  readonly api: Api
  readonly transactions: Transactions
  readonly deliveries: Deliveries
}

/** Thrown when a clock that is still advancing gets another request to advance. */
export class ClockBusyError extends Error {
  override readonly name = 'ClockBusy'

  constructor(account: string) {
    super(`The clock of ${account} is still advancing. Wait until it is done, or stop it with DELETE /_sandbox/clock.`)
  }
}

/** Thrown when a request of a seed fails. Contains its index and the API's response. */
export class SeedError extends Error {
  override readonly name = 'SeedRefused'
  readonly index: number
  readonly answer: unknown

  constructor(index: number, call: SeedCall, answer: unknown) {
    super(`Seed call ${index} (${call.method ?? 'POST'} ${call.path}) failed: ${JSON.stringify(answer)}`)
    this.index = index
    this.answer = answer
  }
}

/** Operations on accounts, clocks, faults and logs. Where `apiKey` is optional, omitting it means all accounts. */
export class SandboxControl {
  readonly #parts: ControlParts
  readonly #snapshots = new Map<string, Snapshot>()
  readonly #moving = new Map<string, AbortController>()

  constructor(parts: ControlParts) {
    this.#parts = parts
  }

  status(): SandboxStatus {
    const { state, faults, rate, transactions } = this.#parts
    return {
      api_version: apiVersion,
      profile: rate.profile,
      search_delay_seconds: transactions.searchDelay,
      usage_check: transactions.usageCheckedLater ? 'later' : 'at_once',
      faults: faults.list(),
      snapshots: [...this.#snapshots.keys()],
      objects: state.totals(),
    }
  }

  /** Sends the requests of a seed in order. Faults and rate limits apply to them. Throws at the first error response. */
  async seed(apiKey: string, calls: readonly SeedCall[]): Promise<readonly Record<string, unknown>[]> {
    const named = new Map<string, Record<string, unknown>>()
    const answers: Record<string, unknown>[] = []
    for (const [index, call] of calls.entries()) {
      const reply = await this.#parts.api.handle({
        method: call.method ?? 'POST',
        path: fillPlaceholders(call.path, named),
        query: '',
        body: encode(fromJson(call.params ?? {}), named),
        authorization: `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`,
        contentType: 'application/x-www-form-urlencoded',
      })
      const answer: unknown = reply.body === '' ? {} : JSON.parse(reply.body)
      if (reply.status !== 200 || !isRecord(answer)) throw new SeedError(index, call, answer)
      answers.push(answer)
      if (call.as !== undefined) named.set(call.as, answer)
    }
    return answers
  }

  /** Removes objects, events, idempotency keys and late writes of one account or of all accounts, and resets their clocks. */
  reset(apiKey?: string): void {
    this.#parts.api.forgetLate(accountFor(apiKey))
    this.#parts.state.reset(accountFor(apiKey))
    this.#parts.transactions.tellClock()
  }

  /** Stores a copy of the state in memory under `name`, until the process ends. */
  snapshot(name: string, apiKey?: string): void {
    if (!this.#snapshots.has(name) && this.#snapshots.size >= ceilings.snapshots)
      throw new RangeError(`At most ${ceilings.snapshots} snapshots are kept; reuse the name of one of them.`)
    this.#snapshots.set(name, this.#parts.state.snapshot(accountFor(apiKey)))
  }

  /** Restores the snapshot with this name. Returns false if there is none. */
  restore(name: string): boolean {
    const snapshot = this.#snapshots.get(name)
    if (snapshot === undefined) return false
    this.#parts.api.forgetLate(null)
    this.#parts.state.restore(snapshot)
    this.#parts.transactions.tellClock()
    return true
  }

  requests(filter: LogFilter = {}): readonly LoggedRequest[] {
    const account = accountFor(filter.apiKey)
    return this.#parts.log.list({ limit: filter.limit, ...(account === null ? {} : { account }) })
  }

  request(id: string): LoggedRequest | undefined {
    return this.#parts.log.find(id)
  }

  clearRequests(): void {
    this.#parts.log.clear()
  }

  /** Adds a fault and returns its id. `faults()` lists the same id. */
  fail(order: FaultOrder): number {
    if (this.#parts.faults.list().length >= ceilings.faultsAtOnce)
      throw new RangeError(
        `At most ${ceilings.faultsAtOnce} faults can be active; clear them first with DELETE /_sandbox/faults.`,
      )
    return this.#parts.faults.add(order)
  }

  faults(): readonly Fault[] {
    return this.#parts.faults.list()
  }

  clearFaults(): void {
    this.#parts.faults.clear()
  }

  /** Executes the writes that a `late` or `late_arrival` fault has delayed, oldest first. Returns their number. */
  land(): Promise<number> {
    return this.#parts.api.land()
  }

  setProfile(profile: RateProfile): void {
    this.#parts.rate.profile = profile
  }

  /**
   * Chooses how unusable usage (e.g. for an unknown customer) is reported. `at_once`: the request fails. `later`: the request succeeds, and
   * an event reports the error.
   */
  checkUsage(when: UsageCheck): void {
    this.#parts.transactions.usageCheckedLater = when === 'later'
  }

  /** Sets the delay in seconds until searches find a new object, as with the real API's index. 0: no delay. */
  setSearchDelay(seconds: number): void {
    this.#parts.transactions.searchDelay = seconds
  }

  /** Returns the deliveries of events to webhook endpoints, pending and finished, oldest first. */
  deliveries(filter: LogFilter = {}): readonly Delivery[] {
    return this.#parts.deliveries.list(accountFor(filter.apiKey) ?? undefined, filter.limit)
  }

  /** Returns the time of an account in epoch seconds. */
  now(apiKey: string): number {
    return this.#parts.transactions.now(accountIdOf(apiKey))
  }

  /** Moves the clock of one account, or of all accounts with data, forward. Actions that become due are executed in order of time. */
  advance(seconds: number, apiKey?: string): void {
    for (const account of this.#clocks(seconds, apiKey)) this.#parts.transactions.advance(account, seconds)
  }

  /**
   * Like `advance`, but yields to other requests between slices of the work. `stopClocks` or `signal` stops the clock at the time it has
   * reached. Throws {@link ClockClosedError} if the server closes before that.
   */
  async advanceInSlices(seconds: number, apiKey: string | undefined, signal: AbortSignal): Promise<void> {
    const accounts = this.#clocks(seconds, apiKey)
    const moving = accounts.find((account) => this.#moving.has(account))
    if (moving !== undefined) throw new ClockBusyError(moving)
    await Promise.all(accounts.map((account) => this.#move(account, seconds, signal)))
  }

  async #move(account: string, seconds: number, signal: AbortSignal): Promise<void> {
    const stop = new AbortController()
    this.#moving.set(account, stop)
    try {
      await this.#parts.transactions.advanceInSlices(account, seconds, AbortSignal.any([signal, stop.signal]))
    } finally {
      this.#moving.delete(account)
    }
  }

  /** Stops the `advanceInSlices` calls of one account or of all accounts. Returns the number of stopped clocks. */
  stopClocks(apiKey?: string): number {
    const chosen = accountFor(apiKey)
    const stopped = [...this.#moving].filter(([account]) => chosen === null || account === chosen)
    for (const [, stop] of stopped) stop.abort()
    return stopped.length
  }

  /** Returns the accounts whose clocks to move. Throws if the clock of an account would go beyond its maximum. */
  #clocks(seconds: number, apiKey: string | undefined): readonly string[] {
    if (!Number.isSafeInteger(seconds) || seconds < 0)
      throw new RangeError('A clock only moves forward, by whole seconds.')
    const account = accountFor(apiKey)
    const accounts = account === null ? this.#parts.state.accounts() : [account]
    if (accounts.some((one) => this.#parts.state.offsetOf(one) + seconds > ceilings.clockAhead))
      throw new RangeError('A clock can be at most 100 years ahead of the real time.')
    return accounts
  }
}

function accountFor(apiKey: string | undefined): string | null {
  return apiKey === undefined ? null : accountIdOf(apiKey)
}

function encode(value: FormValue, named: ReadonlyMap<string, Record<string, unknown>>, prefix = ''): string {
  if (!isNode(value)) return `${encodeURIComponent(prefix)}=${encodeURIComponent(fillPlaceholders(value, named))}`
  const name = (key: string): string => (prefix === '' ? key : `${prefix}[${key}]`)
  return Object.entries(value)
    .map(([key, inner]) => encode(inner, named, name(key)))
    .join('&')
}

/** Replaces a placeholder such as `{{plan.id}}` by the field `id` of the response named `plan`. An unknown placeholder stays as it is. */
function fillPlaceholders(text: string, named: ReadonlyMap<string, Record<string, unknown>>): string {
  return text.replace(/\{\{([^.}]+)\.([^}]+)\}\}/g, (whole, name: string, field: string) => {
    const value = named.get(name)?.[field]
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole
  })
}
