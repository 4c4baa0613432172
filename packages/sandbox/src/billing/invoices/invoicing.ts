// Invoice states: draft → open (numbered when finalized) → paid, void or uncollectible. A failed payment is retried.
import type { OperationContext } from '../../protocol/operation-context.ts'
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
import { invoicePayment } from '../../objects/invoice-payment.ts'
import { isBelowMinimum } from '../../money/minimum-charge.ts'
import { newId } from '../../protocol/ids.ts'
import type { Metadata } from '../../protocol/parameters/metadata.ts'
import { recordDebits, wholePeriods } from '../payments/debits.ts'
import { creditUses, plannedOf, returnCredits, withCredits, type CreditUse } from './credits.ts'
import { withRecordedCredits } from './draft-lines.ts'
import { applyReductions, discountsFor, discountsOfLine, isItemDiscount, reductionsOf } from '../pricing/discounts.ts'
import { itemLine, pendingItems, removePendingLine, withProrationItems } from './invoice-items.ts'
import { cancelIntent, intentFor, attemptIntent } from '../payments/payments.ts'
import { withLateUsage } from './late-usage.ts'
import { setDelinquent } from '../payments/payers.ts'
import { updateStatusAfter, subscriptionOf } from '../subscriptions/subscription-status.ts'
import { withTaxes } from './taxes.ts'
import { totals, type Sums } from './totals.ts'
import type { Period } from '../pricing/billing-intervals.ts'
import { customerOf, day } from '../subscriptions/subscription-records.ts'

/** Seconds after which a draft (e.g. of a renewal) is finalized automatically: 1 hour. Until then the draft can be edited. */
export const draftLifetime = 3600
/** Retry schedule: seconds before the second, third and fourth payment attempt. After the last attempt the subscription stays past due. */
const retryDelays = [3 * day, 5 * day, 7 * day]

/** Customer and billing terms of an invoice. They come from a subscription or, for a manual invoice, from the request. */
export type InvoiceTerms = Pick<
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
  readonly subscription: InvoiceTerms
  readonly lines: readonly InvoiceLineBody[]
  readonly reason: BillingReason
  /** Pending invoice items to include. Default: depends on `reason` (see `takesPending`). */
  readonly pending?: readonly InvoiceItemBody[]
  readonly period: Period
  /** True (default): the invoice auto-advances, i.e. it is finalized and collected automatically. */
  readonly autoAdvance?: boolean
  /** True: a first invoice (`subscription_create`) stays a draft for an hour. Used when a schedule starts the subscription. */
  readonly staysDraft?: boolean
  /** Metadata of a manual invoice. */
  readonly metadata?: Metadata
  /** Due date of the invoice (seconds). Default: `days_until_due` after its creation. */
  readonly dueDate?: number
}

export interface DraftedInvoice {
  readonly invoice: InvoiceBody
  /**
   * Discounts that no longer apply after this invoice: `once` coupons that it has used, and discounts that have ended. They are removed
   * from the subscription and its items.
   */
  readonly gone: ReadonlySet<string>
}

/**
 * Returns the amounts due. An amount below the minimum charge is not due: it moves to the customer's balance, and so to the next invoice.
 * Source: the SDK's documentation of invoices.
 */
function amountsDue(
  total: number,
  starting: number,
  currency: string,
): Pick<InvoiceBody, 'amount_due' | 'amount_remaining' | 'starting_balance'> {
  const owed = total + starting
  const due = isBelowMinimum(owed, currency) ? 0 : Math.max(0, owed)
  return { amount_due: due, amount_remaining: due, starting_balance: starting }
}

/**
 * Creates a draft invoice. Discounts that have ended are ignored. The discounts of an item apply to its own lines, before the discounts of
 * the invoice. A subscription with `pause_collection` gets a draft that does not advance, or a closed invoice.
 */
export function createDraft(call: OperationContext, params: NewInvoice): DraftedInvoice {
  const { subscription } = params
  const items = new Map(subscription.items.data.map((item) => [item.id, item]))
  const ofItems = [...items.values()].flatMap((item) =>
    reductionsOf(call, item.discounts).map((reduction) => ({ ...reduction, item: item.id })),
  )
  const own = discountsFor(call, subscription)
  const reductions = [...ofItems, ...reductionsOf(call, own)]
  const running = new Set(reductions.map(({ discount }) => discount))
  const id = newId('in_1', 23)
  const pending = params.pending ?? (takesPending(params) ? pendingItems(call, subscription) : [])
  // Invoice items come before subscription lines. Source: the SDK's documentation of `lines`.
  const unreduced = [
    ...pending.map((item) => itemLine(call, item)),
    ...withProrationItems(call, subscription, params.lines, id),
  ]
  const reduced = applyReductions(unreduced, reductions)
  const uses = draftCredits(call, params, reduced)
  const lines = withTaxes(call, withCredits(reduced, uses), (line) => {
    const { invoice_item_details: ofItem, subscription_item_details: ofSubscription } = line.parent
    const billed = pending.find(({ id }) => id === (ofItem ?? ofSubscription)?.invoice_item)
    if (billed !== undefined && billed.tax_rates.length > 0) return billed.tax_rates
    const item = items.get(line.parent.subscription_item_details?.subscription_item ?? '')
    return item === undefined || item.tax_rates.length === 0 ? subscription.default_tax_rates : item.tax_rates
  }).map((line) => ({ ...line, discounts: discountsOfLine(line, items, running), invoice: id }))
  const sums = totals(lines, (discount) => isItemDiscount(call, discount))
  const used = new Set(
    reductions
      .filter(({ coupon, discount }) => coupon.duration === 'once' && isUsed(sums, discount))
      .map((r) => r.discount),
  )
  const held = [...own, ...[...items.values()].flatMap((item) => item.discounts)]
  const gone = new Set(held.filter((discount) => used.has(discount) || !running.has(discount)))
  for (const discount of gone) {
    const body = call.find('discount', discount)
    if (body !== undefined) call.emit('customer.discount.deleted', body)
  }
  const customer = call.find('customer', subscription.customer)
  if (customer?.discount !== null && customer?.discount !== undefined && gone.has(customer.discount))
    call.update(customer, { ...customer, discount: null }, null)
  const kept = own.filter((discount) => running.has(discount))
  for (const item of pending) {
    removePendingLine(call, item)
    call.update(item, { ...item, invoice: id }, null)
  }
  const draft = { ...blankInvoice(call, params, id, lines, kept, sums), _planned_credits: plannedOf(uses) }
  const invoice = call.create(draft, 'invoice.created')
  const pause = subscription.pause_collection ?? null
  return { invoice: pause === null ? invoice : applyCollectionPause(call, invoice, pause.behavior), gone }
}

/**
 * Returns the billing credits that a new draft shows. Only invoices of subscriptions use credits. An invoice that is void because of
 * `pause_collection` uses none.
 */
function draftCredits(
  call: OperationContext,
  { subscription, period }: NewInvoice,
  lines: readonly InvoiceLineBody[],
): CreditUse[] {
  if (subscription.id === null || subscription.pause_collection?.behavior === 'void') return []
  const { currency, customer } = subscription
  return creditUses(call, { currency, customer, period_end: period.end }, lines)
}

/**
 * Applies `pause_collection` to a new invoice. The invoice stays a draft that does not advance, or is closed as void or uncollectible.
 * Source: docs.stripe.com/billing/subscriptions/pause-payment.
 */
function applyCollectionPause(
  call: OperationContext,
  invoice: InvoiceBody,
  behavior: PauseBody['behavior'],
): InvoiceBody {
  const kept = {
    ...invoice,
    auto_advance: false,
    automatically_finalizes_at: null,
    next_payment_attempt: null,
    _due: null,
  }
  if (behavior === 'keep_as_draft') return call.update(invoice, kept, 'invoice.updated')
  // An invoice is closed only if its total is positive. The total counts even if the balance covers it or it is below the minimum charge.
  if (invoice.total <= 0) return invoice
  // A void invoice must not use the customer's balance.
  const settled = behavior === 'void' ? kept : withRecordedCredits(call, kept)
  const open = withNumber(call, settled, behavior !== 'void')
  call.update(invoice, open, 'invoice.finalized')
  return close(call, open, behavior === 'void' ? 'void' : 'uncollectible')
}

function close(call: OperationContext, invoice: InvoiceBody, status: 'void' | 'uncollectible'): InvoiceBody {
  const at = status === 'void' ? 'voided_at' : 'marked_uncollectible_at'
  const transitions = { ...invoice.status_transitions, [at]: call.now }
  const after = { ...invoice, auto_advance: false, next_payment_attempt: null, status, status_transitions: transitions }
  const event = status === 'void' ? 'invoice.voided' : 'invoice.marked_uncollectible'
  return call.update(invoice, { ...after, _due: null }, event)
}

/**
 * True if an invoice includes pending invoice items by default. Invoices for a period (create, cycle) do; manual invoices set `pending`
 * instead. Source: the SDK's documentation of invoice items.
 */
function takesPending({ reason }: NewInvoice): boolean {
  return reason === 'subscription_create' || reason === 'subscription_cycle'
}

/**
 * Returns the subscription without the discounts in `gone`. Records on each item the amount charged (`_debited`), because a later credit is
 * a share of that amount.
 */
export function afterInvoice(subscription: SubscriptionBody, { gone, invoice }: DraftedInvoice): SubscriptionBody {
  const kept = (discounts: readonly string[]): string[] => discounts.filter((discount) => !gone.has(discount))
  const items = recordDebits(subscription.items.data, wholePeriods(subscription.items.data, invoice.lines.data))
  const data = items.map((item) => ({ ...item, discounts: kept(item.discounts) }))
  return { ...subscription, discounts: kept(subscription.discounts), items: { ...subscription.items, data } }
}

function isUsed(sums: Sums, discount: string): boolean {
  return sums.total_discount_amounts.some((taken) => taken.discount === discount && taken.amount !== 0)
}

function blankInvoice(
  call: OperationContext,
  params: NewInvoice,
  id: string,
  lines: InvoiceLineBody[],
  discounts: string[],
  sums: Sums,
): InvoiceBody {
  const { subscription, reason, period } = params
  const customer = customerOf(call, subscription.customer)
  const byMail = subscription.collection_method === 'send_invoice'
  const finalizesAt =
    reason === 'subscription_cycle' ||
    ((byMail || params.staysDraft === true) && reason === 'subscription_create') ||
    (reason === 'manual' && params.autoAdvance === true)
      ? call.now + draftLifetime
      : null
  return {
    id,
    object: 'invoice',
    ...amountsDue(sums.total, customer.balance, subscription.currency),
    amount_paid: 0,
    attempt_count: 0,
    attempted: false,
    auto_advance: params.autoAdvance ?? true,
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
    customer_address: customer.address,
    customer_email: customer.email,
    customer_name: customer.name,
    customer_phone: customer.phone,
    customer_shipping: customer.shipping,
    customer_tax_exempt: customer.tax_exempt,
    default_payment_method: null,
    default_tax_rates: subscription.default_tax_rates,
    description: subscription.invoice_settings.description,
    discounts,
    due_date: byMail ? (params.dueDate ?? call.now + (subscription.days_until_due ?? 0) * day) : null,
    effective_at: null,
    ending_balance: null,
    footer: subscription.invoice_settings.footer ?? customer.invoice_settings.footer,
    hosted_invoice_url: null,
    lines: { object: 'list', data: lines, has_more: false, url: `/v1/invoices/${id}/lines` },
    metadata: params.metadata ?? {},
    next_payment_attempt: byMail ? null : finalizesAt,
    number: null,
    parent:
      subscription.id === null
        ? null
        : {
            quote_details: null,
            subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
            type: 'subscription_details',
          },
    period_end: period.end,
    period_start: period.start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    status: 'draft',
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    ...sums,
    test_clock: subscription.test_clock,
    webhooks_delivered_at: call.now,
    _due: finalizesAt,
    _clock: subscription.test_clock,
  }
}

/**
 * Finalizes the invoice: counts the usage reported since the draft, uses billing credits, assigns the number and applies the customer's
 * balance. Attempts payment
 * unless `pay` is false.
 */
export function finalize(call: OperationContext, draft: InvoiceBody, pay = true): InvoiceBody {
  const before = withLateUsage(call, draft)
  const open = withNumber(call, withRecordedCredits(call, before))
  if (before.collection_method === 'send_invoice' && open.amount_due > 0)
    return withSecret(call, finalizeByEmail(call, before, open))
  const finalized = withSecret(call, call.update(before, open, 'invoice.finalized'))
  return pay || finalized.amount_due === 0 ? attemptInvoice(call, finalized) : finalized
}

/** Adds the client secret of the invoice's payment intent. A payment page uses it to confirm the payment. */
function withSecret(call: OperationContext, invoice: InvoiceBody): InvoiceBody {
  if (invoice.amount_due === 0) return invoice
  const { client_secret: secret } = intentFor(call, invoice)
  const known = { ...invoice, confirmation_secret: { client_secret: secret, type: 'payment_intent' as const } }
  return call.update(invoice, known, null)
}

/**
 * Finalizes the invoice and returns it with its number; the caller stores it. Applies the customer's balance unless `settles` is false.
 * Stores the customer with the number of its next invoice.
 */
function withNumber(call: OperationContext, draft: InvoiceBody, settles = true): InvoiceBody {
  const customer = customerOf(call, draft.customer)
  const starting = settles ? customer.balance : 0
  const owed = draft.total + starting
  const ending = settles && isBelowMinimum(owed, draft.currency) ? owed : Math.min(0, owed)
  const number = `${customer.invoice_prefix}-${String(customer.next_invoice_sequence).padStart(4, '0')}`
  const balance = settles ? ending : customer.balance
  const after = { ...customer, balance, next_invoice_sequence: customer.next_invoice_sequence + 1 }
  call.update(customer, after, balance === customer.balance ? null : 'customer.updated')
  return {
    ...draft,
    ...amountsDue(draft.total, starting, draft.currency),
    automatically_finalizes_at: null,
    effective_at: call.now,
    ending_balance: ending,
    hosted_invoice_url: `${call.origin}/invoices/${draft.id}`,
    number,
    status: 'open',
    status_transitions: { ...draft.status_transitions, finalized_at: call.now },
    _due: null,
  }
}

/** Finalizes an invoice that the customer pays by its due date (`send_invoice`). Emits `invoice.sent` and attempts no payment. */
function finalizeByEmail(call: OperationContext, before: InvoiceBody, open: InvoiceBody): InvoiceBody {
  const days = (before.due_date ?? before.created) - before.created
  const due = call.now + days
  const sent = { ...open, due_date: due, next_payment_attempt: null, _due: due }
  const written = call.update(before, sent, 'invoice.finalized')
  call.emit('invoice.sent', written)
  return written
}

/**
 * Marks an invoice overdue after its due date. Its customer becomes delinquent, its subscription past due. Source: the SDK's documentation
 * of `status`.
 */
export function markOverdue(call: OperationContext, invoice: InvoiceBody): void {
  const written = call.update(invoice, { ...invoice, _due: null }, 'invoice.overdue')
  setDelinquent(call, invoice, true)
  updateStatusAfter(call, written)
}

/**
 * Returns the payment method for an invoice: the given one, otherwise the default of the invoice, the subscription or the customer, in this
 * order. A card that is only attached to the customer is not used. Source: docs.stripe.com/billing/subscriptions/payment-methods-setting.
 */
export function cardOf(
  call: OperationContext,
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

interface InvoiceAttempt {
  readonly card?: string | undefined
  /** True: the attempt was requested through the API or a page. False: the retry schedule made it. */
  readonly manual?: boolean
  /** True: the cardholder has passed 3-D Secure. */
  readonly authenticated?: boolean
}

/**
 * Attempts to pay the invoice once. The caller then updates the subscription with `updateStatusAfter`. A manual attempt counts in
 * `attempt_count` only if it is the first one, and does not change the retry schedule. Source: the SDK's documentation of `attempt_count`.
 */
export function attemptInvoice(
  call: OperationContext,
  invoice: InvoiceBody,
  { card, manual = false, authenticated = false }: InvoiceAttempt = {},
): InvoiceBody {
  const counts = invoice.amount_due > 0 && (!manual || invoice.attempt_count === 0)
  const tries = invoice.attempt_count + (counts ? 1 : 0)
  const method = invoice.amount_due > 0 ? cardOf(call, invoice, card) : undefined
  const before = method === undefined ? undefined : intentFor(call, invoice)
  // A card that needs 3-D Secure is not retried automatically. Source: the SDK's documentation of `attempt_count`.
  const waits = !manual && before?.status === 'requires_action' && before.payment_method === method?.id
  const intent =
    before === undefined || method === undefined || waits
      ? before
      : attemptIntent(call, before, method, { authenticated })
  if (invoice.amount_due === 0 || intent?.status === 'succeeded') {
    const paid = { ...asPaid(call, invoice), attempt_count: tries, attempted: true }
    // `invoice.payment_succeeded` comes before `invoice.paid`. Source: the real API at version 2026-08-26.dahlia.
    const written = call.update(invoice, paid, 'invoice.payment_succeeded')
    call.emit('invoice.paid', written)
    if (intent !== undefined) call.emit('invoice_payment.paid', invoicePayment(written, intent))
    setDelinquent(call, invoice, false)
    return written
  }
  const needsAction = intent?.status === 'requires_action'
  if (!counts) {
    if (needsAction) call.emit('invoice.payment_action_required', invoice)
    call.emit('invoice.payment_failed', invoice)
    return invoice
  }
  const wait = retryDelays[tries - 1]
  // The first invoice of a subscription is not retried. The subscription expires instead.
  const next = wait === undefined || invoice.billing_reason === 'subscription_create' ? null : call.now + wait
  const failed = { ...invoice, attempt_count: tries, attempted: true, next_payment_attempt: next, _due: next }
  if (waits) return call.update(invoice, failed, 'invoice.updated')
  const written = call.update(
    invoice,
    failed,
    needsAction ? 'invoice.payment_action_required' : 'invoice.payment_failed',
  )
  if (needsAction) call.emit('invoice.payment_failed', written)
  // While 3-D Secure is pending the payment has not failed, so the customer is not delinquent yet.
  if (!manual && !needsAction) setDelinquent(call, invoice, true)
  return written
}

function asPaid(call: OperationContext, invoice: InvoiceBody): InvoiceBody {
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

/** Marks the invoice paid outside the API (`paid_out_of_band`), without a payment attempt. */
export function markPaidOutOfBand(call: OperationContext, invoice: InvoiceBody): InvoiceBody {
  cancelIntent(call, invoice)
  const written = call.update(invoice, asPaid(call, invoice), 'invoice.paid')
  setDelinquent(call, invoice, false)
  return written
}

/** Closes an invoice as void or uncollectible. */
export function closeUnpaid(
  call: OperationContext,
  invoice: InvoiceBody,
  status: 'void' | 'uncollectible',
): InvoiceBody {
  if (status === 'void') {
    cancelIntent(call, invoice)
    returnBalance(call, invoice)
    returnCredits(call, invoice)
  }
  const written = close(call, invoice, status)
  if (status === 'uncollectible') setDelinquent(call, invoice, false)
  return written
}

/** Gives back to the customer the balance that a voided invoice had used. Source: docs.stripe.com/changelog, 2019-12-03. */
function returnBalance(call: OperationContext, invoice: InvoiceBody): void {
  const taken = invoice.starting_balance - (invoice.ending_balance ?? 0)
  if (taken === 0) return
  const customer = customerOf(call, invoice.customer)
  call.update(customer, { ...customer, balance: customer.balance + taken }, 'customer.updated')
}

/** Finalizes a draft and updates the status of its subscription. */
export function finalizeDraft(call: OperationContext, invoice: InvoiceBody): InvoiceBody {
  const done = finalize(call, invoice)
  updateStatusAfter(call, done)
  return done
}
