// Finds the credit that a price granted at the time of its sale, in the history of applied documents.
import type { ProcessorId } from '../../catalog/resource.ts'
import { basesOf } from '../../document/schema/prices/base-price.ts'
import type { GrantsCredit } from '../../document/schema/credit-schema.ts'
import { aliasesOf, presentId } from '../../document/rules/previous-ids.ts'
import type { BillingConfig, Price } from '../../document/schema/schema.ts'
import type { PriceBook } from '../item-swaps/price-book.ts'
import { maxCreditPrices } from '../../processor/credit-grants.ts'
import { listVersions } from '../subscriptions/features/feature-history.ts'
import type { CreditTerms } from './decide-credits.ts'
import type { VersionHead } from '../../store/records/configuration.ts'
import type { Store } from '../../store/store.ts'

type Versions = Pick<Store['versions'], 'list' | 'find'>

/** Credit of a price in one document, with the document's ids. */
interface DocumentCredit {
  readonly credit: GrantsCredit
  readonly currency: string
  /** Ids of the metered prices that bill usage of the credit's meters; null if the credit is for all meters. */
  readonly metered: readonly string[] | null
}

/** Credits of one document by price id. The value is null for a price that grants none. */
type DocumentCredits = ReadonlyMap<string, DocumentCredit | null>

export interface CreditHistory {
  /**
   * Returns the credit that a processor price granted when it was sold. It is read from the last revision before the sale that sold this
   * price. So a price that was removed from the document keeps its credit. Returns null if the price grants none.
   */
  termsOf(book: PriceBook, price: ProcessorId, soldAt: number): Promise<(Omit<CreditTerms, 'prices'> & Scoped) | null>
}

interface Scoped {
  readonly metered: DocumentCredit['metered']
  readonly meters: readonly string[] | null
}

/** Maximum number of documents whose credits are kept in memory. */
const keptRevisions = 20

/** Creates the function that finds past credits. The credits of a revision are cached, so that each document is read at most once. */
export function createCreditHistory(versions: Versions): CreditHistory {
  const documents = new Map<number, Promise<DocumentCredits>>()
  let listed: { readonly book: PriceBook; readonly heads: Promise<readonly VersionHead[]> } | null = null
  // Every push creates a new price book object. So the list of versions is read once per push.
  const headsOf = (book: PriceBook) => {
    if (listed?.book === book) return listed.heads
    const heads = listVersions(versions)
    listed = { book, heads }
    // A failed read must not be kept.
    heads.catch(() => {
      listed = null
    })
    return heads
  }
  const creditsIn = (revision: number): Promise<DocumentCredits> => {
    const kept = documents.get(revision)
    if (kept !== undefined) return kept
    const [oldest] = documents.keys()
    if (oldest !== undefined && documents.size >= keptRevisions) documents.delete(oldest)
    const read = versions.find(revision).then((found) => creditsOfDocument(found?.document ?? null))
    documents.set(revision, read)
    read.catch(() => documents.delete(revision))
    return read
  }
  return {
    termsOf: async (book, price, soldAt) => {
      const id = book.idOf(price)
      if (id === undefined) return null
      const generations = book.history(id)
      const first = generations.find(({ processorId }) => processorId === price)?.revision ?? Infinity
      // After a rollback, a former processor price is sold again. So a configuration price may have several mapping entries for one
      // processor price.
      const isSoldIn = (revision: number) =>
        generations.findLast((entry) => entry.revision <= revision)?.processorId === price
      const ids = [id, ...(book.find(id)?.price.previous_ids ?? [])]
      for (const head of await headsOf(book)) {
        // The processor's times are whole seconds. A push in the same second as the sale counts as earlier than the sale.
        const applied = head.createdAt - (head.createdAt % 1000)
        if (head.revision < first) return null
        if (applied > soldAt || !isSoldIn(head.revision)) continue
        const credits = await creditsIn(head.revision)
        const found = ids.map((one) => credits.get(one)).find((one) => one !== undefined)
        if (found !== undefined) return found === null ? null : termsIn(id, found)
      }
      return null
    },
  }
}

function creditsOfDocument(document: string | null): DocumentCredits {
  const config = document === null ? null : (JSON.parse(document) as BillingConfig)
  const products = config?.products ?? []
  const bases = basesOf(products)
  const all = products.flatMap(({ prices = [] }) => prices)
  return new Map(all.map((price) => [price.id, creditOf(price, bases.priceOf(price), all)] as const))
}

/** Returns the credit of a price. A negotiated price that defines no credit has the credit of its base price. */
function creditOf(price: Price, base: Price | undefined, all: readonly Price[]): DocumentCredit | null {
  const credit = price.grants_credit ?? base?.grants_credit
  if (credit === undefined) return null
  const { meters } = credit
  const metered = meters && all.filter(({ meter }) => meter !== undefined && meters.includes(meter)).map(({ id }) => id)
  return { credit, currency: credit.currency ?? price.currency, metered: metered ?? null }
}

function termsIn(priceId: string, { credit, currency, metered }: DocumentCredit) {
  const { amount, expires_after_days: expiresAfterDays = null, meters = null } = credit
  return { priceId, amount, currency, expiresAfterDays, meters, metered }
}

/**
 * Returns the processor prices that a credit for some meters pays for, at most 20. Prices that the customer subscribes to come first, then
 * the current processor prices of the present document, then former ones. If no price bills these meters any more, returns the prices that
 * billed them in the document that granted the credit.
 */
export function pricesOfMeters(
  book: PriceBook,
  config: BillingConfig | null,
  { meters, metered }: { readonly meters: readonly string[]; readonly metered: readonly string[] },
  subscribed: ReadonlySet<ProcessorId>,
): readonly ProcessorId[] {
  const present = new Set(
    config === null || aliasesOf(config).length === 0 ? meters : meters.map((id) => presentId(config, 'meter', id)),
  )
  const now = book.prices.flatMap(({ price }) =>
    price.meter !== undefined && present.has(price.meter) ? price.id : [],
  )
  const generations = (now.length > 0 ? now : metered).map((id) =>
    book.history(book.find(id)?.price.id ?? id).map(({ processorId }) => processorId),
  )
  const all = generations.flat()
  return [
    ...new Set([
      ...all.filter((id) => subscribed.has(id)),
      ...generations.flatMap((ids) => ids.at(-1) ?? []),
      ...all.reverse(),
    ]),
  ].slice(0, maxCreditPrices)
}
