// Plans which items of one tenant's subscriptions get which negotiated price, when, and why other items are skipped. Pure. No planned
// change is billed before the renewal. Reasons: docs/decisions/12-negotiated-prices.md.
import type { ProcessorId } from '../../catalog/resource.ts'
import { currenciesOf } from '../../document/pricing/calculate.ts'
import type { LiveItem, LiveSubscription } from '../../processor/customer-half.ts'
import { isLive, incompatibility, effectiveFor, positionsSharingPrice } from '../item-swaps/compatibility.ts'
import type { Effective } from '../item-swaps/compatibility.ts'
import { belongs, type BookedPrice, type PriceBook } from '../item-swaps/price-book.ts'
import type { ItemMove, SwapStep } from '../item-swaps/swap-step.ts'
import type { SkipReport, EnterpriseTarget } from '../../api/customers/enterprise.ts'

export interface LiveState {
  readonly subscription: LiveSubscription
  /** Prices that a schedule switches to in the next period, keyed by the present price. Empty without a schedule. */
  readonly coming: ReadonlyMap<ProcessorId, ProcessorId>
}

/**
 * Treatment of an item whose negotiated price belongs to another template or enterprise id, if the target has no price for the item.
 * `keep`: the item keeps its price. `base`: it returns to the base price.
 */
export type UnmatchedPolicy = 'keep' | 'base'

export interface SwapChoices {
  /** Default: `keep`. */
  readonly unmatched?: UnmatchedPolicy | undefined
  /**
   * Prices that were removed from the configuration but are still on items, by id. Each has its content from the last revision that
   * contained it.
   */
  readonly removed?: ReadonlyMap<string, BookedPrice>
  /**
   * Prices that items were on before their deal, by item id. When a deal is removed, its items return to these prices instead of the
   * present base prices.
   */
  readonly signed?: ReadonlyMap<string, BookedPrice>
}

/** Skip reason for an item that keeps its negotiated price of another template or enterprise id. */
export const onOtherDeal = 'on_other_deal'

export interface SwapPlan {
  /** Steps in order of execution. For each subscription, immediate changes come before changes of its schedule. */
  readonly steps: readonly SwapStep[]
  readonly skipped: readonly SkipReport[]
}

type SwapDecision =
  | { readonly kind: 'stays' }
  | { readonly kind: 'skipped'; readonly reason: string; readonly detail?: string }
  | {
      readonly kind: 'moves'
      readonly to: BookedPrice
      readonly processorId: ProcessorId
      readonly effective: Effective
    }

/** An item, its price in the next period, and the decision about it. */
interface Case {
  readonly item: LiveItem
  readonly coming: ProcessorId
  readonly verdict: SwapDecision
}

export function planSwaps(
  states: readonly LiveState[],
  book: PriceBook,
  target: EnterpriseTarget,
  choices: SwapChoices = {},
): SwapPlan {
  const wanted = wantedPrices(book, target, choices)
  const known = (id: string) => book.find(id) ?? choices.removed?.get(id)
  const steps: SwapStep[] = []
  const skipped: SkipReport[] = []
  for (const state of states) {
    const { subscription } = state
    const cases = withoutSharedPrices(subscription.items.map((item) => decide(item, state, { book, known, wanted })))
    for (const { item, verdict } of cases)
      if (verdict.kind === 'skipped') {
        const price = book.idOf(item.price.id) ?? item.price.id
        const { reason, detail } = verdict
        const about = { subscription: subscription.id, item: item.id, price, reason }
        skipped.push(detail === undefined ? about : { ...about, detail })
      }
    for (const effective of ['now', 'period_end'] as const) {
      const moves = cases.flatMap((one) => moveOf(one, effective, book))
      if (moves.length > 0)
        steps.push({ subscription: subscription.id, effective, moves, ...pricesToReopen(moves, book) })
    }
  }
  return { steps, skipped }
}

/**
 * Returns those new prices that are former processor prices. They are archived and must be reactivated, because an item can move only to an
 * active price.
 */
function pricesToReopen(moves: readonly ItemMove[], book: PriceBook): Pick<SwapStep, 'reopens'> {
  const former = moves.flatMap(({ to, toProcessorId }) =>
    book.find(to)?.processorId === toProcessorId ? [] : [toProcessorId],
  )
  return former.length === 0 ? {} : { reopens: [...new Set(former)] }
}

function moveOf({ item, coming, verdict }: Case, effective: Effective, book: PriceBook): readonly ItemMove[] {
  if (verdict.kind !== 'moves' || verdict.effective !== effective) return []
  return [
    {
      item: item.id,
      from: book.idOf(coming) ?? coming,
      to: verdict.to.price.id,
      // The price to replace: the price that a schedule switches to or, without a schedule, the current price.
      fromProcessorId: coming,
      toProcessorId: verdict.processorId,
      quantity: item.quantity,
    },
  ]
}

/**
 * Finds the target price for an item that is on the price `booked`. Returns null if the item keeps its price, and the reason as text if
 * there is no target price.
 */
type TargetPriceOf = (booked: BookedPrice, item: Pick<LiveItem, 'id'>) => BookedPrice | Reason | null

interface Reason {
  readonly reason: string
  readonly detail?: string
}

function wantedPrices(book: PriceBook, target: EnterpriseTarget, choices: SwapChoices): TargetPriceOf {
  const { unmatched = 'keep', signed } = choices
  const without = ({ price }: BookedPrice) => `The enterprise price "${price.id}" has no base price.`
  const missing = (base: string) => `The base price "${base}" is not in the configuration.`
  const baseOf = (booked: BookedPrice): BookedPrice | string =>
    booked.base === undefined ? without(booked) : (book.find(booked.base) ?? missing(booked.base))
  const reasoned = (found: BookedPrice | string) => (typeof found === 'string' ? { reason: found } : found)
  if (target.kind === 'none')
    return (booked, { id }) => {
      if (!booked.enterprise) return null
      const before = signed?.get(id)
      // The price before the deal is used only if it is the base price of the current deal. An item that was moved to a deal on another
      // base price returns to the base price of that deal.
      return before !== undefined && before.price.id === booked.base ? before : reasoned(baseOf(booked))
    }
  const byBase = new Map(
    book.of(target).flatMap((booked) => (booked.base === undefined ? [] : [[booked.base, booked]])),
  )
  const name = target.kind === 'template' ? `template "${target.template}"` : `enterprise id "${target.enterpriseId}"`
  return (booked) => {
    const base = booked.enterprise ? booked.base : booked.price.id
    const found = base === undefined ? undefined : byBase.get(base)
    if (found !== undefined) return found
    const none = base === undefined ? without(booked) : `No price of the ${name} stands for "${base}".`
    // A negotiated price that is no longer in the configuration is treated as a price of another deal.
    const own = belongs(booked.price, target) && book.find(booked.price.id) !== undefined
    if (!booked.enterprise || own) return { reason: none }
    const back = unmatched === 'base' ? baseOf(booked) : none
    return typeof back === 'string' ? { reason: onOtherDeal, detail: back } : back
  }
}

interface Knowledge {
  readonly book: PriceBook
  /** Finds a price by id, in the configuration or among the prices that were removed from it. */
  readonly known: (id: string) => BookedPrice | undefined
  readonly wanted: TargetPriceOf
}

function decide(item: LiveItem, state: LiveState, knowledge: Knowledge): Case {
  const { subscription } = state
  const coming = state.coming.get(item.price.id) ?? item.price.id
  const verdict = verdictOn(item, coming, subscription, knowledge)
  // If the subscription is not live (e.g. it has ended), its items are not moved and are reported as skipped.
  if (isLive(subscription)) return { item, coming, verdict }
  const reason = `The subscription is ${subscription.status}.`
  return { item, coming, verdict: verdict.kind === 'moves' ? { kind: 'skipped', reason } : { kind: 'stays' } }
}

function verdictOn(
  item: LiveItem,
  coming: ProcessorId,
  subscription: LiveSubscription,
  { book, known, wanted }: Knowledge,
): SwapDecision {
  const skipped = (reason: string): SwapDecision => ({ kind: 'skipped', reason })
  // Compares the price that the item's schedule switches to, not the current one, so that applying a template does not undo a planned
  // upgrade.
  const id = book.idOf(coming)
  if (id === undefined) return skipped('The price is not in the configuration.')
  const booked = known(id)
  if (booked === undefined || (!booked.enterprise && book.find(id) === undefined))
    return skipped(`The price "${id}" is no longer in the configuration.`)
  const to = wanted(booked, item)
  if (to === null) return { kind: 'stays' }
  if ('reason' in to) return { kind: 'skipped', ...to }
  if (to.processorId === coming) return { kind: 'stays' }
  if (to.processorId === null) return skipped(`The price "${to.price.id}" is free and has no object at the processor.`)
  const unfit = incompatibility(item, subscription, to)
  const reason =
    coming === item.price.id
      ? unfit
      : differsFromScheduled(booked, coming, to, { currency: subscription.currency, unfit })
  if (reason !== null) return skipped(reason)
  const effective = effectiveFor(
    item,
    subscription,
    to,
    booked.processorId === item.price.id ? booked.price : undefined,
  )
  if (effective === 'period_end' && subscription.cancelAtPeriodEnd)
    return skipped('The subscription ends with the period, before the price could change.')
  return { kind: 'moves', to, processorId: to.processorId, effective }
}

/**
 * Returns the reason why a scheduled price cannot be replaced; null if it can. The processor returns only the id of a scheduled price. So
 * its terms are known only if it is the present processor price of a configuration price. A former processor price is replaced if the new
 * price is compatible with the item's present price (`unfit` is null). If it were kept, a former negotiated price would come back that the
 * template no longer has.
 */
function differsFromScheduled(
  booked: BookedPrice,
  coming: ProcessorId,
  to: BookedPrice,
  { currency, unfit }: { readonly currency: string; readonly unfit: string | null },
): string | null {
  if (booked.processorId !== coming && unfit !== null)
    return `Its schedule moves it to a former price of "${booked.price.id}".`
  const rhythm = ({ price, meter }: BookedPrice) =>
    JSON.stringify([price.interval, price.interval_count ?? 1, price.usage_type ?? 'licensed', meter])
  return rhythm(booked) === rhythm(to) && currenciesOf(to.price).includes(currency)
    ? null
    : `Its schedule moves it to "${booked.price.id}", which "${to.price.id}" does not fit.`
}

/**
 * Drops moves until no two items of a subscription have the same price, neither now nor in the next period. The processor refuses such a
 * subscription.
 */
function withoutSharedPrices(cases: readonly Case[]): readonly Case[] {
  const placed = (effective: Effective) =>
    cases.map(({ item, coming, verdict }) =>
      verdict.kind === 'moves' && (effective === 'period_end' || verdict.effective === 'now')
        ? verdict.processorId
        : effective === 'now'
          ? item.price.id
          : coming,
    )
  const clashing = new Set([...positionsSharingPrice(placed('now')), ...positionsSharingPrice(placed('period_end'))])
  if (!cases.some(({ verdict }, position) => verdict.kind === 'moves' && clashing.has(position))) return cases
  return withoutSharedPrices(
    cases.map((one, position): Case => {
      if (one.verdict.kind !== 'moves' || !clashing.has(position)) return one
      const reason = `Another item of the subscription is on "${one.verdict.to.price.id}", or would be: two items cannot share a price.`
      return { ...one, verdict: { kind: 'skipped', reason } }
    }),
  )
}
