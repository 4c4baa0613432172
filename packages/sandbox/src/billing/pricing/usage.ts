import { decimalText, parseDecimal } from '../../money/decimal.ts'
import type { MeterBody } from '../../objects/bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import type { MeterEventBody } from '../../objects/customer-bodies.ts'
import type { Period } from './billing-intervals.ts'

/** Returns a customer's usage of a meter in a period (end excluded), as a decimal. Negative usage counts as 0. */
export function usageIn(call: OperationContext, meter: MeterBody, customer: string, period: Period): string {
  const found = call.select('billing.meter_event', [
    { field: '_meter', is: meter.id },
    { field: '_customer', is: customer },
    { field: 'timestamp', op: '>=', value: period.start },
    { field: 'timestamp', op: '<', value: period.end },
  ])
  return aggregate(meter.default_aggregation.formula, preaggregate(meter, found))
}

const windows = { hour: 3600, day: 86_400 } as const

/**
 * Returns the meter events that count. A meter with an event time window (hour or day) expects preaggregated events, so only the last
 * received event of each window counts, whatever its timestamp. Source: docs.stripe.com/billing/subscriptions/usage-based/recording-usage.
 * `events` are newest first.
 */
export function preaggregate(meter: MeterBody, events: readonly MeterEventBody[]): readonly MeterEventBody[] {
  if (meter.event_time_window === null) return events
  const size = windows[meter.event_time_window]
  const last = new Map<number, MeterEventBody>()
  for (const event of events) {
    const window = Math.floor(event.timestamp / size)
    if (!last.has(window)) last.set(window, event)
  }
  return [...last.values()]
}

/**
 * Returns the usage, aggregated with the meter's formula. `events` are newest first. If two events have the same timestamp, the formula
 * `last` takes the one that was received later.
 */
export function aggregate(
  formula: MeterBody['default_aggregation']['formula'],
  events: readonly MeterEventBody[],
): string {
  if (formula === 'count') return String(events.length)
  if (formula === 'last') {
    const last = events.reduce<MeterEventBody | undefined>(
      (best, event) => (best === undefined || event.timestamp > best.timestamp ? event : best),
      undefined,
    )
    return last === undefined ? '0' : decimalText(parseDecimal(last._value))
  }
  const sum = events.reduce((total, event) => total + parseDecimal(event._value), 0n)
  return sum < 0n ? '0' : decimalText(sum)
}
