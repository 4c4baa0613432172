// Middleware `(request, response, next)`, as Express and Connect have it, that lets a request go on only if its tenant may.
import { createCheckCache } from '@ratecard/client'

/**
 * Returns the middleware of a service. `tenantOf` returns the tenant's id of a request.
 * An error of Ratecard goes to `next`, so that your application decides whether it refuses or lets go on without an answer.
 */
export function limitsOf(ratecard, tenantOf) {
  const checks = createCheckCache(ratecard.entitlements)

  /** Allows a request if the tenant may use one more of a feature. `usedBy` returns what it uses now, which your program counts. */
  const oneMore = (feature, usedBy) => async (request, response, next) => {
    try {
      const tenantId = tenantOf(request)
      const check = await checks.check(feature, { used: await usedBy(tenantId), tenantId })
      if (!check.allowed) return refuse(response, check)
    } catch (error) {
      return next(error)
    }
    next()
  }

  /** Counts a request to a meter before it goes on. A refused one is neither counted nor billed, even if many come at once. */
  const counted = (feature, meter) => async (request, response, next) => {
    const tenantId = tenantOf(request)
    try {
      await ratecard.usage.record({ meter, value: 1, tenantId, enforce: true })
    } catch (error) {
      if (error.code !== 'limit_reached') return next(error)
      try {
        return refuse(response, await checks.check(feature, { tenantId }))
      } catch (unchecked) {
        return next(unchecked)
      }
    }
    next()
  }

  return { oneMore, counted }
}

/** 402 if a price of the public list would allow the request, otherwise 403. `offered_by` are these prices, for an "Upgrade" button. */
function refuse(response, { reason, limit, used, resetsAt, offeredBy }) {
  response
    .writeHead(offeredBy.length > 0 ? 402 : 403, { 'content-type': 'application/json' })
    .end(JSON.stringify({ error: reason, limit, used, resets_at: resetsAt, offered_by: offeredBy }))
}
