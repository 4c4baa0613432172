import { describe, expect, test } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { nobody, startStack } from '../../support/stack.ts'
import { payingCustomer } from '../../support/shop/paying-customer.ts'
import { startedForEach } from '../../support/started.ts'

const stack = startedForEach(startStack)

const metered = (formula: 'sum' | 'count', version = '1.0.0'): BillingConfig => ({
  version,
  meters: [{ id: 'calls', display_name: 'Calls', event_name: 'call', default_aggregation: { formula } }],
  products: [
    {
      id: 'p',
      name: 'P',
      prices: [{ id: 'usage', amount: 5, currency: 'usd', interval: 'month', usage_type: 'metered', meter: 'calls' }],
    },
  ],
})
const without: BillingConfig = { version: '1.1.0', products: [{ id: 'p', name: 'P' }] }

async function subscribe(): Promise<string> {
  const [price] = (await stack.stripe.prices.list({ active: true })).data
  const customer = { id: await payingCustomer(stack.stripe, { name: 'Ada' }) }
  const subscription = await stack.stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price?.id ?? '' }],
  })
  return subscription.id
}

describe('a meter of running subscriptions', () => {
  test.each([
    ['removed', without, '#'],
    ['given another formula', metered('count', '1.1.0'), '#/meters/0'],
  ])('causes the push to be refused until its impact is approved, if the meter is %s', async (_what, next, pointer) => {
    await stack.service.push(metered('sum'), nobody)
    await subscribe()
    const before = stack.writes()
    const planned = await stack.service.push(next, { ...nobody, dryRun: true })
    expect(planned.warnings).toMatchObject([{ code: 'meter_in_use', severity: 'warning', pointer }])
    await expect(stack.service.push(next, nobody)).rejects.toMatchObject({
      code: 'impact_not_approved',
      issues: [{ code: 'meter_in_use', pointer }],
    })
    expect(stack.writes()).toBe(before)
    expect((await stack.service.published()).served.version).toBe('1.0.0')
    expect((await stack.service.push(next, { ...nobody, approveImpact: true })).status).toBe('applied')
  })

  test('is deactivated once every subscription on it has ended', async () => {
    await stack.service.push(metered('sum'), nobody)
    await stack.stripe.subscriptions.cancel(await subscribe())
    expect((await stack.service.push(without, nobody)).changes.meters.deactivated).toEqual(['calls'])
  })

  test('still counts as in use after its price was replaced, because subscribers stay on the archived price', async () => {
    await stack.service.push(metered('sum'), nobody)
    await subscribe()
    const dearer = metered('sum', '1.0.1')
    await stack.service.push(
      {
        ...dearer,
        products: [
          {
            id: 'p',
            name: 'P',
            prices: [
              { id: 'usage', amount: 7, currency: 'usd', interval: 'month', usage_type: 'metered', meter: 'calls' },
            ],
          },
        ],
      },
      nobody,
    )
    await expect(stack.service.push(without, nobody)).rejects.toMatchObject({ code: 'impact_not_approved' })
  })
})
