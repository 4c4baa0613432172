import type { OperationContext } from '../../protocol/operation-context.ts'
import { cardNulls } from '../../objects/constants.ts'
import type { PaymentMethodBody } from '../../objects/customer-bodies.ts'
import {
  cardDeclined,
  missingParam,
  noSuchReference,
  noSuchResource,
  notSupported,
  badRequest,
} from '../../protocol/responses/errors.ts'
import { newId } from '../../protocol/ids.ts'
import { listing, post, retrieve, type Operation } from '../../protocol/operation.ts'
import { pageFields, where } from '../../protocol/responses/list-pages.ts'
import { applyMetadata, metadata } from '../../protocol/parameters/metadata.ts'
import { email, emptyable, oneOf, required, shape, text, type Read } from '../../protocol/parameters/params.ts'
import { addressFields, toAddress } from '../customers/addresses.ts'
import { accountByIban, declineOf, testCards, type TestCard } from './test-payment-methods.ts'

export function newPaymentMethod(
  call: OperationContext,
  card: TestCard,
  customer: string | null,
  source?: { readonly id: string },
): PaymentMethodBody {
  if (card.declines === 'attach' && customer !== null) throw cardDeclined(card.decline)
  const body: PaymentMethodBody = {
    ...blankMethod(call, customer),
    ...source,
    card: {
      ...cardNulls,
      brand: card.brand,
      country: 'US',
      display_brand: card.brand,
      exp_month: 12,
      exp_year: new Date(call.now * 1000).getUTCFullYear() + 3,
      funding: 'credit',
      last4: card.number.slice(-4),
    },
    type: 'card',
    _declines: card.declines !== undefined,
    ...(card.requiresAuthentication === true ? { _asks: true } : {}),
  }
  return call.create(body, customer === null || source !== undefined ? null : 'payment_method.attached')
}

function blankMethod(call: OperationContext, customer: string | null): Omit<PaymentMethodBody, 'type' | '_declines'> {
  return {
    id: newId('pm_1', 23),
    object: 'payment_method',
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    created: call.now,
    customer,
    metadata: {},
    _fresh: customer === null,
  }
}

/** Creates a bank account for debits. It is attached to no customer. */
export function newBankAccount(call: OperationContext, iban: string): PaymentMethodBody {
  const account = accountByIban(iban)
  if (account === undefined) throw notSupported('an IBAN that is not one of its test accounts', 'sepa_debit[iban]')
  return call.create<PaymentMethodBody>({ ...blankMethod(call, null), ...account, type: 'sepa_debit' }, null)
}

/** True if the bank declines to attach the card to a customer. */
export function declinesAttachment({ card }: PaymentMethodBody): boolean {
  return testCards.some(({ number, declines }) => declines === 'attach' && number.slice(-4) === card?.last4)
}

/**
 * Returns the error for an unknown id: "not supported" for a test card of Stripe that the sandbox lacks, otherwise the API's "no such"
 * error.
 */
function unknownMethodError(id: string): Error {
  if (id.startsWith('pm_card_')) return notSupported(`the test card \`${id}\``, 'payment_method')
  return noSuchReference('PaymentMethod', id, 'payment_method')
}

function usedUpError(): Error {
  const message =
    'This PaymentMethod was previously used without being attached to a Customer or was detached from a Customer, and may not be used again.'
  return badRequest(message)
}

/** Throws unless the id is the name of a test card or an existing payment method. */
export function refuseUnknownMethod(call: OperationContext, id: string): void {
  if (testCards.some(({ name }) => name === id) || call.find('payment_method', id) !== undefined) return
  throw unknownMethodError(id)
}

/**
 * Returns a payment method attached to the customer. The name of a test card (e.g. `pm_card_visa`) creates a new card. An existing payment
 * method must already be attached to this customer, or must never have been attached or used.
 */
export function attachToCustomer(call: OperationContext, id: string, customer: string): PaymentMethodBody {
  const card = testCards.find(({ name }) => name === id)
  if (card !== undefined) return newPaymentMethod(call, card, customer)
  const known = call.find('payment_method', id)
  if (known === undefined)
    throw id.startsWith('pm_card_') ? unknownMethodError(id) : noSuchResource('PaymentMethod', id, 'payment_method')
  if (known.customer === customer) return known
  if (known.type === 'sepa_debit') throw notSupported('bank accounts that a customer keeps', 'payment_method')
  if (known._fresh === true) {
    if (declinesAttachment(known)) throw cardDeclined(declineOf(known))
    return call.update(known, { ...known, customer, _fresh: false }, 'payment_method.attached')
  }
  if (known.customer === null) throw usedUpError()
  throw badRequest('The payment method you provided has already been attached to a customer.', 'payment_method')
}

function cardOfToken(token: string, name: string): TestCard {
  const card = token.startsWith('tok_') ? testCards.find((one) => one.name === `pm_card_${token.slice(4)}`) : undefined
  if (card !== undefined) return card
  throw /^tok_[a-z]/.test(token)
    ? notSupported(`the test token \`${token}\``, name)
    : noSuchReference('token', token, name)
}

const details = shape({
  address: emptyable(shape(addressFields)),
  email: emptyable(email()),
  name: emptyable(text()),
  phone: emptyable(text()),
})
const sharedFields = { billing_details: details, metadata: metadata() }

function withDetails(before: PaymentMethodBody, params: Read<typeof sharedFields>): PaymentMethodBody {
  const { address, email, name, phone } = before.billing_details
  const given = params.billing_details
  const place = given?.address
  return {
    ...before,
    billing_details: {
      address: place === undefined ? address : place && toAddress(place),
      email: given?.email === undefined ? email : given.email,
      name: given?.name === undefined ? name : given.name,
      phone: given?.phone === undefined ? phone : given.phone,
      tax_id: null,
    },
    metadata: applyMetadata(before.metadata, params.metadata),
  }
}

/**
 * Creates a payment method that is attached to no customer. Cards are accepted as tokens only, because programs never send card numbers to
 * a server.
 */
function create(call: OperationContext): PaymentMethodBody {
  const params = call.read({
    ...sharedFields,
    card: shape({ token: required(text()) }),
    sepa_debit: shape({ iban: required(text({ max: 5000 })) }),
    type: required(oneOf('card', 'sepa_debit')),
  })
  const made = params.type === 'card' ? createCard(call, params.card) : createBankAccount(call, params)
  return call.update(made, withDetails(made, params), null)
}

function createCard(call: OperationContext, card: { readonly token: string } | undefined): PaymentMethodBody {
  if (card === undefined) throw missingParam('card')
  return newPaymentMethod(call, cardOfToken(card.token, 'card[token]'), null)
}

/** Creates a bank account from a request. A SEPA mandate needs the payer's name and email. */
function createBankAccount(
  call: OperationContext,
  {
    sepa_debit: account,
    billing_details: given,
  }: { readonly sepa_debit: { readonly iban: string } | undefined } & Read<typeof sharedFields>,
): PaymentMethodBody {
  if (account === undefined) throw missingParam('sepa_debit')
  for (const name of ['name', 'email'] as const) {
    if (typeof given?.[name] !== 'string') throw missingParam(`billing_details[${name}]`)
  }
  return newBankAccount(call, account.iban)
}

function update(call: OperationContext): PaymentMethodBody {
  const before = call.subject('payment_method')
  return call.update(before, withDetails(before, call.read(sharedFields)), 'payment_method.updated')
}

/** Id prefix of cards created from tokens. */
export const sourcePrefix = 'card_'

/** Creates a card from a token, i.e. a source. Emits `customer.source.created` instead of `payment_method.attached`. */
export function cardByToken(call: OperationContext, token: string, customer: string): PaymentMethodBody {
  return newPaymentMethod(call, cardOfToken(token, 'source'), customer, { id: newId(`${sourcePrefix}1`, 23) })
}

/**
 * Returns the payment method for one payment. The name of a test card creates a new card. An existing payment method must be one that the
 * customer may use.
 */
export function methodForPayment(call: OperationContext, id: string, customer: string | null): PaymentMethodBody {
  const card = testCards.find(({ name }) => name === id)
  if (card !== undefined) return newPaymentMethod(call, card, null)
  const known = call.find('payment_method', id)
  if (known === undefined) throw unknownMethodError(id)
  if (known.customer === null && known._fresh === false) throw usedUpError()
  if (known.customer === null || known.customer === customer) return known
  throw badRequest('The payment method does not belong to the customer of the payment.', 'payment_method')
}

function attach(call: OperationContext): PaymentMethodBody {
  const params = call.read({ customer: required(text()) })
  const customer = call.reference('customer', params.customer, 'customer')
  return attachToCustomer(call, call.id, customer.id)
}

function detach(call: OperationContext): PaymentMethodBody {
  const before = call.subject('payment_method')
  call.read({})
  const owner = before.customer === null ? undefined : call.find('customer', before.customer)
  if (owner !== undefined) {
    const { default_source: source, invoice_settings: settings } = owner
    const other = (id: string | null): string | null => (id === before.id ? null : id)
    const left = { ...settings, default_payment_method: other(settings.default_payment_method) }
    call.update(owner, { ...owner, default_source: other(source), invoice_settings: left }, 'customer.updated')
  }
  return call.update(before, { ...before, customer: null, _fresh: false }, 'payment_method.detached')
}

const base = '/v1/payment_methods'
const of = 'payment_method'
const methodType = oneOf('card', 'sepa_debit')

export const paymentMethods: readonly Operation[] = [
  listing(base, of, { customer: text(), type: methodType }),
  post(base, of, create),
  {
    method: 'GET',
    path: '/v1/customers/:id/payment_methods',
    of,
    list: true,
    run: (call) => {
      const customer = call.subject('customer')
      const params = call.read({ ...pageFields, type: methodType })
      const conditions = [{ field: 'customer', is: customer.id }, ...where('type', params.type)]
      return { page: call.page(of, params, conditions) }
    },
  },
  retrieve(`${base}/:id`, of),
  post(`${base}/:id`, of, update),
  post(`${base}/:id/attach`, of, attach),
  post(`${base}/:id/detach`, of, detach),
]
