// Records usage, one event at a time. The first event with an identifier counts; later ones are ignored.
import type { Stripe } from 'stripe'
import type { UsageEvent } from '../../customer-half.ts'
import { ProcessorError } from '../../processor-error.ts'
import type { WriteOptions } from '../../processor.ts'
import type { StripeContext } from '../catalog/context.ts'

export async function recordUsage(context: StripeContext, event: UsageEvent, options: WriteOptions): Promise<boolean> {
  const { idempotencyKey, signal } = options
  const { eventName, payload, timestamp, identifier } = event
  const params: Stripe.Billing.MeterEventCreateParams = {
    event_name: eventName,
    payload: { ...payload },
    identifier,
    ...(timestamp === null ? {} : { timestamp: Math.floor(timestamp / 1000) }),
  }
  try {
    await context.caller.call({
      operation: 'POST /v1/billing/meter_events',
      access: 'write',
      signal,
      send: () => context.stripe.billing.meterEvents.create(params, { idempotencyKey }),
      flaw: (answer) => eventFlaw(answer, identifier),
    })
    return true
  } catch (error) {
    if (isRecorded(error)) return false
    throw error
  }
}

/** Returns the flaw of a malformed response, or null. Compares the identifier, because meter events have no id. */
function eventFlaw(event: { readonly object: string; readonly identifier: string }, identifier: string): string | null {
  if (event.object !== 'billing.meter_event') return 'a billing.meter_event was expected'
  return event.identifier === identifier ? null : `it is about ${event.identifier}, not ${identifier}`
}

function isRecorded(error: unknown): boolean {
  if (!(error instanceof ProcessorError) || error.kind !== 'rejected') return false
  const { code, message } = error.original
  return code === 'duplicate_meter_event' || /already exists with identifier/i.test(message ?? '')
}
