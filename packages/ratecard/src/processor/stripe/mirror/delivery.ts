// Verifies a delivered event by Stripe's signature scheme.
import type { Stripe } from 'stripe'
import type { ProcessorEvent } from '../../processor.ts'
import type { DeliveredEvent } from '../../mirrored.ts'
import { milliseconds, text } from '../connection/reading.ts'

/** Age (s) from which a signature is refused, so that a recorded delivery cannot be sent again later. */
const toleranceSeconds = 300

/**
 * Returns the event of a delivery that one of the secrets signed within the last five minutes; null for any other. Throws nothing, because
 * the reason would help to forge one.
 */
export function readDelivery(stripe: Stripe, delivery: DeliveredEvent, now: number): ProcessorEvent | null {
  const { body, signature, secrets } = delivery
  if (signature === null) return null
  for (const secret of secrets) {
    try {
      const event = stripe.webhooks.constructEvent(body, signature, secret, toleranceSeconds, undefined, now)
      return {
        id: text(event.id, 'id'),
        type: text(event.type, 'type'),
        createdAt: milliseconds(event.created, 'created'),
        body: event as unknown as ProcessorEvent['body'],
      }
    } catch {
      // Another secret may have signed it, e.g. while an endpoint is replaced.
    }
  }
  return null
}
