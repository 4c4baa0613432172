// One change of a customer's subscriptions at a time. Who comes second waits a while: two calls at once are one after the other.
import { setTimeout as wait } from 'node:timers/promises'
import { ServiceError } from '../errors/service-error.ts'
import type { LeaseToken, Store } from '../store/store.ts'
import type { SwapDeps } from './deps.ts'

export interface Held {
  readonly token: LeaseToken
  readonly signal: AbortSignal
}

const patience = 10_000
const shortestWaitMs = 10
const longestWaitMs = 250

/** Runs `work` alone under this name. `tenant_busy` when another holds it for ten seconds, or when it is lost on the way. */
export async function alone<T>(
  deps: Pick<SwapDeps, 'shutdown'> & { readonly store: Pick<Store, 'exclusively'> },
  name: string,
  work: (held: Held) => Promise<T>,
  patienceMs = patience,
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

/** Between two steps nothing is half done. */
export function stopIfDraining({ shutdown }: Pick<SwapDeps, 'shutdown'>): void {
  if (!shutdown.aborted) return
  throw new ServiceError('shutting_down', 'The service is shutting down; it stopped between two steps.', {
    hint: 'Do the same again: what is in place is left alone, the rest is finished.',
    retryAfter: 10,
  })
}

function busy(cause: unknown): ServiceError {
  return new ServiceError('tenant_busy', 'Another call is changing the subscriptions of this tenant.', {
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
