import { acted, call, type ActOptions, type WriteOptions } from './call.ts'
import type { CallOptions, Transport } from './transport.ts'
import type * as result from './wire.generated.ts'

export interface TenantPage extends CallOptions {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

export interface TenantQuery extends TenantPage {
  readonly processorCustomerId?: string | undefined
  readonly enterpriseTemplate?: string | undefined
  readonly enterpriseId?: string | undefined
  /** Part of id, name, e-mail or customer id, in any case. */
  readonly q?: string | undefined
  /** This and the filters below need the mirror, as do `monthly` and `owed` of `sort`. */
  readonly state?: result.BillingStatus | undefined
  readonly priceId?: string | undefined
  readonly productId?: string | undefined
  /** True: only tenants with an item on an earlier generation of its price. */
  readonly legacy?: boolean | undefined
  /** True: only tenants that owe something. */
  readonly owing?: boolean | undefined
  /** Default: `id`. */
  readonly sort?: 'id' | 'name' | 'created_at' | 'monthly' | 'owed' | undefined
  readonly order?: 'asc' | 'desc' | undefined
}

export interface TenantsClient {
  create(tenant: result.NewTenant, options?: WriteOptions & ActOptions): Promise<result.Tenant>
  /** Tenants, by default by id, ascending. */
  list(query?: TenantQuery): Promise<result.TenantList>
  find(id: string, options?: CallOptions): Promise<result.Tenant>
  update(id: string, change: result.TenantChange, options?: ActOptions): Promise<result.Tenant>
  /**
   * Refused while the tenant has live subscriptions. Ends its sessions and open checkout pages; keeps its audit trail and its customer
   * at the processor.
   */
  remove(id: string, options?: ActOptions): Promise<void>
  subscriptions(id: string, options?: CallOptions): Promise<result.TenantSubscriptions>
  /** Ends a subscription to a free price. Subscriptions at the processor are cancelled in its portal. */
  cancelSubscription(id: string, subscription: string, options?: ActOptions): Promise<void>
  /** The features that the tenant may use now. */
  entitlements(id: string, options?: CallOptions): Promise<result.Entitlements>
  upcomingInvoice(id: string, options?: CallOptions): Promise<result.UpcomingInvoice>
  /** Finalized invoices, newest first, with what is owed and what was refunded. Needs the mirror. */
  invoices(id: string, page?: TenantPage): Promise<result.TenantInvoices>
  /** Audit entries, newest first. */
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
