// Configurations of the customer portal. The sandbox's portal page lists the customer's subscriptions. The customer can cancel them if the
// configuration allows it.
import type { PortalConfigurationBody } from '../../objects/session-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { badRequest } from '../../protocol/responses/errors.ts'
import { newId } from '../../protocol/ids.ts'
import { changed, metadata } from '../../protocol/parameters/metadata.ts'
import { listing, post, retrieve, type Operation } from '../../protocol/operation.ts'
import { boolean, emptyable, list, oneOf, required, shape, text, type Read } from '../../protocol/parameters/params.ts'
import { webUrl } from '../checkout/new-session.ts'

const updates = oneOf('address', 'email', 'name', 'phone', 'shipping', 'tax_id')
/** Cancellation reasons, as in the documented example of a new configuration. */
const reasons = ['too_expensive', 'missing_features', 'switched_service', 'unused', 'other']

const featureFields = {
  customer_update: shape({ allowed_updates: emptyable(list(updates)), enabled: boolean() }),
  invoice_history: shape({ enabled: required(boolean()) }),
  payment_method_update: shape({ enabled: required(boolean()) }),
  subscription_cancel: shape({ enabled: required(boolean()), mode: oneOf('at_period_end', 'immediately') }),
}

const sharedFields = {
  business_profile: shape({
    headline: emptyable(text({ max: 60 })),
    privacy_policy_url: webUrl(),
    terms_of_service_url: webUrl(),
  }),
  default_return_url: emptyable(webUrl()),
  metadata: metadata(),
  name: emptyable(text()),
}
const createFields = { ...sharedFields, features: required(shape(featureFields)) }
const updateFields = { ...sharedFields, active: boolean(), features: shape(featureFields) }
type ConfigurationParams = Partial<Read<typeof updateFields>>

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
    const features = { subscription_cancel: { enabled: true, mode: undefined } }
    return createConfiguration(call, { features: { ...noFeatures, ...features } }).id
  }
  const found = call.reference('billing_portal.configuration', id, 'configuration')
  if (found.active) return id
  throw badRequest(`The configuration ${id} is inactive.`, 'configuration')
}

function withParams(
  call: OperationContext,
  before: PortalConfigurationBody,
  params: ConfigurationParams,
): PortalConfigurationBody {
  const { active, business_profile: profile, default_return_url, features, metadata, name } = params
  const kept = before.features
  const { customer_update: customer, subscription_cancel: cancel } = features ?? {}
  return {
    ...changed(before, { active, default_return_url, metadata, name }),
    business_profile: {
      headline: profile?.headline === undefined ? before.business_profile.headline : profile.headline,
      privacy_policy_url: profile?.privacy_policy_url ?? before.business_profile.privacy_policy_url,
      terms_of_service_url: profile?.terms_of_service_url ?? before.business_profile.terms_of_service_url,
    },
    features: {
      ...kept,
      customer_update: {
        allowed_updates:
          customer?.allowed_updates === undefined
            ? kept.customer_update.allowed_updates
            : [...(customer.allowed_updates ?? [])],
        enabled: customer?.enabled ?? kept.customer_update.enabled,
      },
      invoice_history: features?.invoice_history ?? kept.invoice_history,
      payment_method_update: {
        ...kept.payment_method_update,
        enabled: features?.payment_method_update?.enabled ?? kept.payment_method_update.enabled,
      },
      subscription_cancel: {
        ...kept.subscription_cancel,
        enabled: cancel?.enabled ?? kept.subscription_cancel.enabled,
        mode: cancel?.mode ?? kept.subscription_cancel.mode,
      },
    },
    updated: call.now,
  }
}

const noFeatures = {
  customer_update: undefined,
  invoice_history: undefined,
  payment_method_update: undefined,
  subscription_cancel: undefined,
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
        cancellation_reason: { enabled: false, feedback_options: null, options: [...reasons] },
        ...{ enabled: false, mode: 'at_period_end', proration_behavior: 'none' },
      },
      subscription_pause: { duration: { interval_options: [], type: 'indefinite' }, enabled: false },
      subscription_update: {
        ...{ billing_cycle_anchor: null, default_allowed_updates: [], enabled: false, proration_behavior: 'none' },
        ...{ schedule_at_period_end: { conditions: [] }, trial_update_behavior: 'end_trial' },
      },
    },
    is_default: call.count('billing_portal.configuration') === 0,
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
