// Closes checkout pages that would sell a second time what a change brings.
import { processorId, type ProcessorId } from '../../catalog/resource.ts'
import { closeTwins, onceCouponOf } from '../checkout/once-per-tenant.ts'
import { excludes } from '../item-swaps/duplicate-subscriptions.ts'
import { soldPrice } from '../item-swaps/sold-items.ts'
import { closePages } from '../tenants/at-processor.ts'
import type { PlacedItem } from './decide/decision.ts'
import type { ChangeDeps } from './deps.ts'
import type { TenantRecord } from '../../store/records/tenants.ts'

/**
 * Expires the tenant's open checkout pages that sell a coming price, or what a coming price excludes: paid after the change, they would bill
 * it beside the subscription. Returns false if the change brings no price, e.g. a change of seats: then no page has to be expired.
 */
export async function closeSellingPages(
  { processor, priceBook }: ChangeDeps,
  { id: tenantId, processorCustomerId: customer }: TenantRecord,
  { before, after }: Readonly<Record<'before' | 'after', readonly Pick<PlacedItem, 'priceId'>[]>>,
  signal: AbortSignal,
): Promise<boolean> {
  const book = await priceBook()
  const soldOf = (priceId: string | null) => {
    const booked = priceId === null ? undefined : book.find(priceId)
    return booked === undefined ? null : soldPrice(booked)
  }
  const present = new Set(before.map(({ priceId }) => priceId))
  const coming = after.flatMap(({ priceId }) => (present.has(priceId) ? [] : (soldOf(priceId) ?? [])))
  if (customer === null || coming.length === 0) return false
  const sells = (priceId: string) => {
    const sold = soldOf(priceId)
    return sold !== null && coming.some((item) => excludes(item, sold))
  }
  await closePages(processor, { customer: processorId(customer), tenantId, sells }, signal)
  return true
}

/** Expires the tenant's open checkout pages with a coupon that is for one purchase, and that a session takes with its change. */
export async function closePagesWithCode(
  deps: ChangeDeps,
  { id: tenantId, processorCustomerId: customer }: TenantRecord,
  promotionCode: ProcessorId,
  signal: AbortSignal,
): Promise<void> {
  const once = onceCouponOf((await deps.applied()).config, promotionCode)
  if (once !== null && customer !== null)
    await closeTwins(deps, { once, tenantId, customer: processorId(customer), signal })
}
