// Shared context of the adapter's operations, and the conversion of a reply to an observed resource.
import type { Stripe } from 'stripe'
import type { Clock } from '../../../base/clock.ts'
import type { ObservedResource, ResourceKind } from '../../../catalog/resource.ts'
import { ProcessorError } from '../../processor-error.ts'
import type { Caller } from '../connection/call.ts'
import { couponAdapter } from '../kinds/coupon.ts'
import { featureAdapter } from '../kinds/feature.ts'
import type { KindAdapter, Reply, ReadContext } from '../kinds/kind.ts'
import { meterAdapter } from '../kinds/meter.ts'
import { portalAdapter } from '../kinds/portal.ts'
import { priceAdapter } from '../kinds/price.ts'
import { productAdapter } from '../kinds/product.ts'
import { promotionCodeAdapter } from '../kinds/promotion-code.ts'
import { taxRateAdapter } from '../kinds/tax-rate.ts'
import { webhookAdapter } from '../kinds/webhook.ts'

export interface StripeContext {
  readonly stripe: Stripe
  readonly caller: Caller
  readonly clock: Clock
  readonly wallClock: Clock
  readonly kinds: Kinds
}

export type Kinds = ReturnType<typeof kindsOf>

export function kindsOf(stripe: Stripe) {
  return {
    meter: meterAdapter(stripe.billing.meters),
    feature: featureAdapter(stripe.entitlements.features),
    product: productAdapter(stripe.products),
    price: priceAdapter(stripe.prices),
    coupon: couponAdapter(stripe.coupons),
    promotion_code: promotionCodeAdapter(stripe.promotionCodes),
    tax_rate: taxRateAdapter(stripe.taxRates),
    portal: portalAdapter(stripe.billingPortal.configurations),
    webhook: webhookAdapter(stripe.webhookEndpoints),
  } satisfies Record<ResourceKind, unknown>
}

/**
 * Returns the adapter of a kind that is only known at run time. The cast is safe, because the caller selects the step and the adapter by
 * the same kind.
 */
export function adapterOf(context: StripeContext, kind: ResourceKind): KindAdapter {
  return context.kinds[kind] as unknown as KindAdapter
}

export function readContext(context: StripeContext): ReadContext {
  return { now: Math.floor(context.clock.now() / 1000) }
}

/** Converts a reply to an observed resource. Throws `broken` if required members are missing. */
export function observeObject<K extends ResourceKind, Live extends Reply>(
  adapter: KindAdapter<K, Live>,
  object: Live,
  around: ReadContext,
): ObservedResource<K> {
  try {
    return adapter.observe(object, around)
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown'
    throw new ProcessorError('broken', `Stripe’s ${adapter.object} ${object.id} could not be read: ${why}.`)
  }
}

/** Returns the reason why a reply is not the expected object, e.g. `a price was expected`; null if it is the expected object. */
export function replyFlaw(reply: Pick<Reply, 'id' | 'object'>, object: string, id: string | null): string | null {
  if (reply.object !== object) return `a ${object} was expected`
  if (typeof reply.id !== 'string' || reply.id === '') return 'it has no id'
  return id === null || reply.id === id ? null : `it is about ${reply.id}, not ${id}`
}

export function isDeleted(reply: Reply): boolean {
  return 'deleted' in reply && reply.deleted === true
}
