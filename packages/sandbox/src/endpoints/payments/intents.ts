// Errors that payment intents and setup intents share.
import { timeOf } from '../../billing/subscriptions/subscription-records.ts'
import type { PaymentIntentBody, SetupIntentBody } from '../../objects/session-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { badRequest, type StripeError } from '../../protocol/responses/errors.ts'

type Intent = PaymentIntentBody | SetupIntentBody

const names = { payment_intent: 'PaymentIntent', setup_intent: 'SetupIntent' } as const

export function refuseFinal({ object, status }: Intent, what: string): void {
  if (status !== 'succeeded' && status !== 'canceled' && status !== 'processing') return
  const message = `You cannot ${what} this ${names[object]} because it has a status of ${status}.`
  throw badRequest(message, undefined, `${object}_unexpected_state`)
}

/** Returns the error for a confirmation without any payment method. */
export function missingMethodError({ object }: Intent): StripeError {
  const name = names[object]
  const message = `You cannot confirm this ${name} because it's missing a payment method. Update the ${name} with a payment method and then confirm it again.`
  return badRequest(message, undefined, `${object}_unexpected_state`)
}

/** Returns the call at the current time of the intent's customer. `clock` is the customer's test clock, or null. */
export function atCustomer(outer: OperationContext, intent: Pick<Intent, 'customer'>) {
  const customer = intent.customer === null ? undefined : outer.find('customer', intent.customer)
  const clock = customer?.test_clock ?? null
  return { call: outer.at(timeOf(outer, clock)), clock }
}
