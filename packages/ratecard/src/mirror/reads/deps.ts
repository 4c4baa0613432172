import type { PriceBook } from '../../item-swaps/price-book.ts'
import type { Store } from '../../store/store.ts'
import type { Mirror } from '../mirror.ts'

/** Dependencies of everything that answers from the mirror. */
export interface MirrorReadDeps {
  readonly store: Pick<Store, 'mirror' | 'revenue' | 'tenants' | 'versions' | 'localSubscriptions'>
  readonly mirror: Mirror
  /** Prices of the applied configuration; renamed prices by their current id. */
  readonly priceBook: () => Promise<PriceBook>
}
