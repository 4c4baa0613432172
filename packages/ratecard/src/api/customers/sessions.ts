// Operations on tenant sessions. A service key creates a session, which is valid for checkout, portal and usage of one tenant.
import { Type } from 'typebox'
import { sessionSeconds } from '../server/limits.ts'
import { TenantId } from '../notation/common.ts'
import { idParams, operations } from '../notation/operation.ts'
import { closed, shape, Time, type Inside } from '../notation/schema.ts'

export const Session = shape('Session', {
  id: Type.String(),
  tenant_id: Type.String(),
  value: Type.String({
    description: 'The value of the cookie `ratecard_session` (over TLS `__Host-ratecard_session`): shown this once.',
  }),
  created_at: Time('Time of creation.'),
  expires_at: Time('Time at which the session ends.'),
})

/** A session without its secret value, which is returned only when the session is created. */
export type Session = Omit<Inside<typeof Session>, 'value'>

const path = '/api/v1/billing/admin/sessions'
const all = { tag: 'Access', access: 'service_key', scope: 'write' } as const

export const sessionOperations = operations({
  createSession: {
    ...all,
    method: 'POST',
    path,
    summary: 'Create a session for a tenant',
    description: 'The value appears only in this response; the service stores its hash.',
    body: Type.Object(
      {
        tenant_id: TenantId,
        ttl_seconds: Type.Optional(
          Type.Integer({
            minimum: 60,
            maximum: 2_592_000,
            description: `Lifetime of the session in seconds. Default: ${sessionSeconds.toLocaleString('en')} (one day).`,
          }),
        ),
      },
      closed,
    ),
    answers: {
      201: {
        description: 'The session.',
        schema: Session,
        headers: {
          'Set-Cookie': {
            type: 'string',
            description:
              '`ratecard_session` (over TLS `__Host-ratecard_session`), for browsers that call by themselves.',
          },
        },
      },
    },
    errors: ['tenant_not_found', 'secret_unreadable'],
  },
  revokeSession: {
    ...all,
    method: 'DELETE',
    path: `${path}/:id`,
    summary: 'End a session',
    params: idParams,
    answers: { 204: { description: 'The session was ended and is invalid from now on.', schema: null } },
    errors: ['session_not_found'],
  },
})

/**
 * Caller of a checkout, portal or usage request, with its tenant. A session belongs to one tenant; a caller with a service key names the
 * tenant.
 */
export type Principal =
  | { readonly kind: 'session'; readonly session: Session }
  | { readonly kind: 'key'; readonly keyId: string; readonly tenantId: string | null }
