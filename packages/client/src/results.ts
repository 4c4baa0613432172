// What calls answer, in camelCase. Times are RFC 3339 in UTC, as on the wire.
import type { BillingDocument } from './documents.ts'
import type { Issue } from './error.ts'

export type ResourceKind = 'meter' | 'product' | 'price' | 'coupon' | 'promotion_code' | 'webhook'
export type ChangeAction = 'create' | 'adopt' | 'update' | 'rename' | 'replace' | 'reactivate' | 'archive' | 'keep'
export type PushState = 'planned' | 'running' | 'interrupted' | 'applied' | 'failed' | 'abandoned'
export type StepState = 'pending' | 'begun' | 'succeeded' | 'failed' | 'unknown' | 'skipped'
export type PushKind = 'push' | 'rollback' | 'reset'

export interface ServedConfig {
  id: string
  version: string
  revision: number
  createdAt: string
  updatedAt: string
  /** The document; items carry their `processor_id`. */
  config: BillingDocument
}

/** The specification's change report. A document: it keeps its own names. */
export interface ChangeReport {
  products: { created: string[]; updated: string[]; archived: string[] }
  prices: { created: string[]; updated: string[]; archived: string[] }
  meters: { created: string[]; updated: string[]; deactivated: string[] }
  webhooks: { created: string[]; updated: string[]; unchanged: string[] }
  coupons: { created: string[]; updated: string[]; archived: string[] }
  promotion_codes: { created: string[]; updated: string[]; archived: string[] }
}

export interface FieldChange {
  field: string
  /** null when absent. */
  before: unknown
  after: unknown
  /** Whose change it is: the author's edit, an edit at the processor, or both. */
  origin: 'edit' | 'drift' | 'both'
}

/** The resource in one line as people read it, for example `€12.00 / month`. */
export interface Display {
  before: string | null
  after: string | null
}

export interface Detail {
  kind: ResourceKind
  configId: string
  action: ChangeAction
  because: string[]
  fields: FieldChange[]
  processorIdBefore: string | null
  processorIdAfter: string | null
  display: Display
}

/** Whom a plan touches: live subscriptions on a price that it archives or replaces. They stay on the old price until moved. */
export interface PriceImpact {
  priceId: string
  /** The old one. */
  processorPriceId: string
  action: 'archive' | 'replace'
  subscriptions: number
  /** Of these, those of customers that are no tenant. */
  subscriptionsWithoutTenant: number
  tenants: number
  /** At list price; empty for metered prices, whose money depends on usage. */
  monthly: { currency: string; amount: number; formatted: string }[]
  usageBased: boolean
}

export interface PushOutcome {
  status: 'applied' | 'unchanged' | 'planned'
  version: string
  revision: number | null
  pushId: string | null
  changes: ChangeReport
  details: Detail[]
  warnings: Issue[]
  impact: PriceImpact[]
  /** Calls to the processor that the plan holds. */
  writes: number
  /** Fingerprint of the plan, to be given back with `expectPlan`. */
  plan: string
}

/** An asynchronous push that was journalled, or the answer when there was nothing to wait for. */
export type StartedPush =
  { readonly started: true; readonly pushId: string } | { readonly started: false; readonly outcome: PushOutcome }

export interface Validation {
  valid: boolean
  errors: Issue[]
  warnings: Issue[]
}

export interface Pagination {
  total: number
  limit: number
  offset: number
  hasMore: boolean
}

/** The service key that did it, beside the author that was claimed; null where none did, and from before keys were kept. */
export interface By {
  keyId: string
  keyName: string
}

export interface HistoryEntry {
  revision: number
  version: string
  kind: PushKind
  createdAt: string
  author: string | null
  by: By | null
  message: string | null
  checksum: string
  /** Its report has each step with the processor's request id. */
  pushId: string | null
  changes: ChangeReport
}

export interface History {
  versions: HistoryEntry[]
  pagination: Pagination
}

export interface Revision extends HistoryEntry {
  /** As it was pushed; null for a reset. */
  document: BillingDocument | null
  /** As its author wrote it, with `${NAME}` where `document` has values; null where only the document was sent. */
  written: Readonly<Record<string, unknown>> | null
}

export interface DocumentDifference {
  kind: ResourceKind
  configId: string
  change: 'added' | 'changed' | 'removed'
  fields: { field: string; before: unknown; after: unknown }[]
  display: Display
}

export interface Pulled {
  document: BillingDocument
  /** What the document cannot express. */
  unrepresentable: { kind: string; processorId: string; reason: string }[]
}

export interface DriftReport {
  inSync: boolean
  revision: number
  version: string
  differences: Detail[]
  unmanaged: { kind: ResourceKind; processorId: string; name: string | null }[]
}

export interface ResetReport {
  archived: Record<'products' | 'prices' | 'meters' | 'coupons' | 'promotion_codes', string[]>
  errors: { kind: string; configId: string; detail: string }[]
  /** The history entry of the reset. */
  revision: number
}

export interface PushSummary {
  id: string
  kind: PushKind
  state: PushState
  version: string
  revision: number | null
  author: string | null
  by: By | null
  message: string | null
  createdAt: string
  updatedAt: string
  finishedAt: string | null
  stepsTotal: number
  stepsDone: number
}

export interface PushStep {
  index: number
  op: string
  kind: ResourceKind
  configId: string
  state: StepState
  attempts: number
  processorId: string | null
  requestId: string | null
  error: Record<string, unknown> | null
}

export interface PushReport extends PushSummary {
  steps: PushStep[]
  /** The problem document that ended it. */
  error: Record<string, unknown> | null
}

export type PushEvent =
  | { type: 'state'; pushId: string; state: PushState; stepsDone: number; stepsTotal: number }
  | { type: 'step'; pushId: string; step: PushStep; stepsDone: number; stepsTotal: number }

export interface WebhookListing {
  id: string
  url: string
  events: string[]
  processorId: string | null
  /** null when it is not known: see `secretKnown`. */
  secret: string | null
  secretKnown: boolean
  createdAt: string | null
}

export interface CostLine {
  /** null is the open end. */
  upTo: number | null
  quantity: number
  /** Minor units: an integer when whole, exact decimal text otherwise. */
  unitAmount: number | string
  flatAmount: number | string
  amount: number | string
}

export interface Cost {
  priceId: string
  quantity: number
  currency: string
  billingScheme: 'per_unit' | 'tiered'
  tiersMode: 'graduated' | 'volume' | null
  /** Minor units, rounded half up once. */
  amount: number
  amountDecimal: string
  effectiveUnitAmount: number | string | null
  formatted: string
  breakdown: CostLine[]
}

export interface Conversion {
  configId: string
  processorId: string
  itemType: ResourceKind
  historyCount: number
  current: boolean
}

export interface ServiceKey {
  id: string
  name: string
  /** Last characters, to recognise it. */
  hint: string
  /** `read`: reads, validates, asks for dry runs, sees no webhook secrets. `write`: everything. */
  scope: 'read' | 'write'
  createdAt: string
  /** null: never. */
  expiresAt: string | null
  lastUsedAt: string | null
  revokedAt: string | null
}

export interface WebhookRotation {
  id: string
  url: string
  /** The new endpoint. */
  processorId: string
  secret: string
  /** The old one, and until when it is live too. */
  previous: { processorId: string; liveUntil: string }
  jobId: string
}

export interface Finding {
  check: string
  status: 'ok' | 'warning' | 'problem'
  detail: string
  hint?: string
}

export interface ProcessorEvents {
  /** `body` is the event as the processor sends it. */
  events: { id: string; type: string; createdAt: string; body: Record<string, unknown> }[]
  /** Give it as `after` next time; null: nothing ever happened. */
  last: string | null
}
