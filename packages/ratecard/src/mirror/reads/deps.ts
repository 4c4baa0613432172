import type { PriceBook } from '../../item-swaps/price-book.ts'
import type { Store } from '../../store/store.ts'
import type { Mirror, MirrorAge } from '../mirror.ts'
import { sumCustomers } from '../sums/sum-customers.ts'

/** Dependencies of all operations that read the mirror. */
export interface MirrorReadDeps {
  readonly store: Pick<Store, 'mirror' | 'revenue' | 'tenants' | 'versions' | 'localSubscriptions'>
  readonly mirror: Mirror
  /** Returns the prices of the applied configuration. Renamed prices have their current id. */
  readonly priceBook: () => Promise<PriceBook>
}

const never = new AbortController().signal

/**
 * Recomputes outdated sums, then returns the age of the mirror. The feed computes sums after it has read objects, so a response in between
 * would show an older sum than its `as_of` promises. Throws `mirror_off` or `mirror_filling`.
 */
export async function requireSums({ store, mirror }: MirrorReadDeps): Promise<MirrorAge> {
  const age = await mirror.require()
  await sumCustomers(store, never)
  return age
}
