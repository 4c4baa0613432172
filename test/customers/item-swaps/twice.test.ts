import { describe, expect, test } from 'vitest'
import { processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { LiveSubscription, SubscriptionStatus } from '../../../packages/ratecard/src/processor/customer-half.ts'
import type { SoldItem, SoldItemOf } from '../../../packages/ratecard/src/customers/item-swaps/sold-items.ts'
import {
  duplicatesAmong,
  excludes,
  subscriptionBeside,
} from '../../../packages/ratecard/src/customers/item-swaps/duplicate-subscriptions.ts'

const sold = (priceId: string, product: string, more: Partial<SoldItem> & { group?: string } = {}): SoldItem => {
  const { group = null, ...rest } = more
  return { priceId, name: priceId, product: { id: product, group }, meter: null, ...rest }
}
const items = new Map(
  [
    sold('team_monthly', 'team', { group: 'plan' }),
    sold('team_yearly', 'team', { group: 'plan' }),
    sold('team_calls', 'team', { group: 'plan', meter: 'calls' }),
    sold('team_mails', 'team', { group: 'plan', meter: 'mails' }),
    sold('business', 'business', { group: 'plan' }),
    sold('business_calls', 'business', { group: 'plan', meter: 'calls' }),
    sold('storage', 'storage'),
    sold('backup', 'backup'),
  ].map((item) => [item.name, item]),
)
const of = (name: string): SoldItem => {
  const found = items.get(name)
  if (found === undefined) throw new Error(`no item ${name}`)
  return found
}
/** The processor price of an item has the same name as the item. Prices with other names belong to unmanaged products. */
const soldItem: SoldItemOf = ({ price }) => items.get(price.id) ?? null

function subscription(id: string, names: readonly string[], more: Partial<LiveSubscription> = {}): LiveSubscription {
  return {
    ...{ id, customer: processorId('cus'), status: 'active', currency: 'usd', schedule: null, ends: [], createdAt: 0 },
    ...{
      cancelAtPeriodEnd: false,
      trialStart: null,
      trialEnd: null,
      soldPriceIds: [],
      taxRates: [],
      allowsDuplicate: false,
    },
    ...{
      cancelAt: null,
      canceledAt: null,
      endedAt: null,
      paused: null,
      collectionMethod: 'charge_automatically',
      testClock: null,
    },
    items: names.map((name) => ({
      ...{ id: `si_${name}`, quantity: 1, currentPeriodStart: 0, currentPeriodEnd: 1000 },
      price: {
        ...{ id: processorId(name), product: null, active: true, currency: 'usd', interval: 'month', intervalCount: 1 },
        ...{ usageType: 'licensed', meter: null, billingScheme: 'per_unit', unitAmount: '1', transformQuantity: null },
      },
    })),
    ...more,
  }
}

describe('two items that could be sold to one tenant', () => {
  test.each([
    ['team_monthly', 'team_monthly', true],
    ['team_monthly', 'team_yearly', true],
    ['team_monthly', 'business', true],
    ['team_monthly', 'business_calls', true],
    ['team_calls', 'business_calls', true],
    ['team_calls', 'team_calls', true],
    ['team_monthly', 'team_calls', false],
    ['team_calls', 'team_mails', false],
    ['team_monthly', 'storage', false],
    ['storage', 'backup', false],
  ])('on %s and %s exclude each other: %s', (a, b, result) => {
    expect([excludes(of(a), of(b)), excludes(of(b), of(a))]).toEqual([result, result])
  })
})

describe('an existing subscription of the tenant', () => {
  const states: readonly [SubscriptionStatus, boolean][] = [
    ['active', true],
    ['trialing', true],
    ['past_due', true],
    ['unpaid', true],
    ['paused', true],
    ['incomplete', false],
    ['incomplete_expired', false],
    ['canceled', false],
  ]
  test.each(states)('with the status %s prevents a second subscription of its group: %s', (status, result) => {
    const present = subscription('sub_1', ['team_monthly'], { status })
    const found = subscriptionBeside(of('business'), [present], soldItem)
    expect(found).toEqual(result ? { subscription: 'sub_1', item: of('team_monthly'), endsAt: null } : null)
  })

  test('is reported with its end date if it is cancelled for the end of its period', () => {
    const present = subscription('sub_1', ['storage'], { cancelAtPeriodEnd: true })
    expect(subscriptionBeside(of('storage'), [present], soldItem)).toMatchObject({ endsAt: 1000 })
  })

  test('causes no conflict if its product is unmanaged', () => {
    expect(subscriptionBeside(of('team_monthly'), [subscription('sub_1', ['foreign'])], soldItem)).toBeNull()
  })
})

describe('duplicate subscriptions', () => {
  const idsOf = (subscriptions: readonly LiveSubscription[]) =>
    duplicatesAmong(subscriptions, soldItem).map((one) => [one.subscription, one.beside.subscription])

  test('are all subscriptions of a customer except for the earliest one, each reported once together with the earliest', () => {
    const all = [
      subscription('sub_1', ['team_monthly', 'storage']),
      subscription('sub_2', ['backup']),
      subscription('sub_3', ['business', 'storage']),
      subscription('sub_4', ['team_yearly'], { customer: processorId('cus_other') }),
      subscription('sub_5', ['storage']),
    ]
    expect(idsOf(all)).toEqual([
      ['sub_3', 'sub_1'],
      ['sub_5', 'sub_1'],
    ])
  })

  test('exclude a subscription that was sold with allow_duplicate, but include later subscriptions', () => {
    const all = [
      subscription('sub_1', ['storage'], { allowsDuplicate: true }),
      subscription('sub_2', ['storage'], { allowsDuplicate: true }),
      subscription('sub_3', ['storage']),
    ]
    expect(idsOf(all)).toEqual([['sub_3', 'sub_1']])
  })

  test('exclude two items of one subscription', () => {
    expect(idsOf([subscription('sub_1', ['team_monthly', 'business'])])).toEqual([])
  })
})
