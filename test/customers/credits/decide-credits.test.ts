import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newPurchase } from '../../store/suite/mirror-records.ts'
import { processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import {
  creditPaidFor,
  creditsOf,
  paymentOfInvoice,
  paymentOfPurchase,
  type CreditTerms,
} from '../../../packages/ratecard/src/customers/credits/decide-credits.ts'
import type { MirroredInvoice, MirroredInvoiceLine } from '../../../packages/ratecard/src/processor/mirrored.ts'

const day = 86_400_000
const paidAt = Date.UTC(2026, 10, 10)
const customer = processorId('cus_1')
const line = (price: string | null, more: Partial<MirroredInvoiceLine> = {}): MirroredInvoiceLine => ({
  ...{ description: null, subscriptionItem: null, discount: 0, inclusiveTax: 0, proration: false },
  ...{ price: price === null ? null : processorId(price), quantity: 1, amount: 100, periodStart: 0, periodEnd: 0 },
  ...more,
})
const invoice = (more: Partial<MirroredInvoice>): MirroredInvoice => ({
  ...{ id: 'in_1', number: null, customer, subscription: 'sub_1', status: 'paid', billingReason: null },
  ...{ currency: 'usd', createdAt: paidAt - 2 * day, finalizedAt: paidAt - day, dueAt: null, paidAt },
  ...{ subtotal: 0, discount: 0, tax: 0, total: 0, amountDue: 0, amountPaid: 0, amountRemaining: 0 },
  ...{ attemptCount: 0, nextAttemptAt: null, url: null, payments: [], lines: [] },
  ...more,
})
const terms = (more: Partial<CreditTerms> = {}): CreditTerms => ({
  ...{ priceId: 'plan', amount: 500, currency: 'usd', expiresAfterDays: null, prices: null },
  ...more,
})

describe('the purchase that a paid invoice represents', () => {
  test('consists of the invoice’s lines by price after discounts, without lines of amount zero or without a price; prorations are what it takes back', () => {
    const lines = [
      line('price_a', { quantity: 2 }),
      line('price_b', { amount: 0 }),
      line('price_c', { proration: true, amount: -70 }),
      line('price_c', { proration: true, amount: 20 }),
      line(null),
      line('price_a', { quantity: 3, amount: 300, discount: 60 }),
      line('price_d', { quantity: null }),
    ]
    expect(paymentOfInvoice(invoice({ lines }))).toEqual({
      ...{ id: 'in_1', customer, subscription: 'sub_1', soldAt: paidAt - day, paidAt },
      lines: [
        { price: 'price_a', quantity: 5, amount: 340 },
        { price: 'price_d', quantity: 1, amount: 100 },
      ],
      takenBack: [{ price: 'price_c', amount: 50 }],
    })
  })

  test('is empty if the invoice is not paid or has no customer', () => {
    for (const status of ['draft', 'open', 'uncollectible', 'void'] as const)
      expect(paymentOfInvoice(invoice({ status }))).toBeNull()
    expect(paymentOfInvoice(invoice({ customer: null }))).toBeNull()
  })
})

test('a purchase that has an invoice grants no credits itself, because its invoice grants them', () => {
  const purchase = {
    ...newPurchase('cs_1', { customer, createdAt: paidAt - day, paidAt }),
    lines: [{ price: processorId('price_a'), quantity: 2, amount: 200 }],
  }
  expect(paymentOfPurchase(purchase)).toMatchObject({ soldAt: paidAt - day, paidAt })
  expect(paymentOfPurchase(purchase)?.lines).toEqual([{ price: 'price_a', quantity: 2, amount: 200 }])
  expect(paymentOfPurchase({ ...purchase, invoice: 'in_1' })).toBeNull()
  expect(paymentOfPurchase({ ...purchase, customer: null })).toBeNull()
})

describe('the credits that a payment grants', () => {
  const price = processorId('price_a')
  const payment = {
    id: 'in_1',
    customer,
    subscription: null,
    soldAt: paidAt,
    paidAt,
    lines: [{ price, quantity: 3, amount: 300 }],
    takenBack: [],
  }
  const nothing = () => 0

  test('have the amount of the price for each unit, and expire the configured number of days after the payment', () => {
    expect(creditsOf(payment, new Map([[price, terms({ expiresAfterDays: 30 })]]), paidAt + day, nothing)).toEqual([
      {
        ...{ customer, priceId: 'plan', currency: 'usd', amount: 1500, category: 'paid', prices: null },
        ...{ name: 'Credit of plan', source: 'in_1/price_a', expiresAt: paidAt + 30 * day },
      },
    ])
  })

  test('are absent for a price without credit, and for a payment so old that its credit would have expired', () => {
    expect(creditsOf(payment, new Map(), paidAt, nothing)).toEqual([])
    const short = new Map([[price, terms({ expiresAfterDays: 1 })]])
    expect(creditsOf(payment, short, paidAt + day - 1, nothing)).toHaveLength(1)
    expect(creditsOf(payment, short, paidAt + day, nothing)).toEqual([])
  })

  test.each([
    ['nothing is taken back', 500, 12_000, 0, 500],
    ['more is charged by prorations than taken back', 500, 12_000, -300, 500],
    ['a part is taken back: rounded down', 5000, 12_000, 1000, 4583],
    ['as much is taken back as the line costs', 500, 1000, 1000, 0],
    ['more is taken back, so that the invoice is negative', 500, 1000, 11_000, 0],
    ['the amounts are large', 900_000_000_000, 999_999_999, 1, 899_999_999_099],
    ['the line is free after its discounts', 500, 0, 0, 500],
  ])('are in proportion to what the payment is for if %s', (_case, credit, amount, takenBack, granted) => {
    const one = { ...payment, lines: [{ price, quantity: 1, amount }] }
    const all = creditsOf(one, new Map([[price, terms({ amount: credit })]]), paidAt, () => takenBack)
    expect(all.map((each) => each.amount)).toEqual(granted === 0 ? [] : [granted])
  })

  test('never exceed what is paid for, for any payment', () => {
    const amounts = fc.integer({ min: 1, max: 1_000_000_000 })
    fc.assert(
      fc.property(amounts, amounts, amounts, (credit, line, takenBack) => {
        const granted = creditPaidFor(credit, line, takenBack)
        expect(granted).toBeGreaterThanOrEqual(0)
        expect(BigInt(granted) * BigInt(line)).toBeLessThanOrEqual(
          BigInt(credit) * BigInt(Math.max(0, line - takenBack)),
        )
      }),
    )
  })
})
