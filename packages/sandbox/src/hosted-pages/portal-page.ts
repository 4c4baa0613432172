import { formatMinor } from '../money/format.ts'
import { cancelNow } from '../billing/subscriptions/cancel.ts'
import { itemAmount } from '../billing/invoices/invoice-lines.ts'
import { amountFor } from '../billing/pricing/price-amounts.ts'
import { isEnded, isMetered, timeOf, priceOf } from '../billing/subscriptions/subscription-records.ts'
import type { OperationContext } from '../protocol/operation-context.ts'
import type { SubscriptionBody, SubscriptionItemBody } from '../objects/customer-bodies.ts'
import type { PriceBody } from '../objects/bodies.ts'
import { noSuchReference, badRequest, notSupported } from '../protocol/responses/errors.ts'
import { newPaymentMethod } from '../endpoints/payments/payment-methods.ts'
import { cardByNumber } from '../endpoints/payments/test-payment-methods.ts'
import { applyUpdate, refusePaused, refuseScheduled } from '../endpoints/subscriptions/subscriptions.ts'
import type { PortalConfigurationBody, PortalFlowBody, PortalSessionBody } from '../objects/session-bodies.ts'
import { html, page, problem, redirect, type Markup, type HtmlResponse } from './html.ts'

interface PortalForm {
  readonly action: string
  readonly subscription: string
  readonly price: string
  readonly number: string
}

export function showPortal(
  call: OperationContext,
  session: PortalSessionBody,
  error: string | null = null,
): HtmlResponse {
  const settings = settingsOf(call, session)
  const flow = flowOf(session)
  const found = call.select('subscription', [{ field: 'customer', is: session.customer }])
  const named = subscriptionOf(flow)
  const living = found.filter((one) => !isEnded(one) && (named === null || one.id === named))
  const list =
    flow?.type === 'payment_method_update'
      ? [cardForm]
      : living.length === 0
        ? [html`<p>No subscriptions yet.</p>`]
        : living.map((one) => section(call, one, settings, flow))
  const { headline } = settings.business_profile
  const head = headline === null ? html`` : html`<p>${headline}</p>`
  const returnUrl = session.return_url ?? settings.default_return_url
  const back = returnUrl === null ? html`` : html`<p><a href="${returnUrl}">Back</a></p>`
  return page('Your subscriptions', html`${problem(error)}${head}${list}${back}`, error === null ? 200 : 400)
}

function settingsOf(call: OperationContext, session: PortalSessionBody): PortalConfigurationBody {
  return call.reference('billing_portal.configuration', session.configuration, 'configuration')
}

/** Returns the flow (a single task, e.g. cancelling) of the session; null if the session shows the whole portal. */
function flowOf({ flow = null }: PortalSessionBody): PortalFlowBody | null {
  return flow
}

/** Returns the subscription that the flow concerns; null if it concerns none. */
function subscriptionOf(flow: PortalFlowBody | null): string | null {
  const about = flow?.subscription_cancel ?? flow?.subscription_update ?? flow?.subscription_update_confirm ?? null
  return about?.subscription ?? null
}

const cardForm = html`<form method="post">
  <label>New card <input name="number" inputmode="numeric" autocomplete="cc-number" required /></label>
  <button name="action" value="card">Save card</button>
</form>`

function section(
  call: OperationContext,
  subscription: SubscriptionBody,
  settings: PortalConfigurationBody,
  flow: PortalFlowBody | null,
): Markup {
  const rows = subscription.items.data.map((item) => row(call, subscription, item))
  const end = subscription.cancel_at
  const date = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)
  const plan = end === null ? html`` : html`<p>Ends on ${date(end)}.</p>`
  const shows = (type: PortalFlowBody['type']): boolean => flow === null || flow.type === type
  return html`<section data-subscription="${subscription.id}">
    <h2>${nameOf(call, subscription)}</h2>
    <p>${subscription.status.replaceAll('_', ' ')}</p>
    <table>
      <tbody>
        ${rows}
      </tbody>
    </table>
    ${plan} ${shows('subscription_cancel') ? cancelForm(subscription, settings) : html``}
    ${shows('subscription_update') ? changeForms(call, subscription, settings) : html``}
    ${flow?.type === 'subscription_update_confirm' ? confirmForm(call, subscription, flow) : html``}
  </section>`
}

/** Returns the names of the products of a subscription, e.g. `Studio and Rendering`. */
function nameOf(call: OperationContext, { items }: SubscriptionBody): string {
  const names = items.data.map((item) => {
    const { product } = priceOf(call, item)
    return call.find('product', product)?.name ?? product
  })
  return [...new Set(names)].join(' and ')
}

function cancelForm(subscription: SubscriptionBody, { features }: PortalConfigurationBody): Markup {
  const { enabled, mode } = features.subscription_cancel
  if (!enabled) return html``
  const label = mode === 'immediately' ? 'Cancel now' : 'Cancel at the end of the period'
  const button =
    subscription.cancel_at === null
      ? html`<button name="action" value="cancel">${label}</button>`
      : html`<button name="action" value="resume">Do not cancel</button>`
  return html`<form method="post">
    <input type="hidden" name="subscription" value="${subscription.id}" />${button}
  </form>`
}

/** Returns a button for each price that the configuration lets the customer change to. */
function changeForms(
  call: OperationContext,
  subscription: SubscriptionBody,
  settings: PortalConfigurationBody,
): Markup {
  const prices = pricesFor(call, subscription, settings)
  return html`${prices.map(
    (price) =>
      html`<form method="post">
        <input type="hidden" name="subscription" value="${subscription.id}" />
        <input type="hidden" name="price" value="${price.id}" />
        <button name="action" value="update">Change to ${describe(call, subscription, price)}</button>
      </form>`,
  )}`
}

/** Returns the active prices of the configuration that a subscription with one item can change to. */
function pricesFor(
  call: OperationContext,
  subscription: SubscriptionBody,
  { features: { subscription_update: update } }: PortalConfigurationBody,
): PriceBody[] {
  const [item, ...others] = subscription.items.data
  if (!update.enabled || !update.default_allowed_updates.includes('price')) return []
  if (item === undefined || others.length > 0) return []
  return update.products
    .flatMap(({ prices }) => prices)
    .flatMap((id) => call.find('price', id) ?? [])
    .filter((price) => price.active && price.id !== item.price && price.currency === subscription.currency)
}

function describe(call: OperationContext, subscription: SubscriptionBody, price: PriceBody): string {
  const name = call.find('product', price.product)?.name ?? price.product
  const quantity = String(subscription.items.data[0]?.quantity ?? 1)
  const amount = isMetered(price)
    ? 'by usage'
    : formatMinor(amountFor(price, subscription.currency, quantity), subscription.currency)
  return `${name}, ${amount} ${periodOf(price)}`
}

function periodOf({ recurring }: PriceBody): string {
  const { interval = '', interval_count: count = 1 } = recurring ?? {}
  return count === 1 ? `per ${interval}` : `every ${count} ${interval}s`
}

function confirmForm(call: OperationContext, subscription: SubscriptionBody, flow: PortalFlowBody): Markup {
  const [item] = flow.subscription_update_confirm?.items ?? []
  const price = call.find('price', item?.price ?? '')
  if (item === undefined || price === undefined) return html``
  const name = call.find('product', price.product)?.name ?? price.product
  return html`<form method="post">
    <input type="hidden" name="subscription" value="${subscription.id}" />
    <p>${name} × ${item.quantity} ${periodOf(price)}</p>
    <button name="action" value="confirm">Confirm</button>
  </form>`
}

function row(call: OperationContext, subscription: SubscriptionBody, item: SubscriptionItemBody): Markup {
  const price = priceOf(call, item)
  const name = call.find('product', price.product)?.name ?? price.product
  const metered = isMetered(price)
  const amount = metered ? 'by usage' : formatMinor(itemAmount(call, subscription, item), subscription.currency)
  return html`<tr>
    <td>${name}${metered ? '' : ` ×\u00a0${item.quantity ?? 1}`}</td>
    <td>${amount} ${periodOf(price)}</td>
  </tr>`
}

/** Executes the customer's choice on the page, as far as the configuration and the session's flow allow it. */
export function submitPortal(outer: OperationContext, session: PortalSessionBody, form: PortalForm): HtmlResponse {
  const settings = settingsOf(outer, session)
  const flow = flowOf(session)
  if (form.action === 'card') {
    saveCard(outer, session, settings, form.number)
    return done(outer, session, flow)
  }
  const before = outer.find('subscription', form.subscription)
  if (before?.customer !== session.customer) throw noSuchReference('subscription', form.subscription, 'subscription')
  const named = subscriptionOf(flow)
  if (isEnded(before) || (named !== null && named !== before.id)) return showPortal(outer, session)
  const call = outer.at(timeOf(outer, before.test_clock))
  if (form.action === 'cancel' || form.action === 'resume') cancel(call, before, settings, form.action)
  else if (form.action === 'update') changePrice(call, before, settings, form.price)
  else if (form.action === 'confirm') confirm(call, before, settings, flow)
  else return showPortal(outer, session)
  return done(outer, session, flow)
}

/** Returns the page after an act: that of the flow, otherwise the portal. */
function done(call: OperationContext, session: PortalSessionBody, flow: PortalFlowBody | null): HtmlResponse {
  const after = flow?.after_completion
  if (after?.redirect) return redirect(after.redirect.return_url)
  if (after?.hosted_confirmation)
    return page('Done', html`<p>${after.hosted_confirmation.custom_message ?? 'The change was made.'}</p>`)
  return showPortal(call, session)
}

/** Saves a card, which becomes the customer's default payment method. */
function saveCard(
  call: OperationContext,
  session: PortalSessionBody,
  { features }: PortalConfigurationBody,
  number: string,
): void {
  if (!features.payment_method_update.enabled) throw badRequest('Payment methods cannot be changed here.')
  const card = cardByNumber(number)
  if (card === undefined)
    throw badRequest('Your card number is invalid. Use one of the test cards.', 'number', 'incorrect_number')
  const { id } = newPaymentMethod(call, card, session.customer)
  const customer = call.reference('customer', session.customer, 'customer')
  const settings = { ...customer.invoice_settings, default_payment_method: id }
  call.update(customer, { ...customer, invoice_settings: settings }, 'customer.updated')
}

function cancel(
  call: OperationContext,
  before: SubscriptionBody,
  { features }: PortalConfigurationBody,
  action: 'cancel' | 'resume',
): void {
  const { enabled, mode, proration_behavior: proration } = features.subscription_cancel
  if (!enabled) throw badRequest('Subscriptions cannot be cancelled here.')
  refuseScheduled(before, 'cancelation behavior')
  if (mode === 'immediately' && action === 'cancel') {
    if (proration !== 'none') throw notSupported('prorations of a cancellation in the portal', 'proration_behavior')
    cancelNow(call, before)
    return
  }
  refusePaused(before)
  applyUpdate(call, before, { cancel_at_period_end: action === 'cancel' })
}

function changePrice(
  call: OperationContext,
  before: SubscriptionBody,
  settings: PortalConfigurationBody,
  id: string,
): void {
  const [item] = before.items.data
  const price = pricesFor(call, before, settings).find((one) => one.id === id)
  if (item === undefined || price === undefined)
    throw badRequest('The subscription cannot be changed to this price here.')
  changeItem(call, before, settings, { id: item.id, price: price.id, quantity: item.quantity ?? 1 })
}

function confirm(
  call: OperationContext,
  before: SubscriptionBody,
  settings: PortalConfigurationBody,
  flow: PortalFlowBody | null,
): void {
  const { items = [], discounts = null } = flow?.subscription_update_confirm ?? {}
  const [item] = items
  if (item === undefined || !settings.features.subscription_update.enabled)
    throw badRequest('Subscriptions cannot be changed here.')
  changeItem(call, before, settings, item, discounts)
}

type Confirmed = NonNullable<PortalFlowBody['subscription_update_confirm']>

function changeItem(
  call: OperationContext,
  before: SubscriptionBody,
  { features: { subscription_update: update } }: PortalConfigurationBody,
  { id, price, quantity }: Confirmed['items'][number],
  discounts: Confirmed['discounts'] = null,
): void {
  refuseScheduled(before, 'items')
  refusePaused(before)
  if (update.schedule_at_period_end.conditions.length > 0)
    throw notSupported('changes at the end of a period in the portal', 'schedule_at_period_end')
  const codes = (discounts ?? []).flatMap(({ promotion_code: code }) =>
    code === null ? [] : [{ coupon: undefined, discount: undefined, promotion_code: code }],
  )
  applyUpdate(call, before, {
    items: [{ ...noChange, id, price, quantity }],
    proration_behavior: update.proration_behavior,
    ...(update.billing_cycle_anchor === 'now' ? { billing_cycle_anchor: { type: 'now' as const } } : {}),
    ...(before.status === 'trialing' && update.trial_update_behavior === 'end_trial'
      ? { trial_end: 'now' as const }
      : {}),
    ...(codes.length === 0 ? {} : { discounts: codes }),
  })
}

const noChange = {
  clear_usage: undefined,
  deleted: undefined,
  discounts: undefined,
  metadata: undefined,
  price_data: undefined,
  tax_rates: undefined,
}
