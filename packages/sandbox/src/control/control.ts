// What a test or an operator may do to the sandbox from outside the API: look at it, empty it, go back, make it fail.
import { Buffer } from 'node:buffer'
import type { Transactions } from '../transactions.ts'
import type { Api } from '../protocol/api.ts'
import { accountIdOf } from '../protocol/auth.ts'
import type { Deliveries, Delivery } from '../events/deliveries.ts'
import type { Fault, FaultOrder, Faults } from './faults.ts'
import { fromJson, isNode } from '../protocol/form.ts'
import type { FormValue } from '../protocol/form.ts'
import type { RateLimit, RateProfile } from '../protocol/rate-limit.ts'
import type { LoggedRequest, RequestLog } from '../protocol/request-log.ts'
import type { Snapshot, State } from '../store/state.ts'
import { ceilings } from './ceilings.ts'
import { apiVersion } from '../protocol/api-values.generated.ts'

/** One request of a seed. Text of the form `{{name.field}}` is taken from the answer of the earlier call of that name. */
export interface SeedCall {
  readonly path: string
  /** Default POST. */
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

/** Where an `apiKey` is optional, leaving it out means every account. */
export interface SandboxControl {
  status(): SandboxStatus
  /** Runs ordinary requests in order, without faults or rate limit of their own kind being lifted. Throws at the first refusal. */
  seed(apiKey: string, calls: readonly SeedCall[]): Promise<readonly Record<string, unknown>[]>
  /** Removes objects, events and remembered idempotency keys. */
  reset(apiKey?: string): void
  /** Remembers everything under a name, in memory, until the process ends. */
  snapshot(name: string, apiKey?: string): void
  /** Goes back to a snapshot; false when there is none of that name. */
  restore(name: string): boolean
  requests(filter?: {
    readonly apiKey?: string | undefined
    readonly limit?: number | undefined
  }): readonly LoggedRequest[]
  request(id: string): LoggedRequest | undefined
  clearRequests(): void
  /** Orders a fault; the number names it in `faults()`. */
  fail(order: FaultOrder): number
  faults(): readonly Fault[]
  clearFaults(): void
  /** Carries out the writes that a `late` or `late_arrival` fault holds back, oldest first. Returns how many there were. */
  land(): Promise<number>
  setProfile(profile: RateProfile): void
  /** How long searches do not find what was made, in seconds; 0 finds it at once. */
  setSearchDelay(seconds: number): void
  /** `later`: usage that cannot be counted is taken, and told of by an event; `at_once`: it is refused. */
  checkUsage(when: UsageCheck): void
  /** The time of an account, in seconds. */
  now(apiKey: string): number
  /** Moves the clock of one account, or of all that have anything, forward; what becomes due on the way is done in its order. */
  advance(seconds: number, apiKey?: string): void
  /** The same in slices, between which others are served. `stopClocks`, or `signal`, ends it where it is. */
  advanceInSlices(seconds: number, apiKey: string | undefined, signal: AbortSignal): Promise<void>
  /** Ends what `advanceInSlices` is doing, for one account or for all. Answers how many clocks stopped. */
  stopClocks(apiKey?: string): number
  /** Events on their way to webhook endpoints and those that were, oldest first. */
  deliveries(filter?: {
    readonly apiKey?: string | undefined
    readonly limit?: number | undefined
  }): readonly Delivery[]
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

/** A clock that is still on its way is asked to go on. */
export class ClockBusy extends Error {
  override readonly name = 'ClockBusy'

  constructor(account: string) {
    super(`The clock of ${account} is still on its way. Wait for it, or stop it with DELETE /_sandbox/clock.`)
  }
}

/** A seed call that was refused: which, and the API's own answer. */
export class SeedRefused extends Error {
  override readonly name = 'SeedRefused'
  readonly index: number
  readonly answer: unknown

  constructor(index: number, call: SeedCall, answer: unknown) {
    super(`Seed call ${index} (${call.method ?? 'POST'} ${call.path}) was refused: ${JSON.stringify(answer)}`)
    this.index = index
    this.answer = answer
  }
}

export class Control implements SandboxControl {
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

  async seed(apiKey: string, calls: readonly SeedCall[]): Promise<readonly Record<string, unknown>[]> {
    const named = new Map<string, Record<string, unknown>>()
    const answers: Record<string, unknown>[] = []
    for (const [index, call] of calls.entries()) {
      const reply = await this.#parts.api.handle({
        method: call.method ?? 'POST',
        path: filled(call.path, named),
        query: '',
        body: encode(fromJson(call.params ?? {}), named),
        authorization: `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`,
        contentType: 'application/x-www-form-urlencoded',
      })
      const answer: unknown = reply.body === '' ? {} : JSON.parse(reply.body)
      if (reply.status !== 200 || !isRecord(answer)) throw new SeedRefused(index, call, answer)
      answers.push(answer)
      if (call.as !== undefined) named.set(call.as, answer)
    }
    return answers
  }

  reset(apiKey?: string): void {
    this.#parts.state.reset(accountFor(apiKey))
  }

  snapshot(name: string, apiKey?: string): void {
    if (!this.#snapshots.has(name) && this.#snapshots.size >= ceilings.snapshots)
      throw new RangeError(`At most ${ceilings.snapshots} snapshots are kept; use the name of an earlier one.`)
    this.#snapshots.set(name, this.#parts.state.snapshot(accountFor(apiKey)))
  }

  restore(name: string): boolean {
    const snapshot = this.#snapshots.get(name)
    if (snapshot === undefined) return false
    this.#parts.api.forgetLate()
    this.#parts.state.restore(snapshot)
    return true
  }

  requests(
    filter: { readonly apiKey?: string | undefined; readonly limit?: number | undefined } = {},
  ): readonly LoggedRequest[] {
    const account = accountFor(filter.apiKey)
    return this.#parts.log.list({ limit: filter.limit, ...(account === null ? {} : { account }) })
  }

  request(id: string): LoggedRequest | undefined {
    return this.#parts.log.find(id)
  }

  clearRequests(): void {
    this.#parts.log.clear()
  }

  fail(order: FaultOrder): number {
    if (this.#parts.faults.list().length >= ceilings.faultsAtOnce)
      throw new RangeError(`At most ${ceilings.faultsAtOnce} faults stand at once; clear some first.`)
    return this.#parts.faults.add(order)
  }

  faults(): readonly Fault[] {
    return this.#parts.faults.list()
  }

  clearFaults(): void {
    this.#parts.faults.clear()
  }

  land(): Promise<number> {
    return this.#parts.api.land()
  }

  setProfile(profile: RateProfile): void {
    this.#parts.rate.profile = profile
  }

  checkUsage(when: UsageCheck): void {
    this.#parts.transactions.usageCheckedLater = when === 'later'
  }

  setSearchDelay(seconds: number): void {
    this.#parts.transactions.searchDelay = seconds
  }

  deliveries(
    filter: { readonly apiKey?: string | undefined; readonly limit?: number | undefined } = {},
  ): readonly Delivery[] {
    return this.#parts.deliveries.list(accountFor(filter.apiKey) ?? undefined, filter.limit)
  }

  now(apiKey: string): number {
    return this.#parts.transactions.now(accountIdOf(apiKey))
  }

  advance(seconds: number, apiKey?: string): void {
    for (const account of this.#clocks(seconds, apiKey)) this.#parts.transactions.advance(account, seconds)
  }

  async advanceInSlices(seconds: number, apiKey: string | undefined, signal: AbortSignal): Promise<void> {
    const accounts = this.#clocks(seconds, apiKey)
    const moving = accounts.find((account) => this.#moving.has(account))
    if (moving !== undefined) throw new ClockBusy(moving)
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

  stopClocks(apiKey?: string): number {
    const wanted = accountFor(apiKey)
    const stopped = [...this.#moving].filter(([account]) => wanted === null || account === wanted)
    for (const [, stop] of stopped) stop.abort()
    return stopped.length
  }

  /** The accounts that are meant, once it is sure that each clock may go so far. */
  #clocks(seconds: number, apiKey: string | undefined): readonly string[] {
    if (!Number.isSafeInteger(seconds) || seconds < 0)
      throw new RangeError('A clock only goes forward, in whole seconds.')
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function encode(value: FormValue, named: ReadonlyMap<string, Record<string, unknown>>, prefix = ''): string {
  if (!isNode(value)) return `${encodeURIComponent(prefix)}=${encodeURIComponent(filled(value, named))}`
  const name = (key: string): string => (prefix === '' ? key : `${prefix}[${key}]`)
  return Object.entries(value)
    .map(([key, inner]) => encode(inner, named, name(key)))
    .join('&')
}

/** `{{plan.id}}` becomes the field of the answer named `plan`; what is not known stays as it is. */
function filled(text: string, named: ReadonlyMap<string, Record<string, unknown>>): string {
  return text.replace(/\{\{([^.}]+)\.([^}]+)\}\}/g, (whole, name: string, field: string) => {
    const value = named.get(name)?.[field]
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole
  })
}
