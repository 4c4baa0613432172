// Money that a plan touches, a month, before and after: what subscribers pay now, and what they would pay once moved to the new
// price. Only where the amount alone decides; anything else is not guessed.
import type { Detail, PriceImpact } from '@ratecard/client'

export interface ImpactMoney {
  readonly priceId: string
  readonly currency: string
  /** Minor units a month. */
  readonly before: number
  /** Minor units a month; null where it cannot be said. */
  readonly after: number | null
}

export function impactMoney(impact: readonly PriceImpact[], details: readonly Detail[]): ImpactMoney[] {
  return impact.flatMap(({ priceId, monthly, action }) => {
    const detail = details.find(({ kind, configId }) => kind === 'price' && configId === priceId)
    return monthly.map(({ currency, amount }) => ({
      priceId,
      currency,
      before: amount,
      after: action === 'replace' && detail !== undefined ? movedAmount(amount, detail) : null,
    }))
  })
}

const money = new Set(['currency', 'tiers', 'tiers_mode', 'billing_scheme', 'interval', 'interval_count', 'usage_type'])
const others = new Set(['currency_options', 'unit_amount_decimal', 'transform_quantity', 'custom_unit_amount', 'meter'])

/** In proportion to the amount of one unit, rounded half up once. */
function movedAmount(amount: number, { fields }: Detail): number | null {
  if (fields.some(({ field }) => money.has(field) || others.has(field))) return null
  const change = fields.find(({ field }) => field === 'amount')
  if (change === undefined) return amount
  const { before, after } = change
  if (typeof before !== 'number' || typeof after !== 'number' || before <= 0) return null
  return Number((2n * BigInt(amount) * BigInt(after) + BigInt(before)) / (2n * BigInt(before)))
}
