// One change of what a tenant is at the processor at a time. Who comes second waits a while: two calls at once are one after
// the other.
import { setTimeout as wait } from 'node:timers/promises'
import { ServiceError } from '../errors/service-error.ts'
import { stopIfDraining } from '../journal/run-steps.ts'
import type { LeaseToken, Store } from '../store/store.ts'

export const tenantLease = (id: string) => `tenant:${id}`

export interface LeaseDeps {
  readonly store: Pick<Store, 'exclusively'>
  /** Aborts when the process drains. */
  readonly shutdown: AbortSignal
}

export interface TenantLease {
  readonly token: LeaseToken
  readonly signal: AbortSignal
}

/** Work on a tenant is one or two calls of the processor; changing all its subscriptions may be many. */
const patience = { brief: 3_000, long: 10_000 } as const
const shortestWaitMs = 10
const longestWaitMs = 250

/** Runs `work` alone under this name. `tenant_busy` when another holds it for ten seconds, or when it is lost on the way. */
export async function alone<T>(
  deps: LeaseDeps,
  name: string,
  work: (held: TenantLease) => Promise<T>,
  patienceMs: number = patience.long,
): Promise<T> {
  let waitedMs = 0
  for (let pauseMs = shortestWaitMs; ; pauseMs = Math.min(longestWaitMs, pauseMs * 2)) {
    const entered = { yes: false }
    try {
      return await deps.store.exclusively(name, (held) => {
        entered.yes = true
        return work(held)
      })
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'push_in_progress') throw error
      if (entered.yes) throw lost(error)
      if (waitedMs >= patienceMs) throw busy(error)
    }
    stopIfDraining(deps)
    await wait(pauseMs, undefined, { signal: deps.shutdown }).catch(() => undefined)
    waitedMs += pauseMs
  }
}

/** The same for one tenant and a person who waits: three seconds. `signal` aborts when the lease is lost or the process drains. */
export function withTenant<T>(deps: LeaseDeps, id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const run = ({ signal }: TenantLease) => work(AbortSignal.any([signal, deps.shutdown]))
  return alone(deps, tenantLease(id), run, patience.brief)
}

function busy(cause: unknown): ServiceError {
  return new ServiceError('tenant_busy', 'Another call is changing this tenant or its subscriptions.', {
    hint: 'Try again when it is done.',
    retryAfter: 10,
    cause,
  })
}

function lost(cause: ServiceError): ServiceError {
  return new ServiceError('tenant_busy', 'Another process took over this tenant; nothing more was written here.', {
    hint: 'Look at the tenant’s subscriptions, then try again.',
    retryAfter: 10,
    extra: cause.extra,
    cause,
  })
}
