import type { PriceImpact } from '@ratecard/client'
import type { Paint } from '../../terminal/output.ts'
import { count } from '../issues.ts'

/**
 * Formats the impact of replaced prices, one line per price with subscriptions: how many stay on the old price, and their monthly amount.
 * Empty if there is no such price.
 */
export function showImpact(impact: readonly PriceImpact[], paint: Paint): string {
  return impact
    .filter(({ subscriptions }) => subscriptions > 0)
    .map((price) => `  ${paint.yellow('!')} ${paint.bold(price.priceId)}: ${impactSentence(price)}`)
    .join('\n')
}

/**
 * Returns e.g. `12 subscriptions of 9 tenants, €480.00 a month keep the old price until you move them; 3 of them on an earlier price of €30.00`.
 * If the price is changed in place, returns e.g. `3 subscriptions of 3 tenants, €90.00 a month keep their price; …`.
 */
export function impactSentence({
  action,
  generations,
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
      ? [`${count(subscriptionsWithoutTenant, 'subscription')} of customers that are not tenants`]
      : []),
  ].join(' and ')
  const money = usageBased ? ['billed by usage'] : monthly.map(({ formatted }) => `${formatted} a month`)
  const parts = [whose, ...money].join(', ')
  const one = subscriptions === 1
  const stay =
    action === 'update'
      ? `${one ? 'keeps its' : 'keep their'} price`
      : `${one ? 'keeps' : 'keep'} the old price until you move ${one ? 'it' : 'them'}`
  return [`${parts} ${stay}`, ...earlierPrices(generations)].join('; ')
}

/**
 * Returns the part of the sentence about subscribers on earlier prices, e.g. `3 of them on an earlier price of €30.00`. Empty if there are
 * none.
 */
function earlierPrices(generations: PriceImpact['generations']): readonly string[] {
  const earlier = generations.filter((one) => !one.current && one.subscriptions > 0)
  if (earlier.length === 0) return []
  const named = earlier.map(
    (one) => `${one.subscriptions} of them on an earlier price${one.formatted === null ? '' : ` of ${one.formatted}`}`,
  )
  return [named.join(', ')]
}
