// Sources, the predecessor of payment methods. A source is a card in an older form; it belongs to a customer.
import { customerOf } from '../../billing/subscriptions/subscription-records.ts'
import type { CustomerBody } from '../../objects/bodies.ts'
import type { PaymentMethodBody } from '../../objects/customer-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { noSuchResource } from '../../protocol/responses/errors.ts'
import { pageFields, pageWithin } from '../../protocol/responses/list-pages.ts'
import { applyMetadata, metadata } from '../../protocol/parameters/metadata.ts'
import { deletion, type HandlerResult, type Operation } from '../../protocol/operation.ts'
import { integer, oneOf, required, text } from '../../protocol/parameters/params.ts'
import { cardByToken, sourcePrefix } from '../payments/payment-methods.ts'

const brands: Readonly<Record<string, string>> = { amex: 'American Express', mastercard: 'MasterCard', visa: 'Visa' }

/** Returns the card in its older form. Source: the SDK's documentation of `Card`. */
function asCard(card: PaymentMethodBody): Readonly<Record<string, unknown>> {
  const { address, name } = card.billing_details
  const brand = card.card?.brand ?? ''
  return {
    id: card.id,
    object: 'card',
    address_city: address?.city ?? null,
    address_country: address?.country ?? null,
    address_line1: address?.line1 ?? null,
    address_line1_check: null,
    address_line2: address?.line2 ?? null,
    address_state: address?.state ?? null,
    address_zip: address?.postal_code ?? null,
    address_zip_check: null,
    brand: brands[brand] ?? brand,
    country: card.card?.country ?? null,
    customer: card.customer,
    cvc_check: null,
    dynamic_last4: null,
    exp_month: card.card?.exp_month ?? 0,
    exp_year: card.card?.exp_year ?? 0,
    funding: card.card?.funding ?? 'unknown',
    last4: card.card?.last4 ?? '',
    metadata: card.metadata,
    name,
    regulated_status: null,
    tokenization_method: null,
  }
}

/** Returns the sources of a customer, newest first. Cards that were attached as payment methods are not sources. */
function sourcesOf(call: OperationContext, customer: string): PaymentMethodBody[] {
  return call
    .select('payment_method', [{ field: 'customer', is: customer }])
    .filter(({ id }) => id.startsWith(sourcePrefix))
    .sort((a, b) => b.created - a.created)
}

function subject(call: OperationContext): { readonly customer: CustomerBody; readonly card: PaymentMethodBody } {
  const customer = call.subject('customer')
  const card = call.find('payment_method', call.childId)
  if (card?.customer !== customer.id || !card.id.startsWith(sourcePrefix))
    throw noSuchResource('source', call.childId, 'id')
  return { customer, card }
}

/** Creates a card for a customer from a token (e.g. `tok_visa`). The caller makes a customer's first card the default. */
export function addSource(call: OperationContext, customer: CustomerBody, token: string): PaymentMethodBody {
  const card = cardByToken(call, token, customer.id)
  call.emitUnstored('customer.source.created', asCard(card))
  return card
}

function create(call: OperationContext): HandlerResult {
  const customer = call.subject('customer')
  const params = call.read({ metadata: metadata(), source: required(text()) })
  const made = addSource(call, customer, params.source)
  const card = call.update(made, { ...made, metadata: applyMetadata({}, params.metadata) }, null)
  if (customer.default_source === null)
    call.update(customer, { ...customer, default_source: card.id }, 'customer.updated')
  return { unstored: asCard(card) }
}

const updateFields = {
  address_city: text(),
  address_country: text(),
  address_line1: text(),
  address_line2: text(),
  address_state: text(),
  address_zip: text(),
  exp_month: integer({ min: 1, max: 12 }),
  exp_year: integer({ min: 1970, max: 9999 }),
  metadata: metadata(),
  name: text(),
}

function update(call: OperationContext): HandlerResult {
  const { card: before } = subject(call)
  const params = call.read(updateFields)
  const none = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null }
  const was = before.billing_details.address ?? none
  const address = {
    city: params.address_city ?? was.city,
    country: params.address_country ?? was.country,
    line1: params.address_line1 ?? was.line1,
    line2: params.address_line2 ?? was.line2,
    postal_code: params.address_zip ?? was.postal_code,
    state: params.address_state ?? was.state,
  }
  const known = Object.values(address).some((part) => part !== null)
  const { exp_month: month, exp_year: year } = params
  const after: PaymentMethodBody = {
    ...before,
    billing_details: {
      ...before.billing_details,
      address: known ? address : null,
      name: params.name ?? before.billing_details.name,
    },
    ...(before.card === undefined
      ? {}
      : {
          card: {
            ...before.card,
            exp_month: month ?? before.card.exp_month,
            exp_year: year ?? before.card.exp_year,
          },
        }),
    metadata: applyMetadata(before.metadata, params.metadata),
  }
  const written = call.update(before, after, null)
  if (written !== before) call.emitUnstored('customer.source.updated', asCard(written), asCard(before))
  return { unstored: asCard(written) }
}

/** Deletes a source. If it was the default, the newest of the customer's other sources becomes the default. */
function remove(call: OperationContext): void {
  call.read({})
  const { customer, card } = subject(call)
  call.update(card, { ...card, customer: null, _fresh: false }, null)
  call.emitUnstored('customer.source.deleted', asCard(card))
  const owner = customerOf(call, customer.id)
  if (owner.default_source === card.id) {
    const next = sourcesOf(call, owner.id)[0]?.id ?? null
    call.update(owner, { ...owner, default_source: next }, 'customer.updated')
  }
}

function page(call: OperationContext): HandlerResult {
  const customer = call.subject('customer')
  const { object, ...params } = call.read({ ...pageFields, object: oneOf('bank_account', 'card') })
  const all = object === 'bank_account' ? [] : sourcesOf(call, customer.id)
  const { data, hasMore } = pageWithin(all, params, 'source')
  const url = `/v1/customers/${customer.id}/sources`
  return { unstored: { object: 'list', data: data.map(asCard), has_more: hasMore, url } }
}

const base = '/v1/customers/:id/sources'

export const customerSources: readonly Operation[] = [
  { method: 'POST', path: base, of: null, run: create },
  { method: 'GET', path: base, of: null, run: page },
  {
    method: 'GET',
    path: `${base}/:child`,
    of: null,
    run: (call) => {
      call.read({})
      return { unstored: asCard(subject(call).card) }
    },
  },
  { method: 'POST', path: `${base}/:child`, of: null, run: update },
  deletion(`${base}/:child`, 'card', remove),
]
