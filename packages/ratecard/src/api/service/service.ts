// All operations of the product, as types for the HTTP API, the CLI and tests. The operations of tenants, workers, the mirror and the
// dashboard are in separate files. Each folder implements its own operations, and server/composition/compose.ts combines them.
import type { BillingConfig, Meter, Price, Product } from '../../document/schema/schema.ts'
import type { SecretTexts } from '../../document/files/written-form.ts'
import type { DocumentDifference } from '../../catalog/compare-documents.ts'
import type { DashboardOperations } from './dashboard.ts'
import type { MirrorOperations } from './mirror.ts'
import type { PolicyOperations } from './policies.ts'
import type { TenantOperations } from './tenants.ts'
import type { WorkerOperations } from './workers.ts'
import type { Page, PageQuery } from '../../store/records/page.ts'
import type { By } from '../../store/records/actor.ts'
import type * as config from '../push/config.ts'
import type * as keys from '../server/keys.ts'
import type { KeyScope as KeyScopes } from '../notation/operation.ts'
import type * as prices from '../push/price-list.ts'
import type * as pushes from '../push/pushes.ts'
import type * as revisions from '../push/revisions.ts'
import type * as server from '../server/server.ts'
import type * as webhooks from '../push/webhooks.ts'
import type { Inside } from '../notation/schema.ts'

export type Validation = Inside<typeof config.Validation>

export type { DocumentDifference }

export type { By, PageQuery }

export interface Actor {
  /** Name that the caller gave, which is not verified. */
  readonly author: string | null
  /** Service key that made the request; null for the service itself. */
  readonly by: By | null
  readonly message: string | null
}

export type PriceImpact = Inside<typeof pushes.PriceImpact>
export type AffectedSubscriber = Inside<typeof pushes.AffectedSubscriber>

export interface PushOptions extends Actor {
  readonly dryRun?: boolean
  /** True to overwrite fields that were edited at the processor. */
  readonly force?: boolean
  readonly approveImpact?: boolean
  /** Ids of the policies to override. */
  readonly override?: readonly string[]
  /** Fingerprint of an approved plan. If the push would have another plan, it throws `plan_stale`. */
  readonly expectPlan?: string
  /** Id of the source document, which `keepWritten` returned. */
  readonly written?: string
  readonly signal?: AbortSignal
  /** Called when the push is in the journal, before its first step (for `Prefer: respond-async`). */
  readonly onOpen?: (pushId: string) => void
}

export type PushOutcome = Inside<typeof pushes.PushOutcome>

export type PushSummary = Inside<typeof pushes.PushSummary>

export type PushStep = Inside<typeof pushes.PushStep>

export type PushReport = Inside<typeof pushes.PushReport>

export type PushEvent = {
  readonly [Type in keyof typeof pushes.pushEvents]: { readonly type: Type } & Inside<(typeof pushes.pushEvents)[Type]>
}[keyof typeof pushes.pushEvents]

export type HistoryEntry = Inside<typeof revisions.HistoryEntry>
export type RevisionDetail = Inside<typeof revisions.Revision>

export type ServedConfig = Inside<typeof config.ServedConfig>

/** The public configuration with its JSON as bytes. Both are created once per revision. */
export interface PublishedConfig {
  readonly served: ServedConfig
  /** Body of the complete JSON response of `GET config`. */
  readonly body: Buffer
  /** Strong entity tag of the response, with quotes. */
  readonly etag: string
}

export interface PullOptions {
  /** `active` leaves out promotion codes that cannot be redeemed any more. Default `all`. */
  readonly codes?: 'all' | 'active'
}

export interface PullResult {
  readonly document: BillingConfig
  /**
   * Objects at the processor that the document does not contain. If `field` is not null, the document contains the object, but not this
   * field of it.
   */
  readonly unrepresentable: readonly {
    readonly kind: string
    readonly processorId: string
    readonly field: string | null
    readonly reason: string
  }[]
}

export type DriftReport = Inside<typeof config.DriftReport>

export interface ResetOptions extends Actor {
  /**
   * `managed`: archives the objects that Ratecard manages. `account`: archives all other objects too, e.g. prices created in Stripe's
   * dashboard.
   */
  readonly scope: 'managed' | 'account'
  /** Ids of the policies to override. */
  readonly override?: readonly string[]
}

export type ResetReport = Inside<typeof config.ResetReport>

export type Conversion = Inside<typeof prices.Conversion>

export type ProcessorEvents = Inside<typeof webhooks.ProcessorEvents>

export interface RotationRequest extends Actor {
  /**
   * Time (ms) for which the old endpoint stays live beside the new one, e.g. 3600000 for an hour. With 0, the old endpoint is switched off
   * at once.
   */
  readonly overlapMs: number
  readonly requestId: string | null
}

export type WebhookRotation = Inside<typeof webhooks.WebhookRotation>
export type WebhookListing = Inside<typeof webhooks.WebhookListing>

export type Cost = Inside<typeof prices.Cost>

export type KeyScope = Inside<typeof KeyScopes>
export type ServiceKey = Inside<typeof keys.ServiceKey>

/** With `hidden: true` the result includes prices that are not public; only for callers with a service key. */
export interface Visibility {
  readonly hidden: boolean
}

export type Readiness = Inside<typeof server.Readiness>

export type Finding = Inside<typeof server.Finding>

/** A document as JSON text or as a parsed value. */
export type GivenDocument = string | object

export interface Service
  extends TenantOperations, WorkerOperations, DashboardOperations, MirrorOperations, PolicyOperations {
  validate(document: GivenDocument): Promise<Validation>
  push(document: GivenDocument, options: PushOptions): Promise<PushOutcome>
  /** Stores a source document, in which variables such as `${NAME}` are not expanded. Returns its id, which can be passed to `push`. */
  keepWritten(document: GivenDocument): Promise<string>
  rollback(revision: number, options: PushOptions): Promise<PushOutcome>
  reset(options: ResetOptions): Promise<ResetReport>
  resumePush(
    id: string,
    options?: Pick<PushOptions, 'onOpen' | 'override'> & Partial<Pick<PushOptions, 'by' | 'message'>>,
  ): Promise<PushOutcome>
  /**
   * Stops a running push between two steps. The push is then `interrupted` and can be resumed. Throws `push_not_running` if the push is not
   * running.
   */
  cancelPush(id: string): Promise<PushSummary>
  listPushes(page: PageQuery): Promise<Page<PushSummary>>
  findPush(id: string): Promise<PushReport>
  /** Yields the current state of the push, then live events until the push ends or `signal` aborts. */
  pushEvents(id: string, signal: AbortSignal): AsyncIterable<PushEvent>
  history(page: PageQuery): Promise<Page<HistoryEntry>>
  revision(revision: number): Promise<RevisionDetail>
  difference(from: number, to: number): Promise<readonly DocumentDifference[]>
  /**
   * Returns those texts of the newest pushes that contain a secret: URLs of webhooks, and what differs between a pushed document and its source
   * document.
   */
  secretTexts(): Promise<SecretTexts>
  pull(options?: PullOptions): Promise<PullResult>
  drift(): Promise<DriftReport>

  published(): Promise<PublishedConfig>
  fullConfig(): Promise<ServedConfig>
  findPrice(id: string, visibility: Visibility): Promise<{ readonly price: Price; readonly product: Product }>
  findProduct(id: string, visibility: Visibility): Promise<Product>
  findMeter(id: string, visibility: Visibility): Promise<Meter>
  convert(processorId: string, visibility: Visibility): Promise<Conversion>
  /** Returns the cost of a quantity. `currency` defaults to the price's main currency. */
  calculate(priceId: string, quantity: number, visibility: Visibility, currency?: string): Promise<Cost>
  /** Lists the webhooks. Without `secrets`, every `secret` is null. */
  listWebhooks(options: { readonly secrets: boolean }): Promise<readonly WebhookListing[]>
  /** Returns processor events after the event id `after`, oldest first; see `Processor.events`. */
  processorEvents(query: { readonly after: string | null; readonly types: readonly string[] }): Promise<ProcessorEvents>
  /**
   * Creates a new endpoint with a new secret. The old endpoint is switched off after the overlap. Throws `webhook_not_found`,
   * `push_in_progress`, or `conflict` if the current endpoint is missing or switched off.
   */
  rotateWebhook(id: string, request: RotationRequest): Promise<WebhookRotation>
  enterprisePrices(target: { readonly template: string } | { readonly enterpriseId: string }): Promise<readonly Price[]>

  /**
   * Returns the service key. If the key has expired, returns the time of its expiry instead. Returns null if the key is unknown or revoked.
   * The comparison takes constant time.
   */
  authenticate(
    key: string,
  ): Promise<
    | { readonly state: 'valid'; readonly key: ServiceKey }
    | { readonly state: 'expired'; readonly expiresAt: number }
    | null
  >
  /** Creates a key, by default with scope `write` and without expiry. Throws `request_invalid` if `expiresAt` is in the past. */
  createKey(
    name: string,
    options?: { readonly scope?: KeyScope; readonly expiresAt?: number | null },
  ): Promise<ServiceKey & { readonly key: string }>
  listKeys(): Promise<readonly ServiceKey[]>
  revokeKey(id: string): Promise<void>
  /**
   * Runs `work` once per idempotency key. A retry with the same fingerprint returns the first result; a different fingerprint throws
   * `idempotency_key_reused`. A failure that had no effects is not stored.
   */
  idempotent(
    key: string | null,
    fingerprint: string,
    work: () => Promise<{ readonly status: number; readonly body: string }>,
  ): Promise<{ readonly status: number; readonly body: string; readonly replayed: boolean }>

  readiness(): Promise<Readiness>
  /**
   * Runs the checks and stores their findings. With `maxAgeSeconds`, returns the findings of the last run if they are not older and no
   * version was applied since.
   */
  doctor(options?: { readonly maxAgeSeconds?: number }): Promise<readonly Finding[]>
  close(): Promise<void>
}
