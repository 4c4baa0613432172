// Errors that payment intents and setup intents share.
import { timeOf } from '../../billing/subscriptions/subscription-records.ts'
import type { AutomaticMethodsBody, PaymentIntentBody, SetupIntentBody } from '../../objects/session-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { boolean, oneOf, required, shape, type Read } from '../../protocol/parameters/params.ts'
import { badRequest, notSupported, type StripeError } from '../../protocol/responses/errors.ts'

type Intent = PaymentIntentBody | SetupIntentBody

const automaticFields = { allow_redirects: oneOf('always', 'never'), enabled: required(boolean()) }
export const automaticMethodsParam = shape(automaticFields)

/** Returns the setting of a new intent. The account accepts cards, so an intent with automatic payment methods accepts cards too. */
export function automaticMethodsOf(given: Read<typeof automaticFields> | undefined): AutomaticMethodsBody | null {
  if (given === undefined) return null
  const { allow_redirects: redirects = 'always', enabled } = given
  if (enabled) return { allow_redirects: redirects, enabled }
  throw notSupported('`automatic_payment_methods[enabled]=false`', 'automatic_payment_methods[enabled]')
}

/**
 * Refuses the confirmation of an intent that accepts redirects without a URL to return to. Off-session payments need none. Sources: the
 * changelog of 2023-08-16; the message is from public threads.
 */
export function requireReturnUrl(
  { automatic_payment_methods: automatic }: Intent,
  { offSession = false, returnUrl }: { readonly offSession?: boolean; readonly returnUrl: string | undefined },
): void {
  if (automatic?.allow_redirects !== 'always' || returnUrl !== undefined || offSession) return
  throw badRequest(
    'A `return_url` must be specified because this Payment Intent is configured to automatically accept the payment methods ' +
      'enabled in the Dashboard, some of which may require a full page redirect to succeed. If you do not want to accept ' +
      'redirect-based payment methods, set `automatic_payment_methods[enabled]` to `true` and ' +
      '`automatic_payment_methods[allow_redirects]` to `never` when creating Setup Intents and Payment Intents.',
    'return_url',
  )
}

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

/**
 * Returns the context of the call at the current time of the intent's customer. `clock` is the customer's test clock; null for the
 * account's clock.
 */
export function atCustomer(outer: OperationContext, intent: Pick<Intent, 'customer'>) {
  const customer = intent.customer === null ? undefined : outer.find('customer', intent.customer)
  const clock = customer?.test_clock ?? null
  return { call: outer.at(timeOf(outer, clock)), clock }
}
