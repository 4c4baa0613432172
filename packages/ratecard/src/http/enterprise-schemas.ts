// Negotiated prices, migrations and the jobs that carry them out, on the wire.
import { Type } from 'typebox'
import { TenantId } from './tenant-schemas.ts'
import { closed, nullable, Time } from './wire-schemas.ts'

export const Template = Type.String({ minLength: 1, maxLength: 200, description: 'Name of an enterprise template.' })
const EnterpriseId = Type.String({ minLength: 1, maxLength: 200, description: 'An enterprise id.' })
const Unmatched = Type.Enum(['keep', 'base'], {
  default: 'keep',
  description: 'Items on another deal that have no price in this one: they keep it, or go back to their base price.',
})
export const ApplyTemplateSchema = Type.Object(
  { tenant_id: TenantId, enterprise_template: Template, unmatched: Type.Optional(Unmatched) },
  closed,
)
export const ApplyCustomSchema = Type.Object(
  { tenant_id: TenantId, enterprise_id: EnterpriseId, unmatched: Type.Optional(Unmatched) },
  closed,
)
export const RemoveEnterpriseSchema = Type.Object({ tenant_id: TenantId }, closed)
export const MoveTemplateSchema = Type.Object({ enterprise_template: Template }, closed)

const Effective = Type.Enum(['now', 'period_end'], {
  description: '`now`: first billed at the renewal. `period_end`: a schedule changes it then.',
})
export const EnterpriseOutcomeSchema = Type.Object(
  {
    tenant_id: Type.String(),
    dry_run: Type.Optional(Type.Literal(true)),
    prices_swapped: Type.Integer({ minimum: 0, description: 'How many items moved.' }),
    swaps: Type.Array(
      Type.Object(
        {
          subscription: Type.String(),
          item: Type.String(),
          from: Type.String({ description: 'Config id, or the processor id of a price that is none of ours.' }),
          to: Type.String({ description: 'Config id.' }),
          effective: Effective,
        },
        closed,
      ),
    ),
    skipped: Type.Array(
      Type.Object(
        {
          subscription: Type.String(),
          item: nullable(Type.String()),
          price: Type.String(),
          reason: Type.String({
            description: 'A sentence, or `on_other_deal`: it stays on the price of another deal, discount and all.',
          }),
          detail: Type.Optional(Type.String({ description: 'What is behind a reason that is one word.' })),
        },
        closed,
      ),
    ),
    left_on_other_deal: Type.Integer({
      minimum: 0,
      description: 'How many of the skipped stay on the price of another deal.',
    }),
    checkouts_closed: Type.Integer({
      minimum: 0,
      description: 'Open checkout pages that sold what the tenant would have paid before, and are closed now.',
    }),
  },
  closed,
)

export const CoverageSchema = Type.Object(
  {
    templates: Type.Array(Type.String()),
    enterprise_ids: Type.Array(Type.String()),
    rows: Type.Array(
      Type.Object(
        {
          base_price_id: Type.String(),
          cells: Type.Array(
            Type.Object(
              {
                target: Type.String({ description: '`template:<name>` or `id:<enterprise id>`.' }),
                price_id: nullable(Type.String({ description: 'null is a gap.' })),
              },
              closed,
            ),
          ),
        },
        closed,
      ),
    ),
    gaps: Type.Integer({ minimum: 0 }),
    without_base: Type.Array(Type.String(), { description: 'Listed, never swapped to.' }),
  },
  closed,
)

export const jobKinds = ['enterprise_apply', 'template_move', 'migration'] as const
const jobStates = ['running', 'waiting', 'interrupted', 'done', 'failed', 'cancelled'] as const
const stepStates = ['pending', 'begun', 'succeeded', 'failed', 'unknown', 'skipped'] as const
const Count = (description: string) => Type.Integer({ minimum: 0, description })
const AnyObject = Type.Object({}, { additionalProperties: true })

const job = {
  id: Type.String(),
  kind: Type.Enum(jobKinds),
  subject: Type.String({ description: 'What it is about: a tenant, a template, a price.' }),
  state: Type.Enum(jobStates, {
    description: '`waiting`: the rest must wait for a date, and is done then. `interrupted`: until it is resumed.',
  }),
  resumes_at: nullable(Time('When a waiting job goes on.')),
  author: nullable(Type.String()),
  message: nullable(Type.String()),
  created_at: Time('When it was journalled.'),
  updated_at: Time('Its last change.'),
  finished_at: nullable(Time('When it ended.')),
  steps_total: Count('Steps of the job.'),
  steps_done: Count('Steps that are done.'),
}
export const JobSchema = Type.Object(job, closed)
export const JobReportSchema = Type.Object(
  {
    ...job,
    input: AnyObject,
    error: nullable(AnyObject),
    steps: Type.Array(
      Type.Object(
        {
          index: Count('Number of the step, from 0.'),
          state: Type.Enum(stepStates),
          attempts: Count('How often it was begun.'),
          step: AnyObject,
          result: nullable(AnyObject),
          error: nullable(AnyObject),
        },
        closed,
      ),
    ),
  },
  closed,
)

const TenantIds = (description: string) => Type.Array(TenantId, { maxItems: 10_000, description })
export const NewMigrationSchema = Type.Object(
  {
    price_id: Type.String({ minLength: 1, maxLength: 200, description: 'Config id of a price that was replaced.' }),
    to: Type.Optional(
      Type.String({
        maxLength: 40,
        description:
          '`renewal` (default), `now` (billed at the next renewal), or a time (RFC 3339): at the first renewal after it.',
      }),
    ),
    only: Type.Optional(TenantIds('Only these tenants.')),
    except: Type.Optional(TenantIds('All but these tenants.')),
  },
  closed,
)

const Monthly = (description: string) => nullable(Type.Integer({ description }))
export const MigrationPlanSchema = Type.Object(
  {
    price_id: Type.String(),
    lines: Type.Array(
      Type.Object(
        {
          tenant_id: nullable(Type.String()),
          customer: Type.String(),
          subscription: Type.String(),
          item: Type.String(),
          from_processor_price_id: Type.String(),
          to_processor_price_id: Type.String(),
          quantity: nullable(Type.Integer({ minimum: 0 })),
          currency: Type.String(),
          monthly_before: Monthly('Minor units a month; null where it depends on usage.'),
          monthly_after: Monthly('Minor units a month; null where it depends on usage.'),
          effective: Effective,
          effective_at: Time('When the price changes.'),
          skipped: nullable(Type.String({ description: 'Why it stays where it is; null when it moves.' })),
        },
        closed,
      ),
    ),
    totals: Type.Array(
      Type.Object(
        {
          currency: Type.String(),
          subscriptions: Count('Subscriptions that move.'),
          before: Type.Integer({ description: 'Minor units a month.' }),
          after: Type.Integer({ description: 'Minor units a month.' }),
        },
        closed,
      ),
    ),
  },
  closed,
)
