import type { PriceImpact } from '@ratecard/client'
import type { Paint } from '../terminal/output.ts'
import { count } from './issues.ts'

/** One line per price with subscriptions: how many stay on the old price, and the monthly amount. Empty if there are none. */
export function showImpact(impact: readonly PriceImpact[], paint: Paint): string {
  return impact
    .filter(({ subscriptions }) => subscriptions > 0)
    .map((price) => `  ${paint.yellow('!')} ${paint.bold(price.priceId)}: ${impactSentence(price)}`)
    .join('\n')
}

/** E.g. `12 subscriptions of 9 tenants, €480.00 a month stay on the old price until moved`. */
export function impactSentence({
  subscriptions,
  subscriptionsWithoutTenant,
  tenants,
  monthly,
  usageBased,
}: PriceImpact): string {
  const owned = subscriptions - subscriptionsWithoutTenant
  const whose = [
    ...(owned > 0 ? [`${count(owned, 'subscription')} of ${count(tenants, 'tenant')}`] : []),
    ...(subscriptionsWithoutTenant > 0
      ? [`${count(subscriptionsWithoutTenant, 'subscription')} of customers that are no tenant`]
      : []),
  ].join(' and ')
  const money = usageBased ? ['billed by usage'] : monthly.map(({ formatted }) => `${formatted} a month`)
  const parts = [whose, ...money].join(', ')
  return `${parts} ${subscriptions === 1 ? 'stays' : 'stay'} on the old price until moved`
}
