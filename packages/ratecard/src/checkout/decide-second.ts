// Whether a tenant may be sold another subscription, and whether it still has a trial. Pure: its subscriptions in, a decision out.
import { ServiceError } from '../errors/service-error.ts'
import type { LiveSubscription } from '../processor/customer-half.ts'
import type { NewCheckout } from '../service/tenants.ts'
import { soldPrice } from '../item-swaps/sold-items.ts'
import type { SoldItem, SoldItemOf } from '../item-swaps/sold-items.ts'
import type { PriceBook } from '../item-swaps/price-book.ts'
import { inCommon, sharesTrial, subscriptionBeside } from '../item-swaps/duplicate-subscriptions.ts'
import type { PresentSubscription } from '../item-swaps/duplicate-subscriptions.ts'

/** What stands beside a checkout, in what the tenant has and had. */
export interface Standing {
  /** Runs now and excludes what is asked for. */
  readonly present: PresentSubscription | null
  /** The first subscription that was a trial of the same product or group, ended ones counted. */
  readonly firstTrial: string | null
}

/** `subscriptions` come oldest first; those that have ended count for the trial alone. */
export function standingOf(
  wanted: SoldItem,
  subscriptions: readonly LiveSubscription[],
  { soldItem, book }: { readonly soldItem: SoldItemOf; readonly book: PriceBook },
): Standing {
  const firstTrial = subscriptions.find(({ trialStart, items, soldPriceId }) => {
    if (trialStart === null) return false
    // A subscription that was moved to another product afterwards was the trial of what it was sold as.
    const soldAs = soldPriceId === null ? undefined : book.find(soldPriceId)
    const tried = [
      ...(soldAs === undefined ? [] : [soldPrice(soldAs)]),
      ...items.flatMap((item) => soldItem(item) ?? []),
    ]
    return tried.some((one) => sharesTrial(one, wanted))
  })
  return { present: subscriptionBeside(wanted, subscriptions, soldItem), firstTrial: firstTrial?.id ?? null }
}

/** Throws `already_subscribed`. */
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
  /** The price gives a trial, and it was left away. */
  readonly used: boolean
}

/** The trial that is left for a second subscription: none, unless it is allowed. Throws `trial_used` where one was asked for. */
export function trialLeft(
  { firstTrial }: Pick<Standing, 'firstTrial'>,
  days: number | null,
  { trialPeriodDays, allowSecondTrial }: Pick<NewCheckout, 'trialPeriodDays' | 'allowSecondTrial'>,
): Trial {
  if (days === null || firstTrial === null || allowSecondTrial === true) return { days, used: false }
  if (trialPeriodDays === undefined) return { days: null, used: true }
  throw new ServiceError(
    'trial_used',
    `The tenant had its trial with the subscription ${firstTrial}; a product, or a subscription group, is tried once.`,
    {
      hint: 'Leave "trial_period_days" out: it is then paid from the start. A service key gives another with "allow_second_trial": true.',
      extra: { subscription: firstTrial },
    },
  )
}
