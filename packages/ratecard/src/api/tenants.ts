// Operations on tenants: their data, subscriptions, upcoming invoices and audit log.
import { Type } from 'typebox'
import { billingStatuses } from '../store/records/billing-status.ts'
import { By, Pagination, TenantId } from './notation/common.ts'
import {
  actorHeaders,
  customerErrors,
  idParams,
  keyErrors,
  keyHeader,
  operations,
  pageQuery,
} from './notation/operation.ts'
import { named } from './notation/marks.ts'
import { MoneyOf, perhapsMirrored } from './notation/mirrored.ts'
import { AnyObject, choice, closed, Count, Moment, nullable, shape, Time } from './notation/schema.ts'
import { DroppedUsage } from './usage.ts'

/** Text or null. The schema is no union, because an invalid value would then produce an error for each branch. */
const TextOrNull = (maxLength: number, description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], minLength: 1, maxLength, description })

const editable = {
  name: Type.String({ minLength: 1, maxLength: 250, description: 'Name of the tenant, which its invoices show too.' }),
  email: TextOrNull(250, 'Where invoices go.'),
  processor_customer_id: TextOrNull(255, 'Its customer at the processor. Without one, the first checkout creates it.'),
}
export const NewTenant = shape('NewTenant', {
  id: Type.Optional(TenantId),
  name: editable.name,
  email: Type.Optional(editable.email),
  processor_customer_id: Type.Optional(editable.processor_customer_id),
})
export const TenantChange = Type.Partial(Type.Object(editable), {
  ...closed,
  minProperties: 1,
  [named]: 'TenantChange',
})
export const Tenant = shape('Tenant', {
  id: Type.String(),
  name: Type.String(),
  email: nullable(Type.String()),
  processor_customer_id: nullable(Type.String()),
  enterprise_template: nullable(Type.String({ description: 'The template that is applied.' })),
  enterprise_id: nullable(Type.String({ description: 'The enterprise id that is applied; never both.' })),
  created_at: Time('Time of creation.'),
  updated_at: Time('Its last change.'),
})

export const BillingStatus = choice(
  'BillingStatus',
  billingStatuses,
  'One status for all subscriptions of the tenant. A debt takes precedence over running subscriptions.',
)
/**
 * Members that are read from the mirror, which is the store's copy of the processor's data. All are left out while the mirror is off or not
 * complete.
 */
const billing = {
  billing_status: Type.Optional(BillingStatus),
  products: Type.Optional(
    Type.Array(Type.String(), { description: 'Config ids of the prices that it is subscribed to, sorted by id.' }),
  ),
  monthly: Type.Optional(MoneyOf('Its part of the MRR.')),
  owed: Type.Optional(MoneyOf('What its open invoices still ask.')),
  legacy_items: Type.Optional(Count('Subscription items on an earlier generation of their price.')),
}
export const ListedTenant = shape('ListedTenant', { ...Tenant.properties, ...billing })
export const TenantList = shape('TenantList', {
  ...perhapsMirrored,
  tenants: Type.Array(ListedTenant),
  pagination: Pagination,
})

export const SubscriptionItem = shape('SubscriptionItem', {
  id: Type.String(),
  price_id: nullable(Type.String({ description: 'Config id; null when the price is not in the config.' })),
  processor_price_id: Type.String(),
  quantity: nullable(Type.Integer({ minimum: 0 })),
  legacy: Type.Boolean({ description: 'The price was replaced or removed since; the tenant keeps it until moved.' }),
  usage_type: Type.Enum(['licensed', 'metered']),
  current_period_end: nullable(Time('When it renews.')),
  scheduled_price_id: nullable(
    Type.String({ description: 'Config id of the price to which the item moves at the end of the period.' }),
  ),
})
export const Subscription = shape('Subscription', {
  id: Type.String(),
  home: Type.Enum(['processor', 'local'], { description: '`local`: a free price, which only Ratecard stores.' }),
  status: Type.String({ description: 'Status at the processor: active, trialing, past_due …' }),
  currency: nullable(Type.String()),
  cancel_at_period_end: Type.Boolean(),
  trial_end: nullable(Time('When the trial ends.')),
  created_at: Time('When it began.'),
  duplicate_of: nullable(
    Type.String({
      description:
        'An earlier subscription to the same product or `subscription_group`: both are billed, probably by mistake.',
    }),
  ),
  items: Type.Array(SubscriptionItem),
})
export const TenantSubscriptions = shape('TenantSubscriptions', {
  tenant_id: Type.String(),
  billing_status: BillingStatus,
  ...perhapsMirrored,
  subscriptions: Type.Array(Subscription),
})

/** A usage value without loss of precision: a whole number, or a decimal as text, e.g. `"0.25"`. */
const Amount = (description: string) =>
  Type.Unsafe<number | string>({ type: ['integer', 'string'], pattern: String.raw`^-?\d+(\.\d+)?$`, description })
const Limit = (description: string) =>
  Type.Unsafe<number | 'unlimited'>({ anyOf: [{ type: 'integer', minimum: 0 }, { const: 'unlimited' }], description })

const checkedMembers = {
  allowed: Type.Boolean({ description: 'Whether the tenant may use `requested` more.' }),
  reason: nullable(Type.Enum(['not_included', 'limit_reached'], { description: 'Why not; null when it may.' })),
  feature: Type.String({ description: 'Config id of the feature.' }),
  type: Type.Enum(['switch', 'limit', 'metered']),
  limit: nullable(Limit('How much the tenant has; 0 when it does not have the feature; null for a switch.')),
  used: nullable(
    Amount('For a `limit` the number in the request, for a `metered` feature the reported usage; null if unknown.'),
  ),
  remaining: nullable(Amount('`"unlimited"`, or `limit` less `used`, never negative; null if `used` is null.')),
  resets_at: nullable(Time('When the usage is reset to zero; null if it is never reset.')),
  beyond: nullable(
    Type.Enum(['deny', 'allow'], { description: 'Whether more than the limit is allowed; null for a switch.' }),
  ),
  offered_by: Type.Array(Type.String(), {
    description: 'Config ids of public prices with which the feature would be allowed; empty if it is allowed already.',
  }),
}

export const FeatureCheck = shape('FeatureCheck', { ...checkedMembers, ...perhapsMirrored })

export const Entitlements = shape('Entitlements', {
  ...perhapsMirrored,
  features: Type.Array(
    Type.Object(
      {
        id: Type.String({ description: 'Config id of the feature.' }),
        name: Type.String({ description: 'Name of the feature in the configuration.' }),
        ...checkedMembers,
      },
      closed,
    ),
    { description: 'What the tenant may use now, by id.' },
  ),
})

const grantMembers = {
  limit: Type.Optional(Limit('How many; on top of what was bought, unless `replace` is true.')),
  enabled: Type.Optional(
    Type.Boolean({ description: 'true: the tenant has the feature; false: it does not have it, whatever it bought.' }),
  ),
  replace: Type.Optional(
    Type.Boolean({ description: 'The grant takes the place of what was bought. Default false: it is on top of it.' }),
  ),
  note: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'For yourself.' })),
}
export const NewGrant = shape('NewGrant', {
  ...grantMembers,
  ends_at: Type.Optional(Moment('When the grant ends. Absent: it does not end.')),
})
export const Grant = shape('Grant', {
  feature: Type.String({ description: 'Config id of the feature.' }),
  limit: nullable(Limit('null: the grant does not change the limit.')),
  enabled: nullable(Type.Boolean({ description: 'null: the grant does not switch the feature.' })),
  replace: Type.Boolean(),
  ends_at: nullable(Time('When it ends, or ended; null: never.')),
  note: nullable(Type.String()),
  created_at: Time('When it was given.'),
})
export const Grants = shape('Grants', {
  grants: Type.Array(Grant, { description: 'All grants of the tenant, by feature; ended ones too.' }),
})

export const AuditEntry = shape('AuditEntry', {
  id: Type.String(),
  action: Type.String(),
  before: nullable(AnyObject),
  after: nullable(AnyObject),
  result: nullable(AnyObject),
  author: nullable(Type.String()),
  by: nullable(By),
  key_id: nullable(Type.String({ description: 'Id of the service key that acted.' })),
  request_id: nullable(Type.String()),
  created_at: Time('When it happened.'),
})
export const Audit = shape('Audit', { entries: Type.Array(AuditEntry), pagination: Pagination })

const Minor = (description: string) => Type.Integer({ description })
export const InvoiceLine = shape('InvoiceLine', {
  description: nullable(Type.String()),
  price_id: nullable(Type.String({ description: 'Config id; null when the price is not in the config.' })),
  processor_price_id: nullable(Type.String()),
  quantity: nullable(Type.Integer()),
  amount: Minor('Minor units.'),
  period_start: Time('Begin of the period that the line bills.'),
  period_end: Time('Its end.'),
})
const invoice = {
  currency: Type.String(),
  subtotal: Minor('Minor units, before discounts and tax.'),
  total: Minor('Minor units.'),
  amount_due: Minor('Minor units that will be charged.'),
  due_at: nullable(Time('When it will be created.')),
  formatted: Type.String({ description: 'The amount due as people read it.' }),
  lines: Type.Array(InvoiceLine),
}
export const Invoice = shape('Invoice', { subscription: Type.String(), ...invoice })
export const UpcomingInvoice = shape(
  'UpcomingInvoice',
  {
    tenant_id: Type.String(),
    currency: nullable(invoice.currency),
    subtotal: nullable(invoice.subtotal),
    total: nullable(invoice.total),
    amount_due: nullable(invoice.amount_due),
    due_at: invoice.due_at,
    formatted: nullable(invoice.formatted),
    lines: invoice.lines,
    invoices: Type.Array(Invoice, { description: 'One for each subscription that will be invoiced.' }),
    dropped_usage: nullable(
      Type.Array(DroppedUsage, {
        description:
          'Dropped usage that has an example of this tenant: the amounts do not include it. null if the processor’s reports could not be read.',
      }),
    ),
  },
  'The members beside `invoices` are those of the invoice that comes first.',
)

const path = '/api/v1/billing/admin/tenants'
const all = { tag: 'Tenants', access: 'service_key' } as const
const grantParams = {
  ...idParams,
  feature: Type.String({ minLength: 1, maxLength: 200, description: 'Config id of the feature.' }),
}
const tenantAnswer = { 200: { description: 'The tenant.', schema: Tenant } } as const
const filter = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 255, description }))

export const tenantOperations = operations({
  createTenant: {
    ...all,
    scope: 'write',
    method: 'POST',
    path,
    summary: 'Create a tenant',
    headers: { ...keyHeader, ...actorHeaders },
    body: NewTenant,
    answers: {
      201: {
        description: 'The tenant.',
        schema: Tenant,
        headers: { Location: { type: 'string', description: 'Where it is.' } },
      },
    },
    errors: ['conflict', ...keyErrors],
  },
  listTenants: {
    ...all,
    scope: 'read',
    method: 'GET',
    path,
    summary: 'Tenants: searched, filtered and sorted',
    description:
      'Filters add up. `state`, `price_id`, `product_id`, `legacy`, `owing` and sorting by money need the mirror: 503 `mirror_filling` until it is complete, 409 `mirror_off` without it. Other lists still work then, without `as_of` and the members that need it.',
    query: {
      ...pageQuery,
      q: filter('Part of id, name, e-mail or customer id, in any case, with or without accents.'),
      state: Type.Optional(choice('BillingStatus', BillingStatus.enum, 'Only tenants with this `billing_status`.')),
      price_id: filter('Only tenants that are subscribed to this price, on any generation of it.'),
      product_id: filter('Only tenants that are subscribed to a price of this product.'),
      legacy: Type.Boolean({
        default: false,
        description: 'Only tenants with an item on an earlier generation of its price.',
      }),
      owing: Type.Boolean({ default: false, description: 'Only tenants that owe something.' }),
      sort: Type.Enum(['id', 'name', 'created_at', 'monthly', 'owed'], {
        default: 'id',
        description: 'Tenants that are equal in it are by id. Money is compared without regard to the currency.',
      }),
      order: Type.Enum(['asc', 'desc'], { default: 'asc', description: 'Direction of `sort`.' }),
      processor_customer_id: filter('Only the tenant of this customer at the processor.'),
      enterprise_template: filter('Only tenants that have this template.'),
      enterprise_id: filter('Only tenants that have this enterprise id.'),
    },
    answers: { 200: { description: 'A page of tenants.', schema: TenantList } },
    errors: ['mirror_filling', 'mirror_off'],
  },
  getTenant: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${path}/:id`,
    summary: 'A tenant',
    params: idParams,
    answers: tenantAnswer,
    errors: ['tenant_not_found'],
  },
  updateTenant: {
    ...all,
    scope: 'write',
    method: 'PATCH',
    path: `${path}/:id`,
    summary: 'Change a tenant',
    description:
      'Another customer (or none) is refused while the present one has live subscriptions or enterprise pricing; its checkout pages that can still be paid are closed. It stays at the processor as it is.',
    params: idParams,
    headers: actorHeaders,
    body: TenantChange,
    answers: tenantAnswer,
    errors: ['tenant_not_found', 'conflict', 'tenant_busy', ...customerErrors],
  },
  removeTenant: {
    ...all,
    scope: 'write',
    method: 'DELETE',
    path: `${path}/:id`,
    summary: 'Remove a tenant',
    description:
      'Refused while the tenant has live subscriptions. Its sessions end, and its checkout pages that can still be paid are closed. Its audit log is kept, and its customer at the processor is not changed.',
    params: idParams,
    headers: actorHeaders,
    answers: { 204: { description: 'Removed.', schema: null } },
    errors: ['tenant_not_found', 'conflict', 'tenant_busy', ...customerErrors],
  },
  listTenantSubscriptions: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${path}/:id/subscriptions`,
    summary: 'What a tenant is subscribed to now, by config price id',
    params: idParams,
    answers: { 200: { description: 'The subscriptions.', schema: TenantSubscriptions } },
    errors: ['tenant_not_found', ...customerErrors],
  },
  cancelSubscription: {
    ...all,
    scope: 'write',
    method: 'DELETE',
    path: `${path}/:id/subscriptions/:subscription`,
    summary: 'End a tenant’s subscription to a free price',
    description:
      'Now, with a line in the audit trail. A subscription of the processor is 409 `conflict`: its customer cancels it in the portal. A paid subscription that the tenant buys through a checkout ends its free ones by itself.',
    params: { ...idParams, subscription: Type.String({ minLength: 1, maxLength: 255, description: 'Its id.' }) },
    headers: actorHeaders,
    answers: { 204: { description: 'Ended.', schema: null } },
    errors: ['tenant_not_found', 'subscription_not_found', 'conflict', 'tenant_busy'],
  },
  listGrants: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${path}/:id/grants`,
    summary: 'Features that were granted to a tenant by hand',
    params: idParams,
    answers: { 200: { description: 'The grants.', schema: Grants } },
    errors: ['tenant_not_found'],
  },
  putGrant: {
    ...all,
    scope: 'write',
    method: 'PUT',
    path: `${path}/:id/grants/:feature`,
    summary: 'Give a tenant more of a feature, or another limit',
    description: 'Counts from now on, and takes the place of an earlier grant of the same feature.',
    params: grantParams,
    headers: actorHeaders,
    body: NewGrant,
    answers: { 200: { description: 'The grant.', schema: Grant } },
    errors: ['tenant_not_found', 'feature_not_found', 'config_not_found'],
  },
  removeGrant: {
    ...all,
    scope: 'write',
    method: 'DELETE',
    path: `${path}/:id/grants/:feature`,
    summary: 'Take a grant back',
    params: grantParams,
    headers: actorHeaders,
    answers: { 204: { description: 'The tenant has what it bought.', schema: null } },
    errors: ['tenant_not_found', 'grant_not_found'],
  },
  getTenantEntitlements: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${path}/:id/entitlements`,
    summary: 'The features that a tenant may use',
    description:
      'What its live subscriptions and its free prices give, by the ids of `features` in the configuration: for each feature the members of a check.',
    params: idParams,
    answers: { 200: { description: 'The features.', schema: Entitlements } },
    errors: ['tenant_not_found', ...customerErrors],
  },
  getUpcomingInvoice: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${path}/:id/upcoming-invoice`,
    summary: 'What a tenant will be invoiced next',
    params: idParams,
    answers: { 200: { description: 'The processor’s preview.', schema: UpcomingInvoice } },
    errors: ['tenant_not_found', ...customerErrors],
  },
  listTenantAudit: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${path}/:id/audit`,
    summary: 'Changes to a tenant, newest first',
    params: idParams,
    query: pageQuery,
    answers: { 200: { description: 'A page of the trail.', schema: Audit } },
    errors: ['tenant_not_found'],
  },
})
