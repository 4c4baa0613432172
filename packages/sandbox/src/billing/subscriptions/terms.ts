// Billing terms of a subscription, in a request or a phase: collection method, days until due, taxes.
import type { AutomaticTaxBody, CollectionMethod, SubscriptionBody } from '../../objects/customer-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { StripeError, badRequest } from '../../protocol/responses/errors.ts'
import { boolean, emptyable, list, oneOf, required, shape, text, type Read } from '../../protocol/parameters/params.ts'

export const taxRatesParam = emptyable(list(text(), { max: 10 }))

export const termFields = {
  automatic_tax: shape({ enabled: required(boolean()), liability: shape({ type: required(oneOf('self')) }) }),
  collection_method: oneOf('charge_automatically', 'send_invoice'),
  default_tax_rates: taxRatesParam,
}

type TermParams = Partial<Read<typeof termFields>> & { readonly days_until_due?: number | undefined }

export type Terms = Pick<
  SubscriptionBody,
  'automatic_tax' | 'collection_method' | 'days_until_due' | 'default_tax_rates'
>

export const noTax: AutomaticTaxBody = { disabled_reason: null, enabled: false, liability: null }

export const defaultTerms: Terms = {
  automatic_tax: noTax,
  collection_method: 'charge_automatically',
  days_until_due: null,
  default_tax_rates: [],
}

/** Returns the terms with the changes of a request. Checks the rules that combine several terms. */
export function termsAfter(call: OperationContext, customer: string, before: Terms, given: TermParams): Terms {
  const method = given.collection_method ?? before.collection_method
  const days = given.days_until_due ?? (method === 'send_invoice' ? before.days_until_due : null)
  checkDays(method, days)
  const taxed =
    given.automatic_tax === undefined ? before.automatic_tax : automaticTax(call, customer, given.automatic_tax.enabled)
  return {
    automatic_tax: taxed,
    collection_method: method,
    days_until_due: days,
    default_tax_rates:
      given.default_tax_rates === undefined
        ? before.default_tax_rates
        : usableTaxRates(call, given.default_tax_rates, 'default_tax_rates', before.default_tax_rates),
  }
}

function checkDays(method: CollectionMethod, days: number | null): void {
  if (method === 'send_invoice' && days === null) {
    throw badRequest("If invoice collection method is 'send_invoice', you must specify 'days_until_due'.")
  }
  if (method === 'charge_automatically' && days !== null) {
    throw badRequest("You can only specify 'days_until_due' if invoice collection method is 'send_invoice'.")
  }
}

/**
 * Returns the `automatic_tax` of a subscription or invoice. The sandbox has no tax registrations, so automatic tax is always 0. As in the
 * real API, it needs the customer's country.
 */
export function automaticTax(call: OperationContext, customer: string, enabled: boolean): AutomaticTaxBody {
  if (!enabled) return noTax
  if ((call.find('customer', customer)?.address?.country ?? null) === null) {
    const message =
      "The customer's location isn't recognized. Set a valid customer address in order to automatically calculate tax."
    throw new StripeError(message, { code: 'customer_tax_location_invalid' })
  }
  return { disabled_reason: null, enabled: true, liability: { type: 'self' } }
}

/**
 * Checks that the tax rates are active, and returns their ids. `held` are rates that the subscription already has, which stay usable. Source:
 * the SDK's documentation of `active`.
 */
export function usableTaxRates(
  call: OperationContext,
  given: readonly string[] | null,
  name: string,
  held: readonly string[] = [],
): string[] {
  return (given ?? []).map((id, index) => {
    const param = `${name}[${index}]`
    const rate = call.reference('tax_rate', id, param)
    if (!rate.active && !held.includes(id))
      throw badRequest(`The tax rate ${id} is inactive and cannot be used.`, param)
    return id
  })
}
