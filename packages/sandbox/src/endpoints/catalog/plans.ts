// Plans, the predecessor of prices: a plan is a recurring price in an older form.
import type { PriceBody } from '../../objects/bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import {
  alreadyExists,
  missingParam,
  noSuchResource,
  notSupported,
  badRequest,
} from '../../protocol/responses/errors.ts'
import { planOf } from '../../protocol/responses/expand.ts'
import { isNode } from '../../protocol/parameters/form.ts'
import { createdIn, pageFields, where } from '../../protocol/responses/list-pages.ts'
import { changed, metadata } from '../../protocol/parameters/metadata.ts'
import { deletion, type HandlerResult, type Operation } from '../../protocol/operation.ts'
import { boolean, decimal, emptyable, integer, range, required, shape, text } from '../../protocol/parameters/params.ts'
import type { Param, Read } from '../../protocol/parameters/params.ts'
import { newId } from '../../protocol/ids.ts'
import { newPrice, priceFields, recurringFields } from './new-price.ts'
import { newProduct } from './new-product.ts'
import { productDataFields } from './prices.ts'

const { meter, interval_count, usage_type } = recurringFields

const productData = shape(productDataFields)
const product: Param<string | Read<typeof productDataFields>, false> = {
  required: false,
  read: (value, name) => (isNode(value) ? productData.read(value, name) : text().read(value, name)),
}

const createFields = {
  active: boolean(),
  amount: integer({ min: 0 }),
  amount_decimal: decimal(),
  billing_scheme: priceFields.billing_scheme,
  currency: priceFields.currency,
  id: text(),
  interval: recurringFields.interval,
  interval_count,
  metadata: metadata(),
  meter,
  nickname: text(),
  product: required(product),
  tiers: priceFields.tiers,
  tiers_mode: priceFields.tiers_mode,
  transform_usage: priceFields.transform_quantity,
  trial_period_days: recurringFields.trial_period_days,
  usage_type,
}

const updateFields = { active: boolean(), metadata: metadata(), nickname: emptyable(text()) }

/** Returns the price as a plan. `planOf` returns null for one-time prices only, and callers pass recurring prices. */
function asPlan(price: PriceBody): Readonly<Record<string, unknown>> {
  return planOf(price) ?? {}
}

function subject(call: OperationContext): PriceBody {
  const found = call.find('price', call.id)
  if (found === undefined || found.recurring === null) throw noSuchResource('plan', call.id, 'plan')
  return found
}

function create(call: OperationContext): HandlerResult {
  const { amount, amount_decimal, id, product: of, transform_usage, ...params } = call.read(createFields)
  const { interval, interval_count: count, meter: by, trial_period_days, usage_type: usage, ...own } = params
  if (id !== undefined && call.find('price', id) !== undefined) throw alreadyExists('Plan')
  if (params.billing_scheme !== 'tiered' && amount === undefined && amount_decimal === undefined)
    throw missingParam('amount')
  const made = typeof of === 'string' ? call.reference('product', of, 'product') : newProduct(call, of)
  const recurring = { interval, interval_count: count, meter: by, trial_period_days, usage_type: usage }
  const amounts = { unit_amount: amount, unit_amount_decimal: amount_decimal, transform_quantity: transform_usage }
  const price = { ...newPrice(call, { ...own, ...amounts, recurring }, made.id), id: id ?? newId('plan_1', 23) }
  if (typeof of !== 'string') call.create(made, 'product.created')
  call.create(price, null)
  call.emitUnstored('plan.created', { ...asPlan(price) })
  call.emit('price.created', price)
  return { unstored: asPlan(price) }
}

function update(call: OperationContext): HandlerResult {
  const before = subject(call)
  const params = call.read(updateFields)
  if (params.active === false && call.find('product', before.product)?.default_price === before.id)
    throw badRequest('This price cannot be archived because it is the default price of its product.')
  const written = call.update(before, changed(before, params), 'price.updated')
  if (written !== before) call.emitUnstored('plan.updated', { ...asPlan(written) }, { ...asPlan(before) })
  return { unstored: asPlan(written) }
}

/**
 * Deletes a plan that is not in use. Stripe keeps subscriptions on a deleted plan running, but in the sandbox their references would
 * dangle.
 */
function remove(call: OperationContext): void {
  call.read({})
  const price = subject(call)
  const named =
    call.find('product', price.product)?.default_price === price.id ||
    call.select('subscription_item', [{ field: 'price', is: price.id }], 1).length > 0 ||
    call.select('checkout.session', [{ field: 'line_items.data', each: 'price', is: price.id }], 1).length > 0 ||
    call
      .select('subscription_schedule', [])
      .some(({ phases }) => phases.some(({ items }) => items.some((item) => item.price === price.id)))
  if (named) throw notSupported('deleting a plan that is in use: archive it with `active`')
  call.remove(price, 'price.deleted')
  call.emitUnstored('plan.deleted', { ...asPlan(price) })
}

function page(call: OperationContext): HandlerResult {
  const params = call.read({ ...pageFields, active: boolean(), created: range(), product: text() })
  const { data, hasMore } = call.page('price', params, [
    ...where('active', params.active),
    ...where('product', params.product),
    ...where('type', 'recurring'),
    ...createdIn(params.created),
  ])
  return { unstored: { object: 'list', data: data.map(asPlan), has_more: hasMore, url: base } }
}

const base = '/v1/plans'

export const plans: readonly Operation[] = [
  { method: 'POST', path: base, of: null, run: create },
  { method: 'GET', path: base, of: null, run: page },
  {
    method: 'GET',
    path: `${base}/:id`,
    of: null,
    run: (call) => {
      call.read({})
      return { unstored: asPlan(subject(call)) }
    },
  },
  { method: 'POST', path: `${base}/:id`, of: null, run: update },
  deletion(`${base}/:id`, 'plan', remove),
]
