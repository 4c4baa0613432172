// Checks credits that customers have paid for: whether they can be granted, and which ones are not granted yet.
import type { PriceBook } from '../../customers/item-swaps/price-book.ts'
import type { Mirror } from '../../customers/mirror/mirror.ts'
import { formatMinor } from '../../base/money/format.ts'
import type { Store } from '../../store/store.ts'
import type { Finding } from '../../api/server/server.ts'

export interface CreditCheckDeps {
  readonly store: Pick<Store, 'jobs'>
  readonly mirror: Pick<Mirror, 'status'>
  readonly priceBook: () => Promise<PriceBook>
  /** Invoices with more credit than they paid for. */
  readonly creditBeyondPaid: () => Promise<
    readonly {
      readonly invoice: string
      readonly currency: string
      readonly granted: number
      readonly paidFor: number
    }[]
  >
}

export async function checkCredits({
  store,
  mirror,
  priceBook,
  creditBeyondPaid,
}: CreditCheckDeps): Promise<Omit<Finding, 'check'>> {
  const granting = (await priceBook()).prices.filter(({ price }) => price.grants_credit !== undefined)
  const [first] = granting
  if (first !== undefined && (await mirror.status()).state === 'off')
    return {
      status: 'problem',
      detail: `The price "${first.price.id}" grants credit, but the mirror is off, so Ratecard sees no payments and grants nothing.`,
      hint: 'Start the service with RATECARD_MIRROR=on.',
    }
  const beyond = first === undefined ? [] : await creditBeyondPaid()
  const [largest] = beyond.toSorted((a, b) => b.granted - b.paidFor - (a.granted - a.paidFor))
  if (largest !== undefined)
    return {
      status: 'warning',
      detail: `More credit is granted than was paid for, by ${beyond.length === 1 ? '1 invoice' : `${String(beyond.length)} invoices`}, e.g. ${largest.invoice}: ${formatMinor(largest.granted, largest.currency)} in place of ${formatMinor(largest.paidFor, largest.currency)}.`,
      hint: 'Look at the credit grants of that customer at the processor, and expire what is too much.',
    }
  const open = (await store.jobs.unfinished('credit_grant')).filter(({ error }) => error !== null)
  const [waiting] = open
  if (waiting === undefined) return { status: 'ok', detail: '0 credits wait for another attempt' }
  return {
    status: 'warning',
    detail: `${open.length === 1 ? '1 credit' : `${String(open.length)} credits`} could not be granted yet.`,
    hint: `\`ratecard jobs show ${waiting.id}\` shows why. The service tries again on its own.`,
  }
}
