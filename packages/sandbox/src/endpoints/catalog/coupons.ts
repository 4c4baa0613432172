import type { CouponBody } from '../../objects/bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { StripeError, alreadyExists, onlyOneOf, badRequest } from '../../protocol/responses/errors.ts'
import { newId } from '../../protocol/ids.ts'
import { applyMetadata, changed, metadata } from '../../protocol/parameters/metadata.ts'
import { deletion, listing, post, retrieve, type Operation } from '../../protocol/operation.ts'
import {
  futureTimestamp,
  integer,
  list,
  mapOf,
  number,
  oneOf,
  range,
  required,
  shape,
  text,
  timestamp,
} from '../../protocol/parameters/params.ts'
import type { Read } from '../../protocol/parameters/params.ts'
import { checkCurrencyKey, currency } from './currencies.ts'

const amount = integer({ min: 1 })
const currencyOptions = mapOf(shape({ amount_off: required(amount) }), checkCurrencyKey)

const createFields = {
  amount_off: amount,
  applies_to: shape({ products: list(text()) }),
  currency: currency(),
  currency_options: currencyOptions,
  duration: oneOf('forever', 'once', 'repeating'),
  duration_in_months: integer({ min: 1 }),
  id: text(),
  max_redemptions: integer({ min: 1 }),
  metadata: metadata(),
  name: text({ max: 40 }),
  percent_off: number({ min: 0.01, max: 100 }),
  redeem_by: timestamp(),
}
type CouponParams = Read<typeof createFields>

const updateFields = { currency_options: currencyOptions, metadata: metadata(), name: text({ max: 40 }) }

function checkDiscount(params: CouponParams): void {
  if (params.percent_off !== undefined) {
    if (params.amount_off !== undefined) {
      throw badRequest('Received both percent_off and amount_off parameters. Please pass in only one.')
    }
    if (params.currency_options !== undefined) throw onlyOneOf('currency_options', 'percent_off')
    return
  }
  if (params.amount_off === undefined) {
    throw new StripeError('Must provide percent_off or amount_off.', { code: 'parameter_missing' })
  }
  if (params.currency === undefined) throw badRequest('You must pass currency when passing amount_off', 'currency')
}

function checkDuration(params: CouponParams): void {
  if (params.duration === 'repeating') {
    if (params.duration_in_months !== undefined) return
    const message = 'The duration_in_months param must be set when creating a coupon with a repeating duration'
    throw badRequest(message, 'duration')
  }
  if (params.duration_in_months === undefined) return
  throw badRequest(
    'The duration_in_months param can only be set on a coupon with a repeating duration',
    'duration_in_months',
  )
}

function toOptions(
  given: Read<typeof updateFields>['currency_options'],
  own: string | null,
): Record<string, { amount_off: number }> {
  if (own !== null && given?.has(own) === true) {
    const message = `The currency_options hash cannot contain the coupon's own currency: ${own}.`
    throw badRequest(message, `currency_options[${own}]`)
  }
  return Object.fromEntries(given ?? [])
}

function create(call: OperationContext): CouponBody {
  const params = call.read(createFields)
  checkDiscount(params)
  checkDuration(params)
  if (params.redeem_by !== undefined) futureTimestamp(params.redeem_by, 'redeem_by', call.now)
  if (params.id !== undefined && call.find('coupon', params.id) !== undefined) throw alreadyExists('Coupon')
  const products = params.applies_to?.products ?? []
  for (const [index, id] of products.entries()) call.reference('product', id, `applies_to[products][${index}]`)
  const currencyOfAmount = params.amount_off === undefined ? null : (params.currency ?? null)
  const body: CouponBody = {
    id: params.id ?? newId('', 8),
    object: 'coupon',
    amount_off: params.amount_off ?? null,
    ...(products.length === 0 ? {} : { applies_to: { products: [...products] } }),
    created: call.now,
    currency: currencyOfAmount,
    currency_options: toOptions(params.currency_options, currencyOfAmount),
    duration: params.duration ?? 'once',
    duration_in_months: params.duration_in_months ?? null,
    max_redemptions: params.max_redemptions ?? null,
    metadata: applyMetadata({}, params.metadata),
    name: params.name ?? null,
    percent_off: params.percent_off ?? null,
    redeem_by: params.redeem_by ?? null,
    times_redeemed: 0,
    valid: true,
  }
  return call.create(body, 'coupon.created')
}

function update(call: OperationContext): CouponBody {
  const before = call.subject('coupon')
  const { currency_options: given, ...params } = call.read(updateFields)
  if (given !== undefined && before.percent_off !== null) {
    throw onlyOneOf('currency_options', 'percent_off')
  }
  const options = { ...before.currency_options, ...toOptions(given, before.currency) }
  return call.update(before, { ...changed(before, params), currency_options: options }, 'coupon.updated')
}

/**
 * Deletes a coupon. Existing discounts continue. Its promotion codes become inactive, because a code is active only while its coupon is
 * valid.
 */
function remove(call: OperationContext): void {
  const coupon = call.subject('coupon')
  call.read({})
  const conditions = [
    { field: 'promotion.coupon', is: coupon.id },
    { field: 'active', is: true },
  ]
  for (const code of call.select('promotion_code', conditions)) {
    call.update(code, { ...code, active: false }, 'promotion_code.updated')
  }
  call.remove({ ...coupon, valid: false }, 'coupon.deleted')
}

export const coupons: readonly Operation[] = [
  post('/v1/coupons', 'coupon', create),
  listing('/v1/coupons', 'coupon', { created: range() }),
  retrieve('/v1/coupons/:id', 'coupon'),
  post('/v1/coupons/:id', 'coupon', update),
  deletion('/v1/coupons/:id', 'coupon', remove),
]
