// Counts the usage that allowances of features are checked against. A report is stored before it is sent to the processor, so that a check
// on any replica includes it at once. Usage that would exceed an allowance is refused before it is sent.
import { ServiceError } from '../errors/service-error.ts'
import type { Meter } from '../config/schema/schema.ts'
import { compareDecimals, decimalFromInteger, decimalText, parseDecimal } from '../money/decimal.ts'
import { ProcessorError } from '../processor/processor-error.ts'
import type { UsageWindow } from '../store/feature-store.ts'
import type { TenantRecord } from '../store/tenant-store.ts'
import type { Allowance } from './allowances.ts'
import { formulaOf } from './decide-usage.ts'
import { meteredAllowances } from './entitlements.ts'
import type { FeatureSourceDeps } from './feature-sources.ts'

export interface UsageToCount {
  readonly tenant: TenantRecord
  readonly meter: Meter
  /** The identifier as the processor gets it. */
  readonly identifier: string
  readonly value: string
  /** Time of the usage (epoch milliseconds); null: now. */
  readonly at: number | null
  /** True: refuse the report if it would exceed an allowance. */
  readonly enforce: boolean
}

const dayMs = 24 * 60 * 60 * 1000

/**
 * Counts a report while `send` sends it. Returns what `send` returns. Throws `limit_reached`, without sending anything, if the report is
 * enforced and would exceed an allowance. A report that may have reached the processor stays counted; a retry with the same identifier
 * settles it.
 */
export async function countUsage<T>(deps: FeatureSourceDeps, usage: UsageToCount, send: () => Promise<T>): Promise<T> {
  const { tenant, meter, identifier, value } = usage
  const allowances = await meteredAllowances(deps, tenant, meter.id)
  if (allowances.length === 0) return send()
  const formula = formulaOf(meter)
  const now = deps.clock.now()
  const windows = allowances.flatMap(({ counted }) => counted ?? [])
  const key = { tenantId: tenant.id, meter: meter.event_name, identifier }
  // Without a time the usage belongs to the present period, also where a test clock of the customer is ahead of this service's clock.
  const usedAt = usage.at ?? Math.max(now, ...windows.map(({ from }) => from))
  const report = { ...key, usedAt, rangeStart: rangeStartOf(usedAt, windows), value, createdAt: now }
  const limits = usage.enforce ? limitsOf(allowances) : []
  const { outcome } = await deps.store.usage.hold(report, formula, limits)
  if (outcome === 'refused') throw limitReached(tenant, meter, allowances)
  try {
    const result = await send()
    await deps.store.usage.sent(key)
    return result
  } catch (error) {
    if (outcome === 'held' && isRefusal(error)) await deps.store.usage.release(key, formula)
    throw error
  }
}

/** Returns the start of the range whose total counts usage of this time: its UTC day, or the start of a period within that day. */
function rangeStartOf(at: number, windows: readonly UsageWindow[]): number {
  const day = Math.floor(at / dayMs) * dayMs
  const starts = windows.flatMap(({ from, to }) => [from, to ?? 0]).filter((start) => start <= at && start > day)
  return Math.max(day, ...starts)
}

/** Returns the limits that a report must not pass. An unlimited feature, or one with `beyond: allow`, has none. */
function limitsOf(allowances: readonly Allowance[]) {
  return allowances.flatMap(({ limit, beyond, counted }) =>
    typeof limit !== 'number' || beyond === 'allow' || counted === null
      ? []
      : [
          {
            window: counted,
            allows: (total: string) => compareDecimals(parseDecimal(total), decimalFromInteger(limit)) <= 0,
          },
        ],
  )
}

/** True if the processor certainly did not record the report. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ProcessorError && !['timeout', 'unknown_outcome', 'broken'].includes(error.kind)

function limitReached(tenant: TenantRecord, meter: Meter, allowances: readonly Allowance[]): ServiceError {
  const limited = allowances
    .filter(({ limit, beyond }) => limit !== 'unlimited' && beyond !== 'allow')
    .map(
      ({ feature, limit }) => `${feature.id}: ${limit === null ? '0' : decimalText(decimalFromInteger(Number(limit)))}`,
    )
  return new ServiceError(
    'limit_reached',
    `The usage of the meter "${meter.id}" would pass what the tenant "${tenant.id}" may use (${limited.join(', ')}). Nothing was recorded.`,
    { hint: 'Ask `POST entitlements/check` what is left, and which prices offer more.' },
  )
}
