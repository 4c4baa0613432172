import type { PriceBook } from '../../item-swaps/price-book.ts'
import type { Store } from '../../store/store.ts'
import type { Mirror, MirrorAge } from '../mirror.ts'
import { sumCustomers } from '../sums/sum-customers.ts'

/** Dependencies of everything that answers from the mirror. */
export interface MirrorReadDeps {
  readonly store: Pick<Store, 'mirror' | 'revenue' | 'tenants' | 'versions' | 'localSubscriptions'>
  readonly mirror: Mirror
  /** Prices of the applied configuration; renamed prices by their current id. */
  readonly priceBook: () => Promise<PriceBook>
}

const never = new AbortController().signal

/**
 * Returns the age of a complete mirror whose sums are those of its objects. The feed sums after each read; an answer that falls between
 * both would show an older sum than its `as_of` tells. Throws as `mirror.require` does.
 */
export async function requireSums({ store, mirror }: MirrorReadDeps): Promise<MirrorAge> {
  const age = await mirror.require()
  await sumCustomers(store, never)
  return age
}
