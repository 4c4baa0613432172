// Refuses changes that would bill something twice: what another subscription of the tenant has, or what stays beside the change. Pure.
import { ServiceError } from '../../../base/errors/service-error.ts'
import type { ScheduledSubscription } from '../../item-swaps/coming-items.ts'
import { excludes, inCommon, subscriptionBeside } from '../../item-swaps/duplicate-subscriptions.ts'
import type { PriceBook } from '../../item-swaps/price-book.ts'
import { soldPrice, type SoldItem, type SoldItemOf } from '../../item-swaps/sold-items.ts'
import type { ChangeableSubscription } from '../../../processor/subscription-change.ts'
import { type ChangeSituation, invalidChange } from './decision.ts'
import type { LocalSubscriptionRecord } from '../../../store/records/tenants.ts'

export interface Beside extends Pick<ChangeSituation, 'wanted' | 'isReplaced'> {
  readonly state: Pick<ChangeableSubscription, 'subscription' | 'phases'>
  readonly book: PriceBook
  readonly soldItem: SoldItemOf
}

/**
 * Throws `already_subscribed` if another subscription of the tenant excludes a wanted item. If it excludes an item that this one has already,
 * then both were sold to be billed side by side.
 */
export function refuseBesideOthers(
  { wanted, state, book, soldItem }: Beside,
  live: readonly ScheduledSubscription[],
): void {
  const { subscription } = state
  const others = live.filter(({ id }) => id !== subscription.id)
  const own = subscription.items.flatMap((item) => soldItem(item) ?? [])
  for (const { priceId } of wanted) {
    const item = soldOf(priceId, book)
    const beside = item && subscriptionBeside(item, others, soldItem)
    if (item === null || beside === null || own.some((one) => excludes(one, beside.item))) continue
    throw new ServiceError(
      'already_subscribed',
      `The tenant has "${beside.item.name}" in the subscription ${beside.subscription} already: "${item.name}", of ${inCommon(beside.item, item)} as well, would be billed beside it.`,
      {
        hint: `Change that subscription ("subscription": "${beside.subscription}"), or cancel it first.`,
        extra: { subscription: beside.subscription, price_id: beside.item.name },
      },
    )
  }
}

/** Throws `change_invalid` if an item that stays excludes a wanted one, e.g. a plan that is added while another one of its group stays. */
export function refuseBesideStaying(situation: Beside): void {
  const { wanted, book } = situation
  const staying = stayingIn(situation)
  for (const { priceId, listed } of wanted) {
    const item = soldOf(priceId, book)
    if (item === null || staying.some((one) => one.priceId === listed)) continue
    const twin = staying.find((one) => excludes(one, item))
    if (twin === undefined) continue
    throw invalidChange(
      'items',
      `"${item.name}" and "${twin.name}", which stays, are both of ${inCommon(twin, item)}: a tenant can have only one of them.`,
      `To replace "${twin.name}", name it in "replaces".`,
    )
  }
}

/**
 * Returns the ids of the running free subscriptions that a coming price excludes: they end when the change takes effect. A free one that an
 * item of the subscription excludes already was sold to stand beside it, and stays.
 */
export function replacedFree(
  { wanted, state: { subscription }, book, soldItem }: Beside,
  running: readonly Pick<LocalSubscriptionRecord, 'id' | 'priceId'>[],
): readonly string[] {
  const own = subscription.items.flatMap((item) => soldItem(item) ?? [])
  const coming = wanted.flatMap(({ priceId }) => soldOf(priceId, book) ?? [])
  return running.flatMap(({ id, priceId }) => {
    const free = soldOf(priceId, book)
    const isReplaced = free !== null && coming.some((item) => excludes(item, free))
    return isReplaced && own.every((item) => !excludes(item, free)) ? [id] : []
  })
}

/** Returns the items that stay, now and in later phases of the schedule. */
function stayingIn({ state: { subscription, phases }, isReplaced, book, soldItem }: Beside): readonly SoldItem[] {
  const present = subscription.items.filter(({ price }) => !isReplaced(price.id))
  const phased = (phases ?? []).flatMap(({ items }) => items).filter(({ price }) => !isReplaced(price))
  return [
    ...present.flatMap((item) => soldItem(item) ?? []),
    ...phased.flatMap(({ price }) => soldOf(book.idOf(price), book) ?? []),
  ]
}

function soldOf(id: string | undefined, book: PriceBook): SoldItem | null {
  const booked = id === undefined ? undefined : book.find(id)
  return booked === undefined ? null : soldPrice(booked)
}
