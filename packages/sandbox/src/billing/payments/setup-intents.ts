// Setup intents save a card for later payments, unless its bank declines that.
import type { PaymentMethodBody } from '../../objects/customer-bodies.ts'
import type { SetupIntentBody } from '../../objects/session-bodies.ts'
import type { OperationContext } from '../../protocol/operation-context.ts'
import { newId } from '../../protocol/ids.ts'
import { declinesAttachment } from '../../endpoints/payments/payment-methods.ts'
import { declineOf } from '../../endpoints/payments/test-payment-methods.ts'
import { blankIntent, type IntentParams } from './intents.ts'
import { authenticationFailure, nextAction } from './payments.ts'
import { save } from '../subscriptions/subscription-records.ts'

interface SetupIntentParams extends IntentParams {
  readonly usage: SetupIntentBody['usage']
  readonly session: string | null
}

export function newSetupIntent(call: OperationContext, params: SetupIntentParams): SetupIntentBody {
  return call.create<SetupIntentBody>(
    {
      ...blankIntent(call, 'setup_intent', params),
      last_setup_error: null,
      latest_attempt: null,
      usage: params.usage,
      _session: params.session,
    },
    'setup_intent.created',
  )
}

/** Makes one setup attempt. On success the card is attached to the intent's customer, but does not become the default payment method. */
export function attemptSetup(
  call: OperationContext,
  intent: SetupIntentBody,
  card: PaymentMethodBody,
  {
    authenticated = false,
    returnUrl,
  }: { readonly authenticated?: boolean; readonly returnUrl?: string | undefined } = {},
): SetupIntentBody {
  const tried = { ...intent, latest_attempt: newId('setatt_1', 23), next_action: null }
  if (card._asks === true && !authenticated) {
    const waiting = { ...tried, last_setup_error: null, next_action: nextAction(call, intent.id, returnUrl) }
    const pending = { ...waiting, payment_method: card.id, status: 'requires_action' as const }
    return call.update(intent, pending, 'setup_intent.requires_action')
  }
  if (declinesAttachment(card)) {
    const error = {
      ...declineOf(card),
      ...{ payment_method: call.render(card), type: 'card_error' },
    }
    const failed = { ...tried, last_setup_error: error, payment_method: null }
    return call.update(intent, { ...failed, status: 'requires_payment_method' as const }, 'setup_intent.setup_failed')
  }
  // A card that was set up without a customer can still be attached to a customer later.
  if (intent.customer === null) call.update(card, { ...card, _fresh: true }, null)
  else if (card.customer === null)
    call.update(card, { ...card, customer: intent.customer, _fresh: false }, 'payment_method.attached')
  const after = { ...tried, last_setup_error: null, payment_method: card.id, status: 'succeeded' as const }
  const done = call.update(intent, after, 'setup_intent.succeeded')
  assignToSubscription(call, done.id, card.id)
  return done
}

/**
 * Clears `pending_setup_intent` of the subscription that waits for this setup intent. With `save_default_payment_method: on_subscription`,
 * the saved card also becomes the subscription's default payment method. Source: the SDK's documentation of `save_default_payment_method`.
 */
function assignToSubscription(call: OperationContext, intent: string, card: string): void {
  const waiting = call.select('subscription', [{ field: 'pending_setup_intent', is: intent }], 1)[0]
  if (waiting === undefined) return
  const keeps = waiting.payment_settings.save_default_payment_method === 'on_subscription'
  const method = keeps ? card : waiting.default_payment_method
  save(call, waiting, { ...waiting, default_payment_method: method, pending_setup_intent: null })
}

/** Records that the cardholder failed 3-D Secure during setup. */
export function failSetupAuthentication(
  call: OperationContext,
  intent: SetupIntentBody,
  card: PaymentMethodBody,
): SetupIntentBody {
  const error = {
    code: 'setup_intent_authentication_failure',
    message: authenticationFailure.message,
    payment_method: call.render(card),
    type: 'invalid_request_error',
  }
  const failed = { ...intent, last_setup_error: error, next_action: null, payment_method: null }
  return call.update(intent, { ...failed, status: 'requires_payment_method' as const }, 'setup_intent.setup_failed')
}

export function cancelSetup(call: OperationContext, intent: SetupIntentBody, reason: string | null): SetupIntentBody {
  const after = { ...intent, cancellation_reason: reason, next_action: null, status: 'canceled' as const }
  return call.update(intent, after, 'setup_intent.canceled')
}
