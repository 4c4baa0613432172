// Movements of the monthly recurring revenue (MRR) between two times: the reasons for its change, by customer and currency.
import { addFractions, compareFractions, subtractFractions, zeroFraction } from '../../../base/money/fraction.ts'
import type { Fraction } from '../../../base/money/fraction.ts'

/** MRR of one customer in one currency at two times. */
export interface RevenueChange {
  readonly currency: string
  readonly before: Fraction
  readonly after: Fraction
  /** True if the customer had already paid in this currency before the first of the two times. */
  readonly paidBefore: boolean
}

/** Sums of MRR changes by their reason. Contraction and churn are positive numbers. */
export interface Movements {
  /** MRR of customers that had never paid before. */
  readonly new: Fraction
  readonly expansion: Fraction
  readonly contraction: Fraction
  readonly churn: Fraction
  /** MRR of customers that had paid before and had then stopped. */
  readonly reactivation: Fraction
}

export const noMovements: Movements = {
  new: zeroFraction,
  expansion: zeroFraction,
  contraction: zeroFraction,
  churn: zeroFraction,
  reactivation: zeroFraction,
}

export const movementKinds = Object.keys(noMovements) as readonly (keyof Movements)[]

/** Returns the movements of each currency in which the MRR changed. */
export function movementsOf(changes: Iterable<RevenueChange>): ReadonlyMap<string, Movements> {
  const found = new Map<string, Movements>()
  for (const change of changes) {
    const movement = movementOf(change)
    if (movement !== null)
      found.set(
        change.currency,
        addMovements(found.get(change.currency) ?? noMovements, { ...noMovements, ...movement }),
      )
  }
  return found
}

export function addMovements(a: Movements, b: Movements): Movements {
  return {
    new: addFractions(a.new, b.new),
    expansion: addFractions(a.expansion, b.expansion),
    contraction: addFractions(a.contraction, b.contraction),
    churn: addFractions(a.churn, b.churn),
    reactivation: addFractions(a.reactivation, b.reactivation),
  }
}

/** Returns the net change of the MRR: new, expansion and reactivation, minus contraction and churn. */
export function netOf({ new: fresh, expansion, contraction, churn, reactivation }: Movements): Fraction {
  const came = addFractions(addFractions(fresh, expansion), reactivation)
  return subtractFractions(came, addFractions(contraction, churn))
}

function movementOf({ before, after, paidBefore }: RevenueChange): Partial<Movements> | null {
  const direction = compareFractions(after, before)
  if (direction === 0) return null
  if (before.numerator === 0n) return paidBefore ? { reactivation: after } : { new: after }
  if (after.numerator === 0n) return { churn: before }
  return direction > 0
    ? { expansion: subtractFractions(after, before) }
    : { contraction: subtractFractions(before, after) }
}
