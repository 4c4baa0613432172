// Limits how often a tenant's end users may try promotion codes. Codes are short words, so without a limit a script could guess them, e.g.
// with 300 attempts in two seconds. Service keys are not limited.
import { refusedCodesPerHour } from '../../api/server/limits.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import type { Clock } from '../../base/clock.ts'
import type { Store } from '../../store/store.ts'
import { withNamedLease } from '../../acts/lease.ts'

const windowMs = 60 * 60 * 1000

export interface RefusedCodesDeps {
  readonly store: Pick<Store, 'tryExclusively' | 'facts'>
  readonly wallClock: Clock
  readonly shutdown: AbortSignal
}

const factOf = (tenantId: string) => `refused_promotion_codes:${tenantId}`

/**
 * Runs `work`, which is a checkout, a preview or a change with a promotion code in a tenant's session. Counts the attempt if the code is rejected. The count is in
 * the store, which all replicas share. A tenant's attempts run one after the other. So of 50 concurrent attempts, each
 * finds the rejections of those before it.
 */
export function countingRefusedCodes<T>(deps: RefusedCodesDeps, tenantId: string, work: () => Promise<T>): Promise<T> {
  const fact = factOf(tenantId)
  return withNamedLease(deps, fact, async () => {
    const now = deps.wallClock.now()
    const recent = timesIn(await deps.store.facts.get(fact)).filter((time) => time > now - windowMs)
    const [oldest] = recent
    if (oldest !== undefined && recent.length >= refusedCodesPerHour) throw tooMany(oldest + windowMs - now)
    try {
      return await work()
    } catch (error) {
      if (isRefusedCode(error)) await deps.store.facts.set(fact, JSON.stringify([...recent, now]))
      throw error
    }
  })
}

/**
 * True if a promotion code was rejected by this service (unknown, inactive or expired) or by the processor (e.g. used up). A rejection by
 * the processor counts too, because it reveals that the code exists.
 */
function isRefusedCode(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false
  // The processor does not always name a parameter. Where it names another one, e.g. the price, the code was not refused.
  const { param } = error.processor ?? {}
  const refusesCode =
    error.code === 'processor_rejected' && (param === undefined || /promotion_code|coupon|discount/.test(param))
  return refusesCode || error.issues.some(({ pointer }) => pointer === '#/promotion_code')
}

function timesIn(text: string | null): number[] {
  const times: unknown = text === null ? [] : JSON.parse(text)
  return Array.isArray(times) ? times.filter((time) => typeof time === 'number') : []
}

function tooMany(waitMs: number): ServiceError {
  return new ServiceError(
    'rate_limited',
    `${refusedCodesPerHour} promotion codes of this tenant were refused within an hour, so further codes are refused for now.`,
    {
      hint: 'Leave "promotion_code" out, or try again after the time in Retry-After.',
      retryAfter: Math.max(1, waitMs / 1000),
    },
  )
}
