// The next regular invoice after a change, from what the processor previews. Pure.
import { isCurrency, minimumCharge } from '../../../base/money/currencies.ts'
import type { ProcessorId } from '../../../catalog/resource.ts'
import type { InvoicePreview, LiveSubscription } from '../../../processor/customer-half.ts'
import type { MirroredDiscount } from '../../../processor/mirrored.ts'
import type { ChangeableSubscription, ItemsUpdate, PreviewedUpdate } from '../../../processor/subscription-change.ts'
import { untilOf } from './scheduled-items.ts'
import type { ChangeDecision, ChangeWarning, CouponKind, PresentItem } from './decision.ts'

/**
 * Returns the update by which the processor previews the first invoice after a change at the end of the period. That invoice bills the usage of the
 * period at the metered prices that the change replaces, and nothing yet at those that begin with it. So the former stay, and the latter are left
 * out.
 */
export function inArrears({ subscription }: ChangeDecision, update: ItemsUpdate): ItemsUpdate {
  const metered = new Set(subscription.items.filter(({ quantity }) => quantity === null).map(({ id }) => id))
  const items = update.items.filter((change) =>
    change.op === 'add' ? change.quantity !== null : !metered.has(change.item),
  )
  return { ...update, items }
}

type Discounted = Pick<ChangeableSubscription, 'discounts' | 'discountTerms'>

/** True for a discount of a fixed amount. */
export const isFixed = ({ amountOff }: Pick<MirroredDiscount, 'amountOff'>): boolean =>
  Object.keys(amountOff).length > 0

/** Returns the ids of the discounts that the invoice of the change uses up: coupons of the duration `once`. */
export function usedUpBy(due: InvoicePreview | null, { discountTerms }: Discounted): readonly string[] {
  return discountTerms.flatMap(({ id, duration }) =>
    duration === 'once' && due?.discounts.includes(id) === true ? [id] : [],
  )
}

interface Promotion {
  readonly code: ProcessorId | null
  readonly terms: CouponKind
}

/** Returns the code of the change; null if it has none, or if `due`, the invoice of the change, uses it up. */
export function codeAfter(
  { code, terms }: Promotion,
  { discounts }: Discounted,
  due: InvoicePreview | null,
): ProcessorId | null {
  // The discount of the code has no id before the change, so it is the one that the subscription does not have.
  return terms.once && due?.discounts.some((id) => !discounts.includes(id)) === true ? null : code
}

/**
 * Returns the discounts of a later invoice, as far as they differ from the present ones; null if they do not. At the time `at` some have ended (null
 * for the time that the processor assumes), and `due`, the invoice of the change, uses some up.
 */
export function discountsThen(
  promotion: Promotion,
  state: Discounted,
  { at, due }: { readonly at: number | null; readonly due: InvoicePreview | null },
): PreviewedUpdate['promotion'] {
  const { discounts, discountTerms } = state
  const ended = discountTerms.filter(({ endsAt }) => at !== null && endsAt !== null && endsAt <= at)
  const over = new Set([...usedUpBy(due, state), ...ended.map(({ id }) => id)])
  if (over.size === 0 && promotion.code === null) return null
  return { code: codeAfter(promotion, state, due), beside: discounts.filter((id) => !over.has(id)) }
}

/**
 * Returns the discounts that take a percentage off the usage on the first invoice of a new period; null if these are the present ones. A fixed
 * discount is taken off the rest of that invoice.
 */
export function discountsOfUsage(
  { code, terms }: Promotion,
  { discountTerms }: Discounted,
): PreviewedUpdate['promotion'] {
  const shared = discountTerms.filter((one) => !isFixed(one)).map(({ id }) => id)
  const added = terms.fixed ? null : code
  return added === null && shared.length === discountTerms.length ? null : { code: added, beside: shared }
}

/**
 * Returns the first invoice of a new period that begins at the end of the present one. The processor previews the period as if it began now, without
 * the usage of the present one, which `arrears` has. A discount that takes off an amount is in `renewal` only.
 */
export function withUsage(
  renewal: InvoicePreview,
  arrears: InvoicePreview | null,
  metered: ReadonlySet<ProcessorId | null>,
): InvoicePreview {
  const usage = arrears?.lines.filter(({ price }) => metered.has(price)) ?? []
  const others = renewal.lines.filter(({ price }) => !usage.some((line) => line.price === price))
  const sum = (lines: InvoicePreview['lines'], member: 'amount' | 'net') =>
    lines.reduce((total, line) => total + line[member], 0)
  const total = renewal.total + sum(usage, 'net')
  return {
    ...renewal,
    subtotal: renewal.subtotal + sum(usage, 'amount'),
    total,
    amountDue: dueOf(total, renewal.startingBalance, renewal.currency),
    creditsApplied: renewal.creditsApplied + (arrears?.creditsApplied ?? 0),
    lines: [...others, ...usage],
  }
}

/**
 * Returns the next invoice with the customer's balance that the invoice of the change leaves: it uses up credit that the customer has, and
 * what it gives back is credit for the next one.
 */
export function afterInvoice(
  next: InvoicePreview | null,
  { total, startingBalance: before, amountDue }: InvoicePreview,
): InvoicePreview | null {
  if (next === null) return null
  const startingBalance = before + total - amountDue
  return { ...next, startingBalance, amountDue: dueOf(next.total, startingBalance, next.currency) }
}

/** Returns what an invoice asks. Less than the processor's minimum charge is not asked: it moves to the balance. */
function dueOf(total: number, balance: number, currency: string): number {
  const asked = total + balance
  const least = isCurrency(currency) ? (minimumCharge[currency] ?? 0) : 0
  return asked < Math.max(0, least) ? 0 : asked
}

/** Returns the preview of the next regular invoice with the dates that it will have if the change begins at the end of the period. */
export function begunAt(renewal: InvoicePreview, { periodEnd }: ChangeDecision): InvoicePreview {
  if (periodEnd === null) return renewal
  const later = periodEnd - Math.max(...renewal.lines.map(({ periodStart }) => periodStart))
  const lines = renewal.lines.map((line) => ({
    ...line,
    periodStart: line.periodStart + later,
    periodEnd: line.periodEnd + later,
  }))
  return { ...renewal, dueAt: periodEnd, lines }
}

/** Returns the last invoice of a subscription that ends with its period, where only `arrears`, an invoice of a renewal, can be previewed. */
export function usageOnly(
  arrears: InvoicePreview | null,
  metered: ReadonlySet<ProcessorId | null>,
): InvoicePreview | null {
  if (arrears === null) return null
  return withUsage({ ...arrears, subtotal: 0, total: 0, creditsApplied: 0, lines: [] }, arrears, metered)
}

export const meteredPrices = ({ items }: LiveSubscription): ReadonlySet<ProcessorId | null> =>
  new Set(items.flatMap(({ price, quantity }) => (quantity === null ? [price.id] : [])))

/** Returns what is to be said of the invoices of a change. `due` is the one that the change makes now, `next` the next regular one. */
export function invoiceWarnings(
  { subscription, free, restarts, renewal, when, periodEnd }: ChangeDecision,
  hasFixedDiscount: boolean,
  { due, next }: { readonly due: InvoicePreview | null; readonly next: InvoicePreview | null },
): readonly ChangeWarning[] {
  const metered = meteredPrices(subscription)
  const hasUsage = (invoice: InvoicePreview | null) =>
    invoice?.lines.some(({ price, quantity }) => metered.has(price) && (quantity ?? 0) > 0) === true
  const isShared = when === 'period_end' && restarts && renewal === null && hasFixedDiscount
  const warnings: (ChangeWarning | false)[] = [
    hasUsage(due) && {
      code: 'usage_apart',
      detail: 'Usage up to now is billed with the change, at the current price.',
    },
    free !== null &&
      hasUsage(next) && {
        code: 'usage_apart',
        detail: `Usage of the current period is billed when the subscription ends${untilOf(periodEnd)}.`,
      },
    isShared &&
      (next?.creditsApplied ?? 0) > 0 && {
        code: 'discount_shared',
        detail:
          'The processor shares the discount of a fixed amount out between the usage and the new plan, so credit may pay a little less of the next invoice than shown.',
      },
  ]
  return warnings.filter((warning) => warning !== false)
}

// The invoice that a change makes now, in the parts by which a change is compared with its preview. Pure.
/** Parts of an invoice as text, so that two invoices can be compared. Empty texts if the change makes no invoice. */
export interface BilledNow {
  /** Amounts that the change itself decides, e.g. the rest of the period at the new price. */
  readonly decided: string
  /** Usage of metered items until now. It is owed with or without the change, and grows with each report. */
  readonly usage: string
}

export function billedNow(due: InvoicePreview | null, present: readonly PresentItem[]): BilledNow {
  if (due === null) return { decided: '', usage: '' }
  const metered = new Set<string | null>(
    present.flatMap(({ live: { price } }) => (price.usageType === 'metered' ? [price.id] : [])),
  )
  const { currency, startingBalance, lines } = due
  const entries = (ofUsage: boolean) =>
    lines
      .filter(({ price }) => metered.has(price) === ofUsage)
      .map(({ price, quantity, amount, proration }) => [price, quantity, amount, proration])
  return { decided: JSON.stringify([currency, startingBalance, entries(false)]), usage: JSON.stringify(entries(true)) }
}

/** True if two invoices differ in their usage, and in nothing that the change decides. */
export const onlyUsageDiffers = (one: BilledNow, other: BilledNow): boolean =>
  one.decided === other.decided && one.usage !== other.usage
