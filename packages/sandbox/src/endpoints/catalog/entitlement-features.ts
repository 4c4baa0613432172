// Features of products, and the entitlements of customers. Archiving a feature is final and frees its lookup key. Source:
// alchemy.run/providers/stripe/reference/entitlements, recorded against the real API.
import { attachmentsOf } from '../../billing/subscriptions/entitlements.ts'
import type { FeatureBody, ProductFeatureBody } from '../../objects/bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { noSuchResource, badRequest } from '../../protocol/responses/errors.ts'
import { newId } from '../../protocol/ids.ts'
import { pageFields, where } from '../../protocol/responses/list-pages.ts'
import { applyMetadata, changed, metadata } from '../../protocol/parameters/metadata.ts'
import { deletion, listing, post, retrieve, type Operation } from '../../protocol/operation.ts'
import { boolean, required, text } from '../../protocol/parameters/params.ts'

const featureName = text({ max: 80 })

function create(call: OperationContext): FeatureBody {
  const params = call.read({
    lookup_key: required(text({ max: 80 })),
    name: required(featureName),
    metadata: metadata(),
  })
  const taken = [{ field: 'lookup_key', is: params.lookup_key }, ...where('active', true)]
  if (call.select('entitlements.feature', taken, 1).length > 0) {
    const message = `A feature with the lookup key \`${params.lookup_key}\` already exists.`
    throw badRequest(message, 'lookup_key', 'resource_already_exists')
  }
  const body: FeatureBody = {
    id: newId('feat_test_61', 30),
    object: 'entitlements.feature',
    active: true,
    lookup_key: params.lookup_key,
    metadata: applyMetadata({}, params.metadata),
    name: params.name,
  }
  return call.create(body, null)
}

function update(call: OperationContext): FeatureBody {
  const before = call.subject('entitlements.feature')
  const params = call.read({ active: boolean(), metadata: metadata(), name: featureName })
  if (!before.active) throw badRequest('Archived features cannot be updated.')
  return call.update(before, changed(before, params), null)
}

function attach(call: OperationContext): ProductFeatureBody {
  const product = call.subject('product')
  const params = call.read({ entitlement_feature: required(text()) })
  const feature = call.reference('entitlements.feature', params.entitlement_feature, 'entitlement_feature')
  if (!feature.active) throw badRequest('Archived features cannot be attached to products.', 'entitlement_feature')
  if (attachmentsOf(call, product.id).some((one) => one.entitlement_feature === feature.id)) {
    const message = `The feature \`${feature.id}\` is already attached to the product \`${product.id}\`.`
    throw badRequest(message, 'entitlement_feature', 'resource_already_exists')
  }
  const body: ProductFeatureBody = {
    id: newId('prodft_', 14),
    object: 'product_feature',
    entitlement_feature: feature.id,
    _product: product.id,
  }
  return call.create(body, null)
}

/** Returns the feature attachment in the path. Throws a 404 if it does not belong to the product in the path. */
function attachment(call: OperationContext): ProductFeatureBody {
  const product = call.subject('product')
  call.read({})
  const found = call.find('product_feature', call.childId)
  if (found?._product !== product.id) throw noSuchResource('product_feature', call.childId, 'id')
  return found
}

const base = '/v1/entitlements/features'
const attached = '/v1/products/:id/features'
const active = '/v1/entitlements/active_entitlements'

export const entitlementFeatures: readonly Operation[] = [
  post(base, 'entitlements.feature', create),
  // Archived features are listed only with `archived: true`. Source: the SDK's documentation of `archived`.
  listing(base, 'entitlements.feature', { lookup_key: text() }, { archived: boolean() }, ({ archived }) =>
    where('active', archived !== true),
  ),
  retrieve(`${base}/:id`, 'entitlements.feature'),
  post(`${base}/:id`, 'entitlements.feature', update),
  post(attached, 'product_feature', attach),
  {
    method: 'GET',
    path: attached,
    of: 'product_feature',
    list: true,
    run: (call) => {
      const product = call.subject('product')
      return { page: call.page('product_feature', call.read(pageFields), where('_product', product.id)) }
    },
  },
  {
    method: 'GET',
    path: `${attached}/:child`,
    of: 'product_feature',
    run: (call) => ({ object: attachment(call) }),
  },
  deletion(`${attached}/:child`, 'product_feature', (call) => call.remove(attachment(call), null)),
  listing(active, 'entitlements.active_entitlement', {}, { customer: required(text()) }, ({ customer }, call) =>
    where('_customer', call.reference('customer', customer, 'customer').id),
  ),
  retrieve(`${active}/:id`, 'entitlements.active_entitlement'),
]
