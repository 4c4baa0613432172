// Operations on negotiated prices: list them, apply them to a tenant, remove them.
import { Type } from 'typebox'
import type { Price } from '../config/schema/schema.ts'
import { TenantId } from './notation/common.ts'
import { jobStarted } from './jobs.ts'
import { actorHeaders, customerErrors, keyErrors, keyHeader, operations } from './notation/operation.ts'
import { absent, closed, Count, document, nullable, shape } from './notation/schema.ts'

const Template = Type.String({ minLength: 1, maxLength: 200, description: 'Name of an enterprise template.' })
const EnterpriseId = Type.String({ minLength: 1, maxLength: 200, description: 'An enterprise id.' })

const Unmatched = Type.Enum(['keep', 'base'], {
  default: 'keep',
  description:
    'For items whose price belongs to another deal and that have no price in this one: whether they keep that price or return to their base price.',
})
export const ApplyTemplate = Type.Object(
  { tenant_id: TenantId, enterprise_template: Template, unmatched: Type.Optional(Unmatched) },
  closed,
)
const ApplyCustom = Type.Object(
  { tenant_id: TenantId, enterprise_id: EnterpriseId, unmatched: Type.Optional(Unmatched) },
  closed,
)

export const Effective = Type.Enum(['now', 'period_end'], {
  description: '`now`: first billed at the renewal. `period_end`: a schedule changes it then.',
})
export const Swap = shape('Swap', {
  subscription: Type.String(),
  item: Type.String(),
  from: Type.String({ description: 'Config id, or the processor id of a price that is not in the config.' }),
  to: Type.String({ description: 'Config id.' }),
  effective: Effective,
})
const Skip = Type.Object(
  {
    subscription: Type.String(),
    item: nullable(Type.String()),
    price: Type.String(),
    reason: Type.String({
      description:
        'The reason as a sentence, or `on_other_deal`: the item stays on the price of another deal, with its discount.',
    }),
    detail: Type.Optional(Type.String({ description: 'Explanation of the reason.' })),
  },
  closed,
)
export const EnterpriseOutcome = shape('EnterpriseOutcome', {
  tenant_id: Type.String(),
  dry_run: absent(Type.Literal(true), false),
  prices_swapped: Type.Integer({ minimum: 0, description: 'How many items moved.' }),
  swaps: Type.Array(Swap),
  skipped: Type.Array(Skip),
  left_on_other_deal: Count('How many of the skipped stay on the price of another deal.'),
  checkouts_closed: Count('Open checkout pages that sold what the tenant would have paid before, and are closed now.'),
})

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
})

const path = '/api/v1/billing/admin/enterprise'
const all = { tag: 'Enterprise', access: 'service_key' } as const
const prices = {
  200: {
    description: 'The prices; none when nothing carries it.',
    schema: Type.Object({ prices: Type.Array(document<Price>('Price')) }, closed),
  },
} as const

export const enterprisePriceOperations = operations({
  listTemplatePrices: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${path}/prices/by-template/:template`,
    summary: 'Prices of an enterprise template',
    params: { template: Type.String({ description: 'Name of the template.' }) },
    answers: prices,
  },
  listEnterprisePrices: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${path}/prices/by-id/:enterprise_id`,
    summary: 'Prices of an enterprise id',
    params: { enterprise_id: Type.String({ description: 'The enterprise id.' }) },
    answers: prices,
  },
})

const apply = {
  ...all,
  scope: 'dry_run',
  method: 'POST',
  description: 'Nothing is charged or credited now: the new price is first billed at the renewal.',
  query: { dry_run: Type.Boolean({ default: false, description: 'Only preview: nothing is written.' }) },
  headers: { ...keyHeader, ...actorHeaders },
  answers: { 200: { description: 'What moved and what did not.', schema: EnterpriseOutcome } },
  errors: [
    'tenant_not_found',
    'enterprise_price_not_found',
    'config_not_found',
    'tenant_busy',
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
    body: Type.Object({ tenant_id: TenantId }, closed),
  },
  getEnterpriseCoverage: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${path}/coverage`,
    summary: 'Which base prices have which enterprise prices, and the gaps',
    answers: { 200: { description: 'The matrix.', schema: Coverage } },
    errors: ['config_not_found'],
  },
  moveTemplate: {
    ...all,
    scope: 'write',
    method: 'POST',
    path: `${path}/move-template`,
    summary: 'Apply a template again to every tenant that uses it',
    headers: { ...keyHeader, ...actorHeaders },
    body: Type.Object({ enterprise_template: Template }, closed),
    answers: { 202: jobStarted },
    errors: ['enterprise_price_not_found', 'config_not_found', 'tenant_busy', ...customerErrors, ...keyErrors],
  },
})
