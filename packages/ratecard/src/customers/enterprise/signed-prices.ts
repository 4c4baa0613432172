// Finds the price that an item was on before its deal (negotiated prices). It is in the journal: each step that applied negotiated prices
// contains the price that the item left. A resumption applies them too, if it moves a restored item to its price under the deal.
import type { BillingConfig } from '../../document/schema/schema.ts'
import type { ProcessorId } from '../../catalog/resource.ts'
import type { BookedPrice, PriceBook } from '../item-swaps/price-book.ts'
import { recordedChange } from '../item-swaps/change-step.ts'
import { recordedStep } from '../item-swaps/swap-step.ts'
import type { Store } from '../../store/store.ts'

type Source = Pick<Store, 'jobs' | 'versions'>

/**
 * Returns, for each subscription item, the ordinary price before its first deal, even if that price was replaced since. Omits items that
 * were never moved to a deal, e.g. because they were sold at a negotiated price.
 */
export async function signedPrices(
  { jobs, versions }: Source,
  book: PriceBook,
  tenantId: string,
): Promise<ReadonlyMap<string, BookedPrice>> {
  const left = new Map<string, ProcessorId>()
  const isNegotiated = (id: string) => book.find(id)?.enterprise
  for (const record of await jobs.appliedSteps(tenantId)) {
    const { moves, ends } = movesOf(record)
    for (const { item, from, to, fromProcessorId } of moves)
      if (ends || isNegotiated(to) === false) left.delete(item)
      else if (!left.has(item) && isNegotiated(from) !== true) left.set(item, fromProcessorId)
  }
  const signed = new Map<string, BookedPrice>()
  for (const [item, price] of left) {
    const found = await formerPrice(versions, book, price)
    if (found !== undefined) signed.set(item, found)
  }
  return signed
}

/** Returns the moves of a step, and whether its job ended the deal. */
function movesOf({ kind, input, step }: Awaited<ReturnType<Store['jobs']['appliedSteps']>>[number]) {
  if (kind === 'subscription_change') {
    const change = recordedChange(step)
    return { moves: change.op === 'schedule' ? (change.moves ?? []) : [], ends: false }
  }
  const { enterprise_template: template, enterprise_id: custom } = JSON.parse(input) as Record<string, unknown>
  return { moves: recordedStep(step).moves, ends: (template ?? custom ?? null) === null }
}

/**
 * Returns a former processor price of the configuration. It has the amounts with which it was created, and the current configuration id.
 */
async function formerPrice(
  versions: Source['versions'],
  book: PriceBook,
  processorId: ProcessorId,
): Promise<BookedPrice | undefined> {
  const id = book.idOf(processorId)
  if (id === undefined) return undefined
  const present = book.find(id)
  if (present?.processorId === processorId) return present
  const made = book.history(present?.price.id ?? id).find((entry) => entry.processorId === processorId)
  const document = made === undefined ? null : ((await versions.find(made.revision))?.document ?? null)
  if (document === null) return undefined
  const config = JSON.parse(document) as BillingConfig
  const names = [id, ...(present?.price.previous_ids ?? [])]
  const [found] = names.flatMap((name) => book.removed(name, config) ?? [])
  if (found === undefined) return undefined
  return { ...found, price: { ...found.price, id: present?.price.id ?? id }, processorId }
}
