// Resumes subscriptions: undoes a cancellation, a pause, a scheduled change and one that waits for its payment. A deal that began or ended
// meanwhile left the items alone, because they were about to change or to end; the undone items get their price under the present deal.
import type { ProcessorId } from '../../../catalog/resource.ts'
import type { LiveItem } from '../../../processor/customer-half.ts'
import type { ChangeableSubscription, PlannedItem } from '../../../processor/subscription-change.ts'
import type { ChangeDeps } from '../deps.ts'
import { entriesOf, type ChangeStep, releaseOf } from '../../item-swaps/change-step.ts'
import type { Restoration } from './set-aside.ts'
import type { TenantRecord } from '../../../store/records/tenants.ts'

type State = ChangeableSubscription

/** Other prices that items would have under the tenant's present deal, by the price that they would have after the resumption. */
export type DealPrices = Awaited<ReturnType<ChangeDeps['pricesUnderDeal']>>

/** What undoing a cancellation brings back. */
export interface Undone {
  /** Step that puts back the schedule which the cancellation took off; null if it took none off. */
  readonly restores: Restoration | null
  /** True if the tenant's deal is the one of then, so that the schedule has its prices already. */
  readonly sameDeal: boolean
}

/**
 * Returns the steps that undo a cancellation, a pause, a scheduled change, and a change that waits for its payment; only those that the
 * subscription has. What the cancellation took off is there again.
 */
export function resumptionSteps(
  state: State,
  { restores, sameDeal, dealPrices }: Undone & { readonly dealPrices: DealPrices },
): readonly ChangeStep[] {
  const { subscription } = state
  const { id, cancelAt, cancelAtPeriodEnd, paused, status } = subscription
  const cancellation = cancelAtPeriodEnd ? 'undo_period_end' : cancelAt === null ? undefined : 'undo_date'
  const settings: ChangeStep = {
    op: 'settings',
    subscription: id,
    ...(cancellation === undefined ? {} : { cancellation }),
    ...(paused === null ? {} : { pause: null }),
  }
  return [
    ...withoutPending(state),
    ...withoutScheduled(state, dealPrices),
    ...(cancellation === undefined && paused === null ? [] : [settings]),
    ...(restores === null ? [] : [underDealThen(restores, dealPrices)]),
    ...(cancellation === undefined || (restores !== null && sameDeal) ? [] : underDeal(state, dealPrices)),
    ...(status === 'paused' ? [{ op: 'resume', subscription: id } as const] : []),
  ]
}

/** Returns the restoration with the prices of the present deal in the phases that have not begun. */
function underDealThen(restores: Restoration, dealPrices: DealPrices): ChangeStep {
  const phases = restores.phases.map((phase, index) =>
    index === 0
      ? phase
      : {
          ...phase,
          items: phase.items.map((item) => ({ ...item, price: dealPrices.get(item.price)?.price ?? item.price })),
        },
  )
  const later = restores.phases.slice(1).flatMap(({ items }) => items.map(({ price }) => price))
  const dealt = [...new Set(later)].flatMap((price) => dealPrices.get(price) ?? [])
  const reopens = [...(restores.reopens ?? []), ...dealt.filter(({ archived }) => archived).map(({ price }) => price)]
  return {
    ...{ ...restores, phases },
    ...(reopens.length === 0 ? {} : { reopens }),
    ...(dealt.length === 0 ? {} : { moves: dealt.map(({ move }) => move) }),
  }
}

/** Returns the step that voids the invoice of a change that waits for its payment, and so gives up the change. */
export function withoutPending({ subscription, payment }: State): readonly ChangeStep[] {
  return payment === null ? [] : [{ op: 'void', subscription: subscription.id, invoice: payment.invoice }]
}

/**
 * Returns the step that removes a scheduled change from the schedule. Other moves in the schedule stay, e.g. to a negotiated price. If
 * there are none, the schedule is released, unless it cancels the subscription at its end.
 */
function withoutScheduled(
  { subscription, phases, termEnd, scheduled }: State,
  dealPrices: DealPrices,
): readonly ChangeStep[] {
  if (phases === null || scheduled === null) return []
  const { id, schedule } = subscription
  const { at, coming } = scheduled
  const restores = scheduled.restores.map(({ price, quantity }) => ({
    price: dealPrices.get(price)?.price ?? price,
    quantity,
  }))
  const leaving = coming.map(({ price }) => price)
  const restored = phases.map(({ start, items }) =>
    start < at ? items : [...items.filter(({ price }) => !leaving.includes(price)), ...restores],
  )
  const [now = '', ...later] = restored.map(entriesOf)
  if (termEnd === null && later.every((entries) => entries === now)) return releaseOf(id, schedule)
  const from = scheduled.restores.map(({ price }) => price)
  return [{ ...scheduleStep(id, at, { from, coming: restores }, dealPrices), leaving }]
}

/**
 * Returns the steps that move items of a subscription whose cancellation is undone to their prices under the deal, each at the end of its
 * period. A cancellation has taken its schedule off before.
 */
function underDeal({ subscription, phases }: State, dealPrices: DealPrices): readonly ChangeStep[] {
  if (phases !== null) return []
  const moved = subscription.items.filter(({ price }) => dealPrices.has(price.id))
  const ends = [...new Set(moved.map(({ currentPeriodEnd }) => currentPeriodEnd))].sort((a, b) => a - b)
  return ends.map((at) => {
    const items = moved.filter(({ currentPeriodEnd }) => currentPeriodEnd === at)
    const coming = items.map(({ price: { id }, quantity }) => ({ price: dealPrices.get(id)?.price ?? id, quantity }))
    const leaving = items.map(({ price }) => price.id)
    return { ...scheduleStep(subscription.id, at, { from: leaving, coming }, dealPrices), leaving }
  })
}

/**
 * Returns the step that lets items come for good: undoing it again would restore the same items. `from`: prices of the items without the
 * deal.
 */
function scheduleStep(
  subscription: string,
  at: number,
  { from, coming }: { readonly from: readonly ProcessorId[]; readonly coming: readonly PlannedItem[] },
  dealPrices: DealPrices,
) {
  const moves = from.flatMap((price) => dealPrices.get(price)?.move ?? [])
  const archived = [...dealPrices.values()].filter((one) => one.archived).map(({ price }) => price)
  const reopens = coming.map(({ price }) => price).filter((price) => archived.includes(price))
  return {
    ...{ op: 'schedule' as const, subscription, at, coming, restores: coming, promotionCodes: [] },
    ...(reopens.length === 0 ? {} : { reopens }),
    ...(moves.length === 0 ? {} : { moves }),
  }
}

/** Returns the prices under the tenant's present deal of the items that a resumption restores, where they differ. */
export async function restoredPrices(
  deps: ChangeDeps,
  tenant: TenantRecord,
  state: State,
  { restores, sameDeal }: Undone,
): Promise<DealPrices> {
  if (restores !== null && sameDeal) return new Map()
  const { subscription, scheduled } = state
  const { cancelAt, cancelAtPeriodEnd, items } = subscription
  const under = (
    some: readonly LiveItem[],
    coming: Parameters<ChangeDeps['pricesUnderDeal']>[1]['coming'] = new Map(),
  ) => deps.pricesUnderDeal(tenant, { subscription: { ...subscription, items: some }, coming })
  if (restores !== null) {
    const later = restores.phases.slice(1).map((phase) => under(items, comingIn(items, phase.items)))
    const [own, ...rest] = await Promise.all([under(items), ...later])
    return new Map([...(own ?? []), ...rest.flatMap((prices) => [...prices])])
  }
  if (scheduled === null) return cancelAtPeriodEnd || cancelAt !== null ? under(items) : new Map()
  const restored = scheduled.restores.map(({ price }) => price)
  const stays = items.filter(({ price }) => restored.includes(price.id))
  const others = scheduled.restores.filter(({ price }) => items.every((item) => item.price.id !== price))
  const [other] = others
  const to = other?.price
  const phase = state.phases?.findLast(({ start }) => start <= scheduled.at)?.items ?? []
  // The change is not about an item that keeps its price, and an item of the other usage type does not get the restored price.
  const from = items.find(
    ({ price, quantity }) =>
      !restored.includes(price.id) &&
      phase.every((item) => item.price !== price.id) &&
      (quantity === null) === (other?.quantity === null),
  )
  // Without the change, the schedule would have moved an item to another price, e.g. to one of a price migration.
  if (from !== undefined && to !== undefined && others.length === 1)
    return under([...stays, from], new Map([[from.price.id, to]]))
  return under(stays)
}

/** Returns, by price of an item, the price that takes its place in a phase. */
function comingIn(items: readonly LiveItem[], phase: readonly PlannedItem[]): ReadonlyMap<ProcessorId, ProcessorId> {
  const coming = phase.filter(({ price }) => items.every((item) => item.price.id !== price))
  const leaving = items.filter(({ price }) => phase.every((item) => item.price !== price.id))
  return new Map(
    leaving.flatMap(({ price, quantity }): [ProcessorId, ProcessorId][] => {
      const index = coming.findIndex((item) => (item.quantity === null) === (quantity === null))
      const [next] = index === -1 ? [] : coming.splice(index, 1)
      return next === undefined ? [] : [[price.id, next.price]]
    }),
  )
}
