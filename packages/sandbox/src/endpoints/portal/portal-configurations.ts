// Configurations of the customer portal. The sandbox's portal page lists the customer's subscriptions. The customer can cancel them and
// change their prices if the configuration allows it.
import type { PortalConfigurationBody, PortalFeaturesBody } from '../../objects/session-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { badRequest } from '../../protocol/responses/errors.ts'
import { newId } from '../../protocol/ids.ts'
import { changed, metadata } from '../../protocol/parameters/metadata.ts'
import { listing, post, retrieve, type Operation } from '../../protocol/operation.ts'
import {
  boolean,
  emptyable,
  integer,
  list,
  oneOf,
  required,
  shape,
  text,
  type Read,
} from '../../protocol/parameters/params.ts'
import { webUrl } from '../checkout/new-session.ts'

const updates = oneOf('address', 'email', 'name', 'phone', 'shipping', 'tax_id')
const reasons = oneOf(
  ...(['customer_service', 'low_quality', 'missing_features', 'other'] as const),
  ...(['switched_service', 'too_complex', 'too_expensive', 'unused'] as const),
)
/** Cancellation reasons of a new configuration, as in the documented example. */
const usualReasons = ['too_expensive', 'missing_features', 'switched_service', 'unused', 'other']
const prorations = oneOf('none', 'create_prorations', 'always_invoice')
const conditions = shape({ type: required(oneOf('decreasing_item_amount', 'shortening_interval')) })

const productFields = {
  adjustable_quantity: shape({
    enabled: required(boolean()),
    maximum: integer({ min: 1, max: 999_999 }),
    minimum: integer({ min: 0, max: 999_999 }),
  }),
  prices: required(list(text())),
  product: required(text()),
}

const featureFields = {
  customer_update: shape({ allowed_updates: emptyable(list(updates)), enabled: boolean() }),
  invoice_history: shape({ enabled: required(boolean()) }),
  payment_method_update: shape({ enabled: required(boolean()) }),
  subscription_cancel: shape({
    cancellation_reason: shape({ enabled: required(boolean()), options: emptyable(list(reasons)) }),
    enabled: boolean(),
    mode: oneOf('at_period_end', 'immediately'),
    // `always_invoice` is not accepted here, as the processor's SDK documents.
    proration_behavior: oneOf('none', 'create_prorations'),
  }),
  subscription_update: shape({
    billing_cycle_anchor: oneOf('now', 'unchanged'),
    default_allowed_updates: emptyable(list(oneOf('price', 'promotion_code', 'quantity'))),
    enabled: boolean(),
    // Source of the limit: the SDK's documentation of `products`.
    products: emptyable(list(shape(productFields), { max: 10 })),
    proration_behavior: prorations,
    schedule_at_period_end: shape({ conditions: emptyable(list(conditions)) }),
    trial_update_behavior: oneOf('continue_trial', 'end_trial'),
  }),
}

const sharedFields = {
  business_profile: shape({
    headline: emptyable(text({ max: 60 })),
    privacy_policy_url: emptyable(webUrl()),
    terms_of_service_url: emptyable(webUrl()),
  }),
  default_return_url: emptyable(webUrl()),
  login_page: shape({ enabled: required(boolean()) }),
  metadata: metadata(),
  name: emptyable(text()),
}
const createFields = { ...sharedFields, features: required(shape(featureFields)) }
const updateFields = { ...sharedFields, active: boolean(), features: shape(featureFields) }
type ConfigurationParams = Partial<Read<typeof updateFields>>
type FeatureParams = Partial<NonNullable<ConfigurationParams['features']>>

const neverSaved =
  'No configuration provided and your test mode default configuration has not been created. Provide a configuration or ' +
  'create your default by saving your customer portal settings in test mode at ' +
  'https://dashboard.stripe.com/test/settings/billing/portal.'

/**
 * Returns the configuration of a portal session: the named one, otherwise the default. The default is the configuration that was created
 * first. Source: public forum threads.
 */
export function configurationFor(call: OperationContext, id: string | undefined): string {
  if (id === undefined) {
    const [saved] = call.select('billing_portal.configuration', [{ field: 'is_default', is: true }], 1)
    if (saved !== undefined) return saved.id
    if (!call.server.portalSaved) throw badRequest(neverSaved)
    return createConfiguration(call, { features: { ...noFeatures, subscription_cancel: cancelOnly } }).id
  }
  const found = call.reference('billing_portal.configuration', id, 'configuration')
  if (found.active) return id
  throw badRequest(`The configuration ${id} is inactive.`, 'configuration')
}

const noFeatures = {
  customer_update: undefined,
  invoice_history: undefined,
  payment_method_update: undefined,
  subscription_cancel: undefined,
  subscription_update: undefined,
}
const cancelOnly = { cancellation_reason: undefined, enabled: true, mode: undefined, proration_behavior: undefined }

function withParams(
  call: OperationContext,
  before: PortalConfigurationBody,
  params: ConfigurationParams,
): PortalConfigurationBody {
  const { active, business_profile: profile, default_return_url, login_page: login, metadata, name } = params
  const kept = before.business_profile
  return {
    ...changed(before, { active, default_return_url, metadata, name }),
    business_profile: {
      headline: chosen(profile?.headline, kept.headline),
      privacy_policy_url: chosen(profile?.privacy_policy_url, kept.privacy_policy_url),
      terms_of_service_url: chosen(profile?.terms_of_service_url, kept.terms_of_service_url),
    },
    features: featuresAfter(call, before.features, params.features ?? {}),
    login_page:
      login === undefined
        ? before.login_page
        : { enabled: login.enabled, url: login.enabled ? `${call.origin}/p/login/${before.id}` : null },
    updated: call.now,
  }
}

function featuresAfter(call: OperationContext, kept: PortalFeaturesBody, given: FeatureParams): PortalFeaturesBody {
  const { customer_update: customer, subscription_cancel: cancel, subscription_update: update } = given
  const after: PortalFeaturesBody = {
    ...kept,
    customer_update: {
      allowed_updates: listed(customer?.allowed_updates, kept.customer_update.allowed_updates),
      enabled: customer?.enabled ?? kept.customer_update.enabled,
    },
    invoice_history: given.invoice_history ?? kept.invoice_history,
    payment_method_update: {
      ...kept.payment_method_update,
      enabled: given.payment_method_update?.enabled ?? kept.payment_method_update.enabled,
    },
    subscription_cancel: {
      cancellation_reason: {
        ...kept.subscription_cancel.cancellation_reason,
        enabled: cancel?.cancellation_reason?.enabled ?? kept.subscription_cancel.cancellation_reason.enabled,
        options: listed(cancel?.cancellation_reason?.options, kept.subscription_cancel.cancellation_reason.options),
      },
      enabled: cancel?.enabled ?? kept.subscription_cancel.enabled,
      mode: cancel?.mode ?? kept.subscription_cancel.mode,
      proration_behavior: cancel?.proration_behavior ?? kept.subscription_cancel.proration_behavior,
    },
    subscription_update: update === undefined ? kept.subscription_update : updateAfter(call, kept, update),
  }
  // Source of the message: public threads.
  if (after.subscription_update.enabled && !after.payment_method_update.enabled)
    throw badRequest('Cannot enable subscription updates while payment method update is disabled.')
  return after
}

/** Returns the text after a request: the given one, null if it was cleared, otherwise the present one. */
function chosen(given: string | null | undefined, kept: string | null): string | null {
  return given === undefined ? kept : given
}

/** Returns the list after a request: the given one, an empty one if it was cleared, otherwise the present one. */
function listed<T>(given: readonly T[] | null | undefined, kept: T[]): T[] {
  return given === undefined ? kept : [...(given ?? [])]
}

function updateAfter(
  call: OperationContext,
  { subscription_update: kept }: PortalFeaturesBody,
  given: NonNullable<FeatureParams['subscription_update']>,
): PortalFeaturesBody['subscription_update'] {
  const { schedule_at_period_end: schedule, products } = given
  return {
    billing_cycle_anchor: given.billing_cycle_anchor ?? kept.billing_cycle_anchor,
    default_allowed_updates: listed(given.default_allowed_updates, kept.default_allowed_updates),
    enabled: given.enabled ?? kept.enabled,
    products: products === undefined ? kept.products : (products ?? []).map((one, at) => productOf(call, one, at)),
    proration_behavior: given.proration_behavior ?? kept.proration_behavior,
    schedule_at_period_end: { conditions: listed(schedule?.conditions, kept.schedule_at_period_end.conditions) },
    trial_update_behavior: given.trial_update_behavior ?? kept.trial_update_behavior,
  }
}

function productOf(
  call: OperationContext,
  { product: id, prices, adjustable_quantity: quantity }: Read<typeof productFields>,
  at: number,
): PortalFeaturesBody['subscription_update']['products'][number] {
  const name = `features[subscription_update][products][${at}]`
  const { id: product } = call.reference('product', id, `${name}[product]`)
  for (const [index, price] of prices.entries()) {
    const param = `${name}[prices][${index}]`
    const found = call.reference('price', price, param)
    if (found.product !== product)
      throw badRequest(`The price ${price} does not belong to the product ${product}.`, param)
    if (found.recurring === null) throw badRequest(`The price ${price} is not recurring.`, param)
  }
  const { enabled = false, maximum = 99, minimum = 1 } = quantity ?? {}
  return { adjustable_quantity: { enabled, maximum, minimum }, prices: [...prices], product }
}

function createConfiguration(call: OperationContext, params: ConfigurationParams): PortalConfigurationBody {
  const blank: PortalConfigurationBody = {
    id: newId('bpc_1', 23),
    object: 'billing_portal.configuration',
    active: true,
    business_profile: { headline: null, privacy_policy_url: null, terms_of_service_url: null },
    created: call.now,
    default_return_url: null,
    features: {
      customer_update: { allowed_updates: [], enabled: false },
      invoice_history: { enabled: false },
      payment_method_update: { enabled: false, payment_method_configuration: null },
      subscription_cancel: {
        cancellation_reason: { enabled: false, feedback_options: null, options: [...usualReasons] },
        ...{ enabled: false, mode: 'at_period_end', proration_behavior: 'none' },
      },
      subscription_pause: { duration: { interval_options: [], type: 'indefinite' }, enabled: false },
      subscription_update: {
        ...{ billing_cycle_anchor: 'unchanged', default_allowed_updates: [], enabled: false, products: [] },
        ...{
          proration_behavior: 'none',
          schedule_at_period_end: { conditions: [] },
          trial_update_behavior: 'end_trial',
        },
      },
    },
    is_default: call.count('billing_portal.configuration') === 0,
    login_page: { enabled: false, url: null },
    metadata: {},
    name: null,
    updated: call.now,
  }
  return call.create(withParams(call, blank, params), 'billing_portal.configuration.created')
}

function update(call: OperationContext): PortalConfigurationBody {
  const before = call.subject('billing_portal.configuration')
  const params = call.read(updateFields)
  if (params.active === false && before.is_default)
    throw badRequest('The default configuration cannot be deactivated.', 'active')
  return call.update(before, withParams(call, before, params), 'billing_portal.configuration.updated')
}

const base = '/v1/billing_portal/configurations'
const of = 'billing_portal.configuration'

export const portalConfigurations: readonly Operation[] = [
  post(base, of, (call) => createConfiguration(call, call.read(createFields))),
  listing(base, of, { active: boolean(), is_default: boolean() }),
  retrieve(`${base}/:id`, of),
  post(`${base}/:id`, of, update),
]
