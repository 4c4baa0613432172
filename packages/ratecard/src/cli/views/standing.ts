// Texts about the state of subscriptions: status, paused invoices, planned end.
import type { ListedTenant, Subscriber } from '@ratecard/client'
import { endWords } from '../../base/wording/planned-end.ts'

const dayOf = (rfc3339: string) => rfc3339.slice(0, 10)

/** Returns e.g. `active`, `active, invoices paused` or `active, ends 2026-12-03` (UTC). */
export const stateText = ({
  status,
  pause,
  endsAt,
}: Pick<Subscriber, 'pause' | 'endsAt'> & { readonly status: string }): string =>
  [status, ...(pause === null ? [] : ['invoices paused']), ...(endsAt === null ? [] : [`ends ${dayOf(endsAt)}`])].join(
    ', ',
  )

/** Returns the state of a tenant, e.g. `active, ends 2026-12-03`, or `active, 1 of 2 ends 2026-12-03`. */
export function standingText({
  billingStatus,
  subscriptions = 0,
  pausedSubscriptions: paused = 0,
  endingSubscriptions: ending = 0,
  endsAt = null,
}: ListedTenant): string {
  const share = (number: number) => (number === subscriptions ? '' : `${String(number)} of ${String(subscriptions)} `)
  return [
    billingStatus ?? '–',
    ...(paused === 0 ? [] : [`${share(paused)}invoices paused`]),
    ...(endsAt === null ? [] : [`${endWords(ending, subscriptions)} ${dayOf(endsAt)}`]),
  ].join(', ')
}
