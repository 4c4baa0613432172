// Schemas that several resources share.
import { Type } from 'typebox'
import { resourceKinds } from '../../catalog/kinds.ts'
import { changeKinds } from '../../store/records/configuration.ts'
import { stepStates } from '../../store/records/journal.ts'
import { choice, Count, nullable, shape, Time } from './schema.ts'

export const ResourceKind = choice('ResourceKind', resourceKinds, 'Kind of the resource.')

export const Revision = Type.Integer({ minimum: 1, description: 'Number of the accepted change: 1, 2, 3 …' })

export const By = shape(
  'By',
  {
    key_id: Type.String({ description: 'Id of the service key.' }),
    key_name: Type.String({ description: 'Name of the key at that time.' }),
  },
  'The service key of the action. The author is only what the caller claimed; the key was verified.',
)

export const Ids = Type.Array(Type.String(), { description: 'Configuration ids in document order.' })

export const PushKind = choice('PushKind', changeKinds)

/** State of a step of a push or a job. */
export const StepState = choice('StepState', stepStates)

/** Members of the journal that pushes and jobs share. */
export const journalled = {
  author: nullable(Type.String()),
  by: nullable(By),
  message: nullable(Type.String()),
  created_at: Time('When the push or job was accepted.'),
  updated_at: Time('Time of the last change.'),
  finished_at: nullable(Time('Time at which it ended; null if it has not ended.')),
  steps_total: Count('Total number of steps.'),
  steps_done: Count('Steps that are done.'),
}

export const TenantId = Type.String({ minLength: 1, maxLength: 100, description: 'Id of the tenant.' })

export const Pagination = shape('Pagination', {
  total: Count('Total number of items.'),
  limit: Type.Integer({ minimum: 1, maximum: 100 }),
  offset: Count('Items skipped.'),
  has_more: Type.Boolean(),
})
