// Builders of mirrored objects for tests.
import { processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import type {
  MirroredCustomer,
  MirroredInvoice,
  MirroredItem,
  MirroredPrice,
  MirroredPurchase,
  MirroredRefund,
  MirroredSubscription,
} from '../../../packages/ratecard/src/processor/mirrored.ts'

export function newItem(id: string, price: string, change: Partial<MirroredItem> = {}): MirroredItem {
  return {
    id,
    price: {
      id: processorId(price),
      product: processorId(`prod_of_${price}`),
      active: true,
      currency: 'usd',
      interval: 'month',
      intervalCount: 1,
      usageType: 'licensed',
      meter: null,
      billingScheme: 'per_unit',
      unitAmount: '1000',
      transformQuantity: null,
    },
    quantity: 1,
    currentPeriodStart: 1000,
    currentPeriodEnd: 2000,
    discounts: [],
    inclusiveTaxPercent: '0',
    ...change,
  }
}

export function newSubscription(id: string, change: Partial<MirroredSubscription> = {}): MirroredSubscription {
  return {
    id,
    customer: processorId('cus_1'),
    status: 'active',
    currency: 'usd',
    items: [newItem(`si_${id}`, 'price_1')],
    schedule: null,
    cancelAtPeriodEnd: false,
    trialStart: null,
    trialEnd: null,
    createdAt: 1000,
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
}

export function newInvoice(id: string, change: Partial<MirroredInvoice> = {}): MirroredInvoice {
  return {
    id,
    number: `N-${id}`,
    customer: processorId('cus_1'),
    subscription: null,
    status: 'paid',
    billingReason: 'manual',
    currency: 'usd',
    createdAt: 1000,
    finalizedAt: 2000,
    dueAt: null,
    paidAt: null,
    subtotal: 1000,
    discount: 0,
    tax: 0,
    total: 1000,
    amountDue: 1000,
    amountPaid: 1000,
    amountRemaining: 0,
    attemptCount: 1,
    nextAttemptAt: null,
    url: null,
    payments: [],
    lines: [],
    ...change,
  }
}

export function newPurchase(id: string, change: Partial<MirroredPurchase> = {}): MirroredPurchase {
  return {
    id,
    customer: processorId('cus_1'),
    currency: 'usd',
    createdAt: 1000,
    paidAt: 2000,
    invoice: null,
    payment: `pi_of_${id}`,
    subtotal: 1000,
    discount: 0,
    tax: 0,
    taxIncluded: 0,
    total: 1000,
    lines: [],
    ...change,
  }
}

export function newRefund(id: string, change: Partial<MirroredRefund> = {}): MirroredRefund {
  return {
    id,
    payments: [],
    customer: processorId('cus_1'),
    currency: 'usd',
    amount: 100,
    status: 'succeeded',
    createdAt: 3000,
    ...change,
  }
}

export function newMirroredPrice(id: string, change: Partial<MirroredPrice> = {}): MirroredPrice {
  return {
    id: processorId(id),
    product: processorId(`prod_of_${id}`),
    currency: 'usd',
    interval: 'month',
    intervalCount: 1,
    usageType: 'licensed',
    tiersMode: null,
    transformQuantity: null,
    amounts: { usd: { unitAmount: '1000', tiers: null } },
    ...change,
  }
}

export function newMirroredCustomer(id: string, change: Partial<MirroredCustomer> = {}): MirroredCustomer {
  return { id: processorId(id), balance: {}, deleted: false, tenant: null, testClock: null, discount: null, ...change }
}
