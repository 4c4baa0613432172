// Operations on the discounts of a tenant's running subscriptions.
import { Type } from 'typebox'
import { actorHeaders, customerErrors, idParams, keyErrors, keyHeader, operations } from '../notation/operation.ts'
import { closed, nullable, shape, Time, type Inside } from '../notation/schema.ts'

const configIds = {
  coupon_id: nullable(
    Type.String({ description: 'Configuration id of the coupon; null if it is not in the configuration.' }),
  ),
  promotion_code_id: nullable(
    Type.String({
      description: 'Configuration id of the promotion code; null if none of the configuration was used.',
    }),
  ),
  subscription: Type.String({ description: 'The subscription whose invoices it reduces.' }),
}

export const Discount = shape('Discount', {
  id: Type.String({ description: 'The processor’s id of the discount.' }),
  ...configIds,
  ends_at: nullable(Time('Time at which the discount ends; null if its coupon applies once or forever.')),
})
export type Discount = Inside<typeof Discount>

export const DiscountList = shape('DiscountList', { discounts: Type.Array(Discount) })

export const NewDiscount = shape('NewDiscount', {
  coupon_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Configuration id of the coupon. Pass either this or `promotion_code`.',
    }),
  ),
  promotion_code: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Configuration id of a promotion code, or the code as customers type it.',
    }),
  ),
  subscription: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Id of the subscription. Required only if the tenant has several.',
    }),
  ),
})
export type NewDiscount = Inside<typeof NewDiscount>

export const DiscountPlan = shape('DiscountPlan', {
  dry_run: Type.Literal(true),
  ...configIds,
  duration: nullable(
    Type.Enum(['once', 'repeating', 'forever'], { description: 'How long the coupon applies; null for a removal.' }),
  ),
  duration_in_months: nullable(Type.Integer({ description: 'Months, when `duration` is `repeating`.' })),
  next_invoice: nullable(
    Type.Object(
      {
        at: nullable(Time('Time at which the invoice will be created.')),
        currency: Type.String(),
        before: Type.Integer({ description: 'Total of the invoice without the change, in minor units.' }),
        before_formatted: Type.String({ description: '`before`, formatted for display.' }),
        after: Type.Integer({ description: 'Total of the invoice with the change, in minor units.' }),
        after_formatted: Type.String({ description: '`after`, formatted for display.' }),
      },
      { ...closed, description: 'The processor’s previews of the subscription’s next invoice.' },
    ),
  ),
})
export type DiscountPlan = Inside<typeof DiscountPlan>

const path = '/api/v1/billing/admin/tenants/:id/discounts'
const all = { tag: 'Tenants', access: 'service_key' } as const
const change = {
  ...all,
  scope: 'dry_run',
  query: { dry_run: Type.Boolean({ default: false, description: 'Only preview the change: nothing is written.' }) },
  headers: { ...keyHeader, ...actorHeaders },
} as const
const plan = { description: 'With `dry_run`: what would change.', schema: DiscountPlan } as const

export const discountOperations = operations({
  listDiscounts: {
    ...all,
    scope: 'read',
    method: 'GET',
    path,
    summary: 'List the discounts of a tenant’s subscriptions',
    description:
      'Lists discounts of whole subscriptions. Discounts of the customer and of single items are not listed.',
    params: idParams,
    answers: { 200: { description: 'The discounts.', schema: DiscountList } },
    errors: ['tenant_not_found', ...customerErrors],
  },
  addDiscount: {
    ...change,
    method: 'POST',
    path,
    summary: 'Give a discount to a running subscription',
    description:
      'The discount reduces invoices from the next one on; nothing is billed or credited now. Other discounts keep their dates. Refused if the coupon or code has ended, is used up, is for other products or another currency, or belongs to another customer. A code with a minimum amount works only at a checkout.',
    params: idParams,
    body: NewDiscount,
    answers: { 200: plan, 201: { description: 'The discount.', schema: Discount } },
    errors: [
      'tenant_not_found',
      'subscription_not_found',
      'discount_invalid',
      'config_not_found',
      'conflict',
      'tenant_busy',
      ...customerErrors,
      ...keyErrors,
    ],
  },
  removeDiscount: {
    ...change,
    method: 'DELETE',
    path: `${path}/:discount`,
    summary: 'Remove a discount from a subscription',
    description: 'Takes effect with the next invoice. Other discounts keep their dates.',
    params: { ...idParams, discount: Type.String({ minLength: 1, maxLength: 255, description: 'Its id.' }) },
    answers: { 200: plan, 204: { description: 'Taken away.', schema: null } },
    errors: ['tenant_not_found', 'discount_not_found', 'tenant_busy', ...customerErrors, ...keyErrors],
  },
})
