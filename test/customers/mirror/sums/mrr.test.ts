import { describe, expect, test } from 'vitest'
import { processorId } from '../../../../packages/ratecard/src/catalog/resource.ts'
import { fractionText } from '../../../../packages/ratecard/src/base/money/fraction.ts'
import { revenueOf } from '../../../../packages/ratecard/src/customers/mirror/sums/mrr.ts'
import type {
  MirroredInvoice,
  MirroredPrice,
  MirroredSubscription,
} from '../../../../packages/ratecard/src/processor/mirrored.ts'
import { day, discount, invoice, invoiceLine, item, price, start, subscription } from './facts.ts'

function monthly(of: MirroredSubscription, prices: readonly MirroredPrice[] = [], customerDiscount = ofNobody) {
  return revenueOf(of, { ...facts(prices), customerDiscount }).map((one) => fractionText(one.monthly))
}
const facts = (prices: readonly MirroredPrice[], invoices: readonly MirroredInvoice[] = []) => ({
  prices: new Map(prices.map((one) => [one.id, one])),
  customerDiscount: ofNobody,
  invoices,
})
const ofNobody = null as ReturnType<typeof discount> | null

describe('the monthly recurring revenue (MRR) of a subscription', () => {
  test.each([
    ['month', 1, '1000'],
    ['month', 3, '1000/3'],
    ['year', 1, '250/3'],
    ['week', 1, '13000/3'],
    ['week', 2, '6500/3'],
    ['day', 1, '91250/3'],
  ] as const)('is, for a price of 1000 each %s × %i: %s', (interval, intervalCount, expected) => {
    const sold = price('price_1', { interval, intervalCount })
    expect(monthly(subscription([item(sold)]), [sold])).toEqual([expected])
  })

  test('is zero unless the subscription is active or past due', () => {
    const sold = price('price_1')
    const counting = (
      ['incomplete', 'incomplete_expired', 'trialing', 'active', 'past_due', 'canceled', 'unpaid', 'paused'] as const
    ).filter((status) => monthly(subscription([item(sold)], { status }), [sold]).length > 0)
    expect(counting).toEqual(['active', 'past_due'])
  })

  test('is zero while collection is paused, whatever happens to the invoices', () => {
    const sold = price('price_1')
    for (const behavior of ['void', 'keep_as_draft', 'mark_uncollectible'])
      expect(monthly(subscription([item(sold)], { paused: { behavior, resumesAt: null } }), [sold])).toEqual([])
  })

  test('counts metered items as zero', () => {
    const [seats, calls] = [price('price_seats'), price('price_calls', { usageType: 'metered' })]
    expect(monthly(subscription([item(seats, 3), item(calls, null)]), [seats, calls])).toEqual(['3000', '0'])
  })

  test('is calculated with tiers and packages like an invoice, in the currency of the subscription', () => {
    const tiers = [
      { upTo: 5, unitAmount: '1200', flatAmount: '600' },
      { upTo: null, unitAmount: '600', flatAmount: null },
    ]
    const graduated = price('price_g', { tiersMode: 'graduated', amounts: { eur: { unitAmount: null, tiers } } })
    const volume = price('price_v', { tiersMode: 'volume', amounts: { eur: { unitAmount: null, tiers } } })
    const packages = price('price_p', {
      transformQuantity: { divideBy: 100, round: 'up' },
      amounts: { eur: { unitAmount: '0.5', tiers: null } },
    })
    const sold = subscription([item(graduated, 7), item(volume, 7), item(packages, 250)], { currency: 'eur' })
    expect(monthly(sold, [graduated, volume, packages])).toEqual(['7800', '4200', '3/2'])
  })

  test('uses the amount of the item while its price is unknown', () => {
    expect(monthly(subscription([item(price('price_1'), 2)]))).toEqual(['2000'])
  })

  describe('with discounts:', () => {
    const [a, b] = [price('price_a'), price('price_b', {}, '3000')]

    test('the MRR ignores discounts with an end, and subtracts discounts that last forever', () => {
      for (const duration of ['once', 'repeating', 'forever'] as const) {
        const off = discount({ percentOff: '12.5', duration })
        expect(monthly(subscription([item(a)], { discounts: [off] }), [a])).toEqual([
          duration === 'forever' ? '875' : '1000',
        ])
      }
    })

    test('the MRR applies discounts in order, each to the amount after the previous discount', () => {
      const tenth = discount({ id: 'di_2', percentOff: '10' })
      const amount = discount({ amountOff: { usd: 500 } })
      expect(monthly(subscription([item(a)], { discounts: [tenth, amount] }), [a])).toEqual(['400'])
      expect(monthly(subscription([item(a)], { discounts: [amount, tenth] }), [a])).toEqual(['450'])
    })

    test('the MRR splits a fixed discount over the items in proportion, and never falls below zero', () => {
      const of = (usd: number) => subscription([item(a), item(b)], { discounts: [discount({ amountOff: { usd } })] })
      expect(monthly(of(1000), [a, b])).toEqual(['750', '2250'])
      expect(monthly(of(9000), [a, b])).toEqual(['0', '0'])
    })

    test('the MRR ignores a fixed discount if its coupon has no amount in the currency of the subscription', () => {
      const off = discount({ amountOff: { eur: 500 } })
      expect(monthly(subscription([item(a)], { discounts: [off] }), [a])).toEqual(['1000'])
    })

    test('the MRR applies a coupon to the coupon’s products only', () => {
      const off = discount({ percentOff: '50', products: [processorId('prod_price_b')] })
      expect(monthly(subscription([item(a), item(b)], { discounts: [off] }), [a, b])).toEqual(['1000', '1500'])
    })

    test('the MRR applies the discounts of an item to that item only, before the discounts of the subscription', () => {
      const ofItem = discount({ amountOff: { usd: 500 } })
      const half = discount({ percentOff: '50' })
      const sold = subscription([item(a, 1, [ofItem]), item(b)], { discounts: [half] })
      expect(monthly(sold, [a, b])).toEqual(['250', '1500'])
    })

    test('the MRR uses the discount of the customer only if the subscription has no discount', () => {
      const half = discount({ percentOff: '50' })
      const tenth = discount({ percentOff: '10' })
      expect(monthly(subscription([item(a)]), [a], half)).toEqual(['500'])
      expect(monthly(subscription([item(a)], { discounts: [tenth] }), [a], half)).toEqual(['900'])
    })

    test('the MRR subtracts a fixed discount once per invoice, so that a yearly price is reduced by one twelfth of the discount per month', () => {
      const yearly = price('price_y', { interval: 'year' }, '12000')
      const off = discount({ amountOff: { usd: 600 } })
      expect(monthly(subscription([item(yearly)], { discounts: [off] }), [yearly])).toEqual(['950'])
      expect(monthly(subscription([item(yearly), item(a)], { discounts: [off] }), [yearly, a])).toEqual(['1000', '400'])
    })
  })
})

describe('the monthly recurring revenue (MRR) of an amount that contains tax', () => {
  const sold = price('price_1', {}, '1190')

  test('excludes the tax rates of the item, after discounts', () => {
    const taxed = { ...item(sold, 2), inclusiveTaxPercent: '19' }
    expect(monthly(subscription([taxed]), [sold])).toEqual(['2000'])
    const half = discount({ percentOff: '50' })
    expect(monthly(subscription([taxed], { discounts: [half] }), [sold])).toEqual(['1000'])
    expect(monthly(subscription([{ ...taxed, inclusiveTaxPercent: '7.5' }]), [sold])).toEqual(['95200/43'])
  })

  const billed = (periodEnd: number, inclusiveTax: number, change = {}) =>
    invoice({
      finalizedAt: start,
      lines: [invoiceLine({ subscriptionItem: 'si_price_1', amount: 1190, inclusiveTax, periodEnd, ...change })],
    })
  const net = (invoices: readonly MirroredInvoice[], automaticTax = true) =>
    revenueOf(subscription([item(sold)], { automaticTax }), facts([sold], invoices)).map((one) =>
      fractionText(one.monthly),
    )

  test('excludes the tax share of the last billed period if the processor computes taxes', () => {
    expect(net([billed(start, 95), billed(start + 30 * day, 190)])).toEqual(['1000'])
    expect(net([billed(start, 190), billed(start + 30 * day, 0)])).toEqual(['1190'])
    expect(net([billed(start, 190), billed(start + 30 * day, 600, { proration: true })])).toEqual(['1000'])
  })

  test('is the full amount if no period was billed yet, or if the processor no longer computes taxes', () => {
    expect(net([])).toEqual(['1190'])
    expect(net([billed(start, 190)], false)).toEqual(['1190'])
  })
})
