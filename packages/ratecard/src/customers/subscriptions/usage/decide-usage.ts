// Converts a usage report to a meter event for the processor. Pure.
import { createHash } from 'node:crypto'
import type { ProcessorId } from '../../../catalog/resource.ts'
import type { Meter } from '../../../document/schema/schema.ts'
import { toRfc3339 } from '../../../base/clock.ts'
import { pointerOf } from '../../../base/errors/issue.ts'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { canonicalDecimal } from '../../../base/money/decimal.ts'
import type { UsageEvent } from '../../../processor/customer-half.ts'
import type { NewUsage } from '../../../api/customers/checkout.ts'
import type { UsageFormula } from '../../../store/records/features.ts'

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
   * False for a test account, where a test clock may be ahead of the real time. Then timestamps in the future are checked by the processor
   * only.
   */
  readonly livemode: boolean
  /**
   * True for a report that was made with a service key. A report with an end user's session must not reduce usage, e.g. on a `last` meter,
   * and must not use an identifier that the seller will send.
   */
  readonly byKey: boolean
  readonly identifier: string
  /** Start of the periods in which usage of the tenant counts now (epoch milliseconds). A session reports no usage of earlier ones. */
  readonly countedFrom: number
}

/**
 * Validates the report and returns a function that builds the event for the tenant's customer. Throws `request_invalid`, or `not_allowed`
 * for a meter that sessions must not report to.
 */
export function decideUsage(situation: UsageSituation, usage: NewUsage): (customer: ProcessorId) => UsageEvent {
  const { meter } = situation
  if (!situation.byKey) requireMeterOfSessions(meter)
  const value = checkedValue(usage.value)
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

/** Returns the formula with which the usage of a meter is counted. Only the last event of each event time window counts. */
export function countedFormulaOf(meter: Meter): UsageFormula {
  const formula = formulaOf(meter)
  if (meter.event_time_window === undefined || formula === 'last') return formula
  return formula === 'sum' ? 'last_of_each' : 'one_of_each'
}

/**
 * Throws `not_allowed` for meters on which a report can replace earlier usage, i.e. a `last` meter or a meter with a time window. Otherwise
 * a customer with 100 seats could report 0 seats with a session and pay nothing. On all other meters a report only adds usage.
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

/** Validates the value of a report. A negative value is refused: the usage counts against limits, which must not become larger. */
function checkedValue(value: number | string): string {
  const text = valueText(value)
  if (text === null)
    throw invalidUsage(
      'value',
      '"value" must be a number with at most 15 digits before and 12 after the decimal point.',
    )
  if (!text.startsWith('-')) return text
  throw invalidUsage(
    'value',
    '"value" must be zero or more.',
    'To correct usage that was reported by mistake, cancel its meter event at the processor.',
  )
}

/**
 * Returns the value as decimal text; null if it is not a number. A string must not have more decimals than the processor allows. A number
 * may be a computed float, so it is rounded to that many decimals.
 */
function valueText(value: number | string): string | null {
  if (typeof value === 'number' && !Number.isFinite(value)) return null
  if (typeof value === 'string' && !plainValue.test(value)) return null
  const text = canonicalDecimal(value)
  if (typeof value === 'number' && tooManyDecimals.test(text)) return valueText(value.toFixed(12))
  return plainValue.test(text) ? text : null
}

/**
 * Validates the timestamp. The processor does not bill events older than 35 days, and may detect that only after it has accepted them. A
 * session reports only usage of the running period, e.g. in a period from 1 March none of 28 February, and none later than this service's
 * clock, even if test clocks are ahead. A report without a timestamp is always valid.
 */
function checkedTime(
  { now, livemode, byKey, countedFrom }: UsageSituation,
  timestamp: number | undefined,
): number | null {
  if (timestamp === undefined) return null
  if (!Number.isSafeInteger(timestamp) || timestamp < 0)
    throw invalidUsage('timestamp', '"timestamp" is not a valid time.')
  if (timestamp < now - oldestMs) throw invalidUsage('timestamp', '"timestamp" is more than 35 days ago.')
  if (!byKey && timestamp > now)
    throw invalidUsage(
      'timestamp',
      '"timestamp" is in the future. A session cannot report usage in the future.',
      'Leave out "timestamp" to use the time of the call.',
    )
  if (!byKey && timestamp < countedFrom)
    throw invalidUsage(
      'timestamp',
      `"timestamp" is before the running period, which began at ${toRfc3339(countedFrom)}. A session cannot report usage of an earlier one.`,
      'Leave out "timestamp" to use the time of the call, or report it from your server, with a service key.',
    )
  if (livemode && timestamp > now + aheadMs)
    throw invalidUsage('timestamp', '"timestamp" is more than 5 minutes ahead.')
  return timestamp
}

/**
 * Returns the identifier for the processor, which counts each identifier once per account. It contains tenant and meter; otherwise an event
 * of one tenant could suppress that of another tenant. Neither tenant nor meter contains a colon, so different events never have the same
 * identifier. Reports with a session get the prefix `~`, with which no tenant id starts. Without the prefix, a customer could use up the
 * seller's next identifier with an empty report and would not be billed.
 */
function processorIdentifier({ tenantId, meter, identifier, byKey }: UsageSituation): string {
  if (identifier === '' || identifier.length > longestGiven || !identifier.isWellFormed() || /\p{Cc}/u.test(identifier))
    throw invalidUsage(
      'identifier',
      `"identifier" must have 1 to ${longestGiven} characters and no control characters.`,
    )
  const whole = `${byKey ? '' : '~'}${tenantId}:${meter.id}:${identifier}`
  return whole.length <= maxIdentifierLength ? whole : createHash('sha256').update(whole).digest('hex')
}

/**
 * Splits an identifier that {@link processorIdentifier} made. Returns it whole if it is a digest, or if its second part is not in `meters`
 * (all configuration ids of the event's meter). The second check is needed because other senders may use colons too, e.g. in a time.
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

function invalidUsage(field: string, detail: string, hint?: string): ServiceError {
  const hinted = hint === undefined ? {} : { hint }
  return new ServiceError('request_invalid', detail, {
    ...hinted,
    issues: [{ code: 'value_invalid', pointer: pointerOf([field]), severity: 'error', detail, ...hinted }],
  })
}
