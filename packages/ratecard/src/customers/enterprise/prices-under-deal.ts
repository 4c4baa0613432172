// Finds the prices that the items of a subscription would have by the tenant's present deal if no change were scheduled. An apply and the end
// of a deal leave an item alone whose scheduled change is not covered by the deal, so that a customer who undoes that change needs them.
import type { ProcessorId } from '../../catalog/resource.ts'
import type { SwapDeps } from '../item-swaps/deps.ts'
import type { ItemMove } from '../item-swaps/swap-step.ts'
import { belongs, type BookedPrice, type PriceBook, type PriceTarget } from '../item-swaps/price-book.ts'
import type { AuditRecord, DealEnd, TenantRecord } from '../../store/records/tenants.ts'
import { removedPrices } from './removed-prices.ts'
import { signedPrices } from './signed-prices.ts'
import { planSwaps, type LiveState } from './swap-plan.ts'
import type { EnterpriseTarget } from '../../api/customers/enterprise.ts'

export interface PriceUnderDeal {
  readonly price: ProcessorId
  /** The move of the item to this price. */
  readonly move: ItemMove
  /** True if the price is archived, and so is activated while it is scheduled. */
  readonly archived: boolean
}

/**
 * Returns, by price, the other price that an item would have under the tenant's deal. A price without an entry stays. After a deal has
 * ended, only items on a price of that deal move: another negotiated price was sold on purpose.
 */
export async function pricesUnderDeal(
  deps: Pick<SwapDeps, 'store' | 'priceBook'>,
  tenant: TenantRecord,
  { subscription, coming }: LiveState,
): Promise<ReadonlyMap<ProcessorId, PriceUnderDeal>> {
  const last = await dealOf(deps, tenant)
  if (last === null) return new Map()
  const { target, ended } = last
  const book = await deps.priceBook()
  // The undone change takes a cancellation at the end of the period with it.
  const states = [{ subscription: { ...subscription, cancelAtPeriodEnd: false, cancelAt: null }, coming }]
  const removed = await removedPrices(deps.store, book, states)
  const toSigned = target.kind === 'none' && target.to === 'signed'
  const signed = toSigned ? await signedPrices(deps.store, book, tenant.id) : new Map<string, BookedPrice>()
  const { steps } = planSwaps(states, book, target, { removed, signed })
  const isMoved = (from: ProcessorId) => ended === null || belongsTo(ended, book, removed, from)
  return new Map(
    steps.flatMap(({ moves, reopens = [] }) =>
      moves
        .filter(({ fromProcessorId }) => isMoved(fromProcessorId))
        .map((move) => {
          const { fromProcessorId: from, toProcessorId: price } = move
          return [from, { price, move, archived: reopens.includes(price) }]
        }),
    ),
  )
}

function belongsTo(
  deal: PriceTarget,
  book: PriceBook,
  removed: ReadonlyMap<string, BookedPrice>,
  price: ProcessorId,
): boolean {
  const id = book.idOf(price)
  const booked = id === undefined ? undefined : (book.find(id) ?? removed.get(id))
  return booked !== undefined && belongs(booked.price, deal)
}

interface LastDeal {
  readonly target: EnterpriseTarget
  /** Deal that has ended; null if the tenant has a deal. */
  readonly ended: PriceTarget | null
}

/** Returns the tenant's deal, or how its last deal ended; null if it never had one. */
async function dealOf({ store }: Pick<SwapDeps, 'store'>, tenant: TenantRecord): Promise<LastDeal | null> {
  const present = targetOf(tenant.enterpriseTemplate, tenant.enterpriseId)
  if (present !== null) return { target: present, ended: null }
  for (let offset = 0; ; offset += pageSize) {
    const { items, total } = await store.tenants.dealEnds(tenant.id, { limit: pageSize, offset })
    const [last] = items.flatMap((row) => endIn(row) ?? [])
    if (last !== undefined) return last
    if (offset + pageSize >= total) return null
  }
}

const pageSize = 100

/** Returns the deal that ended with this row of the audit trail; null if none did. */
function endIn({ action, before, result }: AuditRecord): LastDeal | null {
  const fields = JSON.parse(before ?? '{}') as DealFields
  const ended = targetOf(fields.enterprise_template ?? null, fields.enterprise_id ?? null)
  if (ended === null) return null
  const { to } = JSON.parse(result ?? '{}') as { readonly to?: DealEnd }
  const then = action === 'deal_ended' ? fields.enterprise_then : to
  return { target: { kind: 'none', to: then ?? 'base' }, ended }
}

/** Names of the audit trail. */
interface DealFields {
  readonly enterprise_template?: string | null
  readonly enterprise_id?: string | null
  readonly enterprise_then?: DealEnd | null
}

function targetOf(template: string | null, enterpriseId: string | null): PriceTarget | null {
  if (template !== null) return { kind: 'template', template }
  return enterpriseId === null ? null : { kind: 'custom', enterpriseId }
}
