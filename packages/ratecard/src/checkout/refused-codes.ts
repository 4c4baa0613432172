// How often a tenant may try promotion codes with a session: codes are short words, so without a limit a script finds them
// (300 attempts in two seconds). Service keys are not limited.
import { ServiceError } from '../errors/service-error.ts'
import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import { alone } from '../tenants/lease.ts'

/** Refused codes of one tenant within `windowMs`; with the next attempt its checkouts with a code are 429 until the oldest is over. */
export const maxRefusedCodes = 10
const windowMs = 60 * 60 * 1000

export interface RefusedCodesDeps {
  readonly store: Pick<Store, 'exclusively' | 'facts'>
  readonly clock: Clock
  readonly shutdown: AbortSignal
}

const factOf = (tenantId: string) => `refused_promotion_codes:${tenantId}`

/**
 * Runs `work`, a checkout of the tenant's session with a promotion code, and counts a refusal of the code. All replicas count together,
 * in the store. One attempt at a time: of 50 that are sent at once the eleventh must see the ten before it.
 */
export function countingRefusedCodes<T>(deps: RefusedCodesDeps, tenantId: string, work: () => Promise<T>): Promise<T> {
  const fact = factOf(tenantId)
  return alone(deps, fact, async () => {
    const now = deps.clock.now()
    const recent = timesIn(await deps.store.facts.get(fact)).filter((time) => time > now - windowMs)
    const [oldest] = recent
    if (oldest !== undefined && recent.length >= maxRefusedCodes) throw tooMany(oldest + windowMs - now)
    try {
      return await work()
    } catch (error) {
      if (isRefusedCode(error)) await deps.store.facts.set(fact, JSON.stringify([...recent, now]))
      throw error
    }
  })
}

/** Refused here as unknown, stopped or expired, or by the processor, e.g. as used up: that too tells that the code exists. */
function isRefusedCode(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false
  return error.code === 'processor_rejected' || error.issues.some(({ pointer }) => pointer === '#/promotion_code')
}

function timesIn(text: string | null): number[] {
  const times: unknown = text === null ? [] : JSON.parse(text)
  return Array.isArray(times) ? times.filter((time) => typeof time === 'number') : []
}

function tooMany(waitMs: number): ServiceError {
  return new ServiceError(
    'rate_limited',
    `${maxRefusedCodes} promotion codes of this tenant were refused within an hour; no further one is tried.`,
    {
      hint: 'Check out without "promotion_code", or try again when the time in Retry-After is over.',
      retryAfter: Math.max(1, waitMs / 1000),
    },
  )
}
