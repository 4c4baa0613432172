import type { Clock } from './clock.ts'
import { ServiceError } from './errors/service-error.ts'
import type { Service } from './service/service.ts'
import type { Store } from './store/store.ts'

/** After this long without a sign of life, and with no push running, the process that claimed the key has died. */
const abandonedMs = 10_000
/** How often whoever works under a claim shows that it is alive. */
const refreshMs = 3_000

export interface IdempotencyDeps {
  readonly store: Pick<Store, 'idempotency'>
  readonly clock: Clock
  /** Whether work that such a key can guard is running anywhere, for example `() => store.held('push')`. */
  readonly busy: () => Promise<boolean>
}

/** {@link Service.idempotent} over the store's claims. A claim whose process died is taken over by the next caller. */
export function createIdempotency({ store: { idempotency }, clock, busy }: IdempotencyDeps): Service['idempotent'] {
  async function claim(key: string, fingerprint: string) {
    const present = await idempotency.claim(key, fingerprint, clock.now())
    if (present === null || present.status !== null || present.fingerprint !== fingerprint) return present
    if (clock.now() - present.createdAt < abandonedMs || (await busy())) return present
    await idempotency.release(key)
    return idempotency.claim(key, fingerprint, clock.now())
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
      // A store that is away for a moment is told the next time.
      idempotency.refresh(key, clock.now()).catch(() => undefined)
    }, refreshMs)
    alive.unref()
    const result = await work()
      .catch(async (error: unknown) => {
        await idempotency.release(key).catch(() => undefined)
        throw error
      })
      .finally(() => clearInterval(alive))
    // The work is done: that its answer could not be kept must not make it look failed.
    await idempotency
      .finish(key, result.status, result.body)
      .catch(() => idempotency.release(key).catch(() => undefined))
    return { ...result, replayed: false }
  }
}
