import { ServiceError } from '../errors/service-error.ts'
import type { MirrorOperations } from '../service/mirror.ts'

/** Operations of the mirror with `RATECARD_MIRROR=off`. */
export const mirrorOff: MirrorOperations = {
  tenantInvoices: refuse,
  priceSubscribers: refuse,
  money: refuse,
  moneyDays: refuse,
  exportInvoices: refuse,
  billingGauges: () => Promise.resolve(null),
  receiveProcessorEvent: refuse,
}

/** The rejection of everything that only the mirror can answer. */
export function refuse(): Promise<never> {
  return Promise.reject(
    new ServiceError('mirror_off', 'This is read from the mirror, and the mirror is switched off.', {
      hint: 'Start the service with RATECARD_MIRROR=on.',
    }),
  )
}
