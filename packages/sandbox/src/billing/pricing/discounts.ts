// Discounts: which coupons and promotion codes can be redeemed, how long a discount lasts, and how much it reduces each line.
import { divideHalfUp, parseDecimal, scale } from '../../money/decimal.ts'
import type { CouponBody, CustomerBody, PromotionCodeBody } from '../../objects/bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import type {
  DiscountAmountBody,
  DiscountBody,
  InvoiceLineBody,
  SubscriptionItemBody,
} from '../../objects/customer-bodies.ts'
import { noSuchReference, onlyOneOf, badRequest } from '../../protocol/responses/errors.ts'
import { couponIsOpen } from '../../protocol/responses/expand.ts'
import { newId } from '../../protocol/ids.ts'
import type { HandlerResult } from '../../protocol/operation.ts'
import { emptyable, list, shape, text, type Read } from '../../protocol/parameters/params.ts'
import { addIntervals } from './billing-intervals.ts'

const discountFields = { coupon: text(), discount: text(), promotion_code: text() }
export const discountsParam = emptyable(list(shape(discountFields), { max: 20 }))
export type DiscountParams = readonly Read<typeof discountFields>[]

export interface Redemption {
  readonly coupon: CouponBody
  readonly code: PromotionCodeBody | null
}

export interface Purchase {
  readonly customer: CustomerBody | null
  readonly currency: string
  /** Amount of the purchase before discounts (minor units). It must reach the `minimum_amount` of a promotion code. */
  readonly subtotal: number
}

/** Returns the coupon of a discount. Deleting a coupon does not end its discounts, so a deleted coupon is found too. */
export function couponOf(call: OperationContext, id: string): CouponBody | undefined {
  return call.find('coupon', id) ?? call.findDeleted('coupon', id)
}

function openCoupon(call: OperationContext, id: string, name: string): CouponBody {
  const coupon = call.reference('coupon', id, name)
  if (!couponIsOpen(coupon, call.now)) throw badRequest(`Coupon expired: ${id}`, name, 'coupon_expired')
  return coupon
}

function codeIsOpen(code: PromotionCodeBody, now: number): boolean {
  const over = code._until !== undefined && code._until <= now
  const spent = code.max_redemptions !== null && code.times_redeemed >= code.max_redemptions
  return code.active && !over && !spent
}

/** Returns the promotion code with its coupon. If the code cannot be redeemed, throws an error with the reason. */
export function redeemableCode(
  call: OperationContext,
  code: PromotionCodeBody,
  purchase: Purchase,
  name: string,
): Redemption {
  const coupon = call.find('coupon', code.promotion.coupon)
  if (!codeIsOpen(code, call.now) || coupon === undefined || !couponIsOpen(coupon, call.now)) {
    throw badRequest(`This promotion code is no longer active.`, name, 'promotion_code_expired')
  }
  if (code.customer !== null && code.customer !== purchase.customer?.id) {
    throw badRequest('This promotion code cannot be redeemed because it belongs to another customer.', name)
  }
  checkRestrictions(call, code, purchase, name)
  return { coupon, code }
}

function checkRestrictions(call: OperationContext, code: PromotionCodeBody, purchase: Purchase, name: string): void {
  const rules = code.restrictions
  const least =
    rules.minimum_amount_currency === purchase.currency
      ? rules.minimum_amount
      : (rules.currency_options?.[purchase.currency]?.minimum_amount ?? null)
  if (rules.minimum_amount !== null && (least === null || purchase.subtotal < least)) {
    throw badRequest('This promotion code cannot be redeemed because the minimum amount has not been met.', name)
  }
  if (!rules.first_time_transaction || purchase.customer === null) return
  const paid = [
    { field: 'customer', is: purchase.customer.id },
    { field: 'status', is: 'paid' },
    { field: 'total', op: '>', value: 0 },
  ] as const
  const charged = [
    { field: 'customer', is: purchase.customer.id },
    { field: 'status', is: 'succeeded' },
  ] as const
  if (call.select('invoice', paid, 1).length === 0 && call.select('charge', charged, 1).length === 0) return
  throw badRequest(
    'This promotion code cannot be redeemed because the associated customer has prior transactions.',
    name,
  )
}

/**
 * Checks the discounts of a request and writes nothing. Returns a new discount as its coupon and code, and an existing discount (one in
 * `kept`) as its id. `prefix` is null if the request has a single discount instead of a list; errors then name `coupon` instead of
 * `discounts[0][coupon]`.
 */
export function readDiscounts(
  call: OperationContext,
  given: DiscountParams,
  purchase: Purchase,
  kept: readonly string[] = [],
  prefix: string | null = 'discounts',
  inCurrency = true,
): (Redemption | string)[] {
  const redeemed = given.map((entry, index) => {
    const name = prefix === null ? undefined : `${prefix}[${index}]`
    const nameOf = (field: string): string => (name === undefined ? field : `${name}[${field}]`)
    const named = (['coupon', 'discount', 'promotion_code'] as const).filter((field) => entry[field] !== undefined)
    if (named.length > 1) throw onlyOneOf(...named.map(nameOf))
    if (entry.coupon !== undefined) {
      return { coupon: openCoupon(call, entry.coupon, nameOf('coupon')), code: null }
    }
    if (entry.promotion_code !== undefined) {
      const param = nameOf('promotion_code')
      return redeemableCode(call, call.reference('promotion_code', entry.promotion_code, param), purchase, param)
    }
    if (entry.discount === undefined) throw badRequest('You must specify a coupon, promotion code or discount.', name)
    if (!kept.includes(entry.discount)) throw noSuchReference('discount', entry.discount, nameOf('discount'))
    return entry.discount
  })
  const off = redeemed.find((one) => typeof one !== 'string' && !appliesTo(one.coupon, purchase.currency))
  if (off !== undefined && inCurrency)
    throw badRequest(
      `The coupon's currency does not match \`${purchase.currency}\`.`,
      prefix ?? (given[0]?.coupon === undefined ? 'promotion_code' : 'coupon'),
    )
  return redeemed
}

function appliesTo(coupon: CouponBody, currency: string): boolean {
  return coupon.percent_off !== null || amountOff(coupon, currency) !== undefined
}

function amountOff(coupon: CouponBody, currency: string): number | undefined {
  return coupon.currency === currency
    ? (coupon.amount_off ?? undefined)
    : coupon.currency_options?.[currency]?.amount_off
}

/** Creates the discounts and counts the redemptions. Returns the ids of the discounts. */
export function redeem(
  call: OperationContext,
  redeemed: readonly (Redemption | string)[],
  of: {
    readonly customer: string | null
    readonly subscription: string | null
    readonly item?: string
    readonly session: string | null
  },
  event: string | null = 'customer.discount.created',
): string[] {
  return redeemed.map((one) => {
    if (typeof one === 'string') return one
    const { coupon, code } = one
    call.update(coupon, { ...coupon, times_redeemed: coupon.times_redeemed + 1 }, null)
    if (code !== null) call.update(code, { ...code, times_redeemed: code.times_redeemed + 1 }, null)
    const months = coupon.duration === 'repeating' ? coupon.duration_in_months : null
    const body: DiscountBody = {
      id: newId('di_1', 23),
      object: 'discount',
      checkout_session: of.session,
      customer: of.customer,
      end: months === null ? null : addIntervals(call.now, { interval: 'month', interval_count: 1 }, months),
      promotion_code: code?.id ?? null,
      source: { coupon: coupon.id, type: 'coupon' },
      start: call.now,
      subscription: of.subscription,
      subscription_item: of.item ?? null,
    }
    return call.create(body, event).id
  })
}

/**
 * Returns the ids of the discounts of a schedule phase. `held` contains the subscription's current discounts. A discount named by id is
 * kept while it is in `held`. A coupon or code is kept if a discount in `held` came from it; otherwise it is redeemed now. Expired coupons
 * and codes are skipped.
 */
export function discountsOfPhase(
  call: OperationContext,
  phaseDiscounts: readonly {
    readonly coupon: string | null
    readonly discount: string | null
    readonly promotion_code: string | null
  }[],
  held: readonly string[],
  of: Parameters<typeof redeem>[2],
): string[] {
  const free = new Set(held)
  return phaseDiscounts.flatMap(({ coupon, discount, promotion_code: code }) => {
    const known = [...free].find((id) => (discount === null ? isDiscountOf(call, id, coupon, code) : id === discount))
    if (known !== undefined) {
      free.delete(known)
      return [known]
    }
    const redeemable = discount === null ? redeemableNow(call, coupon, code, of.customer) : undefined
    return redeemable === undefined ? [] : redeem(call, [redeemable], of)
  })
}

function isDiscountOf(call: OperationContext, id: string, coupon: string | null, code: string | null): boolean {
  const body = call.find('discount', id)
  return body !== undefined && (code === null ? body.source.coupon === coupon : body.promotion_code === code)
}

function redeemableNow(
  call: OperationContext,
  couponId: string | null,
  codeId: string | null,
  customer: string | null,
): Redemption | undefined {
  const code = codeId === null ? null : (call.find('promotion_code', codeId) ?? null)
  if (codeId !== null && (code === null || !codeIsOpen(code, call.now))) return undefined
  if (code !== null && code.customer !== null && code.customer !== customer) return undefined
  const coupon = call.find('coupon', code?.promotion.coupon ?? couponId ?? '')
  return coupon === undefined || !couponIsOpen(coupon, call.now) ? undefined : { coupon, code }
}

/** Returns the ids of the discounts of a subscription or invoice. If it has none of its own, returns the customer's discount. */
export function discountsFor(
  call: OperationContext,
  { customer, discounts }: { readonly customer: string; readonly discounts: readonly string[] },
): readonly string[] {
  if (discounts.length > 0) return discounts
  const own = call.find('customer', customer)?.discount ?? null
  return own === null ? [] : [own]
}

/** Returns the response to the removal of a discount: its last state with `deleted: true`, without `end`. */
export function deletedDiscount(call: OperationContext, discount: DiscountBody): HandlerResult {
  const { end: _end, ...shown } = call.render(discount)
  return { unstored: { ...shown, deleted: true } }
}

/** A coupon that reduces an invoice, with the id of its discount. */
export interface Reduction {
  readonly discount: string
  readonly coupon: CouponBody
  /** Id of the subscription item whose lines the discount reduces. Undefined: it reduces all lines. */
  readonly item?: string
}

/** Returns the coupons of these discounts at the call's time, as reductions. Discounts that have ended are left out. */
export function reductionsOf(call: OperationContext, discounts: readonly string[]): Reduction[] {
  return discounts.flatMap<Reduction>((id) => {
    const discount = call.find('discount', id)
    if (discount === undefined || (discount.end !== null && discount.end <= call.now)) return []
    const coupon = couponOf(call, discount.source.coupon)
    return coupon === undefined ? [] : [{ discount: discount.id, coupon }]
  })
}

/** Applies the coupons to the lines one after the other. Each coupon reduces the amounts that the previous ones left. */
export function applyReductions(
  lines: readonly InvoiceLineBody[],
  reductions: readonly Reduction[],
): InvoiceLineBody[] {
  return reductions.reduce<InvoiceLineBody[]>(
    (left, reduction) => {
      const parts = allocate(left, reduction)
      return left.map((line, index) => {
        const amount = parts[index] ?? 0
        if (amount === 0) return line
        const { discount } = reduction
        const credits = [...line.pretax_credit_amounts, { amount, discount, type: 'discount' as const }]
        return {
          ...line,
          discount_amounts: [...line.discount_amounts, { amount, discount }],
          pretax_credit_amounts: credits,
        }
      })
    },
    [...lines],
  )
}

/** Returns the line's amount after the discounts applied so far. */
export function discountedAmount(line: InvoiceLineBody): number {
  return line.discount_amounts.reduce((left, taken) => left - taken.amount, line.amount)
}

/** Returns the amounts with one entry per discount. */
export function summedByDiscount(amounts: readonly DiscountAmountBody[]): DiscountAmountBody[] {
  const sums = new Map<string, number>()
  for (const { amount, discount } of amounts) sums.set(discount, (sums.get(discount) ?? 0) + amount)
  return [...sums].map(([discount, amount]) => ({ amount, discount }))
}

/** True if the discount is one of a subscription item, so that it applies before the discounts of the invoice. */
export function isItemDiscount(call: OperationContext, discount: string): boolean {
  return (call.find('discount', discount)?.subscription_item ?? null) !== null
}

/** Returns the discounts of a line: the running ones of its item. Source: the SDK's documentation of `discounts`. */
export function discountsOfLine(
  { discounts, parent }: InvoiceLineBody,
  items: ReadonlyMap<string, SubscriptionItemBody>,
  running: ReadonlySet<string>,
): string[] {
  const details = parent.subscription_item_details
  if (details === null || details.proration) return discounts
  return (items.get(details.subscription_item)?.discounts ?? []).filter((discount) => running.has(discount))
}

/** Returns the line's amount before taxes, reduced by the discounts and billing credits applied so far. */
export function netAmount(line: InvoiceLineBody): number {
  return line.pretax_credit_amounts.reduce((left, taken) => left - taken.amount, line.amount)
}

/** Splits a discount among the lines. The sum of the parts is the rounded discount. */
function allocate(lines: readonly InvoiceLineBody[], { coupon, item }: Reduction): number[] {
  const products = coupon.applies_to?.products
  const bases = lines.map((line) => {
    const fits = products === undefined || products.includes(line.pricing.price_details?.product ?? '')
    const own = item === undefined || line.parent.subscription_item_details?.subscription_item === item
    return line.discountable && fits && own ? BigInt(discountedAmount(line)) : 0n
  })
  const base = bases.reduce((sum, part) => sum + part, 0n)
  const whole = totalOff(coupon, lines[0]?.currency ?? '', base)
  return shares(whole, bases)
}

/** Splits an amount in proportion to `bases`. The sum of the shares is exact. */
function shares(whole: bigint, bases: readonly bigint[]): number[] {
  const base = bases.reduce((sum, part) => sum + part, 0n)
  if (whole === 0n || base === 0n) return bases.map(() => 0)
  // Shares are computed cumulatively. The rounding error of a line is added to the next one, so that the sum of the shares is exact.
  let seen = 0n
  let given = 0n
  return bases.map((part) => {
    seen += part
    const upTo = base > 0n ? divideHalfUp(whole * seen, base) : divideHalfUp(-whole * seen, -base)
    const own = upTo - given
    given = upTo
    return Number(own)
  })
}

/** Splits what discounts take off a part of a period in proportion to what they took off the whole. The sum of the parts is `whole`. */
export function partOfDiscounts(whole: number, amounts: readonly DiscountAmountBody[]): DiscountAmountBody[] {
  const parts = shares(
    BigInt(whole),
    amounts.map(({ amount }) => BigInt(amount)),
  )
  return amounts.map(({ discount }, index) => ({ amount: parts[index] ?? 0, discount }))
}

function totalOff(coupon: CouponBody, currency: string, base: bigint): bigint {
  if (coupon.percent_off !== null) {
    return divideHalfUp(base * parseDecimal(String(coupon.percent_off)), 100n * scale)
  }
  const off = BigInt(amountOff(coupon, currency) ?? 0)
  if (base <= 0n) return 0n
  return off < base ? off : base
}
