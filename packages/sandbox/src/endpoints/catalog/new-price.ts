import type { PriceBody, RecurringBody, TierBody } from '../../objects/bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { missingParam, onlyOneOf, badRequest } from '../../protocol/responses/errors.ts'
import { newId } from '../../protocol/ids.ts'
import { applyMetadata, metadata } from '../../protocol/parameters/metadata.ts'
import { boolean, decimal, integer, oneOf, required, shape, text, type Read } from '../../protocol/parameters/params.ts'
import {
  currencyOptions,
  customAmount,
  taxBehavior,
  tiers,
  toAmount,
  toCurrencyOptions,
  toCustomAmount,
  toTiers,
} from './amounts.ts'
import type { Scheme } from './amounts.ts'
import { currency } from './currencies.ts'

export const interval = oneOf('day', 'week', 'month', 'year')
export const usageType = oneOf('licensed', 'metered')
export const lookupKey = text({ max: 200 })
const transform = shape({ divide_by: required(integer({ min: 1 })), round: required(oneOf('up', 'down')) })

export const recurringFields = {
  interval: required(interval),
  interval_count: integer({ min: 1 }),
  meter: text(),
  trial_period_days: integer({ min: 0 }),
  usage_type: usageType,
}

export const priceFields = {
  currency: required(currency()),
  active: boolean(),
  billing_scheme: oneOf('per_unit', 'tiered'),
  currency_options: currencyOptions,
  custom_unit_amount: customAmount,
  lookup_key: lookupKey,
  metadata: metadata(),
  nickname: text(),
  recurring: shape(recurringFields),
  tax_behavior: taxBehavior,
  tiers,
  tiers_mode: oneOf('graduated', 'volume'),
  transform_quantity: transform,
  unit_amount: integer({ min: 0 }),
  unit_amount_decimal: decimal(),
}
type RecurringParams = Partial<Read<typeof recurringFields>> & Pick<Read<typeof recurringFields>, 'interval'>
type PriceParams = Partial<Omit<Read<typeof priceFields>, 'currency' | 'recurring'>> & {
  readonly currency: string
  readonly recurring?: RecurringParams | undefined
}

/** Parameters in `default_price_data` of a product. Lookup key, nickname, tiers and meter are not accepted. */
export const defaultPriceFields = {
  currency: required(currency()),
  currency_options: currencyOptions,
  custom_unit_amount: customAmount,
  metadata: metadata(),
  recurring: shape({ interval: required(interval), interval_count: integer({ min: 1 }) }),
  tax_behavior: taxBehavior,
  unit_amount: integer({ min: 0 }),
  unit_amount_decimal: decimal(),
}

/** Maximum interval count, i.e. three years in each unit, and the adjective for the error message. */
const maxInterval = {
  day: { count: 1095, name: 'daily' },
  week: { count: 156, name: 'weekly' },
  month: { count: 36, name: 'monthly' },
  year: { count: 3, name: 'yearly' },
} as const

function toRecurring(call: OperationContext, given: PriceParams['recurring']): RecurringBody | null {
  if (given === undefined) return null
  const count = given.interval_count ?? 1
  const limit = maxInterval[given.interval]
  if (count > limit.count) {
    const message = `The interval_count for ${limit.name} prices can't be greater than ${limit.count}`
    throw badRequest(message, 'recurring[interval_count]')
  }
  const usage = given.usage_type ?? 'licensed'
  checkMeter(call, usage, given.meter)
  return {
    interval: given.interval,
    interval_count: count,
    meter: given.meter ?? null,
    trial_period_days: given.trial_period_days ?? null,
    usage_type: usage,
  }
}

function checkMeter(call: OperationContext, usage: 'licensed' | 'metered', id: string | undefined): void {
  const param = 'recurring[meter]'
  if (usage === 'licensed') {
    if (id !== undefined) throw badRequest('A meter can only be set on a price with `usage_type=metered`.', param)
    return
  }
  if (id === undefined) {
    throw badRequest('Starting with Stripe version `2025-03-31.basil`, metered prices must be backed by meters.', param)
  }
  const meter = call.reference('billing.meter', id, param)
  if (meter.status !== 'active') {
    throw badRequest(`The meter \`${id}\` is inactive. You can't attach a deactivated meter to a price.`, param)
  }
}

interface NewPricing {
  readonly custom_unit_amount: PriceBody['custom_unit_amount']
  readonly tiers?: TierBody[]
  readonly tiers_mode: PriceBody['tiers_mode']
  readonly unit_amount: number | null
  readonly unit_amount_decimal: string | null
}

function toTieredPricing(params: PriceParams): NewPricing {
  for (const other of ['unit_amount', 'unit_amount_decimal', 'custom_unit_amount', 'transform_quantity'] as const) {
    if (params[other] !== undefined) throw onlyOneOf(other, 'tiers')
  }
  if (params.recurring === undefined) {
    throw badRequest('Prices with `type=one_time` are not supported with tiered billing.', 'interval')
  }
  if (params.tiers_mode === undefined) throw missingParam('tiers_mode')
  if (params.tiers === undefined) throw missingParam('tiers')
  return {
    custom_unit_amount: null,
    tiers: toTiers(params.tiers, 'tiers'),
    tiers_mode: params.tiers_mode,
    unit_amount: null,
    unit_amount_decimal: null,
  }
}

function toUnitPricing(params: PriceParams): NewPricing {
  for (const name of ['tiers', 'tiers_mode'] as const) {
    if (params[name] !== undefined) {
      throw badRequest(`You can only specify \`${name}\` when \`billing_scheme=tiered\`.`, name)
    }
  }
  const given = (['unit_amount', 'unit_amount_decimal', 'custom_unit_amount'] as const).filter(
    (name) => params[name] !== undefined,
  )
  if (given.length > 1) throw onlyOneOf(...given)
  if (given.length === 0) {
    throw badRequest('Prices require an `unit_amount` or `unit_amount_decimal` parameter to be set.')
  }
  if (params.custom_unit_amount !== undefined && params.recurring !== undefined) {
    throw badRequest('`custom_unit_amount` is not supported on recurring prices.', 'custom_unit_amount')
  }
  return {
    custom_unit_amount: toCustomAmount(params.custom_unit_amount, 'custom_unit_amount'),
    tiers_mode: null,
    ...toAmount(params.unit_amount, params.unit_amount_decimal),
  }
}

/** Returns how the price states its amount. Its currency options must use the same scheme. */
export function schemeOf(price: Pick<PriceBody, 'custom_unit_amount' | 'tiers_mode'>): Scheme {
  if (price.tiers_mode !== null) return 'tiers'
  return price.custom_unit_amount === null ? 'unit_amount' : 'custom_unit_amount'
}

/** Returns a new price, checked but not written yet. */
export function newPrice(call: OperationContext, params: PriceParams, product: string): PriceBody {
  const recurring = toRecurring(call, params.recurring)
  const tiered = params.billing_scheme === 'tiered'
  const pricing = tiered ? toTieredPricing(params) : toUnitPricing(params)
  const behavior = params.tax_behavior ?? 'unspecified'
  return {
    id: newId('price_1', 23),
    object: 'price',
    active: params.active ?? true,
    billing_scheme: tiered ? 'tiered' : 'per_unit',
    created: call.now,
    currency: params.currency,
    currency_options: toCurrencyOptions(params.currency_options ?? new Map(), {
      currency: params.currency,
      scheme: schemeOf(pricing),
      taxBehavior: behavior,
    }),
    lookup_key: params.lookup_key ?? null,
    metadata: applyMetadata({}, params.metadata),
    nickname: params.nickname ?? null,
    product,
    recurring,
    tax_behavior: behavior,
    transform_quantity: params.transform_quantity ?? null,
    type: recurring === null ? 'one_time' : 'recurring',
    ...pricing,
  }
}

/** Writes a new price. With `transfer`, the price takes its lookup key from the price that has it. */
export function writePrice(call: OperationContext, price: PriceBody, transfer = false): PriceBody {
  freeLookupKey(call, price.lookup_key, transfer, price.id)
  return call.create(price, 'price.created')
}

/** Checks that the lookup key is free. An active or archived price keeps its key until `transfer` moves the key to another price. */
export function freeLookupKey(call: OperationContext, key: string | null, transfer: boolean, taker: string): void {
  if (key === null) return
  const holder = call.select('price', [{ field: 'lookup_key', is: key }], 1)[0]
  if (holder === undefined || holder.id === taker) return
  if (!transfer) throw badRequest(`A price (\`${holder.id}\`) already uses that lookup key.`, 'lookup_key')
  call.update(holder, { ...holder, lookup_key: null }, 'price.updated')
}
