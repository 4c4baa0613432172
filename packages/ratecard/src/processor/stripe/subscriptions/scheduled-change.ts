// Stores a scheduled change in the metadata of its schedule: which items come when, and which items the subscription would have without the
// change. Pure.
import { isDeepStrictEqual } from 'node:util'
import { processorId } from '../../../catalog/resource.ts'
import { ProcessorError } from '../../processor-error.ts'
import type { PlannedItem, ScheduledChange } from '../../subscription-change.ts'
import type { PriceSwitch, Schedule } from './schedule-timeline.ts'

/**
 * Names of the metadata values that contain a change. Ten values have space for a change of all 20 items that a subscription can have, each
 * before and after the change with an id of 100 characters; Stripe's ids have about 30.
 */
const changeKeys = ['ratecard_change', ...[2, 3, 4, 5, 6, 7, 8, 9, 10].map((part) => `ratecard_change_${String(part)}`)]
/** Maximum length of a metadata value at Stripe, enough for about 14 items. */
const maxValueLength = 500

/**
 * Returns the metadata that describes the change. A value that is full continues in the next one. Throws `rejected` for a change that does
 * not fit, because it could not be undone separately.
 */
export function changeMetadata(change: ScheduledChange): Record<string, string> {
  const { at, coming, restores, promotionCodes, ends = [] } = change
  const lists = [itemsText(coming), itemsText(restores), promotionCodes.join(' '), ends.join(' ')]
  const text = [String(at / 1000), ...lists].join(';')
  if (text.length > changeKeys.length * maxValueLength)
    throw new ProcessorError('rejected', 'The change has too many items to be scheduled at once; schedule it in parts.')
  // An empty value deletes what an earlier, longer change left.
  return Object.fromEntries(
    changeKeys.map((key, part) => [key, text.slice(part * maxValueLength, (part + 1) * maxValueLength)]),
  )
}

/** Returns the metadata of a schedule without the change that it describes. */
export const withoutChange = (metadata: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => !changeKeys.includes(key)))

/** Returns the change that is stored in the schedule's metadata, if it has not begun yet; otherwise null. */
export function scheduledChangeOf({ metadata, begun, status }: Schedule): ScheduledChange | null {
  const text = changeKeys.map((key) => metadata[key] ?? '').join('')
  const [at = '', coming, restores, codes = '', ends = ''] = text.split(';')
  if (status !== 'active' || !/^\d+$/.test(at) || coming === undefined || restores === undefined) return null
  if (begun !== null && begun >= Number(at)) return null
  return {
    at: Number(at) * 1000,
    coming: itemsIn(coming),
    restores: itemsIn(restores),
    promotionCodes: wordsIn(codes).map(processorId),
    ends: wordsIn(ends),
  }
}

/**
 * Returns the metadata of a schedule whose scheduled change comes to other prices, e.g. because a deal was applied meanwhile; null if no
 * price of the change moves. Without it, undoing the change would leave its items beside those that it replaced. `forGood`: what undoing it brings
 * back moves too.
 */
export function movedChangeMetadata(
  schedule: Schedule,
  moves: readonly Pick<PriceSwitch, 'from' | 'to'>[],
  forGood: boolean,
): Record<string, string> | null {
  const change = scheduledChangeOf(schedule)
  if (change === null) return null
  const moved = (items: readonly PlannedItem[]) =>
    items.map(({ price, quantity }) => {
      const move = moves.find(({ from }) => from === price)
      return { price: move === undefined ? price : processorId(move.to), quantity }
    })
  const after = { ...change, coming: moved(change.coming), ...(forGood ? { restores: moved(change.restores) } : {}) }
  return isDeepStrictEqual(after, change) ? null : changeMetadata(after)
}

const itemsText = (items: readonly PlannedItem[]) =>
  items.map(({ price, quantity }) => (quantity === null ? price : `${price}=${String(quantity)}`)).join(' ')

function itemsIn(text: string): readonly PlannedItem[] {
  return wordsIn(text).map((item) => {
    const [price = '', quantity] = item.split('=')
    return { price: processorId(price), quantity: quantity === undefined ? null : Number(quantity) }
  })
}

const wordsIn = (text: string) => text.split(' ').filter((word) => word !== '')
