import { isLocalPrice } from '../../document/schema/ids.ts'
import { featureIdOf, type FeatureLimit } from '../../document/schema/feature-schema.ts'
import type { Product } from '../../document/schema/schema.ts'
import { configId, type ConfigId, type ProcessorId } from '../kinds.ts'
import { featureLimits } from './feature.ts'
import { rowsFor, type WriteContext } from './field.ts'

const { field, required, text, texts, flag, orNull, metadata, table } = rowsFor<Product>('products')

const noFeatures: readonly ConfigId[] = []

export const product = table<'prices'>()(
  {
    name: required('name', 'in_place'),
    description: text('description', 'in_place'),
    type: field({
      name: 'type',
      members: ['type'],
      mutability: 'fixed',
      parameter: 'type',
      absent: 'service',
      canonical: (product) => product.type ?? 'service',
      document: (type) => ({ type }),
    }),
    taxCode: text('tax_code', 'in_place'),
    unitLabel: text('unit_label', 'in_place'),
    statementDescriptor: text('statement_descriptor', 'in_place'),
    url: text('url', 'in_place'),
    images: texts('images', 'in_place'),
    marketingFeatures: texts('marketing_features', 'in_place'),
    // Absent and false mean the same, so only `true` is a managed value.
    shippable: flag('shippable', 'in_place', false, { leftOut: 'unmanaged' }),
    packageDimensions: orNull('package_dimensions', 'in_place', { leftOut: 'unmanaged' }),
    // Attached features are separate objects at the processor that belong to the product.
    features: field({
      name: 'features',
      members: ['features'],
      mutability: 'attached',
      parameter: 'entitlement_feature',
      reference: 'feature',
      absent: [],
      leftOut: 'unmanaged',
      whole: true,
      canonical: (product): readonly ConfigId[] =>
        product.features === undefined
          ? noFeatures
          : [...new Set(product.features.map(featureIdOf))].sort().map(configId),
      document: documentFeatures,
      show: (ids) => (ids.length === 0 ? undefined : ids),
    }),
    metadata: metadata('metadata'),
    // No member of the document's product contains the default price. It is the price with `default: true`.
    defaultPrice: field({
      name: 'default_price',
      members: [],
      mutability: 'apart',
      parameter: 'default_price',
      reference: 'price',
      absent: null,
      canonical: defaultPriceOf,
      document: () => ({}),
    }),
  },
  {
    ui: { value: (product) => product.ui, pulled: 'kept' },
    subscription_group: { value: (product) => product.subscription_group, pulled: 'kept' },
    grandfather_features: { value: (product) => product.grandfather_features || undefined, pulled: 'kept' },
    // In the document, the limits are part of `features`. Here they are a separate field, because the processor stores only the ids of the
    // features.
    [featureLimits]: { value: limitsOf, pulled: 'kept' },
  },
)

/** Returns the settings of each feature limit, by feature id. Settings with their default value are omitted. */
function limitsOf({ features = [] }: Product): Readonly<Record<string, Omit<FeatureLimit, 'id'>>> | undefined {
  const limited = features.filter((entry) => typeof entry !== 'string')
  if (limited.length === 0) return undefined
  return Object.fromEntries(
    limited.map(({ id, limit, per_quantity: each, resets = 'billing_period', beyond = 'deny' }) => [
      id,
      {
        limit,
        ...(each === true && { per_quantity: true }),
        ...(resets !== 'billing_period' && { resets }),
        ...(beyond !== 'deny' && { beyond }),
      },
    ]),
  )
}

function documentFeatures(ids: readonly ProcessorId[], { names }: WriteContext): Pick<Product, 'features'> {
  const features = ids.flatMap((id) => names('feature', id) ?? [])
  return features.length === 0 ? {} : { features: features.sort() }
}

function defaultPriceOf(product: Product): ConfigId | null {
  const chosen = product.prices?.find((price) => price.default === true && !isLocalPrice(price))
  return chosen === undefined ? null : configId(chosen.id)
}
