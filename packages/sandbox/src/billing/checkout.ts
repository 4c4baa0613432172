// Checkout: computes its amounts and completes it. Completion creates a subscription with its first invoice, makes a single payment, or
// saves a card.
import type { CustomerBody, PromotionCodeBody } from '../objects/bodies.ts'
import type { OperationContext } from '../protocol/operation-context.ts'
import type { InvoiceLineBody, PaymentMethodBody } from '../objects/customer-bodies.ts'
import { cardDeclined, notSupported, badRequest } from '../protocol/responses/errors.ts'
import { isBelowMinimum, minimumText } from '../money/minimum-charge.ts'
import { newBankAccount, newPaymentMethod } from '../endpoints/payments/payment-methods.ts'
import { cardByNumber } from '../endpoints/payments/test-payment-methods.ts'
import { toAddress } from '../endpoints/customers/addresses.ts'
import { customerFromCheckout } from '../endpoints/customers/customers.ts'
import type { CheckoutItemBody, CheckoutSessionBody } from '../objects/session-bodies.ts'
import { amountFor } from './pricing/price-amounts.ts'
import { readDiscounts, redeem, redeemableCode, applyReductions, reductionsOf } from './pricing/discounts.ts'
import type { DiscountParams, Reduction } from './pricing/discounts.ts'
import { newLine, oneTimeLine } from './invoices/invoice-lines.ts'
import { withTaxes } from './invoices/taxes.ts'
import { newIntent, attemptIntent } from './payments/payments.ts'
import { customerOf, isMetered, timeOf, priceOf } from './subscriptions/subscription-records.ts'
import { attemptSetup } from './payments/setup-intents.ts'
import { defaultTerms, termsAfter } from './subscriptions/terms.ts'
import { subscribe, trialEndOf } from './subscriptions/subscribe.ts'

export interface Quote {
  readonly items: readonly CheckoutItemBody[]
  readonly subtotal: number
  readonly discount: number
  /** Sum of all taxes. Inclusive ones are part of `subtotal`. */
  readonly tax: number
  readonly total: number
}

type QuotableItem = Pick<CheckoutItemBody, 'id' | 'price' | 'quantity' | 'metadata' | '_tax_rates'>

/** Returns the tax rates of an item: its own or, if it has none, those of the subscription that the session creates. */
function ratesOf({ _plan: plan }: QuotedSession, item: QuotableItem | undefined): readonly string[] {
  const { _tax_rates: own = [] } = item ?? {}
  return own.length > 0 ? own : (plan.default_tax_rates ?? [])
}

type QuotedSession = Pick<CheckoutSessionBody, 'currency' | 'customer' | 'mode' | '_plan'>

function hasTrial({ _plan: plan }: QuotedSession): boolean {
  return plan.trial_end !== null || plan.trial_period_days !== null
}

/** Computes the amounts that a checkout session charges today. Metered prices cost 0 today. During a trial, recurring prices cost 0 too. */
export function quote(
  call: OperationContext,
  session: QuotedSession,
  items: readonly QuotableItem[],
  discounts: DiscountParams,
): Quote {
  const lines = items.map((item) => quotedLine(call, session, item))
  const subtotal = lines.reduce((sum, line) => sum + line.amount, 0)
  const customer = session.customer === null ? null : (call.find('customer', session.customer) ?? null)
  const given = readDiscounts(call, discounts, { customer, currency: session.currency, subtotal })
  const named = given.flatMap((one) => (typeof one === 'string' ? [] : [{ discount: 'di', coupon: one.coupon }]))
  const reduced = applyReductions(lines, [
    ...named,
    ...(named.length === 0 ? ownReductions(call, session, customer) : []),
  ])
  const after = reduced.flatMap((line, index) => withTaxes(call, [line], () => ratesOf(session, items[index])))
  const shown = items.map((item, index) => quotedItem(item, after[index] ?? lines[0], session.currency))
  const discount = shown.reduce((sum, item) => sum + item.amount_discount, 0)
  const tax = shown.reduce((sum, item) => sum + item.amount_tax, 0)
  return { items: shown, subtotal, discount, tax, total: shown.reduce((sum, item) => sum + item.amount_total, 0) }
}

/**
 * Returns the coupons that reduce a session without discounts of its own. For a subscription these are the coupons of the customer, as on
 * its first invoice.
 */
function ownReductions(call: OperationContext, session: QuotedSession, customer: CustomerBody | null): Reduction[] {
  const own = session.mode === 'subscription' ? (customer?.discount ?? null) : null
  return own === null ? [] : reductionsOf(call.at(timeOf(call, customer?.test_clock ?? null)), [own])
}

function quotedLine(
  call: OperationContext,
  session: QuotedSession,
  item: Pick<CheckoutItemBody, 'price' | 'quantity'>,
): InvoiceLineBody {
  const price = priceOf(call, item)
  const later = isMetered(price) || (price.recurring !== null && hasTrial(session))
  const quantity = String(item.quantity ?? 0)
  const name = call.find('product', price.product)?.name ?? price.product
  return newLine({
    subscription: { id: '', currency: session.currency },
    item: null,
    price,
    quantity,
    amount: later ? 0 : amountFor(price, session.currency, quantity),
    period: { start: call.now, end: call.now },
    description: name,
  })
}

function quotedItem(item: QuotableItem, line: InvoiceLineBody | undefined, currency: string): CheckoutItemBody {
  const subtotal = line?.amount ?? 0
  const taxes = line?.taxes ?? []
  const added = taxes.filter((tax) => tax.tax_behavior === 'exclusive')
  const off = (line?.discount_amounts ?? []).reduce((sum, taken) => sum + taken.amount, 0)
  return {
    ...item,
    object: 'item',
    adjustable_quantity: null,
    amount_discount: off,
    amount_subtotal: subtotal,
    amount_tax: taxes.reduce((sum, tax) => sum + tax.amount, 0),
    amount_total: subtotal - off + added.reduce((sum, tax) => sum + tax.amount, 0),
    currency,
    description: line?.description ?? '',
  }
}

/** Returns the promotion code for the text that the customer typed (case-insensitive). Throws if this session cannot redeem the code. */
export function codeByText(call: OperationContext, session: CheckoutSessionBody, typed: string): PromotionCodeBody {
  const found = call
    .select('promotion_code', [{ field: 'code', isAnyCase: typed }])
    .filter((code) => code.customer === null || code.customer === session.customer)
  const code = found.find((one) => one.active) ?? found[0]
  if (code === undefined) throw badRequest('This code is invalid.')
  const customer = session.customer === null ? null : (call.find('customer', session.customer) ?? null)
  const { currency, amount_subtotal: subtotal } = session
  redeemableCode(call, code, { customer, currency, subtotal: subtotal ?? 0 }, 'promotion_code')
  return code
}

export function discountsOf(session: CheckoutSessionBody, code: PromotionCodeBody | null): DiscountParams {
  const none = { coupon: undefined, discount: undefined, promotion_code: undefined }
  if (code !== null) return [{ ...none, promotion_code: code.id }]
  return session.discounts.map(({ coupon, promotion_code: own }) => ({
    ...none,
    ...(coupon === null ? {} : { coupon }),
    ...(own === null ? {} : { promotion_code: own }),
  }))
}

export interface CheckoutPayment {
  /** Returns the payment method to pay with. Called only if the session needs one. For a guest payment `customer` is null. */
  readonly card: (call: OperationContext, customer: string | null) => PaymentMethodBody
  readonly email: string
  readonly code: PromotionCodeBody | null
}

/** True if the session needs a payment method. */
export function needsCard(session: CheckoutSessionBody, total: number): boolean {
  return (
    total > 0 ||
    session.mode === 'setup' ||
    (session.mode === 'subscription' && session.payment_method_collection !== 'if_required')
  )
}

/** Refuses a single payment below the minimum charge. A subscription may have such an amount, because it moves to the next invoice. */
export function refuseBelowMinimum(
  { mode, currency }: Pick<CheckoutSessionBody, 'currency' | 'mode'>,
  total: number,
): void {
  if (mode !== 'payment' || !isBelowMinimum(total, currency)) return
  const message = `The Checkout Session's total amount due must add up to at least ${minimumText(currency)}`
  throw badRequest(message, undefined, 'amount_too_small')
}

/** Pays and completes the session. Throws if the card is declined or a rule is violated; the transaction is then rolled back. */
export function completeSession(
  outer: OperationContext,
  before: CheckoutSessionBody,
  paying: CheckoutPayment,
): CheckoutSessionBody {
  const discounts = discountsOf(before, paying.code)
  const quoted = quote(outer, before, before.line_items.data, discounts)
  refuseBelowMinimum(before, quoted.total)
  const customer = outer.find('customer', before.customer ?? '') ?? newCustomer(outer, before, paying.email)
  const call = outer.at(timeOf(outer, customer?.test_clock ?? null))
  if (before.mode === 'setup') return completeSetup(outer, call, before, customer, paying)
  const card = needsCard(before, quoted.total) ? paying.card(call, customer?.id ?? null) : null
  if (card !== null) refusePaymentMethod(before, card)
  saveAddress(call, before, customer, card)
  // Only a card is declined at once. A bank debit is declined days later.
  if (card?._declines === true && card.type === 'card' && quoted.total > 0) throw cardDeclined()
  const made =
    before.mode === 'subscription'
      ? createSubscription(call, before, customer?.id ?? '', card, discounts)
      : { payment_intent: payOnce(call, before, customer?.id ?? null, card, quoted.total, discounts) }
  // The invoice's amount due can be 0 although the amount of the session is positive, e.g. if the customer's balance covers it or it is
  // below the minimum charge.
  const charged = 'invoice' in made ? (call.find('invoice', made.invoice ?? '')?.amount_due ?? 0) : quoted.total
  const after: CheckoutSessionBody = {
    ...before,
    amount_subtotal: quoted.subtotal,
    amount_total: quoted.total,
    customer: customer?.id ?? null,
    customer_details: detailsOf(customer, paying),
    discounts: discounts.map((one) => ({ coupon: one.coupon ?? null, promotion_code: one.promotion_code ?? null })),
    line_items: { ...before.line_items, data: [...quoted.items] },
    payment_status: charged === 0 ? 'no_payment_required' : card?.type === 'sepa_debit' ? 'unpaid' : 'paid',
    status: 'complete',
    total_details: { amount_discount: quoted.discount, amount_shipping: 0, amount_tax: quoted.tax },
    url: null,
    ...made,
    _due: null,
  }
  return outer.update(before, after, 'checkout.session.completed')
}

/**
 * Saves the address of a session with automatic tax for the customer, if the session allows that. The sandbox's page asks for no address,
 * so the address of the payment method is used, or else the country of its card.
 */
function saveAddress(
  call: OperationContext,
  session: CheckoutSessionBody,
  customer: CustomerBody | null,
  card: PaymentMethodBody | null,
): void {
  if (!session.automatic_tax.enabled || customer === null || customer.address !== null) return
  if (session.customer !== null && session._plan.saves_address !== true) return
  const address = card?.billing_details.address
  const typed = address?.country
    ? address
    : toAddress({ country: card?.card?.country ?? 'US' } as Parameters<typeof toAddress>[0])
  call.update(customer, { ...customer, address: typed }, 'customer.updated')
}

function detailsOf(customer: CustomerBody | null, paying: CheckoutPayment): CheckoutSessionBody['customer_details'] {
  return {
    address: null,
    business_name: null,
    email: customer?.email ?? paying.email,
    individual_name: null,
    name: customer?.name ?? null,
    phone: null,
    tax_exempt: 'none',
    tax_ids: [],
  }
}

/** Refuses a payment method whose type the session does not offer, and cards that need 3-D Secure (not supported in a checkout). */
function refusePaymentMethod(session: CheckoutSessionBody, { type, _asks: asks }: PaymentMethodBody): void {
  if (!session.payment_method_types.includes(type)) {
    const offered = session.payment_method_types.join(', ')
    throw badRequest(`This Checkout Session takes ${offered}; the payment method is of type ${type}.`, 'payment_method')
  }
  if (asks === true) throw notSupported('a card that needs authentication in a checkout', 'payment_method')
}

/** Saves the card for the session's customer, if it has one. The card does not become the default payment method. */
function completeSetup(
  outer: OperationContext,
  call: OperationContext,
  before: CheckoutSessionBody,
  customer: CustomerBody | null,
  paying: CheckoutPayment,
): CheckoutSessionBody {
  const found = call.find('setup_intent', before.setup_intent ?? '')
  if (found === undefined) throw new Error(`The setup intent of ${before.id} does not exist`)
  const intent = found.customer === null && customer !== null ? { ...found, customer: customer.id } : found
  const card = paying.card(call, null)
  refusePaymentMethod(before, card)
  const done = attemptSetup(call, call.update(found, intent, null), card)
  if (done.status !== 'succeeded') throw cardDeclined()
  const after: CheckoutSessionBody = {
    ...before,
    customer: customer?.id ?? null,
    customer_details: detailsOf(customer, paying),
    status: 'complete',
    url: null,
    _due: null,
  }
  return outer.update(before, after, 'checkout.session.completed')
}

function newCustomer(
  call: OperationContext,
  session: CheckoutSessionBody,
  email: string,
): ReturnType<typeof customerFromCheckout> | null {
  const creates = session.mode === 'subscription' || session.customer_creation === 'always'
  return creates ? customerFromCheckout(call, email === '' ? null : email) : null
}

/** Returns a function that creates a card from a typed card number. The function throws if the number is not that of a test card. */
export function cardFromNumber(number: string): CheckoutPayment['card'] {
  return (call, customer) => {
    const card = cardByNumber(number)
    if (card === undefined)
      throw badRequest('Your card number is invalid. Use one of the test cards.', 'number', 'incorrect_number')
    return newPaymentMethod(call, card, customer)
  }
}

/** Returns a function that creates a bank account from a typed IBAN. The account is not attached to a customer. */
export function accountFromIban(iban: string, email: string): CheckoutPayment['card'] {
  return (call) => {
    const account = newBankAccount(call, iban)
    return call.update(account, { ...account, billing_details: { ...account.billing_details, email } }, null)
  }
}

function createSubscription(
  call: OperationContext,
  session: CheckoutSessionBody,
  customerId: string,
  card: PaymentMethodBody | null,
  discounts: DiscountParams,
): Pick<CheckoutSessionBody, 'subscription' | 'invoice'> {
  const { _plan: plan } = session
  const items = session.line_items.data
  const recurring = items.filter((item) => priceOf(call, item).recurring !== null)
  const once = items.filter((item) => !recurring.includes(item))
  const made = subscribe(call, {
    customer: call.reference('customer', customerId, 'customer'),
    items: recurring.map((item) => ({
      price: item.price,
      quantity: item.quantity ?? undefined,
      ...((item._tax_rates ?? []).length > 0 ? { tax_rates: item._tax_rates } : {}),
    })),
    terms: termsAfter(call, customerId, defaultTerms, {
      default_tax_rates: plan.default_tax_rates ?? [],
      automatic_tax: { enabled: session.automatic_tax.enabled, liability: undefined },
    }),
    currency: session.currency,
    discounts,
    metadata: plan.metadata,
    description: plan.description,
    paymentMethod: card?.id,
    trialEnd: trialEndOf(call, plan.trial_end ?? undefined, plan.trial_period_days ?? undefined),
    missingPaymentMethod: plan.missing_payment_method,
    paymentBehavior: 'error_if_incomplete',
    session: session.id,
    extra: (subscription) =>
      once.map((item) => oneTimeLine(call, subscription, priceOf(call, item), item.quantity ?? 1)),
  })
  return { subscription: made.id, invoice: made.latest_invoice }
}

function payOnce(
  call: OperationContext,
  session: CheckoutSessionBody,
  customer: string | null,
  card: PaymentMethodBody | null,
  amount: number,
  discounts: DiscountParams,
): string | null {
  if (discounts.length > 0) countRedemption(call, session, amount, discounts)
  if (card === null) return null
  const intent = newIntent(call, {
    ...{ amount, currency: session.currency, customer, invoice: null, paymentMethod: card.id },
    description: session._plan.description,
    metadata: session._plan.metadata,
    shipping: session._plan.shipping,
    allowed: session.allowed_payment_method_types,
    laterUse: session._plan.setup_future_usage,
  })
  return attemptIntent(call, intent, card, { clock: customer === null ? null : customerOf(call, customer).test_clock })
    .id
}

/** Redeems the discounts of a single payment, so that the coupons and promotion codes count the redemption. */
function countRedemption(
  call: OperationContext,
  session: CheckoutSessionBody,
  amount: number,
  discounts: DiscountParams,
): void {
  const customer = session.customer === null ? null : (call.find('customer', session.customer) ?? null)
  const purchase = { customer, currency: session.currency, subtotal: Math.max(amount, session.amount_subtotal ?? 0) }
  const redeemed = readDiscounts(call, discounts, purchase)
  redeem(call, redeemed, { customer: customer?.id ?? null, subscription: null, session: session.id })
}
