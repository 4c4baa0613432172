// Decides whether usage that was counted here differs from what the processor counted. Pure.
import type { UsageFormula } from '../../../store/records/features.ts'

const dayMs = 24 * 60 * 60_000
const comparedDays = 30

/** Reports of which it is not certain that the processor counts them within the compared days, by now. */
export interface UncertainUsage {
  readonly reports: number
  /** Sum of their values without their signs. */
  readonly sum: number
}

/**
 * Returns the days that are compared: thirty whole UTC days up to the end of the day before yesterday, because the processor counts events
 * with a delay. Null if fewer days were counted here. `countedSince` is the first time that this service counted the tenant's usage; the
 * rest of that day is left out, because the processor may have usage from before.
 */
export function daysToCompare(
  now: number,
  countedSince: number,
): { readonly from: number; readonly to: number } | null {
  const to = (Math.floor(now / dayMs) - 1) * dayMs
  const from = Math.max(to - comparedDays * dayMs, (Math.floor(countedSince / dayMs) + 1) * dayMs)
  return from < to ? { from, to } : null
}

/** The processor adds up floating-point numbers, e.g. 0.1 + 0.2 = 0.30000000000000004. */
const rounding = 1e-10

/**
 * True if the two differ by more than the uncertain reports explain. The last value of a `last` meter is only compared if no report is
 * uncertain. Negative usage is compared as 0, because the processor bills none.
 */
export function usageDiffers(
  formula: UsageFormula,
  { counted, recorded }: { readonly counted: number; readonly recorded: number },
  uncertain: UncertainUsage,
): boolean {
  const exceeds = Math.abs(Math.max(0, counted) - Math.max(0, recorded))
  const rounded = rounding * Math.max(1, Math.abs(counted))
  if (formula === 'last') return uncertain.reports === 0 && exceeds > rounded
  return exceeds > rounded + (formula === 'count' || formula === 'one_of_each' ? uncertain.reports : uncertain.sum)
}
