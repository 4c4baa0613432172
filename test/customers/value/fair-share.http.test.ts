// A session takes its fair share of the processor: two requests at once, 60 a minute, in turns with other tenants and after the seller.
import { describe, expect, it } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { startUsageShop } from '../../support/shop/usage-shop.ts'
import { startedForAll } from '../../support/started.ts'

const document: BillingConfig = {
  version: '1.0.0',
  products: [
    {
      ...{ id: 'pro', name: 'Pro' },
      prices: [
        { id: 'pro', amount: 1000, currency: 'usd', interval: 'month' },
        { id: 'pro_year', amount: 10_000, currency: 'usd', interval: 'year' },
      ],
    },
  ],
}
const shop = startedForAll(() => startUsageShop(document))
const wish = { items: [{ price_id: 'pro_year' }] }

describe('a session', () => {
  it('has at most two requests under way that need the processor', async () => {
    const buyer = await shop.customer('crowd', 'pro')
    const ask = buyer.sameSession()
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask('subscription/preview', wish)))
    const counts = (http: number) => answers.filter((one) => one.http === http).length
    expect([counts(200), counts(429)]).toEqual([2, 10])
    expect(answers.find(({ http }) => http === 429)).toMatchObject({ code: 'rate_limited' })
    expect(await ask('subscription/preview', wish)).toMatchObject({ http: 200 })
  })

  it('sends at most 60 such requests a minute, and others as before', async () => {
    const buyer = await shop.customer('steady', 'pro')
    const ask = buyer.sameSession()
    const answers: number[] = []
    for (let time = 0; time < 62; time++)
      answers.push((await ask('portal', { return_url: 'https://shop.example/account' })).http)
    expect(answers.filter((http) => http === 200)).toHaveLength(60)
    expect(answers.slice(60)).toEqual([429, 429])
    expect(await ask('subscription/preview', wish)).toMatchObject({ http: 429, code: 'rate_limited' })
    expect(await buyer.askByKey('subscription/preview', wish)).toMatchObject({ http: 200 })
    await shop.pass(61 / 86_400)
    expect(await ask('subscription/preview', wish)).toMatchObject({ http: 200 })
  })
})
