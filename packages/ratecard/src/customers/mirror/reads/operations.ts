// Operations that read only the mirror and never call the processor: money, subscribers and invoices.
import { bind } from '../../../base/bind.ts'
import { createSharedSums, type MirrorReadDeps } from './deps.ts'
import { readExport } from './export.ts'
import { readTenantInvoices } from './invoices.ts'
import { readGauges, readMoney, readMoneyDays } from './money.ts'
import { readSubscribers } from './subscribers.ts'
import { readTenants } from './tenants.ts'

export type MirrorReads = ReturnType<typeof createMirrorReads>

export const createMirrorReads = (options: Omit<MirrorReadDeps, 'currentSums'>) =>
  bind(
    { ...options, currentSums: createSharedSums(options.store) },
    {
      listTenants: readTenants,
      tenantInvoices: readTenantInvoices,
      priceSubscribers: readSubscribers,
      money: readMoney,
      moneyDays: readMoneyDays,
      exportInvoices: readExport,
      billingGauges: readGauges,
    },
  )
