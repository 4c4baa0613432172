import { formatMinor } from '../money/format.ts'
import {
  completeSession,
  discountsOf,
  needsCard,
  quote,
  refuseBelowMinimum,
  accountFromIban,
  cardFromNumber,
  codeByText,
} from '../billing/checkout.ts'
import type { Quote } from '../billing/checkout.ts'
import { timeOf, priceOf } from '../billing/subscriptions/subscription-records.ts'
import type { PromotionCodeBody } from '../objects/bodies.ts'
import type { OperationContext } from '../protocol/operation-context.ts'
import { StripeError } from '../protocol/responses/errors.ts'
import type { CheckoutSessionBody } from '../objects/session-bodies.ts'
import { html, page, problem, redirect, type Markup, type HtmlResponse } from './html.ts'

/** Values of the submitted checkout form. */
export interface CheckoutForm {
  readonly action: string
  readonly email: string
  readonly number: string
  readonly iban: string
  readonly code: string
}

/** Renders the checkout page. */
export function showCheckout(
  outer: OperationContext,
  session: CheckoutSessionBody,
  typed: CheckoutForm,
  error: string | null = null,
): HtmlResponse {
  if (session.status === 'complete') return page('Complete', html`<p>This checkout is complete.</p>`)
  if (session.status === 'expired')
    return page(
      'Expired',
      html`<p>This checkout has expired.</p>
        ${back(session)}`,
      410,
    )
  const call = outer.at(timeOf(outer, session._clock))
  const [code, refusal] = codeOf(call, session, typed)
  const quoted = quote(call, session, session.line_items.data, discountsOf(session, code))
  const message = error ?? refusal
  return page(
    'Checkout',
    html`${problem(message)}${session.mode === 'setup' ? html`` : table(call, session, quoted)}${form(session, quoted, typed)}${back(session)}`,
    message === null ? 200 : 402,
  )
}

/** Handles the submitted checkout form. Throws on an error, so that the transaction is rolled back. */
export function submitCheckout(
  outer: OperationContext,
  session: CheckoutSessionBody,
  typed: CheckoutForm,
): HtmlResponse {
  if (session.status !== 'open' || typed.action !== 'pay') return showCheckout(outer, session, typed)
  const call = outer.at(timeOf(outer, session._clock))
  const code = offersCodes(session) && typed.code !== '' ? codeByText(call, session, typed.code) : null
  const card = typed.iban === '' ? cardFromNumber(typed.number) : accountFromIban(typed.iban, typed.email)
  const done = completeSession(outer, session, { card, email: typed.email, code })
  return redirect(done.success_url.replaceAll('{CHECKOUT_SESSION_ID}', done.id))
}

function offersCodes(session: CheckoutSessionBody): boolean {
  return session.allow_promotion_codes === true
}

function codeOf(
  call: OperationContext,
  session: CheckoutSessionBody,
  typed: CheckoutForm,
): [PromotionCodeBody | null, string | null] {
  if (!offersCodes(session) || typed.code === '') return [null, null]
  try {
    const code = codeByText(call, session, typed.code)
    refuseBelowMinimum(session, quote(call, session, session.line_items.data, discountsOf(session, code)).total)
    return [code, null]
  } catch (error) {
    if (error instanceof StripeError) return [null, error.message]
    throw error
  }
}

function table(call: OperationContext, session: CheckoutSessionBody, quoted: Quote): Markup {
  const money = (amount: number): string => formatMinor(amount, session.currency)
  const rows = quoted.items.map((item) => {
    const quantity = item.quantity === null ? 'billed by usage' : `× ${item.quantity}`
    return html`<tr>
      <td>${item.description} ${quantity}${intervalText(call, item.price)}</td>
      <td>${money(item.amount_subtotal)}</td>
    </tr>`
  })
  const off =
    quoted.discount === 0
      ? html``
      : html`<tr>
          <td>Discount</td>
          <td data-testid="discount">${money(-quoted.discount)}</td>
        </tr>`
  return html`<table>
      <tbody>
        ${rows}${off}
      </tbody>
      <tfoot>
        <tr>
          <th>Total due today</th>
          <th data-testid="total">${money(quoted.total)}</th>
        </tr>
      </tfoot>
    </table>
    ${trial(session)}`
}

function intervalText(call: OperationContext, price: string): string {
  const recurring = priceOf(call, { price }).recurring
  if (recurring === null) return ''
  const { interval, interval_count: count } = recurring
  return count === 1 ? ` per ${interval}` : ` every ${count} ${interval}s`
}

function trial({ _plan: plan }: CheckoutSessionBody): Markup {
  if (plan.trial_period_days !== null) return html`<p>${plan.trial_period_days} days free, then as above.</p>`
  return plan.trial_end === null ? html`` : html`<p>Free until ${new Date(plan.trial_end * 1000).toUTCString()}.</p>`
}

function form(session: CheckoutSessionBody, quoted: Quote, typed: CheckoutForm): Markup {
  const email =
    session.customer === null
      ? html`<label
          >Email <input name="email" type="email" required value="${typed.email || (session.customer_email ?? '')}"
        /></label>`
      : html``
  const ways = session.payment_method_types
  const account =
    needsCard(session, quoted.total) && ways.includes('sepa_debit')
      ? html`<label>IBAN <input name="iban" autocomplete="off" value="${typed.iban}" /></label>
          <p class="note">AT61 1904 3002 3457 3201 pays, IT60 X054 2811 1010 0000 0123 456 fails later.</p>`
      : html``
  const card =
    needsCard(session, quoted.total) && ways.includes('card')
      ? html`<label
            >Card number
            <input
              name="number"
              inputmode="numeric"
              autocomplete="off"
              ${ways.length === 1 ? html`required` : html``}
              value="${typed.number}"
          /></label>
          <p class="note">
            4242 4242 4242 4242 pays, 4000 0000 0000 0002 is declined, 4000 0000 0000 0341 can be saved, but its
            payments are declined.
          </p>`
      : html``
  const code = offersCodes(session)
    ? html`<div class="row">
        <label>Promotion code <input name="code" autocomplete="off" value="${typed.code}" /></label>
        <button name="action" value="apply" formnovalidate>Apply</button>
      </div>`
    : html``
  const verb = { payment: 'Pay', setup: 'Save card', subscription: 'Subscribe' }[session.mode]
  // Enter presses the first button of a form. Because of this hidden button, Enter pays instead of applying a promotion code.
  return html`<form method="post">
    <button name="action" value="pay" hidden></button> ${email}${card}${account}${code}<button
      name="action"
      value="pay"
    >
      ${verb}
    </button>
  </form>`
}

function back(session: CheckoutSessionBody): Markup {
  return session.cancel_url === null ? html`` : html`<p><a href="${session.cancel_url}">Cancel and go back</a></p>`
}
