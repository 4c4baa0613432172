// Compares prices with the last amounts that their ids had, where the current document has none to compare with: the id was removed, one-time,
// in another currency or of a chosen amount in between. Otherwise two pushes would pass a policy that one push does not.
import type { ChangedPrice } from '../../catalog/policies/decide.ts'
import { pricesIn } from '../../catalog/price-moves.ts'
import type { Rename } from '../../catalog/renames.ts'
import type { BillingConfig, Price } from '../../document/schema/schema.ts'
import { currenciesOf } from '../../document/pricing/calculate.ts'
import { compareAmounts } from '../../document/pricing/price-change.ts'
import { yieldToRequests } from '../../base/event-loop.ts'
import type { SyncDeps } from '../deps.ts'
import type { Planned } from './planned.ts'

/** An amount counts for 90 days after it was last in force. */
const rememberedMs = 90 * 24 * 60 * 60_000
const page = 50

type Compared = Pick<Planned, 'prices' | 'formerPrices'> & { readonly plan: Pick<Planned['plan'], 'renames'> }

/** A price of which some currencies have nothing to compare with in the current document. */
interface Open {
  readonly price: Price
  /** Its id, and those that it had before. */
  readonly ids: ReadonlySet<string>
  readonly currencies: Set<string>
}

/** Returns the prices that rise or fall since their last amount of the same currency and interval; empty if no policy looks at amounts. */
export async function lastAmounts(deps: SyncDeps, planned: Compared): Promise<readonly ChangedPrice[]> {
  if (planned.prices.length === 0 || !(await deps.guard.comparesAmounts())) return []
  const open = await openPrices(deps, planned)
  const found: ChangedPrice[] = []
  for await (const { document, revision } of earlierDocuments(deps)) {
    if (open.length === 0) break
    // A document without any of the ids needs no parsing.
    if (!open.some(({ ids }) => [...ids].some((id) => document.includes(JSON.stringify(id))))) continue
    const prices = pricesIn(JSON.parse(document) as BillingConfig)
    for (const one of open) found.push(...comparedWith(prices, one, revision))
    open.splice(0, open.length, ...open.filter(({ currencies }) => currencies.size > 0))
    await yieldToRequests()
  }
  return found
}

async function openPrices({ store }: SyncDeps, { plan, prices, formerPrices }: Compared): Promise<Open[]> {
  const past = [...(await store.mappings.renames()), ...plan.renames].filter(({ kind }) => kind === 'price')
  const former = new Map(formerPrices.map((price) => [price.id, price]))
  return prices.flatMap((price) => {
    if (price.custom_unit_amount !== undefined) return []
    const ids = idsOf(price, past)
    const before = [...ids].map((id) => former.get(id)).find((one) => one !== undefined)
    const compared = before === undefined ? [] : compareAmounts(before, price).length > 0 ? currenciesOf(before) : []
    const currencies = new Set(currenciesOf(price).filter((currency) => !compared.includes(currency)))
    return currencies.size === 0 ? [] : [{ price, ids, currencies }]
  })
}

function idsOf(
  { id, previous_ids: named = [] }: Price,
  past: readonly Pick<Rename, 'from' | 'to'>[],
): ReadonlySet<string> {
  const ids = new Set<string>([id, ...named])
  for (const one of ids) for (const { from, to } of past) if (to === one) ids.add(from)
  return ids
}

/** Compares the open currencies of a price with an earlier document, and closes those that it has. */
function comparedWith(prices: readonly Price[], { price, ids, currencies }: Open, revision: number): ChangedPrice[] {
  const before = prices.find(
    (one) =>
      ids.has(one.id) &&
      one.custom_unit_amount === undefined &&
      one.interval === price.interval &&
      (one.interval_count ?? 1) === (price.interval_count ?? 1),
  )
  if (before === undefined) return []
  const kept = currenciesOf(before).filter((currency) => currencies.has(currency))
  for (const currency of kept) currencies.delete(currency)
  const changes = compareAmounts(before, price).filter(({ rise, fall }) =>
    kept.includes((rise ?? fall)?.currency ?? ''),
  )
  return changes.length === 0 ? [] : [{ configId: price.id, currencies: changes, since: revision }]
}

/** Returns the documents of the last 90 days, newest first, and the one that was in force when they began. */
async function* earlierDocuments({ store, clock }: SyncDeps) {
  const since = clock.now() - rememberedMs
  for (let offset = 0; ; offset += page) {
    const { items } = await store.versions.list({ limit: page, offset })
    for (const { revision, createdAt } of items) {
      const { document = null } = (await store.versions.find(revision)) ?? {}
      if (document !== null) yield { document, revision }
      if (createdAt < since) return
    }
    if (items.length < page) return
  }
}
