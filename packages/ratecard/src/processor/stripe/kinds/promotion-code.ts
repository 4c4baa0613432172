import type { Stripe } from 'stripe'
import { currencies } from '../../../money/currencies.ts'
import { processorId } from '../../../catalog/resource.ts'
import type { ObservedResource } from '../../../catalog/resource.ts'
import { isOver, isUsedUp } from './coupon.ts'
import { idOf, reasons } from './kind.ts'
import type { CreateOf, KindAdapter, Surroundings, UpdateOf } from './kind.ts'
import { metadataChange, newMetadata, splitMetadata } from './metadata.ts'

const expand = ['restrictions.currency_options']
const listExpand = expand.map((member) => `data.${member}`)

export function promotionCodeAdapter(
  codes: Stripe['promotionCodes'],
): KindAdapter<'promotion_code', Stripe.PromotionCode> {
  const change = (id: string, params: Stripe.PromotionCodeUpdateParams) => ({
    operation: 'POST /v1/promotion_codes/:id',
    send: (options: Stripe.RequestOptions) => codes.update(id, { ...params, expand }, options),
  })
  const list = (filter: Stripe.PromotionCodeListParams) => ({
    operation: 'GET /v1/promotion_codes',
    page: (paging: Stripe.PaginationParams, options: Stripe.RequestOptions) =>
      codes.list({ ...filter, ...paging, expand: listExpand }, options),
  })
  return {
    kind: 'promotion_code',
    object: 'promotion_code',
    updatable: ['active', 'metadata'],
    create: (step) => ({
      operation: 'POST /v1/promotion_codes',
      send: (options) => codes.create({ ...newPromotionCodeParams(step), expand }, options),
    }),
    update: (step) => change(step.processorId, promotionCodeChangeParams(step)),
    archive: (id) => change(id, { active: false }),
    retrieve: (id) => ({
      operation: 'GET /v1/promotion_codes/:id',
      send: (options) => codes.retrieve(id, { expand }, options),
    }),
    search: (step) => list({ code: step.fields.code }),
    lists: () => [list({})],
    observe: observePromotionCode,
  }
}

export function newPromotionCodeParams(step: CreateOf<'promotion_code'>): Stripe.PromotionCodeCreateParams {
  const { fields, configId, carried } = step
  return {
    code: fields.code,
    promotion: { type: 'coupon', coupon: fields.coupon },
    active: fields.active,
    ...(fields.maxRedemptions === null ? {} : { max_redemptions: fields.maxRedemptions - carried }),
    ...(fields.expiresAt === null ? {} : { expires_at: fields.expiresAt }),
    restrictions: {
      first_time_transaction: fields.firstTimeTransaction,
      ...(fields.minimumAmount === null ? {} : { minimum_amount: fields.minimumAmount }),
      ...(fields.minimumAmountCurrency === null ? {} : { minimum_amount_currency: fields.minimumAmountCurrency }),
    },
    metadata: newMetadata(configId, fields.metadata, carried),
  }
}

export function promotionCodeChangeParams(step: UpdateOf<'promotion_code'>): Stripe.PromotionCodeUpdateParams {
  const active = step.set.active ?? (step.activate ? true : undefined)
  return { ...(active === undefined ? {} : { active }), ...metadataChange(step) }
}

export function observePromotionCode(
  code: Stripe.PromotionCode,
  { now }: Surroundings,
): ObservedResource<'promotion_code'> {
  const { author, mark, carried } = splitMetadata(code.metadata)
  const { coupon } = code.promotion
  const { restrictions } = code
  const currency = restrictions.minimum_amount_currency
  return {
    kind: 'promotion_code',
    processorId: processorId(code.id),
    active: code.active,
    fields: {
      code: code.code,
      coupon: coupon === null ? processorId('') : idOf(coupon),
      active: code.active,
      maxRedemptions: code.max_redemptions === null ? null : code.max_redemptions + carried,
      firstTimeTransaction: restrictions.first_time_transaction,
      minimumAmount: restrictions.minimum_amount,
      minimumAmountCurrency: currency,
      expiresAt: code.expires_at,
      metadata: author,
    },
    mark,
    created: code.created,
    lookupKey: null,
    redeemed: code.times_redeemed,
    carried,
    // Of its own doing; what its coupon has to do with it is seen where both are known.
    spent: isOver(code.expires_at, now) || isUsedUp(code),
    unrepresentable: reasons({
      customer: code.customer !== null || (code.customer_account ?? null) !== null,
      promotion: coupon === null,
      'restrictions.minimum_amount_currency': currency !== null && !currencies.some((one) => one === currency),
      'restrictions.currency_options': Object.keys(restrictions.currency_options ?? {}).some((one) => one !== currency),
    }),
    raw: code,
  }
}
