// Decides if a tenant may buy another subscription, and if the tenant still has a trial. Pure: takes the tenant's subscriptions.
import { ServiceError } from '../../base/errors/service-error.ts'
import type { ScheduledSubscription } from '../item-swaps/coming-items.ts'
import { soldPrice, type SoldItem, type SoldItemOf } from '../item-swaps/sold-items.ts'
import type { PriceBook } from '../item-swaps/price-book.ts'
import { inCommon, sharesTrial, subscriptionBeside } from '../item-swaps/duplicate-subscriptions.ts'
import type { PresentSubscription } from '../item-swaps/duplicate-subscriptions.ts'
import type { NewCheckout } from '../../api/customers/checkout.ts'

/** Existing subscriptions of a tenant that affect a checkout. */
export interface Standing {
  /** Live subscription that excludes the requested one, e.g. because it is to the same product; null if there is none. */
  readonly present: ExcludedItem | null
  /** Id of the first subscription that had a trial of the same product or group, even if it has ended; null if there was none. */
  readonly firstTrial: string | null
}

/** What a checkout page sells as a subscription. */
export interface WantedItems {
  /** Recurring prices, attached ones included. */
  readonly all: readonly SoldItem[]
  /** Those that the request names. Trials belong to them. */
  readonly named: readonly SoldItem[]
}

/** An item of a live subscription, and the wanted item that it excludes. */
export interface ExcludedItem {
  readonly present: PresentSubscription
  readonly wanted: SoldItem
}

/**
 * Returns how the tenant's subscriptions affect a checkout of `wanted`. A live subscription may exclude it, and an earlier trial may
 * exclude another trial. `subscriptions` are sorted oldest first. Ended subscriptions count only for the trial.
 */
export function standingOf(
  wanted: WantedItems,
  subscriptions: readonly ScheduledSubscription[],
  { soldItem, book }: { readonly soldItem: SoldItemOf; readonly book: PriceBook },
): Standing {
  const firstTrial = subscriptions.find(({ trialStart, items, soldPriceIds }) => {
    if (trialStart === null) return false
    // A trial counts for the products that were sold at first, even if the subscription was changed to other products later.
    const soldAs = soldPriceIds.flatMap((id) => book.find(id) ?? []).map(soldPrice)
    const tried = [...soldAs, ...items.flatMap((item) => soldItem(item) ?? [])]
    return tried.some((one) => wanted.named.some((item) => sharesTrial(one, item)))
  })
  return { present: excludedItem(wanted.all, subscriptions, soldItem), firstTrial: firstTrial?.id ?? null }
}

/** Returns the first wanted item that the tenant cannot have beside a live subscription; null if there is none. */
function excludedItem(
  wanted: readonly SoldItem[],
  subscriptions: readonly ScheduledSubscription[],
  soldItem: SoldItemOf,
): ExcludedItem | null {
  for (const item of wanted) {
    const present = subscriptionBeside(item, subscriptions, soldItem)
    if (present !== null) return { present, wanted: item }
  }
  return null
}

/** Throws `already_subscribed` if a live subscription of the tenant does not allow the new one beside it. */
export function refuseSecond(excluded: ExcludedItem | null): void {
  if (excluded === null) return
  const { wanted, present } = excluded
  const { subscription, item, endsAt } = present
  const until = endsAt === null ? '' : `, until ${new Date(endsAt).toISOString()}`
  const beside =
    item.name === wanted.name
      ? 'a second one would be billed beside it.'
      : `one to "${wanted.name}", of ${inCommon(item, wanted)} as well, would be billed beside it.`
  const instead =
    endsAt === null
      ? 'Change the existing subscription (POST /api/v1/billing/subscription/preview, then …/change), or cancel it (…/cancel).'
      : 'The existing subscription is already cancelled: resume it (POST /api/v1/billing/subscription/resume) and change it, or buy the new one after it has ended.'
  throw new ServiceError(
    'already_subscribed',
    `The tenant has the subscription ${subscription} to "${item.name}" already${until}; ${beside}`,
    {
      hint: `${instead} To bill both, pass "allow_duplicate": true.`,
      extra: { subscription, price_id: item.name },
    },
  )
}

export interface Trial {
  readonly days: number | null
  /** True if the tenant has already used the price's trial, so that this sale has no trial. */
  readonly used: boolean
}

/**
 * Returns the trial of a further subscription. A tenant that already had a trial gets none, unless second trials are allowed. Throws
 * `trial_used` if the request explicitly contains a trial.
 */
export function trialLeft(
  { firstTrial }: Pick<Standing, 'firstTrial'>,
  days: number | null,
  { trialPeriodDays, allowSecondTrial }: Pick<NewCheckout, 'trialPeriodDays' | 'allowSecondTrial'>,
): Trial {
  if (days === null || firstTrial === null || allowSecondTrial === true) return { days, used: false }
  if (trialPeriodDays === undefined) return { days: null, used: true }
  throw new ServiceError(
    'trial_used',
    `The tenant has used its trial with the subscription ${firstTrial}; each product or subscription group has one trial.`,
    {
      hint: 'Leave out "trial_period_days", so that the subscription is paid from the start. To give another trial, pass "allow_second_trial": true with a service key.',
      extra: { subscription: firstTrial },
    },
  )
}
