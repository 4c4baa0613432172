import type { Clock } from '../../../../base/clock.ts'
import { moneyOperations as rows } from '../../../../api/customers/money.ts'
import { pageOf } from '../../response/page.ts'
import { dayRange } from '../../request/day-range.ts'
import { route, type Routes } from '../../contract/route.ts'
import type { Service } from '../../../service/service.ts'

export interface MoneyRouteDeps {
  readonly service: Pick<Service, 'money' | 'moneyDays' | 'priceSubscribers'>
  readonly clock: Clock
}

const defaultDays = 90

export const moneyRoutes = ({ service, clock }: MoneyRouteDeps): Routes<typeof rows> => ({
  getMoney: route(rows.getMoney, () => service.money()),
  listMoneyDays: route(rows.listMoneyDays, ({ query }) =>
    service.moneyDays(dayRange(query, { now: clock.now(), defaultDays })),
  ),
  listSubscribers: route(rows.listSubscribers, async ({ params, query }) => {
    const { asOf, stale, ...found } = await service.priceSubscribers(params.id, query)
    const { items: subscribers, pagination } = pageOf(query, found)
    return { asOf, stale, subscribers, pagination }
  }),
})
