// Every operation of the product: what the edges (HTTP, command line, tests) may ask for. Those on tenants and on workers
// have pages of their own beside this one.
// Composition (which store, which processor) is in compose.ts; the operations themselves live in their rooms.
import type { BillingConfig, Meter, Price, Product } from './config/schema.ts'
import type { Issue } from './errors/issue.ts'
import type { ChangeReport } from './catalog/change-report.ts'
import type { DocumentDifference } from './catalog/compare-documents.ts'
import type { Detail } from './catalog/detail.ts'
import type { ResourceKind } from './catalog/resource.ts'
import type { TenantOperations } from './service-tenants.ts'
import type { WorkerOperations } from './service-workers.ts'
import type { PushState, StepState } from './store/store.ts'
import type * as keys from './wire/keys.ts'
import type { KeyScope as KeyScopes } from './wire/operation.ts'
import type * as wire from './wire/revisions.ts'
import type { Inside } from './wire/schema.ts'

export interface Validation {
  readonly valid: boolean
  readonly errors: readonly Issue[]
  readonly warnings: readonly Issue[]
}

export type { Detail, DocumentDifference }

export interface Actor {
  readonly author: string | null
  readonly message: string | null
}

/** Whom a plan touches: live subscriptions on a price that it archives or replaces. They stay on the old price until moved. */
export interface PriceImpact {
  readonly priceId: string
  /** The old one. */
  readonly processorPriceId: string
  readonly action: 'archive' | 'replace'
  readonly subscriptions: number
  /** Of these, those of customers that are no tenant. */
  readonly subscriptionsWithoutTenant: number
  readonly tenants: number
  /** At list price; empty for metered prices, whose money depends on usage, and where nobody is on the price. */
  readonly monthly: readonly { readonly currency: string; readonly amount: number; readonly formatted: string }[]
  readonly usageBased: boolean
}

export interface PushOptions extends Actor {
  readonly dryRun?: boolean
  /** Overwrite fields that were edited at the processor. */
  readonly force?: boolean
  readonly approveImpact?: boolean
  /** Fingerprint of a plan that was shown before: another plan is refused with `plan_stale`. */
  readonly expectPlan?: string
  /** Id of the document as its author wrote it, from `keepWritten`. */
  readonly written?: string
  readonly signal?: AbortSignal
  /** Called once when the push is journalled, before its first step (for `Prefer: respond-async`). */
  readonly onOpen?: (pushId: string) => void
}

export interface PushOutcome {
  readonly status: 'applied' | 'unchanged' | 'planned'
  readonly version: string
  /** null when planned, or nothing was ever applied. */
  readonly revision: number | null
  readonly pushId: string | null
  readonly changes: ChangeReport
  readonly details: readonly Detail[]
  readonly warnings: readonly Issue[]
  /** One entry for each price that the plan archives or replaces. */
  readonly impact: readonly PriceImpact[]
  /** Processor writes that the plan holds. */
  readonly writes: number
  /** Fingerprint of the plan, to be given back with `expectPlan`. */
  readonly plan: string
}

export interface PushSummary {
  readonly id: string
  readonly kind: 'push' | 'rollback' | 'reset'
  readonly state: PushState
  readonly version: string
  readonly revision: number | null
  readonly author: string | null
  readonly message: string | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly finishedAt: number | null
  readonly stepsTotal: number
  readonly stepsDone: number
}

export interface PushStep {
  readonly index: number
  readonly op: string
  readonly kind: ResourceKind
  readonly configId: string
  readonly state: StepState
  readonly attempts: number
  readonly processorId: string | null
  readonly requestId: string | null
  readonly error: Readonly<Record<string, unknown>> | null
}

export interface PushReport extends PushSummary {
  readonly steps: readonly PushStep[]
  readonly error: Readonly<Record<string, unknown>> | null
}

export type PushEvent =
  | {
      readonly type: 'state'
      readonly pushId: string
      readonly state: PushState
      readonly stepsDone: number
      readonly stepsTotal: number
    }
  | {
      readonly type: 'step'
      readonly pushId: string
      readonly step: PushStep
      readonly stepsDone: number
      readonly stepsTotal: number
    }

export type HistoryEntry = Inside<typeof wire.HistoryEntry>
export type RevisionDetail = Inside<typeof wire.Revision>

export interface Page {
  readonly limit: number
  readonly offset: number
}

/** A configuration as it is served: items carry their `processor_id`. */
export interface ServedConfig {
  readonly id: string
  readonly version: string
  readonly revision: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly config: BillingConfig
}

/** The public configuration with its bytes made once per revision. */
export interface PublishedConfig {
  readonly served: ServedConfig
  /** The whole JSON answer of `GET config`. */
  readonly body: Buffer
  /** Strong validator, with quotes. */
  readonly etag: string
}

export interface Pulled {
  readonly document: BillingConfig
  /** What the document cannot express. */
  readonly unrepresentable: readonly { readonly kind: string; readonly processorId: string; readonly reason: string }[]
}

export interface DriftReport {
  readonly inSync: boolean
  readonly revision: number
  readonly version: string
  readonly differences: readonly Detail[]
  /** Active objects of the account that are not ours; never touched. */
  readonly unmanaged: readonly {
    readonly kind: ResourceKind
    readonly processorId: string
    readonly name: string | null
  }[]
}

export interface ResetReport {
  readonly archived: Readonly<
    Record<'products' | 'prices' | 'meters' | 'coupons' | 'promotion_codes', readonly string[]>
  >
  readonly errors: readonly { readonly kind: ResourceKind; readonly configId: string; readonly detail: string }[]
  readonly revision: number
}

export interface Conversion {
  readonly configId: string
  readonly processorId: string
  readonly itemType: ResourceKind
  readonly historyCount: number
  readonly current: boolean
}

/** As a webhook endpoint receives it. */
export interface ProcessorEvent {
  readonly id: string
  readonly type: string
  readonly createdAt: number
  readonly body: Readonly<Record<string, unknown>>
}

export interface WebhookListing {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly processorId: string | null
  readonly secret: string | null
  readonly secretKnown: boolean
  readonly createdAt: number | null
}

export interface CostLine {
  /** null is infinity. */
  readonly upTo: number | null
  readonly quantity: number
  /** Canonical decimal in minor units. */
  readonly unitAmount: string
  readonly flatAmount: string
  readonly amount: string
}

export interface Cost {
  readonly priceId: string
  readonly quantity: number
  readonly currency: string
  readonly billingScheme: 'per_unit' | 'tiered'
  readonly tiersMode: 'graduated' | 'volume' | null
  /** Minor units, rounded half up once, at the end. */
  readonly amount: number
  /** Before rounding, canonical decimal. */
  readonly amountDecimal: string
  readonly effectiveUnitAmount: string | null
  readonly formatted: string
  readonly breakdown: readonly CostLine[]
}

export type KeyScope = Inside<typeof KeyScopes>
export type ServiceKey = Inside<typeof keys.ServiceKey>

/** `hidden: true` for callers with a service key: non-public prices are found too. */
export interface Visibility {
  readonly hidden: boolean
}

export interface Readiness {
  readonly ready: boolean
  readonly checks: Readonly<
    Record<'store' | 'processor' | 'workers', { readonly ok: boolean; readonly detail: string }>
  >
}

/** One finding of `doctor`. */
export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'problem'
  readonly detail: string
  readonly hint?: string
}

export interface Service extends TenantOperations, WorkerOperations {
  validate(document: unknown): Promise<Validation>
  push(document: unknown, options: PushOptions): Promise<PushOutcome>
  /** Keeps a document with its `${NAME}`; the id is given to `push`. */
  keepWritten(document: unknown): Promise<string>
  rollback(revision: number, options: PushOptions): Promise<PushOutcome>
  reset(options: Actor & { readonly scope: 'managed' | 'account' }): Promise<ResetReport>
  resumePush(id: string, options?: Pick<PushOptions, 'onOpen'>): Promise<PushOutcome>
  /** Stops a running push between two steps: it is then interrupted, and can be resumed. `push_not_running` unless it runs. */
  cancelPush(id: string): Promise<PushSummary>
  listPushes(page: Page): Promise<{ readonly items: readonly PushSummary[]; readonly total: number }>
  findPush(id: string): Promise<PushReport>
  /** Live events until the push ends or `signal` aborts; starts with the present state. */
  pushEvents(id: string, signal: AbortSignal): AsyncIterable<PushEvent>
  history(page: Page): Promise<{ readonly items: readonly HistoryEntry[]; readonly total: number }>
  revision(revision: number): Promise<RevisionDetail>
  difference(from: number, to: number): Promise<readonly DocumentDifference[]>
  pull(): Promise<Pulled>
  drift(): Promise<DriftReport>

  published(): Promise<PublishedConfig>
  /** What `published` would answer, when that needs no question to the store; else null. For the one path where waiting costs. */
  peekPublished(): PublishedConfig | null
  fullConfig(): Promise<ServedConfig>
  findPrice(id: string, visibility: Visibility): Promise<{ readonly price: Price; readonly product: Product }>
  findProduct(id: string, visibility: Visibility): Promise<Product>
  findMeter(id: string): Promise<Meter>
  convert(processorId: string, visibility: Visibility): Promise<Conversion>
  calculate(priceId: string, quantity: number, visibility: Visibility): Promise<Cost>
  /** Without `secrets` each `secret` is null, known or not. */
  listWebhooks(options: { readonly secrets: boolean }): Promise<readonly WebhookListing[]>
  /** What happened at the processor after an event, oldest first; see `Processor.events`. */
  processorEvents(query: {
    readonly after: string | null
    readonly types: readonly string[]
  }): Promise<{ readonly events: readonly ProcessorEvent[]; readonly last: string | null }>
  enterprisePrices(target: { readonly template: string } | { readonly enterpriseId: string }): Promise<readonly Price[]>

  /** null for a key that is unknown or revoked. Constant time in the key. */
  authenticate(
    key: string,
  ): Promise<
    | { readonly state: 'valid'; readonly key: ServiceKey }
    | { readonly state: 'expired'; readonly expiresAt: number }
    | null
  >
  /** A key of scope `write` that never expires, unless said otherwise. `request_invalid` when `expiresAt` has passed. */
  createKey(
    name: string,
    options?: { readonly scope?: KeyScope; readonly expiresAt?: number | null },
  ): Promise<ServiceKey & { readonly key: string }>
  listKeys(): Promise<readonly ServiceKey[]>
  revokeKey(id: string): Promise<void>
  /**
   * Runs `work` once per key: a repeat with the same fingerprint answers the first result, with another one fails with
   * `idempotency_key_reused`. Failures that did nothing are not kept.
   */
  idempotent(
    key: string | null,
    fingerprint: string,
    work: () => Promise<{ readonly status: number; readonly body: string }>,
  ): Promise<{ readonly status: number; readonly body: string; readonly replayed: boolean }>

  readiness(): Promise<Readiness>
  doctor(): Promise<readonly Finding[]>
  close(): Promise<void>
}
