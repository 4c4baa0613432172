// What a quantity of a price costs: exact, and rounded half up once, at the end. Decides nothing about periods or discounts.
import { dividedHalfUp, parseDecimal, scale } from '../money/decimal.ts'
import type { PriceBody, TierBody } from '../objects/bodies.ts'
import { refused } from '../protocol/errors.ts'

/** `value × part / whole`, half up. */
export function share(value: number, part: number, whole: number): number {
  return Number(dividedHalfUp(BigInt(value) * BigInt(part), BigInt(whole)))
}

function scaled(whole: number | null, decimal: string | null): bigint {
  if (decimal !== null) return parseDecimal(decimal)
  return BigInt(whole ?? 0) * scale
}

interface Pricing {
  readonly unit_amount: number | null
  readonly unit_amount_decimal: string | null
  readonly tiers?: readonly TierBody[]
}

/** How the price charges in a currency, or undefined when it has none for it. */
export function pricingIn(price: PriceBody, currency: string): Pricing | undefined {
  return price.currency === currency ? price : price.currency_options[currency]
}

/** Minor units for a quantity, a decimal of at most 12 places. */
export function amountFor(price: PriceBody, currency: string, quantity: string): number {
  const pricing = pricingIn(price, currency)
  if (pricing === undefined) throw refused(`The price specified only supports \`${price.currency}\`.`, 'price')
  const units = transformed(price, parseDecimal(quantity))
  const exact =
    pricing.tiers === undefined
      ? units * scaled(pricing.unit_amount, pricing.unit_amount_decimal)
      : price.tiers_mode === 'volume'
        ? volume(pricing.tiers, units)
        : graduated(pricing.tiers, units)
  const amount = Number(dividedHalfUp(exact, scale * scale))
  if (!Number.isSafeInteger(amount)) throw refused('Amount is too large.', 'quantity')
  return amount
}

function transformed(price: PriceBody, units: bigint): bigint {
  if (price.transform_quantity === null) return units
  const divisor = BigInt(price.transform_quantity.divide_by) * scale
  const up = price.transform_quantity.round === 'up' && units % divisor !== 0n ? 1n : 0n
  return (units / divisor + up) * scale
}

function within(tier: TierBody, units: bigint): boolean {
  return tier.up_to === null || units <= BigInt(tier.up_to) * scale
}

function costOf(tier: TierBody, units: bigint): bigint {
  return (
    units * scaled(tier.unit_amount, tier.unit_amount_decimal) +
    scaled(tier.flat_amount, tier.flat_amount_decimal) * scale
  )
}

function volume(tiers: readonly TierBody[], units: bigint): bigint {
  const reached = tiers.find((tier) => within(tier, units))
  return reached === undefined ? 0n : costOf(reached, units)
}

function graduated(tiers: readonly TierBody[], units: bigint): bigint {
  let total = 0n
  let below = 0n
  for (const tier of tiers) {
    // The first tier counts at quantity 0 too: its flat amount is billed even when nothing was used.
    if (units <= below && below > 0n) break
    total += costOf(tier, (within(tier, units) ? units : BigInt(tier.up_to ?? 0) * scale) - below)
    if (tier.up_to === null) break
    below = BigInt(tier.up_to) * scale
  }
  return total
}
