import { nouns, type Bodies, type Body, type Kind } from '../objects/bodies.ts'
import { UnknownParameters, UnknownValue, noSuchReference, noSuchResource, notSupported } from './responses/errors.ts'
import { newEvent, type Cause } from '../events/events.ts'
import { nothingExpanded, render, type Lookup } from './responses/expand.ts'
import { apiVersion } from './api-values.generated.ts'
import type { FormNode } from './parameters/form.ts'
import { isKnownParameter, isKnownValue } from './parameters/known-parameters.ts'
import { readPage, type ListPage, type PageParams } from './responses/list-pages.ts'
import { readParams, type Fields, type Read } from './parameters/params.ts'
import type { Condition } from '../store/conditions.ts'
import type { State } from '../store/state.ts'

/** An event to deliver to a webhook endpoint after the commit. */
export interface OutgoingEvent {
  readonly account: string
  readonly event: string
  readonly endpoint: string
}

/** Server settings that a call uses, and the outbox for its events. */
export interface ServerContext {
  /** Returns the base URL of this server, for the URLs of hosted pages. */
  readonly origin: () => string
  /** Delay in seconds until searches find a new object. */
  readonly searchDelay: number
  /** True: usage that cannot be counted (e.g. of an unknown customer) is accepted, and an event reports the error later. */
  readonly usageCheckedLater: boolean
  /** True: the account's portal settings count as saved in Stripe's dashboard. */
  readonly portalSaved: boolean
  readonly outbox: OutgoingEvent[]
}

export interface OperationRequest {
  /** Method and path pattern of the operation, e.g. `POST /v1/prices/:id`. */
  readonly operation?: string
  readonly id: string
  readonly childId?: string
  readonly form: FormNode
  /** The requested API version. Null: none was requested. */
  readonly version?: string | null
  readonly now: number
  readonly cause: Cause
}

/**
 * Context of one API call: its parameters, its time, and the objects of its account, within one transaction. An exception rolls back
 * everything that the call wrote.
 */
export class OperationContext implements Lookup {
  readonly account: string
  /** The id in the path, or '' if the path has none. */
  readonly id: string
  /** The second id in the path, or '' if the path has none. */
  readonly childId: string
  /** Time of the call in seconds. */
  readonly now: number
  readonly #state: State
  readonly #request: OperationRequest
  readonly server: ServerContext

  constructor(state: State, account: string, request: OperationRequest, server: ServerContext) {
    this.#state = state
    this.#request = request
    this.server = server
    this.account = account
    this.id = request.id
    this.childId = request.childId ?? ''
    this.now = request.now
  }

  /** Returns the same context at another time (seconds), e.g. that of a test clock, or the due time of an action. */
  at(now: number): OperationContext {
    if (now === this.now) return this
    return new OperationContext(this.#state, this.account, { ...this.#request, now }, this.server)
  }

  /** Like `at`, for actions without a request. Their events have no request id. */
  withoutRequest(now: number): OperationContext {
    const cause = { requestId: null, idempotencyKey: null }
    return new OperationContext(this.#state, this.account, { ...this.#request, now, cause }, this.server)
  }

  /**
   * True if the request may use features of the API from before `version`. Also true without `Stripe-Version`, because an account can have
   * any version.
   */
  isBefore(version: string): boolean {
    const { version: requested = apiVersion } = this.#request
    return requested === null || requested < version
  }

  get origin(): string {
    return this.server.origin()
  }

  /** Runs `work`, rolls back its writes and returns its result. No event is emitted. */
  rehearse<T>(work: (call: OperationContext) => T): T {
    const server = { ...this.server, outbox: [] }
    return this.#state.runAndRollBack(() =>
      work(new OperationContext(this.#state, this.account, this.#request, server)),
    )
  }

  /** Returns the object on a clock with the earliest action that is due by `until` (seconds). `clock` null: the account's clock. */
  due(clock: string | null, until: number): Body | undefined {
    return this.#state.due(this.account, clock, until)
  }

  read<F extends Fields>(fields: F): Read<F> {
    try {
      return readParams(fields, this.#request.form)
    } catch (error) {
      throw withSandboxWording(this.#request.operation ?? '', error)
    }
  }

  find<K extends Kind>(kind: K, id: string): Bodies[K] | undefined {
    return this.#state.find(this.account, kind, id)
  }

  findDeleted<K extends Kind>(kind: K, id: string): Bodies[K] | undefined {
    return this.#state.findDeleted(this.account, kind, id)
  }

  /** Returns the object in the path. Throws a 404 that names `param` if it does not exist. */
  subject<K extends Kind>(kind: K, param = nouns[kind].param): Bodies[K] {
    const found = this.find(kind, this.id)
    if (found === undefined) throw noSuchResource(nouns[kind].noun, this.id, param)
    return found
  }

  /** Returns the object whose id a parameter contains. Throws a 400 if it does not exist. */
  reference<K extends Kind>(kind: K, id: string, param: string): Bodies[K] {
    const found = this.find(kind, id)
    if (found === undefined) throw noSuchReference(nouns[kind].noun, id, param)
    return found
  }

  select<K extends Kind>(kind: K, conditions: readonly Condition[], limit?: number): Bodies[K][] {
    return this.#state.select(this.account, kind, conditions, limit === undefined ? {} : { limit })
  }

  /** Returns the payment intents of an invoice, newest first. */
  intentsOf(invoice: string): Bodies['payment_intent'][] {
    return this.select('payment_intent', [{ field: '_invoice', is: invoice }])
  }

  count(kind: Kind): number {
    return this.#state.count(this.account, kind)
  }

  page<K extends Kind>(kind: K, params: PageParams, conditions: readonly Condition[]): ListPage<K> {
    return readPage(this.#state, this.account, kind, conditions, params)
  }

  /** Inserts an object and emits `event`. `event` is null if the real API has no event for it. */
  create<B extends Body>(body: B, event: string | null): B {
    this.#state.insert(this.account, body)
    if (event !== null) this.#emitChange(event, body)
    return body
  }

  /** Updates an object and emits `event` with the previous values. If nothing has changed, it does neither. Returns the stored object. */
  update<B extends Body>(before: B, after: B, event: string | null): B {
    if (JSON.stringify(before) === JSON.stringify(after)) return before
    this.#state.update(this.account, after)
    if (event !== null) this.#emitChange(event, after, before)
    return after
  }

  /** Stores the object's last state, marks the object deleted and emits `event`. */
  remove(last: Body, event: string | null): void {
    this.#state.update(this.account, last)
    this.#state.remove(this.account, last.object, last.id)
    if (event !== null) this.#emitChange(event, last)
  }

  /** Returns the object in the form that the API returns, without expanded members. */
  render(body: Body): Record<string, unknown> {
    return render(body, nothingExpanded, this)
  }

  /** Emits an event about an object, without writing the object. */
  emit(type: string, body: Body): void {
    this.#emitChange(type, body)
  }

  /** Emits an event about an object that is not stored. `former` is the object's content before a change. */
  emitUnstored(
    type: string,
    object: Readonly<Record<string, unknown>>,
    former?: Readonly<Record<string, unknown>>,
  ): void {
    this.#emitEvent(type, object, former)
  }

  #emitChange(type: string, after: Body, before?: Body): void {
    const former = before === undefined ? undefined : render(before, nothingExpanded, this)
    this.#emitEvent(type, render(after, nothingExpanded, this), former)
  }

  #emitEvent(
    type: string,
    object: Readonly<Record<string, unknown>>,
    former?: Readonly<Record<string, unknown>>,
  ): void {
    const event = newEvent(type, { ...object }, former && { ...former }, this.#request.cause, this.now)
    const endpoints = this.select('webhook_endpoint', [{ field: 'status', is: 'enabled' }]).filter(
      ({ enabled_events: enabled }) => enabled.includes('*') || enabled.includes(type),
    )
    this.#state.insert(this.account, { ...event, pending_webhooks: endpoints.length })
    for (const endpoint of endpoints) {
      this.server.outbox.push({ account: this.account, event: event.id, endpoint: endpoint.id })
    }
  }
}

/** Replaces the error for an unknown parameter or value by "not supported by the sandbox" if the real API has the parameter or value. */
function withSandboxWording(operation: string, error: unknown): unknown {
  if (error instanceof UnknownValue && error.param !== undefined && isKnownValue(operation, error.param, error.value)) {
    return notSupported(`the value \`${error.value}\` of \`${error.param}\``, error.param)
  }
  if (!(error instanceof UnknownParameters)) return error
  const unknown = error.names.filter((name) => !isKnownParameter(operation, name))
  if (unknown.length > 0) return new UnknownParameters(unknown)
  const plural = error.names.length > 1 ? 's' : ''
  return notSupported(`the parameter${plural} ${error.names.map((name) => `\`${name}\``).join(', ')}`, error.names[0])
}
