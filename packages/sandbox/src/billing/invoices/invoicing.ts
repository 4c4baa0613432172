// The life of an invoice: drafted with its discounts, numbered when it is finalized, paid by the card or tried again.
import type { Call } from '../../protocol/operation-context.ts'
import type {
  BillingReason,
  InvoiceBody,
  InvoiceItemBody,
  InvoiceLineBody,
  PauseBody,
  PaymentMethodBody,
  SubscriptionBody,
  SubscriptionItemBody,
} from '../../objects/customer-bodies.ts'
import { isTooSmall } from '../../money/minimum-charge.ts'
import { newId } from '../../protocol/ids.ts'
import type { Metadata } from '../../protocol/parameters/metadata.ts'
import { debited, wholePeriods } from '../payments/debits.ts'
import { discountsFor, reduced, reductionsOf } from '../pricing/discounts.ts'
import { itemLine, pendingItems, takenOff, withItemsOf } from './invoice-items.ts'
import { cancelIntent, intentFor, tried } from '../payments/payments.ts'
import { withLateUsage } from './late-usage.ts'
import { setDelinquent } from '../payments/payers.ts'
import { reflect, subscriptionOf } from '../subscriptions/subscription-status.ts'
import { taxed } from './taxes.ts'
import { totals } from './totals.ts'
import type { Sums } from './totals.ts'
import type { Period } from '../pricing/billing-intervals.ts'
import { customerOf, day } from '../subscriptions/subscription-records.ts'

/** A renewal can still be changed for an hour. */
export const draftFor = 3600
/** Waits before the second, third and fourth try of a payment; the subscription stays past due after the last. */
const retryAfter = [3 * day, 5 * day, 7 * day]

/** Who and how an invoice bills: a subscription, or by hand whatever is said. */
export type InvoiceFor = Pick<
  SubscriptionBody,
  | 'automatic_tax'
  | 'collection_method'
  | 'currency'
  | 'customer'
  | 'days_until_due'
  | 'default_tax_rates'
  | 'discounts'
  | 'invoice_settings'
  | 'metadata'
  | 'test_clock'
> & {
  readonly id: string | null
  readonly items: { readonly data: SubscriptionItemBody[] }
  readonly pause_collection?: SubscriptionBody['pause_collection']
}

interface NewInvoice {
  readonly subscription: InvoiceFor
  readonly lines: readonly InvoiceLineBody[]
  readonly reason: BillingReason
  /** What waits and comes with it; what waits for the reason when it is left out. */
  readonly pending?: readonly InvoiceItemBody[]
  readonly period: Period
  /** Whether it goes on by itself; it does when that is left out. */
  readonly autoAdvance?: boolean
  /** A first invoice that is a draft for a while, as those of schedules are. */
  readonly waits?: boolean
  /** Of an invoice by hand. */
  readonly metadata?: Metadata
  /** Instead of days after it was made (seconds). */
  readonly dueDate?: number
}

export interface Invoiced {
  readonly invoice: InvoiceBody
  /** What the subscription loses: a coupon for one time is used up, others have ended. */
  readonly gone: ReadonlySet<string>
}

/** What is too small to be charged waits in the customer's balance for the next invoice (the SDK's types, invoices). */
function balanced(
  total: number,
  starting: number,
  currency: string,
): Pick<InvoiceBody, 'amount_due' | 'amount_remaining' | 'starting_balance'> {
  const owed = total + starting
  const due = isTooSmall(owed, currency) ? 0 : Math.max(0, owed)
  return { amount_due: due, amount_remaining: due, starting_balance: starting }
}

/** Writes a draft. Discounts that have ended take nothing off; those of an item are taken off its own lines, first. */
export function draft(call: Call, wanted: NewInvoice): Invoiced {
  const { subscription } = wanted
  const items = new Map(subscription.items.data.map((item) => [item.id, item]))
  const ofItems = [...items.values()].flatMap((item) =>
    reductionsOf(call, item.discounts).map((reduction) => ({ ...reduction, item: item.id })),
  )
  const own = discountsFor(call, subscription)
  const reductions = [...ofItems, ...reductionsOf(call, own)]
  const running = new Set(reductions.map(({ discount }) => discount))
  const id = newId('in_1', 23)
  const pending = wanted.pending ?? (takesPending(wanted) ? pendingItems(call, subscription) : [])
  // In this order (the SDK's types, `lines`).
  const unreduced = [...pending.map(itemLine), ...withItemsOf(call, subscription, wanted.lines, id)]
  const lines = taxed(call, reduced(unreduced, reductions), (line) => {
    const { invoice_item_details: ofItem, subscription_item_details: ofSubscription } = line.parent
    const billed = pending.find(({ id }) => id === (ofItem ?? ofSubscription)?.invoice_item)
    if (billed !== undefined && billed.tax_rates.length > 0) return billed.tax_rates
    const item = items.get(line.parent.subscription_item_details?.subscription_item ?? '')
    return item === undefined || item.tax_rates.length === 0 ? subscription.default_tax_rates : item.tax_rates
  }).map((line) => ({ ...line, invoice: id }))
  const sums = totals(lines, new Set(ofItems.map(({ discount }) => discount)))
  const used = new Set(
    reductions
      .filter(({ coupon, discount }) => coupon.duration === 'once' && takes(sums, discount))
      .map((r) => r.discount),
  )
  const held = [...own, ...[...items.values()].flatMap((item) => item.discounts)]
  const gone = new Set(held.filter((discount) => used.has(discount) || !running.has(discount)))
  for (const discount of gone) {
    const body = call.find('discount', discount)
    if (body !== undefined) call.announce('customer.discount.deleted', body)
  }
  const customer = call.find('customer', subscription.customer)
  if (customer?.discount !== null && customer?.discount !== undefined && gone.has(customer.discount))
    call.update(customer, { ...customer, discount: null }, null)
  const kept = own.filter((discount) => running.has(discount))
  for (const item of pending) {
    takenOff(call, item)
    call.update(item, { ...item, invoice: id }, null)
  }
  const invoice = call.create(blankInvoice(call, wanted, id, lines, kept, sums), 'invoice.created')
  const pause = subscription.pause_collection ?? null
  return { invoice: pause === null ? invoice : setAside(call, invoice, pause.behavior), gone }
}

/** Nothing is collected now: it stays a draft, or is given up at once (docs.stripe.com/billing/subscriptions/pause-payment). */
function setAside(call: Call, invoice: InvoiceBody, behavior: PauseBody['behavior']): InvoiceBody {
  const kept = {
    ...invoice,
    auto_advance: false,
    automatically_finalizes_at: null,
    next_payment_attempt: null,
    _due: null,
  }
  if (behavior === 'keep_as_draft') return call.update(invoice, kept, 'invoice.updated')
  // Nothing is billed, so nothing is there to be given up. What the balance covers, or is too small to be charged, is billed.
  if (invoice.total <= 0) return invoice
  // What is void takes nothing from the customer's balance.
  const open = numbered(call, invoice, kept, behavior !== 'void')
  const status = behavior === 'void' ? 'void' : 'uncollectible'
  const at = behavior === 'void' ? 'voided_at' : 'marked_uncollectible_at'
  const over = { ...open, status, status_transitions: { ...open.status_transitions, [at]: call.now } } as const
  call.update(invoice, open, 'invoice.finalized')
  return call.update(open, over, behavior === 'void' ? 'invoice.voided' : 'invoice.marked_uncollectible')
}

/** What waits for an invoice comes with the next one of a period, or with one that asks for it (the SDK's types, invoice items). */
function takesPending({ reason }: NewInvoice): boolean {
  return reason === 'subscription_create' || reason === 'subscription_cycle'
}

/** The subscription without the discounts that an invoice used up, or that have ended; its items know what they were charged. */
export function afterInvoice(subscription: SubscriptionBody, { gone, invoice }: Invoiced): SubscriptionBody {
  const kept = (discounts: readonly string[]): string[] => discounts.filter((discount) => !gone.has(discount))
  const items = debited(subscription.items.data, wholePeriods(subscription.items.data, invoice.lines.data))
  const data = items.map((item) => ({ ...item, discounts: kept(item.discounts) }))
  return { ...subscription, discounts: kept(subscription.discounts), items: { ...subscription.items, data } }
}

function takes(sums: Sums, discount: string): boolean {
  return sums.total_discount_amounts.some((taken) => taken.discount === discount && taken.amount !== 0)
}

function blankInvoice(
  call: Call,
  wanted: NewInvoice,
  id: string,
  lines: InvoiceLineBody[],
  discounts: string[],
  sums: Sums,
): InvoiceBody {
  const { subscription, reason, period } = wanted
  const customer = customerOf(call, subscription.customer)
  const byMail = subscription.collection_method === 'send_invoice'
  const finalizesAt =
    reason === 'subscription_cycle' ||
    ((byMail || wanted.waits === true) && reason === 'subscription_create') ||
    (reason === 'manual' && wanted.autoAdvance === true)
      ? call.now + draftFor
      : null
  return {
    id,
    object: 'invoice',
    account_country: 'US',
    account_name: 'Sandbox',
    account_tax_ids: null,
    ...balanced(sums.total, customer.balance, subscription.currency),
    amount_overpaid: 0,
    amount_paid: 0,
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: wanted.autoAdvance ?? true,
    automatic_tax: {
      ...subscription.automatic_tax,
      provider: subscription.automatic_tax.enabled ? 'stripe' : null,
      status: subscription.automatic_tax.enabled ? 'complete' : null,
    },
    automatically_finalizes_at: finalizesAt,
    confirmation_secret: null,
    billing_reason: reason,
    collection_method: subscription.collection_method,
    created: call.now,
    currency: subscription.currency,
    custom_fields: subscription.invoice_settings.custom_fields ?? customer.invoice_settings.custom_fields,
    customer: customer.id,
    customer_account: null,
    customer_address: customer.address,
    customer_email: customer.email,
    customer_name: customer.name,
    customer_phone: customer.phone,
    customer_shipping: customer.shipping,
    customer_tax_exempt: customer.tax_exempt,
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: subscription.default_tax_rates,
    description: subscription.invoice_settings.description,
    discounts,
    due_date: byMail ? (wanted.dueDate ?? call.now + (subscription.days_until_due ?? 0) * day) : null,
    effective_at: null,
    ending_balance: null,
    footer: subscription.invoice_settings.footer ?? customer.invoice_settings.footer,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: { object: 'list', data: lines, has_more: false, url: `/v1/invoices/${id}/lines` },
    livemode: false,
    metadata: wanted.metadata ?? {},
    next_payment_attempt: byMail ? null : finalizesAt,
    number: null,
    on_behalf_of: null,
    parent:
      subscription.id === null
        ? null
        : {
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
    test_clock: subscription.test_clock,
    total_pretax_credit_amounts: [],
    webhooks_delivered_at: call.now,
    _due: finalizesAt,
    _clock: subscription.test_clock,
  }
}

/** Gives the invoice its number, settles it with the customer's balance, and tries to take the money unless that waits. */
export function finalize(call: Call, draft: InvoiceBody, pay = true): InvoiceBody {
  const before = withLateUsage(call, draft)
  const open = numbered(call, before, before)
  if (before.collection_method === 'send_invoice' && open.amount_due > 0)
    return withSecret(call, send(call, before, open))
  const finalized = withSecret(call, call.update(before, open, 'invoice.finalized'))
  return pay || finalized.amount_due === 0 ? attempt(call, finalized) : finalized
}

/** What somebody can pay it with, by the intent that is made for it. */
function withSecret(call: Call, invoice: InvoiceBody): InvoiceBody {
  if (invoice.amount_due === 0) return invoice
  const { client_secret: secret } = intentFor(call, invoice)
  const known = { ...invoice, confirmation_secret: { client_secret: secret, type: 'payment_intent' as const } }
  return call.update(invoice, known, null)
}

/** With its number, and settled with the customer's balance; not yet written. */
function numbered(call: Call, before: InvoiceBody, own: InvoiceBody, settles = true): InvoiceBody {
  const customer = customerOf(call, before.customer)
  const starting = settles ? customer.balance : 0
  const owed = before.total + starting
  const ending = settles && isTooSmall(owed, before.currency) ? owed : Math.min(0, owed)
  const number = `${customer.invoice_prefix}-${String(customer.next_invoice_sequence).padStart(4, '0')}`
  const balance = settles ? ending : customer.balance
  const after = { ...customer, balance, next_invoice_sequence: customer.next_invoice_sequence + 1 }
  call.update(customer, after, balance === customer.balance ? null : 'customer.updated')
  return {
    ...own,
    ...balanced(before.total, starting, before.currency),
    automatically_finalizes_at: null,
    effective_at: call.now,
    ending_balance: ending,
    hosted_invoice_url: `${call.origin}/invoices/${before.id}`,
    number,
    status: 'open',
    status_transitions: { ...before.status_transitions, finalized_at: call.now },
    _due: null,
  }
}

/** An invoice that is mailed waits for its day; nobody tries a card. */
function send(call: Call, before: InvoiceBody, open: InvoiceBody): InvoiceBody {
  const days = (before.due_date ?? before.created) - before.created
  const due = call.now + days
  const sent = { ...open, due_date: due, next_payment_attempt: null, _due: due }
  const written = call.update(before, sent, 'invoice.finalized')
  call.announce('invoice.sent', written)
  return written
}

/** The day has passed: the subscription is past due (the SDK's types, `status`). */
export function overdue(call: Call, invoice: InvoiceBody): void {
  const written = call.update(invoice, { ...invoice, _due: null }, 'invoice.overdue')
  setDelinquent(call, invoice, true)
  reflect(call, written)
}

/**
 * The card that pays an invoice: the one given, that of the subscription, or the customer's default; a card that is merely
 * attached pays nothing (docs.stripe.com/billing/subscriptions/payment-methods-setting).
 */
export function cardOf(
  call: Call,
  invoice: Pick<InvoiceBody, 'customer' | 'default_payment_method' | 'parent'>,
  given?: string,
): PaymentMethodBody | undefined {
  const subscription = call.find('subscription', subscriptionOf(invoice) ?? '')
  const id =
    given ??
    invoice.default_payment_method ??
    subscription?.default_payment_method ??
    customerOf(call, invoice.customer).invoice_settings.default_payment_method ??
    customerOf(call, invoice.customer).default_source
  return id === null ? undefined : call.find('payment_method', id)
}

interface Attempt {
  readonly card?: string | undefined
  /** Somebody asked for it. */
  readonly manual?: boolean
  /** The cardholder has answered the bank. */
  readonly authenticated?: boolean
}

/**
 * One try to be paid. The subscription is told by `reflect`. A try that somebody asked for counts only as the first one, and
 * leaves the retry schedule alone (the SDK's types, `attempt_count`).
 */
export function attempt(
  call: Call,
  invoice: InvoiceBody,
  { card, manual = false, authenticated = false }: Attempt = {},
): InvoiceBody {
  const counts = invoice.amount_due > 0 && (!manual || invoice.attempt_count === 0)
  const tries = invoice.attempt_count + (counts ? 1 : 0)
  const method = invoice.amount_due > 0 ? cardOf(call, invoice, card) : undefined
  const before = method === undefined ? undefined : intentFor(call, invoice)
  // A card whose bank asks is not tried again by itself (the SDK's types, `attempt_count`).
  const waits = !manual && before?.status === 'requires_action' && before.payment_method === method?.id
  const intent =
    before === undefined || method === undefined || waits ? before : tried(call, before, method, { authenticated })
  if (invoice.amount_due === 0 || intent?.status === 'succeeded') {
    const paid = { ...asPaid(call, invoice), attempt_count: tries, attempted: true }
    // In this order (recorded at 2026-08-26.dahlia).
    const written = call.update(invoice, paid, 'invoice.payment_succeeded')
    call.announce('invoice.paid', written)
    setDelinquent(call, invoice, false)
    return written
  }
  const asked = intent?.status === 'requires_action'
  if (!counts) {
    if (asked) call.announce('invoice.payment_action_required', invoice)
    call.announce('invoice.payment_failed', invoice)
    return invoice
  }
  const wait = retryAfter[tries - 1]
  // The first invoice is not tried again by itself: its subscription expires.
  const next = wait === undefined || invoice.billing_reason === 'subscription_create' ? null : call.now + wait
  const failed = { ...invoice, attempt_count: tries, attempted: true, next_payment_attempt: next, _due: next }
  if (waits) return call.update(invoice, failed, 'invoice.updated')
  const written = call.update(invoice, failed, asked ? 'invoice.payment_action_required' : 'invoice.payment_failed')
  if (asked) call.announce('invoice.payment_failed', written)
  // A bank that asks has not refused yet.
  if (!manual && !asked) setDelinquent(call, invoice, true)
  return written
}

function asPaid(call: Call, invoice: InvoiceBody): InvoiceBody {
  return {
    ...invoice,
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    auto_advance: false,
    next_payment_attempt: null,
    status: 'paid',
    status_transitions: { ...invoice.status_transitions, paid_at: call.now },
    _due: null,
  }
}

/** The money came another way; nothing was tried. */
export function paidElsewhere(call: Call, invoice: InvoiceBody): InvoiceBody {
  cancelIntent(call, invoice)
  const written = call.update(invoice, asPaid(call, invoice), 'invoice.paid')
  setDelinquent(call, invoice, false)
  return written
}

/** Nobody has to pay it any more. */
export function givenUp(call: Call, invoice: InvoiceBody, status: 'void' | 'uncollectible'): InvoiceBody {
  const at = status === 'void' ? 'voided_at' : 'marked_uncollectible_at'
  const after: InvoiceBody = {
    ...invoice,
    auto_advance: false,
    next_payment_attempt: null,
    status,
    status_transitions: { ...invoice.status_transitions, [at]: call.now },
    _due: null,
  }
  if (status === 'void') {
    cancelIntent(call, invoice)
    giveBalanceBack(call, invoice)
  }
  const written = call.update(invoice, after, status === 'void' ? 'invoice.voided' : 'invoice.marked_uncollectible')
  if (status === 'uncollectible') setDelinquent(call, invoice, false)
  return written
}

/** A void invoice gives back what it took of the customer's balance (docs.stripe.com/changelog, 2019-12-03). */
function giveBalanceBack(call: Call, invoice: InvoiceBody): void {
  const taken = invoice.starting_balance - (invoice.ending_balance ?? 0)
  if (taken === 0) return
  const customer = customerOf(call, invoice.customer)
  call.update(customer, { ...customer, balance: customer.balance + taken }, 'customer.updated')
}

/** A draft that waits no longer, with what it means for its subscription. */
export function settle(call: Call, invoice: InvoiceBody): InvoiceBody {
  const done = finalize(call, invoice)
  reflect(call, done)
  return done
}
