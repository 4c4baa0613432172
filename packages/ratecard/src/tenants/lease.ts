import { setTimeout as wait } from 'node:timers/promises'
import { ServiceError } from '../errors/service-error.ts'
import type { Store } from '../store/store.ts'

/** Everything that changes what a tenant is at the processor holds this lease. */
const tenantLease = (id: string) => `tenant:${id}`

/** Most work on a tenant is one or two calls of the processor: about three seconds in all. */
const waitsMs = [20, 50, 100, 200, 400, 800, 1200]

export interface LeaseDeps {
  readonly store: Pick<Store, 'exclusively'>
  readonly shutdown: AbortSignal
}

/**
 * Runs `work` while holding the tenant's lease. Somebody else's work is waited for a little; then `tenant_busy`.
 * `signal` aborts when the lease is lost or the process drains.
 */
export async function withTenant<T>(
  { store, shutdown }: LeaseDeps,
  id: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (const waitMs of [...waitsMs, null]) {
    const lease = { entered: false }
    try {
      return await store.exclusively(tenantLease(id), ({ signal }) => {
        lease.entered = true
        return work(AbortSignal.any([signal, shutdown]))
      })
    } catch (error) {
      if (lease.entered || !isHeld(error)) throw error
      if (waitMs === null) throw busy(id, error)
    }
    await wait(waitMs, undefined, { signal: shutdown }).catch((stop: unknown) => {
      throw new ServiceError('shutting_down', 'This replica is draining.', { retryAfter: 1, cause: stop })
    })
  }
  throw busy(id)
}

function isHeld(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'push_in_progress'
}

function busy(id: string, cause?: unknown): ServiceError {
  return new ServiceError('tenant_busy', `Somebody else is changing the tenant "${id}" now.`, {
    hint: 'Try again in a moment.',
    retryAfter: 2,
    cause,
  })
}
