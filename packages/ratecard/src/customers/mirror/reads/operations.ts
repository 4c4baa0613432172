// Operations that read only the mirror and never call the processor: money, subscribers and invoices.
import type { MirrorOperations } from '../../../api/service/mirror.ts'
import type { TenantOperations } from '../../../api/service/tenants.ts'
import { createSharedSums, type MirrorReadDeps } from './deps.ts'
import { readExport } from './export.ts'
import { readTenantInvoices } from './invoices.ts'
import { readGauges, readMoney, readMoneyDays } from './money.ts'
import { readSubscribers } from './subscribers.ts'
import { readTenants } from './tenants.ts'

export type MirrorReads = Omit<MirrorOperations, 'receiveProcessorEvent'> & Pick<TenantOperations, 'listTenants'>

export function createMirrorReads(options: Omit<MirrorReadDeps, 'currentSums'>): MirrorReads {
  const deps = { ...options, currentSums: createSharedSums(options.store) }
  return {
    listTenants: (query) => readTenants(deps, query),
    tenantInvoices: (id, page) => readTenantInvoices(deps, id, page),
    priceSubscribers: (id, query) => readSubscribers(deps, id, query),
    money: () => readMoney(deps),
    moneyDays: (range) => readMoneyDays(deps, range),
    exportInvoices: (range) => readExport(deps, range),
    billingGauges: () => readGauges(deps),
  }
}
