import type { CouponBody, PromotionCodeBody } from '../../objects/bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { badRequest } from '../../protocol/responses/errors.ts'
import { couponIsOpen } from '../../protocol/responses/expand.ts'
import { newCode, newId } from '../../protocol/ids.ts'
import { applyMetadata, changed, metadata } from '../../protocol/parameters/metadata.ts'
import { listing, post, type Operation } from '../../protocol/operation.ts'
import { where } from '../../protocol/responses/list-pages.ts'
import {
  boolean,
  futureTimestamp,
  integer,
  mapOf,
  oneOf,
  range,
  required,
  shape,
  text,
  timestamp,
} from '../../protocol/parameters/params.ts'
import type { Read } from '../../protocol/parameters/params.ts'
import { checkCurrencyKey, currency } from './currencies.ts'

const minimum = integer({ min: 1 })
const currencyOptions = mapOf(shape({ minimum_amount: required(minimum) }), checkCurrencyKey)

const restrictionFields = {
  currency_options: currencyOptions,
  first_time_transaction: boolean(),
  minimum_amount: minimum,
  minimum_amount_currency: currency(),
}

const createFields = {
  promotion: required(shape({ coupon: text(), type: required(oneOf('coupon')) })),
  active: boolean(),
  code: text({ max: 500, pattern: /^[a-zA-Z0-9\-_]+$/ }),
  customer: text(),
  expires_at: timestamp(),
  max_redemptions: integer({ min: 1 }),
  metadata: metadata(),
  restrictions: shape(restrictionFields),
}

const updateFields = {
  active: boolean(),
  metadata: metadata(),
  restrictions: shape({ currency_options: currencyOptions }),
}

/** Deactivates expired promotion codes. Called before each read, because no action runs at the time of expiry. */
function deactivateExpired(call: OperationContext): void {
  const due = [
    { field: 'active', is: true },
    { field: '_until', op: '<=', value: call.now },
  ] as const
  for (const code of call.select('promotion_code', due)) call.update(code, { ...code, active: false }, null)
}

/** Refuses an active promotion code that is taken (case-insensitive). Codes for different customers may be equal. */
function refuseTakenCode(call: OperationContext, code: string, customer: string | null, own: string | null): void {
  const spelt = [{ field: 'code', isAnyCase: code }, ...where('active', true)]
  const clashes = call
    .select('promotion_code', spelt)
    .some((other) => other.id !== own && (customer === null || other.customer === null || other.customer === customer))
  if (clashes) throw badRequest(`An active promotion code with \`code: ${code}\` already exists.`, 'code')
}

/** Refuses a minimum in other currencies that repeats the code's own currency. */
function refuseOwnCurrency(options: ReadonlyMap<string, unknown> | undefined, own: string | null): void {
  if (own === null || options?.has(own) !== true) return
  throw badRequest(
    `The currency \`${own}\` is the \`minimum_amount_currency\` already.`,
    `restrictions[currency_options][${own}]`,
  )
}

function toRestrictions(given: Read<typeof restrictionFields> | undefined): PromotionCodeBody['restrictions'] {
  const pair = ['minimum_amount', 'minimum_amount_currency'] as const
  const [missing, second] = pair.filter((name) => given?.[name] === undefined)
  if (missing !== undefined && second === undefined) {
    const passed = pair.find((name) => name !== missing) ?? ''
    throw badRequest(`You must pass ${missing} when passing ${passed}`, `restrictions[${missing}]`)
  }
  refuseOwnCurrency(given?.currency_options, given?.minimum_amount_currency ?? null)
  return {
    ...(given?.currency_options === undefined ? {} : { currency_options: Object.fromEntries(given.currency_options) }),
    first_time_transaction: given?.first_time_transaction ?? false,
    minimum_amount: given?.minimum_amount ?? null,
    minimum_amount_currency: given?.minimum_amount_currency ?? null,
  }
}

/** Checks that a code does not exceed the limits of its coupon, e.g. expires no later and allows no more redemptions. */
function checkLimits(call: OperationContext, coupon: CouponBody, params: Read<typeof createFields>): void {
  if (!couponIsOpen(coupon, call.now))
    throw badRequest(`The coupon \`${coupon.id}\` is no longer valid.`, 'promotion[coupon]')
  const { expires_at: end, max_redemptions: redemptions } = params
  if (end !== undefined) {
    futureTimestamp(end, 'expires_at', call.now)
    if (coupon.redeem_by !== null && end > coupon.redeem_by) {
      throw badRequest("`expires_at` cannot be after the coupon's `redeem_by`.", 'expires_at')
    }
  }
  if (redemptions !== undefined && coupon.max_redemptions !== null && redemptions > coupon.max_redemptions) {
    throw badRequest("`max_redemptions` cannot be greater than the coupon's `max_redemptions`.", 'max_redemptions')
  }
}

function create(call: OperationContext): PromotionCodeBody {
  const params = call.read(createFields)
  const couponId = params.promotion.coupon
  if (couponId === undefined) {
    throw badRequest('You must pass promotion.coupon when passing promotion', 'promotion.coupon')
  }
  const coupon = call.reference('coupon', couponId, 'promotion[coupon]')
  const customer = params.customer === undefined ? null : call.reference('customer', params.customer, 'customer').id
  checkLimits(call, coupon, params)
  deactivateExpired(call)
  const active = params.active ?? true
  if (active && params.code !== undefined) refuseTakenCode(call, params.code, customer, null)
  const until = params.expires_at ?? coupon.redeem_by
  const body: PromotionCodeBody = {
    id: newId('promo_1', 23),
    object: 'promotion_code',
    active,
    code: params.code ?? newCode(),
    created: call.now,
    customer,
    expires_at: params.expires_at ?? null,
    max_redemptions: params.max_redemptions ?? null,
    metadata: applyMetadata({}, params.metadata),
    promotion: { coupon: coupon.id, type: 'coupon' },
    restrictions: toRestrictions(params.restrictions),
    times_redeemed: 0,
    ...(until === null ? {} : { _until: until }),
  }
  return call.create(body, 'promotion_code.created')
}

function refuseActivation(call: OperationContext, code: PromotionCodeBody): void {
  const coupon = call.find('coupon', code.promotion.coupon)
  if (coupon === undefined || !couponIsOpen(coupon, call.now)) {
    throw badRequest('This promotion code cannot be activated because its coupon is no longer valid.', 'active')
  }
  if (code.expires_at !== null && code.expires_at <= call.now) {
    throw badRequest('This promotion code cannot be activated because it has expired.', 'active')
  }
  if (code.max_redemptions !== null && code.times_redeemed >= code.max_redemptions) {
    throw badRequest('This promotion code cannot be activated because it has been fully redeemed.', 'active')
  }
  refuseTakenCode(call, code.code, code.customer, code.id)
}

function update(call: OperationContext): PromotionCodeBody {
  deactivateExpired(call)
  const before = call.subject('promotion_code')
  const { restrictions: given, ...params } = call.read(updateFields)
  if (params.active === true && !before.active) refuseActivation(call, before)
  const after = changed(before, params)
  const { restrictions } = before
  if (given?.currency_options === undefined) return call.update(before, after, 'promotion_code.updated')
  refuseOwnCurrency(given.currency_options, restrictions.minimum_amount_currency)
  const options = { ...restrictions.currency_options, ...Object.fromEntries(given.currency_options) }
  const restricted = { ...after, restrictions: { ...restrictions, currency_options: options } }
  return call.update(before, restricted, 'promotion_code.updated')
}

const base = '/v1/promotion_codes'

export const promotionCodes: readonly Operation[] = [
  post(base, 'promotion_code', create),
  listing(
    base,
    'promotion_code',
    { active: boolean(), created: range(), customer: text() },
    { code: text(), coupon: text() },
    (params, call) => {
      deactivateExpired(call)
      if (params.coupon !== undefined) call.reference('coupon', params.coupon, 'coupon')
      if (params.customer !== undefined) call.reference('customer', params.customer, 'customer')
      const spelt = params.code === undefined ? [] : [{ field: 'code', isAnyCase: params.code }]
      return [...where('promotion.coupon', params.coupon), ...spelt]
    },
  ),
  {
    method: 'GET',
    path: `${base}/:id`,
    of: 'promotion_code',
    run: (call) => {
      deactivateExpired(call)
      call.read({})
      return { object: call.subject('promotion_code') }
    },
  },
  post(`${base}/:id`, 'promotion_code', update),
]
