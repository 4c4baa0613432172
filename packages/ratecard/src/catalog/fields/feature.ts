import type { Feature } from '../../config/schema/schema.ts'
import { rowsFor } from './field.ts'

const { required, metadata, table } = rowsFor<Feature>('entitlements/feature')

// Its lookup key is given at creation and never changes: a renamed feature keeps the one it has.
export const feature = table()(
  {
    name: required('name', 'in_place'),
    metadata: metadata('metadata'),
  },
  {},
)
