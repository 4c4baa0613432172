// Serializes changes of a tenant at the processor with a lease. If the lease is not free, the caller retries for some seconds, so that
// concurrent calls run one after the other.
import { setTimeout as wait } from 'node:timers/promises'
import { ServiceError } from '../base/errors/service-error.ts'
import { stopIfDraining } from './journal/run-steps.ts'
import type { Store } from '../store/store.ts'
import type { LeaseToken } from '../store/lease-token.ts'

/**
 * Name of the lease for pushes. Only one push runs at a time. Every other job that changes data from which a push plans (e.g. a webhook
 * rotation) takes this lease too.
 */
export const pushLease = 'push'
export const jobLease = (jobId: string) => `job:${jobId}`
export const tenantLease = (id: string) => `tenant:${id}`

export interface LeaseDeps {
  readonly store: Pick<Store, 'tryExclusively'>
  /** Aborts when the process shuts down. */
  readonly shutdown: AbortSignal
}

export interface TenantLease {
  readonly token: LeaseToken
  readonly signal: AbortSignal
}

/**
 * Maximum wait (ms) for a lease: `brief` for a request of a user, `long` otherwise. Most work on a tenant takes one or two requests to the
 * processor, but e.g. a change of all its subscriptions takes longer.
 */
const leaseTimeoutMs = { brief: 3_000, long: 10_000 } as const
const minRetryDelayMs = 10
const maxRetryDelayMs = 250

/**
 * Runs `work` under the lease `name`. Throws `tenant_busy` if the lease is not free within `patienceMs` (default 10 s), or if the lease is
 * lost during the work.
 */
export async function withNamedLease<T>(
  deps: LeaseDeps,
  name: string,
  work: (held: TenantLease) => Promise<T>,
  patienceMs: number = leaseTimeoutMs.long,
): Promise<T> {
  let waitedMs = 0
  for (let pauseMs = minRetryDelayMs; ; pauseMs = Math.min(maxRetryDelayMs, pauseMs * 2)) {
    const entered = await deps.store.tryExclusively(name, async (held) => ({ done: await work(held).catch(throwLost) }))
    if (entered !== null) return entered.done
    if (waitedMs >= patienceMs) throw tenantBusy()
    stopIfDraining(deps)
    await wait(pauseMs, undefined, { signal: deps.shutdown }).catch(() => undefined)
    waitedMs += pauseMs
  }
}

/**
 * Runs `work` under the tenant's lease, for a request of a user. Waits at most three seconds for the lease. `signal` aborts when the lease
 * is lost or the process shuts down.
 */
export function withTenant<T>(deps: LeaseDeps, id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return withTenantLease(deps, id, ({ signal }) => work(signal))
}

/** Like {@link withTenant}, for work that writes to the journal and therefore needs the token of the lease. */
export function withTenantLease<T>(deps: LeaseDeps, id: string, work: (held: TenantLease) => Promise<T>): Promise<T> {
  const run = ({ token, signal }: TenantLease) => work({ token, signal: AbortSignal.any([signal, deps.shutdown]) })
  return withNamedLease(deps, tenantLease(id), run, leaseTimeoutMs.brief)
}

function tenantBusy(): ServiceError {
  return new ServiceError('tenant_busy', 'Another request is changing this tenant or its subscriptions.', {
    hint: 'Try again when it is done.',
    retryAfter: 10,
  })
}

/** Throws the error of work under a lease, in the words of a tenant if the journal refused a write because the lease was lost. */
function throwLost(cause: unknown): never {
  if (!(cause instanceof ServiceError) || cause.code !== 'push_in_progress') throw cause
  throw new ServiceError(
    'tenant_busy',
    'Another process has taken over the changes of this tenant, so this request stopped.',
    {
      hint: 'Check the tenant’s subscriptions, then try again.',
      retryAfter: 10,
      extra: cause.extra,
      cause,
    },
  )
}

/**
 * Returns the current state of journalled work (a push or a job). Work in state `running` whose lease is not held by a process was
 * interrupted, because its process died. `again` reads the state a second time, because the work may have ended between the reads of state
 * and lease.
 */
export async function liveState<State extends string>(
  store: Pick<Store, 'held'>,
  state: State,
  lease: string,
  again: () => Promise<State | null>,
): Promise<State | 'interrupted'> {
  if (state !== 'running' || (await store.held(lease))) return state
  const now = (await again()) ?? 'running'
  return now === 'running' ? 'interrupted' : now
}
