// Builds mirrored objects for unit tests of the sums.
import { processorId } from '../../../../packages/ratecard/src/catalog/resource.ts'
import type {
  MirroredCustomer,
  MirroredDiscount,
  MirroredInvoice,
  MirroredInvoiceLine,
  MirroredItem,
  MirroredPrice,
  MirroredSubscription,
} from '../../../../packages/ratecard/src/processor/mirrored.ts'

export const day = 86_400_000
export const start = Date.UTC(2026, 0, 1)

export function price(id: string, change: Partial<MirroredPrice> = {}, unitAmount: string | null = '1000') {
  const made: MirroredPrice = {
    id: processorId(id),
    product: processorId(`prod_${id}`),
    currency: 'usd',
    interval: 'month',
    intervalCount: 1,
    usageType: 'licensed',
    tiersMode: null,
    transformQuantity: null,
    amounts: { usd: { unitAmount, tiers: null } },
    ...change,
  }
  return made
}

export function item(of: MirroredPrice, quantity: number | null = 1, discounts: readonly MirroredDiscount[] = []) {
  const { id, product, currency, interval, intervalCount, usageType, transformQuantity } = of
  const made: MirroredItem = {
    id: `si_${id}`,
    price: {
      ...{ id, product, currency, interval, intervalCount, usageType, transformQuantity },
      active: true,
      meter: usageType === 'metered' ? processorId('mtr_1') : null,
      billingScheme: of.tiersMode === null ? 'per_unit' : 'tiered',
      unitAmount: of.amounts[currency]?.unitAmount ?? null,
    },
    quantity,
    currentPeriodStart: start,
    currentPeriodEnd: start + 30 * day,
    discounts,
    inclusiveTaxPercent: '0',
  }
  return made
}

export function subscription(items: readonly MirroredItem[], change: Partial<MirroredSubscription> = {}) {
  const made: MirroredSubscription = {
    id: 'sub_1',
    customer: processorId('cus_1'),
    status: 'active',
    currency: 'usd',
    items,
    schedule: null,
    cancelAtPeriodEnd: false,
    trialStart: null,
    trialEnd: null,
    createdAt: start,
    soldPriceIds: [],
    taxRates: [],
    allowsDuplicate: false,
    ends: [],
    discounts: [],
    automaticTax: false,
    collectionMethod: 'charge_automatically',
    paused: null,
    cancelAt: null,
    canceledAt: null,
    endedAt: null,
    scheduled: [],
    testClock: null,
    ...change,
  }
  return made
}

export function discount(change: Partial<MirroredDiscount>): MirroredDiscount {
  return {
    id: 'di_1',
    coupon: processorId('coupon_1'),
    duration: 'forever',
    percentOff: null,
    amountOff: {},
    products: null,
    endsAt: null,
    ...change,
  }
}

export function invoice(change: Partial<MirroredInvoice> = {}): MirroredInvoice {
  return {
    id: 'in_1',
    number: 'A-1',
    customer: processorId('cus_1'),
    subscription: 'sub_1',
    status: 'open',
    billingReason: 'subscription_cycle',
    currency: 'usd',
    createdAt: start,
    finalizedAt: start,
    dueAt: null,
    paidAt: null,
    subtotal: 1000,
    discount: 0,
    tax: 0,
    total: 1000,
    amountDue: 1000,
    amountPaid: 0,
    amountRemaining: 1000,
    attemptCount: 1,
    nextAttemptAt: null,
    url: null,
    payments: [],
    lines: [],
    ...change,
  }
}

export function invoiceLine(change: Partial<MirroredInvoiceLine> = {}): MirroredInvoiceLine {
  const { periodEnd = start } = change
  return {
    description: null,
    price: null,
    subscriptionItem: null,
    quantity: 1,
    amount: 1000,
    discount: 0,
    inclusiveTax: 0,
    proration: false,
    periodStart: periodEnd - 30 * day,
    periodEnd,
    ...change,
  }
}

export function customer(change: Partial<MirroredCustomer> = {}): MirroredCustomer {
  return {
    id: processorId('cus_1'),
    balance: {},
    deleted: false,
    tenant: null,
    testClock: null,
    discount: null,
    ...change,
  }
}
