// What a report of usage becomes at the processor. Pure.
import { createHash } from 'node:crypto'
import type { ProcessorId } from '../catalog/resource.ts'
import type { Meter } from '../config/schema/schema.ts'
import { pointerOf } from '../errors/issue.ts'
import { ServiceError } from '../errors/service-error.ts'
import { canonicalDecimal } from '../money/decimal.ts'
import type { UsageEvent } from '../processor/customer-half.ts'
import type { NewUsage } from '../service/tenants.ts'

const oldestMs = 35 * 24 * 60 * 60 * 1000
const aheadMs = 5 * 60 * 1000
/** The processor's own limits of a value and of an identifier. */
const plainValue = /^-?\d{1,15}(\.\d{1,12})?$/
const tooManyDecimals = /\.\d{13}/
const longestIdentifier = 100
const longestGiven = 255

export interface UsageSituation {
  readonly meter: Meter
  readonly tenantId: string
  /** Epoch milliseconds. */
  readonly now: number
  /** Test clocks run ahead of ours outside live mode: there the processor alone knows what is too far ahead. */
  readonly livemode: boolean
  /** The seller's own report. Whoever is billed may not take usage back, nor use up an identifier that the seller will send. */
  readonly byKey: boolean
  readonly identifier: string
}

/** The event for whatever customer the tenant has or gets. Throws `request_invalid`, or `not_allowed` for a meter that sessions cannot report. */
export function decideUsage(situation: UsageSituation, usage: NewUsage): (customer: ProcessorId) => UsageEvent {
  const { meter } = situation
  if (!situation.byKey) requireMeterOfSessions(meter)
  const value = checkedValue(situation, usage.value)
  const timestamp = checkedTime(situation, usage.timestamp)
  const identifier = processorIdentifier(situation)
  return (customer) => ({
    eventName: meter.event_name,
    payload: {
      [meter.customer_mapping?.event_payload_key ?? 'stripe_customer_id']: customer,
      [meter.value_settings?.event_payload_key ?? 'value']: value,
    },
    timestamp,
    identifier,
  })
}

const formulaOf = (meter: Meter) => meter.default_aggregation?.formula ?? 'sum'

/**
 * On a `last` meter the latest report replaces all earlier ones of the period, and on a meter with a time window those of its window:
 * with a session, a customer of 100 seats would report 0 and pay nothing. Elsewhere a report only adds.
 */
function requireMeterOfSessions(meter: Meter): void {
  const window = meter.event_time_window
  if (formulaOf(meter) !== 'last' && window === undefined) return
  const replaced =
    window === undefined
      ? 'it bills the last value that was reported'
      : `the last report of each ${window} replaces the others`
  throw new ServiceError('not_allowed', `A session may not report usage of the meter "${meter.id}": ${replaced}.`, {
    hint: 'Report it from your server, with a service key.',
  })
}

/** Negative usage is a correction, and makes sense in a sum alone. */
function checkedValue({ meter, byKey }: UsageSituation, value: number | string): string {
  const text = valueText(value)
  if (text === null)
    throw invalid('value', '"value" is a number of at most 15 digits before and 12 after the decimal point.')
  if (!text.startsWith('-')) return text
  const formula = formulaOf(meter)
  if (byKey && formula === 'sum') return text
  throw invalid(
    'value',
    '"value" is zero or more.',
    byKey ? `Only meters that sum can be corrected; this one has the formula "${formula}".` : undefined,
  )
}

/** Text is exact or refused. A number is a float that somebody computed: what the processor cannot take of it is rounded away. */
function valueText(value: number | string): string | null {
  if (typeof value === 'number' && !Number.isFinite(value)) return null
  if (typeof value === 'string' && !plainValue.test(value)) return null
  const text = canonicalDecimal(value)
  if (typeof value === 'number' && tooManyDecimals.test(text)) return valueText(value.toFixed(12))
  return plainValue.test(text) ? text : null
}

/**
 * Older events are not billed any more, and the processor may find that out only after it said yes. A session reports what was
 * used, so its limit is our clock without tolerance, also where test clocks run ahead; without a timestamp it needs no clock.
 */
function checkedTime({ now, livemode, byKey }: UsageSituation, timestamp: number | undefined): number | null {
  if (timestamp === undefined) return null
  if (!Number.isSafeInteger(timestamp) || timestamp < 0) throw invalid('timestamp', '"timestamp" is no time.')
  if (timestamp < now - oldestMs) throw invalid('timestamp', '"timestamp" is more than 35 days ago.')
  if (!byKey && timestamp > now)
    throw invalid(
      'timestamp',
      '"timestamp" is later than now, which a session may not report.',
      'Leave "timestamp" out: the usage then counts at the moment of the call.',
    )
  if (livemode && timestamp > now + aheadMs) throw invalid('timestamp', '"timestamp" is more than 5 minutes ahead.')
  return timestamp
}

/**
 * The processor counts an identifier once for the whole account: without the tenant and the meter in it, one tenant's event
 * would swallow another's. Neither has a colon, so that no two of them become one. Reports with a session are marked: a
 * customer who guesses the seller's next identifier and reports nothing under it would not be billed. No tenant begins so.
 */
function processorIdentifier({ tenantId, meter, identifier, byKey }: UsageSituation): string {
  if (identifier === '' || identifier.length > longestGiven || !identifier.isWellFormed() || /\p{Cc}/u.test(identifier))
    throw invalid('identifier', `"identifier" has 1 to ${longestGiven} characters and no control characters.`)
  const whole = `${byKey ? '' : '~'}${tenantId}:${meter.id}:${identifier}`
  return whole.length <= longestIdentifier ? whole : createHash('sha256').update(whole).digest('hex')
}

/**
 * What {@link processorIdentifier} made, taken apart; whole for what was not reported here or is too long to be read. `meters`:
 * the config ids that the event's meter has had. Others also write identifiers with colons, times for example.
 */
export function readIdentifier(
  whole: string,
  meters: ReadonlySet<string>,
): { readonly tenantId: string | null; readonly identifier: string } {
  const [, tenantId, meter = '', identifier] = /^~?([^~:][^:]*):([^:]+):(.+)$/su.exec(whole) ?? []
  if (tenantId === undefined || identifier === undefined || !meters.has(meter)) {
    return { tenantId: null, identifier: whole }
  }
  return { tenantId, identifier }
}

/** Whether {@link processorIdentifier} may have made it of one that was too long: nobody can tell whose it is. */
export const isDigest = (identifier: string): boolean => /^[0-9a-f]{64}$/u.test(identifier)

function invalid(field: string, detail: string, hint?: string): ServiceError {
  const hinted = hint === undefined ? {} : { hint }
  return new ServiceError('request_invalid', detail, {
    ...hinted,
    issues: [{ code: 'value_invalid', pointer: pointerOf([field]), severity: 'error', detail, ...hinted }],
  })
}
