import { acting } from './by.ts'
import { actorHeaders } from './admin.ts'
import { camel, snake } from './names.ts'
import type * as result from './tenant-results.ts'
import type { CallOptions, Transport } from './transport.ts'
import { read, segment } from './typed.ts'
import { paginationOf } from './wire.ts'
import type { Answers, Bodies } from './wire-types.generated.ts'

export interface WriteOptions extends CallOptions {
  /** Generated when absent: a repeat with the same key answers the first result. */
  readonly idempotencyKey?: string | undefined
}

export interface ActOptions extends CallOptions {
  /** For the audit trail. */
  readonly author?: string | undefined
  readonly message?: string | undefined
}

export interface TenantPage extends CallOptions {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

export interface TenantQuery extends TenantPage {
  readonly processorCustomerId?: string | undefined
  readonly enterpriseTemplate?: string | undefined
  readonly enterpriseId?: string | undefined
}

export interface TenantsClient {
  create(tenant: result.NewTenant, options?: WriteOptions & ActOptions): Promise<result.Tenant>
  /** By id, ascending. */
  list(query?: TenantQuery): Promise<result.TenantList>
  find(id: string, options?: CallOptions): Promise<result.Tenant>
  update(id: string, change: result.TenantChange, options?: ActOptions): Promise<result.Tenant>
  /** Refused while it has live subscriptions. Its sessions and open checkout pages end; its audit trail and its customer stay. */
  remove(id: string, options?: ActOptions): Promise<void>
  subscriptions(id: string, options?: CallOptions): Promise<result.TenantSubscriptions>
  upcomingInvoice(id: string, options?: CallOptions): Promise<result.UpcomingInvoice>
  /** Newest first. */
  audit(id: string, page?: TenantPage): Promise<result.Audit>
}

export interface SessionsClient {
  /** For checkout, portal and usage of that tenant alone. `ttlSeconds` is one day when absent. */
  create(
    session: { readonly tenantId: string; readonly ttlSeconds?: number | undefined },
    options?: CallOptions,
  ): Promise<result.Session>
  revoke(id: string, options?: CallOptions): Promise<void>
}

const root = '/api/v1/billing/admin/tenants'
const at = (id: string, rest = '') => `${root}/${segment(id)}${rest}`

/** Splits what is said in headers from what is said to the transport. */
export function acted<Options extends ActOptions & WriteOptions>({
  author,
  message,
  idempotencyKey,
  ...options
}: Options) {
  return { ...options, headers: { ...actorHeaders({ author, message }), 'idempotency-key': idempotencyKey } }
}

export function tenantsClient(transport: Transport): TenantsClient {
  return {
    create: async (tenant, options = {}) => {
      const body: Bodies['createTenant'] = snake(tenant)
      const call = { ...acted(options), method: 'POST', keyed: true, body } as const
      return camel(await read<Answers['createTenant'][201]>(transport, root, call))
    },
    list: async ({ limit, offset, processorCustomerId, enterpriseTemplate, enterpriseId, ...options } = {}) => {
      const query = { limit, offset, ...snake({ processorCustomerId, enterpriseTemplate, enterpriseId }) }
      const answer = await read<Answers['listTenants'][200]>(transport, root, { ...options, query })
      return { tenants: answer.tenants.map(camel), pagination: paginationOf(answer.pagination) }
    },
    find: async (id, options) => camel(await read<Answers['getTenant'][200]>(transport, at(id), options)),
    update: async (id, change, options = {}) => {
      const body: Bodies['updateTenant'] = snake(change)
      const call = { ...acted(options), method: 'PATCH', body } as const
      return camel(await read<Answers['updateTenant'][200]>(transport, at(id), call))
    },
    remove: async (id, options = {}) => {
      await transport.send(at(id), { ...acted(options), method: 'DELETE' })
    },
    subscriptions: async (id, options) =>
      subscriptionsOf(
        await read<Answers['listTenantSubscriptions'][200]>(transport, at(id, '/subscriptions'), options),
      ),
    upcomingInvoice: async (id, options) =>
      upcomingOf(await read<Answers['getUpcomingInvoice'][200]>(transport, at(id, '/upcoming-invoice'), options)),
    audit: async (id, { limit, offset, ...options } = {}) => {
      const answer = await read<Answers['listTenantAudit'][200]>(transport, at(id, '/audit'), {
        ...options,
        query: { limit, offset },
      })
      return { entries: answer.entries.map(acting), pagination: paginationOf(answer.pagination) }
    },
  }
}

const subscriptionsOf = (wire: Answers['listTenantSubscriptions'][200]): result.TenantSubscriptions => ({
  ...camel(wire),
  subscriptions: wire.subscriptions.map((each) => ({ ...camel(each), items: each.items.map(camel) })),
})

const upcomingOf = (wire: Answers['getUpcomingInvoice'][200]): result.UpcomingInvoice => ({
  ...camel(wire),
  lines: wire.lines.map(camel),
  invoices: wire.invoices.map((each) => ({ ...camel(each), lines: each.lines.map(camel) })),
})

export function sessionsClient(transport: Transport): SessionsClient {
  const path = '/api/v1/billing/admin/sessions'
  return {
    create: async (session, options) => {
      const body: Bodies['createSession'] = snake(session)
      return camel(await read<Answers['createSession'][201]>(transport, path, { ...options, method: 'POST', body }))
    },
    revoke: async (id, options) => {
      await transport.send(`${path}/${segment(id)}`, { ...options, method: 'DELETE' })
    },
  }
}
