import type { EnterpriseOutcome, SubscriptionItem, TenantSubscriptions, UpcomingInvoice } from '@ratecard/client'
import { describe, expect, it } from 'vitest'
import { dealLines, dealMoney } from '../../packages/dashboard/src/amounts/deal.ts'

const renewal = '2026-12-01T00:00:00.000Z'
const item = (changes: Partial<SubscriptionItem> = {}): SubscriptionItem => ({
  id: 'si_1',
  priceId: 'pro',
  processorPriceId: 'price_old',
  quantity: 3,
  legacy: true,
  usageType: 'licensed',
  currentPeriodEnd: renewal,
  scheduledPriceId: null,
  ...changes,
})
const line = (amount: number, changes: Partial<UpcomingInvoice['lines'][number]> = {}) => ({
  description: null,
  priceId: 'pro',
  processorPriceId: 'price_old',
  quantity: 3,
  amount,
  periodStart: renewal,
  periodEnd: '2027-01-01T00:00:00.000Z',
  ...changes,
})
const swap: EnterpriseOutcome['swaps'][number] = {
  subscription: 'sub_1',
  item: 'si_1',
  from: 'pro',
  to: 'pro_gold',
  effective: 'now',
}
const products = [
  {
    id: 'pro',
    name: 'Pro',
    prices: [
      { id: 'pro', amount: 1500, currency: 'usd', interval: 'month' },
      { id: 'pro_gold', amount: 1000, currency: 'usd', interval: 'month' },
    ],
  },
] as const

const subscriptionOf = (items: SubscriptionItem[]): TenantSubscriptions['subscriptions'][number] => ({
  id: 'sub_1',
  home: 'processor',
  status: 'active',
  currency: 'usd',
  cancelAtPeriodEnd: false,
  cancelAt: null,
  pause: null,
  scheduled: null,
  trialEnd: null,
  createdAt: renewal,
  duplicateOf: null,
  items,
})
const documentOf = () => ({ products: products.map((product) => ({ ...product, prices: [...product.prices] })) })

function moneyOf(on: SubscriptionItem, lines: readonly ReturnType<typeof line>[], from = 'pro') {
  const subscription = subscriptionOf([on])
  const invoice = {
    ...{ subscription: 'sub_1', currency: 'usd', subtotal: 0, total: 0, amountDue: 0, creditsApplied: 0 },
    ...{ dueAt: renewal, formatted: '', balance: 0, balanceApplied: 0 },
    lines: [...lines],
  }
  const [found] = dealLines({ swaps: [{ ...swap, from }] }, { subscriptions: [subscription] }, documentOf(), {
    invoices: [invoice],
  })
  return [found?.before, found?.after]
}

describe('the amounts before and after a deal', () => {
  it('are calculated by the price list if it contains the item’s price', () => {
    expect(moneyOf(item({ legacy: false }), [])).toEqual([4500, 3000])
  })

  it('include the amount before from the invoice preview if the item’s price was replaced or is unmanaged', () => {
    expect(moneyOf(item(), [line(3600)])).toEqual([3600, 3000])
    expect(moneyOf(item({ legacy: false, priceId: null }), [line(3600)], 'price_old')).toEqual([3600, 3000])
    // A tiered price has several lines.
    expect(moneyOf(item(), [line(2000), line(1600)])).toEqual([3600, 3000])
  })

  it('exclude prorations of the current period and lines of other prices', () => {
    const before = { periodStart: '2026-11-15T00:00:00.000Z', periodEnd: renewal }
    expect(moneyOf(item(), [line(-500, before), line(3600), line(99, { processorPriceId: 'price_other' })])).toEqual([
      3600, 3000,
    ])
  })

  it('are unknown for metered items, and the amount before is unknown if the invoice preview has no line', () => {
    expect(moneyOf(item(), [])).toEqual([null, 3000])
    expect(moneyOf(item({ quantity: null }), [line(3600)])).toEqual([null, null])
  })
})

describe('the dry run of a deal whose invoice preview fails', () => {
  const onList = item({ id: 'si_2', legacy: false })
  const outcome = { swaps: [swap, { ...swap, item: 'si_2' }] }
  const failing = () => Promise.reject(new Error('the processor is down'))

  it('still shows the price swaps, and contains the reason why the amounts before are unknown for replaced prices', async () => {
    const subscriptions = [subscriptionOf([item(), onList])]
    const { lines, unknown } = await dealMoney(outcome, { subscriptions }, documentOf(), failing)
    expect(lines.map(({ before, after }) => [before, after])).toEqual([
      [null, 3000],
      [4500, 3000],
    ])
    expect(unknown?.message).toContain('the processor is down')
  })

  it('requests no invoice preview if no item needs one', async () => {
    let asked = 0
    const preview = () => {
      asked += 1
      return failing()
    }
    for (const on of [item({ legacy: false }), item({ quantity: null }), item({ currentPeriodEnd: null })]) {
      const subscriptions = [subscriptionOf([on])]
      expect((await dealMoney({ swaps: [swap] }, { subscriptions }, documentOf(), preview)).unknown).toBeNull()
    }
    expect(asked).toBe(0)
    await dealMoney({ swaps: [swap] }, { subscriptions: [subscriptionOf([item()])] }, documentOf(), preview)
    expect(asked).toBe(1)
  })
})
