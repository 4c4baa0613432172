// Records of tenants, of changes to tenants (the audit trail), and of free subscriptions.
import { billingStatuses } from './billing-status.ts'
import { oneOf, text, textOf, textOrNull, time, timeOrNull, whole } from './columns.ts'
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
/** The enterprise fields of a tenant, e.g. as they were before a change. */
export type EnterpriseFields = Pick<TenantRecord, ColumnsWith<typeof tenantColumns, 'deal'>>

export type AuditAction =
  | 'tenant_created'
  | 'tenant_updated'
  | 'tenant_deleted'
  | 'subscription_ended'
  | 'grant_given'
  | 'grant_removed'
  | 'apply_template'
  | 'apply_custom'
  | 'remove'

export const auditColumns = {
  id: text('shown'),
  tenantId: text(),
  action: textOf<AuditAction, 'shown'>('shown'),
  /** JSON of the changed fields before the change; null if there were none. */
  before: textOrNull('shown'),
  after: textOrNull('shown'),
  /** JSON of the swapped and skipped items, or of the ended subscription with the reason; null for other actions. */
  result: textOrNull('shown'),
  author: textOrNull('shown'),
  ...keyColumns,
  requestId: textOrNull('shown'),
  createdAt: time('shown'),
} satisfies Columns

export type AuditRecord = RecordOf<typeof auditColumns>

/** Free subscriptions: subscriptions to free prices, which exist only in this store and not at the processor. */
export const localSubscriptionColumns = {
  id: text(),
  tenantId: text(),
  /** Configuration id of the free price. */
  priceId: text(),
  createdAt: time(),
  endedAt: timeOrNull(),
} satisfies Columns

export type LocalSubscriptionRecord = RecordOf<typeof localSubscriptionColumns>

/** Number of usage reports that are not billed, by tenant, meter and day since 1970 (UTC). */
export const unbilledUsageColumns = {
  tenantId: text(),
  /** Configuration id of the meter. */
  meter: text(),
  day: whole(),
  reports: whole(),
} satisfies Columns

/** Values by which the list of tenants can be sorted. */
export const tenantSorts = ['id', 'name', 'created_at', 'monthly', 'owed'] as const
export type TenantSort = (typeof tenantSorts)[number]

/** One row for each tenant, to search, filter and sort lists. All its values are derived from other tables. */
export const tenantListingColumns = {
  tenantId: text(),
  customer: textOrNull(),
  /** Search text of id, name, email and customer, see {@link searchText}. */
  search: text(),
  /** The name in the form that lists are sorted by, see {@link searchForm}. */
  nameKey: text(),
  createdAt: time(),
  billingStatus: oneOf(billingStatuses),
  /** Monthly recurring revenue, summed over all currencies in ten-thousandths of their major units, see {@link sortAmount}. */
  monthly: whole(),
  owed: whole(),
} satisfies Columns

export type TenantListingRow = RecordOf<typeof tenantListingColumns>
