import type { Feature } from '../../document/schema/schema.ts'
import { rowsFor } from './field.ts'

const { required, text, metadata, table } = rowsFor<Feature>('entitlements/feature')

export const feature = table()(
  {
    name: required('name', 'in_place'),
    // `kept`: if the document omits the lookup key, an existing feature keeps its key (even after a rename), and a new feature gets its id
    // as key.
    lookupKey: text('lookup_key', 'fixed', { leftOut: 'kept' }),
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
