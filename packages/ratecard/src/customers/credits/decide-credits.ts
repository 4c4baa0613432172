// Decides which credits a payment grants. Pure.
import type { ProcessorId } from '../../catalog/resource.ts'
import type { NewCreditGrant } from '../../processor/credit-grants.ts'
import type { MirroredInvoice, MirroredPurchase } from '../../processor/mirrored.ts'

/** A paid invoice or purchase, reduced to what grants credit. */
export interface Payment {
  readonly id: string
  readonly customer: ProcessorId
  /** Time at which the prices of the payment were fixed: the invoice was finalized, or the checkout session was created. */
  readonly soldAt: number
  readonly paidAt: number
  readonly lines: readonly { readonly price: ProcessorId; readonly quantity: number }[]
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
 * amount of zero (e.g. a trial), and prorations, which pay for a part of a period only.
 */
export function paymentOfInvoice(invoice: MirroredInvoice): Payment | null {
  const { id, customer, status, finalizedAt, createdAt, paidAt, lines } = invoice
  if (status !== 'paid' || customer === null) return null
  const soldAt = finalizedAt ?? createdAt
  const paid = lines.filter(({ amount, proration }) => amount > 0 && !proration)
  return { id, customer, soldAt, paidAt: paidAt ?? soldAt, lines: linesOf(paid) }
}

/**
 * Returns the payment of a purchase. Returns null without a customer, and if the purchase has an invoice, because then the invoice grants
 * the credit.
 */
export function paymentOfPurchase({ id, customer, createdAt, invoice, lines }: MirroredPurchase): Payment | null {
  if (customer === null || invoice !== null) return null
  return {
    id,
    customer,
    soldAt: createdAt,
    paidAt: createdAt,
    lines: linesOf(lines.filter(({ amount }) => amount > 0)),
  }
}

/** Adds up the lines of each price. */
function linesOf(
  lines: readonly { readonly price: ProcessorId | null; readonly quantity: number | null }[],
): Payment['lines'] {
  const quantities = new Map<ProcessorId, number>()
  for (const { price, quantity } of lines)
    if (price !== null) quantities.set(price, (quantities.get(price) ?? 0) + (quantity ?? 1))
  return [...quantities].map(([price, quantity]) => ({ price, quantity }))
}

/** Returns the credits that a payment grants, one for each price that grants credit. Credits that have already expired are left out. */
export function creditsOf(
  { id, customer, paidAt, lines }: Payment,
  terms: ReadonlyMap<ProcessorId, CreditTerms>,
  now: number,
): readonly (NewCreditGrant & { readonly priceId: string })[] {
  return lines.flatMap(({ price, quantity }) => {
    const found = terms.get(price)
    if (found === undefined) return []
    const { priceId, amount, currency, expiresAfterDays, prices } = found
    const expiresAt = expiresAfterDays === null ? null : paidAt + expiresAfterDays * dayMs
    if (expiresAt !== null && expiresAt <= now) return []
    return [
      {
        ...{ customer, priceId, currency, prices, expiresAt },
        amount: amount * quantity,
        category: 'paid',
        name: `Credit of ${priceId}`,
        source: `${id}/${price}`,
      },
    ]
  })
}
