// Converts a mirrored price to a tariff (its amounts in one currency), which is the input of document/pricing/calculate.ts.
import { documentTier } from '../../../catalog/fields/amounts.ts'
import type { Tariff } from '../../../document/pricing/calculate.ts'
import type { LivePrice } from '../../../processor/customer-half.ts'
import type { MirroredPrice } from '../../../processor/mirrored.ts'

/**
 * Returns the amounts of a price in a currency; null if the price is not sold in that currency. `known` is the mirrored price, with tiers
 * and all currencies. If it is missing (e.g. deleted at the processor), uses the price within the item.
 */
export function tariffOf(known: MirroredPrice | undefined, ofItem: LivePrice | null, currency: string): Tariff | null {
  if (known === undefined) {
    if (ofItem === null || ofItem.currency !== currency || ofItem.unitAmount === null) return null
    return { unit_amount_decimal: ofItem.unitAmount, ...packagesOf(ofItem.transformQuantity) }
  }
  const amounts = Object.hasOwn(known.amounts, currency) ? known.amounts[currency] : undefined
  if (amounts === undefined) return null
  return {
    ...(amounts.unitAmount === null ? {} : { unit_amount_decimal: amounts.unitAmount }),
    ...(amounts.tiers === null ? {} : { tiers: amounts.tiers.map(documentTier) }),
    ...(known.tiersMode === null ? {} : { tiers_mode: known.tiersMode }),
    ...packagesOf(known.transformQuantity),
  }
}

function packagesOf(transform: LivePrice['transformQuantity']): Pick<Tariff, 'transform_quantity'> {
  return transform === null ? {} : { transform_quantity: { divide_by: transform.divideBy, round: transform.round } }
}
