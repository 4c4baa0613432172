// The law of value for allowances: what a tenant may use is what is paid for, at whatever moment it changes its subscription.
import { describe, expect, it } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { startUsageShop } from '../../support/shop/usage-shop.ts'
import { startedForAll } from '../../support/started.ts'

const monthly = { currency: 'usd', interval: 'month' } as const
const yearly = { currency: 'usd', interval: 'year' } as const
const document: BillingConfig = {
  version: '1.0.0',
  meters: [{ id: 'calls', display_name: 'Calls', event_name: 'call' }],
  features: [{ id: 'calls', name: 'Calls', type: 'metered', meter: 'calls' }],
  products: [
    {
      ...{ id: 'pro', name: 'Pro', subscription_group: 'plan', features: [{ id: 'calls', limit: 100 }] },
      prices: [
        { id: 'pro_month', amount: 1000, ...monthly },
        { id: 'pro_year', amount: 12_000, ...yearly },
      ],
    },
    {
      ...{ id: 'seats', name: 'Seats', subscription_group: 'plan' },
      features: [{ id: 'calls', limit: 1000, per_quantity: true }],
      prices: [{ id: 'seat', amount: 1000, ...monthly }],
    },
    {
      ...{ id: 'max', name: 'Max', subscription_group: 'plan', features: [{ id: 'calls', limit: 10_100 }] },
      prices: [{ id: 'max_month', amount: 9000, ...monthly }],
    },
  ],
}
const shop = startedForAll(() => startUsageShop(document))

/** Length in days of the month that begins now. */
function monthDays(): number {
  const from = new Date(shop.now())
  const to = new Date(shop.now())
  to.setUTCMonth(to.getUTCMonth() + 1)
  return Math.round((to.getTime() - from.getTime()) / 86_400_000)
}

describe('an allowance', () => {
  it('is not renewed by a change of the interval, until the period that was replaced would have ended', async () => {
    const buyer = await shop.customer('fro', 'pro_month')
    const days = monthDays()
    await shop.pass(10)
    expect(await buyer.use(100)).toBe(200)
    expect(await buyer.turn({ items: [{ price_id: 'pro_year' }] })).toMatchObject({ status: 'changed' })
    expect(await buyer.calls()).toEqual({ limit: 100, used: 100 })
    expect(await buyer.use(1)).toBe(409)
    await shop.pass(days - 10 + 0.1)
    expect(await buyer.calls()).toEqual({ limit: 100, used: 0 })
    expect(await buyer.use(100)).toBe(200)
    expect(await buyer.use(1)).toBe(409)
  })

  it('is not renewed by a change of the interval that a service key makes to and fro', async () => {
    const buyer = await shop.customer('keys', 'pro_month')
    await shop.pass(2)
    expect(await buyer.use(60)).toBe(200)
    for (const price_id of ['pro_year', 'pro_month', 'pro_year']) {
      await shop.pass(1)
      expect(await buyer.turnByKey({ items: [{ price_id }], when: 'now' })).toMatchObject({ status: 'changed' })
      expect(await buyer.calls()).toEqual({ limit: 100, used: 60 })
    }
  })

  it('is not renewed by a change at the processor', async () => {
    const buyer = await shop.customer('portal', 'pro_month')
    expect(await buyer.use(100)).toBe(200)
    await shop.pass(5)
    const [subscription] = (await shop.service.tenantSubscriptions('portal')).subscriptions
    const { items } = await shop.stripe.subscriptions.retrieve(subscription?.id ?? '')
    const mapping = (await shop.store.mappings.all()).find(({ configId }) => configId === 'pro_year')
    await shop.stripe.subscriptions.update(subscription?.id ?? '', {
      items: [{ id: items.data[0]?.id ?? '', price: mapping?.processorId ?? '' }],
    })
    await shop.pass(0)
    expect(await buyer.use(1)).toBe(409)
  })

  it('per unit grows with the quantity for the rest of the period only, and whole from the next one on', async () => {
    const buyer = await shop.customer('seats', 'seat')
    const days = monthDays()
    await shop.pass(days / 2)
    expect(await buyer.turn({ items: [{ price_id: 'seat', quantity: 11 }] })).toMatchObject({ status: 'changed' })
    const { limit } = await buyer.calls()
    expect(Number(limit)).toBeGreaterThan(5_990)
    expect(Number(limit)).toBeLessThanOrEqual(6_000)
    await shop.pass(days / 2 + 0.1)
    expect(await buyer.calls()).toEqual({ limit: 11_000, used: 0 })
  })

  it('per unit is hardly raised in the last minutes of a period, whoever raises the quantity', async () => {
    for (const by of ['turn', 'turnByKey'] as const) {
      const buyer = await shop.customer(`last_${by.toLowerCase()}`, 'seat')
      await shop.pass(monthDays() - 2 / 1440)
      await buyer[by]({ items: [{ price_id: 'seat', quantity: 1000 }], when: 'now' })
      expect(Number((await buyer.calls()).limit)).toBeLessThanOrEqual(1_050)
      expect(await buyer.use(2000)).toBe(409)
    }
  })

  it('per unit is not gathered by raising and lowering the quantity', async () => {
    const buyer = await shop.customer('gather', 'seat', 2)
    await shop.pass(15)
    for (let time = 0; time < 3; time++) {
      await buyer.turnByKey({ items: [{ price_id: 'seat', quantity: 4 }], when: 'now' })
      await buyer.turnByKey({ items: [{ price_id: 'seat', quantity: 2 }], when: 'now' })
    }
    expect((await buyer.calls()).limit).toBe(2000)
    await buyer.turnByKey({ items: [{ price_id: 'seat', quantity: 1 }], when: 'now' })
    expect((await buyer.calls()).limit).toBe(1000)
  })

  it('of a larger plan counts from a change on for the rest of the period, too', async () => {
    const buyer = await shop.customer('upgrade', 'pro_month')
    await shop.pass(monthDays() - 2 / 1440)
    expect(await buyer.turn({ items: [{ price_id: 'max_month' }] })).toMatchObject({ status: 'changed' })
    expect(Number((await buyer.calls()).limit)).toBeLessThanOrEqual(101)
    await shop.pass(0.1)
    expect(await buyer.calls()).toEqual({ limit: 10_100, used: 0 })
  })
})
