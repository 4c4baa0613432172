// Records of tenants, of their changes (audit), and of their free subscriptions.
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
export type EditedField = ColumnsWith<typeof tenantColumns, 'edited'>
/** Enterprise fields of a tenant, e.g. before and after a change. */
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
  /** JSON of the fields before the change; null if there were none. */
  before: textOrNull('shown'),
  after: textOrNull('shown'),
  /** JSON of the swapped and skipped items, or of the ended subscription and the reason; null for other actions. */
  result: textOrNull('shown'),
  author: textOrNull('shown'),
  ...keyColumns,
  requestId: textOrNull('shown'),
  createdAt: time('shown'),
} satisfies Columns

export type AuditRecord = RecordOf<typeof auditColumns>

/** Subscriptions to free prices; they exist in this store alone, not at the processor. */
export const localSubscriptionColumns = {
  id: text(),
  tenantId: text(),
  /** Configuration id of the free price. */
  priceId: text(),
  createdAt: time(),
  endedAt: timeOrNull(),
} satisfies Columns

export type LocalSubscriptionRecord = RecordOf<typeof localSubscriptionColumns>
