import type { AffectedSubscriber, PriceImpact } from '@ratecard/client'
import { formatMinor } from '../../../base/money/format.ts'
import type { Output, Paint } from '../../terminal/output.ts'
import { rightColumn, formatTable } from '../text/table.ts'
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
 * Returns e.g. `12 subscriptions of 9 tenants pay €480.00 a month, at the new price €520.00; 3 of them on an earlier price of €30.00`. Of a price
 * that is changed in place: `3 subscriptions of 3 tenants keep their price; …`.
 */
export function impactSentence({
  action,
  generations,
  subscriptions,
  subscriptionsWithoutTenant,
  tenants,
  monthly,
  monthlyAfter,
  usageBased,
}: PriceImpact): string {
  const owned = subscriptions - subscriptionsWithoutTenant
  const whose = [
    ...(owned > 0 ? [`${count(owned, 'subscription')} of ${count(tenants, 'tenant')}`] : []),
    ...(subscriptionsWithoutTenant > 0
      ? [`${count(subscriptionsWithoutTenant, 'subscription')} of customers that are not tenants`]
      : []),
  ].join(' and ')
  const one = subscriptions === 1
  const pays = one ? 'pays' : 'pay'
  const sums = (amounts: PriceImpact['monthly']) => amounts.map(({ formatted }) => formatted).join(' + ')
  const money = usageBased ? `${pays} by usage` : monthly.length === 0 ? '' : `${pays} ${sums(monthly)} a month`
  const then = monthlyAfter.length === 0 ? '' : `at the new price ${sums(monthlyAfter)}`
  const stay = {
    update: one ? 'keeps its price' : 'keep their price',
    archive: `${one ? 'goes' : 'go'} on paying it`,
    replace: '',
  }[action]
  const parts = [money, then, stay].filter((part) => part !== '').join(', ')
  return [`${whose}${parts === '' ? '' : ` ${parts}`}`, ...earlierPrices(generations)].join('; ')
}

/** Formats the subscribers with the largest differences, one line each; empty if nobody would pay another amount. */
export function showWho(who: readonly AffectedSubscriber[], style: Pick<Output, 'paint' | 'width'>): string {
  if (who.length === 0) return ''
  return formatTable(['who', 'price', rightColumn('a month'), rightColumn('at the new price')], who.map(whoRow), style)
}

/** Who, which price, what is paid a month, and what would be. */
export const whoRow = ({ tenantId, name, customer, priceId, currency, before, after }: AffectedSubscriber) => [
  tenantId === null ? customer : name === null || name === tenantId ? tenantId : `${name} (${tenantId})`,
  priceId,
  formatMinor(before, currency),
  formatMinor(after, currency),
]

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
