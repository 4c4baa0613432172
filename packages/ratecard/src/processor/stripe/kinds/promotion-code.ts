import type { Stripe } from 'stripe'
import { currencies } from '../../../base/money/currencies.ts'
import { processorId, type ObservedResource, type ProcessorId } from '../../../catalog/resource.ts'
import { amountsBeside, inCurrencies, isEmpty, unsupportedCurrency } from './amounts.ts'
import { allowedInAll, isOver, isUsedUp } from './coupon.ts'
import { changeParams, creationParams, readFields, updatableFields, type Translations } from './field-translation.ts'
import { updatableField, immutableField, fixedOrNull } from './same-member.ts'
import { formerId, idIn, type Untrusted } from '../connection/reading.ts'
import { idOf, ordinary, reasonsIn, unlessEmpty } from './kind.ts'
import { unmanagedMembers } from './members.ts'
import type { CreateOf, KindAdapter, ReadContext, UpdateOf } from './kind.ts'
import { carriedMetadata, metadataChange, newMetadata, splitMetadata } from './metadata.ts'

const translations: Translations<
  'promotion_code',
  Stripe.PromotionCode,
  Stripe.PromotionCodeCreateParams,
  Stripe.PromotionCodeUpdateParams
> = {
  code: immutableField('code'),
  coupon: {
    read: (code) => couponOf(code) ?? processorId(''),
    create: (coupon) => ({ promotion: { type: 'coupon', coupon } }),
  },
  active: updatableField('active'),
  maxRedemptions: {
    read: (code) => allowedInAll(code),
    create: (most, { carried }) => (most === null ? {} : { max_redemptions: most - carried }),
  },
  firstTimeTransaction: {
    read: (code) => restrictionsOf(code).first_time_transaction ?? false,
    create: (first) => ({ restrictions: { first_time_transaction: first } }),
  },
  minimumAmount: {
    read: (code) => restrictionsOf(code).minimum_amount ?? null,
    create: (amount) => (amount === null ? {} : { restrictions: { minimum_amount: amount } }),
  },
  minimumAmountCurrency: {
    read: (code) => restrictionsOf(code).minimum_amount_currency ?? null,
    create: (currency) => (currency === null ? {} : { restrictions: { minimum_amount_currency: currency } }),
  },
  currencyOptions: {
    read: (code) => {
      const { minimum_amount_currency: own = null, currency_options: options } = restrictionsOf(code)
      return amountsBeside(own, options, ({ minimum_amount: amount }) => amount)
    },
    create: (amounts) =>
      isEmpty(amounts) ? {} : { restrictions: { currency_options: inCurrencies(amounts, 'minimum_amount') } },
    update: (amounts) => ({ restrictions: { currency_options: inCurrencies(amounts, 'minimum_amount') } }),
  },
  customer: {
    read: (code) => (code.customer ? idOf(code.customer) : ''),
    create: (customer) => unlessEmpty('customer', customer),
  },
  expiresAt: fixedOrNull('expires_at'),
}

/**
 * Returns the processor id of the code's coupon. In API versions before 2025-09-30.clover, the coupon is in a different member of the code.
 */
function couponOf(code: Untrusted<Stripe.PromotionCode>): ProcessorId | null {
  return idIn(code.promotion?.coupon) ?? formerId(code, 'coupon')
}

function restrictionsOf(code: Stripe.PromotionCode): Partial<Stripe.PromotionCode.Restrictions> {
  return (code as { readonly restrictions?: Stripe.PromotionCode.Restrictions | null }).restrictions ?? {}
}

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
    updatable: updatableFields(translations),
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
  return {
    ...(creationParams(translations, step) as Pick<Stripe.PromotionCodeCreateParams, 'promotion'>),
    metadata: newMetadata(step.configId, step.fields.metadata, carriedMetadata(step.carried)),
  }
}

export function promotionCodeChangeParams(step: UpdateOf<'promotion_code'>): Stripe.PromotionCodeUpdateParams {
  return {
    ...(step.activate ? { active: true } : {}),
    ...changeParams(translations, step.set),
    ...metadataChange(step),
  }
}

export function observePromotionCode(
  code: Stripe.PromotionCode,
  { now }: ReadContext,
): ObservedResource<'promotion_code'> {
  const { author, mark, carried, companions } = splitMetadata(code.metadata)
  const restrictions = restrictionsOf(code)
  const currency = restrictions.minimum_amount_currency ?? null
  return {
    ...ordinary,
    ...unmanagedMembers('promotion_code', code),
    kind: 'promotion_code',
    processorId: processorId(code.id),
    active: code.active,
    fields: { ...readFields<'promotion_code'>(translations, code), metadata: author },
    mark,
    companions,
    created: code.created,
    redeemed: code.times_redeemed,
    carried,
    // `spent` covers only the code's own limits here. The state of its coupon is added later, when both the code and the coupon have been
    // read.
    spent: isOver(code.expires_at, now) || isUsedUp(code),
    unrepresentable: reasonsIn({
      // True for a code that only one customer account may use. The document cannot express that, and the code must not become public.
      customer_account: (code.customer_account ?? null) !== null,
      promotion: couponOf(code) === null,
      'restrictions.minimum_amount_currency': currency !== null && !currencies.some((one) => one === currency),
      'restrictions.currency_options': unsupportedCurrency(restrictions.currency_options),
    }),
    raw: code,
  }
}
