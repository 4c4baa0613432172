import type { Clock } from '../base/clock.ts'
import { ServiceError } from '../base/errors/service-error.ts'
import type { Store } from '../store/store.ts'

/**
 * Time (ms) without a heartbeat after which a claim of an idempotency key counts as abandoned, if no push is running either. Its process is
 * then assumed to be dead.
 */
const abandonedMs = 10_000
/** Interval (ms) of the heartbeats that a process stores while it executes a request with an idempotency key. */
const refreshMs = 3_000

export interface IdempotencyDeps {
  readonly store: Pick<Store, 'idempotency'>
  readonly clock: Clock
  /** Returns true if any replica runs work that a request with an idempotency key may have started, e.g. `() => store.held('push')`. */
  readonly busy: () => Promise<boolean>
}

export interface Answer {
  readonly status: number
  readonly body: string
}

/**
 * Returns a function that runs `work` once per idempotency key. A retry with the same fingerprint returns the first result; a different
 * fingerprint throws `idempotency_key_reused`. A failure that had no effects is not stored. Before a request is executed, its key is claimed in
 * the store. If the claiming process dies, the next caller takes the claim over.
 */
export function createIdempotency({ store: { idempotency }, clock, busy }: IdempotencyDeps) {
  async function claim(key: string, fingerprint: string) {
    const present = await idempotency.claim(key, fingerprint, clock.now())
    if (present === null || present.status !== null || present.fingerprint !== fingerprint) return present
    if (clock.now() - present.createdAt < abandonedMs || (await busy())) return present
    // If two callers find the same abandoned claim, only one of them takes it over. The other caller gets `request_in_progress`.
    return (await idempotency.takeOver(key, present.createdAt, clock.now())) ? null : present
  }

  return async (
    key: string | null,
    fingerprint: string,
    work: () => Promise<Answer>,
  ): Promise<Answer & { readonly replayed: boolean }> => {
    if (key === null) return { ...(await work()), replayed: false }
    const present = await claim(key, fingerprint)
    if (present !== null) {
      if (present.fingerprint !== fingerprint)
        throw new ServiceError('idempotency_key_reused', 'The Idempotency-Key was used with another request before.', {
          hint: 'Use a new key for a new request.',
        })
      if (present.status === null || present.body === null)
        throw new ServiceError('request_in_progress', 'The first request with this Idempotency-Key is still running.', {
          retryAfter: 1,
        })
      return { status: present.status, body: present.body, replayed: true }
    }
    const alive = setInterval(() => {
      // A failed heartbeat (e.g. because the store is briefly unreachable) is ignored, because the next one follows soon.
      idempotency.refresh(key, clock.now()).catch(() => undefined)
    }, refreshMs)
    alive.unref()
    const result = await work()
      .catch(async (error: unknown) => {
        await idempotency.release(key).catch(() => undefined)
        throw error
      })
      .finally(() => clearInterval(alive))
    // A failure to store the response must not become an error for the caller, because the request has been executed.
    await idempotency
      .finish(key, result.status, result.body)
      .catch(() => idempotency.release(key).catch(() => undefined))
    return { ...result, replayed: false }
  }
}
