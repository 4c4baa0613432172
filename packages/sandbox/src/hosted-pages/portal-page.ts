import { formatMinor } from '../money/format.ts'
import { cancelNow } from '../billing/subscriptions/cancel.ts'
import { itemAmount } from '../billing/invoices/invoice-lines.ts'
import { isEnded, isMetered, timeOf, priceOf } from '../billing/subscriptions/subscription-records.ts'
import type { OperationContext } from '../protocol/operation-context.ts'
import type { SubscriptionBody, SubscriptionItemBody } from '../objects/customer-bodies.ts'
import { noSuchReference, badRequest } from '../protocol/responses/errors.ts'
import { applyUpdate, refusePaused, refuseScheduled } from '../endpoints/subscriptions/subscriptions.ts'
import type { PortalSessionBody } from '../objects/session-bodies.ts'
import { html, page, problem, type Markup, type HtmlResponse } from './html.ts'

export function showPortal(
  call: OperationContext,
  session: PortalSessionBody,
  error: string | null = null,
): HtmlResponse {
  const found = call.select('subscription', [{ field: 'customer', is: session.customer }])
  const living = found.filter((subscription) => !isEnded(subscription))
  const list =
    living.length === 0
      ? [html`<p>No subscriptions yet.</p>`]
      : living.map((one) => section(call, one, cancelModeOf(call, session)))
  const settings = call.find('billing_portal.configuration', session.configuration)
  const returnUrl = session.return_url ?? settings?.default_return_url ?? null
  const back = returnUrl === null ? html`` : html`<p><a href="${returnUrl}">Back</a></p>`
  return page('Your subscriptions', html`${problem(error)}${list}${back}`, error === null ? 200 : 400)
}

type CancelMode = 'at_period_end' | 'immediately' | null

/** Returns the cancel mode that the session's configuration allows. Null: the configuration allows no cancellation. */
function cancelModeOf(call: OperationContext, session: PortalSessionBody): CancelMode {
  const settings = call.find('billing_portal.configuration', session.configuration)
  if (settings === undefined) return null
  const { enabled, mode } = settings.features.subscription_cancel
  return enabled ? mode : null
}

function section(call: OperationContext, subscription: SubscriptionBody, cancels: CancelMode): Markup {
  const rows = subscription.items.data.map((item) => row(call, subscription, item))
  const end = subscription.cancel_at
  const date = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)
  const plan = end === null ? html`` : html`<p>Ends on ${date(end)}.</p>`
  const label = cancels === 'immediately' ? 'Cancel now' : 'Cancel at the end of the period'
  const button =
    end === null
      ? html`<button name="action" value="cancel">${label}</button>`
      : html`<button name="action" value="resume">Do not cancel</button>`
  const form = html`<form method="post">
    <input type="hidden" name="subscription" value="${subscription.id}" />${button}
  </form>`
  return html`<section data-subscription="${subscription.id}">
    <h2>${subscription.status}</h2>
    <table>
      <tbody>
        ${rows}
      </tbody>
    </table>
    ${plan} ${cancels === null ? html`` : form}
  </section>`
}

function row(call: OperationContext, subscription: SubscriptionBody, item: SubscriptionItemBody): Markup {
  const price = priceOf(call, item)
  const name = call.find('product', price.product)?.name ?? price.product
  const metered = isMetered(price)
  const amount = metered ? 'by usage' : formatMinor(itemAmount(call, subscription, item), subscription.currency)
  const { interval = '', interval_count: count = 1 } = price.recurring ?? {}
  const period = count === 1 ? `per ${interval}` : `every ${count} ${interval}s`
  return html`<tr>
    <td>${name}${metered ? '' : ` ×\u00a0${item.quantity ?? 1}`}</td>
    <td>${amount} ${period}</td>
  </tr>`
}

/** Cancels one of the customer's subscriptions (at once or at the period end, as configured), or revokes a planned cancellation. */
export function submitPortal(
  outer: OperationContext,
  session: PortalSessionBody,
  input: { readonly action: string; readonly subscription: string },
): HtmlResponse {
  const before = outer.find('subscription', input.subscription)
  if (before?.customer !== session.customer) throw noSuchReference('subscription', input.subscription, 'subscription')
  if (isEnded(before) || (input.action !== 'cancel' && input.action !== 'resume')) return showPortal(outer, session)
  const cancels = cancelModeOf(outer, session)
  if (cancels === null) throw badRequest('Subscriptions cannot be cancelled here.')
  const call = outer.at(timeOf(outer, before.test_clock))
  refuseScheduled(before, 'cancelation behavior')
  if (cancels === 'immediately' && input.action === 'cancel') {
    cancelNow(call, before)
    return showPortal(outer, session)
  }
  refusePaused(before)
  applyUpdate(call, before, { cancel_at_period_end: input.action === 'cancel' })
  return showPortal(outer, session)
}
