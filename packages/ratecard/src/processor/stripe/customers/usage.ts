// Records usage, one event at a time. The first event with an identifier counts; later ones are ignored. Reads what the processor counted.
import type { Stripe } from 'stripe'
import type { UsageEvent } from '../../customer-half.ts'
import type { CountedUsageQuery } from '../../mirrored.ts'
import { ProcessorError } from '../../processor-error.ts'
import type { WriteOptions } from '../../processor.ts'
import { meterEventOperation } from '../../rate-budget.ts'
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
      operation: meterEventOperation,
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

/** Returns what is wrong with a malformed response; null if it is valid. Compares the identifier, because meter events have no id. */
function eventFlaw(event: { readonly object: string; readonly identifier: string }, identifier: string): string | null {
  if (event.object !== 'billing.meter_event') return 'a billing.meter_event was expected'
  return event.identifier === identifier ? null : `it is about ${event.identifier}, not ${identifier}`
}

function isRecorded(error: unknown): boolean {
  if (!(error instanceof ProcessorError) || error.kind !== 'rejected') return false
  const { code, message } = error.original
  return code === 'duplicate_meter_event' || /already exists with identifier/i.test(message ?? '')
}

/** Reads the summary of a customer's usage. Without a grouping window it is one sum, or none if there was no usage. */
export async function countedUsage(
  context: StripeContext,
  { meter, customer, from, to }: CountedUsageQuery,
  signal: AbortSignal,
): Promise<number> {
  const params = { customer, start_time: from / 1000, end_time: to / 1000 }
  const { data } = await context.caller.call({
    operation: 'GET /v1/billing/meters/:id/event_summaries',
    access: 'read',
    signal,
    send: () => context.stripe.billing.meters.listEventSummaries(meter, params),
    flaw: ({ data: summaries, has_more: more }) => {
      if (!Array.isArray(summaries) || more || summaries.length > 1) return 'one summary was expected'
      return summaries.every(({ aggregated_value: value }) => Number.isFinite(value)) ? null : 'it has no value'
    },
  })
  return data[0]?.aggregated_value ?? 0
}
