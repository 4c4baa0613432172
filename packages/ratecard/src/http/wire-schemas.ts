// What the answers look like, for OpenAPI and for the tests that hold every answer against it. The types of the functions in
// wire.ts and these schemas describe the same thing twice; the tests keep them together.
import { Type } from 'typebox'
import type { TSchema } from 'typebox'
import type { Detail } from '../service.ts'

export const closed = { additionalProperties: false } as const
/** Whole minor units as an integer, fractions as decimal text. */
const ExactMinor = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^\\d+\\.\\d+$' })], { description })
export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
export const Time = (description: string) => Type.String({ format: 'date-time', description })
const Count = (description: string) => Type.Integer({ minimum: 0, description })
const Revision = Type.Integer({ minimum: 1, description: 'Number of the accepted change: 1, 2, 3 …' })
/** A shared schema of the document, by the name of its component. */
export const ref = (name: string) => Type.Unsafe<Record<string, unknown>>({ $ref: `${name}#` })

const kinds = ['meter', 'product', 'price', 'coupon', 'promotion_code', 'webhook'] as const satisfies Detail['kind'][]
const Kind = Type.Enum(kinds, { description: 'Kind of the resource.' })
const Ids = Type.Array(Type.String(), { description: 'Configuration ids in document order.' })
const pushKinds = ['push', 'rollback', 'reset'] as const
const pushStates = ['planned', 'running', 'interrupted', 'applied', 'failed', 'abandoned'] as const
const stepStates = ['pending', 'begun', 'succeeded', 'failed', 'unknown', 'skipped'] as const

export const PushOutcomeSchema = Type.Object(
  {
    status: Type.Enum(['applied', 'unchanged', 'planned']),
    version: Type.String(),
    revision: nullable(Revision),
    push_id: nullable(Type.String()),
    changes: ref('ChangeReport'),
    details: Type.Array(ref('Detail')),
    warnings: Type.Array(ref('Issue')),
    impact: Type.Array(ref('PriceImpact')),
    writes: Count('Calls that change something at the processor.'),
    plan: Type.String({ description: 'Fingerprint of the plan, for `X-Ratecard-Plan`.' }),
  },
  closed,
)

export const PushStartedSchema = Type.Object(
  { push_id: Type.String(), state: Type.Literal('running') },
  { ...closed, description: 'The push goes on; follow it at the address in `Location`.' },
)

const summary = {
  id: Type.String(),
  kind: Type.Enum(pushKinds),
  state: Type.Enum(pushStates),
  version: Type.String(),
  revision: nullable(Revision),
  author: nullable(Type.String()),
  message: nullable(Type.String()),
  created_at: Time('When it was planned.'),
  updated_at: Time('Its last change.'),
  finished_at: nullable(Time('When it ended.')),
  steps_total: Count('Steps of the plan.'),
  steps_done: Count('Steps that are done.'),
}
export const PushSummarySchema = Type.Object(summary, closed)

const AnyObject = Type.Object({}, { additionalProperties: true })
export const PushStepSchema = Type.Object(
  {
    index: Count('Number of the step, from 0.'),
    op: Type.Enum(['create', 'update', 'archive', 'record']),
    kind: Kind,
    config_id: Type.String(),
    state: Type.Enum(stepStates),
    attempts: Count('How often it was begun.'),
    processor_id: nullable(Type.String()),
    request_id: nullable(Type.String()),
    error: nullable(AnyObject),
  },
  closed,
)
export const PushReportSchema = Type.Object(
  { ...summary, error: nullable(AnyObject), steps: Type.Array(ref('PushStep')) },
  closed,
)

export const PaginationSchema = Type.Object(
  {
    total: Count('Items in all.'),
    limit: Type.Integer({ minimum: 1, maximum: 100 }),
    offset: Count('Items skipped.'),
    has_more: Type.Boolean(),
  },
  closed,
)

export const ServedConfigSchema = Type.Object(
  {
    id: Type.String(),
    version: Type.String(),
    revision: Revision,
    created_at: Time('When the first revision was applied.'),
    updated_at: Time('When this revision was applied.'),
    config: ref('BillingConfig'),
  },
  closed,
)

export const ValidationSchema = Type.Object(
  { valid: Type.Boolean(), errors: Type.Array(ref('Issue')), warnings: Type.Array(ref('Issue')) },
  closed,
)

export const CalculationSchema = Type.Object(
  { quantity: Count('How many units.') },
  { ...closed, description: 'What to calculate.' },
)

export const CostSchema = Type.Object(
  {
    price_id: Type.String(),
    quantity: Count('As asked.'),
    currency: Type.String(),
    billing_scheme: Type.Enum(['per_unit', 'tiered']),
    tiers_mode: Type.Optional(Type.Enum(['graduated', 'volume'])),
    amount: Count('Minor units, rounded half up once, at the end.'),
    amount_decimal: Type.String({ description: 'Minor units before rounding.' }),
    effective_unit_amount: nullable(ExactMinor('Minor units per unit; null at quantity 0.')),
    formatted: Type.String({ description: 'The amount as people read it.' }),
    breakdown: Type.Array(
      Type.Object(
        {
          up_to: Type.Union([Type.Integer(), Type.Literal('inf')]),
          quantity: Count('Units of this line.'),
          unit_amount: ExactMinor('Exact, in minor units.'),
          flat_amount: ExactMinor('Exact, in minor units.'),
          amount: ExactMinor('Exact, in minor units.'),
        },
        closed,
      ),
    ),
  },
  closed,
)

export const ConversionSchema = Type.Object(
  {
    config_id: Type.String(),
    processor_id: Type.String({ description: 'The current one, also when a past one was asked for.' }),
    item_type: Kind,
    history_count: Type.Integer({
      minimum: 1,
      description: 'Entries in the mapping’s history, the current one included.',
    }),
    current: Type.Boolean({ description: 'Whether the id asked for is the current one.' }),
  },
  closed,
)

export const WebhookListingSchema = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    events: Type.Array(Type.String()),
    processor_id: nullable(Type.String()),
    secret: nullable(Type.String({ description: 'Signing secret; null when it was never told to us.' })),
    secret_known: Type.Boolean(),
    created_at: nullable(Time('When the endpoint was made.')),
  },
  closed,
)

export const PulledSchema = Type.Object(
  {
    document: ref('BillingConfig'),
    unrepresented: Type.Array(
      Type.Object({ kind: Type.String(), processor_id: Type.String(), reason: Type.String() }, closed),
    ),
  },
  closed,
)

export const DriftSchema = Type.Object(
  {
    in_sync: Type.Boolean(),
    revision: Revision,
    version: Type.String(),
    differences: Type.Array(ref('Detail')),
    unmanaged: Type.Array(
      Type.Object({ kind: Kind, processor_id: Type.String(), name: nullable(Type.String()) }, closed),
    ),
  },
  closed,
)

export const ResetSchema = Type.Object(
  {
    archived: Type.Object({ products: Ids, prices: Ids, meters: Ids, coupons: Ids, promotion_codes: Ids }, closed),
    errors: Type.Array(Type.Object({ kind: Kind, config_id: Type.String(), detail: Type.String() }, closed)),
    revision: Revision,
  },
  closed,
)
