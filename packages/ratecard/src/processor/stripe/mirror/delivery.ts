// Verifies a delivered event by its Stripe signature.
import type { Stripe } from 'stripe'
import type { ProcessorEvent } from '../../processor.ts'
import type { DeliveredEvent } from '../../mirrored.ts'
import { requireMilliseconds, text } from '../connection/reading.ts'

/** Maximum age (s) of a signature. Older ones are refused, so that a recorded delivery cannot be replayed later. */
const toleranceSeconds = 300

/**
 * Returns the event in a delivery if one of the secrets signed the delivery within the last five minutes; otherwise null. Gives no reason
 * for a refusal, because a reason would help to forge deliveries.
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
        createdAt: requireMilliseconds(event.created, 'created'),
        body: event as unknown as ProcessorEvent['body'],
      }
    } catch {
      // Another secret may match, because two secrets are valid while an endpoint is being replaced. So try the next one.
    }
  }
  return null
}
