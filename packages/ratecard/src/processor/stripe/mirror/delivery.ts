// Verifies a delivered event by its Stripe signature.
import type { Stripe } from 'stripe'
import type { ProcessorEvent } from '../../processor.ts'
import type { DeliveredEvent } from '../../mirrored.ts'
import { milliseconds, text } from '../connection/reading.ts'

/** Age (s) from which a signature is refused, so that a recorded delivery cannot be replayed later. */
const toleranceSeconds = 300

/**
 * Returns the event of a delivery that one of the secrets signed within the last five minutes; null for any other delivery. Gives no reason
 * for the refusal, because it would help to forge a delivery.
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
      // The delivery may be signed with the next secret, e.g. while an endpoint is being replaced.
    }
  }
  return null
}
