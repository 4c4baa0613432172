// Finds prices that were removed from the configuration although subscriptions are still on them. Their template or enterprise id and their
// base price are read from earlier revisions.
import type { BillingConfig } from '../../document/schema/schema.ts'
import type { PastRename } from '../../catalog/renames.ts'
import type { Store } from '../../store/store.ts'
import type { BookedPrice, PriceBook } from '../item-swaps/price-book.ts'
import type { LiveState } from './swap-plan.ts'

type Source = Pick<Store, 'versions' | 'mappings'>

/**
 * Returns removed prices by configuration id. Ids that are in no revision are omitted. If no price was removed, reads nothing from the
 * store.
 */
export async function removedPrices(
  { versions, mappings }: Source,
  book: PriceBook,
  states: readonly LiveState[],
): Promise<ReadonlyMap<string, BookedPrice>> {
  const gone = new Set<string>()
  for (const { subscription, coming } of states)
    for (const { price } of subscription.items) {
      const id = book.idOf(coming.get(price.id) ?? price.id)
      if (id !== undefined && book.find(id) === undefined) gone.add(id)
    }
  const removed = new Map<string, BookedPrice>()
  if (gone.size === 0) return removed
  const renames = (await mappings.renames()).filter(({ kind }) => kind === 'price')
  for (const id of gone)
    for (const revision of revisionsOf(id, book, renames)) {
      const document = (await versions.find(revision))?.document ?? null
      const found = document === null ? undefined : book.removed(id, JSON.parse(document) as BillingConfig)
      if (found === undefined) continue
      removed.set(id, { ...found, base: idSince(found.base, revision, renames) })
      break
    }
  return removed
}

/**
 * Returns the revisions to search for a removed price, newest first. These are the revision that created its last processor price, and
 * revisions that renamed a price to this id.
 */
function revisionsOf(id: string, book: PriceBook, renames: readonly PastRename[]): readonly number[] {
  const made = book.history(id).slice(-1)
  const named = renames.filter(({ to }) => to === id)
  return [...made, ...named].map(({ revision }) => revision).sort((a, b) => b - a)
}

/**
 * Returns the current id of a price that had the given id in `revision`. The renames of one revision apply at the same time, so at most one
 * rename per revision applies to the price.
 */
function idSince(id: string | undefined, revision: number, renames: readonly PastRename[]): string | undefined {
  let [name, at] = [id, revision]
  for (const rename of renames)
    if (rename.continues && rename.from === name && rename.revision > at) [name, at] = [rename.to, rename.revision]
  return name
}
