// Decides what a session of the customer portal shows. Pure.
import { processorId, type ProcessorId } from '../../catalog/resource.ts'
import { presentId } from '../../document/rules/previous-ids.ts'
import { isPublic } from '../../document/schema/public-view.ts'
import type { BillingConfig } from '../../document/schema/schema.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { priceForTenant } from '../../document/pricing/tenant-price.ts'
import type { LiveSubscription, PortalFlow } from '../../processor/customer-half.ts'
import type { CheckoutSituation } from './decide-checkout.ts'
import { decidePromotion } from './decide-promotion.ts'
import { invalidAt } from './invalid.ts'
import { checkSessionQuantity } from './session-quantity.ts'
import type { NewPortal } from '../../api/customers/checkout.ts'

type PortalSituation = Pick<CheckoutSituation, 'hidden' | 'now' | 'sessionMaxQuantity'> & {
  readonly config: BillingConfig
  readonly tenant: NonNullable<CheckoutSituation['tenant']>
}

/**
 * Returns the processor id of the portal configuration that the request names or, without a name, of the document's default. null means the
 * processor's own default. To a session, configurations are unknown that are neither the default nor offered to sessions.
 */
export function decidePortal(config: BillingConfig, wanted: string | undefined, session: boolean): ProcessorId | null {
  const { portal: portals = [] } = config
  const id = wanted === undefined ? undefined : presentId(config, 'portal', wanted)
  const found = portals.find((portal) => (id === undefined ? portal.default === true : portal.id === id))
  const isOffered = !session || wanted === undefined || found?.default === true || found?.sessions === true
  if (found?.processor_id !== undefined && isOffered) return processorId(found.processor_id)
  if (wanted === undefined) return null
  throw new ServiceError('portal_not_found', `There is no portal configuration "${wanted}".`)
}

/**
 * Returns the flow of the customer portal (its single task, e.g. a cancellation) with processor ids in place of document ids. `live` are
 * the tenant's running subscriptions.
 */
export function decideFlow(
  situation: PortalSituation,
  wanted: NonNullable<NewPortal['flow']>,
  live: readonly LiveSubscription[],
): PortalFlow {
  const { type, afterCompletion } = wanted
  const base = { type, afterCompletion: afterCompletion ?? null, subscription: null, offer: null, confirm: null }
  switch (type) {
    case 'customer_update':
    case 'payment_method_update':
      return base
    case 'subscription_cancel': {
      const { subscription, retention } = flowMember(wanted, type)
      const coupon = retention?.couponOffer.coupon
      return {
        ...base,
        subscription: ownSubscription(live, subscription, type).id,
        offer: coupon === undefined ? null : couponOf(situation, coupon),
      }
    }
    case 'subscription_update':
      return { ...base, subscription: ownSubscription(live, flowMember(wanted, type).subscription, type).id }
    case 'subscription_update_confirm': {
      const confirm = flowMember(wanted, type)
      const held = ownSubscription(live, confirm.subscription, type)
      return { ...base, subscription: held.id, confirm: confirmFlow(situation, confirm, held) }
    }
  }
}

type Flow = NonNullable<NewPortal['flow']>
const memberNames = {
  subscription_cancel: 'subscriptionCancel',
  subscription_update: 'subscriptionUpdate',
  subscription_update_confirm: 'subscriptionUpdateConfirm',
} as const
type Named = keyof typeof memberNames

function flowMember<Type extends Named>(flow: Flow, type: Type): NonNullable<Flow[(typeof memberNames)[Type]]> {
  const found = flow[memberNames[type]]
  if (found !== undefined) return found
  throw invalidAt({ path: ['flow', type], detail: `A flow of the type "${type}" needs "${type}".` })
}

function ownSubscription(live: readonly LiveSubscription[], id: string, type: Named): LiveSubscription {
  const found = live.find((subscription) => subscription.id === id)
  if (found !== undefined) return found
  throw invalidAt({ path: ['flow', type, 'subscription'], detail: `The tenant has no running subscription "${id}".` })
}

function confirmFlow(
  situation: PortalSituation,
  { items, discounts = [] }: NonNullable<Flow['subscriptionUpdateConfirm']>,
  held: LiveSubscription,
): PortalFlow['confirm'] {
  const [wanted] = items
  const [only, ...others] = held.items
  const item = wanted?.id === undefined ? only : held.items.find(({ id }) => id === wanted.id)
  if (wanted === undefined || item === undefined || (wanted.id === undefined && others.length > 0))
    throw invalidAt({
      path: ['flow', 'subscription_update_confirm', 'items'],
      detail: `The subscription "${held.id}" has ${String(held.items.length)} items; name the "id" of one of them.`,
    })
  if (!situation.hidden)
    checkSessionQuantity(wanted.quantity, { most: situation.sessionMaxQuantity, present: item.quantity ?? 0 }, [
      'flow',
      'subscription_update_confirm',
      'items',
      0,
    ])
  return {
    item: item.id,
    price: wanted.price === undefined ? item.price.id : priceOf(situation, wanted.price),
    quantity: wanted.quantity ?? item.quantity,
    discounts: discounts.map((discount) => discountOf(situation, discount)),
  }
}

/** Returns the price that the tenant gets for a price of the document. With a session, only public prices are found, as in a checkout. */
function priceOf({ config, tenant, hidden }: PortalSituation, wanted: string): ProcessorId {
  const id = presentId(config, 'price', wanted)
  for (const product of config.products)
    for (const price of product.prices ?? []) {
      if (price.id !== id || (!hidden && !isPublic(price))) continue
      const sold = priceForTenant(price, config, tenant)
      if (sold.processor_id !== undefined) return processorId(sold.processor_id)
    }
  throw new ServiceError('price_not_found', `There is no price "${wanted}".`)
}

function discountOf(
  situation: PortalSituation,
  { coupon, promotionCode }: { readonly coupon?: string | undefined; readonly promotionCode?: string | undefined },
): NonNullable<PortalFlow['confirm']>['discounts'][number] {
  if (coupon !== undefined) return { coupon: couponOf(situation, coupon) }
  const { config, hidden, now } = situation
  const wanted = promotionCode ?? ''
  const present = presentId(config, 'promotion_code', wanted)
  return { promotionCode: decidePromotion(config.promotion_codes ?? [], wanted, { byId: hidden, present, now }) }
}

/**
 * Returns the processor id of a coupon. Only requests with a service key may use coupons, because coupons are not meant for every customer.
 */
function couponOf({ config, hidden }: PortalSituation, wanted: string): ProcessorId {
  if (!hidden) throw new ServiceError('not_allowed', 'A coupon in a flow of the portal needs a service key.')
  const found = (config.coupons ?? []).find(({ id }) => id === presentId(config, 'coupon', wanted))
  if (found?.processor_id !== undefined) return processorId(found.processor_id)
  throw invalidAt({ path: ['flow'], detail: `There is no coupon "${wanted}".` })
}
