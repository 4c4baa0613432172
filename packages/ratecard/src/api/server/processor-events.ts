// Operation that receives signed events from the processor. They keep the mirror (the store's copy of the processor's data) up to date.
import { Type } from 'typebox'
import { operations } from '../notation/operation.ts'
import { AnyValue, closed } from '../notation/schema.ts'

export const processorEventOperations = operations({
  receiveProcessorEvent: {
    tag: 'Operations',
    access: 'open',
    method: 'POST',
    path: '/api/v1/processor/events',
    summary: 'Receive an event that the processor delivers',
    description:
      'For the processor only. The signature is verified over the raw bytes of the body. A second delivery of an event has no effect.',
    headers: {
      'stripe-signature': Type.Optional(
        Type.String({ maxLength: 4096, description: 'The processor’s signature of time and body.' }),
      ),
    },
    body: AnyValue('The event.'),
    bodyLimit: 1024 * 1024,
    keepsText: true,
    answers: {
      200: {
        description: 'The event was accepted.',
        schema: Type.Object({ received: Type.Literal(true) }, closed),
      },
    },
    errors: ['delivery_invalid', 'mirror_off', 'rate_limited', 'store_unavailable'],
  },
})
