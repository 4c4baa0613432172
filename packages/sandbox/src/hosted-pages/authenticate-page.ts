import { attemptInvoice } from '../billing/invoices/invoicing.ts'
import { updateStatusAfter } from '../billing/subscriptions/subscription-status.ts'
import { failAuthentication, attemptIntent } from '../billing/payments/payments.ts'
import { timeOf } from '../billing/subscriptions/subscription-records.ts'
import { attemptSetup, failSetupAuthentication } from '../billing/payments/setup-intents.ts'
import type { NextActionBody, PaymentIntentBody, SetupIntentBody } from '../objects/session-bodies.ts'
import type { PaymentMethodBody } from '../objects/customer-bodies.ts'
import type { OperationContext } from '../protocol/operation-context.ts'
import { formatMinor } from '../money/format.ts'
import { html, page, redirect, type HtmlResponse } from './html.ts'

type Intent = PaymentIntentBody | SetupIntentBody

/** Renders the page on which the cardholder completes 3-D Secure. */
export function showAuthentication(intent: Intent): HtmlResponse {
  if (intent.status !== 'requires_action')
    return page('Authentication', html`<p>This payment needs no authentication.</p>`)
  const what =
    intent.object === 'setup_intent' ? 'to save this card' : `to pay ${formatMinor(intent.amount, intent.currency)}`
  return page(
    'Authentication',
    html`<p>Your bank asks you to confirm that you want ${what}.</p>
      <form method="post">
        <button name="action" value="complete">Complete</button>
        <button name="action" value="fail">Fail</button>
      </form>`,
  )
}

/** Handles the submitted form: records whether the customer passed or failed 3-D Secure. */
export function submitAuthentication(outer: OperationContext, intent: Intent, action: string): HtmlResponse {
  const card = outer.find('payment_method', intent.payment_method ?? '')
  if (intent.status !== 'requires_action' || card === undefined) return showAuthentication(intent)
  if (action !== 'complete' && action !== 'fail') return showAuthentication(intent)
  const customer = outer.find('customer', intent.customer ?? '')
  const call = outer.at(timeOf(outer, customer?.test_clock ?? null))
  const passed = action === 'complete'
  if (intent.object === 'setup_intent') completeSetup(call, intent, card, passed)
  else completePayment(call, intent, card, passed)
  const back = returnUrl(intent, passed)
  const message = passed ? 'Authentication succeeded.' : 'Authentication failed.'
  return back === undefined ? page('Authentication', html`<p>${message}</p>`) : redirect(back)
}

function completeSetup(
  call: OperationContext,
  intent: SetupIntentBody,
  card: PaymentMethodBody,
  passed: boolean,
): void {
  if (passed) attemptSetup(call, intent, card, { authenticated: true })
  else failSetupAuthentication(call, intent, card)
}

function completePayment(
  call: OperationContext,
  intent: PaymentIntentBody,
  card: PaymentMethodBody,
  passed: boolean,
): void {
  const invoice = call.find('invoice', intent._invoice ?? '')
  if (!passed) {
    failAuthentication(call, intent, card)
    if (invoice !== undefined) call.emit('invoice.payment_failed', invoice)
  } else if (invoice === undefined) attemptIntent(call, intent, card, { authenticated: true })
  else updateStatusAfter(call, attemptInvoice(call, invoice, { card: card.id, manual: true, authenticated: true }))
}

/** Returns the caller's `return_url`, with the query parameters that the real API adds. Undefined if the intent has none. */
function returnUrl(
  { id, client_secret: secret, next_action: action, object }: Intent,
  passed: boolean,
): string | undefined {
  const to = redirectTarget(action)
  if (to === undefined) return undefined
  const url = new URL(to)
  url.searchParams.set(object, id)
  url.searchParams.set(`${object}_client_secret`, secret)
  url.searchParams.set('redirect_status', passed ? 'succeeded' : 'failed')
  return url.href
}

function redirectTarget(action: NextActionBody | null): string | undefined {
  return action?.type === 'redirect_to_url' ? action.redirect_to_url.return_url : undefined
}
