// Computes the monthly amounts of the items that a deal (negotiated prices) moves, before and after the move. Used in dry runs.
import { formatMinor } from '../../base/money/format.ts'
import { fraction, roundFraction } from '../../base/money/fraction.ts'
import type { ChangeFacts } from '../../catalog/policies/decide.ts'
import { largestChanges, type CurrencyChange } from '../../document/pricing/price-change.ts'
import { createMoney } from '../item-swaps/monthly-money.ts'
import type { BookedPrice, PriceBook } from '../item-swaps/price-book.ts'
import type { ItemMove, SwapStep } from '../item-swaps/swap-step.ts'
import type { Store } from '../../store/store.ts'
import type { LiveState } from './swap-plan.ts'
import type { EnterpriseOutcome } from '../../api/customers/enterprise.ts'

export type DealMoney = NonNullable<EnterpriseOutcome['monthly']>

/** An item that moves to another price. Its amounts are per month, in minor units. */
export interface MovedItem {
  readonly to: string
  readonly currency: string
  readonly quantity: number
  readonly before: number
  readonly after: number
}

/** Returns the items that move. Omits an item whose monthly amount depends on usage, or whose amount before the move is unknown. */
export async function movedItems(
  { versions }: Pick<Store, 'versions'>,
  book: PriceBook,
  states: readonly LiveState[],
  { steps, signed }: { readonly steps: readonly SwapStep[]; readonly signed: ReadonlyMap<string, BookedPrice> },
): Promise<readonly MovedItem[]> {
  const moved: MovedItem[] = []
  for (const { subscription, moves } of steps)
    for (const move of moves) {
      const owner = states.find((state) => state.subscription.id === subscription)?.subscription
      const item = owner?.items.find(({ id }) => id === move.item)
      const wanted = newPrice(book, move, signed)
      if (owner === undefined || item === undefined || wanted === undefined) continue
      const before = await createMoney(versions, book, move.from).before(item, move.fromProcessorId, owner.currency)
      const after = createMoney(versions, book, move.to).after(wanted, item, owner.currency)
      if (before === null || after === null) continue
      const amounts = { before: Number(roundFraction(before)), after: Number(roundFraction(after)) }
      moved.push({ to: move.to, currency: owner.currency, quantity: item.quantity ?? 1, ...amounts })
    }
  return moved
}

/** Returns the sums by currency. */
export function monthlyOf(moved: readonly MovedItem[]): DealMoney {
  const sums = { before: new Map<string, number>(), after: new Map<string, number>() }
  for (const { currency, before, after } of moved) {
    add(sums.before, currency, before)
    add(sums.after, currency, after)
  }
  return { before: moneyList(sums.before), after: moneyList(sums.after) }
}

/** Returns the facts that policies are checked against. They have one entry for each price to which items move. */
export function dealFacts(
  steps: readonly SwapStep[],
  moved: readonly MovedItem[],
  message: string | null,
): ChangeFacts {
  const ids = [...new Set(steps.flatMap(({ moves }) => moves.map(({ to }) => to)))]
  return {
    items: ids.map((configId) => ({
      kind: 'price',
      configId,
      action: 'update',
      metadata: null,
      currencies: [],
      isNew: false,
    })),
    prices: ids.map((configId) => ({ configId, currencies: changesOf(moved.filter(({ to }) => to === configId)) })),
    affected: ids.map((configId) => ({
      configId,
      action: 'move',
      subscriptions: steps.filter(({ moves }) => moves.some(({ to }) => to === configId)).length,
      tenants: 1,
      monthly: monthlyOf(moved.filter(({ to }) => to === configId)).before,
    })),
    tenants: ids.length === 0 ? 0 : 1,
    message,
  }
}

function changesOf(moved: readonly MovedItem[]): readonly CurrencyChange[] {
  const currencies = [...new Set(moved.map(({ currency }) => currency))]
  return currencies.map((currency) =>
    largestChanges(
      moved
        .filter((one) => one.currency === currency)
        .map(({ quantity, before, after }) => ({
          currency,
          quantity,
          before: fraction(before),
          after: fraction(after),
        })),
    ),
  )
}

function newPrice(
  book: PriceBook,
  { item, to, toProcessorId }: ItemMove,
  signed: ReadonlyMap<string, BookedPrice>,
): BookedPrice | undefined {
  const former = signed.get(item)
  return former?.processorId === toProcessorId ? former : book.find(to)
}

function add(sums: Map<string, number>, currency: string, amount: number): void {
  sums.set(currency, (sums.get(currency) ?? 0) + amount)
}

function moneyList(sums: ReadonlyMap<string, number>): DealMoney['before'] {
  return [...sums]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, amount]) => ({ currency, amount, formatted: formatMinor(amount, currency) }))
}
