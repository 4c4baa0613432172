import { describe, expect, test } from 'vitest'
import { standingOf } from '../../../../packages/ratecard/src/customers/mirror/sums/standing.ts'
import type {
  MirroredInvoice,
  MirroredPrice,
  MirroredSubscription,
} from '../../../../packages/ratecard/src/processor/mirrored.ts'
import { customer, day, discount, invoice, invoiceLine, item, price, start, subscription } from './facts.ts'

const seats = price('price_seats')
const calls = price('price_calls', { usageType: 'metered' })

interface Given {
  readonly subscriptions?: readonly MirroredSubscription[]
  readonly invoices?: readonly MirroredInvoice[]
  readonly prices?: readonly MirroredPrice[]
}
function standing({ subscriptions = [], invoices = [], prices = [seats, calls] }: Given) {
  const known = new Map(prices.map((one) => [one.id, one]))
  return standingOf({ customer: customer(), subscriptions, invoices, prices: known })
}

describe('the billing summary of a customer', () => {
  test('has no status and no amounts without a running subscription', () => {
    expect(standing({ subscriptions: [subscription([item(seats)], { status: 'canceled' })] })).toMatchObject({
      ...{ billingStatus: null, monthly: {}, owed: {}, writtenOff: {}, items: [] },
    })
  })

  test('has the most urgent status of the subscriptions, and the sum of their MRR by currency', () => {
    const yearly = price('price_y', { interval: 'year' }, '100')
    const inEuro = price('price_e', { currency: 'eur', amounts: { eur: { unitAmount: '1', tiers: null } } })
    const subscriptions = [
      subscription([item(seats)], { id: 'sub_1' }),
      subscription([item(yearly)], { id: 'sub_2', status: 'past_due' }),
      subscription([item(inEuro)], { id: 'sub_3', currency: 'eur' }),
    ]
    expect(standing({ subscriptions, prices: [seats, yearly, inEuro] })).toMatchObject({
      billingStatus: 'past_due',
      monthly: { usd: '1008.333333333333', eur: '1' },
    })
  })

  test('adds up open invoices as owed, including manual ones, and adds up uncollectible ones separately', () => {
    const invoices = [
      invoice({ amountRemaining: 700 }),
      invoice({ subscription: null, billingReason: 'manual', amountRemaining: 300 }),
      invoice({ currency: 'eur', amountRemaining: 5 }),
      invoice({ status: 'uncollectible', amountRemaining: 90 }),
      invoice({ status: 'draft' }),
      invoice({ status: 'void' }),
      invoice({ status: 'paid', amountRemaining: 0 }),
    ]
    expect(standing({ subscriptions: [subscription([item(seats)])], invoices })).toMatchObject({
      owed: { usd: 1000, eur: 5 },
      writtenOff: { usd: 90 },
    })
  })

  test('does not count the first invoice of a subscription that never started as owed', () => {
    for (const status of ['incomplete', 'incomplete_expired'] as const)
      expect(
        standing({ subscriptions: [subscription([item(seats)], { status })], invoices: [invoice()] }).owed,
      ).toEqual({})
  })

  test('counts open invoices of ended subscriptions as owed', () => {
    const ended = subscription([item(seats)], { status: 'canceled' })
    expect(standing({ subscriptions: [ended], invoices: [invoice()] }).owed).toEqual({ usd: 1000 })
  })

  test('contains the usage amount of the last finished period’s invoices, over all tiers, after discounts and without tax', () => {
    const metered = subscription([item(calls, null)])
    const line = (periodEnd: number, amount: number, off = 0, inclusiveTax = 0) =>
      invoiceLine({ subscriptionItem: 'si_price_calls', amount, discount: off, inclusiveTax, periodEnd })
    const invoices = [
      invoice({ status: 'paid', lines: [line(start, 500, 50), line(start, 310, 0, 60)] }),
      invoice({ status: 'paid', lines: [line(start - 30 * day, 9000)] }),
      invoice({ status: 'void', lines: [line(start, 10)] }),
    ]
    expect(standing({ subscriptions: [metered], invoices }).items).toMatchObject([
      { monthly: '0', usageLastPeriod: 700, counts: true },
    ])
    const trial = { ...metered, status: 'trialing' } as const
    expect(standing({ subscriptions: [trial], invoices }).items).toMatchObject([{ usageLastPeriod: 0, counts: false }])
  })

  test('contains amounts after the discount of the customer', () => {
    const facts = { subscriptions: [subscription([item(seats)])], invoices: [], prices: new Map([[seats.id, seats]]) }
    const half = customer({ discount: discount({ percentOff: '50' }) })
    expect(standingOf({ ...facts, customer: half }).monthly).toEqual({ usd: '500' })
  })
})
