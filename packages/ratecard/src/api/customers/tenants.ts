// Operations on tenants: their data, subscriptions, upcoming invoices and audit log.
import { Type } from 'typebox'
import { DealEnd } from './enterprise.ts'
import { billingStatuses } from '../../store/records/billing-status.ts'
import { By, Pagination, TenantId } from '../notation/common.ts'
import {
  actorHeaders,
  customerErrors,
  idParams,
  keyErrors,
  keyHeader,
  operations,
  pageQuery,
  type QueryOf,
} from '../notation/operation.ts'
import { named } from '../notation/marks.ts'
import { CreditBalance } from './credits.ts'
import { MoneyOf, mirroredOrAsked, perhapsDeleted, perhapsMirrored } from '../notation/mirrored.ts'
import { AnyObject, choice, closed, Count, Moment, nullable, shape, Time, type Inside } from '../notation/schema.ts'
import { UpcomingInvoice } from './upcoming-invoices.ts'
import type { PageQuery } from '../../store/records/page.ts'

/** Text or null. The schema is no union, because an invalid value would then produce an error for each branch. */
const TextOrNull = (maxLength: number, description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], minLength: 1, maxLength, description })

const editable = {
  name: Type.String({ minLength: 1, maxLength: 250, description: 'Name of the tenant, also shown on its invoices.' }),
  email: TextOrNull(250, 'Where invoices go.'),
  processor_customer_id: TextOrNull(
    255,
    'Id of the tenant’s customer at the processor. If null, the first checkout creates one.',
  ),
}
export const NewTenant = shape('NewTenant', {
  id: Type.Optional(TenantId),
  name: editable.name,
  email: Type.Optional(editable.email),
  processor_customer_id: Type.Optional(editable.processor_customer_id),
})
export type NewTenant = Inside<typeof NewTenant>

export const TenantChange = Type.Partial(Type.Object(editable), {
  ...closed,
  minProperties: 1,
  [named]: 'TenantChange',
})
export type TenantChange = Inside<typeof TenantChange>

export const Tenant = shape('Tenant', {
  id: Type.String(),
  name: Type.String(),
  email: nullable(Type.String()),
  processor_customer_id: nullable(Type.String()),
  enterprise_template: nullable(Type.String({ description: 'Enterprise template that is applied to the tenant.' })),
  enterprise_id: nullable(
    Type.String({
      description: 'Enterprise id that is applied to the tenant. A tenant has either a template or an enterprise id.',
    }),
  ),
  enterprise_ends_at: nullable(Time('Time at which the negotiated prices end; null if they have no end.')),
  enterprise_then: nullable(DealEnd('Which price the items return to at the end.')),
  created_at: Time('Time of creation.'),
  updated_at: Time('Time of the last change.'),
})
export type Tenant = Inside<typeof Tenant>

export const BillingStatus = choice(
  'BillingStatus',
  billingStatuses,
  'Combined status of all subscriptions of the tenant. `past_due` and `unpaid` take precedence over running subscriptions.',
)
/**
 * Members that are read from the mirror, which is the store's copy of the processor's data. All are left out while the mirror is off or not
 * complete.
 */
const billing = {
  billing_status: Type.Optional(BillingStatus),
  products: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Configuration ids of the products that the tenant is subscribed to, sorted.',
    }),
  ),
  monthly: Type.Optional(MoneyOf('MRR of the tenant: what all its subscriptions add up to in a month.')),
  owed: Type.Optional(MoneyOf('Amount that the tenant owes on open invoices.')),
  legacy_items: Type.Optional(Count('Number of subscription items that pay an earlier price.')),
}
const standing = {
  subscriptions: Type.Optional(
    Count('Number of subscriptions that have not ended, including subscriptions to free prices.'),
  ),
  paused_subscriptions: Type.Optional(
    Count(
      'Number of subscriptions whose invoices are paused (`pause_collection`). The processor still reports them as e.g. `active`, and so does `billing_status`.',
    ),
  ),
  ending_subscriptions: Type.Optional(Count('Number of subscriptions whose end is planned.')),
  ends_at: Type.Optional(nullable(Time('When the first of these ends; null if none ends.'))),
}
export const ListedTenant = shape('ListedTenant', { ...Tenant.properties, ...billing, ...standing })
export type ListedTenant = Inside<typeof ListedTenant>

export const TenantList = shape('TenantList', {
  ...perhapsMirrored,
  tenants: Type.Array(ListedTenant),
  pagination: Pagination,
})

export const SubscriptionItem = shape('SubscriptionItem', {
  id: Type.String(),
  price_id: nullable(
    Type.String({ description: 'Configuration id of the price; null if it is not in the configuration.' }),
  ),
  processor_price_id: Type.String(),
  quantity: nullable(Type.Integer({ minimum: 0 })),
  legacy: Type.Boolean({
    description: 'True if the price has been replaced or removed. The tenant keeps it until it is moved.',
  }),
  usage_type: Type.Enum(['licensed', 'metered']),
  current_period_end: nullable(Time('Time at which the subscription renews.')),
  scheduled_price_id: nullable(
    Type.String({ description: 'Configuration id of the price that the item moves to at the end of the period.' }),
  ),
})
/** Paused collection of a subscription's invoices. The subscription keeps its status meanwhile. */
export const Pause = nullable(
  Type.Object(
    {
      behavior: Type.String({
        description: 'What happens to invoices during the pause: void, keep_as_draft or mark_uncollectible.',
      }),
      until: nullable(Time('Time at which the collection of invoices resumes automatically.')),
    },
    closed,
  ),
)
export const Subscription = shape('Subscription', {
  id: Type.String(),
  home: Type.Enum(['processor', 'local'], { description: '`local`: a free price, which only Ratecard stores.' }),
  status: Type.String({ description: 'Status at the processor: active, trialing, past_due …' }),
  currency: nullable(Type.String()),
  cancel_at_period_end: Type.Boolean(),
  cancel_at: nullable(Time('Time at which the subscription will be cancelled.')),
  pause: Pause,
  scheduled: nullable(
    Type.Object(
      {
        at: Time('Time at which the change begins.'),
        items: Type.Array(
          Type.Object(
            {
              price_id: nullable(
                Type.String({ description: 'Configuration id of the price; null if it is not in the configuration.' }),
              ),
              processor_price_id: Type.String(),
              quantity: nullable(Type.Integer({ minimum: 0 })),
            },
            closed,
          ),
        ),
      },
      { ...closed, description: 'Items that the subscription will have after the scheduled change.' },
    ),
  ),
  trial_end: nullable(Time('Time at which the trial ends.')),
  created_at: Time('Time at which the subscription began.'),
  duplicate_of: nullable(
    Type.String({
      description:
        'Id of an earlier subscription to the same product or `subscription_group`. Both are billed, probably by mistake.',
    }),
  ),
  items: Type.Array(SubscriptionItem),
})
export type TenantSubscription = Inside<typeof Subscription>

export const TenantSubscriptions = shape('TenantSubscriptions', {
  tenant_id: Type.String(),
  billing_status: BillingStatus,
  balance: Type.Optional(
    MoneyOf(
      'Balance of the customer, which pays its next invoices; negative if the customer owes it. Left out if the mirror does not know the customer.',
    ),
  ),
  ...perhapsDeleted,
  ...perhapsMirrored,
  subscriptions: Type.Array(Subscription),
})

export type TenantSubscriptions = Omit<Inside<typeof TenantSubscriptions>, 'tenantId'>

/** A usage value without loss of precision: a whole number, or a decimal as text, e.g. `"0.25"`. */
const Amount = (description: string) =>
  Type.Unsafe<number | string>({ type: ['integer', 'string'], pattern: String.raw`^-?\d+(\.\d+)?$`, description })
const Limit = (description: string) =>
  Type.Unsafe<number | 'unlimited'>({ anyOf: [{ type: 'integer', minimum: 0 }, { const: 'unlimited' }], description })

const checkedMembers = {
  allowed: Type.Boolean({ description: 'Whether the tenant may use `requested` more.' }),
  reason: nullable(
    Type.Enum(['not_included', 'limit_reached'], { description: 'Reason why the tenant may not; null if it may.' }),
  ),
  feature: Type.String({ description: 'Id of the feature in your configuration.' }),
  type: Type.Enum(['switch', 'limit', 'metered']),
  limit: nullable(Limit('Limit of the tenant; 0 if it does not have the feature; null for a switch.')),
  used: nullable(
    Amount('For a `limit` the number in the request, for a `metered` feature the reported usage; null if unknown.'),
  ),
  remaining: nullable(Amount('`limit` minus `used` (never negative), or `"unlimited"`; null if `used` is null.')),
  resets_at: nullable(Time('When the usage is reset to zero; null if it is never reset.')),
  beyond: nullable(
    Type.Enum(['deny', 'allow'], { description: 'Whether more than the limit is allowed; null for a switch.' }),
  ),
  offered_by: Type.Array(Type.String(), {
    description:
      'Configuration ids of public prices with which the feature would be allowed; empty if it is allowed already.',
  }),
}

export const FeatureCheck = shape('FeatureCheck', { ...checkedMembers, ...mirroredOrAsked })
export type CheckedFeature = Inside<typeof FeatureCheck>

export const Entitlements = shape('Entitlements', {
  ...perhapsMirrored,
  features: Type.Array(
    Type.Object(
      {
        id: Type.String({ description: 'Id of the feature in your configuration.' }),
        name: Type.String({ description: 'Name of the feature in the configuration.' }),
        ...checkedMembers,
      },
      closed,
    ),
    { description: 'What the tenant may use now, by id.' },
  ),
  credits: Type.Optional(CreditBalance),
})
export type Entitlements = Inside<typeof Entitlements>

const grantMembers = {
  limit: Type.Optional(Limit('Granted limit. It is added to the limit that was bought, unless `replace` is true.')),
  enabled: Type.Optional(
    Type.Boolean({
      description: 'true: the tenant has the feature. false: it does not have the feature, even if it bought it.',
    }),
  ),
  replace: Type.Optional(
    Type.Boolean({
      description: 'If true, the granted limit replaces the limit that was bought. Default: false, it is added.',
    }),
  ),
  note: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'For yourself.' })),
}
export const NewGrant = shape('NewGrant', {
  ...grantMembers,
  ends_at: Type.Optional(Moment('Time at which the grant ends. Default: it does not end.')),
})

export type NewGrant = Omit<Inside<typeof NewGrant>, 'endsAt'> & { readonly endsAt?: number }

export const Grant = shape('Grant', {
  feature: Type.String({ description: 'Id of the feature in your configuration.' }),
  limit: nullable(Limit('null: the grant does not change the limit.')),
  enabled: nullable(Type.Boolean({ description: 'null: the grant does not switch the feature on or off.' })),
  replace: Type.Boolean(),
  ends_at: nullable(Time('Time at which the grant ends or ended; null means never.')),
  note: nullable(Type.String()),
  created_at: Time('Time at which the grant was given.'),
})
export type Grant = Inside<typeof Grant>

export const Grants = shape('Grants', {
  grants: Type.Array(Grant, { description: 'All grants of the tenant, sorted by feature, including ended ones.' }),
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
  created_at: Time('Time of the change.'),
})
export type AuditEntry = Inside<typeof AuditEntry>

export const Audit = shape('Audit', { entries: Type.Array(AuditEntry), pagination: Pagination })

const path = '/api/v1/billing/admin/tenants'
const all = { tag: 'Tenants', access: 'service_key' } as const
const grantParams = {
  ...idParams,
  feature: Type.String({ minLength: 1, maxLength: 200, description: 'Id of the feature in your configuration.' }),
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
    errors: ['conflict', 'customer_ambiguous', ...keyErrors],
  },
  listTenants: {
    ...all,
    scope: 'read',
    method: 'GET',
    path,
    summary: 'List tenants, with search, filters and order',
    description:
      'A tenant is listed if it matches all filters. `state`, `price_id`, `product_id`, `legacy`, `owing` and sorting by money need the mirror: until it is complete they return 503 `mirror_filling`, and without it 409 `mirror_off`. Other requests work without the mirror, but their response lacks `as_of` and the members that need it.',
    query: {
      ...pageQuery,
      q: filter('Part of id, name, e-mail or customer id, in any case, with or without accents.'),
      state: Type.Optional(choice('BillingStatus', BillingStatus.enum, 'Only tenants with this `billing_status`.')),
      price_id: filter('Only tenants that are subscribed to this price, including its earlier prices.'),
      product_id: filter('Only tenants that are subscribed to a price of this product.'),
      legacy: Type.Boolean({
        default: false,
        description: 'Only tenants with an item on an earlier price.',
      }),
      owing: Type.Boolean({ default: false, description: 'Only tenants that owe something.' }),
      sort: Type.Enum(['id', 'name', 'created_at', 'monthly', 'owed'], {
        default: 'id',
        description:
          'Order of the list; tenants with equal values are sorted by id. Amounts are compared as numbers, regardless of the currency.',
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
      'The customer cannot be changed or removed while it has live subscriptions or negotiated prices. Otherwise its open checkout pages are closed, and the former customer stays unchanged at the processor.',
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
      'Refused while the tenant has live subscriptions. Its sessions end, and its open checkout pages are closed. Its audit log is kept, and its customer at the processor is not changed.',
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
    summary: 'List the subscriptions of a tenant, with configuration ids of their prices',
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
      'Ends the free subscription immediately, with an entry in the audit log. A subscription that the processor bills is refused (409 `conflict`): cancel it with `POST subscription/cancel`. If the tenant buys a paid subscription, its free ones end automatically.',
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
    summary: 'List the features that were granted to a tenant by hand',
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
    description: 'The grant takes effect immediately, and replaces an earlier grant of the same feature.',
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
    summary: 'Remove a grant',
    params: grantParams,
    headers: actorHeaders,
    answers: { 204: { description: 'The grant is removed; the tenant has only what it bought.', schema: null } },
    errors: ['tenant_not_found', 'grant_not_found'],
  },
  getTenantEntitlements: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${path}/:id/entitlements`,
    summary: 'List the features that a tenant may use',
    description:
      'Lists the features of the tenant’s live subscriptions and free prices, by their ids in the configuration. Each feature has the same members as a check.',
    params: idParams,
    answers: { 200: { description: 'The features.', schema: Entitlements } },
    errors: ['tenant_not_found', ...customerErrors],
  },
  getUpcomingInvoice: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${path}/:id/upcoming-invoice`,
    summary: 'Preview the next invoice of a tenant',
    params: idParams,
    answers: { 200: { description: 'The processor’s preview.', schema: UpcomingInvoice } },
    errors: ['tenant_not_found', ...customerErrors],
  },
  listTenantAudit: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${path}/:id/audit`,
    summary: 'List the changes to a tenant, newest first',
    params: idParams,
    query: pageQuery,
    answers: { 200: { description: 'A page of the audit log.', schema: Audit } },
    errors: ['tenant_not_found'],
  },
})

/** Query of `GET tenants`: filters and order, see api/customers/ts. */
export type TenantQuery = PageQuery & Partial<QueryOf<typeof tenantOperations.listTenants>>

/**
 * A question about a feature: the amount that a tenant wants to use. `used` (the amount in use now) applies only to features of type
 * `limit`.
 */
export interface FeatureQuestion {
  readonly feature: string
  readonly used?: number
  readonly requested?: number
}
