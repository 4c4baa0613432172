// Operations that move subscribers from a replaced price to its replacement.
import { Type } from 'typebox'
import { TenantId } from '../notation/common.ts'
import { Effective } from './enterprise.ts'
import { jobStarted } from './jobs.ts'
import { actorHeaders, customerErrors, keyErrors, keyHeader, operations, overrideQuery } from '../notation/operation.ts'
import { closed, Count, nullable, shape, sharedSchema, Time, type Inside } from '../notation/schema.ts'
import { Violation } from '../push/policies.ts'

const TenantIds = (description: string) => Type.Array(TenantId, { maxItems: 10_000, description })
export const NewMigration = shape('NewMigration', {
  price_id: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Configuration id of a price that was replaced.',
  }),
  to: Type.Optional(
    Type.String({
      maxLength: 40,
      description:
        '`renewal` (default), `now` (billed at the next renewal), or a time (RFC 3339): at the first renewal after it.',
    }),
  ),
  only: Type.Optional(TenantIds('Only these tenants.')),
  except: Type.Optional(TenantIds('Move the subscribers of all tenants except these.')),
})

export type MigrationRequest = Omit<Inside<typeof NewMigration>, 'to'> & {
  /** Time of the moves: now, at the next renewal, or at the first renewal after `at` (epoch milliseconds). */
  readonly to: 'renewal' | 'now' | { readonly at: number }
}

const Monthly = nullable(
  Type.Integer({
    description: 'Amount per month in minor units, less discounts that last; null if it depends on the usage.',
  }),
)
export const MigrationLine = shape('MigrationLine', {
  tenant_id: nullable(Type.String()),
  customer: Type.String({
    description: 'Id of the subscription at the processor; empty if the tenant has the price since it was free.',
  }),
  subscription: Type.String(),
  item: Type.String(),
  from_processor_price_id: Type.String(),
  to_processor_price_id: Type.String(),
  quantity: nullable(Type.Integer({ minimum: 0 })),
  currency: Type.String(),
  monthly_before: Monthly,
  monthly_after: Monthly,
  effective: Effective,
  effective_at: Time('Time at which the price of the subscription changes.'),
  skipped: nullable(Type.String({ description: 'Reason why the subscription is not moved; null if it is moved.' })),
})
export type MigrationLine = Inside<typeof MigrationLine>

export const MigrationPlan = shape('MigrationPlan', {
  price_id: Type.String(),
  lines: Type.Array(MigrationLine),
  violations: Type.Array(sharedSchema(Violation), { description: 'Policies that the migration breaks.' }),
  totals: Type.Array(
    Type.Object(
      {
        currency: Type.String(),
        subscriptions: Count('Number of subscriptions that move.'),
        by_usage: Count('Number of them whose amount depends on usage, before or after.'),
        before: Type.Integer({ description: 'Amount per month, in minor units, without what depends on usage.' }),
        after: Type.Integer({ description: 'Amount per month, in minor units, without what depends on usage.' }),
      },
      closed,
    ),
  ),
})
export type MigrationPlan = Inside<typeof MigrationPlan>

export const migrationOperations = operations({
  startMigration: {
    tag: 'Jobs',
    access: 'service_key',
    scope: 'dry_run',
    method: 'POST',
    path: '/api/v1/billing/admin/migrations',
    summary: 'Move subscribers of a replaced price to its current version',
    query: {
      dry_run: Type.Boolean({
        default: false,
        description: 'Only return the list and the amounts; no subscription is moved.',
      }),
      ...overrideQuery,
    },
    headers: { ...keyHeader, ...actorHeaders },
    body: NewMigration,
    bodyLimit: 4 * 1024 * 1024,
    answers: {
      200: {
        description: 'With `dry_run`: the subscriptions that would move, and what would change for them.',
        schema: MigrationPlan,
      },
      202: jobStarted,
    },
    errors: [
      'price_not_found',
      'config_not_found',
      'tenant_not_found',
      'price_not_sellable',
      'policy_denied',
      'tenant_busy',
      ...customerErrors,
      ...keyErrors,
    ],
  },
})
