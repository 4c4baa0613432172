// The crossing between the wire's snake_case and the client's camelCase. Every member is named: nothing is converted by
// rule, because ids and metadata keys inside an answer must stay as their authors wrote them.
import type { BillingDocument } from './documents.ts'
import type { Issue } from './error.ts'
import type * as result from './results.ts'

export interface WireServedConfig {
  id: string
  version: string
  revision: number
  created_at: string
  updated_at: string
  config: BillingDocument
}

export const servedConfigOf = (wire: WireServedConfig): result.ServedConfig => ({
  id: wire.id,
  version: wire.version,
  revision: wire.revision,
  createdAt: wire.created_at,
  updatedAt: wire.updated_at,
  config: wire.config,
})

export interface WireDetail {
  kind: result.ResourceKind
  config_id: string
  action: result.ChangeAction
  because: string[]
  fields: result.FieldChange[]
  processor_id_before: string | null
  processor_id_after: string | null
  display: result.Display
}

export const detailOf = (wire: WireDetail): result.Detail => ({
  kind: wire.kind,
  configId: wire.config_id,
  action: wire.action,
  because: wire.because,
  fields: wire.fields.map(({ field, before, after, origin }) => ({ field, before, after, origin })),
  processorIdBefore: wire.processor_id_before,
  processorIdAfter: wire.processor_id_after,
  display: wire.display,
})

export interface WirePushOutcome {
  status: result.PushOutcome['status']
  version: string
  revision: number | null
  push_id: string | null
  changes: result.ChangeReport
  details: WireDetail[]
  warnings: Issue[]
  writes: number
}

export const pushOutcomeOf = (wire: WirePushOutcome): result.PushOutcome => ({
  status: wire.status,
  version: wire.version,
  revision: wire.revision,
  pushId: wire.push_id,
  changes: wire.changes,
  details: wire.details.map(detailOf),
  warnings: wire.warnings,
  writes: wire.writes,
})

export interface WirePagination {
  total: number
  limit: number
  offset: number
  has_more: boolean
}

export const paginationOf = (wire: WirePagination): result.Pagination => ({
  total: wire.total,
  limit: wire.limit,
  offset: wire.offset,
  hasMore: wire.has_more,
})

export interface WireHistoryEntry {
  revision: number
  version: string
  kind: result.PushKind
  created_at: string
  author: string | null
  message: string | null
  checksum: string
  changes: result.ChangeReport
}

export const historyEntryOf = (wire: WireHistoryEntry): result.HistoryEntry => ({
  revision: wire.revision,
  version: wire.version,
  kind: wire.kind,
  createdAt: wire.created_at,
  author: wire.author,
  message: wire.message,
  checksum: wire.checksum,
  changes: wire.changes,
})

export interface WireRevision extends WireHistoryEntry {
  document: BillingDocument | null
}

export const revisionOf = (wire: WireRevision): result.Revision => ({
  ...historyEntryOf(wire),
  document: wire.document,
})

export interface WireDifference {
  kind: result.ResourceKind
  config_id: string
  change: 'added' | 'changed' | 'removed'
  fields: { field: string; before: unknown; after: unknown }[]
  display: result.Display
}

export const differenceOf = (wire: WireDifference): result.DocumentDifference => ({
  kind: wire.kind,
  configId: wire.config_id,
  change: wire.change,
  fields: wire.fields.map(({ field, before, after }) => ({ field, before, after })),
  display: wire.display,
})

export interface WirePulled {
  document: BillingDocument
  unrepresented: { kind: string; processor_id: string; reason: string }[]
}

export const pulledOf = (wire: WirePulled): result.Pulled => ({
  document: wire.document,
  unrepresentable: wire.unrepresented.map((item) => ({
    kind: item.kind,
    processorId: item.processor_id,
    reason: item.reason,
  })),
})

export interface WireDriftReport {
  in_sync: boolean
  revision: number
  version: string
  differences: WireDetail[]
  unmanaged: { kind: result.ResourceKind; processor_id: string; name: string | null }[]
}

export const driftReportOf = (wire: WireDriftReport): result.DriftReport => ({
  inSync: wire.in_sync,
  revision: wire.revision,
  version: wire.version,
  differences: wire.differences.map(detailOf),
  unmanaged: wire.unmanaged.map((item) => ({ kind: item.kind, processorId: item.processor_id, name: item.name })),
})

export interface WireResetReport {
  archived: result.ResetReport['archived']
  errors: { kind: string; config_id: string; detail: string }[]
  revision: number
}

export const resetReportOf = (wire: WireResetReport): result.ResetReport => ({
  archived: wire.archived,
  errors: wire.errors.map((item) => ({ kind: item.kind, configId: item.config_id, detail: item.detail })),
  revision: wire.revision,
})

export interface WireWebhook {
  id: string
  url: string
  events: string[]
  processor_id: string | null
  secret: string | null
  secret_known: boolean
  created_at: string | null
}

export const webhookOf = (wire: WireWebhook): result.WebhookListing => ({
  id: wire.id,
  url: wire.url,
  events: wire.events,
  processorId: wire.processor_id,
  secret: wire.secret,
  secretKnown: wire.secret_known,
  createdAt: wire.created_at,
})

export interface WireCost {
  price_id: string
  quantity: number
  currency: string
  billing_scheme: 'per_unit' | 'tiered'
  tiers_mode?: 'graduated' | 'volume' | null
  amount: number
  amount_decimal: string
  effective_unit_amount: number | string | null
  formatted: string
  breakdown: {
    up_to: number | 'inf'
    quantity: number
    unit_amount: number | string
    flat_amount: number | string
    amount: number | string
  }[]
}

export const costOf = (wire: WireCost): result.Cost => ({
  priceId: wire.price_id,
  quantity: wire.quantity,
  currency: wire.currency,
  billingScheme: wire.billing_scheme,
  tiersMode: wire.tiers_mode ?? null,
  amount: wire.amount,
  amountDecimal: wire.amount_decimal,
  effectiveUnitAmount: wire.effective_unit_amount,
  formatted: wire.formatted,
  breakdown: wire.breakdown.map((line) => ({
    upTo: line.up_to === 'inf' ? null : line.up_to,
    quantity: line.quantity,
    unitAmount: line.unit_amount,
    flatAmount: line.flat_amount,
    amount: line.amount,
  })),
})

export interface WireConversion {
  config_id: string
  processor_id: string
  item_type: result.ResourceKind
  history_count: number
  current: boolean
}

export const conversionOf = (wire: WireConversion): result.Conversion => ({
  configId: wire.config_id,
  processorId: wire.processor_id,
  itemType: wire.item_type,
  historyCount: wire.history_count,
  current: wire.current,
})

export interface WireServiceKey {
  id: string
  name: string
  hint: string
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
}

export const serviceKeyOf = (wire: WireServiceKey): result.ServiceKey => ({
  id: wire.id,
  name: wire.name,
  hint: wire.hint,
  createdAt: wire.created_at,
  lastUsedAt: wire.last_used_at,
  revokedAt: wire.revoked_at,
})
