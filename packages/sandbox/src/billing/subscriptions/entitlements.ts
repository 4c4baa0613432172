// Entitlements: the features of the products that a customer subscribes to.
import type { ActiveEntitlementBody, FeatureBody, ProductFeatureBody } from '../../objects/bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { newId } from '../../protocol/ids.ts'
import { where } from '../../protocol/responses/list-pages.ts'

export function attachmentsOf(call: OperationContext, product: string): ProductFeatureBody[] {
  return call.select('product_feature', [{ field: '_product', is: product }])
}

const granting: readonly string[] = ['active', 'trialing', 'past_due']

/**
 * Updates a customer's entitlements to the features of the products of its running subscriptions. Called when a subscription starts, ends,
 * changes prices or begins a new period. So a feature that is attached to a product takes effect only at the next of these times. Source:
 * docs.stripe.com/billing/entitlements.
 */
export function refreshEntitlements(call: OperationContext, customer: string): void {
  const living = call
    .select('subscription', where('customer', customer))
    .filter((subscription) => granting.includes(subscription.status))
  const prices = new Set(living.flatMap((subscription) => subscription.items.data.map((item) => item.price)))
  const products = new Set([...prices].flatMap((price) => call.find('price', price)?.product ?? []))
  const entitled = new Set(
    [...products].flatMap((product) => attachmentsOf(call, product).map((one) => one.entitlement_feature)),
  )
  const held = call.select('entitlements.active_entitlement', where('_customer', customer))
  const gone = held.filter((one) => !entitled.has(one.feature))
  const added = [...entitled].filter((feature) => !held.some((one) => one.feature === feature))
  if (gone.length + added.length === 0) return
  for (const one of gone) call.remove(one, null)
  for (const id of added) {
    const feature = call.find('entitlements.feature', id)
    if (feature !== undefined) call.create(newEntitlement(customer, feature), null)
  }
  const data = call
    .select('entitlements.active_entitlement', where('_customer', customer))
    .map((one) => call.render(one))
  call.emitUnstored('entitlements.active_entitlement_summary.updated', {
    object: 'entitlements.active_entitlement_summary',
    customer,
    entitlements: {
      object: 'list',
      data,
      has_more: false,
      url: `/v1/customer/${customer}/entitlements`,
    },
    livemode: false,
  })
}

function newEntitlement(customer: string, feature: FeatureBody): ActiveEntitlementBody {
  return {
    id: newId('ent_test_61', 30),
    object: 'entitlements.active_entitlement',
    feature: feature.id,
    lookup_key: feature.lookup_key,
    _customer: customer,
  }
}
