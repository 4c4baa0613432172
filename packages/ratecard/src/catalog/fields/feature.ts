import type { Feature } from '../../config/schema/schema.ts'
import { rowsFor } from './field.ts'

const { required, metadata, table } = rowsFor<Feature>('entitlements/feature')

// The lookup key of a feature is set at creation and never changes, so a renamed feature keeps its original one.
export const feature = table()(
  {
    name: required('name', 'in_place'),
    metadata: metadata('metadata'),
  },
  {},
)
