import { attempt } from '../billing/invoices/invoicing.ts'
import { reflect } from '../billing/subscriptions/subscription-status.ts'
import { notAuthenticated, tried } from '../billing/payments/payments.ts'
import { momentOf } from '../billing/subscriptions/subscription-records.ts'
import { setUp, setupNotAuthenticated } from '../billing/payments/setup-intents.ts'
import type { NextActionBody, PaymentIntentBody, SetupIntentBody } from '../objects/session-bodies.ts'
import type { PaymentMethodBody } from '../objects/customer-bodies.ts'
import type { Call } from '../protocol/operation-context.ts'
import { formatMinor } from '../money/format.ts'
import { html, page, redirect } from './html.ts'
import type { Page } from './html.ts'

type Intent = PaymentIntentBody | SetupIntentBody

/** The page on which the cardholder completes 3-D Secure. */
export function showAuthentication(intent: Intent): Page {
  if (intent.status !== 'requires_action') return page('Authentication', html`<p>Nothing waits for an answer here.</p>`)
  const what =
    intent.object === 'setup_intent' ? 'to keep this card' : `to pay ${formatMinor(intent.amount, intent.currency)}`
  return page(
    'Authentication',
    html`<p>Your bank asks whether it is you who wants ${what}.</p>
      <form method="post">
        <button name="action" value="complete">Complete</button>
        <button name="action" value="fail">Fail</button>
      </form>`,
  )
}

/** Completes the authentication, as passed or failed. */
export function submitAuthentication(outer: Call, intent: Intent, action: string): Page {
  const card = outer.find('payment_method', intent.payment_method ?? '')
  if (intent.status !== 'requires_action' || card === undefined) return showAuthentication(intent)
  if (action !== 'complete' && action !== 'fail') return showAuthentication(intent)
  const customer = outer.find('customer', intent.customer ?? '')
  const call = outer.at(momentOf(outer, customer?.test_clock ?? null))
  const passed = action === 'complete'
  if (intent.object === 'setup_intent') answerSetup(call, intent, card, passed)
  else answerPayment(call, intent, card, passed)
  const back = returnUrl(intent, passed)
  const said = passed ? 'Done: the bank was told that it is you.' : 'The bank was told that it is not you.'
  return back === undefined ? page('Authentication', html`<p>${said}</p>`) : redirect(back)
}

function answerSetup(call: Call, intent: SetupIntentBody, card: PaymentMethodBody, passed: boolean): void {
  if (passed) setUp(call, intent, card, { authenticated: true })
  else setupNotAuthenticated(call, intent, card)
}

function answerPayment(call: Call, intent: PaymentIntentBody, card: PaymentMethodBody, passed: boolean): void {
  const invoice = call.find('invoice', intent._invoice ?? '')
  if (!passed) {
    notAuthenticated(call, intent, card)
    if (invoice !== undefined) call.announce('invoice.payment_failed', invoice)
  } else if (invoice === undefined) tried(call, intent, card, { authenticated: true })
  else reflect(call, attempt(call, invoice, { card: card.id, manual: true, authenticated: true }))
}

/** The caller's `return_url`, with the query parameters that the real API adds. */
function returnUrl(
  { id, client_secret: secret, next_action: action, object }: Intent,
  passed: boolean,
): string | undefined {
  const to = wayBack(action)
  if (to === undefined) return undefined
  const url = new URL(to)
  url.searchParams.set(object, id)
  url.searchParams.set(`${object}_client_secret`, secret)
  url.searchParams.set('redirect_status', passed ? 'succeeded' : 'failed')
  return url.href
}

function wayBack(action: NextActionBody | null): string | undefined {
  return action?.type === 'redirect_to_url' ? action.redirect_to_url.return_url : undefined
}
