import type { Stripe } from 'stripe'
import { cancellationReasons } from '../../../document/schema/portal-schema.ts'
import { byProduct, type CustomerUpdate, type SubscriptionCancel } from '../../../catalog/fields/portal.ts'
import type { SubscriptionUpdate } from '../../../catalog/kinds.ts'
import { processorId, type ObservedResource, type ProcessorId } from '../../../catalog/resource.ts'
import { listOf } from '../connection/reading.ts'
import { changeParams, creationParams, readFields, updatableFields, type Translations } from './field-translation.ts'
import { known, ordinary, reasonsIn, type CreateOf, type KindAdapter, type UpdateOf } from './kind.ts'
import { unmanagedMembers } from './members.ts'
import { metadataChange, newMetadata, splitMetadata } from './metadata.ts'

type Live = Stripe.BillingPortal.Configuration
type Features = Stripe.BillingPortal.ConfigurationUpdateParams.Features
type Profile = keyof Live['business_profile']

const updates = ['address', 'email', 'name', 'phone', 'shipping', 'tax_id'] as const
const changes = ['price', 'promotion_code', 'quantity'] as const
const prorations = ['none', 'create_prorations', 'always_invoice'] as const
const atPeriodEnd = ['decreasing_item_amount', 'shortening_interval'] as const

/** Translation of a text of the business profile. */
const profileField = (name: Profile) => ({
  read: (live: Live) => live.business_profile[name] ?? '',
  create: (value: string) => (value === '' ? {} : { business_profile: { [name]: value } }),
  update: (value: string) => ({ business_profile: { [name]: value } }),
})

/** Builds the translation of a portal feature. `params` returns the request parameters for a feature that is on. */
function featureField<Name extends keyof Features, Value>(
  name: Name,
  read: (live: Live['features'][Name]) => Value,
  params: (value: NonNullable<Value>) => object,
) {
  const send = (value: Value) => ({
    features: {
      [name]:
        value === null || value === false
          ? { enabled: false }
          : { enabled: true, ...params(value as NonNullable<Value>) },
    },
  })
  return {
    read: (live: Live) => read(live.features[name]),
    create: send as (value: Value) => { features: Stripe.BillingPortal.ConfigurationCreateParams.Features },
    update: send as (value: Value) => { features: Features },
  }
}

const translations: Translations<
  'portal',
  Live,
  Stripe.BillingPortal.ConfigurationCreateParams,
  Stripe.BillingPortal.ConfigurationUpdateParams
> = {
  headline: profileField('headline'),
  privacyPolicyUrl: profileField('privacy_policy_url'),
  termsOfServiceUrl: profileField('terms_of_service_url'),
  returnUrl: {
    read: (live) => live.default_return_url ?? '',
    create: (url) => (url === '' ? {} : { default_return_url: url }),
    update: (url) => ({ default_return_url: url }),
  },
  loginPage: {
    read: (live) => live.login_page.enabled,
    create: (enabled) => (enabled ? { login_page: { enabled } } : {}),
    update: (enabled) => ({ login_page: { enabled } }),
  },
  customerUpdate: featureField('customer_update', readCustomerUpdate, ({ allowedUpdates }) => ({
    allowed_updates: [...allowedUpdates],
  })),
  invoiceHistory: featureField(
    'invoice_history',
    ({ enabled }): boolean => enabled,
    () => ({}),
  ),
  paymentMethodUpdate: featureField(
    'payment_method_update',
    ({ enabled }): boolean => enabled,
    () => ({}),
  ),
  subscriptionCancel: featureField('subscription_cancel', readCancel, cancelParams),
  subscriptionUpdate: featureField('subscription_update', readUpdate, updateParams),
}

function readCustomerUpdate(live: Live['features']['customer_update']): CustomerUpdate | null {
  return live.enabled ? { allowedUpdates: wordsOf(updates, live.allowed_updates) } : null
}

/** Returns the known words, sorted. */
function wordsOf<const Word extends string>(
  words: readonly Word[],
  said: readonly string[] | null | undefined,
): Word[] {
  return listOf(said)
    .flatMap((word) => known(words, word) ?? [])
    .sort()
}

function readCancel(live: Live['features']['subscription_cancel']): SubscriptionCancel | null {
  if (!live.enabled) return null
  const { cancellation_reason: asks, mode, proration_behavior: proration } = live
  return {
    mode: known(['at_period_end', 'immediately'], mode) ?? 'at_period_end',
    prorationBehavior: known(['none', 'create_prorations'], proration) ?? 'none',
    reasons: asks.enabled ? wordsOf(cancellationReasons, asks.options) : null,
  }
}

function cancelParams({ mode, prorationBehavior, reasons: options }: SubscriptionCancel): object {
  return {
    mode,
    proration_behavior: prorationBehavior,
    cancellation_reason: options === null ? { enabled: false } : { enabled: true, options: [...options] },
  }
}

function readUpdate(live: Live['features']['subscription_update']): SubscriptionUpdate<ProcessorId> | null {
  if (!live.enabled) return null
  const products = listOf(live.products).map(({ product, prices, adjustable_quantity: quantity }) => ({
    product: processorId(product),
    prices: listOf(prices).map(processorId).sort(),
    quantity:
      (quantity as typeof quantity | null | undefined)?.enabled === true
        ? { minimum: quantity.minimum, maximum: quantity.maximum }
        : null,
  }))
  return {
    allowedUpdates: wordsOf(changes, live.default_allowed_updates),
    products: products.sort(byProduct),
    prorationBehavior: known(prorations, live.proration_behavior) ?? 'none',
    billingCycleAnchor: known(['now', 'unchanged'], live.billing_cycle_anchor) ?? 'unchanged',
    trialUpdateBehavior: known(['continue_trial', 'end_trial'], live.trial_update_behavior) ?? 'end_trial',
    atPeriodEnd: wordsOf(
      atPeriodEnd,
      listOf(live.schedule_at_period_end.conditions).map(({ type }) => type),
    ),
  }
}

function updateParams(wanted: SubscriptionUpdate<ProcessorId>): object {
  return {
    default_allowed_updates: [...wanted.allowedUpdates],
    products: wanted.products.map(({ product, prices, quantity }) => ({
      product,
      prices: [...prices],
      adjustable_quantity:
        quantity === null
          ? { enabled: false }
          : {
              enabled: true,
              minimum: quantity.minimum,
              ...(quantity.maximum === null ? {} : { maximum: quantity.maximum }),
            },
    })),
    proration_behavior: wanted.prorationBehavior,
    billing_cycle_anchor: wanted.billingCycleAnchor,
    trial_update_behavior: wanted.trialUpdateBehavior,
    schedule_at_period_end: {
      conditions: wanted.atPeriodEnd.length === 0 ? '' : wanted.atPeriodEnd.map((type) => ({ type })),
    },
  }
}

// Stripe returns the products only if they are expanded.
const expand = ['features.subscription_update.products']
const listExpand = expand.map((member) => `data.${member}`)

export function portalAdapter(configurations: Stripe['billingPortal']['configurations']): KindAdapter<'portal', Live> {
  const change = (id: string, params: Stripe.BillingPortal.ConfigurationUpdateParams) => ({
    operation: 'POST /v1/billing_portal/configurations/:id',
    send: (options: Stripe.RequestOptions) => configurations.update(id, { ...params, expand }, options),
  })
  const list = (filter: Stripe.BillingPortal.ConfigurationListParams) => ({
    operation: 'GET /v1/billing_portal/configurations',
    page: (paging: Stripe.PaginationParams, options: Stripe.RequestOptions) =>
      configurations.list({ ...filter, ...paging, expand: listExpand }, options),
  })
  return {
    kind: 'portal',
    object: 'billing_portal.configuration',
    updatable: updatableFields(translations),
    create: (step) => ({
      operation: 'POST /v1/billing_portal/configurations',
      send: (options) => configurations.create({ ...newPortalParams(step), expand }, options),
    }),
    update: (step) => change(step.processorId, portalChangeParams(step)),
    archive: (id) => change(id, { active: false }),
    retrieve: (id) => ({
      operation: 'GET /v1/billing_portal/configurations/:id',
      send: (options) => configurations.retrieve(id, { expand }, options),
    }),
    search: () => list({ active: true }),
    lists: () => [list({})],
    observe: observePortal,
  }
}

export function newPortalParams(step: CreateOf<'portal'>): Stripe.BillingPortal.ConfigurationCreateParams {
  return {
    ...(creationParams(translations, step) as Pick<Stripe.BillingPortal.ConfigurationCreateParams, 'features'>),
    metadata: newMetadata(step.configId, step.fields.metadata),
  }
}

export function portalChangeParams(step: UpdateOf<'portal'>): Stripe.BillingPortal.ConfigurationUpdateParams {
  return {
    ...(step.activate ? { active: true } : {}),
    ...changeParams(translations, step.set),
    ...metadataChange(step),
  }
}

export function observePortal(live: Live): ObservedResource<'portal'> {
  const { author, mark } = splitMetadata(live.metadata)
  const { subscription_update: update } = live.features
  return {
    ...ordinary,
    ...unmanagedMembers('portal', live),
    kind: 'portal',
    processorId: processorId(live.id),
    active: live.active,
    fields: { ...readFields<'portal'>(translations, live), metadata: author },
    mark,
    created: live.created,
    ...(live.is_default ? { archivable: false as const } : {}),
    unrepresentable: reasonsIn({
      'features.subscription_update.default_allowed_updates':
        update.enabled && listOf(update.default_allowed_updates).length === 0,
    }),
    raw: live,
  }
}
