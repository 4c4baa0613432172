// Converts paid checkout sessions, credit grants and their transactions for the mirror.
import type { Stripe } from 'stripe'
import type { MirroredCreditGrant, MirroredCreditTransaction, MirroredPurchase } from '../../mirrored.ts'
import {
  idIn,
  idOf,
  requireInteger,
  knownWord,
  listOf,
  requireMilliseconds,
  requirePresent,
  requiredList,
  text,
} from '../connection/reading.ts'
import type { Untrusted, UntrustedReply } from '../connection/reading.ts'
import type { StripeContext } from '../catalog/context.ts'
import { creditKey } from '../customers/credit-grants.ts'
import { readAll, translateReply } from '../customers/single-object.ts'
import { momentOf } from './mirrored-invoice.ts'

export const purchaseExpand = ['line_items', 'payment_intent.latest_charge'] as const

export type SessionReply = UntrustedReply<Stripe.Checkout.Session>
type LineReply = Untrusted<Stripe.LineItem>

/**
 * Converts a checkout session that was requested with `purchaseExpand`. Returns null unless the session is a paid purchase of one-time
 * prices. Subscriptions are left out, because their amounts are in their invoices.
 */
export async function mirroredPurchase(
  context: StripeContext,
  reply: SessionReply,
  signal: AbortSignal,
): Promise<MirroredPurchase | null> {
  const { mode, status, payment_status: payment } = reply
  if (mode !== 'payment' || status !== 'complete' || payment === 'unpaid') return null
  const lines = await allLines(context, reply, signal)
  return translateReply(reply, (said) => ({
    id: said.id,
    customer: idIn(said.customer),
    currency: text(said.currency, 'currency'),
    createdAt: requireMilliseconds(said.created, 'created'),
    paidAt: requireMilliseconds(chargeOf(said)?.created ?? said.created, 'created'),
    invoice: idIn(said.invoice),
    payment: idIn(said.payment_intent),
    ...amountsOf(said),
    lines: lines.map(({ price, quantity, amount_subtotal: amount }) => ({
      price: idIn(price),
      quantity: quantity ?? null,
      amount: requireInteger(amount, 'amount of a line'),
    })),
  }))
}

function chargeOf({ payment_intent: intent }: SessionReply): Untrusted<Stripe.Charge> | null {
  const charge = typeof intent === 'object' ? intent?.latest_charge : null
  return typeof charge === 'object' ? (charge ?? null) : null
}

/** Returns the amounts of a session. It has one sum of all taxes; those that are not added to the total are part of its lines' amounts. */
function amountsOf(
  said: SessionReply,
): Pick<MirroredPurchase, 'subtotal' | 'discount' | 'tax' | 'taxIncluded' | 'total'> {
  const details = requirePresent(said.total_details, 'total_details')
  const subtotal = requireInteger(said.amount_subtotal, 'amount_subtotal') + (details.amount_shipping ?? 0)
  const discount = requireInteger(details.amount_discount, 'amount_discount')
  const total = requireInteger(said.amount_total, 'amount_total')
  const tax = total - subtotal + discount
  return { subtotal, discount, tax, taxIncluded: requireInteger(details.amount_tax, 'amount_tax') - tax, total }
}

async function allLines(
  context: StripeContext,
  reply: SessionReply,
  signal: AbortSignal,
): Promise<readonly LineReply[]> {
  const { line_items: lines } = reply
  if (lines?.has_more !== true) return translateReply(reply, () => requiredList(lines?.data, 'line_items'))
  return readAll<Stripe.LineItem>(
    context,
    'item',
    {
      operation: 'GET /v1/checkout/sessions/:id/line_items',
      page: (paging, options) => context.stripe.checkout.sessions.listLineItems(reply.id, paging, options),
    },
    signal,
  )
}

/** Converts a credit grant. Throws a plain error that names the member that is missing or malformed. */
export function mirroredCreditGrant(said: UntrustedReply<Stripe.Billing.CreditGrant>): MirroredCreditGrant {
  const money = requirePresent(said.amount?.monetary, 'monetary amount')
  const prices = said.applicability_config?.scope?.prices
  return {
    id: said.id,
    customer: idIn(said.customer),
    currency: text(money.currency, 'currency'),
    amount: requireInteger(money.value, 'amount'),
    category: knownWord(['paid', 'promotional'], said.category),
    name: said.name ?? null,
    prices: prices === null || prices === undefined ? null : listOf(prices).map((price) => idOf(price, 'price')),
    effectiveAt: momentOf(said.effective_at, 'effective_at'),
    expiresAt: momentOf(said.expires_at, 'expires_at'),
    voidedAt: momentOf(said.voided_at, 'voided_at'),
    createdAt: requireMilliseconds(said.created, 'created'),
    source: said.metadata?.[creditKey] ?? null,
  }
}

const reasons = {
  credits_granted: 'granted',
  credits_application_invoice_voided: 'returned',
  credits_applied: 'applied',
  credits_expired: 'expired',
  credits_voided: 'voided',
} as const satisfies Readonly<Record<string, MirroredCreditTransaction['reason']>>

type Reason = keyof typeof reasons

export function mirroredCreditTransaction(
  said: UntrustedReply<Stripe.Billing.CreditBalanceTransaction>,
): MirroredCreditTransaction {
  const { credit, debit } = said
  const move = requirePresent(credit ?? debit, 'credit or debit')
  const type = requirePresent(knownWord(Object.keys(reasons) as Reason[], move.type), 'known type')
  const money = requirePresent(move.amount?.monetary, 'monetary amount')
  const value = requireInteger(money.value, 'amount')
  return {
    id: said.id,
    grant: idOf(said.credit_grant, 'credit grant'),
    reason: reasons[type],
    amount: credit === null || credit === undefined ? -value : value,
    currency: text(money.currency, 'currency'),
    invoice: idIn(debit?.credits_applied?.invoice ?? credit?.credits_application_invoice_voided?.invoice),
    createdAt: requireMilliseconds(said.created, 'created'),
  }
}
