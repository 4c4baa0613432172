// Answers about the service itself: its keys, its findings, its readiness. The catalog's are in wire-schemas.ts.
import { Type } from 'typebox'
import { closed, nullable, Time } from './wire-schemas.ts'

const Scope = Type.Enum(['read', 'write'], {
  description: '`read`: reads, validates, asks for dry runs, sees no webhook secrets. `write`: everything.',
})

export const NewServiceKeyBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, description: 'What the key is for.' }),
    scope: Type.Optional(Scope),
    expires_at: Type.Optional(
      Type.String({ maxLength: 100, description: 'From then on it is refused. RFC 3339. Default: never.' }),
    ),
  },
  closed,
)

const serviceKey = {
  id: Type.String(),
  name: Type.String(),
  hint: Type.String({ description: 'The key’s last four characters.' }),
  scope: Scope,
  created_at: Time('When it was made.'),
  expires_at: nullable(Time('When it ends.')),
  last_used_at: nullable(Time('Its last use, to the minute.')),
  revoked_at: nullable(Time('When it was revoked.')),
}
export const ServiceKeySchema = Type.Object(serviceKey, closed)
export const NewServiceKeySchema = Type.Object(
  { ...serviceKey, key: Type.String({ description: 'The key itself: shown this once.' }) },
  closed,
)

export const FindingSchema = Type.Object(
  {
    check: Type.String(),
    status: Type.Enum(['ok', 'warning', 'problem']),
    detail: Type.String(),
    hint: Type.Optional(Type.String()),
  },
  closed,
)

const Check = Type.Object({ ok: Type.Boolean(), detail: Type.String() }, closed)
export const ReadinessSchema = Type.Object(
  { ready: Type.Boolean(), checks: Type.Object({ store: Check, processor: Check, workers: Check }, closed) },
  closed,
)
