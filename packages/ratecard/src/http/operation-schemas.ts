// Answers about the service itself: its keys, its findings, its readiness. The catalog's are in wire-schemas.ts.
import { Type } from 'typebox'
import { closed } from './wire-schemas.ts'

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
