import { expect, test } from 'vitest'
import { billingStatus } from '../../../packages/ratecard/src/customers/subscriptions/subscriptions.ts'

const at = (status: string, home: 'processor' | 'local' = 'processor') => ({ home, status })
const free = at('active', 'local')

test.each([
  ['none', []],
  ['free', [free]],
  ['active', [free, at('active')]],
  ['trialing', [free, at('trialing')]],
  ['active', [at('trialing'), at('active')]],
  ['past_due', [at('active'), at('past_due')]],
  ['unpaid', [at('past_due'), at('unpaid')]],
  ['active', [at('incomplete'), at('active')]],
  ['active', [at('paused'), at('active')]],
  ['free', [at('incomplete'), free]],
  ['paused', [at('incomplete'), at('paused')]],
  ['incomplete', [at('incomplete')]],
] as const)(
  'the billing status of a tenant is %s, because debts have priority over running subscriptions, and these over all others',
  (status, subscriptions) => {
    expect(billingStatus(subscriptions)).toBe(status)
    expect(billingStatus([...subscriptions].reverse())).toBe(status)
  },
)
