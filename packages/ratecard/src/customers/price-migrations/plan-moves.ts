// Plans which items of one subscription move from a former processor price to the current one and when, and why other items are skipped.
// Pure. An item moves only if nothing is billed immediately and its interval stays the same; see customers/item-swaps/compatibility.ts.
import type { ProcessorId } from '../../catalog/resource.ts'
import type { LiveItem, LiveSubscription } from '../../processor/customer-half.ts'
import {
  isLive,
  incompatibility,
  effectiveFor,
  positionsSharingPrice,
  type Effective,
} from '../item-swaps/compatibility.ts'
import type { BookedPrice, PriceBook } from '../item-swaps/price-book.ts'
import type { MigrationRequest } from '../../api/customers/price-migrations.ts'
import { ServiceError } from '../../base/errors/service-error.ts'

/** A configuration price with its current and its former processor prices. */
export interface ReplacedPrice {
  readonly booked: BookedPrice
  /** Current processor price; null if the price is now free and does not exist at the processor. */
  readonly current: ProcessorId | null
  readonly former: ReadonlySet<ProcessorId>
}

export interface PlannedMove {
  readonly item: LiveItem
  /** The price to replace: the item's current price or, if it has a schedule, the price that the schedule switches to. */
  readonly from: ProcessorId
  readonly effective: Effective
  /** Time of the change, epoch milliseconds. For `now` it is the time of planning. */
  readonly effectiveAt: number
  readonly skipped: string | null
  /** True if the item is skipped because an earlier migration or another schedule already moves it. */
  readonly already: boolean
  /** False if the item will renew at least once more before the requested date. Then nothing is written yet. */
  readonly due: boolean
}

export interface Situation {
  readonly subscription: LiveSubscription
  /** Prices that a schedule switches to in the next period, keyed by the present price; empty without a schedule. */
  readonly coming: ReadonlyMap<ProcessorId, ProcessorId>
}

/** Returns one planned move for each item that is on a former price, or that a schedule will move to one. */
export function planMoves(
  situation: Situation,
  replaced: ReplacedPrice,
  to: MigrationRequest['to'],
  now: number,
): readonly PlannedMove[] {
  const { items } = situation.subscription
  const planned = items
    .filter((item) => replaced.former.has(item.price.id) || returnsTo(item, situation, replaced) !== undefined)
    .map((item) => planMove(item, situation, replaced, to, now))
  const moving = new Set(planned.filter(({ skipped }) => skipped === null).map(({ item }) => item.id))
  const after = items.map(({ id, price }) =>
    moving.has(id) && replaced.current !== null ? replaced.current : (situation.coming.get(price.id) ?? price.id),
  )
  const present = items.map(({ id, price }) =>
    moving.has(id) && replaced.current !== null ? replaced.current : price.id,
  )
  const clashing = new Set([...positionsSharingPrice(after), ...positionsSharingPrice(present)])
  return planned.map((move) => {
    if (move.skipped !== null || !clashing.has(items.indexOf(move.item))) return move
    return {
      ...move,
      skipped: 'Another item of the subscription is on the new price, or would be: two items cannot share a price.',
    }
  })
}

/**
 * Returns the former price that the item's schedule would switch to, if there is one. Such a schedule was made when that price was still
 * current.
 */
function returnsTo(
  { price }: LiveItem,
  { coming }: Situation,
  { former, current }: Pick<ReplacedPrice, 'former' | 'current'>,
): ProcessorId | undefined {
  const next = coming.get(price.id)
  const concerned = former.has(price.id) || price.id === current
  return concerned && next !== undefined && next !== price.id && former.has(next) ? next : undefined
}

function planMove(
  item: LiveItem,
  situation: Situation,
  { booked, current, former }: ReplacedPrice,
  to: MigrationRequest['to'],
  now: number,
): PlannedMove {
  const { subscription, coming } = situation
  const returning = returnsTo(item, situation, { former, current })
  // `booked` is the present price in the configuration, which no longer contains the former one. So a former price with tiers never counts
  // as free.
  const effective = to === 'now' && returning === undefined ? effectiveFor(item, subscription, booked) : 'period_end'
  // A move that changes an existing schedule takes effect at the next renewal, even if a later date was requested.
  const notBefore = typeof to === 'object' && returning === undefined ? to.at : 0
  const effectiveAt = effective === 'now' ? now : renewalFrom(item, notBefore)
  const planned = (skipped: string | null, already = false): PlannedMove => ({
    item,
    from: returning ?? item.price.id,
    effective,
    effectiveAt,
    skipped,
    already,
    due: item.currentPeriodEnd >= notBefore,
  })
  if (current === null) return planned(`The price "${booked.price.id}" is free now and has no object at the processor.`)
  if (!isLive(subscription)) return planned(`The subscription is ${subscription.status}.`)
  const next = coming.get(item.price.id)
  if (next === current) return planned('A schedule already moves the item.', true)
  if (returning === undefined && next !== undefined && next !== item.price.id)
    return planned('A schedule moves the item to another price.')
  const reason = incompatibility(item, subscription, booked)
  if (reason !== null) return planned(reason)
  if (effective === 'period_end' && subscription.cancelAtPeriodEnd)
    return planned('The subscription ends with the period, before the price could change.')
  return planned(null)
}

/**
 * Returns the first renewal at or after `notBefore`. A renewal after the current period is an estimate for display, because the processor
 * decides its time.
 */
function renewalFrom({ price, currentPeriodEnd }: LiveItem, notBefore: number): number {
  const renewal = new Date(currentPeriodEnd)
  const day = renewal.getUTCDate()
  for (let periods = 1; renewal.getTime() < notBefore; periods++) {
    renewal.setTime(currentPeriodEnd)
    const count = periods * price.intervalCount
    if (price.interval === 'day' || price.interval === 'week')
      renewal.setUTCDate(day + count * (price.interval === 'week' ? 7 : 1))
    else {
      renewal.setUTCDate(1)
      renewal.setUTCMonth(renewal.getUTCMonth() + count * (price.interval === 'year' ? 12 : 1))
      const last = new Date(Date.UTC(renewal.getUTCFullYear(), renewal.getUTCMonth() + 1, 0)).getUTCDate()
      renewal.setUTCDate(Math.min(day, last))
    }
  }
  return renewal.getTime()
}

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
