// Monthly amounts affected by a plan: what subscribers pay now, and what they would pay at the new price. Null where the amount depends on
// usage.
import type { PriceImpact } from '@ratecard/client'

export interface ImpactMoney {
  readonly priceId: string
  readonly currency: string
  /** Minor units per month. */
  readonly before: number
  /** Minor units per month. Subscribers of an archived price keep paying it, so its amount stays. */
  readonly after: number | null
}

export function impactMoney(impact: readonly PriceImpact[]): ImpactMoney[] {
  return impact.flatMap(({ priceId, monthly, monthlyAfter, action }) =>
    monthly.map(({ currency, amount }) => ({
      priceId,
      currency,
      before: amount,
      after: action === 'archive' ? amount : (monthlyAfter.find((one) => one.currency === currency)?.amount ?? null),
    })),
  )
}
