import type { PriceBook } from '../../item-swaps/price-book.ts'
import type { Store } from '../../../store/store.ts'
import type { Mirror, MirrorAge } from '../mirror.ts'
import { sumCustomers, type SumStores } from '../sums/sum-customers.ts'

/** Dependencies of all operations that read the mirror. */
export interface MirrorReadDeps {
  readonly store: Pick<Store, 'mirror' | 'revenue' | 'tenants' | 'versions' | 'localSubscriptions'>
  readonly mirror: Mirror
  /** Returns the prices of the applied configuration. Renamed prices have their current id. */
  readonly priceBook: () => Promise<PriceBook>
  /** Computes outdated sums of customers again. See {@link createSharedSums}. */
  readonly currentSums: () => Promise<void>
}

const never = new AbortController().signal

/**
 * Returns a function that computes outdated sums again. If a computation is running, it may have missed the latest changes. So all calls
 * during that time share one further computation, and many concurrent requests cause at most two computations.
 */
export function createSharedSums(stores: SumStores): () => Promise<void> {
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null
  const start = async (): Promise<void> => {
    try {
      await sumCustomers(stores, never)
    } finally {
      running = null
    }
  }
  const startAfter = async (present: Promise<void>): Promise<void> => {
    // A failure of the present run is thrown to its own callers.
    await Promise.allSettled([present])
    next = null
    running = start()
    return running
  }
  return () => {
    if (next !== null) return next
    if (running === null) {
      running = start()
      return running
    }
    next = startAfter(running)
    return next
  }
}

/**
 * Computes outdated sums again, then returns the age of the mirror. The feed computes sums only after it has read objects. Without this
 * call, a response in between could contain a sum that is older than its `as_of`. Throws `mirror_off` or `mirror_filling`.
 */
export async function requireSums({
  mirror,
  currentSums,
}: Pick<MirrorReadDeps, 'mirror' | 'currentSums'>): Promise<MirrorAge> {
  const age = await mirror.require()
  await currentSums()
  return age
}
