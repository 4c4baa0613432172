// Checks credits that customers have paid for: whether they can be granted, and which ones are not granted yet.
import type { PriceBook } from '../../customers/item-swaps/price-book.ts'
import type { Mirror } from '../../customers/mirror/mirror.ts'
import type { Finding } from '../../api/service/service.ts'
import type { Store } from '../../store/store.ts'

interface CreditCheckDeps {
  readonly store: Pick<Store, 'jobs'>
  readonly mirror: Pick<Mirror, 'status'>
  readonly priceBook: () => Promise<PriceBook>
}

export async function checkCredits({ store, mirror, priceBook }: CreditCheckDeps): Promise<Omit<Finding, 'check'>> {
  const granting = (await priceBook()).prices.filter(({ price }) => price.grants_credit !== undefined)
  const [first] = granting
  if (first !== undefined && (await mirror.status()).state === 'off')
    return {
      status: 'problem',
      detail: `The price "${first.price.id}" grants credit, but the mirror is off, so Ratecard sees no payments and grants nothing.`,
      hint: 'Start the service with RATECARD_MIRROR=on.',
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
