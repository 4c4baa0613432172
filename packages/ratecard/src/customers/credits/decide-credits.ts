// Decides which credits a payment grants. Pure.
import type { ProcessorId } from '../../catalog/resource.ts'
import type { NewCreditGrant } from '../../processor/credit-grants.ts'
import type { MirroredInvoice, MirroredPurchase } from '../../processor/mirrored.ts'

/** A paid invoice or purchase, reduced to what grants credit. */
export interface Payment {
  readonly id: string
  readonly customer: ProcessorId
  /** Subscription of the invoice; null for a payment of something else. */
  readonly subscription: string | null
  /** Time at which the prices of the payment were fixed: the invoice was finalized, or the checkout session was created. */
  readonly soldAt: number
  readonly paidAt: number
  readonly lines: readonly PaidLine[]
  /** What the payment takes back, by price: credits of prorations less their charges (minor units). */
  readonly takenBack: readonly { readonly price: ProcessorId; readonly amount: number }[]
}

export interface PaidLine {
  readonly price: ProcessorId
  readonly quantity: number
  /** What was asked for it, after discounts (minor units). */
  readonly amount: number
}

/** Credit that a price grants, as defined in the document at the time of the sale. */
export interface CreditTerms {
  readonly priceId: string
  /** Credit for each unit of the quantity, in minor units. */
  readonly amount: number
  readonly currency: string
  readonly expiresAfterDays: number | null
  /** Metered prices that the credit pays for; null for all. */
  readonly prices: readonly ProcessorId[] | null
}

const dayMs = 24 * 60 * 60_000

/**
 * Returns the payment of an invoice; null unless the invoice is paid and has a customer. Omits lines that grant no credit: lines with an
 * amount of zero (e.g. a trial), and prorations, which pay for a part of a period only; what these take back is counted.
 */
export function paymentOfInvoice(invoice: MirroredInvoice): Payment | null {
  const { id, customer, subscription, status, finalizedAt, createdAt, paidAt, lines } = invoice
  if (status !== 'paid' || customer === null) return null
  const soldAt = finalizedAt ?? createdAt
  const paid = lines.filter(({ amount, proration }) => amount > 0 && !proration)
  const prorated = linesOf(lines.filter(({ proration }) => proration))
  return {
    ...{ id, customer, subscription, soldAt, paidAt: paidAt ?? soldAt, lines: linesOf(paid) },
    takenBack: prorated.map(({ price, amount }) => ({ price, amount: -amount })),
  }
}

/**
 * Returns the payment of a purchase. Returns null without a customer, and if the purchase has an invoice, because then the invoice grants
 * the credit.
 */
export function paymentOfPurchase({
  id,
  customer,
  createdAt,
  paidAt,
  invoice,
  lines,
}: MirroredPurchase): Payment | null {
  if (customer === null || invoice !== null) return null
  return {
    id,
    customer,
    subscription: null,
    soldAt: createdAt,
    paidAt,
    lines: linesOf(lines.filter(({ amount }) => amount > 0)),
    takenBack: [],
  }
}

type Line = Pick<MirroredPurchase['lines'][number], 'price' | 'quantity' | 'amount'> & { readonly discount?: number }

/** Adds up the lines of each price. */
function linesOf(lines: readonly Line[]): readonly PaidLine[] {
  const sums = new Map<ProcessorId, PaidLine>()
  for (const { price, quantity, amount, discount = 0 } of lines) {
    if (price === null) continue
    const sum = sums.get(price) ?? { quantity: 0, amount: 0 }
    sums.set(price, { price, quantity: sum.quantity + (quantity ?? 1), amount: sum.amount + amount - discount })
  }
  return [...sums.values()]
}

/**
 * Returns the part of a credit for which a line pays, if the same payment takes back something else, e.g. the rest of the month when a
 * customer changes to a year: floor(credit × max(0, line − taken back) ÷ line). E.g. a credit of
 * $50.00 with a year of $120.00 that takes back a month of $10.00 is $45.83. Otherwise each change between month and year would grant a whole
 * credit.
 */
export function creditPaidFor(credit: number, line: number, takenBack: number): number {
  if (takenBack <= 0) return credit
  if (line <= takenBack) return 0
  return Number((BigInt(credit) * BigInt(line - takenBack)) / BigInt(line))
}

/**
 * Returns what earlier invoices of a subscription took back of prices that had granted credit, beyond what they asked: it became balance of
 * the customer, and has been granted already. The later invoices that this balance pays grant nothing for it. `invoices` are of one product or
 * group, oldest first: what each asks, and what it takes back.
 */
export function carriedBack(invoices: readonly { readonly asked: number; readonly takenBack: number }[]): number {
  return invoices.reduce((carried, { asked, takenBack }) => Math.max(0, carried + Math.max(0, takenBack) - asked), 0)
}

/**
 * Returns the credits that a payment grants, one for each price that grants credit. Credits that have already expired are left out.
 * `takenBack` is what the payment takes back of the product or group of a line's price (minor units).
 */
export function creditsOf(
  { id, customer, paidAt, lines }: Payment,
  terms: ReadonlyMap<ProcessorId, CreditTerms>,
  now: number,
  takenBack: (price: ProcessorId) => number,
): readonly (NewCreditGrant & { readonly priceId: string })[] {
  return lines.flatMap(({ price, quantity, amount: line }) => {
    const found = terms.get(price)
    if (found === undefined) return []
    const { priceId, amount, currency, expiresAfterDays, prices } = found
    const expiresAt = expiresAfterDays === null ? null : paidAt + expiresAfterDays * dayMs
    const granted = creditPaidFor(amount * quantity, line, takenBack(price))
    if (granted === 0 || (expiresAt !== null && expiresAt <= now)) return []
    return [
      {
        ...{ customer, priceId, currency, prices, expiresAt },
        amount: granted,
        category: 'paid',
        name: `Credit of ${priceId}`,
        source: `${id}/${price}`,
      },
    ]
  })
}
