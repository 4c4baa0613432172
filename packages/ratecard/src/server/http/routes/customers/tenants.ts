import { tenantOperations as tenantRows } from '../../../../api/customers/tenants.ts'
import { answerKeyed } from '../../response/keyed-answer.ts'
import { pageOf } from '../../response/page.ts'
import { callerOf, timeOf } from '../../request/request-parts.ts'
import type { RouteDeps } from '../deps.ts'
import { route, type Routes } from '../../contract/route.ts'
import type { UpcomingInvoices } from '../../../../api/customers/upcoming-invoices.ts'
import { sessionOperations as sessionRows } from '../../../../api/customers/sessions.ts'
import { setSessionCookie } from '../../authentication/session.ts'

export const tenantRoutes = ({ service }: RouteDeps): Routes<typeof tenantRows> => ({
  createTenant: route(tenantRows.createTenant, (call) =>
    answerKeyed(service, call, async () => {
      const tenant = await service.createTenant(call.body, callerOf(call.request))
      return call.answer(201, tenant, { location: `${tenantRows.createTenant.path}/${encodeURIComponent(tenant.id)}` })
    }),
  ),
  listTenants: route(tenantRows.listTenants, async ({ query }) => {
    const { asOf, stale, ...found } = await service.listTenants(query)
    const { items: tenants, pagination } = pageOf(query, found)
    return { ...(asOf === undefined ? {} : { asOf }), ...(stale === undefined ? {} : { stale }), tenants, pagination }
  }),
  getTenant: route(tenantRows.getTenant, ({ params }) => service.findTenant(params.id)),
  updateTenant: route(tenantRows.updateTenant, ({ params, body, request }) =>
    service.updateTenant(params.id, body, callerOf(request)),
  ),
  removeTenant: route(tenantRows.removeTenant, ({ params, request }) =>
    service.removeTenant(params.id, callerOf(request)),
  ),
  listTenantSubscriptions: route(tenantRows.listTenantSubscriptions, async ({ params: { id } }) => ({
    tenantId: id,
    ...(await service.tenantSubscriptions(id)),
  })),
  cancelSubscription: route(tenantRows.cancelSubscription, ({ params, request }) =>
    service.cancelSubscription(params.id, params.subscription, callerOf(request)),
  ),
  listGrants: route(tenantRows.listGrants, async ({ params }) => ({ grants: await service.listGrants(params.id) })),
  putGrant: route(tenantRows.putGrant, ({ params: { id, feature }, body, request }) => {
    const { endsAt, ...grant } = body
    const ends = endsAt === undefined ? {} : { endsAt: timeOf(endsAt, 'ends_at') }
    return service.putGrant({ tenantId: id, feature }, { ...grant, ...ends }, callerOf(request))
  }),
  removeGrant: route(tenantRows.removeGrant, ({ params: { id, feature }, request }) =>
    service.removeGrant({ tenantId: id, feature }, callerOf(request)),
  ),
  getTenantEntitlements: route(tenantRows.getTenantEntitlements, ({ params }) => service.tenantEntitlements(params.id)),
  getUpcomingInvoice: route(tenantRows.getUpcomingInvoice, async ({ params: { id } }) => {
    const [invoices, droppedUsage] = await Promise.all([service.upcomingInvoices(id), service.droppedUsageOf(id)])
    return { tenantId: id, ...toUpcomingInvoices(invoices), droppedUsage }
  }),
  listTenantAudit: route(tenantRows.listTenantAudit, async ({ params, query }) => {
    const { items: entries, pagination } = pageOf(query, await service.tenantAudit(params.id, query))
    return { entries, pagination }
  }),
})

/**
 * Returns the upcoming invoices of a tenant as the API returns them: the earliest invoice at the top level, and all invoices in `invoices`,
 * those without a date last.
 */
function toUpcomingInvoices(found: UpcomingInvoices) {
  const invoices = [...found].sort(
    (a, b) => (a.dueAt ?? Number.MAX_SAFE_INTEGER) - (b.dueAt ?? Number.MAX_SAFE_INTEGER),
  )
  const { subscription: _subscription, ...first } = invoices[0] ?? noInvoice
  return { ...first, invoices }
}

const noInvoice = {
  subscription: null,
  currency: null,
  subtotal: null,
  total: null,
  amountDue: null,
  creditsApplied: null,
  balance: null,
  balanceApplied: null,
  dueAt: null,
  formatted: null,
  lines: [],
}

export const sessionRoutes = ({ service, publicUrl }: RouteDeps): Routes<typeof sessionRows> => ({
  createSession: route(sessionRows.createSession, async ({ body: { tenantId, ttlSeconds = null }, reply }) => {
    const session = await service.createSession(tenantId, ttlSeconds)
    const maxAgeSeconds = Math.round((session.expiresAt - session.createdAt) / 1000)
    setSessionCookie(reply, session.value, { maxAgeSeconds, publicUrl })
    return session
  }),
  revokeSession: route(sessionRows.revokeSession, ({ params }) => service.revokeSession(params.id)),
})
