// What is left of a tenant's credits. Pure.
import { formatMinor } from '../../base/money/format.ts'
import type { Credit, CreditBalance } from '../../api/customers/credits.ts'
import type { StoredCreditGrant } from '../../store/records/mirror.ts'

/** Returns the state of a credit at a time (epoch milliseconds). */
export function creditState(
  { voidedAt, expiresAt, effectiveAt, createdAt, remaining, lapsed }: StoredCreditGrant,
  now: number,
): Credit['state'] {
  if (voidedAt !== null) return 'voided'
  // At its end, the processor takes what was not used.
  if (lapsed > 0) return 'expired'
  if (remaining <= 0) return 'used'
  if (expiresAt !== null && expiresAt <= now) return 'expired'
  // A grant starts when it is created, or at a later date if it names one. The start is compared with the creation too, because a customer
  // with a test clock that is ahead has grants created in this service's future.
  return effectiveAt !== null && effectiveAt > Math.max(now, createdAt) ? 'pending' : 'active'
}

/** Adds up what is left of the active credits in each currency. */
export function creditBalance(grants: readonly StoredCreditGrant[], now: number): CreditBalance {
  const sums = new Map<string, number>()
  for (const grant of grants)
    if (creditState(grant, now) === 'active')
      sums.set(grant.currency, (sums.get(grant.currency) ?? 0) + grant.remaining)
  return [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, amount]) => ({ currency, amount, formatted: formatMinor(amount, currency) }))
}
