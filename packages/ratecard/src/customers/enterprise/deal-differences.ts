// Compares what tenants' subscriptions are on with the deals that this store knows, from the mirror. They differ e.g. after a restore: a backup
// does not know the deals that were made since.
import { processorId } from '../../catalog/resource.ts'
import type { MirroredSubscription } from '../../processor/mirrored.ts'
import type { Store } from '../../store/store.ts'
import type { BookedPrice, PriceBook } from '../item-swaps/price-book.ts'
import { removedPrices } from './removed-prices.ts'
import { planSwaps, type LiveState } from './swap-plan.ts'
import type { EnterpriseTarget } from '../../api/customers/enterprise.ts'

interface Deps {
  readonly store: Pick<Store, 'tenants' | 'mirror' | 'mappings' | 'versions' | 'pushes'>
  readonly priceBook: () => Promise<PriceBook>
}

export interface DealDifference {
  readonly tenantId: string
  readonly subscription: string
  /** Configuration id of the negotiated price. */
  readonly price: string
  /** `missing`: the deal has it, and the subscription is not on it. `foreign`: the subscription is on it without such a deal. */
  readonly kind: 'missing' | 'foreign'
}

const page = 100

/** Returns the differences, of tenants with a deal first. */
export async function dealDifferences(deps: Deps): Promise<readonly DealDifference[]> {
  const book = await deps.priceBook()
  const negotiated = book.prices.filter(({ enterprise }) => enterprise)
  const targets = new Map(negotiated.map((one) => [JSON.stringify(targetOf(one)), targetOf(one)]))
  const found: DealDifference[] = []
  for (const target of targets.values())
    for await (const tenant of tenantsOn(deps, target)) found.push(...(await missingPrices(deps, book, target, tenant)))
  return [...found, ...(await foreignItems(deps, negotiated))]
}

const targetOf = ({ price }: BookedPrice): EnterpriseTarget =>
  price.enterprise_template === undefined
    ? { kind: 'custom', enterpriseId: price.enterprise_id ?? '' }
    : { kind: 'template', template: price.enterprise_template }

interface OnDeal {
  readonly id: string
  readonly customer: string
}

async function* tenantsOn({ store }: Deps, target: EnterpriseTarget): AsyncGenerator<OnDeal> {
  const of =
    target.kind === 'template'
      ? { enterpriseTemplate: target.template }
      : { enterpriseId: target.kind === 'custom' ? target.enterpriseId : '' }
  for (let offset = 0; ; offset += page) {
    const { items } = await store.tenants.list({ ...of, limit: page, offset })
    for (const { id, processorCustomerId: customer } of items) if (customer !== null) yield { id, customer }
    if (items.length < page) return
  }
}

async function missingPrices(
  deps: Deps,
  book: PriceBook,
  target: EnterpriseTarget,
  { id, customer }: OnDeal,
): Promise<DealDifference[]> {
  const live = (await deps.store.mirror.subscriptionsOf(processorId(customer))).filter(isStaying)
  const states = live.map(stateOf)
  const { steps } = planSwaps(states, book, target, { removed: await removedPrices(deps.store, book, states) })
  return steps.flatMap(({ subscription, moves }) =>
    moves.map(({ to }) => ({ tenantId: id, subscription, price: to, kind: 'missing' as const })),
  )
}

/** A subscription that is about to end keeps its prices until then. */
const isStaying = ({ endedAt, cancelAt, cancelAtPeriodEnd }: MirroredSubscription) =>
  endedAt === null && cancelAt === null && !cancelAtPeriodEnd

const stateOf = (subscription: MirroredSubscription): LiveState => ({
  subscription,
  coming: new Map(subscription.scheduled.map(({ from, to }) => [from, to])),
})

/** Items on a negotiated price that the tenant's deal does not have, and that no checkout sold to it. */
async function foreignItems({ store }: Deps, negotiated: readonly BookedPrice[]): Promise<DealDifference[]> {
  const found: DealDifference[] = []
  for (const { price, processorId: id } of negotiated) {
    if (id === null) continue
    for (const { tenantId, subscription } of await store.mirror.usesOf([id])) {
      const tenant = tenantId === null ? null : await store.tenants.find(tenantId)
      if (tenant === null) continue
      const isDeal =
        (price.enterprise_template !== undefined && tenant.enterpriseTemplate === price.enterprise_template) ||
        (price.enterprise_id !== undefined && tenant.enterpriseId === price.enterprise_id)
      const sold = await store.mirror.find('subscription', subscription)
      if (isDeal || sold?.soldPriceIds.includes(price.id) === true || (sold?.schedule ?? null) !== null) continue
      found.push({ tenantId: tenant.id, subscription, price: price.id, kind: 'foreign' })
    }
  }
  return found
}
