import { describe, expect, test } from 'vitest'
import { meteredPrice } from '../../sandbox/customers/customer-shop.ts'
import { mirrorWorld } from '../mirror/mirror-world.ts'
import { processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import { creditBalance, creditState } from '../../../packages/ratecard/src/customers/subscriptions/credit-balance.ts'
import type { StoredCreditGrant } from '../../../packages/ratecard/src/store/records/mirror.ts'

const now = Date.UTC(2026, 10, 15)
const day = 86_400_000
const grant = (more: Partial<StoredCreditGrant> = {}): StoredCreditGrant => ({
  ...{ id: 'credgr_1', customer: processorId('cus_1'), currency: 'usd', amount: 1000, remaining: 400, lapsed: 0 },
  ...{ category: 'paid', name: null, prices: null, source: null },
  ...{ createdAt: now - day, effectiveAt: now - day, expiresAt: null, voidedAt: null },
  ...more,
})

describe('the state of a billing credit', () => {
  test.each([
    ['active', {}],
    ['active', { expiresAt: now + 1 }],
    ['expired', { expiresAt: now }],
    ['used', { remaining: 0 }],
    ['used', { remaining: 0, expiresAt: now }],
    ['expired', { remaining: 0, lapsed: 400, expiresAt: now }],
    ['voided', { voidedAt: now - 1, remaining: 0 }],
    ['pending', { effectiveAt: now + day }],
    ['active', { createdAt: now + day, effectiveAt: now + day }],
  ] as const)('is "%s" for the members %j', (state, more) => {
    expect(creditState(grant(more), now)).toBe(state)
  })
})

test('the credit balance is the sum of the remaining amounts of all active credits, by currency', () => {
  const grants = [
    grant(),
    grant({ remaining: 100 }),
    grant({ currency: 'eur', remaining: 5 }),
    grant({ expiresAt: now - 1 }),
    grant({ effectiveAt: now + day }),
    grant({ voidedAt: now }),
  ]
  expect(creditBalance(grants, now)).toEqual([
    { currency: 'eur', amount: 5, formatted: '€0.05' },
    { currency: 'usd', amount: 500, formatted: '$5.00' },
  ])
})

test('a credit that the processor took unused at its end is expired, and one that was used up before is used', async () => {
  const world = await mirrorWorld()
  const { stripe, customer, control, clock, apiKey } = world
  const end = Math.floor(clock.now() / 1000) + 40 * 86_400
  const price = await meteredPrice(world, { unit_amount: 7 })
  await stripe.subscriptions.create({ customer, items: [{ price: price.id }] })
  const give = (value: number, priority: number) =>
    stripe.billing.creditGrants.create({
      ...{ customer, category: 'paid', expires_at: end, priority },
      amount: { type: 'monetary', monetary: { currency: 'usd', value } },
      applicability_config: { scope: { price_type: 'metered' } },
    })
  await give(70, 1)
  await give(500, 2)
  const payload = { stripe_customer_id: customer, value: '10' }
  await stripe.billing.meterEvents.create({ event_name: 'calls', payload })
  control.advance(35 * 86_400, apiKey)
  control.advance(35 * 86_400, apiKey)
  await world.fill()
  const grants = await world.store.credits.grantsOf(processorId(customer))
  const states = grants.map((one) => [one.amount, one.remaining, creditState(one, (end + 86_400) * 1000)])
  expect(states.sort()).toEqual([
    [500, 0, 'expired'],
    [70, 0, 'used'],
  ])
})
