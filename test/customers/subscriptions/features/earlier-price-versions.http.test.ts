// Features of tenants on earlier versions of a price, when a version is sold again, and when a switch becomes a limit.
import { describe, expect, it, onTestFinished } from 'vitest'
import type { BillingConfig } from '../../../../packages/ratecard/src/document/schema/schema.ts'
import type { ProductFeature } from '../../../../packages/ratecard/src/document/schema/feature-schema.ts'
import { startTestApp } from '../../../support/app.ts'
import { mirrored, mirrorSettings } from '../../../support/mirror.ts'
import { buy, nobody } from '../../../support/shop/selling.ts'
import { forTenant } from '../../tenants/world.ts'

async function world() {
  const app = await startTestApp({ mirror: mirrorSettings })
  onTestFinished(() => app.close())
  let pushes = 0
  const documentOf = (amount: number, entry: ProductFeature, type: 'limit' | 'switch' = 'limit'): BillingConfig => ({
    version: `1.${String(pushes)}.0`,
    features: [{ id: 'projects', name: 'Projects', type }],
    products: [
      {
        ...{ id: 'pro', name: 'Pro', features: [entry], grandfather_features: true },
        prices: [{ id: 'pro_monthly', amount, currency: 'usd', interval: 'month' }],
      },
    ],
  })
  const warningsOf = async (choices: Parameters<typeof documentOf>, query: string) => {
    pushes += 1
    const pushed = await app.push(documentOf(...choices), query)
    expect(pushed.statusCode, pushed.body).toBe(200)
    const { warnings } = pushed.json<{ warnings: readonly { code: string; detail: string }[] }>()
    return warnings.flatMap(({ code, detail }) => (code === 'features_lowered' ? [detail] : []))
  }
  return {
    /** Pushes a version of the price. Returns the details of the warnings. */
    push: (...choices: Parameters<typeof documentOf>) => warningsOf(choices, ''),
    /** Like `push`, but only plans. */
    planned: (...choices: Parameters<typeof documentOf>) => warningsOf(choices, '?dry_run=true'),
    sell: async (tenant: string) => {
      await app.service.createTenant({ id: tenant, name: tenant }, nobody)
      await buy(app, tenant, { price_id: 'pro_monthly' })
      await mirrored(app)
    },
    limits: async (...tenants: readonly string[]) => {
      const checks = tenants.map((one) => app.service.checkFeature({ feature: 'projects', used: 1 }, forTenant(one)))
      return (await Promise.all(checks)).map(({ limit, allowed }) => [limit, allowed])
    },
  }
}

describe('a tenant whose earlier version of a price is sold again', () => {
  it('has the product’s current limit, and plans that lower it count that tenant; subscribers to the other version keep their limit', async () => {
    const { push, sell, limits } = await world()
    await push(2000, { id: 'projects', limit: 10 })
    await sell('acme')
    await sell('beta')
    await push(2500, { id: 'projects', limit: 3 })
    await sell('later')
    await push(2000, { id: 'projects', limit: 10 })
    await push(2000, { id: 'projects', limit: 20 })
    expect(await limits('acme', 'beta', 'later')).toEqual([
      [20, true],
      [20, true],
      [3, true],
    ])
    expect(await push(2000, { id: 'projects', limit: 4 })).toEqual([expect.stringContaining('concerns 2 tenants')])
    expect(await limits('acme', 'later')).toEqual([
      [4, true],
      [3, true],
    ])
  })
})

describe('a feature that changes from a switch to a limit', () => {
  it('stays unlimited for subscribers to the earlier version of the price; only a plan that lowers it for somebody has a warning', async () => {
    const { push, planned, sell, limits } = await world()
    await push(2000, 'projects', 'switch')
    await sell('acme')
    // With the same price, its subscribers would be limited. With another one, they keep what they bought.
    expect(await planned(2000, { id: 'projects', limit: 5 })).toEqual([
      expect.stringContaining('(projects: unlimited → 5), which concerns 1 tenant'),
    ])
    expect(await push(2500, { id: 'projects', limit: 5 })).toEqual([])
    await sell('later')
    expect(await limits('acme', 'later')).toEqual([
      ['unlimited', true],
      [5, true],
    ])
  })
})
