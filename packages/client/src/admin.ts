import type { PriceDocument } from './documents.ts'
import { RatecardError, isRecord } from './error.ts'
import { readEvents } from './event-stream.ts'
import { camel } from './names.ts'
import { isPushEvent, pushEventOf, pushReportOf, pushSummaryOf } from './push-wire.ts'
import type { WirePushReport, WirePushSummary } from './push-wire.ts'
import type * as result from './results.ts'
import type { Answer, Call, CallOptions, Transport } from './transport.ts'
import { read, segment } from './typed.ts'
import * as wire from './wire.ts'
import type { Answers } from './wire-types.generated.ts'

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
  startPush(document: object, options?: Omit<PushOptions, 'dryRun'>): Promise<result.StartedPush>
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
  startRollback(revision: number, options?: Omit<PushOptions, 'dryRun'>): Promise<result.StartedPush>
  /** What is active at the processor, as a document. */
  pull(options?: CallOptions): Promise<result.Pulled>
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
  pushEvents(id: string, options?: CallOptions): AsyncIterable<result.PushEvent>
  /** Finishes an interrupted push. */
  resume(id: string, options?: CallOptions): Promise<result.PushOutcome>
  /** As `resume`, but returns as soon as the push runs again. */
  startResume(id: string, options?: CallOptions): Promise<result.StartedPush>
  /** Stops a running push between two steps; it can be resumed. */
  cancelPush(id: string, options?: CallOptions): Promise<result.PushSummary>
  webhooks(options?: CallOptions): Promise<result.WebhookListing[]>
  /** A new endpoint with a new secret beside the old one, which is switched off after the overlap (24 hours when absent). */
  rotateWebhook(
    id: string,
    options?: CallOptions & {
      readonly overlapSeconds?: number | undefined
      readonly author?: string | undefined
      readonly message?: string | undefined
    },
  ): Promise<result.WebhookRotation>
  /** What happened at the processor after an event, oldest first. Without `after` only where to begin: `last`. */
  processorEvents(
    query?: CallOptions & { readonly after?: string | undefined; readonly types?: readonly string[] | undefined },
  ): Promise<result.ProcessorEvents>
  enterprisePricesByTemplate(template: string, options?: CallOptions): Promise<PriceDocument[]>
  enterprisePricesById(enterpriseId: string, options?: CallOptions): Promise<PriceDocument[]>
  keys(options?: CallOptions): Promise<result.ServiceKey[]>
  /** The only answer that ever holds the key itself. */
  createKey(name: string, options?: NewKeyOptions): Promise<result.ServiceKey & { key: string }>
  revokeKey(id: string, options?: CallOptions): Promise<void>
  doctor(options?: CallOptions): Promise<result.Finding[]>
}

const root = '/api/v1/billing/admin'
/** Reading a whole account and writing hundreds of objects takes its time at the processor. */
const longTimeoutMs = 600_000

export function adminClient(transport: Transport): AdminClient {
  return { ...configCalls(transport), ...pushCalls(transport), ...otherCalls(transport) }
}

function configCalls(transport: Transport) {
  return {
    config: async (options?: CallOptions) =>
      wire.servedConfigOf(await read<wire.WireServedConfig>(transport, `${root}/config`, options)),
    validate: (document: object, options?: CallOptions) =>
      read<Answers['validateConfig'][200]>(transport, `${root}/config/validate`, {
        ...options,
        method: 'POST',
        body: document,
      }),
    keepWritten: (document: object, options?: CallOptions) =>
      read<Answers['keepWritten'][200]>(transport, `${root}/config/written`, {
        ...options,
        method: 'POST',
        body: document,
      }),
    history: async (page: Page = {}) => {
      const answer = await read<{ versions: wire.WireHistoryEntry[]; pagination: wire.WirePagination }>(
        transport,
        `${root}/config/history`,
        paged(page),
      )
      return { versions: answer.versions.map(wire.historyEntryOf), pagination: wire.paginationOf(answer.pagination) }
    },
    revision: async (revision: number, options?: CallOptions) =>
      wire.revisionOf(await read<wire.WireRevision>(transport, `${root}/config/history/${revision}`, options)),
    diff: async (from: number, to: number, options?: CallOptions) =>
      (
        await read<{ differences: wire.WireDifference[] }>(
          transport,
          `${root}/config/history/${from}/diff/${to}`,
          options,
        )
      ).differences.map(wire.differenceOf),
    pull: async (options?: CallOptions) =>
      wire.pulledOf(
        await read<wire.WirePulled>(transport, `${root}/config/pull`, {
          timeoutMs: longTimeoutMs,
          ...options,
          query: { report: true },
        }),
      ),
    drift: async (options?: CallOptions) =>
      wire.driftReportOf(
        await read<wire.WireDriftReport>(transport, `${root}/config/drift`, { timeoutMs: longTimeoutMs, ...options }),
      ),
  }
}

function pushCalls(transport: Transport) {
  return {
    push: async (document: object, options: PushOptions = {}) =>
      wire.pushOutcomeOf(await read<wire.WirePushOutcome>(transport, `${root}/config`, pushCall(document, options))),
    startPush: async (document: object, options: Omit<PushOptions, 'dryRun'> = {}) =>
      startedOf(await transport.send(`${root}/config`, pushCall(document, options, { prefer: 'respond-async' }))),
    rollback: async (revision: number, options: PushOptions = {}) =>
      wire.pushOutcomeOf(
        await read<wire.WirePushOutcome>(transport, `${root}/config/rollback`, pushCall({ revision }, options)),
      ),
    startRollback: async (revision: number, options: Omit<PushOptions, 'dryRun'> = {}) =>
      startedOf(
        await transport.send(`${root}/config/rollback`, pushCall({ revision }, options, { prefer: 'respond-async' })),
      ),
    reset: async (
      options: CallOptions & { scope?: 'managed' | 'account'; author?: string; message?: string } = {},
    ): Promise<result.ResetReport> => {
      const { scope, author, message, ...rest } = options
      return wire.resetReportOf(
        await read<wire.WireResetReport>(transport, `${root}/config/reset`, {
          timeoutMs: longTimeoutMs,
          ...rest,
          method: 'POST',
          query: { scope: scope === 'account' ? scope : undefined },
          headers: actorHeaders({ author, message }),
        }),
      )
    },
    pushes: async (page: Page = {}) => {
      const answer = await read<{ pushes: WirePushSummary[]; pagination: wire.WirePagination }>(
        transport,
        `${root}/pushes`,
        paged(page),
      )
      return { pushes: answer.pushes.map(pushSummaryOf), pagination: wire.paginationOf(answer.pagination) }
    },
    findPush: async (id: string, options?: CallOptions) =>
      pushReportOf(await read<WirePushReport>(transport, `${root}/pushes/${segment(id)}`, options)),
    pushEvents: (id: string, options?: CallOptions) => pushEvents(transport, id, options),
    resume: async (id: string, options?: CallOptions) =>
      wire.pushOutcomeOf(
        await read<wire.WirePushOutcome>(transport, `${root}/pushes/${segment(id)}/resume`, {
          timeoutMs: longTimeoutMs,
          ...options,
          method: 'POST',
        }),
      ),
    startResume: async (id: string, options?: CallOptions) =>
      startedOf(
        await transport.send(`${root}/pushes/${segment(id)}/resume`, {
          timeoutMs: longTimeoutMs,
          ...options,
          method: 'POST',
          headers: { prefer: 'respond-async' },
        }),
      ),
    cancelPush: async (id: string, options?: CallOptions) =>
      pushSummaryOf(
        await read<WirePushSummary>(transport, `${root}/pushes/${segment(id)}/cancel`, { ...options, method: 'POST' }),
      ),
  }
}

function otherCalls(transport: Transport) {
  return {
    webhooks: async (options?: CallOptions) =>
      (await read<{ webhooks: wire.WireWebhook[] }>(transport, `${root}/webhooks`, options)).webhooks.map(
        wire.webhookOf,
      ),
    processorEvents: async ({
      after,
      types = [],
      ...options
    }: CallOptions & { after?: string | undefined; types?: readonly string[] | undefined } = {}) => {
      const query = { after, types: types.length === 0 ? undefined : types.join(',') }
      const answer = await read<Answers['listProcessorEvents'][200]>(transport, `${root}/events`, { ...options, query })
      return { ...answer, events: answer.events.map(camel) }
    },
    enterprisePricesByTemplate: (template: string, options?: CallOptions) =>
      listPrices(transport, `by-template/${segment(template)}`, options),
    enterprisePricesById: (enterpriseId: string, options?: CallOptions) =>
      listPrices(transport, `by-id/${segment(enterpriseId)}`, options),
    rotateWebhook: async (
      id: string,
      {
        overlapSeconds,
        author,
        message,
        ...options
      }: CallOptions & {
        readonly overlapSeconds?: number | undefined
        readonly author?: string | undefined
        readonly message?: string | undefined
      } = {},
    ): Promise<result.WebhookRotation> => {
      const made = await read<Answers['rotateWebhook'][201]>(transport, `${root}/webhooks/${segment(id)}/rotate`, {
        timeoutMs: longTimeoutMs,
        ...options,
        method: 'POST',
        body: { overlap_seconds: overlapSeconds },
        headers: actorHeaders({ author, message }),
      })
      return { ...camel(made), previous: camel(made.previous) }
    },
    keys: async (options?: CallOptions) =>
      (await read<{ keys: wire.WireServiceKey[] }>(transport, `${root}/keys`, options)).keys.map(wire.serviceKeyOf),
    createKey: async (name: string, { scope, expiresAt, ...options }: NewKeyOptions = {}) => {
      const made = await read<Answers['createKey'][201]>(transport, `${root}/keys`, {
        ...options,
        method: 'POST',
        body: { name, scope, expires_at: expiresAt },
      })
      return { ...wire.serviceKeyOf(made), key: made.key }
    },
    revokeKey: async (id: string, options?: CallOptions) => {
      await transport.send(`${root}/keys/${segment(id)}`, { ...options, method: 'DELETE' })
    },
    doctor: async (options?: CallOptions) =>
      (await read<Answers['runDoctor'][200]>(transport, `${root}/doctor`, options)).findings,
  }
}

async function listPrices(transport: Transport, path: string, options?: CallOptions): Promise<PriceDocument[]> {
  return (await read<Answers['listTemplatePrices'][200]>(transport, `${root}/enterprise/prices/${path}`, options))
    .prices
}

async function* pushEvents(transport: Transport, id: string, options?: CallOptions): AsyncGenerator<result.PushEvent> {
  const body = await transport.stream(`${root}/pushes/${segment(id)}/events`, {
    ...options,
    headers: { accept: 'text/event-stream' },
  })
  for await (const { event, data } of readEvents(body)) {
    const parsed: unknown = JSON.parse(data)
    const named = isRecord(parsed) ? { type: event, ...parsed } : parsed
    if (isPushEvent(named)) yield pushEventOf(named)
  }
}

function pushCall(document: object, options: PushOptions, headers: Record<string, string> = {}): Call {
  const { dryRun, force, approveImpact, expectPlan, written, author, message, idempotencyKey, ...rest } = options
  return {
    timeoutMs: longTimeoutMs,
    ...rest,
    method: 'POST',
    body: document,
    query: { dry_run: dryRun || undefined, force: force || undefined, approve_impact: approveImpact || undefined },
    headers: {
      ...headers,
      ...actorHeaders({ author, message }),
      'idempotency-key': idempotencyKey,
      'x-ratecard-plan': expectPlan,
      'x-ratecard-written': written,
    },
  }
}

/** Header values are Latin-1 at most and one line: names and messages travel percent-encoded. */
export function actorHeaders(actor: { author?: string | undefined; message?: string | undefined }) {
  const encoded = (text: string | undefined) =>
    text?.replace(/[^\x20-\x24\x26-\x7e]/gu, (character) => encodeURIComponent(character))
  return { 'x-ratecard-author': encoded(actor.author), 'x-ratecard-message': encoded(actor.message) }
}

function startedOf({ status, headers, body }: Answer): result.StartedPush {
  if (status !== 202) return { started: false, outcome: wire.pushOutcomeOf(body as wire.WirePushOutcome) }
  const pushId = headers.get('location')?.split('/').at(-1)
  if (pushId === undefined || pushId === '')
    throw new RatecardError({
      code: 'answer_invalid',
      status,
      message: 'The server accepted the push but did not say its id.',
    })
  return { started: true, pushId: decodeURIComponent(pushId) }
}

export function paged({ limit, offset, ...options }: Page): Call {
  return { ...options, query: { limit, offset } }
}
