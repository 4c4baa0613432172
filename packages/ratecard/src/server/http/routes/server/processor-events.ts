import { ServiceError } from '../../../../base/errors/service-error.ts'
import { processorEventOperations as rows } from '../../../../api/server/processor-events.ts'
import { route, type Routes } from '../../contract/route.ts'
import type { AddressGuard } from '../../listener/address-guard.ts'
import type { Service } from '../../../service/service.ts'

export interface ProcessorEventDeps {
  readonly service: Pick<Service, 'receiveProcessorEvent'>
  readonly guard: AddressGuard
}

/**
 * Only refused deliveries count towards the rate limit of a client address, because the processor may deliver thousands of valid events a
 * minute.
 */
export const processorEventRoutes = ({ service, guard }: ProcessorEventDeps): Routes<typeof rows> => ({
  receiveProcessorEvent: route(
    rows.receiveProcessorEvent,
    async ({ body, request }) => {
      const signature = request.headers['stripe-signature']
      try {
        // `keepsText`: the handler needs the body text unchanged, because Stripe's signature is computed over the text.
        await service.receiveProcessorEvent(
          typeof body === 'string' ? body : '',
          typeof signature === 'string' ? signature : null,
        )
      } catch (error) {
        const refused = error instanceof ServiceError && error.code === 'delivery_invalid'
        if (refused && signature !== undefined) await guard.count(request, 'refused_delivery')
        throw error
      }
      return { received: true as const }
    },
    {
      onRequest: async (request) => {
        // A delivery without a signature is counted before its body is read.
        if (request.headers['stripe-signature'] === undefined) await guard.count(request, 'refused_delivery')
      },
    },
  ),
})
