import { creditOperations as creditRows } from '../../../../api/customers/credits.ts'
import { timeOf } from '../../request/request-parts.ts'
import { answerKeyed, keyedCallerOf } from '../../response/keyed-answer.ts'
import type { RouteDeps } from '../deps.ts'
import { route, type Routes, rawRoute } from '../../contract/route.ts'
import { discountOperations as discountRows } from '../../../../api/customers/discounts.ts'
import { type Clock, toRfc3339 } from '../../../../base/clock.ts'
import { invoiceOperations as invoiceRows } from '../../../../api/customers/invoices.ts'
import { exportStream } from '../../response/export.ts'
import { pageOf } from '../../response/page.ts'
import { openDayRange, dayRange } from '../../request/day-range.ts'
import type { Service } from '../../../service/service.ts'
import { moneyOperations as moneyRows } from '../../../../api/customers/money.ts'
import { usageOperations as usageRows } from '../../../../api/customers/usage.ts'

export const creditRoutes = ({ service }: RouteDeps): Routes<typeof creditRows> => ({
  listCredits: route(creditRows.listCredits, ({ params }) => service.tenantCredits(params.id)),
  addCredit: route(creditRows.addCredit, (call) => {
    const { params, body, request } = call
    const { expiresAt, ...credit } = body
    const expires = expiresAt === undefined ? {} : { expiresAt: timeOf(expiresAt, 'expires_at') }
    return answerKeyed(service, call, async () =>
      call.answer(201, await service.addCredit(params.id, { ...credit, ...expires }, keyedCallerOf(request))),
    )
  }),
})

/** Routes of the discounts of running subscriptions. A dry run has no effects, so its response is never replayed for an idempotency key. */
export const discountRoutes = ({ service }: RouteDeps): Routes<typeof discountRows> => ({
  listDiscounts: route(discountRows.listDiscounts, async ({ params }) => ({
    discounts: await service.tenantDiscounts(params.id),
  })),
  addDiscount: route(discountRows.addDiscount, async (call) => {
    const { params, body, query, request } = call
    if (query.dryRun) return call.answer(200, await service.planDiscount(params.id, body))
    return answerKeyed(service, call, async () =>
      call.answer(201, await service.addDiscount(params.id, body, keyedCallerOf(request))),
    )
  }),
  removeDiscount: route(discountRows.removeDiscount, async (call) => {
    const { params, query, request } = call
    if (query.dryRun) return call.answer(200, await service.planDiscountRemoval(params.id, params.discount))
    return answerKeyed(service, call, async () => {
      await service.removeDiscount(params.id, params.discount, keyedCallerOf(request))
      return call.answer(204, undefined)
    })
  }),
})

export interface InvoiceRouteDeps {
  readonly service: Pick<Service, 'tenantInvoices' | 'exportInvoices'>
  readonly clock: Clock
}

const mediaTypes = { csv: 'text/csv; charset=utf-8', json: 'application/json; charset=utf-8' } as const

export const invoiceRoutes = ({ service, clock }: InvoiceRouteDeps): Routes<typeof invoiceRows> => ({
  listTenantInvoices: route(invoiceRows.listTenantInvoices, async ({ params, query }) => {
    const { asOf, stale, ...found } = await service.tenantInvoices(params.id, query)
    const { items: invoices, pagination } = pageOf(query, found)
    return { asOf, stale, invoices, pagination }
  }),
  exportInvoices: rawRoute(invoiceRows.exportInvoices, async ({ query, reply }) => {
    const found = await service.exportInvoices(openDayRange(query, clock.now()))
    reply.header('x-ratecard-as-of', toRfc3339(found.asOf)).type(mediaTypes[query.format])
    if (found.stale) reply.header('x-ratecard-stale', 'true')
    return reply.send(await exportStream(found, query.format))
  }),
})

export interface MoneyRouteDeps {
  readonly service: Pick<Service, 'money' | 'moneyDays' | 'priceSubscribers'>
  readonly clock: Clock
}

const defaultDays = 90

export const moneyRoutes = ({ service, clock }: MoneyRouteDeps): Routes<typeof moneyRows> => ({
  getMoney: route(moneyRows.getMoney, () => service.money()),
  listMoneyDays: route(moneyRows.listMoneyDays, ({ query }) =>
    service.moneyDays(dayRange(query, { now: clock.now(), defaultDays })),
  ),
  listSubscribers: route(moneyRows.listSubscribers, async ({ params, query }) => {
    const { asOf, stale, ...found } = await service.priceSubscribers(params.id, query)
    const { items: subscribers, pagination } = pageOf(query, found)
    return { asOf, stale, subscribers, pagination }
  }),
})

export const usageRoutes = ({ service }: RouteDeps): Routes<typeof usageRows> => ({
  listDroppedUsage: route(usageRows.listDroppedUsage, async ({ query }) => ({
    dropped: await service.droppedUsage(query),
  })),
})
