// Records of who buys, of what was changed about them, and of what they have for free.
import { text, textOf, textOrNull, time, timeOrNull } from './columns.ts'
import type { Columns, RecordOf, ColumnsWith } from './columns.ts'
import { keyColumns } from './actor.ts'

export const tenantColumns = {
  id: text('shown'),
  name: text('shown', 'edited'),
  email: textOrNull('shown', 'edited'),
  processorCustomerId: textOrNull('shown', 'edited'),
  enterpriseTemplate: textOrNull('shown', 'deal'),
  enterpriseId: textOrNull('shown', 'deal'),
  createdAt: time('shown'),
  updatedAt: time('shown'),
} satisfies Columns

export type TenantRecord = RecordOf<typeof tenantColumns>
/** What callers say about a tenant. */
export type EditedField = ColumnsWith<typeof tenantColumns, 'edited'>
/** What a tenant's enterprise fields were and became. */
export type EnterpriseFields = Pick<TenantRecord, ColumnsWith<typeof tenantColumns, 'deal'>>

export type AuditAction =
  | 'tenant_created'
  | 'tenant_updated'
  | 'tenant_deleted'
  | 'subscription_ended'
  | 'apply_template'
  | 'apply_custom'
  | 'remove'

export const auditColumns = {
  id: text('shown'),
  tenantId: text(),
  action: textOf<AuditAction, 'shown'>('shown'),
  /** JSON of the fields before and after; null where there is nothing. */
  before: textOrNull('shown'),
  after: textOrNull('shown'),
  /** JSON: what was swapped and what was skipped, or which subscription ended and why; null for other actions. */
  result: textOrNull('shown'),
  author: textOrNull('shown'),
  ...keyColumns,
  requestId: textOrNull('shown'),
  createdAt: time('shown'),
} satisfies Columns

export type AuditRecord = RecordOf<typeof auditColumns>

/** A subscription to a free price: it lives here alone. */
export const localSubscriptionColumns = {
  id: text(),
  tenantId: text(),
  /** Config id. */
  priceId: text(),
  createdAt: time(),
  endedAt: timeOrNull(),
} satisfies Columns

export type LocalSubscriptionRecord = RecordOf<typeof localSubscriptionColumns>
