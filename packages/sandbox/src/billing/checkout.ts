// Checkout: computes its amounts and completes it. Completion creates a subscription with its first invoice, makes a single payment, or
// saves a card.
import type { CustomerBody, PromotionCodeBody } from '../objects/bodies.ts'
import type { OperationContext } from '../protocol/operation-context.ts'
import type { InvoiceLineBody, PaymentMethodBody } from '../objects/customer-bodies.ts'
import { cardDeclined, notSupported, badRequest } from '../protocol/responses/errors.ts'
import { isBelowMinimum, minimumText } from '../money/minimum-charge.ts'
import { newBankAccount, newPaymentMethod } from '../endpoints/payments/payment-methods.ts'
import { cardByNumber } from '../endpoints/payments/test-payment-methods.ts'
import { customerFromCheckout } from '../endpoints/customers/customers.ts'
import type { CheckoutItemBody, CheckoutSessionBody } from '../objects/session-bodies.ts'
import { amountFor } from './pricing/price-amounts.ts'
import { readDiscounts, redeem, redeemableCode, applyReductions, reductionsOf } from './pricing/discounts.ts'
import type { DiscountParams, Reduction } from './pricing/discounts.ts'
import { newLine, oneTimeLine } from './invoices/invoice-lines.ts'
import { newIntent, attemptIntent } from './payments/payments.ts'
import { customerOf, isMetered, timeOf, priceOf } from './subscriptions/subscription-records.ts'
import { attemptSetup } from './payments/setup-intents.ts'
import { subscribe, trialEndOf } from './subscriptions/subscribe.ts'

export interface Quote {
  readonly items: readonly CheckoutItemBody[]
  readonly subtotal: number
  readonly discount: number
  readonly total: number
}

type QuotedSession = Pick<CheckoutSessionBody, 'currency' | 'customer' | 'mode' | '_plan'>

function hasTrial({ _plan: plan }: QuotedSession): boolean {
  return plan.trial_end !== null || plan.trial_period_days !== null
}

/** Computes the amounts that a checkout session charges today. Metered prices cost 0 today, and so do recurring prices during a trial. */
export function quote(
  call: OperationContext,
  session: QuotedSession,
  items: readonly Pick<CheckoutItemBody, 'id' | 'price' | 'quantity' | 'metadata'>[],
  discounts: DiscountParams,
): Quote {
  const lines = items.map((item) => quotedLine(call, session, item))
  const subtotal = lines.reduce((sum, line) => sum + line.amount, 0)
  const customer = session.customer === null ? null : (call.find('customer', session.customer) ?? null)
  const given = readDiscounts(call, discounts, { customer, currency: session.currency, subtotal })
  const named = given.flatMap((one) => (typeof one === 'string' ? [] : [{ discount: 'di', coupon: one.coupon }]))
  const after = applyReductions(lines, [
    ...named,
    ...(named.length === 0 ? ownReductions(call, session, customer) : []),
  ])
  const shown = items.map((item, index) => quotedItem(item, after[index] ?? lines[0], session.currency))
  const discount = shown.reduce((sum, item) => sum + item.amount_discount, 0)
  return { items: shown, subtotal, discount, total: subtotal - discount }
}

/**
 * Returns the coupons that reduce a session that names no discounts. For a subscription these are the coupons of the customer, as on its
 * first invoice.
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

function quotedItem(
  item: Pick<CheckoutItemBody, 'id' | 'price' | 'quantity' | 'metadata'>,
  line: InvoiceLineBody | undefined,
  currency: string,
): CheckoutItemBody {
  const subtotal = line?.amount ?? 0
  const off = (line?.discount_amounts ?? []).reduce((sum, taken) => sum + taken.amount, 0)
  return {
    ...item,
    object: 'item',
    adjustable_quantity: null,
    amount_discount: off,
    amount_subtotal: subtotal,
    amount_tax: 0,
    amount_total: subtotal - off,
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

/**
 * Refuses a single payment below the minimum charge. For a subscription such an amount is allowed, because it moves to the next invoice.
 */
export function refuseBelowMinimum(
  { mode, currency }: Pick<CheckoutSessionBody, 'currency' | 'mode'>,
  total: number,
): void {
  if (mode !== 'payment' || !isBelowMinimum(total, currency)) return
  const message = `The Checkout Session's total amount due must add up to at least ${minimumText(currency)}`
  throw badRequest(message, undefined, 'amount_too_small')
}

/** Pays and completes the session. Throws if the card or a rule refuses; the transaction is then rolled back. */
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
  // Only a card is declined at once. A bank debit is declined days later.
  if (card?._declines === true && card.type === 'card' && quoted.total > 0) throw cardDeclined()
  const made =
    before.mode === 'subscription'
      ? createSubscription(call, before, customer?.id ?? '', card, discounts)
      : { payment_intent: payOnce(call, before, customer?.id ?? null, card, quoted.total, discounts) }
  // The invoice's amount due can be 0 although the quote is positive, e.g. if the customer's balance covers it or it is below the minimum
  // charge.
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
    total_details: { amount_discount: quoted.discount, amount_shipping: 0, amount_tax: 0 },
    url: null,
    ...made,
    _due: null,
  }
  return outer.update(before, after, 'checkout.session.completed')
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
    items: recurring.map((item) => ({ price: item.price, quantity: item.quantity ?? undefined })),
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
