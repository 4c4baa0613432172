// Service keys.
import { Type } from 'typebox'
import { idParams, operations } from './operation.ts'
import { closed, nullable, shape, Time } from './schema.ts'

const fields = {
  id: Type.String(),
  name: Type.String(),
  hint: Type.String({ description: 'The key’s last four characters.' }),
  created_at: Time('When it was made.'),
  last_used_at: nullable(Time('Its last use, to the minute.')),
  revoked_at: nullable(Time('When it was revoked.')),
}
export const ServiceKey = shape('ServiceKey', fields)
export const NewServiceKey = Type.Object(
  { ...fields, key: Type.String({ description: 'The key itself: shown this once.' }) },
  closed,
)

const path = '/api/v1/billing/admin/keys'
const all = { tag: 'Access', access: 'service_key' } as const

export const keyOperations = operations({
  createKey: {
    ...all,
    method: 'POST',
    path,
    summary: 'Create a service key',
    description: 'The key is in this answer only; what is stored is its hash.',
    body: Type.Object(
      { name: Type.String({ minLength: 1, maxLength: 100, description: 'What the key is for.' }) },
      closed,
    ),
    answers: { 201: { description: 'The key.', schema: NewServiceKey } },
  },
  listKeys: {
    ...all,
    method: 'GET',
    path,
    summary: 'Service keys, revoked ones included',
    answers: { 200: { description: 'The keys.', schema: Type.Object({ keys: Type.Array(ServiceKey) }, closed) } },
  },
  revokeKey: {
    ...all,
    method: 'DELETE',
    path: `${path}/:id`,
    summary: 'Revoke a service key',
    params: idParams,
    answers: { 204: { description: 'Revoked, at once.', schema: null } },
    errors: ['key_not_found', 'key_last'],
  },
})
