import type { Clock } from './clock.ts'
import { ServiceError } from './errors/service-error.ts'
import type { Service } from './service/service.ts'
import type { Store } from './store/store.ts'

/**
 * Maximum age (ms) of a claim without a heartbeat. After 10 s, and with no push running, the process that claimed the key counts as dead.
 */
const abandonedMs = 10_000
/** Heartbeat interval (ms) of a process that works under a claim. */
const refreshMs = 3_000

export interface IdempotencyDeps {
  readonly store: Pick<Store, 'idempotency'>
  readonly clock: Clock
  /** True if any replica runs work that such a key can guard, for example `() => store.held('push')`. */
  readonly busy: () => Promise<boolean>
}

/** Implements {@link Service.idempotent} with the store's claims. The claim of a dead process is taken over by the next caller. */
export function createIdempotency({ store: { idempotency }, clock, busy }: IdempotencyDeps): Service['idempotent'] {
  async function claim(key: string, fingerprint: string) {
    const present = await idempotency.claim(key, fingerprint, clock.now())
    if (present === null || present.status !== null || present.fingerprint !== fingerprint) return present
    if (clock.now() - present.createdAt < abandonedMs || (await busy())) return present
    // Of two callers that find the same abandoned claim, one takes it over; the other gets `request_in_progress`.
    return (await idempotency.takeOver(key, present.createdAt, clock.now())) ? null : present
  }

  return async (key, fingerprint, work) => {
    if (key === null) return { ...(await work()), replayed: false }
    const present = await claim(key, fingerprint)
    if (present !== null) {
      if (present.fingerprint !== fingerprint)
        throw new ServiceError('idempotency_key_reused', 'The Idempotency-Key came before with another request.', {
          hint: 'Use a new key for a new request.',
        })
      if (present.status === null || present.body === null)
        throw new ServiceError('request_in_progress', 'The first request with this Idempotency-Key is still running.', {
          retryAfter: 1,
        })
      return { status: present.status, body: present.body, replayed: true }
    }
    const alive = setInterval(() => {
      // A heartbeat that fails, e.g. because the store is briefly unreachable, is made up for by the next one.
      idempotency.refresh(key, clock.now()).catch(() => undefined)
    }, refreshMs)
    alive.unref()
    const result = await work()
      .catch(async (error: unknown) => {
        await idempotency.release(key).catch(() => undefined)
        throw error
      })
      .finally(() => clearInterval(alive))
    // The work is done: a failure to store its response must not turn it into an error.
    await idempotency
      .finish(key, result.status, result.body)
      .catch(() => idempotency.release(key).catch(() => undefined))
    return { ...result, replayed: false }
  }
}
