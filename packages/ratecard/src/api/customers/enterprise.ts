// Operations on negotiated prices: list them, apply them to a tenant, remove them.
import { Type } from 'typebox'
import type { Price } from '../../document/schema/schema.ts'
import { dealEnds } from '../../store/records/tenants.ts'
import { TenantId } from '../notation/common.ts'
import { jobStarted } from './jobs.ts'
import { actorHeaders, customerErrors, keyErrors, keyHeader, operations, overrideQuery } from '../notation/operation.ts'
import {
  omittedIf,
  closed,
  Count,
  document,
  Moment,
  nullable,
  shape,
  sharedSchema,
  Time,
  type Inside,
} from '../notation/schema.ts'
import { Violation } from '../push/policies.ts'

const Template = Type.String({ minLength: 1, maxLength: 200, description: 'Name of an enterprise template.' })
const EnterpriseId = Type.String({ minLength: 1, maxLength: 200, description: 'An enterprise id.' })

/** Which prices items return to. */
export const DealEnd = (description: string) =>
  Type.Enum([...dealEnds], {
    description: `${description} \`base\`: the base price as it is then. \`signed\`: the price that the item was on before the deal, also if it was replaced since.`,
  })

const Unmatched = Type.Enum(['keep', 'base'], {
  default: 'keep',
  description:
    'What happens to items with a negotiated price of another deal that have no price in this deal: `keep` leaves them on it, `base` moves them to their list price.',
})
const choices = {
  unmatched: Type.Optional(Unmatched),
  ends_at: Type.Optional(
    nullable(
      Moment(
        'End of the deal (RFC 3339). The service then moves the items to the prices that `then` names. null removes the end. If omitted, a new deal has no end, and the present deal keeps its own.',
      ),
    ),
  ),
  then: Type.Optional(
    DealEnd('Which price the items return to when the deal ends. Only with `ends_at`. Default: `base`.'),
  ),
}
export const ApplyTemplate = Type.Object({ tenant_id: TenantId, enterprise_template: Template, ...choices }, closed)

export type ApplyChoices = Pick<Inside<typeof ApplyTemplate>, 'unmatched' | 'then'> & {
  /**
   * Time (epoch milliseconds) at which the deal ends; null for a deal without an end. If absent, a deal that the tenant already has keeps
   * its end.
   */
  readonly endsAt?: number | null
}

const ApplyCustom = Type.Object({ tenant_id: TenantId, enterprise_id: EnterpriseId, ...choices }, closed)

export const Effective = Type.Enum(['now', 'period_end'], {
  description:
    '`now`: the price is swapped now and first billed at the renewal. `period_end`: a schedule swaps it at the end of the period.',
})
export const Swap = shape('Swap', {
  subscription: Type.String(),
  item: Type.String(),
  from: Type.String({
    description: 'Configuration id of the price, or its processor id if it is not in the configuration.',
  }),
  to: Type.String({ description: 'Configuration id.' }),
  effective: Effective,
  former: Type.Optional(
    Type.Literal(true, {
      description: 'True if the item returns to an earlier version of the price `to`, which has been replaced since.',
    }),
  ),
})
export type SwapReport = Inside<typeof Swap>

const Skip = Type.Object(
  {
    subscription: Type.String(),
    item: nullable(Type.String()),
    price: Type.String(),
    reason: Type.String({
      description:
        'The reason as a sentence, or `on_other_deal` if the item keeps the negotiated price of another deal.',
    }),
    detail: Type.Optional(Type.String({ description: 'Explanation of the reason.' })),
  },
  closed,
)
const Monthly = Type.Array(
  Type.Object(
    {
      currency: Type.String(),
      amount: Count('Minor units.'),
      formatted: Type.String({ description: 'The amount, formatted for display.' }),
    },
    closed,
  ),
)
export const EnterpriseOutcome = shape('EnterpriseOutcome', {
  tenant_id: Type.String(),
  dry_run: omittedIf(Type.Literal(true), false),
  prices_swapped: Type.Integer({ minimum: 0, description: 'How many items moved.' }),
  swaps: Type.Array(Swap),
  skipped: Type.Array(Skip),
  left_on_other_deal: Count('Number of skipped items that keep the negotiated price of another deal.'),
  checkouts_closed: Count('Open checkout pages that were closed, because they offered the tenant’s former prices.'),
  violations: Type.Optional(
    Type.Array(sharedSchema(Violation), {
      description: 'Policies that the change breaks. Always present in a dry run, otherwise only if there are any.',
    }),
  ),
  ends_at: omittedIf(Time('Time at which the deal ends; absent if it has no end.'), null),
  then: omittedIf(DealEnd('Which price the items return to at the end; absent if the deal has no end.'), null),
  monthly: Type.Optional(
    Type.Object(
      { before: Monthly, after: Monthly },
      {
        ...closed,
        description:
          'Only in a dry run: monthly cost of the items that would move, before discounts. Items billed by usage are not included.',
      },
    ),
  ),
})
export type EnterpriseOutcome = Inside<typeof EnterpriseOutcome>

export const Coverage = shape('Coverage', {
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
              price_id: nullable(Type.String({ description: 'Id of the negotiated price; null if it is missing.' })),
            },
            closed,
          ),
        ),
      },
      closed,
    ),
  ),
  gaps: Type.Integer({ minimum: 0 }),
  without_base: Type.Array(Type.String(), {
    description: 'Negotiated prices without a base price. No subscription can be moved to them.',
  }),
})
export type Coverage = Inside<typeof Coverage>

const path = '/api/v1/billing/admin/enterprise'
const all = { tag: 'Enterprise', access: 'service_key' } as const
const prices = {
  200: {
    description: 'The prices; an empty list if no price has it.',
    schema: Type.Object({ prices: Type.Array(document<Price>('Price')) }, closed),
  },
} as const

export const enterprisePriceOperations = operations({
  listTemplatePrices: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${path}/prices/by-template/:template`,
    summary: 'List the prices of an enterprise template',
    params: { template: Type.String({ description: 'Name of the template.' }) },
    answers: prices,
  },
  listEnterprisePrices: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${path}/prices/by-id/:enterprise_id`,
    summary: 'List the prices of an enterprise id',
    params: { enterprise_id: Type.String({ description: 'The enterprise id.' }) },
    answers: prices,
  },
})

const apply = {
  ...all,
  scope: 'dry_run',
  method: 'POST',
  description: 'Nothing is charged or credited now. The new price is first billed at the renewal.',
  query: {
    dry_run: Type.Boolean({ default: false, description: 'Only preview the change: nothing is written.' }),
    ...overrideQuery,
  },
  headers: { ...keyHeader, ...actorHeaders },
  answers: {
    200: { description: 'The items that moved, and those that did not with the reason.', schema: EnterpriseOutcome },
  },
  errors: [
    'tenant_not_found',
    'enterprise_price_not_found',
    'config_not_found',
    'tenant_busy',
    'policy_denied',
    ...customerErrors,
    ...keyErrors,
  ],
} as const

export const enterpriseOperations = operations({
  applyTemplate: {
    ...apply,
    path: `${path}/apply-template`,
    summary: 'Move a tenant to the prices of a template',
    body: ApplyTemplate,
  },
  applyCustom: {
    ...apply,
    path: `${path}/apply-custom`,
    summary: 'Move a tenant to the prices of an enterprise id',
    body: ApplyCustom,
  },
  removeEnterprise: {
    ...apply,
    path: `${path}/remove`,
    summary: 'Move a tenant back to the base prices',
    body: Type.Object(
      { tenant_id: TenantId, to: Type.Optional(DealEnd('Which prices the items return to. Default: `base`.')) },
      closed,
    ),
  },
  getEnterpriseCoverage: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${path}/coverage`,
    summary: 'List the negotiated prices of each base price, and which are missing',
    answers: { 200: { description: 'The matrix.', schema: Coverage } },
    errors: ['config_not_found'],
  },
  moveTemplate: {
    ...all,
    scope: 'write',
    method: 'POST',
    path: `${path}/move-template`,
    summary: 'Apply a template again to every tenant that uses it',
    query: overrideQuery,
    headers: { ...keyHeader, ...actorHeaders },
    body: Type.Object({ enterprise_template: Template }, closed),
    answers: { 202: jobStarted },
    errors: [
      'enterprise_price_not_found',
      'config_not_found',
      'tenant_busy',
      'policy_denied',
      ...customerErrors,
      ...keyErrors,
    ],
  },
})

export type EnterpriseTarget =
  | { readonly kind: 'template'; readonly template: string }
  | { readonly kind: 'custom'; readonly enterpriseId: string }
  /** Restores the ordinary prices: the present base prices (default), or the prices that the items were on before the deal. */
  | { readonly kind: 'none'; readonly to?: (typeof dealEnds)[number] }

export type SkipReport = EnterpriseOutcome['skipped'][number]
