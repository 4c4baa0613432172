// A coupon of the duration `once` is for one purchase: a session takes it once for its tenant, whichever route it uses (decision 29).
import type { ProcessorId } from '../../catalog/resource.ts'
import type { BillingConfig } from '../../document/schema/schema.ts'
import { askProcessor } from '../../processor/failures.ts'
import type { Processor } from '../../processor/processor.ts'
import type { Store } from '../../store/store.ts'
import { closePages, subscriptionsOf } from '../tenants/at-processor.ts'

export interface OnceDeps {
  readonly store: HeldDeps['store']
  readonly processor: Pick<
    Processor,
    'redeemed' | 'discountedSubscriptions' | 'changeable' | 'subscriptions' | 'expireCheckouts'
  >
}

interface HeldDeps {
  readonly store: Pick<Store, 'facts'>
}

/** Codes of scheduled changes whose schedules are taken off and may come back, by subscription. */
type HeldCodes = Readonly<Record<string, readonly ProcessorId[]>>

const heldFact = (tenantId: string) => `held_codes:${tenantId}`

async function heldCodes({ store }: HeldDeps, tenantId: string): Promise<HeldCodes> {
  const text = await store.facts.get(heldFact(tenantId))
  return text === null ? {} : (JSON.parse(text) as HeldCodes)
}

/** Keeps the codes of a schedule that is taken off: they count as taken until it is back, or gone for good. The caller holds the tenant's lease. */
export async function holdCodes(
  deps: HeldDeps,
  tenantId: string,
  subscription: string,
  codes: readonly ProcessorId[],
): Promise<void> {
  const { [subscription]: before = [], ...others } = await heldCodes(deps, tenantId)
  if (before.length + codes.length === 0) return
  const held = codes.length === 0 ? others : { ...others, [subscription]: codes }
  await deps.store.facts.set(heldFact(tenantId), JSON.stringify(held))
}

type Offers = Pick<BillingConfig, 'promotion_codes' | 'coupons'>

/** A coupon that is for one purchase, and the promotion codes that give it: processor ids. */
export interface OnceCoupon {
  readonly coupon: string | undefined
  readonly codes: ReadonlySet<string>
}

/** Returns the coupon of a promotion code if it is `once`; otherwise null. */
export function onceCouponOf(
  { promotion_codes: codes = [], coupons = [] }: Offers,
  code: ProcessorId,
): OnceCoupon | null {
  const named = codes.find(({ processor_id: id }) => id === code)?.coupon
  const found = coupons.find(({ id }) => id === named)
  if (found?.duration !== 'once') return null
  const twins = codes.flatMap(({ coupon, processor_id: id }) => (coupon === named && id !== undefined ? [id] : []))
  return { coupon: found.processor_id, codes: new Set(twins) }
}

export interface OnceSale {
  readonly tenantId: string
  readonly once: OnceCoupon
  readonly customer: ProcessorId
  readonly signal: AbortSignal
}

/** True if the customer has used the coupon, has it on a subscription, or will get it by a scheduled change, also by one that may come back. */
export async function isTaken(deps: OnceDeps, { once, tenantId, customer, signal }: OnceSale): Promise<boolean> {
  const { processor } = deps
  const isIt = (id: string | null) => id !== null && (id === once.coupon || once.codes.has(id))
  if (Object.values(await heldCodes(deps, tenantId)).some((codes) => codes.some(isIt))) return true
  const used = await askProcessor(signal, () => processor.redeemed(customer, signal))
  if ([...used].some(isIt)) return true
  const running = await askProcessor(signal, () => processor.discountedSubscriptions(customer, signal))
  if (running.some(({ discounts }) => discounts.some(({ coupon }) => isIt(coupon)))) return true
  for (const { id, schedule } of await subscriptionsOf(processor, customer, signal)) {
    if (schedule === null) continue
    const state = await askProcessor(signal, () => processor.changeable(id, signal))
    if (state?.scheduled?.promotionCodes.some(isIt) === true) return true
  }
  return false
}

/** Expires the tenant's other open pages that would take the coupon too. */
export async function closeTwins(
  { processor }: OnceDeps,
  { once, tenantId, customer, signal }: OnceSale,
  except?: string,
): Promise<void> {
  const applies = (code: string) => once.codes.has(code)
  await closePages(processor, { customer, tenantId, applies, ...(except === undefined ? {} : { except }) }, signal)
}

export const takenText = 'The tenant has taken the coupon of this promotion code already, and it is for one purchase.'
