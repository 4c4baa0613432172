// Schemas of the differences between two documents, or between a document and the processor.
import { Type } from 'typebox'
import { resourceKinds } from '../../catalog/kinds.ts'
import { Ids, ResourceKind } from '../notation/common.ts'
import { AnyValue, asWritten, choice, closed, nullable, shape } from '../notation/schema.ts'

const created = { created: Ids, updated: Ids, archived: Ids }

/**
 * Change report of a push, in the form of the product specification. Its names are snake_case in the code too, so they are not converted.
 */
export const ChangeReport = asWritten(
  shape(
    'ChangeReport',
    {
      products: Type.Object(created, closed),
      prices: Type.Object(created, closed),
      features: Type.Object(created, closed),
      meters: Type.Object({ created: Ids, updated: Ids, deactivated: Ids }, closed),
      webhooks: Type.Object({ created: Ids, updated: Ids, unchanged: Ids }, closed),
      coupons: Type.Object(created, closed),
      promotion_codes: Type.Object(created, closed),
      tax_rates: Type.Object(created, closed),
      portal: Type.Object(created, closed),
    },
    'Changes that a push makes, by configuration id.',
  ),
)

const difference = {
  field: Type.String({ description: 'Name of the field in the document.' }),
  before: AnyValue('Value of the field; null if it is absent.'),
  after: AnyValue('Value of the field; null if it is absent.'),
}
export const Display = shape(
  'Display',
  { before: nullable(Type.String()), after: nullable(Type.String()) },
  'The resource as one readable line, before and after the change.',
)
export const FieldChange = shape('FieldChange', {
  ...difference,
  origin: Type.Enum(['edit', 'drift', 'both'], {
    description: 'Origin of the change: an edit of the document, an edit at the processor, or both.',
  }),
})
export const ChangeAction = choice('ChangeAction', [
  'create',
  'adopt',
  'update',
  'rename',
  'replace',
  'reactivate',
  'archive',
  'keep',
])
export const Detail = shape('Detail', {
  kind: ResourceKind,
  config_id: Type.String(),
  action: ChangeAction,
  because: Type.Array(Type.String(), { description: 'Names of the fields that differ.' }),
  fields: Type.Array(FieldChange),
  processor_id_before: nullable(Type.String()),
  processor_id_after: nullable(Type.String()),
  display: Display,
})

const differenceActions = ['create', 'update', 'rename', 'replace', 'archive'] as const
export const DocumentDifference = shape('DocumentDifference', {
  kind: Type.Enum([...resourceKinds, 'tax'], {
    description: 'Kind of the resource; `tax` for the tax settings of the document.',
  }),
  config_id: Type.String(),
  change: Type.Enum(['added', 'changed', 'removed']),
  action: choice(
    'DifferenceAction',
    differenceActions,
    'What a push does for this difference, in the words of a plan. `replace`: a field changed that the processor does not allow to change.',
  ),
  fields: Type.Array(Type.Object(difference, closed)),
  display: Display,
})
