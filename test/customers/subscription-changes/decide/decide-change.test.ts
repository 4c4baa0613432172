import { describe, expect, test } from 'vitest'
import { processorId } from '../../../../packages/ratecard/src/catalog/resource.ts'
import type { Price } from '../../../../packages/ratecard/src/document/schema/schema.ts'
import type { LiveItem } from '../../../../packages/ratecard/src/processor/customer-half.ts'
import type { ChangeableSubscription } from '../../../../packages/ratecard/src/processor/subscription-change.ts'
import { decideChange } from '../../../../packages/ratecard/src/customers/subscription-changes/decide/decide-change.ts'
import type {
  ChangeSituation,
  PresentItem,
} from '../../../../packages/ratecard/src/customers/subscription-changes/decide/decision.ts'
import { termsOf } from '../../../../packages/ratecard/src/customers/subscription-changes/decide/monthly.ts'
import type { WantedItem } from '../../../../packages/ratecard/src/customers/subscription-changes/decide/decision.ts'

const prices: Readonly<Record<string, Price>> = {
  basic: { id: 'basic', amount: 1000, currency: 'usd', interval: 'month' },
  pro: { id: 'pro', amount: 3000, currency: 'usd', interval: 'month' },
  yearly: { id: 'yearly', amount: 36_000, currency: 'usd', interval: 'year' },
  free: { id: 'free', amount: 0, currency: 'usd', interval: 'month' },
  calls: { id: 'calls', amount: 2, currency: 'usd', interval: 'month', usage_type: 'metered', meter: 'calls' },
  calls_pro: { id: 'calls_pro', amount: 1, currency: 'usd', interval: 'month', usage_type: 'metered', meter: 'calls' },
  addon: { id: 'addon', amount: 500, currency: 'usd', interval: 'month' },
}
const end = 30 * 86_400_000

function priceOf(name: string): Price {
  const price = prices[name]
  if (price === undefined) throw new Error(`no price ${name}`)
  return price
}

function present(name: string, quantity: number | null, replaced = true, attached = false): PresentItem {
  const price = priceOf(name)
  const usageType = price.usage_type ?? 'licensed'
  const interval = price.interval ?? 'month'
  const live: LiveItem = {
    id: `si_${name}`,
    price: {
      ...{ id: processorId(`p_${name}`), product: null, active: true, currency: 'usd', interval, intervalCount: 1 },
      ...{
        usageType,
        meter: null,
        billingScheme: 'per_unit',
        unitAmount: String(price.amount),
        transformQuantity: null,
      },
    },
    ...{ quantity, currentPeriodStart: 0, currentPeriodEnd: end },
  }
  return {
    live,
    terms: { tariff: price, interval, intervalCount: 1, usageType },
    ...{ priceId: name, legacy: false, replaced, attached },
  }
}

const wanted = (name: string, quantity: number | null = 1, attached = false): WantedItem => ({
  processorId: processorId(`p_${name}`),
  terms: termsOf(priceOf(name), priceOf(name)),
  ...{ priceId: name, listed: name, local: name === 'free', quantity, attached },
})

type State = Partial<Omit<ChangeableSubscription, 'subscription'>> & {
  readonly live?: Partial<ChangeableSubscription['subscription']>
}

function situation(
  items: readonly PresentItem[],
  asked: readonly WantedItem[],
  { state = {}, ...more }: Partial<Omit<ChangeSituation, 'state'>> & { readonly state?: State } = {},
): ChangeSituation {
  const { live = {}, ...rest } = state
  const subscription: ChangeableSubscription['subscription'] = {
    ...{ id: 'sub', customer: processorId('cus'), status: 'active', currency: 'usd', schedule: null, createdAt: 0 },
    ...{
      cancelAtPeriodEnd: false,
      cancelAt: null,
      canceledAt: null,
      endedAt: null,
      paused: null,
      collectionMethod: 'charge_automatically',
    },
    ...{
      testClock: null,
      trialStart: null,
      trialEnd: null,
      soldPriceIds: [],
      taxRates: [],
      allowsDuplicate: false,
      ends: [],
    },
    items: items.map((one) => one.live),
    ...live,
  }
  return {
    state: {
      ...{
        subscription,
        billingMode: 'flexible',
        discounts: [],
        ...{ discountTerms: [], itemDiscounts: {}, customerDiscount: null },
        phases: null,
        termEnd: null,
        scheduled: null,
      },
      ...{ payment: null, clockTime: null },
      ...rest,
    },
    present: items,
    wanted: asked,
    isReplaced: (price) => items.every((one) => one.live.price.id !== price || one.replaced) && price !== 'p_addon',
    listedOf: (price) => price.slice(2),
    isArchived: () => false,
    planned: (price) => {
      const found = items.find((one) => one.live.price.id === price) ?? present(price.slice(2), 1)
      return { priceId: found.priceId, terms: found.terms }
    },
    ...{
      requestedChange: {},
      promotionCode: null,
      promotionTerms: { once: false, fixed: false, discount: null },
      productOf: () => null,
      endsFree: [],
      session: false,
      begunBySession: false,
    },
    ...{ scheduledBySession: false, takenOff: false },
    ...more,
  }
}

const code = (of: ChangeSituation): unknown => {
  try {
    decideChange(of)
    return null
  } catch (error) {
    return (error as { readonly code?: unknown }).code
  }
}

describe('the decision about a subscription change', () => {
  test('keeps the item of a price that remains, and reuses other items for new prices of the same usage type', () => {
    const items = [present('basic', 2), present('calls', null), present('addon', 1, false)]
    expect(decideChange(situation(items, [wanted('calls_pro', null), wanted('pro', 2)]))).toMatchObject({
      when: 'now',
      items: [
        { op: 'set', item: 'si_calls', price: 'p_calls_pro', quantity: null },
        { op: 'set', item: 'si_basic', price: 'p_pro', quantity: 2 },
      ],
      warnings: [],
    })
    expect(decideChange(situation(items, [wanted('calls', null), wanted('pro', 1)])).items).toEqual([
      { op: 'set', item: 'si_basic', price: 'p_pro', quantity: 1 },
    ])
  })

  test('reuses the items of attached prices for attached prices', () => {
    const items = [present('addon', 2, true, true), present('basic', 2)]
    const asked = [wanted('pro', 2), wanted('free', 2, true)]
    expect(decideChange(situation(items, asked)).items).toEqual([
      { op: 'set', item: 'si_basic', price: 'p_pro', quantity: 2 },
      { op: 'set', item: 'si_addon', price: 'p_free', quantity: 2 },
    ])
    expect(decideChange(situation(items, [wanted('pro', 2)])).items).toEqual([
      { op: 'set', item: 'si_basic', price: 'p_pro', quantity: 2 },
      { op: 'remove', item: 'si_addon' },
    ])
  })

  test('adds items for new prices, and removes items that no new price reuses', () => {
    const more = decideChange(situation([present('pro', 1)], [wanted('pro'), wanted('calls', null)]))
    expect(more).toMatchObject({ items: [{ op: 'add', price: 'p_calls', quantity: null }], billsNow: false })
    const less = decideChange(
      situation([present('pro', 1), present('calls', null)], [wanted('pro')], { requestedChange: { when: 'now' } }),
    )
    expect(less).toMatchObject({ items: [{ op: 'remove', item: 'si_calls' }], billsNow: true })
  })

  test('takes effect immediately if it costs at least as much, and at the end of the period if it costs less', () => {
    expect(decideChange(situation([present('pro', 1)], [wanted('yearly')]))).toMatchObject({
      ...{ when: 'now', restarts: true, billsNow: true },
    })
    expect(decideChange(situation([present('pro', 1)], [wanted('basic')]))).toMatchObject({
      when: 'period_end',
      schedule: {
        at: end,
        leaving: ['p_pro'],
        coming: [{ price: 'p_basic', quantity: 1 }],
        restores: [{ price: 'p_pro' }],
      },
    })
  })

  test('starts a new billing period with the first paid price', () => {
    expect(decideChange(situation([present('free', 1)], [wanted('pro')]))).toMatchObject({ restarts: true })
    expect(decideChange(situation([present('basic', 1)], [wanted('pro')]))).toMatchObject({ restarts: false })
  })

  test('delays the change to the end of the period if usage would be lost otherwise', () => {
    const state = { billingMode: 'classic' } as const
    const items = [present('basic', 1), present('calls', null)]
    const asked = [wanted('pro'), wanted('calls_pro', null)]
    expect(decideChange(situation(items, asked, { state }))).toMatchObject({ when: 'period_end' })
    expect(code(situation(items, asked, { state, requestedChange: { when: 'now' } }))).toBe('change_invalid')
    const same = [wanted('pro'), wanted('calls', null)]
    expect(decideChange(situation(items, same, { state }))).toMatchObject({ when: 'now' })
  })

  test('makes the change depend on a payment only if a card is charged now', () => {
    const of = (live: State['live'] = {}, wish = {}) =>
      decideChange(situation([present('basic', 1)], [wanted('pro')], { state: { live }, requestedChange: wish }))
        .waitsForPayment
    expect([
      of(),
      of({ collectionMethod: 'send_invoice' }),
      of({ status: 'trialing' }),
      of({}, { proration: 'none' }),
    ]).toEqual([...[true, false, false, false]])
  })

  test.each([
    ['to what the tenant already has', [wanted('pro', 1)], {}, 'change_invalid'],
    ['to no items at all', [], {}, 'change_invalid'],
    [
      'an immediate change while invoices are overdue',
      [wanted('pro', 2)],
      { live: { status: 'past_due' } },
      'payment_overdue',
    ],
    [
      'a change while an earlier one waits for its payment',
      [wanted('pro', 2)],
      { payment: { invoice: 'in', url: null, expiresAt: 1 } },
      'payment_overdue',
    ],
    [
      'an immediate change while collection is paused',
      [wanted('pro', 2)],
      { live: { paused: { behavior: 'void', resumesAt: null } } },
      'conflict',
    ],
    ['a change of a paused subscription', [wanted('pro', 2)], { live: { status: 'paused' } }, 'conflict'],
    [
      'a change at the end of a subscription that is cancelled for that time',
      [wanted('basic')],
      { live: { cancelAt: end, cancelAtPeriodEnd: true } },
      'conflict',
    ],
  ] as const)('refuses a request: %s', (_what, asked, state, refused) => {
    expect(code(situation([present('pro', 1)], asked, { state }))).toBe(refused)
  })

  test('refuses an immediate change while a schedule moves other items', () => {
    const items = [present('pro', 1), present('addon', 1, false)]
    const phase = (quantity: number, start: number) => ({
      ...{ start, end: start + end },
      items: [
        { price: processorId('p_pro'), quantity: 1 },
        { price: processorId('p_addon'), quantity },
      ],
    })
    const state = { phases: [phase(1, 0), phase(2, end)], live: { schedule: 'sched' } }
    const dearer = [wanted('calls', null), wanted('pro', 1)]
    expect(code(situation(items, dearer, { state }))).toBe('conflict')
    expect(decideChange(situation(items, dearer, { state, requestedChange: { when: 'period_end' } }))).toMatchObject({
      when: 'period_end',
    })
    // Another quantity leaves the schedule as it is.
    expect(decideChange(situation(items, [wanted('pro', 2)], { state }))).toMatchObject({
      when: 'now',
      setAside: { then: { quantities: [{ price: 'p_pro', from: 1, to: 2 }], change: null } },
    })
  })

  test('prorates each change by a session, and makes the change immediately only if the new price is not lower', () => {
    const of = (wish: ChangeSituation['requestedChange']) =>
      code(situation([present('pro', 1)], [wanted('basic')], { session: true, requestedChange: wish }))
    expect([of({}), of({ when: 'now' }), of({ proration: 'none' })]).toEqual([null, 'not_allowed', 'not_allowed'])
  })
})
