// Amount of a quantity at a price: computed exactly, and rounded half up once at the end. Discounts are not included.
import { decimalText, divideHalfUp, parseDecimal, scale } from '../../money/decimal.ts'
import type { PriceBody, TierBody } from '../../objects/bodies.ts'
import { badRequest } from '../../protocol/responses/errors.ts'

function toScaled(whole: number | null, decimal: string | null): bigint {
  if (decimal !== null) return parseDecimal(decimal)
  return BigInt(whole ?? 0) * scale
}

interface Pricing {
  readonly unit_amount: number | null
  readonly unit_amount_decimal: string | null
  readonly tiers?: readonly TierBody[]
}

/** Returns the price's amounts in a currency. Undefined if the price does not support the currency. */
export function pricingIn(price: PriceBody, currency: string): Pricing | undefined {
  return price.currency === currency ? price : price.currency_options[currency]
}

/** Part of an amount that comes from one tier: its units, or its flat amount. */
export interface TierPart {
  /** Number of the tier, counted from 1. */
  readonly tier: number
  readonly flat: boolean
  readonly quantity: string
  readonly unitAmount: string | null
  readonly amount: number
}

/**
 * Returns the parts of a tiered price's amount, one or two per tier. Undefined if the price is not tiered. The rounding error of a part is
 * added to the next part, so that the sum of the parts is the rounded amount.
 */
export function partsOf(price: PriceBody, currency: string, quantity: string): readonly TierPart[] | undefined {
  const tiers = pricingIn(price, currency)?.tiers
  if (tiers === undefined) return undefined
  const units = parseDecimal(quantity)
  const shares = price.tiers_mode === 'volume' ? volumeShares(tiers, units) : graduatedShares(tiers, units)
  let exact = 0n
  let given = 0n
  return shares.flatMap(({ index, units: own }) => {
    const tier = tiers[index]!
    const unit = toScaled(tier.unit_amount, tier.unit_amount_decimal)
    const flat = toScaled(tier.flat_amount, tier.flat_amount_decimal)
    const take = (cost: bigint): number => {
      exact += cost
      const upTo = divideHalfUp(exact, scale * scale)
      const amount = Number(upTo - given)
      given = upTo
      return amount
    }
    const parts: TierPart[] = []
    if (tier.unit_amount_decimal !== null && (own > 0n || flat === 0n))
      parts.push({
        tier: index + 1,
        flat: false,
        quantity: decimalText(own),
        unitAmount: tier.unit_amount_decimal,
        amount: take(own * unit),
      })
    if (tier.flat_amount_decimal !== null && flat > 0n)
      parts.push({
        tier: index + 1,
        flat: true,
        quantity: '0',
        unitAmount: tier.flat_amount_decimal,
        amount: take(flat * scale),
      })
    return parts
  })
}

interface TierShare {
  readonly index: number
  readonly units: bigint
}

function volumeShares(tiers: readonly TierBody[], units: bigint): TierShare[] {
  const index = tiers.findIndex((tier) => within(tier, units))
  return index < 0 ? [] : [{ index, units }]
}

function graduatedShares(tiers: readonly TierBody[], units: bigint): TierShare[] {
  const shares: TierShare[] = []
  let below = 0n
  for (const [index, tier] of tiers.entries()) {
    // Quantity 0 is in the first tier too, so the flat amount of that tier is billed even without usage.
    if (units <= below && below > 0n) break
    shares.push({ index, units: (within(tier, units) ? units : BigInt(tier.up_to ?? 0) * scale) - below })
    if (tier.up_to === null) break
    below = BigInt(tier.up_to) * scale
  }
  return shares
}

/** Returns the amount of `quantity` at the price, in minor units. `quantity` is a decimal with at most 12 places. */
export function amountFor(price: PriceBody, currency: string, quantity: string): number {
  const pricing = pricingIn(price, currency)
  if (pricing === undefined) throw badRequest(`The price specified only supports \`${price.currency}\`.`, 'price')
  const units = transformQuantity(price, parseDecimal(quantity))
  const exact = units * toScaled(pricing.unit_amount, pricing.unit_amount_decimal)
  const parts = partsOf(price, currency, quantity)
  const amount =
    parts === undefined ? Number(divideHalfUp(exact, scale * scale)) : parts.reduce((sum, part) => sum + part.amount, 0)
  if (!Number.isSafeInteger(amount)) throw badRequest('Amount is too large.', 'quantity')
  return amount
}

function transformQuantity(price: PriceBody, units: bigint): bigint {
  if (price.transform_quantity === null) return units
  const divisor = BigInt(price.transform_quantity.divide_by) * scale
  const up = price.transform_quantity.round === 'up' && units % divisor !== 0n ? 1n : 0n
  return (units / divisor + up) * scale
}

function within(tier: TierBody, units: bigint): boolean {
  return tier.up_to === null || units <= BigInt(tier.up_to) * scale
}
