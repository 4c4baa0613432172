// Operations on service keys.
import { Type } from 'typebox'
import { idParams, KeyScope, operations } from './notation/operation.ts'
import { closed, nullable, shape, Time } from './notation/schema.ts'

const fields = {
  id: Type.String(),
  name: Type.String(),
  hint: Type.String({ description: 'The key’s last four characters.' }),
  scope: KeyScope,
  created_at: Time('Time of creation.'),
  expires_at: nullable(Time('When it ends.')),
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
    description: 'The key appears only in this response; the service stores its hash.',
    body: Type.Object(
      {
        name: Type.String({ minLength: 1, maxLength: 100, description: 'What the key is for.' }),
        scope: Type.Optional(KeyScope),
        expires_at: Type.Optional(
          Type.String({
            maxLength: 100,
            description: 'From this time on, the key is refused. RFC 3339. Default: never.',
          }),
        ),
      },
      closed,
    ),
    scope: 'write',
    answers: { 201: { description: 'The key.', schema: NewServiceKey } },
  },
  listKeys: {
    ...all,
    method: 'GET',
    scope: 'read',
    path,
    summary: 'Service keys, revoked ones included',
    answers: { 200: { description: 'The keys.', schema: Type.Object({ keys: Type.Array(ServiceKey) }, closed) } },
  },
  revokeKey: {
    ...all,
    method: 'DELETE',
    scope: 'write',
    path: `${path}/:id`,
    summary: 'Revoke a service key',
    params: idParams,
    answers: { 204: { description: 'Revoked, at once.', schema: null } },
    errors: ['key_not_found', 'key_last'],
  },
})
