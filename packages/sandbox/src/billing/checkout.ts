// What a checkout costs today and what it becomes when it is paid: a subscription with its first invoice, or one payment.
import type { CustomerBody, PromotionCodeBody } from '../objects/bodies.ts'
import type { Call } from '../protocol/call.ts'
import type { InvoiceLineBody, PaymentMethodBody } from '../objects/customer-bodies.ts'
import { cardDeclined, notSupported, refused } from '../protocol/errors.ts'
import { isTooSmall, leastText } from '../money/least-charge.ts'
import { newBankAccount, newPaymentMethod } from '../resources/payment-methods.ts'
import { cardByNumber } from '../resources/test-banks.ts'
import { customerFromCheckout } from '../resources/customers.ts'
import type { CheckoutItemBody, CheckoutSessionBody } from '../objects/session-bodies.ts'
import { amountFor } from './charges.ts'
import { readDiscounts, redeem, redeemableCode, reduced, reductionsOf } from './discounts.ts'
import type { DiscountParams, Reduction } from './discounts.ts'
import { newLine, onceLine } from './lines.ts'
import { newIntent, tried } from './payments.ts'
import { customerOf, isMetered, momentOf, priceOf } from './records.ts'
import { setUp } from './setups.ts'
import { subscribe, trialEndOf } from './subscribe.ts'

export interface Quote {
  readonly items: readonly CheckoutItemBody[]
  readonly subtotal: number
  readonly discount: number
  readonly total: number
}

type Quoted = Pick<CheckoutSessionBody, 'currency' | 'customer' | 'mode' | '_plan'>

function hasTrial({ _plan: plan }: Quoted): boolean {
  return plan.trial_end !== null || plan.trial_period_days !== null
}

/** The amounts of today. A metered price costs nothing yet, a recurring one nothing within a trial. */
export function quote(
  call: Call,
  session: Quoted,
  items: readonly Pick<CheckoutItemBody, 'id' | 'price' | 'quantity' | 'metadata'>[],
  discounts: DiscountParams,
): Quote {
  const lines = items.map((item) => quotedLine(call, session, item))
  const subtotal = lines.reduce((sum, line) => sum + line.amount, 0)
  const customer = session.customer === null ? null : (call.find('customer', session.customer) ?? null)
  const given = readDiscounts(call, discounts, { customer, currency: session.currency, subtotal })
  const named = given.flatMap((one) => (typeof one === 'string' ? [] : [{ discount: 'di', coupon: one.coupon }]))
  const after = reduced(lines, [...named, ...(named.length === 0 ? ownReductions(call, session, customer) : [])])
  const shown = items.map((item, index) => quotedItem(item, after[index] ?? lines[0], session.currency))
  const discount = shown.reduce((sum, item) => sum + item.amount_discount, 0)
  return { items: shown, subtotal, discount, total: subtotal - discount }
}

/** What the customer has anyway is taken off a subscription that has no discount of its own, as its invoice will have it. */
function ownReductions(call: Call, session: Quoted, customer: CustomerBody | null): Reduction[] {
  const own = session.mode === 'subscription' ? (customer?.discount ?? null) : null
  return own === null ? [] : reductionsOf(call.at(momentOf(call, customer?.test_clock ?? null)), [own])
}

function quotedLine(call: Call, session: Quoted, item: Pick<CheckoutItemBody, 'price' | 'quantity'>): InvoiceLineBody {
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

/** The code a person typed, in any case, if it may be redeemed here. */
export function typedCode(call: Call, session: CheckoutSessionBody, typed: string): PromotionCodeBody {
  const found = call
    .select('promotion_code', [{ field: 'code', isAnyCase: typed }])
    .filter((code) => code.customer === null || code.customer === session.customer)
  const code = found.find((one) => one.active) ?? found[0]
  if (code === undefined) throw refused('This code is invalid.')
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

export interface Paying {
  /** The card, once it is needed: the customer's, or nobody's for one payment. */
  readonly card: (call: Call, customer: string | null) => PaymentMethodBody
  readonly email: string
  readonly code: PromotionCodeBody | null
}

/** Whether a card is asked for. */
export function needsCard(session: CheckoutSessionBody, total: number): boolean {
  return (
    total > 0 ||
    session.mode === 'setup' ||
    (session.mode === 'subscription' && session.payment_method_collection !== 'if_required')
  )
}

/** A single payment is charged at once or not at all; what a subscription owes can wait for its next invoice. */
export function refuseTooSmall(
  { mode, currency }: Pick<CheckoutSessionBody, 'currency' | 'mode'>,
  total: number,
): void {
  if (mode !== 'payment' || !isTooSmall(total, currency)) return
  const message = `The Checkout Session's total amount due must add up to at least ${leastText(currency)}`
  throw refused(message, undefined, 'amount_too_small')
}

/** Pays and closes the session; what the card or the rules refuse is thrown and leaves everything as it was. */
export function complete(outer: Call, before: CheckoutSessionBody, paying: Paying): CheckoutSessionBody {
  const discounts = discountsOf(before, paying.code)
  const quoted = quote(outer, before, before.line_items.data, discounts)
  refuseTooSmall(before, quoted.total)
  const customer = outer.find('customer', before.customer ?? '') ?? newCustomer(outer, before, paying.email)
  const call = outer.at(momentOf(outer, customer?.test_clock ?? null))
  if (before.mode === 'setup') return setUpBy(outer, call, before, customer, paying)
  const card = needsCard(before, quoted.total) ? paying.card(call, customer?.id ?? null) : null
  if (card !== null) refuseWay(before, card)
  // A bank account says so later.
  if (card?._declines === true && card.type === 'card' && quoted.total > 0) throw cardDeclined()
  const made =
    before.mode === 'subscription'
      ? subscribed(call, before, customer?.id ?? '', card, discounts)
      : { payment_intent: paid(call, before, customer?.id ?? null, card, quoted.total, discounts) }
  // The invoice may ask for nothing: the balance covers it, or it is too small.
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

function detailsOf(customer: CustomerBody | null, paying: Paying): CheckoutSessionBody['customer_details'] {
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

/** A way to pay that the session does not offer, or that this server does not know there. */
function refuseWay(session: CheckoutSessionBody, { type, _asks: asks }: PaymentMethodBody): void {
  if (!session.payment_method_types.includes(type)) {
    const offered = session.payment_method_types.join(', ')
    throw refused(`This Checkout Session takes ${offered}; the payment method is of type ${type}.`, 'payment_method')
  }
  if (asks === true) throw notSupported('a card that asks for authentication in a checkout', 'payment_method')
}

/** Keeps the card for the customer, where there is one; it does not pay by default from then on. */
function setUpBy(
  outer: Call,
  call: Call,
  before: CheckoutSessionBody,
  customer: CustomerBody | null,
  paying: Paying,
): CheckoutSessionBody {
  const found = call.find('setup_intent', before.setup_intent ?? '')
  if (found === undefined) throw new Error(`The setup intent of ${before.id} is gone`)
  const intent = found.customer === null && customer !== null ? { ...found, customer: customer.id } : found
  const card = paying.card(call, null)
  refuseWay(before, card)
  const done = setUp(call, call.update(found, intent, null), card)
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
  call: Call,
  session: CheckoutSessionBody,
  email: string,
): ReturnType<typeof customerFromCheckout> | null {
  const wanted = session.mode === 'subscription' || session.customer_creation === 'always'
  return wanted ? customerFromCheckout(call, email === '' ? null : email) : null
}

/** The card of a number that was typed. */
export function typedCard(number: string): Paying['card'] {
  return (call, customer) => {
    const card = cardByNumber(number)
    if (card === undefined)
      throw refused('Your card number is invalid. Use one of the test cards.', 'number', 'incorrect_number')
    return newPaymentMethod(call, card, customer)
  }
}

/** The bank account of an IBAN that was typed; nobody keeps it. */
export function typedAccount(iban: string, email: string): Paying['card'] {
  return (call) => {
    const account = newBankAccount(call, iban)
    return call.update(account, { ...account, billing_details: { ...account.billing_details, email } }, null)
  }
}

function subscribed(
  call: Call,
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
    paymentBehavior: 'error_if_incomplete',
    session: session.id,
    extra: (subscription) => once.map((item) => onceLine(call, subscription, priceOf(call, item), item.quantity ?? 1)),
  })
  return { subscription: made.id, invoice: made.latest_invoice }
}

function paid(
  call: Call,
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
  return tried(call, intent, card, { clock: customer === null ? null : customerOf(call, customer).test_clock }).id
}

/** A one-time purchase keeps no discount, but uses up what the coupon and its code allow. */
function countRedemption(call: Call, session: CheckoutSessionBody, amount: number, discounts: DiscountParams): void {
  const customer = session.customer === null ? null : (call.find('customer', session.customer) ?? null)
  const purchase = { customer, currency: session.currency, subtotal: Math.max(amount, session.amount_subtotal ?? 0) }
  const redeemed = readDiscounts(call, discounts, purchase)
  redeem(call, redeemed, { customer: customer?.id ?? '', subscription: null, session: session.id })
}
