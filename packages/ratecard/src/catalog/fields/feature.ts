import type { Feature } from '../../config/schema/schema.ts'
import { rowsFor } from './field.ts'

const { required, metadata, table } = rowsFor<Feature>('entitlements/feature')

// The lookup key of a feature is set at creation and never changes, so a renamed feature keeps its original one.
export const feature = table()(
  {
    name: required('name', 'in_place'),
    metadata: metadata('metadata'),
  },
  {
    type: { value: ({ type }) => (type === 'switch' ? undefined : type), pulled: 'kept' },
    meter: { value: ({ meter }) => meter, pulled: 'kept' },
    unit: { value: ({ unit }) => unit, pulled: 'kept' },
  },
)

/** Name under which plans show the limits of a product's features, e.g. `feature_limits: {"projects": {"limit": 10}}`. */
export const featureLimits = 'feature_limits'
