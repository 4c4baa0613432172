// Which rate budget stands behind the processor: replicas on one PostgreSQL share theirs, one process has its own.
import type { Clock } from '../clock.ts'
import { budgetFor, limitsFor } from '../processor/rate-budget.ts'
import type { RateBudget } from '../processor/rate-budget.ts'
import { createSharedBudget } from '../processor/shared-budget.ts'
import type { Store } from '../store/store.ts'

/** An environment is bound to one processor account: its replicas have one rate. */
const pace = 'processor'

export function throttledBudget(
  store: Pick<Store, 'engine' | 'paces'>,
  account: { readonly livemode: boolean },
  clock: Clock,
): RateBudget {
  if (store.engine === 'sqlite') return budgetFor({ ...account, sandboxUnthrottled: false, clock })
  const limits = limitsFor(account)
  return createSharedBudget({
    reserve: (operation, count) => store.paces.reserve({ name: pace, operation, count, limits }),
    // A quarter of a second at most, so that another replica is not kept waiting.
    batch: Math.ceil(limits.perOperationPerSecond / 4),
  })
}
