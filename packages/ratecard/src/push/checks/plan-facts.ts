// Facts of a plan that policies are checked against: its items and prices, and the impact on subscribers.
import type { ChangeFacts } from '../../catalog/policies/decide.ts'
import type { Impact } from './impact.ts'

export function planFacts(
  documented: Pick<ChangeFacts, 'items' | 'prices'>,
  { prices, tenants }: Pick<Impact, 'tenants' | 'prices'>,
  message: string | null,
): ChangeFacts {
  return {
    ...documented,
    affected: prices.flatMap(({ priceId: configId, action, subscriptions, tenants: own, monthly }) =>
      action === 'update' ? [] : [{ configId, action, subscriptions, tenants: own, monthly }],
    ),
    tenants,
    message,
  }
}
