// Decides a change of a subscription: which items change, when, and what this means for the invoice. Pure. Does not compute amounts of
// invoices, because the processor's preview provides them.
import { defaultProration } from '../../../api/server/limits.ts'
import { ServiceError } from '../../../base/errors/service-error.ts'
import { zero } from '../../../base/money/decimal.ts'
import { compareFractions, zeroFraction } from '../../../base/money/fraction.ts'
import { unitAmountOf } from '../../../document/pricing/calculate.ts'
import type { LiveItem } from '../../../processor/customer-half.ts'
import type { ChangeableSubscription, ItemChange } from '../../../processor/subscription-change.ts'
import type { ProcessorId } from '../../../catalog/resource.ts'
import {
  invalidChange,
  type ChangeDecision,
  type ChangeSituation,
  type ChangeWarning,
  type OtherItem,
  type PlacedItem,
  type PresentItem,
  type FreeChange,
  type WantedItem,
} from './decision.ts'
import { discountedSum, intervalOf, monthlyItem, monthlySum, type ItemTerms } from './monthly.ts'
import {
  replacesQuantity,
  requantifiedAt,
  requantifiedNow,
  hasOtherPlan,
  othersAt,
  periodEndOf,
  plansOthers,
  renewalOf,
  scheduleOf,
  untilOf,
  refuseBreakingRamp,
  refuseReplacingPlan,
  refuseTakingOff,
  termEndOfPeriod,
} from './scheduled-items.ts'
import { setAsideSchedule } from './set-aside.ts'
import { type ChangeStep, releaseOf } from '../../item-swaps/change-step.ts'

/** Decides the change. Throws `change_invalid`, `payment_overdue`, `not_allowed` or `conflict`. */
export function decideChange(situation: ChangeSituation): ChangeDecision {
  const { state, present, wanted, session, requestedChange, promotionCode } = situation
  const { subscription } = state
  refuseStanding(state)
  const free = freePriceOf(wanted)
  if (free !== null) return wholeFree(situation, decideFree(situation, free))
  const others = present.filter(({ replaced }) => !replaced).map(otherOf)
  if (others.length + wanted.length === 0)
    throw invalidChange(
      'items',
      'The subscription would have no items left.',
      'Cancel it instead (POST subscription/cancel).',
    )
  const items = itemChanges(present, wanted)
  const before = monthlySum(present.map(({ terms, live: { quantity } }) => ({ terms, quantity })))
  const costsLess = compareFractions(monthlySum([...others, ...wanted]), before) < 0
  const otherInterval = changesInterval(present, wanted)
  const when = whenOf(situation, { costsLess, otherInterval })
  const proration = requestedChange.proration ?? defaultProration
  if (session && proration === 'none') throw notAllowed('A change by a session is always prorated.')
  const stays = when === 'now' ? requantifiedNow(situation, items) : null
  if (stays === null) refuseReplacingPlan(situation)
  const at = periodEndOf(situation)
  const follows = when === 'now' ? null : requantifiedAt(situation, items, at)
  const schedule = when === 'now' ? null : scheduleOf(situation, at, follows)
  const beside = schedule === null ? others : othersAt(situation, at)
  if (items.length === 0 && state.scheduled === null)
    throw invalidChange(
      'items',
      'The subscription has exactly these items already.',
      ...(present.some(({ replaced, legacy }) => replaced && legacy)
        ? ['To move them to the prices of today, set "to_current": true.']
        : []),
    )
  if (items.length === 0 && when === 'now') refuseTakingOff(situation)
  if (schedule !== null) refuseBreakingRamp(situation, { at, follows: follows !== null })
  if (when === 'now') refuseNow(situation, stays !== null)
  const restarts = otherInterval || becomesPaid(present, wanted)
  const paysNow = subscription.status !== 'trialing' && (restarts || (proration === 'prorate' && billsNow(items)))
  const setAside = when === 'now' && items.length > 0 ? setAsideSchedule(state, stays) : null
  const coming =
    follows?.map(({ price, quantity }) => ({ ...situation.planned(price), processorId: price, quantity })) ?? wanted
  const waitsForPayment = paysNow && subscription.collectionMethod === 'charge_automatically'
  return {
    subscription,
    when,
    periodEnd: schedule?.at ?? null,
    proration,
    items,
    promotion: promotionCode === null ? null : { code: promotionCode, beside: state.discounts },
    waitsForPayment,
    endsFree: situation.endsFree,
    billsNow: when === 'now' && paysNow,
    restarts,
    sessionBegins:
      session && when === 'now' && otherInterval && subscription.status !== 'trialing'
        ? wanted.map(({ terms }) => intervalOf(terms))
        : [],
    schedule,
    reopens: schedule === null ? [] : schedule.coming.map(({ price }) => price).filter(situation.isArchived),
    renewal: renewalOf(situation, { schedule, stays }),
    releases: when === 'now' ? subscription.schedule : null,
    setAside,
    before: present.map(placedItem),
    after: [
      ...beside.map(({ terms: _terms, ...item }) => item),
      ...coming.map(({ priceId, processorId: processorPriceId, quantity }) => ({
        priceId,
        processorPriceId,
        quantity,
      })),
    ],
    monthly: monthlyOf(situation, items, [
      ...beside.map(({ processorPriceId: processorId, ...item }) => ({ ...item, processorId })),
      ...coming,
    ]),
    free: null,
    warnings: warningsOf(situation, {
      isPutBack: waitsForPayment && setAside !== null,
      replaces:
        stays === null && follows === null
          ? hasOtherPlan(state.phases, present, situation.isReplaced)
          : replacesQuantity(situation, items),
    }),
  }
}

/** Returns what the present and the coming items cost a month, less discounts that last. */
function monthlyOf(
  { state, present, productOf, promotionTerms }: ChangeSituation,
  items: readonly ItemChange[],
  coming: readonly (Pick<OtherItem, 'terms' | 'quantity' | 'priceId'> & { readonly processorId: ProcessorId })[],
): ChangeDecision['monthly'] {
  const before = present.map((one) => monthlyItem(one, state))
  // An item that gets another price keeps its discounts.
  const itemOf = (price: ProcessorId) => {
    const kept = present.find(({ live }) => live.price.id === price)?.live.id
    return kept ?? items.flatMap((one) => (one.op === 'set' && one.price === price ? [one.item] : []))[0] ?? ''
  }
  const after = coming.map(({ terms, quantity, priceId, processorId: price }) => ({
    ...{ terms, quantity, product: productOf(priceId) },
    discounts: state.itemDiscounts[itemOf(price)] ?? [],
  }))
  return { before: discountedSum(before, state), after: discountedSum(after, state, promotionTerms.discount) }
}

const placedItem = ({ priceId, live }: PresentItem): PlacedItem => ({
  priceId,
  processorPriceId: live.price.id,
  quantity: live.quantity,
})

const otherOf = (item: PresentItem): OtherItem => ({ ...placedItem(item), terms: item.terms })

function wholeFree(situation: ChangeSituation, decision: ReturnType<typeof decideFree>): ChangeDecision {
  const { present } = situation
  // That the subscription ends is what the change is about.
  const warnings = warningsOf(situation, {
    isPutBack: false,
    replaces: hasOtherPlan(situation.state.phases, present, situation.isReplaced),
  }).filter(({ code }) => code !== 'ends_anyway')
  return { ...decision, before: present.map(placedItem), proration: 'none', warnings }
}

/** Refuses a change because of the state of the subscription (e.g. an earlier change is unpaid), no matter when the change would begin. */
function refuseStanding({ subscription: { id, status }, payment }: ChangeableSubscription): void {
  if (payment !== null)
    throw new ServiceError('payment_overdue', `An earlier change of ${id} waits for its payment.`, {
      hint: 'Let the customer pay it, or undo it with POST subscription/resume.',
      extra: payment.url === null ? {} : { url: payment.url },
    })
  if (status === 'incomplete')
    throw new ServiceError('payment_overdue', `The first invoice of ${id} is not paid.`, {
      hint: 'Let the customer pay it first.',
    })
  if (status !== 'paused') return
  throw new ServiceError('conflict', `The subscription ${id} is paused.`, {
    hint: 'Resume it first (POST subscription/resume).',
  })
}

/**
 * Refuses a change that begins now for a subscription whose invoices are not paid or not collected, or whose schedule it would undo. `stays`: the
 * schedule stays.
 */
function refuseNow(
  { state: { subscription, phases, scheduled, termEnd }, present, isReplaced, takenOff }: ChangeSituation,
  stays: boolean,
): void {
  const { id, status, paused } = subscription
  if (takenOff)
    throw new ServiceError(
      'conflict',
      `The cancellation of ${id} took off what was planned for it, which a change now would prevent from coming back.`,
      { hint: 'Resume it first (POST subscription/resume), then change it.' },
    )
  if (status === 'past_due' || status === 'unpaid')
    throw new ServiceError(
      'payment_overdue',
      `The subscription ${id} has overdue invoices, so it cannot be changed immediately.`,
      {
        hint: 'Let the customer pay them first, or change at the end of the period ("when": "period_end").',
      },
    )
  if (paused !== null)
    throw new ServiceError('conflict', `The invoices of ${id} are not collected now: a change would not be paid.`, {
      hint: 'Resume it first (POST subscription/resume), or change at the end of the period.',
    })
  if (termEnd !== null)
    throw new ServiceError(
      'conflict',
      `The schedule of ${id} cancels it${untilOf(termEnd)}, and a change now would remove the schedule and with it this end.`,
      { hint: 'Change at the end of the period ("when": "period_end"), which keeps the schedule.' },
    )
  const moved = stays ? undefined : plansOthers(phases, present, isReplaced)
  if (moved === undefined) return
  throw new ServiceError(
    'conflict',
    `The schedule of ${id} changes other items of it${untilOf(moved.start)}, which a change now would undo.`,
    {
      hint:
        scheduled === null
          ? 'Change at the end of the period ("when": "period_end"), or wait until the items have changed.'
          : 'Change at the end of the period ("when": "period_end"), or undo the scheduled change first (POST subscription/resume).',
    },
  )
}

function whenOf(
  situation: ChangeSituation,
  { costsLess, otherInterval }: { readonly costsLess: boolean; readonly otherInterval: boolean },
): 'now' | 'period_end' {
  const { requestedChange, session, state, present } = situation
  // One new period at a time: see decisions.ts.
  const beginsAgain = session && otherInterval && situation.begunBySession
  const dropsUsage = state.billingMode === 'classic' || requestedChange.proration === 'none'
  const losesUsage = dropsUsage && present.some(({ replaced, live }) => replaced && leavesMeter(live, situation))
  if (requestedChange.when === 'now') {
    if (session && costsLess)
      throw notAllowed('A cheaper price takes effect at the end of the period. A session cannot request it now.')
    if (beginsAgain)
      throw notAllowed(
        'A change of the interval has begun the current period already. A session can begin another one at the end of the period.',
      )
    if (losesUsage)
      throw invalidChange(
        'when',
        'Usage of the current period would not be billed, because the metered price changes.',
        atEnd,
      )
    return 'now'
  }
  return requestedChange.when === 'period_end' || costsLess || beginsAgain || losesUsage ? 'period_end' : 'now'
}

const atEnd = 'Change at the end of the period ("when": "period_end").'

/**
 * True if the change takes an item off its metered price within a period. In classic billing, and without proration, the usage of the item
 * would be lost.
 */
function leavesMeter({ price }: LiveItem, { wanted }: ChangeSituation): boolean {
  return price.usageType === 'metered' && wanted.every(({ processorId }) => processorId !== price.id)
}

/**
 * Returns the changes of the items. An item whose price stays is kept. For any other new price, the next replaced item of the same usage
 * type (licensed or metered) gets that price, so that the item's discounts and tax rates stay. For an attached price, preferably the item
 * of another attached price gets it.
 */
function itemChanges(present: readonly PresentItem[], wanted: readonly WantedItem[]): readonly ItemChange[] {
  const replaced = present.filter((one) => one.replaced)
  const leaving = replaced.filter(({ live }) => wanted.every(({ processorId }) => processorId !== live.price.id))
  const changes = wanted.flatMap(({ processorId: price, quantity, attached }): ItemChange[] => {
    const stays = replaced.find(({ live }) => live.price.id === price)?.live
    if (stays !== undefined) return stays.quantity === quantity ? [] : [{ op: 'set', item: stays.id, price, quantity }]
    const fitting = leaving.filter(({ live }) => (live.quantity === null) === (quantity === null))
    const former = fitting.find((one) => one.attached === attached) ?? fitting[0]
    if (former === undefined) return [{ op: 'add', price, quantity }]
    leaving.splice(leaving.indexOf(former), 1)
    return [{ op: 'set', item: former.live.id, price, quantity }]
  })
  return [...changes, ...leaving.map(({ live }): ItemChange => ({ op: 'remove', item: live.id }))]
}

/** True if an item gets another interval, so that the processor begins a new period with the change. */
function changesInterval(present: readonly PresentItem[], wanted: readonly WantedItem[]): boolean {
  const replaced = present.filter((one) => one.replaced)
  const intervals = new Set(replaced.map(({ terms }) => intervalOf(terms)))
  return wanted.some(({ terms }) => intervals.size > 0 && !intervals.has(intervalOf(terms)))
}

/** True if a free subscription becomes a paid one, so that the processor begins a new period with the change. */
function becomesPaid(present: readonly PresentItem[], wanted: readonly WantedItem[]): boolean {
  return present.every(({ terms }) => isFree(terms)) && wanted.some(({ terms }) => !isFree(terms))
}

function isFree({ tariff }: ItemTerms): boolean {
  if (tariff === null || tariff.tiers !== undefined) return false
  return unitAmountOf(tariff) === zero
}

/**
 * True if the change bills something of the current period: a part of the period of a licensed item, or the usage until now of a metered
 * item that is changed or removed. A new metered item has no usage yet.
 */
function billsNow(items: readonly ItemChange[]): boolean {
  return items.some((change) => change.op !== 'add' || change.quantity !== null)
}

function warningsOf(
  { state, present, wanted }: ChangeSituation,
  { isPutBack, replaces }: { readonly isPutBack: boolean; readonly replaces: boolean },
): readonly ChangeWarning[] {
  const { subscription, termEnd } = state
  const ends = subscription.cancelAt ?? termEnd
  const legacy = present.find(
    (one) => one.replaced && one.legacy && wanted.every(({ processorId }) => processorId !== one.live.price.id),
  )
  const warnings: (ChangeWarning | false)[] = [
    legacy !== undefined && {
      code: 'legacy_price_left',
      detail: `The customer cannot come back to its price of "${legacy.priceId ?? legacy.live.price.id}": it is not sold any more.`,
    },
    ends !== null && {
      code: 'ends_anyway',
      detail: `The subscription is cancelled${untilOf(ends)}, also after the change.`,
    },
    replaces && {
      code: 'replaces_scheduled',
      detail: isPutBack
        ? 'This change replaces the scheduled change, which is cancelled. If this change is not paid, the scheduled change is put back.'
        : 'This change replaces the scheduled change, which is cancelled.',
    },
  ]
  return warnings.filter((warning) => warning !== false)
}

const notAllowed = (detail: string) => new ServiceError('not_allowed', detail)

// Decides a change to a free price. A free price does not exist at the processor, so the paid subscription ends and a free one begins in
// its place. Pure.
/** Returns the free price if it is the only item that the tenant will have; null for any other change. */
export function freePriceOf([only, ...others]: readonly WantedItem[]): WantedItem | null {
  return only !== undefined && others.length === 0 && only.local ? only : null
}

type FreeDecision = Omit<ChangeDecision, 'warnings' | 'before' | 'proration'>

/** Decides the change to the free price `free`. Throws `change_invalid` or `not_allowed`. */
export function decideFree(situation: ChangeSituation, free: WantedItem): FreeDecision {
  const { state, present, requestedChange, session, promotionCode } = situation
  const { subscription } = state
  refuseBeside(situation, free)
  if (promotionCode !== null)
    throw invalidChange(
      'promotion_code',
      `The price "${free.priceId}" is free, so a promotion code cannot apply to it.`,
    )
  const now = requestedChange.when === 'now'
  if (now && session)
    throw new ServiceError(
      'not_allowed',
      'A cheaper price takes effect at the end of the period. A session cannot request it now.',
    )
  if (now && present.some(({ terms }) => terms.usageType === 'metered'))
    throw invalidChange(
      'when',
      'Usage of the current period would not be billed, because the subscription ends.',
      'Change at the end of the period ("when": "period_end").',
    )
  const termEnd = termEndOfPeriod(state)
  const end = subscription.cancelAt ?? termEnd ?? Math.max(...present.map(({ live }) => live.currentPeriodEnd))
  const endsAnyway = !now && (subscription.cancelAtPeriodEnd || subscription.cancelAt !== null || termEnd !== null)
  return {
    subscription,
    when: now ? 'now' : 'period_end',
    periodEnd: now ? null : end,
    items: [],
    promotion: null,
    waitsForPayment: false,
    endsFree: [],
    billsNow: false,
    restarts: false,
    sessionBegins: [],
    schedule: null,
    reopens: [],
    renewal: null,
    releases: endsAnyway ? null : subscription.schedule,
    setAside: now || endsAnyway ? null : setAsideSchedule(state),
    after: [{ priceId: free.priceId, processorPriceId: free.processorId, quantity: 1 }],
    monthly: {
      before: discountedSum(
        present.map((one) => monthlyItem(one, state)),
        state,
      ),
      after: zeroFraction,
    },
    free: { price: free.priceId, endsAnyway },
  }
}

function refuseBeside({ present, state: { subscription } }: ChangeSituation, { priceId }: WantedItem): void {
  const beside = present.find(({ replaced }) => !replaced)
  if (beside === undefined) return
  const name = beside.priceId ?? beside.live.price.id
  throw invalidChange(
    'items',
    `The free price "${priceId}" is not at the processor, so that "${name}" cannot go on beside it in ${subscription.id}.`,
    `Leave it first ("items": [], "replaces": "${name}"), or cancel the subscription.`,
  )
}

/** Returns the steps that end the paid subscription. Empty if it ends anyway. */
export function freeSteps(
  { subscription: { id }, when, releases }: ChangeDecision,
  { endsAnyway }: FreeChange,
): readonly ChangeStep[] {
  // A change now is refused where there is usage to bill.
  if (when === 'now') return [{ op: 'cancel', subscription: id, billsUsage: false }]
  if (endsAnyway) return []
  return [...releaseOf(id, releases), { op: 'settings', subscription: id, cancellation: 'period_end' }]
}
