import { type Clock, toRfc3339 } from '../../../../base/clock.ts'
import { invoiceOperations as rows } from '../../../../api/customers/invoices.ts'
import { exportStream } from '../../response/export.ts'
import { pageOf } from '../../response/page.ts'
import { openDayRange } from '../../request/day-range.ts'
import { rawRoute, route, type Routes } from '../../contract/route.ts'
import type { Service } from '../../../service/service.ts'

export interface InvoiceRouteDeps {
  readonly service: Pick<Service, 'tenantInvoices' | 'exportInvoices'>
  readonly clock: Clock
}

const mediaTypes = { csv: 'text/csv; charset=utf-8', json: 'application/json; charset=utf-8' } as const

export const invoiceRoutes = ({ service, clock }: InvoiceRouteDeps): Routes<typeof rows> => ({
  listTenantInvoices: route(rows.listTenantInvoices, async ({ params, query }) => {
    const { asOf, stale, ...found } = await service.tenantInvoices(params.id, query)
    const { items: invoices, pagination } = pageOf(query, found)
    return { asOf, stale, invoices, pagination }
  }),
  exportInvoices: rawRoute(rows.exportInvoices, async ({ query, reply }) => {
    const found = await service.exportInvoices(openDayRange(query, clock.now()))
    reply.header('x-ratecard-as-of', toRfc3339(found.asOf)).type(mediaTypes[query.format])
    if (found.stale) reply.header('x-ratecard-stale', 'true')
    return reply.send(await exportStream(found, query.format))
  }),
})
