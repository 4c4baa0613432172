import type { Service } from '../../service/service.ts'
import { processorEventOperations as rows } from '../../api/processor-events.ts'
import { route } from '../contract/route.ts'
import type { Routes } from '../contract/route.ts'

export interface ProcessorEventDeps {
  readonly service: Pick<Service, 'receiveProcessorEvent'>
}

export const processorEventRoutes = ({ service }: ProcessorEventDeps): Routes<typeof rows> => ({
  receiveProcessorEvent: route(rows.receiveProcessorEvent, async ({ body, request }) => {
    const signature = request.headers['stripe-signature']
    // `keepsText`: the body is the text as it came, because the signature is made over it.
    await service.receiveProcessorEvent(
      typeof body === 'string' ? body : '',
      typeof signature === 'string' ? signature : null,
    )
    return { received: true as const }
  }),
})
