// Sums of the whole account, read in pages, and the stored sums of days.
import { yieldToRequests } from '../../../base/event-loop.ts'
import { fractionText, parseFraction } from '../../../base/money/fraction.ts'
import { addDays, dayOf } from './days.ts'
import { addItem, createAccountSums, currencySums, emptyCurrency, type CurrencySums, type NameItem } from './money.ts'
import { movementKinds, movementsOf, noMovements, type Movements } from './movements.ts'
import type { RevenueDay, StoredRevenueChange } from '../../../store/records/revenue.ts'
import type { Store } from '../../../store/store.ts'

const pageSize = 2_000

/** Reads all items in pages and returns their sums by currency. */
export async function readCurrencySums(
  revenue: Pick<Store['revenue'], 'items' | 'debts'>,
  nameOf: NameItem,
): Promise<readonly CurrencySums[]> {
  const sums = createAccountSums()
  for (let after: string | null = null; ;) {
    const page = await revenue.items(after, pageSize)
    for (const item of page) addItem(sums, item, nameOf)
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) break
    after = last.item
    await yieldToRequests()
  }
  return currencySums(sums, await revenue.debts())
}

/** Returns the MRR movements since the last stored day, by currency. */
export function runningMovements(changes: readonly StoredRevenueChange[]): ReadonlyMap<string, Movements> {
  return movementsOf(
    changes.map(({ before, after, ...rest }) => ({
      ...rest,
      before: parseFraction(before),
      after: parseFraction(after),
    })),
  )
}

export interface DayKeeping {
  readonly mirror: Pick<Store['mirror'], 'state' | 'unsummed'>
  readonly revenue: Pick<Store['revenue'], 'items' | 'debts' | 'changes' | 'lastDay' | 'keepDay'>
  readonly nameOf: () => Promise<NameItem>
}

/**
 * Stores the sums of the last day (UTC) that ended before `asOf`, unless they are already stored. The first call stores no sums, only the
 * present MRR of each customer, so that customers from before the mirror do not count as new. Days on which the service did not run are
 * never added. Returns true if a day was stored.
 */
export async function keepEndedDay({ mirror, revenue, nameOf }: DayKeeping, asOf: number): Promise<boolean> {
  const beganAt = (await mirror.state())?.beganAt ?? null
  if (beganAt === null) return false
  const last = await revenue.lastDay()
  const before = addDays(dayOf(beganAt), -1)
  const ended = addDays(dayOf(asOf), -1)
  if (last !== null && last >= ended) return false
  // Waits until the sums of all customers are current. Otherwise the day would omit customers whose sums are outdated.
  if ((await mirror.unsummed(1)).length > 0) return false
  if (last === null) return revenue.keepDay(ended < before ? ended : before, null, [])
  const sums = await readCurrencySums(revenue, await nameOf())
  const movements = runningMovements(await revenue.changes())
  return revenue.keepDay(ended, last, dayRows(ended, sums, movements))
}

/**
 * Returns the sums by currency. If the last subscription in a currency has ended, adds an entry with zero revenue for that currency,
 * because the lost revenue must be shown.
 */
export function withEndedCurrencies(
  sums: readonly CurrencySums[],
  movements: ReadonlyMap<string, Movements>,
): readonly CurrencySums[] {
  const shown = new Set(sums.map(({ currency }) => currency))
  const ended = [...movements.keys()].filter((currency) => !shown.has(currency)).map(emptyCurrency)
  return [...sums, ...ended].toSorted((a, b) => (a.currency < b.currency ? -1 : 1))
}

function dayRows(
  day: string,
  sums: readonly CurrencySums[],
  movements: ReadonlyMap<string, Movements>,
): readonly RevenueDay[] {
  return withEndedCurrencies(sums, movements).map(({ currency, mrr, usageLastPeriod, byProduct, pastDue }) => ({
    day,
    currency,
    mrr: fractionText(mrr),
    usageLastPeriod,
    byProduct: byProduct.map((product) => ({
      productId: product.productId,
      mrr: fractionText(product.mrr),
      usageLastPeriod: product.usageLastPeriod,
    })),
    ...movementTexts(movements.get(currency) ?? noMovements),
    pastDue: pastDue.amount,
  }))
}

function movementTexts(movements: Movements): Record<keyof Movements, string> {
  return Object.fromEntries(movementKinds.map((kind) => [kind, fractionText(movements[kind])])) as Record<
    keyof Movements,
    string
  >
}
