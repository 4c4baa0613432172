// Caches results of entitlement checks for a second, for servers that check a feature at each request.
import type { EntitlementsClient, FeatureQuestion } from './methods/entitlements.ts'
import type { FeatureId } from './ids.ts'
import type { FeatureCheck } from './wire.generated.ts'

export interface CheckCacheOptions {
  /** Time (ms) for which a result is cached. A new or cancelled subscription takes that much longer to have an effect. Default: 1000. */
  readonly ttlMs?: number | undefined
  /** Maximum number of results in memory. When it is exceeded, the oldest result is dropped. Default: 10,000 results, about 5 MB. */
  readonly maxResults?: number | undefined
  /** Returns the present time in ms. Default: `Date.now`. */
  readonly now?: (() => number) | undefined
}

export interface CheckCache {
  /** Like `entitlements.check`. Calls with the same feature and question share one request, and reuse its result for `ttlMs`. */
  check(feature: FeatureId, question?: FeatureQuestion): Promise<FeatureCheck>
  /** Forgets all results, or those of one tenant, e.g. after a checkout. */
  clear(tenantId?: string): void
}

interface KeptResult {
  readonly tenantId: string | undefined
  readonly result: Promise<FeatureCheck>
  /** Time until which the result is valid; null while the request for it is running. */
  until: number | null
}

/**
 * Creates a cache for `entitlements.check`. Results are cached for a second, so that a server sends one request per second and question
 * instead of one per check. Failed checks are not cached. For a metered feature, a tenant may exceed its limit by what it uses within that
 * second. If that must not happen, report usage with `enforce`, which is exact.
 *
 * @example
 * const checks = createCheckCache(ratecard.entitlements)
 * const { allowed } = await checks.check('projects', { used: 9, tenantId: 'acme' })
 */
export function createCheckCache(entitlements: EntitlementsClient, options: CheckCacheOptions = {}): CheckCache {
  const { ttlMs = 1000, maxResults = 10_000, now = Date.now } = options
  const kept = new Map<string, KeptResult>()

  const ask = (key: string, feature: FeatureId, question: FeatureQuestion): Promise<FeatureCheck> => {
    const entry: KeptResult = {
      tenantId: question.tenantId,
      result: entitlements.check(feature, question),
      until: null,
    }
    entry.result.then(
      () => {
        entry.until = now() + ttlMs
      },
      () => {
        if (kept.get(key) === entry) kept.delete(key)
      },
    )
    // Setting an existing key of a map keeps its old position. So the key is deleted first; then the first key is always the oldest.
    kept.delete(key)
    kept.set(key, entry)
    const [oldest] = kept.keys()
    if (oldest !== undefined && kept.size > maxResults) kept.delete(oldest)
    return entry.result
  }

  return {
    check: (feature, question = {}) => {
      const { used, requested, tenantId } = question
      const key = JSON.stringify([feature, used, requested, tenantId])
      const known = kept.get(key)
      const isFresh = known !== undefined && (known.until === null || now() < known.until)
      return isFresh ? known.result : ask(key, feature, question)
    },
    clear: (tenantId) => {
      for (const [key, entry] of kept) if (tenantId === undefined || entry.tenantId === tenantId) kept.delete(key)
    },
  }
}
