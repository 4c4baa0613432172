import { ServiceError } from '../../base/errors/service-error.ts'
import type { PriceBook } from '../item-swaps/price-book.ts'
import type { ReplacedPrice } from './plan-moves.ts'

/**
 * Finds a configuration price by its current or a former id, and its former processor prices. Throws `price_not_found` if the applied
 * configuration does not contain the price.
 */
export function replacedPrice(book: PriceBook, priceId: string): ReplacedPrice {
  const booked = book.find(priceId)
  if (booked === undefined)
    throw new ServiceError('price_not_found', `The configuration has no price "${priceId}".`, {
      hint: 'If the price was removed, its subscribers have no price to move to.',
    })
  const { id } = booked.price
  const current = booked.processorId
  const former = book.history(id).map(({ processorId }) => processorId)
  // After a rollback, a former processor price may be the present one of this or another configuration price. It is left out, because its
  // subscribers must not be moved.
  const past = former.filter((one) => one !== current && String(one) !== id && book.idOf(one) === id)
  return { booked, current, former: new Set(past) }
}
