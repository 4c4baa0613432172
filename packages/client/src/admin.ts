import { acted, actorHeaders, answer, call, events, type ActOptions } from './call.ts'
import { RatecardError } from './error.ts'
import type { Pulled, PushEvent, StartedPush } from './results.ts'
import type { ApiResponse, RequestOptions, CallOptions, Transport } from './transport.ts'
import type * as result from './wire.generated.ts'

export interface Page extends CallOptions {
  readonly limit?: number
  readonly offset?: number
}

export interface PushOptions extends CallOptions {
  /** True: returns the plan and writes nothing. */
  readonly dryRun?: boolean
  /** True: overwrites fields that were edited at the processor. Otherwise a push that would overwrite such an edit is refused. */
  readonly force?: boolean
  /** True: applies the plan although it affects live subscriptions. */
  readonly approveImpact?: boolean
  /**
   * Fingerprint (`plan`) of a plan that was approved earlier. If the current plan differs, the push is refused with `plan_stale`.
   */
  readonly expectPlan?: string
  /**
   * Id that `keepWritten` returned for the source document, before variables were expanded. `startRollback` uses the source document of the
   * revision.
   */
  readonly written?: string
  readonly author?: string | undefined
  readonly message?: string | undefined
  /** Idempotency key. It makes the push safe to retry, and lets the client retry it after a failed connection. */
  readonly idempotencyKey?: string
}

export interface NewKeyOptions extends CallOptions {
  /** `read` may read, validate and request dry runs. `write` may do everything. Default: `write`. */
  readonly scope?: 'read' | 'write' | undefined
  /** Expiry of the key as RFC 3339. Default: the key never expires. */
  readonly expiresAt?: string | undefined
}

export interface AdminClient {
  /** Returns the whole configuration, including hidden and enterprise prices. */
  config(options?: CallOptions): Promise<result.ServedConfig>
  /** Pushes a document and waits for the end of the push, up to `timeoutMs` (default: 10 minutes). For longer pushes use `startPush`. */
  push(document: object, options?: PushOptions): Promise<result.PushOutcome>
  /** Starts a push and returns as soon as the push is in the journal. Follow the push with `pushEvents`. */
  startPush(document: object, options?: Omit<PushOptions, 'dryRun'>): Promise<StartedPush>
  /** Stores the source document, before variables were expanded. Returns the id to pass as `written` when pushing the expanded document. */
  keepWritten(document: object, options?: CallOptions): Promise<{ written: string }>
  validate(document: object, options?: CallOptions): Promise<result.Validation>
  /** Returns the revisions, newest first. */
  history(page?: Page): Promise<result.History>
  revision(revision: number, options?: CallOptions): Promise<result.Revision>
  diff(from: number, to: number, options?: CallOptions): Promise<result.DocumentDifference[]>
  /** Pushes the content of an earlier revision as a new revision, and waits until the push has ended. */
  rollback(revision: number, options?: PushOptions): Promise<result.PushOutcome>
  /** Starts a rollback and returns as soon as it is in the journal. Follow it with `pushEvents`. */
  startRollback(revision: number, options?: Omit<PushOptions, 'dryRun'>): Promise<StartedPush>
  /** Returns the active objects at the processor as a configuration document. */
  pull(options?: CallOptions): Promise<Pulled>
  drift(options?: CallOptions): Promise<result.DriftReport>
  /** Archives every resource that Ratecard manages. With `scope: 'account'` also archives the others. */
  reset(
    options?: CallOptions & {
      readonly scope?: 'managed' | 'account'
      readonly author?: string
      readonly message?: string
    },
  ): Promise<result.ResetReport>
  pushes(page?: Page): Promise<{ pushes: result.PushSummary[]; pagination: result.Pagination }>
  findPush(id: string, options?: CallOptions): Promise<result.PushReport>
  /** Yields the current state of a push, then each of its events until the push ends. */
  pushEvents(id: string, options?: CallOptions): AsyncIterable<PushEvent>
  /** Continues an interrupted push and waits for its end. */
  resume(id: string, options?: CallOptions): Promise<result.PushOutcome>
  /** Continues an interrupted push and returns as soon as it runs again. */
  startResume(id: string, options?: CallOptions): Promise<StartedPush>
  /** Stops a running push between two steps. `resume` continues it. */
  cancelPush(id: string, options?: CallOptions): Promise<result.PushSummary>
  /** Returns the webhook endpoints. With `secrets: false` the secrets are left out, even for a key that may see them. */
  webhooks(options?: CallOptions & { readonly secrets?: boolean | undefined }): Promise<result.WebhookListing[]>
  /** Creates a webhook endpoint with a new secret, and disables the old endpoint after the overlap (default: 24 hours). */
  rotateWebhook(
    id: string,
    options?: ActOptions & { readonly overlapSeconds?: number | undefined },
  ): Promise<result.WebhookRotation>
  /**
   * Returns the processor events after the event id `after`, oldest first. Without `after` returns no events, only `last`, the id to start
   * from.
   */
  processorEvents(
    query?: CallOptions & { readonly after?: string | undefined; readonly types?: readonly string[] | undefined },
  ): Promise<result.ProcessorEvents>
  enterprisePricesByTemplate(template: string, options?: CallOptions): Promise<result.PriceDocument[]>
  enterprisePricesById(enterpriseId: string, options?: CallOptions): Promise<result.PriceDocument[]>
  keys(options?: CallOptions): Promise<result.ServiceKey[]>
  /** Creates a service key. Only this response contains the key itself. */
  createKey(name: string, options?: NewKeyOptions): Promise<result.ServiceKey & { key: string }>
  revokeKey(id: string, options?: CallOptions): Promise<void>
  /** Returns the service key of this client. */
  ownKey(options?: CallOptions): Promise<result.ServiceKey>
  /** Returns a tag that stays equal while no data readable by this client has changed. Cheap enough to poll every second. */
  changeTag(options?: CallOptions): Promise<string>
  /** Creates a link that signs in to the dashboard with the rights of this client's key. The link works once, within minutes. */
  dashboardLink(options?: CallOptions): Promise<{ url: string; expiresAt: string }>
  doctor(options?: CallOptions): Promise<result.Finding[]>
}

/** Timeout (10 minutes) of calls that read a whole account or write hundreds of objects at the processor. */
const longTimeoutMs = 600_000
const slow = (options?: CallOptions & Pick<RequestOptions, 'headers'>) => ({ timeoutMs: longTimeoutMs, ...options })
const isAsync = { prefer: 'respond-async' }

export function adminClient(transport: Transport): AdminClient {
  return { ...configCalls(transport), ...pushCalls(transport), ...otherCalls(transport) }
}

function configCalls(transport: Transport) {
  return {
    config: (options?: CallOptions) => call(transport, 'getFullConfig', {}, options),
    validate: (body: object, options?: CallOptions) => call(transport, 'validateConfig', { body }, options),
    keepWritten: (body: object, options?: CallOptions) =>
      call(transport, 'keepWritten', { body: { ...body } }, options),
    history: ({ limit, offset, ...options }: Page = {}) =>
      call(transport, 'listVersions', { query: { limit, offset } }, options),
    revision: (revision: number, options?: CallOptions) =>
      call(transport, 'getRevision', { params: { revision } }, options),
    diff: async (from: number, to: number, options?: CallOptions) =>
      (await call(transport, 'compareRevisions', { params: { from, to } }, options)).differences,
    pull: async (options?: CallOptions): Promise<Pulled> => {
      const report = await call(transport, 'pullConfig', { query: { report: true } }, slow(options))
      const { document, unrepresented } = report as Exclude<typeof report, result.BillingDocument>
      return { document, unrepresentable: unrepresented }
    },
    drift: (options?: CallOptions) => call(transport, 'getDrift', {}, slow(options)),
    reset: ({
      scope,
      author,
      message,
      ...options
    }: CallOptions & { scope?: 'managed' | 'account'; author?: string; message?: string } = {}) =>
      call(
        transport,
        'resetConfig',
        { query: { scope: scope === 'account' ? scope : undefined } },
        slow(acted({ ...options, author, message })),
      ),
  }
}

function pushCalls(transport: Transport) {
  return {
    push: async (document: object, options: PushOptions = {}) =>
      outcomeOf(await answer(transport, 'pushConfig', { ...pushParts(options), body: document }, rest(options))),
    startPush: async (document: object, options: Omit<PushOptions, 'dryRun'> = {}) =>
      startedOf(
        await answer(transport, 'pushConfig', { ...pushParts(options, isAsync), body: document }, rest(options)),
      ),
    rollback: async (revision: number, options: PushOptions = {}) =>
      outcomeOf(
        await answer(transport, 'rollbackConfig', { ...pushParts(options), body: { revision } }, rest(options)),
      ),
    startRollback: async (revision: number, options: Omit<PushOptions, 'dryRun'> = {}) =>
      startedOf(
        await answer(
          transport,
          'rollbackConfig',
          { ...pushParts(options, isAsync), body: { revision } },
          rest(options),
        ),
      ),
    pushes: ({ limit, offset, ...options }: Page = {}) =>
      call(transport, 'listPushes', { query: { limit, offset } }, options),
    findPush: (id: string, options?: CallOptions) => call(transport, 'getPush', { params: { id } }, options),
    async *pushEvents(id: string, options?: CallOptions): AsyncGenerator<PushEvent> {
      const known = ['state', 'step'] as const
      for await (const [type, event] of events(transport, 'followPush', known, { params: { id } }, options))
        yield { type, ...event } as PushEvent
    },
    resume: async (id: string, options?: CallOptions) =>
      outcomeOf(await answer(transport, 'resumePush', { params: { id } }, slow(options))),
    startResume: async (id: string, options?: CallOptions) =>
      startedOf(await answer(transport, 'resumePush', { params: { id }, headers: isAsync }, slow(options))),
    cancelPush: (id: string, options?: CallOptions) => call(transport, 'cancelPush', { params: { id } }, options),
  }
}

function otherCalls(transport: Transport) {
  return {
    webhooks: async ({ secrets, ...options }: CallOptions & { readonly secrets?: boolean | undefined } = {}) =>
      (await call(transport, 'listWebhooks', { query: { secrets } }, options)).webhooks,
    rotateWebhook: (
      id: string,
      { overlapSeconds, ...options }: ActOptions & { readonly overlapSeconds?: number | undefined } = {},
    ) => call(transport, 'rotateWebhook', { params: { id }, body: { overlapSeconds } }, slow(acted(options))),
    processorEvents: ({
      after,
      types = [],
      ...options
    }: CallOptions & { after?: string | undefined; types?: readonly string[] | undefined } = {}) =>
      call(
        transport,
        'listProcessorEvents',
        { query: { after, types: types.length === 0 ? undefined : types.join(',') } },
        options,
      ),
    enterprisePricesByTemplate: async (template: string, options?: CallOptions) =>
      (await call(transport, 'listTemplatePrices', { params: { template } }, options)).prices,
    enterprisePricesById: async (enterpriseId: string, options?: CallOptions) =>
      (await call(transport, 'listEnterprisePrices', { params: { enterpriseId } }, options)).prices,
    keys: async (options?: CallOptions) => (await call(transport, 'listKeys', {}, options)).keys,
    createKey: (name: string, { scope, expiresAt, ...options }: NewKeyOptions = {}) =>
      call(transport, 'createKey', { body: { name, scope, expiresAt } }, options),
    revokeKey: async (id: string, options?: CallOptions) => {
      await call(transport, 'revokeKey', { params: { id } }, options)
    },
    ownKey: (options?: CallOptions) => call(transport, 'getOwnKey', {}, options),
    changeTag: async (options?: CallOptions) => (await call(transport, 'getChangeTag', {}, options)).tag,
    dashboardLink: (options?: CallOptions) => call(transport, 'createDashboardLink', {}, options),
    doctor: async (options?: CallOptions) => (await call(transport, 'runDoctor', {}, options)).findings,
  }
}

function pushParts(options: PushOptions, headers: Record<string, string> = {}) {
  const { dryRun, force, approveImpact, expectPlan, written, author, message, idempotencyKey } = options
  return {
    query: { dryRun: dryRun || undefined, force: force || undefined, approveImpact: approveImpact || undefined },
    headers: {
      ...headers,
      ...actorHeaders({ author, message }),
      'idempotency-key': idempotencyKey,
      'x-ratecard-plan': expectPlan,
      'x-ratecard-written': written,
    },
  }
}

/** Returns the options for the transport, without the headers and parameters of a push. The default timeout is `longTimeoutMs`. */
function rest({ signal, timeoutMs }: PushOptions): CallOptions {
  return { timeoutMs: timeoutMs ?? longTimeoutMs, signal }
}

const outcomeOf = ({ body }: ApiResponse) => body as result.PushOutcome

function startedOf({ status, headers, body }: ApiResponse): StartedPush {
  if (status !== 202) return { started: false, outcome: body as result.PushOutcome }
  const pushId = headers.get('location')?.split('/').at(-1)
  if (pushId === undefined || pushId === '')
    throw new RatecardError({
      code: 'answer_invalid',
      status,
      message: 'The server accepted the push but returned no id.',
    })
  return { started: true, pushId: decodeURIComponent(pushId) }
}
