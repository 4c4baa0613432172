import type { MirrorOperations } from '../service/mirror.ts'
import { mirrorOff } from './mirror.ts'

/** Operations of the mirror with `RATECARD_MIRROR=off`. */
export const operationsOff: MirrorOperations = {
  tenantInvoices: refuse,
  priceSubscribers: refuse,
  money: refuse,
  moneyDays: refuse,
  exportInvoices: refuse,
  billingGauges: () => Promise.resolve(null),
  receiveProcessorEvent: refuse,
}

async function refuse(): Promise<never> {
  await mirrorOff.require()
  throw new Error('The mirror that is off answered.')
}
