// Operations for a tenant: checkout, managing subscriptions, and reporting usage. Callers use the tenant's session cookie (from the browser
// or through the application's server), or a service key that names the tenant.
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { checkoutOperations as rows } from '../../../../api/customers/checkout.ts'
import { answerKeyed } from '../../response/keyed-answer.ts'
import { pageOf } from '../../response/page.ts'
import { idempotencyKeyOf } from '../../response/push-answer.ts'
import { memberInvalid, timeOf } from '../../request/request-parts.ts'
import type { RouteDeps } from '../deps.ts'
import { route, type Routes } from '../../contract/route.ts'
import { bornOf, buyerOf, principalOf, readTenantId, sessionRoute } from '../session-route.ts'

export function checkoutRoutes(deps: RouteDeps): Routes<typeof rows> {
  const { service } = deps
  return {
    listSessionPrices: route(
      rows.listSessionPrices,
      async ({ query, request }) => ({
        prices: await service.sessionPrices(principalOf(request, query.tenantId)),
      }),
      sessionRoute(deps, rows.listSessionPrices),
    ),
    listSessionSubscriptions: route(
      rows.listSessionSubscriptions,
      async ({ query, request }) => {
        const tenantId = readTenantId(request, query.tenantId)
        return { tenantId, ...(await service.tenantSubscriptions(tenantId)) }
      },
      sessionRoute(deps, rows.listSessionSubscriptions),
    ),
    listSessionInvoices: route(
      rows.listSessionInvoices,
      async ({ query: { tenantId, ...page }, request }) => {
        const { asOf, stale, ...found } = await service.tenantInvoices(readTenantId(request, tenantId), page)
        const { items: invoices, pagination } = pageOf(page, found)
        return { asOf, stale, invoices, pagination }
      },
      sessionRoute(deps, rows.listSessionInvoices),
    ),
    getEntitlements: route(
      rows.getEntitlements,
      ({ query, request }) => service.sessionEntitlements(principalOf(request, query.tenantId)),
      sessionRoute(deps, rows.getEntitlements),
    ),
    checkEntitlements: route(
      rows.checkEntitlements,
      async ({ body, request }) => {
        const { feature, checks, used, requested, tenantId } = body
        const principal = principalOf(request, tenantId)
        if (checks === undefined) {
          if (feature === undefined)
            throw memberInvalid('feature', 'The request needs "feature" or "checks".', 'field_missing')
          const question = {
            feature,
            ...(used !== undefined && { used }),
            ...(requested !== undefined && { requested }),
          }
          return service.checkFeature(question, principal)
        }
        if (feature !== undefined || used !== undefined || requested !== undefined)
          throw memberInvalid(
            'checks',
            '"checks" cannot be combined with "feature", "used" or "requested".',
            'value_invalid',
          )
        return { checks: await service.checkFeatures(checks, principal) }
      },
      sessionRoute(deps, rows.checkEntitlements),
    ),
    createCheckout: route(
      rows.createCheckout,
      async (call) => {
        const { tenantId, ...checkout } = call.body
        if (checkout.priceId === undefined && checkout.items === undefined)
          throw memberInvalid(
            'price_id',
            'The request needs "price_id", or "items" for several prices.',
            'field_missing',
          )
        const principal = await buyerOf(service, call.request, tenantId)
        return answerKeyed(
          service,
          call,
          async () =>
            call.answer(200, await service.createCheckout(checkout, principal, idempotencyKeyOf(call.request))),
          bornOf(service, principal),
        )
      },
      sessionRoute(deps, rows.createCheckout),
    ),
    createPortal: route(
      rows.createPortal,
      async ({ body: { tenantId, ...portal }, request }) =>
        service.createPortal(portal, principalOf(request, tenantId)),
      sessionRoute(deps, rows.createPortal),
    ),
    recordUsage: route(
      rows.recordUsage,
      (call) => {
        const {
          meter,
          value,
          tenantId,
          timestamp,
          identifier = identifierOf(call.request),
          strict,
          enforce,
        } = call.body
        const principal = principalOf(call.request, tenantId)
        const at = timestamp === undefined ? null : timeOf(timestamp, 'timestamp')
        const usage = {
          meter,
          value,
          ...(at === null ? {} : { timestamp: at }),
          ...(identifier === undefined ? {} : { identifier }),
          ...(strict === undefined ? {} : { strict }),
          ...(enforce === undefined ? {} : { enforce }),
        }
        return answerKeyed(
          service,
          call,
          async () => {
            const recorded = await service.recordUsage(usage, principal)
            // `alreadyCounted` means that the report was a duplicate, so that its values were not counted. The response has no values:
            // those of the duplicate would be wrong, and those of the first report are not stored.
            const said = recorded.alreadyCounted ? { value: null, timestamp: null } : { value, timestamp: at }
            return call.answer(200, { ...recorded, ...said })
          },
          bornOf(service, principal),
        )
      },
      sessionRoute(deps, rows.recordUsage),
    ),
  }
}

/**
 * Returns the identifier for a usage report without one. It is derived from the idempotency key, so that a retry after a lost response is
 * not counted twice.
 */
function identifierOf(request: FastifyRequest): string | undefined {
  const key = idempotencyKeyOf(request)
  return key === null ? undefined : `key_${createHash('sha256').update(key).digest('hex')}`
}
