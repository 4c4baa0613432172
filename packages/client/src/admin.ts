import { acted, actorHeaders, answer, call, events } from './call.ts'
import type { ActOptions } from './call.ts'
import { RatecardError } from './error.ts'
import type { Pulled, PushEvent, StartedPush } from './results.ts'
import type { ApiResponse, RequestOptions, CallOptions, Transport } from './transport.ts'
import type * as result from './wire.generated.ts'

export interface Page extends CallOptions {
  readonly limit?: number
  readonly offset?: number
}

export interface PushOptions extends CallOptions {
  /** Plans only; nothing is written anywhere. */
  readonly dryRun?: boolean
  /** Overwrites fields that were edited at the processor. */
  readonly force?: boolean
  /** Goes on although live subscriptions are affected. */
  readonly approveImpact?: boolean
  /** Fingerprint (`plan`) of a plan that was shown before; any other plan is refused with `plan_stale`. */
  readonly expectPlan?: string
  /** Id of the document as its author wrote it, from `keepWritten`; `startRollback` brings that of the revision by itself. */
  readonly written?: string
  readonly author?: string | undefined
  readonly message?: string | undefined
  /** Makes the call safe to repeat; the client then repeats it after a failed connection. */
  readonly idempotencyKey?: string
}

export interface NewKeyOptions extends CallOptions {
  /** `read`: reads, validates, asks for dry runs. `write`, which may do everything, when absent. */
  readonly scope?: 'read' | 'write' | undefined
  /** RFC 3339; absent: it never expires. */
  readonly expiresAt?: string | undefined
}

export interface AdminClient {
  /** The whole configuration, hidden and enterprise prices too. */
  config(options?: CallOptions): Promise<result.ServedConfig>
  /** Waits until the push ended. A long push outlives a request: see `startPush`. */
  push(document: object, options?: PushOptions): Promise<result.PushOutcome>
  /** Returns as soon as the push is journalled; follow it with `pushEvents`. */
  startPush(document: object, options?: Omit<PushOptions, 'dryRun'>): Promise<StartedPush>
  /** Keeps a document as its author wrote it, before its variables were expanded; the id to push the expanded one with. */
  keepWritten(document: object, options?: CallOptions): Promise<{ written: string }>
  validate(document: object, options?: CallOptions): Promise<result.Validation>
  /** Newest first. */
  history(page?: Page): Promise<result.History>
  revision(revision: number, options?: CallOptions): Promise<result.Revision>
  diff(from: number, to: number, options?: CallOptions): Promise<result.DocumentDifference[]>
  /** Pushes the content of an earlier revision as a new one. */
  rollback(revision: number, options?: PushOptions): Promise<result.PushOutcome>
  /** As `rollback`, but returns as soon as it is journalled. */
  startRollback(revision: number, options?: Omit<PushOptions, 'dryRun'>): Promise<StartedPush>
  /** What is active at the processor, as a document. */
  pull(options?: CallOptions): Promise<Pulled>
  drift(options?: CallOptions): Promise<result.DriftReport>
  /** Archives every managed resource; with `account`, unmanaged ones too. */
  reset(
    options?: CallOptions & {
      readonly scope?: 'managed' | 'account'
      readonly author?: string
      readonly message?: string
    },
  ): Promise<result.ResetReport>
  pushes(page?: Page): Promise<{ pushes: result.PushSummary[]; pagination: result.Pagination }>
  findPush(id: string, options?: CallOptions): Promise<result.PushReport>
  /** Live events until the push ends; starts with the present state. */
  pushEvents(id: string, options?: CallOptions): AsyncIterable<PushEvent>
  /** Finishes an interrupted push. */
  resume(id: string, options?: CallOptions): Promise<result.PushOutcome>
  /** As `resume`, but returns as soon as the push runs again. */
  startResume(id: string, options?: CallOptions): Promise<StartedPush>
  /** Stops a running push between two steps; it can be resumed. */
  cancelPush(id: string, options?: CallOptions): Promise<result.PushSummary>
  /** With `secrets: false` none is shown, also to a key that may see them. */
  webhooks(options?: CallOptions & { readonly secrets?: boolean | undefined }): Promise<result.WebhookListing[]>
  /** A new endpoint with a new secret beside the old one, which is switched off after the overlap (24 hours when absent). */
  rotateWebhook(
    id: string,
    options?: ActOptions & { readonly overlapSeconds?: number | undefined },
  ): Promise<result.WebhookRotation>
  /** What happened at the processor after an event, oldest first. Without `after` only where to begin: `last`. */
  processorEvents(
    query?: CallOptions & { readonly after?: string | undefined; readonly types?: readonly string[] | undefined },
  ): Promise<result.ProcessorEvents>
  enterprisePricesByTemplate(template: string, options?: CallOptions): Promise<result.PriceDocument[]>
  enterprisePricesById(enterpriseId: string, options?: CallOptions): Promise<result.PriceDocument[]>
  keys(options?: CallOptions): Promise<result.ServiceKey[]>
  /** The only answer that ever holds the key itself. */
  createKey(name: string, options?: NewKeyOptions): Promise<result.ServiceKey & { key: string }>
  revokeKey(id: string, options?: CallOptions): Promise<void>
  /** The service key that this client calls with. */
  ownKey(options?: CallOptions): Promise<result.ServiceKey>
  /** Equal as long as nothing that reads of this client answer has changed; cheap to ask often. */
  changeTag(options?: CallOptions): Promise<string>
  /** A link that signs in to the dashboard, once, within minutes, with the rights of this client's key. */
  dashboardLink(options?: CallOptions): Promise<{ url: string; expiresAt: string }>
  doctor(options?: CallOptions): Promise<result.Finding[]>
}

/** Reading a whole account and writing hundreds of objects takes its time at the processor. */
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

/** What is said to the transport. */
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
      message: 'The server accepted the push but did not say its id.',
    })
  return { started: true, pushId: decodeURIComponent(pushId) }
}
