import { ServiceError } from '../errors/service-error.ts'
import type { PriceBook } from '../swaps/price-book.ts'
import type { ReplacedPrice } from './plan-moves.ts'

/** By the present id or an earlier one. `price_not_found` unless the current configuration has the price. */
export function replacedPrice(book: PriceBook, asked: string): ReplacedPrice {
  const booked = book.find(asked)
  if (booked === undefined)
    throw new ServiceError('price_not_found', `The configuration has no price "${asked}".`, {
      hint: 'Subscribers of a price that was removed have nothing to move to.',
    })
  const priceId = booked.price.id
  const current = booked.processorId
  const former = book.history(priceId).map(({ processorId }) => processorId)
  // A processor price that is in use again, for this or another configuration price, is not a former one.
  const past = former.filter((id) => id !== current && String(id) !== priceId && book.idOf(id) === priceId)
  return { booked, current, former: new Set(past) }
}
