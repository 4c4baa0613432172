import { acted, actorHeaders, answer, call, events, type ActOptions } from '../call.ts'
import { RatecardError } from '../error.ts'
import type { Pulled, PushEvent, StartedPush } from '../results.ts'
import type { ApiResponse, RequestOptions, CallOptions, Transport } from '../transport.ts'
import type * as result from '../wire.generated.ts'

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
  /** Ids of the policies to override. Needs a key of scope `owner` and a `message`. */
  readonly override?: readonly string[] | undefined
  /**
   * Fingerprint (`plan`) of a plan that was approved earlier. If the current plan differs, the push is refused with `plan_stale`.
   */
  readonly expectPlan?: string
  /**
   * Id that `keepWritten` returned for the source document (before variables were expanded). `startRollback` uses the source document of
   * the revision.
   */
  readonly written?: string
  readonly author?: string | undefined
  readonly message?: string | undefined
  /** Idempotency key. It makes the push safe to retry, and lets the client retry it after a failed connection. */
  readonly idempotencyKey?: string
}

export type ResumeOptions = CallOptions & Pick<PushOptions, 'override' | 'author' | 'message'>

export interface NewKeyOptions extends CallOptions {
  /**
   * `read` may read, validate and request dry runs. `write` may change everything but policies. `owner` may also set and override policies;
   * only an `owner` key can create one. Default: `write`.
   */
  readonly scope?: 'read' | 'write' | 'owner' | undefined
  /** Expiry of the key as RFC 3339. Default: the key never expires. */
  readonly expiresAt?: string | undefined
}

export interface AdminClient {
  /** Returns the whole configuration, including hidden and enterprise prices. */
  config(options?: CallOptions): Promise<result.ServedConfig>
  /** Pushes a document and waits for the end of the push, at most `timeoutMs` (default: 10 minutes). For longer pushes use `startPush`. */
  push(document: object, options?: PushOptions): Promise<result.PushOutcome>
  /** Starts a push and returns as soon as the push is in the journal. Follow the push with `pushEvents`. */
  startPush(document: object, options?: Omit<PushOptions, 'dryRun'>): Promise<StartedPush>
  /**
   * Stores the source document as it was before variables were expanded. Returns the id to pass as `written` when pushing the expanded
   * document.
   */
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
  pull(options?: CallOptions & { codes?: 'all' | 'active' }): Promise<Pulled>
  drift(options?: CallOptions): Promise<result.DriftReport>
  /** Archives every resource that Ratecard manages. With `scope: 'account'`, archives all other resources of the account too. */
  reset(
    options?: CallOptions & {
      readonly scope?: 'managed' | 'account'
      readonly author?: string
      readonly message?: string
      readonly override?: readonly string[] | undefined
    },
  ): Promise<result.ResetReport>
  pushes(page?: Page): Promise<{ pushes: result.PushSummary[]; pagination: result.Pagination }>
  findPush(id: string, options?: CallOptions): Promise<result.PushReport>
  /** Yields the current state of a push, then each of its events until the push ends. */
  pushEvents(id: string, options?: CallOptions): AsyncIterable<PushEvent>
  /** Continues an interrupted push and waits for its end. */
  resume(id: string, options?: ResumeOptions): Promise<result.PushOutcome>
  /** Continues an interrupted push and returns as soon as it runs again. */
  startResume(id: string, options?: ResumeOptions): Promise<StartedPush>
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
  /** Returns the processor account that the service writes to, and whether it is a sandbox, in test mode or live. */
  account(options?: CallOptions): Promise<result.AccountInfo>
  /** Returns a tag that changes when data readable by this client changes. It is cheap enough to poll every second. */
  changeTag(options?: CallOptions): Promise<string>
  /** Returns the tag of `changeTag`, and since when the processor has not answered the service; null while it answers. */
  changes(options?: CallOptions): Promise<result.ChangeState>
  /** Creates a link that signs in to the dashboard with the rights of this client's key. The link works once, within minutes. */
  dashboardLink(options?: CallOptions): Promise<{ url: string; expiresAt: string }>
  /**
   * Runs the checks. With `maxAgeSeconds`, returns the findings of the last run if it is at most that long ago and no version was applied
   * since. They cost no call to the processor.
   */
  doctor(options?: CallOptions & { readonly maxAgeSeconds?: number }): Promise<result.Finding[]>
  /** Returns the policies that hold, and a page of their history. */
  policies(page?: Page): Promise<result.PolicyHistory>
  /** Replaces the policies. Needs a key of scope `owner`. */
  setPolicies(policies: object, options?: ActOptions): Promise<result.PolicySet>
}

/** Timeout (10 minutes) of calls that read a whole processor account or write hundreds of objects. */
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
    pull: async ({ codes, ...options }: CallOptions & { codes?: 'all' | 'active' } = {}): Promise<Pulled> => {
      const report = await call(
        transport,
        'pullConfig',
        { query: { report: true, ...(codes !== undefined && { codes }) } },
        slow(options),
      )
      const { document, unrepresented } = report as Exclude<typeof report, result.BillingDocument>
      return { document, unrepresentable: unrepresented }
    },
    drift: (options?: CallOptions) => call(transport, 'getDrift', {}, slow(options)),
    reset: ({
      scope,
      override,
      author,
      message,
      ...options
    }: CallOptions & {
      scope?: 'managed' | 'account'
      override?: readonly string[] | undefined
      author?: string
      message?: string
    } = {}) =>
      call(
        transport,
        'resetConfig',
        { query: { scope: scope === 'account' ? scope : undefined, override: override?.join(',') } },
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
    resume: async (id: string, options: ResumeOptions = {}) =>
      outcomeOf(await answer(transport, 'resumePush', resumeParts(id, options), rest(options))),
    startResume: async (id: string, options: ResumeOptions = {}) =>
      startedOf(await answer(transport, 'resumePush', resumeParts(id, options, isAsync), rest(options))),
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
    account: (options?: CallOptions) => call(transport, 'getAccount', {}, options),
    changeTag: async (options?: CallOptions) => (await call(transport, 'getChangeTag', {}, options)).tag,
    changes: (options?: CallOptions) => call(transport, 'getChangeTag', {}, options),
    dashboardLink: (options?: CallOptions) => call(transport, 'createDashboardLink', {}, options),
    doctor: async ({ maxAgeSeconds, ...options }: CallOptions & { readonly maxAgeSeconds?: number } = {}) =>
      (await call(transport, 'runDoctor', { query: { maxAge: maxAgeSeconds } }, options)).findings,
    policies: ({ limit, offset, ...options }: Page = {}) =>
      call(transport, 'getPolicies', { query: { limit, offset } }, options),
    setPolicies: (policies: object, options: ActOptions = {}) =>
      call(transport, 'putPolicies', { body: { ...policies } }, acted(options)),
  }
}

function pushParts(options: PushOptions, headers: Record<string, string> = {}) {
  const { dryRun, force, approveImpact, override, expectPlan, written, author, message, idempotencyKey } = options
  return {
    query: {
      dryRun: dryRun || undefined,
      force: force || undefined,
      approveImpact: approveImpact || undefined,
      override: override?.join(','),
    },
    headers: {
      ...headers,
      ...actorHeaders({ author, message }),
      'idempotency-key': idempotencyKey,
      'x-ratecard-plan': expectPlan,
      'x-ratecard-written': written,
    },
  }
}

function resumeParts(id: string, { override, author, message }: ResumeOptions, headers: Record<string, string> = {}) {
  return {
    params: { id },
    query: { override: override?.join(',') },
    headers: { ...headers, ...actorHeaders({ author, message }) },
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
