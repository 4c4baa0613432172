import { acted, call, type ActOptions, type WriteOptions } from '../call.ts'
import type { EnterpriseId, EnterpriseTemplate, FeatureId, PriceId } from '../ids.ts'
import type { CallOptions, Transport } from '../transport.ts'
import type * as result from '../wire.generated.ts'

export interface TenantPage extends CallOptions {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

export interface TenantQuery extends TenantPage {
  readonly processorCustomerId?: string | undefined
  readonly enterpriseTemplate?: EnterpriseTemplate | undefined
  readonly enterpriseId?: EnterpriseId | undefined
  /** Search text: part of the id, name, e-mail address or customer id. Upper and lower case are treated as equal. */
  readonly q?: string | undefined
  /**
   * Billing status of the tenant. This filter and all following ones need the mirror, i.e. the service's copy of the processor's data. So
   * does `sort` by `monthly` or `owed`.
   */
  readonly state?: result.BillingStatus | undefined
  readonly priceId?: PriceId | undefined
  readonly productId?: string | undefined
  /** True: only tenants with a subscription item on a former amount of its price. */
  readonly legacy?: boolean | undefined
  /** True: only tenants with an unpaid amount. */
  readonly owing?: boolean | undefined
  /** Order of the list. Default: `id`. */
  readonly sort?: 'id' | 'name' | 'created_at' | 'monthly' | 'owed' | undefined
  readonly order?: 'asc' | 'desc' | undefined
}

export interface TenantsClient {
  create(tenant: result.NewTenant, options?: WriteOptions & ActOptions): Promise<result.Tenant>
  /** Returns the tenants, by default by id, ascending. */
  list(query?: TenantQuery): Promise<result.TenantList>
  find(id: string, options?: CallOptions): Promise<result.Tenant>
  update(id: string, change: result.TenantChange, options?: ActOptions): Promise<result.Tenant>
  /**
   * Deletes a tenant. Refused while the tenant has live subscriptions. Ends its sessions and open checkout pages; keeps its audit trail and
   * its customer at the processor.
   */
  remove(id: string, options?: ActOptions): Promise<void>
  subscriptions(id: string, options?: CallOptions): Promise<result.TenantSubscriptions>
  /** Ends a subscription to a free price. Other subscriptions are cancelled in the processor's customer portal. */
  cancelSubscription(id: string, subscription: string, options?: ActOptions): Promise<void>
  /** Returns the features that the tenant may use now. */
  entitlements(id: string, options?: CallOptions): Promise<result.Entitlements>
  /** Returns the features that were granted to the tenant by hand, including ended grants. */
  grants(id: string, options?: CallOptions): Promise<result.Grant[]>
  /** Grants a tenant more of a feature, or another limit. Replaces an earlier grant of the same feature. */
  grant(id: string, feature: FeatureId, grant: result.NewGrant, options?: ActOptions): Promise<result.Grant>
  removeGrant(id: string, feature: FeatureId, options?: ActOptions): Promise<void>
  upcomingInvoice(id: string, options?: CallOptions): Promise<result.UpcomingInvoice>
  /**
   * Returns the finalized invoices, newest first, with their unpaid and refunded amounts. Needs the mirror, i.e. the service's copy of the
   * processor's data.
   */
  invoices(id: string, page?: TenantPage): Promise<result.TenantInvoices>
  /** Returns the audit entries, newest first. */
  audit(id: string, page?: TenantPage): Promise<result.Audit>
}

export interface SessionsClient {
  /** Creates a session for checkout, portal and usage of one tenant. Default of `ttlSeconds`: 86400 (one day). */
  create(
    session: { readonly tenantId: string; readonly ttlSeconds?: number | undefined },
    options?: CallOptions,
  ): Promise<result.Session>
  revoke(id: string, options?: CallOptions): Promise<void>
}

export const tenantsClient = (transport: Transport): TenantsClient => ({
  create: (body, options = {}) => call(transport, 'createTenant', { body, keyed: true }, acted(options)),
  list: ({ signal, timeoutMs, ...query } = {}) =>
    call(transport, 'listTenants', { query }, { signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) }),
  find: (id, options) => call(transport, 'getTenant', { params: { id } }, options),
  update: (id, body, options = {}) => call(transport, 'updateTenant', { params: { id }, body }, acted(options)),
  remove: async (id, options = {}) => {
    await call(transport, 'removeTenant', { params: { id } }, acted(options))
  },
  subscriptions: (id, options) => call(transport, 'listTenantSubscriptions', { params: { id } }, options),
  grants: async (id, options) => (await call(transport, 'listGrants', { params: { id } }, options)).grants,
  grant: (id, feature, body, options = {}) =>
    call(transport, 'putGrant', { params: { id, feature }, body }, acted(options)),
  removeGrant: async (id, feature, options = {}) => {
    await call(transport, 'removeGrant', { params: { id, feature } }, acted(options))
  },
  cancelSubscription: async (id, subscription, options = {}) => {
    await call(transport, 'cancelSubscription', { params: { id, subscription } }, acted(options))
  },
  entitlements: (id, options) => call(transport, 'getTenantEntitlements', { params: { id } }, options),
  upcomingInvoice: (id, options) => call(transport, 'getUpcomingInvoice', { params: { id } }, options),
  invoices: (id, { limit, offset, ...options } = {}) =>
    call(transport, 'listTenantInvoices', { params: { id }, query: { limit, offset } }, options),
  audit: (id, { limit, offset, ...options } = {}) =>
    call(transport, 'listTenantAudit', { params: { id }, query: { limit, offset } }, options),
})

export const sessionsClient = (transport: Transport): SessionsClient => ({
  create: (body, options) => call(transport, 'createSession', { body }, options),
  revoke: async (id, options) => {
    await call(transport, 'revokeSession', { params: { id } }, options)
  },
})
