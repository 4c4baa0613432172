// The life of an invoice: drafted with its discounts, numbered when it is finalized, paid by the card or tried again.
import type { Call } from '../protocol/call.ts'
import type {
  BillingReason,
  InvoiceBody,
  InvoiceLineBody,
  PaymentMethodBody,
  SubscriptionBody,
} from '../objects/customer-bodies.ts'
import { newId } from '../protocol/ids.ts'
import { couponOf, reduced } from './discounts.ts'
import type { Reduction } from './discounts.ts'
import type { Period } from './calendar.ts'
import { customerOf, day, isOver, save } from './records.ts'

/** A renewal can still be changed for an hour. */
const draftFor = 3600
/** Waits before the second, third and fourth try of a payment; the subscription stays past due after the last. */
const retryAfter = [3 * day, 5 * day, 7 * day]

interface NewInvoice {
  readonly subscription: SubscriptionBody
  readonly lines: readonly InvoiceLineBody[]
  readonly reason: BillingReason
  readonly period: Period
}

export interface Invoiced {
  readonly invoice: InvoiceBody
  /** What the subscription keeps: a coupon for one time is used up, others have ended. */
  readonly discounts: string[]
}

function totals(lines: readonly InvoiceLineBody[]): Pick<InvoiceBody, 'subtotal' | 'total' | 'total_discount_amounts'> {
  const byDiscount = new Map<string, number>()
  for (const { amount, discount } of lines.flatMap((line) => line.discount_amounts)) {
    byDiscount.set(discount, (byDiscount.get(discount) ?? 0) + amount)
  }
  const subtotal = lines.reduce((sum, line) => sum + line.amount, 0)
  const off = [...byDiscount.values()].reduce((sum, amount) => sum + amount, 0)
  const amounts = [...byDiscount].map(([discount, amount]) => ({ amount, discount }))
  return { subtotal, total: subtotal - off, total_discount_amounts: amounts }
}

function balanced(
  total: number,
  starting: number,
): Pick<InvoiceBody, 'amount_due' | 'amount_remaining' | 'starting_balance'> {
  const due = Math.max(0, total + starting)
  return { amount_due: due, amount_remaining: due, starting_balance: starting }
}

/** Writes a draft. Discounts of the subscription that have ended take nothing off. */
export function draft(call: Call, wanted: NewInvoice): Invoiced {
  const { subscription } = wanted
  const held = subscription.discounts.flatMap((id) => call.find('discount', id) ?? [])
  const running = held.filter((discount) => discount.end === null || discount.end > call.now)
  const reductions = running.flatMap<Reduction>((discount) => {
    const coupon = couponOf(call, discount.source.coupon)
    return coupon === undefined ? [] : [{ discount: discount.id, coupon }]
  })
  const id = newId('in_1', 23)
  const lines = reduced(wanted.lines, reductions).map((line) => ({ ...line, invoice: id }))
  const sums = totals(lines)
  const used = new Set(
    reductions
      .filter(({ coupon, discount }) => coupon.duration === 'once' && takes(sums, discount))
      .map((r) => r.discount),
  )
  const kept = running.filter((discount) => !used.has(discount.id))
  for (const gone of held.filter((discount) => !kept.includes(discount))) {
    call.announce('customer.discount.deleted', gone)
  }
  const invoice = call.create(
    blankInvoice(
      call,
      wanted,
      id,
      lines,
      running.map((discount) => discount.id),
      sums,
    ),
    'invoice.created',
  )
  return { invoice, discounts: kept.map((discount) => discount.id) }
}

function takes(sums: Pick<InvoiceBody, 'total_discount_amounts'>, discount: string): boolean {
  return sums.total_discount_amounts.some((taken) => taken.discount === discount && taken.amount !== 0)
}

function blankInvoice(
  call: Call,
  { subscription, reason, period }: NewInvoice,
  id: string,
  lines: InvoiceLineBody[],
  discounts: string[],
  sums: ReturnType<typeof totals>,
): InvoiceBody {
  const customer = customerOf(call, subscription.customer)
  const finalizesAt = reason === 'subscription_cycle' ? call.now + draftFor : null
  return {
    id,
    object: 'invoice',
    account_country: 'US',
    account_name: 'Sandbox',
    account_tax_ids: null,
    ...balanced(sums.total, customer.balance),
    amount_overpaid: 0,
    amount_paid: 0,
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: finalizesAt,
    billing_reason: reason,
    collection_method: 'charge_automatically',
    created: call.now,
    currency: subscription.currency,
    custom_fields: null,
    customer: customer.id,
    customer_account: null,
    customer_address: null,
    customer_email: customer.email,
    customer_name: customer.name,
    customer_phone: customer.phone,
    customer_shipping: null,
    customer_tax_exempt: customer.tax_exempt,
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts,
    due_date: null,
    effective_at: null,
    ending_balance: null,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: { object: 'list', data: lines, has_more: false, url: `/v1/invoices/${id}/lines` },
    livemode: false,
    metadata: {},
    next_payment_attempt: finalizesAt,
    number: null,
    on_behalf_of: null,
    parent: {
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: 'subscription_details',
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: period.end,
    period_start: period.start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    statement_descriptor: null,
    status: 'draft',
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    ...sums,
    subtotal_excluding_tax: sums.subtotal,
    test_clock: subscription.test_clock,
    total_excluding_tax: sums.total,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: call.now,
    _due: finalizesAt,
    _clock: subscription.test_clock,
  }
}

/** Gives the invoice its number, settles it with the customer's balance, and tries to take the money unless that waits. */
export function finalize(call: Call, before: InvoiceBody, pay = true): InvoiceBody {
  const customer = customerOf(call, before.customer)
  const due = before.total + customer.balance
  const ending = Math.min(0, due)
  const number = `${customer.invoice_prefix}-${String(customer.next_invoice_sequence).padStart(4, '0')}`
  const after = { ...customer, balance: ending, next_invoice_sequence: customer.next_invoice_sequence + 1 }
  call.update(customer, after, ending === customer.balance ? null : 'customer.updated')
  const open: InvoiceBody = {
    ...before,
    ...balanced(before.total, customer.balance),
    automatically_finalizes_at: null,
    effective_at: call.now,
    ending_balance: ending,
    number,
    status: 'open',
    status_transitions: { ...before.status_transitions, finalized_at: call.now },
    _due: null,
  }
  const finalized = call.update(before, open, 'invoice.finalized')
  return pay ? attempt(call, finalized) : finalized
}

/**
 * The card that pays an invoice: the one given, that of the subscription, or the customer's default; a card that is merely
 * attached pays nothing (docs.stripe.com/billing/subscriptions/payment-methods-setting).
 */
export function cardOf(
  call: Call,
  invoice: Pick<InvoiceBody, 'customer' | 'parent'>,
  given?: string,
): PaymentMethodBody | undefined {
  const subscription = call.find('subscription', invoice.parent.subscription_details.subscription)
  const id =
    given ??
    subscription?.default_payment_method ??
    customerOf(call, invoice.customer).invoice_settings.default_payment_method
  return id === null ? undefined : call.find('payment_method', id)
}

/**
 * One try to be paid. The subscription is told by `reflect`. A try that somebody asked for counts only as the first one, and
 * leaves the retry schedule alone (the SDK's types, `attempt_count`).
 */
export function attempt(
  call: Call,
  invoice: InvoiceBody,
  { card, manual = false }: { readonly card?: string | undefined; readonly manual?: boolean } = {},
): InvoiceBody {
  const counts = invoice.amount_due > 0 && (!manual || invoice.attempt_count === 0)
  const tries = invoice.attempt_count + (counts ? 1 : 0)
  const declined = invoice.amount_due > 0 && cardOf(call, invoice, card)?._declines !== false
  if (!declined) {
    const paid: InvoiceBody = {
      ...invoice,
      amount_paid: invoice.amount_due,
      amount_remaining: 0,
      attempt_count: tries,
      attempted: true,
      auto_advance: false,
      next_payment_attempt: null,
      status: 'paid',
      status_transitions: { ...invoice.status_transitions, paid_at: call.now },
      _due: null,
    }
    // In this order (recorded at 2026-08-26.dahlia).
    const written = call.update(invoice, paid, 'invoice.payment_succeeded')
    call.announce('invoice.paid', written)
    return written
  }
  if (!counts) {
    call.announce('invoice.payment_failed', invoice)
    return invoice
  }
  const wait = retryAfter[tries - 1]
  // The first invoice is not tried again by itself: its subscription expires.
  const next = wait === undefined || invoice.billing_reason === 'subscription_create' ? null : call.now + wait
  const failed = { ...invoice, attempt_count: tries, attempted: true, next_payment_attempt: next, _due: next }
  return call.update(invoice, failed, 'invoice.payment_failed')
}

/** What a paid or refused invoice means for its subscription. */
export function reflect(call: Call, invoice: InvoiceBody): void {
  const before = call.find('subscription', invoice.parent.subscription_details.subscription)
  if (before === undefined || isOver(before)) return
  const status = statusAfter(call, before, invoice)
  if (status !== before.status) save(call, before, { ...before, status })
}

export function statusAfter(
  call: Call,
  subscription: SubscriptionBody,
  invoice: InvoiceBody,
): SubscriptionBody['status'] {
  const paid = invoice.status === 'paid'
  if (invoice.status === 'draft') return subscription.status
  if (invoice.billing_reason === 'subscription_create') {
    if (!paid) return 'incomplete'
    return subscription.status === 'incomplete' ? 'active' : subscription.status
  }
  if (subscription.status === 'trialing') return 'trialing'
  if (!paid) return 'past_due'
  if (subscription.status !== 'past_due') return subscription.status
  const conditions = [
    { field: 'parent.subscription_details.subscription', is: subscription.id },
    { field: 'status', is: 'open' },
  ]
  return call.select('invoice', conditions, 1).length === 0 ? 'active' : 'past_due'
}

/** A draft that waits no longer, with what it means for its subscription. */
export function settle(call: Call, invoice: InvoiceBody): InvoiceBody {
  const done = finalize(call, invoice)
  reflect(call, done)
  return done
}
