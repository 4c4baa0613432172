import { describe, expect, test } from 'vitest'
import { processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import {
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
  test('consists of the invoice’s lines by price, without prorations, lines with amount zero and lines without a price', () => {
    const lines = [
      line('price_a', { quantity: 2 }),
      line('price_b', { amount: 0 }),
      line('price_c', { proration: true }),
      line(null),
      line('price_a', { quantity: 3 }),
      line('price_d', { quantity: null }),
    ]
    expect(paymentOfInvoice(invoice({ lines }))).toEqual({
      ...{ id: 'in_1', customer, soldAt: paidAt - day, paidAt },
      lines: [
        { price: 'price_a', quantity: 5 },
        { price: 'price_d', quantity: 1 },
      ],
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
    ...{ id: 'cs_1', customer, currency: 'usd', createdAt: paidAt, invoice: null },
    lines: [{ price: processorId('price_a'), quantity: 2, amount: 200 }],
  }
  expect(paymentOfPurchase(purchase)?.lines).toEqual([{ price: 'price_a', quantity: 2 }])
  expect(paymentOfPurchase({ ...purchase, invoice: 'in_1' })).toBeNull()
  expect(paymentOfPurchase({ ...purchase, customer: null })).toBeNull()
})

describe('the credits that a payment grants', () => {
  const price = processorId('price_a')
  const payment = { id: 'in_1', customer, soldAt: paidAt, paidAt, lines: [{ price, quantity: 3 }] }

  test('have the amount of the price for each unit, and expire the configured number of days after the payment', () => {
    expect(creditsOf(payment, new Map([[price, terms({ expiresAfterDays: 30 })]]), paidAt + day)).toEqual([
      {
        ...{ customer, priceId: 'plan', currency: 'usd', amount: 1500, category: 'paid', prices: null },
        ...{ name: 'Credit of plan', source: 'in_1/price_a', expiresAt: paidAt + 30 * day },
      },
    ])
  })

  test('are absent for a price without credit, and for a payment so old that its credit would have expired', () => {
    expect(creditsOf(payment, new Map(), paidAt)).toEqual([])
    const short = new Map([[price, terms({ expiresAfterDays: 1 })]])
    expect(creditsOf(payment, short, paidAt + day - 1)).toHaveLength(1)
    expect(creditsOf(payment, short, paidAt + day)).toEqual([])
  })
})
