import type { CustomerBody } from '../../objects/bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { cancelAllOf } from '../../billing/subscriptions/cancel.ts'
import { deletedDiscount, readDiscounts, redeem } from '../../billing/pricing/discounts.ts'
import { customFieldsParam } from '../../billing/invoices/invoice-text.ts'
import { timeOf } from '../../billing/subscriptions/subscription-records.ts'
import { noActiveDiscount } from '../../protocol/responses/errors.ts'
import { newCode, newId } from '../../protocol/ids.ts'
import { changed, metadata } from '../../protocol/parameters/metadata.ts'
import { deletedResult, deletion, listing, post, type HandlerResult, type Operation } from '../../protocol/operation.ts'
import {
  email,
  boolean,
  emptyable,
  integer,
  list,
  oneOf,
  range,
  required,
  shape,
  text,
} from '../../protocol/parameters/params.ts'
import type { Fields, Read } from '../../protocol/parameters/params.ts'
import { addressFields, toAddress } from './addresses.ts'
import { addSource } from './customer-sources.ts'
import { attachToCustomer } from '../payments/payment-methods.ts'
import { paymentMethodFor } from '../subscriptions/subscriptions.ts'

const address = shape(addressFields)

const invoiceSettingFields = {
  custom_fields: customFieldsParam,
  default_payment_method: emptyable(text()),
  footer: text(),
  rendering_options: emptyable(
    shape({ amount_tax_display: emptyable(oneOf('exclude_tax', 'include_inclusive_tax')), template: text() }),
  ),
}

const sharedFields = {
  address: emptyable(address),
  balance: integer(),
  description: emptyable(text()),
  email: emptyable(email()),
  invoice_prefix: text({ max: 12, pattern: /^[A-Z0-9]{1,12}$/ }),
  invoice_settings: shape(invoiceSettingFields),
  metadata: metadata(),
  name: emptyable(text({ max: 256 })),
  next_invoice_sequence: integer({ min: 1 }),
  phone: emptyable(text({ max: 20 })),
  preferred_locales: list(text()),
  shipping: emptyable(shape({ address: required(address), name: required(text()), phone: text() })),
  tax_exempt: emptyable(oneOf('exempt', 'none', 'reverse')),
  validate: boolean(),
} satisfies Fields

/** Parameters that only former API versions accept. Source: the SDK's changelog, 18.0.0. */
const formerFields = { coupon: emptyable(text()), promotion_code: emptyable(text()) }
const couponsUntil = '2025-03-31.basil'

const createFields = {
  ...sharedFields,
  payment_method: text(),
  source: text(),
  test_clock: text(),
}

type FormerParams = Partial<Read<typeof formerFields>>
type CustomerParams = Read<typeof createFields> & FormerParams

/** Returns the customer with the changes of a request. Absent parameters change nothing; an empty parameter clears its field. */
function withParams(customer: CustomerBody, params: Read<typeof sharedFields>): CustomerBody {
  const { address: place, shipping, invoice_settings: settings } = params
  const { balance, description, email, invoice_prefix, metadata, name, next_invoice_sequence, phone } = params
  return {
    ...changed(customer, { balance, description, email, invoice_prefix, metadata, name, next_invoice_sequence, phone }),
    address: place === undefined ? customer.address : place && toAddress(place),
    invoice_settings: settings === undefined ? customer.invoice_settings : settingsAfter(customer, settings),
    preferred_locales: [...(params.preferred_locales ?? customer.preferred_locales)],
    shipping:
      shipping === undefined
        ? customer.shipping
        : shipping && { address: toAddress(shipping.address), name: shipping.name, phone: shipping.phone ?? null },
    tax_exempt: params.tax_exempt === undefined ? customer.tax_exempt : (params.tax_exempt ?? 'none'),
  }
}

function settingsAfter(
  customer: CustomerBody,
  given: Read<typeof invoiceSettingFields>,
): CustomerBody['invoice_settings'] {
  const before = customer.invoice_settings
  const { custom_fields: fields, rendering_options: rendering } = given
  return {
    custom_fields: fields === undefined ? before.custom_fields : fields && [...fields],
    default_payment_method:
      given.default_payment_method === undefined ? before.default_payment_method : given.default_payment_method,
    footer: given.footer ?? before.footer,
    rendering_options:
      rendering === undefined
        ? before.rendering_options
        : rendering && {
            amount_tax_display: rendering.amount_tax_display ?? null,
            template: rendering.template ?? null,
          },
  }
}

/** Returns a customer with default values, on a test clock or, if `clock` is null, on the account's clock. */
function blankCustomer(call: OperationContext, clock: string | null): CustomerBody {
  return {
    id: newId('cus_'),
    object: 'customer',
    address: null,
    balance: 0,
    created: call.now,
    currency: null,
    default_source: null,
    delinquent: false,
    description: null,
    discount: null,
    email: null,
    invoice_prefix: newCode(),
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    metadata: {},
    name: null,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: clock,
  }
}

/** Creates the customer of a checkout session without a customer. */
export function customerFromCheckout(call: OperationContext, email: string | null): CustomerBody {
  return call.create({ ...blankCustomer(call, null), email }, 'customer.created')
}

/** Checks that the default payment method is attached to the customer. */
function checkDefaultCard(call: OperationContext, id: string | null | undefined, customer: string): void {
  if (typeof id === 'string') paymentMethodFor(call, id, customer, 'invoice_settings[default_payment_method]')
}

/**
 * Returns the customer's discount after the request, and a function `tell` that emits the event of the discount. The caller stores the
 * customer, then calls `tell`.
 */
function ownDiscount(
  call: OperationContext,
  customer: CustomerBody,
  { coupon, promotion_code: code }: FormerParams,
): { readonly id: string | null; readonly tell: () => void } {
  if (coupon === undefined && code === undefined) return { id: customer.discount, tell: () => undefined }
  const before = customer.discount === null ? undefined : call.find('discount', customer.discount)
  const purchase = { customer, currency: customer.currency ?? '', subtotal: Number.MAX_SAFE_INTEGER }
  const given = { coupon: coupon ?? undefined, discount: undefined, promotion_code: code ?? undefined }
  const requested = given.coupon === undefined && given.promotion_code === undefined ? [] : [given]
  const redeemable = readDiscounts(call, requested, purchase, [], null, customer.currency !== null)
  const [id] = redeem(call, redeemable, { customer: customer.id, subscription: null, session: null }, null)
  const made = id === undefined ? undefined : call.find('discount', id)
  const tell = (): void => {
    if (made !== undefined)
      call.emit(before === undefined ? 'customer.discount.created' : 'customer.discount.updated', made)
    else if (before !== undefined) call.emit('customer.discount.deleted', before)
  }
  return { id: id ?? null, tell }
}

function create(outer: OperationContext): CustomerBody {
  const params: CustomerParams = outer.isBefore(couponsUntil)
    ? outer.read({ ...createFields, ...formerFields })
    : outer.read(createFields)
  const { test_clock: clock = null } = params
  if (clock !== null) outer.reference('test_helpers.test_clock', clock, 'test_clock')
  const call = outer.at(timeOf(outer, clock))
  const blank = blankCustomer(call, clock)
  const discount = ownDiscount(call, blank, params)
  const customer = createCustomer(call, { ...blank, discount: discount.id }, params)
  discount.tell()
  return customer
}

function createCustomer(call: OperationContext, blank: CustomerBody, params: Read<typeof createFields>): CustomerBody {
  const requested = params.invoice_settings?.default_payment_method
  if (params.source !== undefined) {
    const made = call.create(withParams(blank, params), 'customer.created')
    return call.update(made, { ...made, default_source: addSource(call, made, params.source).id }, null)
  }
  if (params.payment_method === undefined) {
    checkDefaultCard(call, requested, '')
    return call.create(withParams(blank, params), 'customer.created')
  }
  const made = call.create(withParams(blank, params), 'customer.created')
  const card = attachToCustomer(call, params.payment_method, made.id)
  if (requested === undefined || requested === null) return made
  // If the request names a test card (e.g. `pm_card_visa`) twice, the default payment method is the card that was just created for it.
  const id = requested === params.payment_method ? card.id : requested
  checkDefaultCard(call, id, made.id)
  const settings = { ...made.invoice_settings, default_payment_method: id }
  return call.update(made, { ...made, invoice_settings: settings }, null)
}

function update(call: OperationContext): CustomerBody {
  const before = call.subject('customer')
  const params: Read<typeof sharedFields> & FormerParams = call.isBefore(couponsUntil)
    ? call.read({ ...sharedFields, ...formerFields })
    : call.read(sharedFields)
  checkDefaultCard(call, params.invoice_settings?.default_payment_method, before.id)
  const discount = ownDiscount(call.at(timeOf(call, before.test_clock)), before, params)
  const after = call.update(before, { ...withParams(before, params), discount: discount.id }, 'customer.updated')
  discount.tell()
  return after
}

/** Returns a customer. A deleted customer is returned with `deleted: true`. */
function retrieve(call: OperationContext): HandlerResult {
  call.read({})
  if (call.findDeleted('customer', call.id) !== undefined) return deletedResult(call.id, 'customer')
  return { object: call.subject('customer') }
}

function remove(call: OperationContext): void {
  call.read({})
  const customer = call.subject('customer')
  cancelAllOf(call.at(timeOf(call, customer.test_clock)), customer.id)
  call.remove(customer, 'customer.deleted')
}

/** Removes the customer's discount and returns it. */
function removeDiscount(call: OperationContext): HandlerResult {
  call.read({})
  const customer = call.subject('customer')
  const found = customer.discount === null ? undefined : call.find('discount', customer.discount)
  if (found === undefined) throw noActiveDiscount('customer', customer.id)
  call.update(customer, { ...customer, discount: null }, null)
  call.emit('customer.discount.deleted', found)
  return deletedDiscount(call, found)
}

export const customers: readonly Operation[] = [
  post('/v1/customers', 'customer', create),
  // Customers on a test clock are listed only if the request names the clock. Source: the SDK's documentation of `test_clock`.
  listing(
    '/v1/customers',
    'customer',
    { created: range(), email: text() },
    { test_clock: text() },
    ({ test_clock: clock }) => [{ field: 'test_clock', is: clock ?? null }],
  ),
  { method: 'GET', path: '/v1/customers/:id', of: 'customer', run: retrieve },
  post('/v1/customers/:id', 'customer', update),
  deletion('/v1/customers/:id', 'customer', remove),
  { method: 'DELETE', path: '/v1/customers/:id/discount', of: null, run: removeDiscount },
]
