import { describe, expect, test } from 'vitest'
import { configId, processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { BillingConfig, Price } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { planSwaps, type LiveState } from '../../../packages/ratecard/src/customers/enterprise/swap-plan.ts'
import type { LiveItem, LivePrice, LiveSubscription } from '../../../packages/ratecard/src/processor/customer-half.ts'
import { priceBook } from '../../../packages/ratecard/src/customers/item-swaps/price-book.ts'
import { gold, negotiated, nothing, priceIn } from '../../support/shop/tenant-shop.ts'

/** A price book in which each price has the processor id `p_<id>`, and a former one `old_<id>`. */
function book(change: (config: BillingConfig) => void = () => undefined) {
  const config = negotiated('1.0.0', change)
  const ids = config.products.flatMap(({ prices }) => prices ?? []).map(({ id }) => id)
  const entries = ['old_', 'p_'].flatMap((prefix, revision) =>
    ids.map((id) => ({
      kind: 'price' as const,
      configId: configId(id),
      processorId: processorId(prefix + id),
      revision,
    })),
  )
  const meter = {
    kind: 'meter' as const,
    configId: configId('calls'),
    processorId: processorId('m_calls'),
    revision: 1,
  }
  return priceBook(
    config,
    [...entries, meter].map((entry, sequence) => ({ ...entry, sequence })),
  )
}

const licensed: Omit<LivePrice, 'id'> = {
  product: processorId('prod_shop'),
  active: true,
  currency: 'usd',
  interval: 'month',
  intervalCount: 1,
  usageType: 'licensed',
  meter: null,
  billingScheme: 'per_unit',
  unitAmount: '1000',
  transformQuantity: null,
}
const metered: Partial<LivePrice> = { usageType: 'metered', meter: processorId('m_calls') }

function item(price: string, change: Partial<LivePrice> = {}): LiveItem {
  const full = { ...licensed, ...change, id: processorId(price) }
  const quantity = full.usageType === 'metered' ? null : 7
  return { id: `si_${price}`, price: full, quantity, currentPeriodStart: 0, currentPeriodEnd: 1000 }
}

function state(
  items: readonly LiveItem[],
  change: Partial<LiveSubscription> = {},
  coming: Readonly<Record<string, string>> = {},
): LiveState {
  const subscription: LiveSubscription = {
    id: 'sub',
    customer: processorId('cus'),
    status: 'active',
    currency: 'usd',
    items,
    schedule: Object.keys(coming).length === 0 ? null : 'sched',
    cancelAtPeriodEnd: false,
    cancelAt: null,
    canceledAt: null,
    endedAt: null,
    paused: null,
    collectionMethod: 'charge_automatically',
    testClock: null,
    trialEnd: null,
    createdAt: 0,
    trialStart: null,
    soldPriceIds: [],
    taxRates: [],
    allowsDuplicate: false,
    ends: [],
    ...change,
  }
  return {
    subscription,
    coming: new Map(Object.entries(coming).map(([from, to]) => [processorId(from), processorId(to)])),
  }
}

type Tiers = NonNullable<Price['tiers']>
const zeroTiers: Tiers = [
  { up_to: 10, unit_amount: 0 },
  { up_to: 'inf', unit_amount_decimal: '0.0', flat_amount: 0 },
]
const paidTiers: Tiers = [
  { up_to: 10, unit_amount: 0 },
  { up_to: 'inf', unit_amount: 5 },
]
const flatTiers: Tiers = [{ up_to: 'inf', flat_amount: 500 }]

/** Returns the price book with tiers in place of the amounts of the named prices. */
const tiered = (tiers: Readonly<Record<string, Tiers>>) =>
  book((config) => {
    for (const [id, those] of Object.entries(tiers)) {
      const price = priceIn(config, id)
      delete price.amount
      price.tiers_mode = 'graduated'
      price.tiers = those
    }
  })

const moves = (...args: Parameters<typeof planSwaps>) =>
  planSwaps(...args).steps.flatMap(({ effective, moves: all }) =>
    all.map((move) => [move.fromProcessorId, move.toProcessorId, move.quantity, effective]),
  )
const reasons = (...args: Parameters<typeof planSwaps>) => planSwaps(...args).skipped.map(({ reason }) => reason)

/** With a negotiated price that has no base price. */
const lonely = book((config) =>
  config.products[1]?.prices?.push({ id: 'lonely', amount: 5, currency: 'usd', interval: 'month', enterprise_id: 'x' }),
)

describe('a planned swap of a subscription item to a negotiated price', () => {
  test.each([
    ['p_pro_monthly', gold, 'p_pro_monthly_gold'],
    ['old_pro_monthly', gold, 'p_pro_monthly_gold'],
    ['p_pro_monthly_silver', gold, 'p_pro_monthly_gold'],
    ['old_pro_monthly_gold', gold, 'p_pro_monthly_gold'],
    ['p_pro_monthly_gold', nothing, 'p_pro_monthly'],
  ])('moves a licensed item on %s with the deal %j immediately to %s, and keeps its quantity', (from, target, to) => {
    expect(moves([state([item(from)])], book(), target)).toEqual([[from, to, 7, 'now']])
  })

  test('keeps an item that already has the price, and items on ordinary or former prices when a deal is removed', () => {
    const there = [state([item('p_pro_monthly_gold')])]
    expect(planSwaps(there, book(), gold)).toEqual({ steps: [], skipped: [] })
    expect(planSwaps([state([item('old_pro_monthly'), item('p_pro')])], book(), nothing)).toEqual({
      steps: [],
      skipped: [],
    })
  })

  test('takes effect at the end of the period if the item is metered or has a schedule', () => {
    expect(moves([state([item('p_calls', metered)])], book(), gold)).toEqual([
      ['p_calls', 'p_calls_gold', null, 'period_end'],
    ])
    expect(moves([state([item('p_pro_monthly')], { schedule: 'sched' })], book(), gold)).toEqual([
      ['p_pro_monthly', 'p_pro_monthly_gold', 7, 'period_end'],
    ])
  })

  test.each([
    ['free → paid', '0', 800],
    ['paid → free', '1000', 0],
  ])('between a free and a paid price takes effect at the end of the period: %s', (_name, live, target) => {
    const changed = book((config) => (priceIn(config, 'pro_monthly_gold').amount = target))
    expect(moves([state([item('p_pro_monthly', { unitAmount: live })])], changed, gold)[0]?.at(-1)).toBe('period_end')
  })

  test.each<[string, Tiers, Tiers | null, string]>([
    ['zero tiers → paid waits for the end of the period', zeroTiers, null, 'period_end'],
    ['zero tiers → zero tiers happens now', zeroTiers, zeroTiers, 'now'],
    ['tiers with only a flat amount → paid happens now', flatTiers, null, 'now'],
    ['zero tiers → tiers with only a flat amount waits for the end of the period', zeroTiers, flatTiers, 'period_end'],
  ])(
    'between prices with tiers takes effect later if exactly one of the prices is free: %s',
    (_name, from, to, moment) => {
      const changed = tiered({ pro_monthly: from, ...(to === null ? {} : { pro_monthly_gold: to }) })
      const on = state([item('p_pro_monthly', { billingScheme: 'tiered', unitAmount: null })])
      expect(moves([on], changed, gold)).toEqual([['p_pro_monthly', 'p_pro_monthly_gold', 7, moment]])
    },
  )

  test.each<[string, Tiers, Tiers, string]>([
    ['paid → free', zeroTiers, zeroTiers, 'period_end'],
    ['paid → paid', zeroTiers, paidTiers, 'now'],
  ])(
    'treats a former price with tiers as a paid price, whatever the current tiers are: %s',
    (_name, today, to, moment) => {
      const former = state([item('old_pro_monthly', { billingScheme: 'tiered', unitAmount: null })])
      const changed = tiered({ pro_monthly: today, pro_monthly_gold: to })
      expect(moves([former], changed, gold)).toEqual([['old_pro_monthly', 'p_pro_monthly_gold', 7, moment]])
    },
  )

  test('starts from the scheduled price if the item has one, and the removal of the deal cancels a scheduled deal price', () => {
    const upgrade = state([item('p_seat')], {}, { p_seat: 'p_pro_monthly' })
    expect(moves([upgrade], book(), gold)).toEqual([['p_pro_monthly', 'p_pro_monthly_gold', 7, 'period_end']])
    const inStore = state([item('p_calls', metered)], {}, { p_calls: 'p_calls_gold' })
    expect(planSwaps([inStore], book(), gold)).toEqual({ steps: [], skipped: [] })
    expect(moves([inStore], book(), nothing)).toEqual([['p_calls_gold', 'p_calls', null, 'period_end']])
  })
})

test('a swap of an item whose schedule changes the billing interval leads to the negotiated price with the new interval', () => {
  const yearly = book((config) =>
    config.products[0]?.prices?.push({
      id: 'pro_yearly_gold',
      amount: 8000,
      currency: 'usd',
      interval: 'year',
      enterprise_template: 'gold',
    }),
  )
  const upgrade = state([item('p_pro_monthly')], {}, { p_pro_monthly: 'p_pro_yearly' })
  expect(planSwaps([upgrade], yearly, gold).skipped).toEqual([])
  expect(moves([upgrade], yearly, gold)).toEqual([['p_pro_yearly', 'p_pro_yearly_gold', 7, 'period_end']])
})

describe('an item is not swapped, and the plan contains the reason, if the item', () => {
  test.each<[string, Partial<LivePrice>]>([
    ['interval', { interval: 'year' }],
    ['interval', { intervalCount: 3 }],
    ['usage type', { usageType: 'metered', meter: processorId('m_calls') }],
  ])('has another %s than the price of the deal', (what, change) => {
    expect(reasons([state([item('old_pro_monthly', change)])], book(), gold)[0]).toContain(`another ${what}`)
  })

  test('has another meter, or is billed in another currency', () => {
    const other = item('old_calls', { ...metered, meter: processorId('m_before') })
    expect(reasons([state([other])], book(), gold)[0]).toContain('another meter')
    const abroad = state([item('p_pro_monthly')], { currency: 'eur' })
    expect(reasons([abroad], book(), gold)[0]).toContain('another currency')
    // A price whose own currency is another one, and that is also sold in the subscription's currency.
    const sold = state([item('old_pro_monthly', { currency: 'eur' })])
    expect(moves([sold], book(), gold)).toHaveLength(1)
  })

  test('has a schedule that leads to a former price with another billing interval', () => {
    const fitting = state([item('p_seat')], {}, { p_seat: 'old_pro_monthly' })
    expect(moves([fitting], book(), gold)).toEqual([['old_pro_monthly', 'p_pro_monthly_gold', 7, 'period_end']])
    const yearly = state([item('p_seat', { interval: 'year' })], {}, { p_seat: 'old_pro_monthly' })
    expect(planSwaps([yearly], book(), gold)).toMatchObject({
      steps: [],
      skipped: [{ item: 'si_p_seat', reason: expect.stringContaining('former price of "pro_monthly"') }],
    })
  })

  test('has a currency that the price of the deal lacks, although its scheduled price was sold in several currencies', () => {
    const inEuros = book((config) => {
      Object.assign(priceIn(config, 'pro_monthly_gold'), { currency_options: { eur: { amount: 900 } } })
    })
    const scheduled = state([item('p_seat')], {}, { p_seat: 'p_pro_monthly' })
    expect(moves([scheduled], inEuros, gold)).toEqual([['p_pro_monthly', 'p_pro_monthly_gold', 7, 'period_end']])
    const abroad = state([item('p_seat')], { currency: 'gbp' }, { p_seat: 'p_pro_monthly' })
    expect(moves([abroad], inEuros, gold)).toEqual([])
  })

  test('is on a price without a negotiated price, on a removed price, or on an unmanaged price', () => {
    const [missing, gone, foreign] = reasons(
      [state([item('p_pro_yearly', { interval: 'year' }), item('gone'), item('foreign')])],
      priceBook(negotiated(), [
        {
          kind: 'price',
          configId: configId('pro_yearly'),
          processorId: processorId('p_pro_yearly'),
          sequence: 1,
          revision: 1,
        },
        { kind: 'price', configId: configId('removed'), processorId: processorId('gone'), sequence: 2, revision: 1 },
      ]),
      gold,
    )
    expect(missing).toContain('stands for "pro_yearly"')
    expect(gone).toContain('no longer in the configuration')
    expect(foreign).toContain('not in the configuration')
  })

  test('is on a negotiated price without a base price to return to', () => {
    expect(reasons([state([item('p_lonely')])], lonely, nothing)[0]).toContain('has no base price')
  })

  test('is on a negotiated price whose base is free and has no object at the processor', () => {
    const free = book((config) => {
      priceIn(config, 'pro_monthly').amount = 0
    })
    expect(reasons([state([item('p_pro_monthly_gold')])], free, nothing)[0]).toContain('no object at the processor')
  })

  test('belongs to a subscription that is not billed; the reason is reported only if the item would have been swapped otherwise', () => {
    const unpaid = state([item('p_pro_monthly'), item('p_pro')], { status: 'unpaid' })
    expect(planSwaps([unpaid], book(), gold)).toMatchObject({ steps: [], skipped: [{ price: 'pro_monthly' }] })
  })

  test('would be swapped at the end of a period in which its subscription ends', () => {
    const ending = state([item('p_pro_monthly'), item('p_calls', metered)], { cancelAtPeriodEnd: true })
    expect(moves([ending], book(), gold)).toEqual([['p_pro_monthly', 'p_pro_monthly_gold', 7, 'now']])
    expect(reasons([ending], book(), gold)).toHaveLength(1)
  })

  test('would get the same price as another item of its subscription', () => {
    const both = state([item('p_pro_monthly'), item('old_pro_monthly')])
    expect(planSwaps([both], book(), gold)).toMatchObject({ steps: [], skipped: [{}, {}] })
    const one = state([item('p_pro_monthly_gold'), item('old_pro_monthly')])
    expect(planSwaps([one], book(), gold)).toMatchObject({ steps: [], skipped: [{ item: 'si_old_pro_monthly' }] })
  })

  test('would get the price of another item that is not swapped itself', () => {
    const chain = state([item('p_pro_monthly_gold'), item('p_pro_monthly')])
    expect(planSwaps([chain], book(), nothing)).toMatchObject({
      steps: [],
      skipped: [{ item: 'si_p_pro_monthly_gold' }],
    })
  })
})

describe('a change of a tenant from one deal to another', () => {
  const silver = { kind: 'template', template: 'silver' } as const
  const onGold = () => [state([item('p_pro_monthly_gold'), item('p_seat_gold'), item('old_pro_monthly')])]

  test('skips an item without a price in the new deal as on_other_deal, because its old discount continues', () => {
    const plan = planSwaps([state([item('p_seat_gold'), item('p_seat')])], book(), silver)
    expect(plan.skipped.map(({ item: id, reason, detail }) => [id, reason, detail])).toEqual([
      ['si_p_seat_gold', 'on_other_deal', 'No price of the template "silver" stands for "seat".'],
      ['si_p_seat', 'No price of the template "silver" stands for "seat".', undefined],
    ])
  })

  test('moves an item without a price in the new deal to its base price with unmatched: base, and other items as usual', () => {
    const plan = planSwaps([state([item('p_pro_monthly_gold'), item('p_seat_gold'), item('p_pro')])], book(), silver, {
      unmatched: 'base',
    })
    expect(plan.steps.flatMap(({ moves: all }) => all.map(({ from, to }) => [from, to]))).toEqual([
      ['pro_monthly_gold', 'pro_monthly_silver'],
      ['seat_gold', 'seat'],
    ])
    expect(plan.skipped.map(({ price }) => price)).toEqual(['pro'])
    expect(planSwaps(onGold(), book(), silver, { unmatched: 'base' }).skipped.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('two items cannot share a price'),
      expect.stringContaining('two items cannot share a price'),
    ])
  })

  test('skips an item on a price of the old deal without a base price, with the reason', () => {
    for (const unmatched of ['keep', 'base'] as const)
      expect(planSwaps([state([item('p_lonely')])], lonely, silver, { unmatched }).skipped).toMatchObject([
        { reason: 'on_other_deal', detail: 'The enterprise price "lonely" has no base price.' },
      ])
    // A price of the applied deal does not belong to another deal.
    const own = { kind: 'custom', enterpriseId: 'x' } as const
    expect(reasons([state([item('p_lonely')])], lonely, own)).toEqual([
      'The enterprise price "lonely" has no base price.',
    ])
  })
})
