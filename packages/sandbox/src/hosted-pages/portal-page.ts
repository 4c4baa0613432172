import { formatMinor } from '../money/format.ts'
import { cancelNow } from '../billing/cancel.ts'
import { itemAmount } from '../billing/lines.ts'
import { isOver, isMetered, momentOf, priceOf } from '../billing/records.ts'
import type { Call } from '../protocol/call.ts'
import type { SubscriptionBody, SubscriptionItemBody } from '../objects/customer-bodies.ts'
import { noSuchReference, refused } from '../protocol/errors.ts'
import { change, refusePaused, refuseScheduled } from '../resources/subscriptions.ts'
import type { PortalSessionBody } from '../objects/session-bodies.ts'
import { html, page, problem } from './html.ts'
import type { Markup, Page } from './html.ts'

export function showPortal(call: Call, session: PortalSessionBody, error: string | null = null): Page {
  const found = call.select('subscription', [{ field: 'customer', is: session.customer }])
  const living = found.filter((subscription) => !isOver(subscription))
  const list =
    living.length === 0
      ? [html`<p>There are no subscriptions.</p>`]
      : living.map((one) => section(call, one, cancelsIn(call, session)))
  const settings = call.find('billing_portal.configuration', session.configuration)
  const returnUrl = session.return_url ?? settings?.default_return_url ?? null
  const back = returnUrl === null ? html`` : html`<p><a href="${returnUrl}">Back</a></p>`
  return page('Your subscriptions', html`${problem(error)}${list}${back}`, error === null ? 200 : 400)
}

type Cancels = 'at_period_end' | 'immediately' | null

/** The cancellation that the session's configuration allows; null when it allows none. */
function cancelsIn(call: Call, session: PortalSessionBody): Cancels {
  const settings = call.find('billing_portal.configuration', session.configuration)
  if (settings === undefined) return null
  const { enabled, mode } = settings.features.subscription_cancel
  return enabled ? mode : null
}

function section(call: Call, subscription: SubscriptionBody, cancels: Cancels): Markup {
  const rows = subscription.items.data.map((item) => row(call, subscription, item))
  const end = subscription.cancel_at
  const date = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)
  const plan = end === null ? html`` : html`<p>Ends on ${date(end)}.</p>`
  const asked = cancels === 'immediately' ? 'Cancel now' : 'Cancel at the end of the period'
  const button =
    end === null
      ? html`<button name="action" value="cancel">${asked}</button>`
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

function row(call: Call, subscription: SubscriptionBody, item: SubscriptionItemBody): Markup {
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

/** Plans or takes back the end of one of the customer's own subscriptions. */
export function submitPortal(
  outer: Call,
  session: PortalSessionBody,
  wanted: { readonly action: string; readonly subscription: string },
): Page {
  const before = outer.find('subscription', wanted.subscription)
  if (before?.customer !== session.customer) throw noSuchReference('subscription', wanted.subscription, 'subscription')
  if (isOver(before) || (wanted.action !== 'cancel' && wanted.action !== 'resume')) return showPortal(outer, session)
  const cancels = cancelsIn(outer, session)
  if (cancels === null) throw refused('Subscriptions cannot be cancelled here.')
  const call = outer.at(momentOf(outer, before.test_clock))
  refuseScheduled(before, 'cancelation behavior')
  if (cancels === 'immediately' && wanted.action === 'cancel') {
    cancelNow(call, before)
    return showPortal(outer, session)
  }
  refusePaused(before)
  change(call, before, { cancel_at_period_end: wanted.action === 'cancel' })
  return showPortal(outer, session)
}
