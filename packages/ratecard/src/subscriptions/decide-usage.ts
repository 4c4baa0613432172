// Converts a usage report to a meter event for the processor. Pure.
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
/** Limits that the processor sets for values and identifiers of meter events. */
const plainValue = /^-?\d{1,15}(\.\d{1,12})?$/
const tooManyDecimals = /\.\d{13}/
const maxIdentifierLength = 100
const longestGiven = 255

export interface UsageSituation {
  readonly meter: Meter
  readonly tenantId: string
  /** Current time in epoch milliseconds. */
  readonly now: number
  /**
   * False for a test account, where a test clock may be ahead of the real time. There only the processor checks timestamps in the future.
   */
  readonly livemode: boolean
  /**
   * True for a report with a service key. A report with an end user's session must not reduce usage, and must not use up an identifier that
   * the seller will send.
   */
  readonly byKey: boolean
  readonly identifier: string
}

/**
 * Validates the report and returns a function that builds the event for the tenant's customer. Throws `request_invalid`, or `not_allowed`
 * for a meter that sessions must not report to.
 */
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

export const formulaOf = (meter: Meter) => meter.default_aggregation?.formula ?? 'sum'

/**
 * Throws `not_allowed` for meters on which a report can replace earlier usage: a `last` meter, and a meter with a time window. Otherwise a
 * customer with 100 seats could report 0 with a session and pay nothing. On other meters a report only adds usage.
 */
function requireMeterOfSessions(meter: Meter): void {
  const window = meter.event_time_window
  if (formulaOf(meter) !== 'last' && window === undefined) return
  const replaced =
    window === undefined
      ? 'it bills the last value that was reported'
      : `the last report of each ${window} replaces the others`
  throw new ServiceError('not_allowed', `A session cannot report usage of the meter "${meter.id}": ${replaced}.`, {
    hint: 'Report it from your server, with a service key.',
  })
}

/** Validates the value. A negative value is a correction; it is allowed only on a meter with the formula `sum`. */
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
    byKey ? `Corrections need a meter with the formula "sum"; this one has "${formula}".` : undefined,
  )
}

/**
 * Returns the value as text. A string must be exact. A number may be a computed float, so decimals beyond the processor's limit are
 * rounded. Returns null for a value that is not a number.
 */
function valueText(value: number | string): string | null {
  if (typeof value === 'number' && !Number.isFinite(value)) return null
  if (typeof value === 'string' && !plainValue.test(value)) return null
  const text = canonicalDecimal(value)
  if (typeof value === 'number' && tooManyDecimals.test(text)) return valueText(value.toFixed(12))
  return plainValue.test(text) ? text : null
}

/**
 * Validates the timestamp. Events older than 35 days are not billed, and the processor may detect that only after it has accepted them.
 * With a session, the timestamp must not be later than this service's clock, even where test clocks are ahead. Without a timestamp there is
 * nothing to check.
 */
function checkedTime({ now, livemode, byKey }: UsageSituation, timestamp: number | undefined): number | null {
  if (timestamp === undefined) return null
  if (!Number.isSafeInteger(timestamp) || timestamp < 0) throw invalid('timestamp', '"timestamp" is not a valid time.')
  if (timestamp < now - oldestMs) throw invalid('timestamp', '"timestamp" is more than 35 days ago.')
  if (!byKey && timestamp > now)
    throw invalid(
      'timestamp',
      '"timestamp" is in the future, which a session cannot report.',
      'Leave "timestamp" out: the time of the call is then used.',
    )
  if (livemode && timestamp > now + aheadMs) throw invalid('timestamp', '"timestamp" is more than 5 minutes ahead.')
  return timestamp
}

/**
 * Returns the identifier for the processor, which counts each identifier once per account. It contains tenant and meter, otherwise an event
 * of one tenant would suppress that of another. Neither contains a colon, so different events never share an identifier. Reports with a
 * session get the prefix `~`; no tenant id starts with it. Without the prefix, a customer could use up the seller's next identifier with an
 * empty report and would not be billed.
 */
function processorIdentifier({ tenantId, meter, identifier, byKey }: UsageSituation): string {
  if (identifier === '' || identifier.length > longestGiven || !identifier.isWellFormed() || /\p{Cc}/u.test(identifier))
    throw invalid('identifier', `"identifier" has 1 to ${longestGiven} characters and no control characters.`)
  const whole = `${byKey ? '' : '~'}${tenantId}:${meter.id}:${identifier}`
  return whole.length <= maxIdentifierLength ? whole : createHash('sha256').update(whole).digest('hex')
}

/**
 * Splits an identifier that {@link processorIdentifier} made. Returns it whole if it is a digest, or if its second part is not in `meters`
 * (all configuration ids of the event's meter): other senders may use colons too, e.g. in a time.
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

/**
 * True if the identifier looks like a digest, which {@link processorIdentifier} makes of a long identifier. The tenant cannot be read from
 * a digest.
 */
export const isDigest = (identifier: string): boolean => /^[0-9a-f]{64}$/u.test(identifier)

function invalid(field: string, detail: string, hint?: string): ServiceError {
  const hinted = hint === undefined ? {} : { hint }
  return new ServiceError('request_invalid', detail, {
    ...hinted,
    issues: [{ code: 'value_invalid', pointer: pointerOf([field]), severity: 'error', detail, ...hinted }],
  })
}
