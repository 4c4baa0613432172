// Tenants, their subscriptions, sessions and checkouts on the wire: what bodies may hold and what answers look like.
import { Type } from 'typebox'
import { closed, nullable, Time } from './wire-schemas.ts'

/** Text or null in one step: a union would tell the caller of two mistakes where there is one. */
const TextOrNull = (maxLength: number, description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], minLength: 1, maxLength, description })
export const TenantId = Type.String({ minLength: 1, maxLength: 100, description: 'Id of the tenant.' })
const Url = (description: string) => Type.String({ minLength: 1, maxLength: 2000, description })
const Minor = (description: string) => Type.Integer({ description })

const tenantFields = {
  name: Type.String({ minLength: 1, maxLength: 250, description: 'As invoices and people call it.' }),
  email: TextOrNull(250, 'Where invoices go.'),
  processor_customer_id: TextOrNull(255, 'Its customer at the processor; made at the first checkout when absent.'),
}
export const NewTenantSchema = Type.Object(
  {
    id: Type.Optional(TenantId),
    name: tenantFields.name,
    email: Type.Optional(tenantFields.email),
    processor_customer_id: Type.Optional(tenantFields.processor_customer_id),
  },
  closed,
)
export const TenantChangeSchema = Type.Partial(Type.Object(tenantFields), { ...closed, minProperties: 1 })
export const TenantSchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    email: nullable(Type.String()),
    processor_customer_id: nullable(Type.String()),
    enterprise_template: nullable(Type.String({ description: 'The template that is applied.' })),
    enterprise_id: nullable(Type.String({ description: 'The enterprise id that is applied; never both.' })),
    created_at: Time('When it was made.'),
    updated_at: Time('Its last change.'),
  },
  closed,
)

const SubscriptionItem = Type.Object(
  {
    id: Type.String(),
    price_id: nullable(Type.String({ description: 'Config id; null when the price is none of ours.' })),
    processor_price_id: Type.String(),
    quantity: nullable(Type.Integer({ minimum: 0 })),
    legacy: Type.Boolean({ description: 'The price was replaced or removed since; the tenant keeps it until moved.' }),
    usage_type: Type.Enum(['licensed', 'metered']),
    current_period_end: nullable(Time('When it renews.')),
    scheduled_price_id: nullable(Type.String({ description: 'What it moves to at the end of the period.' })),
  },
  closed,
)
const Subscription = Type.Object(
  {
    id: Type.String(),
    home: Type.Enum(['processor', 'local'], { description: '`local`: a free price, kept here alone.' }),
    status: Type.String({ description: 'The processor’s word: active, trialing, past_due …' }),
    currency: nullable(Type.String()),
    cancel_at_period_end: Type.Boolean(),
    trial_end: nullable(Time('When the trial ends.')),
    created_at: Time('When it began.'),
    duplicate_of: nullable(
      Type.String({
        description: 'An earlier subscription to the same price: both are billed, and nobody asked for two.',
      }),
    ),
    items: Type.Array(SubscriptionItem),
  },
  closed,
)
const billingStatuses = ['none', 'free', 'trialing', 'active', 'past_due', 'unpaid', 'incomplete', 'paused'] as const
export const TenantSubscriptionsSchema = Type.Object(
  {
    tenant_id: Type.String(),
    billing_status: Type.Enum(billingStatuses),
    subscriptions: Type.Array(Subscription),
  },
  closed,
)

const AnyObjectOrNull = nullable(Type.Object({}, { additionalProperties: true }))
export const AuditEntrySchema = Type.Object(
  {
    id: Type.String(),
    action: Type.String(),
    before: AnyObjectOrNull,
    after: AnyObjectOrNull,
    result: AnyObjectOrNull,
    author: nullable(Type.String()),
    key_id: nullable(Type.String({ description: 'Id of the service key that acted.' })),
    request_id: nullable(Type.String()),
    created_at: Time('When it happened.'),
  },
  closed,
)

const InvoiceLines = Type.Array(
  Type.Object(
    {
      description: nullable(Type.String()),
      price_id: nullable(Type.String({ description: 'Config id; null when the price is none of ours.' })),
      processor_price_id: nullable(Type.String()),
      quantity: nullable(Type.Integer()),
      amount: Minor('Minor units.'),
      period_start: Time('Begin of the period that the line bills.'),
      period_end: Time('Its end.'),
    },
    closed,
  ),
)
const InvoiceSchema = Type.Object(
  {
    subscription: Type.String(),
    currency: Type.String(),
    subtotal: Minor('Minor units, before discounts and tax.'),
    total: Minor('Minor units.'),
    amount_due: Minor('Minor units that will be charged.'),
    due_at: nullable(Time('When it will be made.')),
    formatted: Type.String({ description: 'The amount due as people read it.' }),
    lines: InvoiceLines,
  },
  closed,
)
export const UpcomingInvoiceSchema = Type.Object(
  {
    tenant_id: Type.String(),
    currency: nullable(Type.String()),
    subtotal: nullable(Minor('Minor units, before discounts and tax.')),
    total: nullable(Minor('Minor units.')),
    amount_due: nullable(Minor('Minor units that will be charged.')),
    due_at: nullable(Time('When it will be made.')),
    formatted: nullable(Type.String({ description: 'The amount due as people read it.' })),
    lines: InvoiceLines,
    invoices: Type.Array(InvoiceSchema, { description: 'One for each subscription that will be invoiced.' }),
  },
  { ...closed, description: 'The members beside `invoices` are those of the invoice that comes first.' },
)

export const NewSessionSchema = Type.Object(
  {
    tenant_id: TenantId,
    ttl_seconds: Type.Optional(
      Type.Integer({ minimum: 60, maximum: 2_592_000, description: 'Its life; one day when absent.' }),
    ),
  },
  closed,
)
export const SessionSchema = Type.Object(
  {
    id: Type.String(),
    tenant_id: Type.String(),
    value: Type.String({ description: 'The value of the cookie `ratecard_session`: shown this once.' }),
    created_at: Time('When it was made.'),
    expires_at: Time('When it ends.'),
  },
  closed,
)

const onBehalfOf = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'Needed with a service key. A session has a tenant already and may name no other.',
  }),
)
export const NewCheckoutSchema = Type.Object(
  {
    price_id: Type.String({ minLength: 1, maxLength: 200, description: 'Config id of the price.' }),
    success_url: Url('Where the customer goes after paying; its origin must be allowed.'),
    cancel_url: Url('Where the customer goes instead; its origin must be allowed.'),
    quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Not for metered prices.' })),
    trial_period_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 730, description: 'Recurring prices only.' })),
    allow_promotion_codes: Type.Optional(Type.Boolean({ description: 'Let the customer enter a code.' })),
    promotion_code: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'The code as customers type it; with a service key its config id will do.',
      }),
    ),
    allow_duplicate: Type.Optional(
      Type.Boolean({
        description: 'Sell a recurring price also where the tenant has a live subscription to it: both are billed.',
      }),
    ),
    tenant_id: onBehalfOf,
  },
  closed,
)
export const CheckoutSchema = Type.Object(
  {
    url: Type.String({ description: 'Where to send the customer.' }),
    session_id: nullable(Type.String({ description: 'null for a free price, which needs no checkout.' })),
  },
  closed,
)

export const NewPortalSchema = Type.Object(
  { return_url: Url('Where the customer goes afterwards; its origin must be allowed.'), tenant_id: onBehalfOf },
  closed,
)
export const PortalSchema = Type.Object({ url: Type.String({ description: 'Where to send the customer.' }) }, closed)

/** Exact on both sides: a whole number, or a decimal as text. */
const UsageValue = Type.Unsafe<number | string>({
  type: ['integer', 'string'],
  minimum: 0,
  maximum: 999_999_999_999_999,
  pattern: '^\\d{1,15}(\\.\\d{1,12})?$',
  description: 'A whole number, or a decimal as text; never negative.',
})
export const NewUsageSchema = Type.Object(
  {
    meter: Type.String({ minLength: 1, maxLength: 200, description: 'Config id of the meter.' }),
    value: UsageValue,
    tenant_id: onBehalfOf,
    timestamp: Type.Optional(
      Type.String({ maxLength: 40, description: 'When it was used, RFC 3339; the moment of the call when absent.' }),
    ),
    identifier: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'The same identifier is counted once.' }),
    ),
  },
  closed,
)
export const UsageSchema = Type.Object(
  {
    meter: Type.String(),
    tenant_id: Type.String(),
    value: UsageValue,
    timestamp: nullable(Time('As given; null: the moment of the call.')),
    identifier: Type.String(),
  },
  closed,
)
