// Operations that change what a tenant has: preview, change, cancel, resume and pause.
import { Type } from 'typebox'
import { defaultProration, previewMinutes } from '../server/limits.ts'
import { MoneyOf } from '../notation/mirrored.ts'
import { customerErrors, keyErrors, keyHeader, operations } from '../notation/operation.ts'
import { closed, Moment, nullable, shape, Time, type Inside } from '../notation/schema.ts'
import { tenant_id } from './checkout.ts'
import { Subscription } from './tenants.ts'
import { InvoiceLine, paidByBalance } from './upcoming-invoices.ts'

const subscription = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Id of the subscription. Required only if the tenant has several.',
  }),
)

const ChangeItem = shape('ChangeItem', {
  price_id: Type.String({ minLength: 1, maxLength: 200, description: 'Configuration id of the price.' }),
  quantity: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Not for metered prices. Default: the quantity of the replaced item, or 1.',
    }),
  ),
})

const asked = {
  subscription,
  items: Type.Array(ChangeItem, {
    maxItems: 20,
    description:
      'All prices that the tenant will have of the product or subscription group of `replaces`. Its other items stay.',
  }),
  replaces: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Configuration id of a price that the subscription has. Optional if `items` alone makes clear what is replaced, or if the subscription has items of one group.',
    }),
  ),
  when: Type.Optional(
    Type.Enum(['auto', 'now', 'period_end'], {
      description:
        '`auto` (default): a change that costs at least as much per month takes effect now, a cheaper one at the end of the period. A session may pass `now` only for a change that costs at least as much, and begins a new period (another interval) only if no such change began the current one; otherwise `auto` waits for its end.',
    }),
  ),
  proration: Type.Optional(
    Type.Enum(['prorate', 'none'], {
      description: `\`prorate\` charges and credits the rest of the period; \`none\` does neither, and needs a service key. Default: \`${defaultProration}\`.`,
    }),
  ),
  to_current: Type.Optional(
    Type.Boolean({
      description:
        'True moves the items to the prices that the tenant would buy now. By default, another quantity of what the tenant has keeps its price: an earlier one, or that of a deal. What is scheduled stays scheduled, with the new quantity.',
    }),
  ),
  promotion_code: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description:
        'Promotion code that applies from the change on, in addition to running discounts: the code as customers type it or, with a service key, its configuration id.',
    }),
  ),
  tenant_id,
}

export const NewPreview = shape('NewPreview', asked)
export const NewChange = shape('NewChange', {
  ...asked,
  preview: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'Id of the preview that the customer saw, so that the change costs exactly that. Required with a session.',
    }),
  ),
})

export type NewChange = Omit<Inside<typeof NewChange>, 'tenantId'>

const PlacedItem = shape('PlacedItem', {
  price_id: nullable(
    Type.String({ description: 'Configuration id of the price; null if it is not in the configuration.' }),
  ),
  processor_price_id: Type.String(),
  quantity: nullable(Type.Integer({ minimum: 0 })),
})

const money = {
  amount: Type.Integer({ description: 'Minor units.' }),
  currency: Type.String(),
  formatted: Type.String({ description: '`amount`, formatted for display.' }),
}

/** An invoice of a change: what is charged, and what pays the rest. */
const invoiced = {
  ...money,
  amount: Type.Integer({ description: 'Minor units that are charged: after credit and balance.' }),
  credit_applied: Type.Integer({ description: 'Part that credit grants pay, in minor units.' }),
  ...paidByBalance,
}

const NextInvoice = shape('NextInvoice', {
  at: nullable(Time('Time at which the invoice will be created.')),
  ...invoiced,
  lines: Type.Array(InvoiceLine),
})

const shown = {
  subscription: Type.String({ description: 'Id of the subscription.' }),
  when: Type.Enum(['now', 'period_end']),
  effective_at: Time('Time at which the change takes effect.'),
  before: Type.Array(PlacedItem, { description: 'Items of the subscription before the change.' }),
  after: Type.Array(PlacedItem, { description: 'Items of the subscription after the change.' }),
  due_now: Type.Object(invoiced, { ...closed, description: 'Amount of the invoice for the change.' }),
  next_invoice: nullable(NextInvoice),
  monthly: Type.Object(
    {
      before: MoneyOf(
        'Monthly cost of the items before the change, less discounts that last, without usage and taxes.',
      ),
      after: MoneyOf('Monthly cost of the items after the change.'),
    },
    closed,
  ),
  warnings: Type.Array(
    Type.Object({ code: Type.String(), detail: Type.String({ description: 'For people.' }) }, closed),
  ),
}

export const ChangePreview = shape('ChangePreview', {
  preview: Type.String({
    description: `Id of this preview. A change with this id within ${previewMinutes} minutes costs exactly what the preview shows.`,
  }),
  ...shown,
})
export type ChangePreview = Inside<typeof ChangePreview>

export const ChangeOutcome = shape('ChangeOutcome', {
  preview: nullable(Type.String({ description: 'Id of the preview that the change followed.' })),
  ...shown,
  status: Type.Enum(['changed', 'scheduled', 'payment_required'], {
    description: '`payment_required`: nothing is changed until the customer pays at `url`.',
  }),
  url: Type.Optional(Type.String({ description: 'URL at which the customer pays the invoice for the change.' })),
})
export type ChangeOutcome = Inside<typeof ChangeOutcome>

export const NewCancellation = shape('NewCancellation', {
  subscription,
  when: Type.Optional(
    Type.Enum(['period_end', 'now'], {
      description:
        'Default: `period_end`. `now` needs a service key; it refunds nothing, and bills the usage of the period.',
    }),
  ),
  reason: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: 'Comment that is stored with the subscription.' }),
  ),
  tenant_id,
})

export type NewCancellation = Omit<Inside<typeof NewCancellation>, 'tenantId'>

export const NewResumption = shape('NewResumption', { subscription, tenant_id })

export type NewResumption = Omit<Inside<typeof NewResumption>, 'tenantId'>

export const NewPause = shape('NewPause', {
  subscription,
  until: Type.Optional(Moment('Time at which collection resumes automatically (RFC 3339). Default: never.')),
  behavior: Type.Optional(
    Type.Enum(['void', 'keep_as_draft', 'mark_uncollectible'], {
      description: 'What happens to the invoices during the pause. Default: `void`.',
    }),
  ),
  tenant_id,
})

export type NewPause = Omit<Inside<typeof NewPause>, 'tenantId' | 'until'> & {
  /** Time at which collection resumes by itself, epoch milliseconds. */
  readonly until?: number
}

const path = '/api/v1/billing/subscription'
const all = { tag: 'Checkout', access: 'session', scope: 'write', method: 'POST', bodyLimit: 32 * 1024 } as const
const refusals = [
  'subscription_not_found',
  'tenant_not_found',
  'not_allowed',
  'change_invalid',
  'conflict',
  'tenant_busy',
  ...customerErrors,
] as const
const changeErrors = [
  ...refusals,
  'config_not_found',
  'price_not_found',
  'price_not_sellable',
  'currency_not_offered',
  'already_subscribed',
  'checkout_invalid',
  'quantity_invalid',
  'payment_overdue',
] as const
const afterwards = { 200: { description: 'The subscription after the request.', schema: Subscription } } as const

export const subscriptionChangeOperations = operations({
  previewChange: {
    ...all,
    path: `${path}/preview`,
    summary: 'Preview the cost of a subscription change',
    description: `Changes nothing. The amounts are valid for ${previewMinutes} minutes, for a change request with this \`preview\`.`,
    body: NewPreview,
    answers: { 200: { description: 'The change with its date and its amounts.', schema: ChangePreview } },
    errors: changeErrors,
  },
  changeSubscription: {
    ...all,
    path: `${path}/change`,
    summary: 'Change plan, seats or interval of a subscription',
    description:
      'A tenant can have one change at a time, and each preview is applied at most once. If the invoice of an upgrade cannot be paid, the subscription changes only when it is paid.',
    headers: keyHeader,
    body: NewChange,
    answers: { 200: { description: 'The change that was made or scheduled.', schema: ChangeOutcome } },
    errors: [...changeErrors, 'preview_required', 'preview_stale', ...keyErrors],
  },
  cancelOwnSubscription: {
    ...all,
    path: `${path}/cancel`,
    summary: 'Cancel a subscription',
    headers: keyHeader,
    body: NewCancellation,
    answers: afterwards,
    errors: [...refusals, ...keyErrors],
  },
  resumeSubscription: {
    ...all,
    path: `${path}/resume`,
    summary: 'Undo a cancellation, a pause or a scheduled change',
    headers: keyHeader,
    body: NewResumption,
    answers: afterwards,
    errors: [...refusals, ...keyErrors],
  },
  pauseSubscription: {
    ...all,
    path: `${path}/pause`,
    summary: 'Pause the collection of a subscription’s invoices',
    description: 'Needs a service key. The subscription continues, and the tenant keeps its features.',
    headers: keyHeader,
    body: NewPause,
    answers: afterwards,
    errors: [...refusals, ...keyErrors],
  },
})
