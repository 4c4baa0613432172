// Handles one API request, from headers and body to the response body: authentication, fault injection, idempotency, and the operation in
// its transaction. Does not use sockets.
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Transactions } from '../transactions.ts'
import { accountOf, accountOfToken, notConnected, sessionExpired } from './requests/auth.ts'
import type { OperationContext } from './operation-context.ts'
import {
  StripeError,
  keyInUse,
  lockTimeout,
  notSupported,
  rateLimited,
  badRequest,
  serverError,
  unknownUrl,
} from './responses/errors.ts'
import { expandTree, nothingExpanded, readExpand, render } from './responses/expand.ts'
import { isLate, type Faults, type FaultOrder } from '../control/faults.ts'
import { decodeForm, emptyForm, fromJson, isNode, toPlain, type FormNode, type Plain } from './parameters/form.ts'
import { FormerVersionNotices } from './requests/former-versions.ts'
import { IdempotencyKeys, fingerprintOf } from './requests/idempotency.ts'
import { newId } from './ids.ts'
import { translateFormerParameters } from './parameters/former-versions.ts'
import { isKnownRequest } from './parameters/known-parameters.ts'
import type { HandlerResult, Operation } from './operation.ts'
import type { RateLimit } from './requests/rate-limit.ts'
import type { RequestLog } from './requests/request-log.ts'
import { route, type Route } from './routes.ts'
import { streamPath } from '../endpoints/meters/meter-event-stream.ts'
import type { State } from '../store/state.ts'
import { apiVersion, apiVersions } from './api-values.generated.ts'

const knownVersions: ReadonlySet<string> = new Set(apiVersions)

export interface ApiRequest {
  readonly method: string
  /** The path without the query string. */
  readonly path: string
  readonly query: string
  readonly body: string
  readonly authorization?: string | undefined
  readonly contentType?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly stripeVersion?: string | undefined
  readonly stripeAccount?: string | undefined
}

export interface ApiReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /**
   * How the response is sent. `whole`: the complete body. `cut`: half of the body, then the socket is closed. `close`: nothing, and the
   * socket is closed.
   */
  readonly wire: 'whole' | 'cut' | 'close'
}

/** A request with its response, as passed to an observer. */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly params: Plain
  readonly status: number
  readonly body: unknown
  readonly replayed: boolean
}

export interface ApiParts {
  readonly state: State
  readonly transactions: Transactions
  readonly clock: Clock
  readonly faults: Faults
  readonly rate: RateLimit
  readonly log: RequestLog
  readonly observe: ((exchange: Exchange) => void) | undefined
  /** Returns the URL of a request in the request log. Called only during a request, when the URL of the server is known. */
  readonly logUrl: (requestId: string) => string
  /** Writes a line to the sandbox's log. */
  readonly report: (line: string) => void
  /** Called with an unexpected error, i.e. a bug in the sandbox. */
  readonly onFailure: (error: unknown) => void
}

interface StoredResponse {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
  readonly replayed?: boolean
  readonly wire?: ApiReply['wire']
}

/** A routed request that is carried out now or later. */
interface Work {
  readonly request: ApiRequest
  readonly progress: Progress
  readonly routed: Route
  readonly account: string
  readonly key: string | undefined
}

/** State of a request that is being handled. */
interface Progress {
  readonly id: string
  account: string | null
  params: FormNode
  fault: string | null
  /** API version in the header `Stripe-Version`. Null: the request has no such header. */
  readonly version: string | null
}

export class Api {
  readonly #parts: ApiParts
  readonly #keys: IdempotencyKeys
  readonly #notices: FormerVersionNotices
  /** Writes that a `late` fault delays: the connection is closed, and the write is not carried out yet. Oldest first. */
  readonly #late = new Map<() => Promise<void>, { readonly account: string; readonly release: () => void }>()

  constructor(parts: ApiParts) {
    this.#parts = parts
    this.#keys = new IdempotencyKeys(parts.state)
    this.#notices = new FormerVersionNotices(parts.report)
  }

  async handle(request: ApiRequest): Promise<ApiReply> {
    const progress: Progress = {
      id: newId('req_'),
      account: null,
      params: emptyForm(),
      fault: null,
      version: request.stripeVersion ?? null,
    }
    let outcome: StoredResponse
    try {
      outcome = await this.#respond(request, progress)
    } catch (error) {
      outcome = this.#errorResponse(error, progress.id)
    }
    return this.#finish(request, progress, outcome)
  }

  /** Executes all writes that a `late` fault has delayed, oldest first. Returns their number. */
  async land(): Promise<number> {
    const waiting = [...this.#late.keys()]
    for (const carryOut of waiting) await carryOut()
    return waiting.length
  }

  /**
   * Drops the delayed writes of one account, or of all accounts (null). A reset or a restored snapshot has replaced the state that these
   * writes were meant for.
   */
  forgetLate(account: string | null): void {
    for (const [carryOut, late] of this.#late) {
      if (account !== null && late.account !== account) continue
      late.release()
      this.#late.delete(carryOut)
    }
  }

  #errorResponse(error: unknown, requestId: string): StoredResponse {
    if (!(error instanceof StripeError)) this.#parts.onFailure(error)
    const shown = error instanceof StripeError ? error : serverError()
    return { status: shown.status, headers: shown.headers, body: toText(shown.toBody(this.#parts.logUrl(requestId))) }
  }

  async #respond(request: ApiRequest, progress: Progress): Promise<StoredResponse> {
    const account = request.path === streamPath ? this.#streamAccount(request) : accountOf(request.authorization)
    progress.account = account
    checkHeaders(request, account)
    progress.params = decodeRequest(request)
    const routed = route(request.method, request.path)
    const key = request.method === 'POST' ? request.idempotencyKey : undefined
    const fault = await this.#injectFault(request, progress, account, key)
    if (fault?.kind === 'close_before') return { status: 0, body: '', wire: 'close' }
    const operationName = routed === undefined ? request.path : `${request.method} ${routed.operation.path}`
    const reason = this.#parts.rate.take(account, operationName, this.#parts.clock.now())
    if (reason !== undefined) throw rateLimited(reason)
    if (routed === undefined) {
      if (isKnownRequest(request.method, request.path)) throw notSupported(`${request.method} ${request.path}`)
      throw unknownUrl(request.method, request.path)
    }
    if (fault !== undefined && isLate(fault.kind)) {
      this.#delayWrite(fault, { request, progress, routed, account, key })
      return { status: 0, body: '', wire: 'close' }
    }
    await this.#parts.transactions.runOverdue(account)
    const outcome = this.#runOnce({ request, progress, routed, account, key }, fault)
    if (fault?.kind === 'close_after') return { ...outcome, wire: 'close' }
    if (fault?.kind === 'cut_body') return { ...outcome, wire: 'cut' }
    return outcome
  }

  /** Returns the account of a meter event stream. The token of its session authorizes it, not an API key. */
  #streamAccount({ authorization }: ApiRequest): string {
    const { account, expires } = accountOfToken(authorization)
    if (this.#parts.transactions.now(account) > expires) throw sessionExpired()
    return account
  }

  /**
   * Waits if there is a latency fault. Throws the error of a fault that fails before the operation runs, e.g. `rate_limit`. Returns any
   * other fault, which the caller applies later.
   */
  async #injectFault(
    request: ApiRequest,
    progress: Progress,
    account: string,
    key: string | undefined,
  ): Promise<FaultOrder | undefined> {
    const { latencyMs, until, fault } = this.#parts.faults.inject(request.method, request.path, account)
    const isDelayed = latencyMs > 0 || until !== undefined
    progress.fault = fault?.kind ?? (isDelayed ? 'latency' : null)
    if (isDelayed) await this.#delay(account, key, Promise.all([wait(latencyMs), until]))
    if (fault?.kind === 'rate_limit') throw rateLimited(fault.reason ?? 'global-rate')
    if (fault?.kind === 'lock_timeout') throw lockTimeout()
    if (fault?.kind === 'conflict') throw keyInUse(key ?? newId('key_'))
    return fault
  }

  /** Waits before a request runs. Its idempotency key is locked meanwhile, so another request with the same key gets a 409. */
  async #delay(account: string, key: string | undefined, over: Promise<unknown>): Promise<void> {
    if (key === undefined) {
      await over
      return
    }
    this.#keys.begin(account, key)
    try {
      await over
    } finally {
      this.#keys.end(account, key)
    }
  }

  /**
   * Delays a write until `land` is called or its delay has passed, and then executes it. The result is logged, but no client receives it.
   */
  #delayWrite(fault: FaultOrder, work: Work): void {
    const { request, progress, account, key } = work
    const held = fault.kind === 'late' && key !== undefined
    if (held) this.#keys.begin(account, key)
    const release = (): void => {
      if (held) this.#keys.end(account, key)
    }
    const carryOut = async (): Promise<void> => {
      if (!this.#late.delete(carryOut)) return
      release()
      let outcome: StoredResponse
      try {
        await this.#parts.transactions.runOverdue(account)
        outcome = this.#runOnce(work, undefined)
      } catch (error) {
        outcome = this.#errorResponse(error, progress.id)
      }
      this.#finish(request, progress, outcome)
    }
    this.#late.set(carryOut, { account, release })
    if (fault.latencyMs !== undefined) void wait(fault.latencyMs, undefined, { ref: false }).then(carryOut)
  }

  /**
   * Returns the response stored for the idempotency key. If there is none, runs the operation and stores its response in the same
   * transaction.
   */
  #runOnce(work: Work, fault: FaultOrder | undefined): StoredResponse {
    const { request, progress, account, key } = work
    const nowMs = this.#parts.clock.now()
    const fingerprint = key === undefined ? '' : fingerprintOf(request.method, request.path, progress.params)
    if (key !== undefined) {
      const before = this.#keys.find(account, key, fingerprint, nowMs)
      if (before !== undefined) {
        const headers = { 'Idempotent-Replayed': 'true', 'Original-Request': before.requestId }
        return { status: before.status, body: before.body, headers, replayed: true }
      }
    }
    const keep = (outcome: StoredResponse): void => {
      if (key === undefined) return
      const { status, body } = outcome
      this.#keys.store(account, key, { fingerprint, status, body, requestId: progress.id, createdAt: nowMs })
    }
    try {
      return this.#runInTransaction(work, fault, keep)
    } catch (error) {
      // A declined payment (402) counts as executed: a retry with the same key gets the same response, although the transaction was rolled
      // back. Source: docs.stripe.com/api/idempotent_requests.
      if (!(error instanceof StripeError) || error.status !== 402) throw error
      const outcome = this.#errorResponse(error, progress.id)
      keep(outcome)
      return outcome
    }
  }

  #runInTransaction(
    { progress, routed, account, key }: Work,
    fault: FaultOrder | undefined,
    keep: (outcome: StoredResponse) => void,
  ): StoredResponse {
    const operation = `${routed.operation.method} ${routed.operation.path}`
    return this.#parts.transactions.run(account, (open) => {
      const failure = this.#errorResponse(serverError(), progress.id)
      if (fault?.kind === 'error_before') {
        if (fault.keep !== false) keep(failure)
        return failure
      }
      const cause = { requestId: progress.id, idempotencyKey: key ?? null }
      const done = this.#runOperation(progress, routed, (form) =>
        open({
          operation,
          id: routed.id,
          childId: routed.childId,
          form: translateFormerParameters(operation, form, progress.version),
          version: progress.version,
          cause,
        }),
      )
      const lost = fault?.kind === 'error_after'
      keep(lost && fault.keep !== false ? failure : done)
      return lost ? failure : done
    })
  }

  #runOperation(
    progress: Progress,
    { operation }: { readonly operation: Operation },
    callWith: (form: FormNode) => OperationContext,
  ): StoredResponse {
    const { expand, ...own } = progress.params
    const named = readExpand(expand)
    const counted = operation.path.endsWith('/search') && named.includes('total_count')
    const paths = counted ? named.filter((path) => path !== 'total_count') : named
    const tree =
      operation.of === null ? refuseExpansion(paths) : expandTree(operation.of, paths, operation.list === true)
    const call = callWith(Object.assign(emptyForm(), own))
    const answer = operation.run(call)
    if ('refusal' in answer) return this.#errorResponse(answer.refusal, progress.id)
    const url = operation.path.replace(':id', call.id)
    const body = toResponseBody(answer, { url, counted, renderer: (stored) => render(stored, tree, call) })
    return { status: 200, body: toText(body) }
  }

  #finish(request: ApiRequest, progress: Progress, outcome: StoredResponse): ApiReply {
    const { log, clock, observe } = this.#parts
    const wire = outcome.wire ?? 'whole'
    const params = toPlain(progress.params)
    log.add({
      id: progress.id,
      at: clock.now(),
      account: progress.account,
      method: request.method,
      path: request.path,
      params,
      idempotencyKey: request.idempotencyKey ?? null,
      status: wire === 'close' ? null : outcome.status,
      replayed: outcome.replayed ?? false,
      fault: progress.fault,
    })
    if (observe !== undefined && outcome.status !== 0) {
      const body: unknown = JSON.parse(outcome.body)
      const { method, path } = request
      observe({ method, path, params, status: outcome.status, body, replayed: outcome.replayed ?? false })
    }
    const headers: Record<string, string> = {
      'Request-Id': progress.id,
      'Stripe-Version': apiVersion,
      ...(outcome.status === 0 ? {} : this.#notices.headersFor(progress.version)),
      ...outcome.headers,
    }
    if (request.method === 'POST' && request.idempotencyKey !== undefined)
      headers['Idempotency-Key'] = request.idempotencyKey
    return { status: outcome.status, headers, body: outcome.body, wire }
  }
}

/**
 * Checks the headers of a request. Every existing API version is accepted, but `Stripe-Version` of each response is always the same
 * version. `Stripe-Account` may only name the account of the key, because the sandbox has no connected accounts.
 */
function checkHeaders({ stripeVersion, stripeAccount, authorization }: ApiRequest, account: string): void {
  if (stripeVersion !== undefined && stripeVersion !== apiVersion && !knownVersions.has(stripeVersion)) {
    throw badRequest(`Invalid Stripe API version: ${stripeVersion}`)
  }
  if (stripeAccount !== undefined && stripeAccount !== account) throw notConnected(authorization, stripeAccount)
}

function decodeRequest(request: ApiRequest): FormNode {
  const form = decodeForm(request.query)
  if (request.body === '') return form
  if (request.path.startsWith('/v2/')) return Object.assign(form, decodeJson(request))
  if (!(request.contentType ?? '').toLowerCase().startsWith('application/x-www-form-urlencoded')) {
    throw badRequest(
      'Invalid request (check that your POST content type is application/x-www-form-urlencoded). ' +
        'If you have any questions, we can help at https://support.stripe.com/.',
    )
  }
  return decodeForm(request.body, form)
}

/** Decodes the JSON body of a request to API v2. */
function decodeJson({ body, contentType }: ApiRequest): FormNode {
  if (!(contentType ?? '').toLowerCase().startsWith('application/json'))
    throw badRequest('Invalid request (check that your POST content type is application/json).')
  try {
    const read = fromJson(JSON.parse(body))
    if (isNode(read)) return read
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw badRequest('Invalid request (the body is not a JSON object).')
}

function refuseExpansion(paths: readonly string[]): typeof nothingExpanded {
  if (paths[0] !== undefined) throw badRequest(`This property cannot be expanded (${paths[0]}).`)
  return nothingExpanded
}

type Renderer = (body: Parameters<typeof render>[0]) => Record<string, unknown>

function toResponseBody(
  answer: Exclude<HandlerResult, { readonly refusal: unknown }>,
  { url, counted, renderer }: { readonly url: string; readonly counted: boolean; readonly renderer: Renderer },
): unknown {
  if ('unstored' in answer) return answer.unstored
  if ('found' in answer) {
    const { total_count: count, ...page } = answer.found
    return {
      object: 'search_result',
      ...page,
      data: page.data.map(renderer),
      ...(counted ? { total_count: count } : {}),
    }
  }
  if ('object' in answer) return { ...renderer(answer.object), ...answer.once }
  return { object: 'list', data: answer.page.data.map(renderer), has_more: answer.page.hasMore, url }
}

function toText(value: unknown): string {
  // The JSON is indented like the real API's responses, so that it is readable with curl.
  return JSON.stringify(value, null, 2)
}
