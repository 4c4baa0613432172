// Operations on service keys.
import { Type } from 'typebox'
import { idParams, KeyScope, operations } from '../notation/operation.ts'
import { closed, nullable, shape, Time, type Inside } from '../notation/schema.ts'

const fields = {
  id: Type.String(),
  name: Type.String(),
  hint: Type.String({ description: 'The key’s last four characters.' }),
  scope: KeyScope,
  created_at: Time('Time of creation.'),
  expires_at: nullable(Time('Time at which the key expires; null means never.')),
  last_used_at: nullable(Time('Time of the last use of the key, to the minute.')),
  revoked_at: nullable(Time('Time at which the key was revoked; null if it was not.')),
}
export const ServiceKey = shape('ServiceKey', fields)
export type ServiceKey = Inside<typeof ServiceKey>

export const NewServiceKey = Type.Object(
  { ...fields, key: Type.String({ description: 'The key itself. It is shown only in this response.' }) },
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
        name: Type.String({ minLength: 1, maxLength: 100, description: 'Purpose of the key.' }),
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
    summary: 'List all service keys, including revoked ones',
    answers: { 200: { description: 'The keys.', schema: Type.Object({ keys: Type.Array(ServiceKey) }, closed) } },
  },
  revokeKey: {
    ...all,
    method: 'DELETE',
    scope: 'write',
    path: `${path}/:id`,
    summary: 'Revoke a service key',
    params: idParams,
    answers: { 204: { description: 'The key was revoked and is invalid from now on.', schema: null } },
    errors: ['key_not_found', 'key_last', 'last_owner_key'],
  },
})
