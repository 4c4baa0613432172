// Monthly amounts affected by a plan: what subscribers pay now, and what they would pay at the new price. The new amount is calculated for
// changes of `amount` only, and is unknown (null) for other changes, e.g. of tiers.
import type { Detail, PriceImpact } from '@ratecard/client'

export interface ImpactMoney {
  readonly priceId: string
  readonly currency: string
  /** Minor units per month. */
  readonly before: number
  /** Minor units per month. Null if unknown. */
  readonly after: number | null
}

export function impactMoney(impact: readonly PriceImpact[], details: readonly Detail[]): ImpactMoney[] {
  return impact.flatMap(({ priceId, monthly, action, generations }) => {
    const detail = details.find(({ kind, configId }) => kind === 'price' && configId === priceId)
    return monthly.map(({ currency, amount }) => ({
      priceId,
      currency,
      before: amount,
      after: action === 'replace' && detail !== undefined ? movedSum(generations, currency, detail) : null,
    }))
  })
}

/** Returns the sum over all generations of a price, because their amounts can differ. Null if the amount of one generation is unknown. */
function movedSum(generations: PriceImpact['generations'], currency: string, detail: Detail): number | null {
  return generations.reduce<number | null>((sum, { monthly, current, amount: unit }) => {
    const own = monthly.find((one) => one.currency === currency)
    if (sum === null || own === undefined) return sum
    const moved = movedAmount(own.amount, detail, current ? undefined : Number(unit ?? Number.NaN))
    return moved === null ? null : sum + moved
  }, 0)
}

const money = new Set(['currency', 'tiers', 'tiers_mode', 'billing_scheme', 'interval', 'interval_count', 'usage_type'])
const others = new Set(['currency_options', 'unit_amount_decimal', 'transform_quantity', 'custom_unit_amount', 'meter'])

/**
 * Scales the monthly amount by the ratio of new to old unit amount, rounded half up once. `earlier` is the old unit amount of an earlier
 * generation. Null if other fields of money changed, or if the old amount is 0 or no whole number.
 */
function movedAmount(amount: number, { fields }: Detail, earlier?: number): number | null {
  if (fields.some(({ field }) => money.has(field) || others.has(field))) return null
  const change = fields.find(({ field }) => field === 'amount')
  if (change === undefined) return earlier === undefined ? amount : null
  const { before: present, after } = change
  const before = earlier ?? present
  if (typeof before !== 'number' || typeof after !== 'number' || !Number.isSafeInteger(before) || before <= 0)
    return null
  return Number((2n * BigInt(amount) * BigInt(after) + BigInt(before)) / (2n * BigInt(before)))
}
