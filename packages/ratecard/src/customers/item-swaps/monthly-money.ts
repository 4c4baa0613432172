import { configWithAmounts } from '../../document/schema/prices/percent-off.ts'
import type { BillingConfig, Price } from '../../document/schema/schema.ts'
import type { Fraction } from '../../base/money/fraction.ts'
import type { ProcessorId } from '../../catalog/resource.ts'
import type { LiveItem, LivePrice, InvoicePreview } from '../../processor/customer-half.ts'
import { currenciesOf, inCurrency, type Tariff } from '../../document/pricing/calculate.ts'
import { exactMonth } from '../../document/pricing/impact.ts'
import type { Store } from '../../store/store.ts'
import type { BookedPrice, PriceBook } from './price-book.ts'

/** Terms of an item that its monthly amount depends on: billing interval and quantity. */
type BillingTerms = Pick<LiveItem, 'quantity'> & {
  readonly price: Pick<LiveItem['price'], 'interval' | 'intervalCount'>
}

/**
 * Computes exact monthly amounts of items at list price, in minor units of the subscription's currency. An amount is null if it depends on usage
 * or is unknown.
 */
export interface Money {
  /**
   * Returns the monthly amount at the price `from`, which is to be replaced. That is the item's present price, or the price that its
   * schedule switches to.
   */
  before(item: LiveItem, from: ProcessorId, currency: string): Promise<Fraction | null>
  /** Returns the monthly amount at the new price. */
  after(wanted: BookedPrice, item: BillingTerms, currency: string): Fraction | null
}

/**
 * Creates the calculation. An item at the processor has no tiers and no additional currencies. So these amounts are read from the revision
 * that created the price.
 */
export function createMoney(versions: Pick<Store['versions'], 'find'>, book: PriceBook, priceId: string): Money {
  const former = new Map<string, Promise<Price | null>>()
  const formerPrice = (from: ProcessorId): Promise<Price | null> => {
    const found = former.get(from) ?? readFormer(versions, book, priceId, from)
    former.set(from, found)
    return found
  }
  return {
    before: async (item, from, currency) => {
      const said = item.price.id === from ? liveTariff(item.price, currency) : null
      return monthlyCost(said ?? soldIn(await formerPrice(from), currency), item, currency)
    },
    after: ({ price }, item, currency) => monthlyCost(soldIn(price, currency), item, currency),
  }
}

function readFormer(
  versions: Pick<Store['versions'], 'find'>,
  book: PriceBook,
  priceId: string,
  from: ProcessorId,
): Promise<Price | null> {
  const entry = book.history(priceId).findLast(({ processorId }) => processorId === from)
  if (entry === undefined) return Promise.resolve(null)
  return priceIn(versions, entry.revision, book.find(priceId)?.price ?? { id: priceId })
}

/**
 * Returns the amounts that an item is billed at, in the currency of its subscription. Works for replaced prices too. null if the amounts
 * are unknown.
 */
export async function tariffOfItem(
  versions: Pick<Store['versions'], 'find'>,
  book: PriceBook,
  { price }: Pick<LiveItem, 'price'>,
  currency: string,
): Promise<Tariff | null> {
  return liveTariff(price, currency) ?? (await tariffOfPrice(versions, book, price.id, currency))
}

/** Like {@link tariffOfItem}, for a processor price of which only the id is known, e.g. one of a schedule phase. */
export async function tariffOfPrice(
  versions: Pick<Store['versions'], 'find'>,
  book: PriceBook,
  price: ProcessorId,
  currency: string,
): Promise<Tariff | null> {
  const priceId = book.idOf(price)
  return priceId === undefined ? null : soldIn(await readFormer(versions, book, priceId, price), currency)
}

/**
 * Returns the amounts (tariff) of the live price in the currency `wanted`. Returns null for any other currency than the price's main one,
 * because those amounts are unknown.
 */
function liveTariff({ unitAmount, transformQuantity, currency }: LivePrice, wanted: string): Tariff | null {
  if (unitAmount === null || currency !== wanted) return null
  const packages = transformQuantity && {
    transform_quantity: { divide_by: transformQuantity.divideBy, round: transformQuantity.round },
  }
  return { unit_amount_decimal: unitAmount, ...packages }
}

function soldIn(price: Price | null, currency: string): Tariff | null {
  return price !== null && currenciesOf(price).includes(currency) ? inCurrency(price, currency) : null
}

async function priceIn(
  versions: Pick<Store['versions'], 'find'>,
  revision: number,
  present: Pick<Price, 'id' | 'previous_ids'>,
): Promise<Price | null> {
  const document = (await versions.find(revision))?.document ?? null
  if (document === null) return null
  const { products } = configWithAmounts(JSON.parse(document) as BillingConfig)
  const prices = products.flatMap((product) => product.prices ?? [])
  const { id: now, previous_ids: earlier = [] } = present
  return (
    prices.find(({ id }) => id === now) ??
    // In that revision the price may have had another id: a former id or, if a later rename was rolled back, the id of that rename.
    prices.find(({ id, previous_ids: before = [] }) => earlier.includes(id) || before.includes(now)) ??
    null
  )
}

/**
 * Returns the monthly amount that a tariff (the amounts of a price in one currency) bills. The interval is that of the item for the old and
 * the new price, because a move does not change it.
 */
export function monthlyCost(
  tariff: Tariff | null,
  { price, quantity }: BillingTerms,
  currency: string,
): Fraction | null {
  if (tariff === null || quantity === null) return null
  const { interval, intervalCount } = price
  return exactMonth({ ...tariff, currency, interval, intervalCount }, quantity)
}

/** Returns what the balance of the customer pays of an invoice. At the processor, a negative balance is what the customer has. */
export function paidByBalance({ startingBalance, total, amountDue }: InvoicePreview) {
  return { balance: startingBalance === 0 ? 0 : -startingBalance, balanceApplied: total - amountDue }
}
