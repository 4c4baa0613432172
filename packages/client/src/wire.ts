// The crossing between the wire's snake_case and the client's camelCase. Every member is named: nothing is converted by
// rule, because ids and metadata keys inside an answer must stay as their authors wrote them.
import { byOf } from './by.ts'
import { priceImpactOf } from './push-wire.ts'
import type * as result from './results.ts'
import type { Answers, Detail } from './wire-types.generated.ts'

export type WireServedConfig = Answers['getConfig'][200]

export const servedConfigOf = (wire: WireServedConfig): result.ServedConfig => ({
  id: wire.id,
  version: wire.version,
  revision: wire.revision,
  createdAt: wire.created_at,
  updatedAt: wire.updated_at,
  config: wire.config,
})

export type WireDetail = Detail

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

export type WirePushOutcome = Answers['pushConfig'][200]

export const pushOutcomeOf = (wire: WirePushOutcome): result.PushOutcome => ({
  status: wire.status,
  version: wire.version,
  revision: wire.revision,
  pushId: wire.push_id,
  changes: wire.changes,
  details: wire.details.map(detailOf),
  warnings: wire.warnings,
  impact: wire.impact.map(priceImpactOf),
  writes: wire.writes,
  plan: wire.plan,
})

export type WirePagination = Answers['listPushes'][200]['pagination']

export const paginationOf = (wire: WirePagination): result.Pagination => ({
  total: wire.total,
  limit: wire.limit,
  offset: wire.offset,
  hasMore: wire.has_more,
})

export type WireHistoryEntry = Answers['listVersions'][200]['versions'][number]

export const historyEntryOf = (wire: WireHistoryEntry): result.HistoryEntry => ({
  revision: wire.revision,
  version: wire.version,
  kind: wire.kind,
  createdAt: wire.created_at,
  author: wire.author,
  by: byOf(wire.by),
  message: wire.message,
  checksum: wire.checksum,
  pushId: wire.push_id,
  changes: wire.changes,
})

export type WireRevision = Answers['getRevision'][200]

export const revisionOf = (wire: WireRevision): result.Revision => ({
  ...historyEntryOf(wire),
  document: wire.document,
  written: wire.written,
})

export type WireDifference = Answers['compareRevisions'][200]['differences'][number]

export const differenceOf = (wire: WireDifference): result.DocumentDifference => ({
  kind: wire.kind,
  configId: wire.config_id,
  change: wire.change,
  fields: wire.fields.map(({ field, before, after }) => ({ field, before, after })),
  display: wire.display,
})

export type WirePulled = Extract<Answers['pullConfig'][200], { unrepresented: unknown }>

export const pulledOf = (wire: WirePulled): result.Pulled => ({
  document: wire.document,
  unrepresentable: wire.unrepresented.map((item) => ({
    kind: item.kind,
    processorId: item.processor_id,
    reason: item.reason,
  })),
})

export type WireDriftReport = Answers['getDrift'][200]

export const driftReportOf = (wire: WireDriftReport): result.DriftReport => ({
  inSync: wire.in_sync,
  revision: wire.revision,
  version: wire.version,
  differences: wire.differences.map(detailOf),
  unmanaged: wire.unmanaged.map((item) => ({ kind: item.kind, processorId: item.processor_id, name: item.name })),
})

export type WireResetReport = Answers['resetConfig'][200]

export const resetReportOf = (wire: WireResetReport): result.ResetReport => ({
  archived: wire.archived,
  errors: wire.errors.map((item) => ({ kind: item.kind, configId: item.config_id, detail: item.detail })),
  revision: wire.revision,
})

export type WireWebhook = Answers['listWebhooks'][200]['webhooks'][number]

export const webhookOf = (wire: WireWebhook): result.WebhookListing => ({
  id: wire.id,
  url: wire.url,
  events: wire.events,
  processorId: wire.processor_id,
  secret: wire.secret,
  secretKnown: wire.secret_known,
  createdAt: wire.created_at,
})

export type WireCost = Answers['calculatePrice'][200]

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

export type WireConversion = Answers['convertProcessorId'][200]

export const conversionOf = (wire: WireConversion): result.Conversion => ({
  configId: wire.config_id,
  processorId: wire.processor_id,
  itemType: wire.item_type,
  historyCount: wire.history_count,
  current: wire.current,
})

export type WireServiceKey = Answers['listKeys'][200]['keys'][number]

export const serviceKeyOf = (wire: WireServiceKey): result.ServiceKey => ({
  id: wire.id,
  name: wire.name,
  hint: wire.hint,
  scope: wire.scope,
  createdAt: wire.created_at,
  expiresAt: wire.expires_at,
  lastUsedAt: wire.last_used_at,
  revokedAt: wire.revoked_at,
})
