// Chooses the rate budget for calls to the processor. Replicas with one PostgreSQL database share a budget; a single process has its own.
import type { Clock } from '../../base/clock.ts'
import { budgetFor, limitsFor, withoutUsageLimit, type RateBudget } from '../../processor/rate-budget.ts'
import { createSharedBudget } from '../../processor/shared-budget.ts'
import type { Store } from '../../store/store.ts'

/** Name of the shared budget. One name is enough, because an environment is bound to one processor account. */
const pace = 'processor'

export function throttledBudget(
  store: Pick<Store, 'engine' | 'paces'>,
  account: { readonly livemode: boolean },
  clock: Clock,
): RateBudget {
  const paced = pacedBudget(store, account, clock)
  return account.livemode ? withoutUsageLimit(paced) : paced
}

function pacedBudget(
  store: Pick<Store, 'engine' | 'paces'>,
  account: { readonly livemode: boolean },
  clock: Clock,
): RateBudget {
  if (store.engine === 'sqlite') return budgetFor({ ...account, sandboxUnthrottled: false, clock })
  const limits = limitsFor(account)
  return createSharedBudget({
    reserve: (operation, count) => store.paces.reserve({ name: pace, operation, count, limits }),
    // Reserve at most a quarter of one second's calls at once, so that other replicas do not wait long.
    batch: Math.ceil(limits.perOperationPerSecond / 4),
  })
}
