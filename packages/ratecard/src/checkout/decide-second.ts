// Decides if a tenant may buy another subscription, and if the tenant still has a trial. Pure: takes the tenant's subscriptions.
import { ServiceError } from '../errors/service-error.ts'
import type { LiveSubscription } from '../processor/customer-half.ts'
import type { NewCheckout } from '../service/tenants.ts'
import { soldPrice, type SoldItem, type SoldItemOf } from '../item-swaps/sold-items.ts'
import type { PriceBook } from '../item-swaps/price-book.ts'
import { inCommon, sharesTrial, subscriptionBeside } from '../item-swaps/duplicate-subscriptions.ts'
import type { PresentSubscription } from '../item-swaps/duplicate-subscriptions.ts'

/** Existing subscriptions of a tenant that affect a checkout. */
export interface Standing {
  /** Live subscription that excludes the requested one, e.g. to the same product; null if there is none. */
  readonly present: PresentSubscription | null
  /** First subscription that had a trial of the same product or group, even if it has ended; null if there was none. */
  readonly firstTrial: string | null
}

/**
 * Returns the existing subscriptions that affect a checkout of `wanted`. `subscriptions` are sorted oldest first; ended subscriptions count
 * only for the trial.
 */
export function standingOf(
  wanted: SoldItem,
  subscriptions: readonly LiveSubscription[],
  { soldItem, book }: { readonly soldItem: SoldItemOf; readonly book: PriceBook },
): Standing {
  const firstTrial = subscriptions.find(({ trialStart, items, soldPriceId }) => {
    if (trialStart === null) return false
    // A subscription uses up the trial of the product that was sold, even if its product was changed later.
    const soldAs = soldPriceId === null ? undefined : book.find(soldPriceId)
    const tried = [
      ...(soldAs === undefined ? [] : [soldPrice(soldAs)]),
      ...items.flatMap((item) => soldItem(item) ?? []),
    ]
    return tried.some((one) => sharesTrial(one, wanted))
  })
  return { present: subscriptionBeside(wanted, subscriptions, soldItem), firstTrial: firstTrial?.id ?? null }
}

/** Throws `already_subscribed` if the tenant has a live subscription that excludes the new one. */
export function refuseSecond(wanted: SoldItem, { present }: Pick<Standing, 'present'>): void {
  if (present === null) return
  const { subscription, item, endsAt } = present
  const until = endsAt === null ? '' : `, until ${new Date(endsAt).toISOString()}`
  const beside =
    item.name === wanted.name
      ? 'a second one would be billed beside it.'
      : `one to "${wanted.name}", of ${inCommon(item, wanted)} as well, would be billed beside it.`
  const instead =
    endsAt === null
      ? 'Cancel or change the present one in the customer portal (POST /api/v1/billing/portal).'
      : 'It is cancelled already: buy the new one when it has ended.'
  throw new ServiceError(
    'already_subscribed',
    `The tenant has the subscription ${subscription} to "${item.name}" already${until}; ${beside}`,
    {
      hint: `${instead} Where both are meant to be billed, ask with "allow_duplicate": true.`,
      extra: { subscription, price_id: item.name },
    },
  )
}

export interface Trial {
  readonly days: number | null
  /** True if the price's trial is left out because the tenant has already used it. */
  readonly used: boolean
}

/**
 * Returns the trial of a further subscription: none if the tenant has used it, unless a second trial is allowed. Throws `trial_used` if the
 * request itself asks for a trial.
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
      hint: 'Leave "trial_period_days" out: it is then paid from the start. A service key gives another with "allow_second_trial": true.',
      extra: { subscription: firstTrial },
    },
  )
}
