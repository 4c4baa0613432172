// Records of tenants, of changes to tenants (the audit trail), and of free subscriptions.
import { billingStatuses, type BillingStatus, type CustomerStanding } from './billing-status.ts'
import { oneOf, oneOfOrNull, text, textOf, textOrNull, time, timeOrNull, whole } from './columns.ts'
import type { Columns, RecordOf, ColumnsWith } from './columns.ts'
import { keyColumns } from './actor.ts'
import type { PageQuery } from './page.ts'
import type { ProcessorId } from '../../catalog/resource.ts'
import type { MirroredSubscription } from '../../processor/mirrored.ts'

/**
 * Prices that items return to when a deal ends. `base`: the present base price. `signed`: the price that the item was on before the deal,
 * which may be a former processor price.
 */
export const dealEnds = ['base', 'signed'] as const
export type DealEnd = (typeof dealEnds)[number]

export const tenantColumns = {
  id: text('shown'),
  name: text('shown', 'edited'),
  email: textOrNull('shown', 'edited'),
  processorCustomerId: textOrNull('shown', 'edited'),
  enterpriseTemplate: textOrNull('shown', 'deal'),
  enterpriseId: textOrNull('shown', 'deal'),
  /** Time at which the service removes the negotiated prices; null for prices without an end. */
  enterpriseEndsAt: timeOrNull('shown', 'deal'),
  enterpriseThen: oneOfOrNull(dealEnds, 'shown', 'deal'),
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
  | 'subscription_changed'
  | 'subscription_cancelled'
  | 'subscription_resumed'
  | 'subscription_paused'
  | 'grant_given'
  | 'credit_granted'
  | 'grant_removed'
  | 'discount_added'
  | 'discount_removed'
  | 'apply_template'
  | 'apply_custom'
  | 'remove'
  | 'deal_ended'

/** Actions after which a tenant has no deal. */
export const dealEndActions = ['remove', 'deal_ended'] as const satisfies readonly AuditAction[]

export const auditColumns = {
  id: text('shown'),
  tenantId: text(),
  action: textOf<AuditAction, 'shown'>('shown'),
  /** JSON of the changed fields before the change; null if there were none. */
  before: textOrNull('shown'),
  after: textOrNull('shown'),
  /** JSON of the swapped and skipped items, or of the ended subscription with the reason for its end; null for other actions. */
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

/** Free subscriptions that begin later: when a subscription at the processor ends because it was changed to a free price. */
export const plannedFreeColumns = {
  /** Id of the subscription at the processor. */
  subscription: text(),
  tenantId: text(),
  /** Id that the free subscription will have. */
  id: text(),
  /** Configuration id of the free price. */
  priceId: text(),
  /**
   * Time at which the subscription at the processor ends because of the change. If it ends at another time, the free subscription does not
   * begin.
   */
  beginsAt: time(),
} satisfies Columns

export type PlannedFreeRecord = RecordOf<typeof plannedFreeColumns>

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

/** One row for each tenant, for searching, filtering and sorting lists of tenants. All values are derived from other tables. */
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

export interface TenantListQuery extends PageQuery {
  readonly processorCustomerId?: string
  readonly enterpriseTemplate?: string
  readonly enterpriseId?: string
  /** Text that the tenant's id, name, email or customer id must contain; case and accents are ignored. */
  readonly q?: string
  readonly state?: BillingStatus
  /**
   * Filter by prices. Each member is a list of prices; the tenant must have at least one price of every list. Prices are processor ids, or
   * configuration ids of free prices. E.g. one list may have all processor prices of one price, another all legacy prices.
   */
  readonly onPrices?: readonly (readonly string[])[]
  /** True: only tenants that owe something. */
  readonly owing?: boolean
  /**
   * Sort key, by default the id. Tenants with equal values are sorted by id. An amount of money is the sum over all currencies in major
   * units (e.g. euros), without conversion.
   */
  readonly sort?: TenantSort
  readonly order?: 'asc' | 'desc'
}

/** A price that a tenant is on. */
export interface ListedPrice {
  /** Processor id of the price; for a free price its configuration id. */
  readonly price: string
  /** Processor id of the price's product; null for a free price. */
  readonly product: ProcessorId | null
  /** Number of items on the price. */
  readonly items: number
}

/** A tenant as lists show it, with values of the mirror and of the tenant's free subscriptions. */
export interface ListedTenant extends TenantRecord {
  readonly billingStatus: BillingStatus
  /** Prices that the tenant is on, ascending by id. */
  readonly prices: readonly ListedPrice[]
  /** Exact monthly recurring revenue by currency: decimals in minor units. */
  readonly monthly: CustomerStanding['monthly']
  readonly owed: CustomerStanding['owed']
  /** Subscriptions at the processor that have not ended. */
  readonly subscriptions: readonly MirroredSubscription[]
  /** Number of running subscriptions to free prices. */
  readonly freeSubscriptions: number
}

export interface UnbilledUsage {
  readonly tenantId: string
  /** Configuration id of the meter. */
  readonly meter: string
  readonly reports: number
}
