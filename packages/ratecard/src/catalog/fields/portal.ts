import type { Portal, PortalFeatures } from '../../document/schema/schema.ts'
import { configId, type ConfigId, type ProcessorId, type ResourceKind } from '../kinds.ts'
import type { PortalPrices, SubscriptionUpdate } from '../kinds.ts'
import { rowsFor, Unrepresentable, type WriteContext } from './field.ts'

const { field, text, metadata, table } = rowsFor<Portal>('customer_portal/configurations')

type Feature<Name extends keyof PortalFeatures> = NonNullable<PortalFeatures[Name]>
type Listed = Exclude<Feature<'subscription_update'>['products'], string>[number]

/**
 * Canonical values of portal features. The value of a feature that is off is null. Lists are sorted, because their order has no meaning.
 */
export interface CustomerUpdate {
  readonly allowedUpdates: readonly Feature<'customer_update'>['allowed_updates'][number][]
}
export interface SubscriptionCancel {
  readonly mode: NonNullable<Feature<'subscription_cancel'>['mode']>
  readonly prorationBehavior: NonNullable<Feature<'subscription_cancel'>['proration_behavior']>
  /** Reasons to choose from; null if the page does not ask for one. */
  readonly reasons:
    readonly NonNullable<Feature<'subscription_cancel'>['cancellation_reason']>['options'][number][] | null
}
/** Returns the listed feature; undefined if it is off. */
function featureIn<Name extends keyof PortalFeatures>({ features }: Portal, name: Name): Feature<Name> | undefined {
  const feature = features[name] as Feature<Name> | undefined
  return feature === undefined || (feature as { readonly enabled?: boolean }).enabled === false ? undefined : feature
}

/** Returns a feature as a member of the document; no member if it is off. */
function featureOf(name: keyof PortalFeatures, value: object | null): Pick<Portal, 'features'> {
  return { features: value === null ? {} : { [name]: { enabled: true, ...value } } }
}

const sortedUnique = <Text extends string>(texts: readonly Text[]): readonly Text[] => [...new Set(texts)].sort()

export const byProduct = (one: { readonly product: string }, other: { readonly product: string }) =>
  one.product < other.product ? -1 : 1

const featureRow = <const Name extends keyof PortalFeatures>(name: Name) =>
  ({
    name: `features.${name}`,
    members: ['features'],
    mutability: 'in_place',
    parameter: `features-${name}`,
    whole: true,
  }) as const

function isListed(name: 'invoice_history' | 'payment_method_update') {
  return field({
    ...featureRow(name),
    absent: false,
    canonical: (portal): boolean => featureIn(portal, name) !== undefined,
    document: (enabled) => featureOf(name, enabled ? {} : null),
  })
}

export const portal = table()(
  {
    headline: text('headline', 'in_place', { parameter: 'business_profile-headline' }),
    privacyPolicyUrl: text('privacy_policy_url', 'in_place', { parameter: 'business_profile-privacy_policy_url' }),
    termsOfServiceUrl: text('terms_of_service_url', 'in_place', { parameter: 'business_profile-terms_of_service_url' }),
    returnUrl: text('return_url', 'in_place', { parameter: 'default_return_url' }),
    loginPage: field({
      name: 'login_page',
      members: ['login_page'],
      mutability: 'in_place',
      parameter: 'login_page',
      absent: false,
      canonical: (portal): boolean => portal.login_page?.enabled ?? false,
      document: (enabled) => (enabled ? { login_page: { enabled } } : {}),
    }),
    customerUpdate: field({
      ...featureRow('customer_update'),
      absent: null,
      canonical: (portal): CustomerUpdate | null => {
        const feature = featureIn(portal, 'customer_update')
        return feature === undefined ? null : { allowedUpdates: sortedUnique(feature.allowed_updates) }
      },
      document: (feature) => featureOf('customer_update', feature && { allowed_updates: [...feature.allowedUpdates] }),
      show: (feature) => feature?.allowedUpdates,
    }),
    invoiceHistory: isListed('invoice_history'),
    paymentMethodUpdate: isListed('payment_method_update'),
    subscriptionCancel: field({
      ...featureRow('subscription_cancel'),
      absent: null,
      canonical: (portal): SubscriptionCancel | null => canonicalCancel(featureIn(portal, 'subscription_cancel')),
      document: (feature) => featureOf('subscription_cancel', feature && documentCancel(feature)),
      show: (feature) => (feature === null ? undefined : documentCancel(feature)),
    }),
    subscriptionUpdate: field({
      ...featureRow('subscription_update'),
      absent: null,
      refer: (feature: SubscriptionUpdate<string> | null, to: (kind: ResourceKind, id: string) => string) =>
        mapReferences(feature, to),
      canonical: (portal): SubscriptionUpdate | null => canonicalUpdate(featureIn(portal, 'subscription_update')),
      document: (feature, writing) =>
        featureOf('subscription_update', feature && documentUpdate(withNames(feature, writing))),
      show: (feature) => (feature === null ? undefined : documentUpdate(feature)),
    }),
    metadata: metadata('metadata'),
  },
  {
    default: { value: (portal) => portal.default === true, pulled: 'kept' },
    sessions: { value: (portal) => portal.sessions === true || undefined, pulled: 'kept' },
  },
)

function canonicalCancel(feature: Feature<'subscription_cancel'> | undefined): SubscriptionCancel | null {
  if (feature === undefined) return null
  const { mode = 'at_period_end', proration_behavior: prorationBehavior = 'none', cancellation_reason: asks } = feature
  return {
    mode,
    prorationBehavior,
    reasons: asks === undefined || asks.enabled === false ? null : sortedUnique(asks.options),
  }
}

function documentCancel({ mode, prorationBehavior, reasons }: SubscriptionCancel): Feature<'subscription_cancel'> {
  return {
    mode,
    ...(prorationBehavior === 'none' ? {} : { proration_behavior: prorationBehavior }),
    ...(reasons === null ? {} : { cancellation_reason: { enabled: true, options: [...reasons] } }),
  }
}

function canonicalUpdate(feature: Feature<'subscription_update'> | undefined): SubscriptionUpdate | null {
  if (feature === undefined) return null
  // `"public"` was replaced by its products when the document was read.
  const products = typeof feature.products === 'string' ? [] : feature.products
  return {
    allowedUpdates: sortedUnique(feature.default_allowed_updates),
    products: products.map(canonicalProduct).sort(byProduct),
    prorationBehavior: feature.proration_behavior ?? 'none',
    billingCycleAnchor: feature.billing_cycle_anchor ?? 'unchanged',
    trialUpdateBehavior: feature.trial_update_behavior ?? 'end_trial',
    atPeriodEnd: sortedUnique((feature.schedule_at_period_end?.conditions ?? []).map(({ type }) => type)),
  }
}

/** Default limits of an adjustable quantity at the processor. */
const [leastQuantity, mostQuantity] = [1, 99]

function canonicalProduct({ product, prices, adjustable_quantity: quantity }: Listed): PortalPrices<ConfigId> {
  return {
    product: configId(product),
    prices: sortedUnique(prices).map(configId),
    quantity:
      quantity?.enabled === true
        ? { minimum: quantity.minimum ?? leastQuantity, maximum: quantity.maximum ?? mostQuantity }
        : null,
  }
}

function documentUpdate(feature: SubscriptionUpdate<string>): Feature<'subscription_update'> {
  const { allowedUpdates, products, prorationBehavior, billingCycleAnchor, trialUpdateBehavior, atPeriodEnd } = feature
  return {
    default_allowed_updates: [...allowedUpdates],
    products: products.map(({ product, prices, quantity }) => ({
      product,
      prices: [...prices],
      ...(quantity === null ? {} : { adjustable_quantity: documentQuantity(quantity) }),
    })),
    ...(prorationBehavior === 'none' ? {} : { proration_behavior: prorationBehavior }),
    ...(billingCycleAnchor === 'unchanged' ? {} : { billing_cycle_anchor: billingCycleAnchor }),
    ...(trialUpdateBehavior === 'end_trial' ? {} : { trial_update_behavior: trialUpdateBehavior }),
    ...(atPeriodEnd.length === 0
      ? {}
      : { schedule_at_period_end: { conditions: atPeriodEnd.map((type) => ({ type })) } }),
  }
}

function documentQuantity({ minimum, maximum }: NonNullable<PortalPrices<string>['quantity']>) {
  return { enabled: true, minimum, ...(maximum === null ? {} : { maximum }) }
}

/** Replaces the ids of products and prices. */
function mapReferences<From extends string, To extends string>(
  feature: SubscriptionUpdate<From> | null,
  to: (kind: ResourceKind, id: From) => To,
): SubscriptionUpdate<To> | null {
  if (feature === null) return null
  const products = feature.products.map(({ product, prices, quantity }) => ({
    product: to('product', product),
    prices: prices.map((price) => to('price', price)).sort(),
    quantity,
  }))
  return { ...feature, products: products.sort(byProduct) }
}

function withNames(feature: SubscriptionUpdate<ProcessorId>, { names }: WriteContext): SubscriptionUpdate<string> {
  const name = (kind: ResourceKind, id: ProcessorId): string => {
    const known = names(kind, id)
    if (known === undefined) throw new Unrepresentable(`its ${kind} ${id} is archived or cannot be expressed`)
    return known
  }
  return mapReferences(feature, name) ?? feature
}
