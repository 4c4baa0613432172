// Usage that was reported before a metered feature names its meter.
import { expect, onTestFinished, test } from 'vitest'
import type { BillingConfig } from '../../../../packages/ratecard/src/document/schema/schema.ts'
import { startTestApp } from '../../../support/app.ts'
import { mirrored, mirrorSettings } from '../../../support/mirror.ts'
import { buy, nobody } from '../../../support/shop/selling.ts'
import { forTenant } from '../../tenants/world.ts'
import { meteredDocument } from './metered-document.ts'

const hourMs = 3_600_000

/** A product with a feature that is a switch, and a meter that no feature names. */
const before: BillingConfig = {
  ...meteredDocument,
  version: '0.9.0',
  features: [{ id: 'calls', name: 'Calls' }],
  products: meteredDocument.products.map((product) => ({ ...product, features: ['calls'] })),
}

async function world() {
  const app = await startTestApp({ mirror: mirrorSettings })
  onTestFinished(() => app.close())
  expect((await app.push(before)).statusCode).toBe(200)
  await app.service.createTenant({ id: 'acme', name: 'Acme' }, nobody)
  const report = (value: number, more: { timestamp?: number; identifier?: string; enforce?: boolean } = {}) =>
    app.service.recordUsage({ meter: 'calls', value, ...more }, forTenant('acme'))
  return {
    ...{ app, report },
    used: async () => (await app.service.checkFeatures([{ feature: 'calls' }], forTenant('acme')))[0]?.used,
  }
}

test('usage from before a feature was metered counts if it is in the running billing period, and does not count if it is older', async () => {
  const { app, report, used } = await world()
  await buy(app, 'acme', { price_id: 'pro_monthly' })
  await mirrored(app)
  await report(5, { timestamp: Date.now() - hourMs })
  await report(97, { identifier: 'first' })
  expect((await app.push(meteredDocument)).statusCode).toBe(200)
  expect(await used()).toBe(97)
  expect(await report(97, { identifier: 'first' })).toMatchObject({ alreadyCounted: true })
  await expect(report(4, { enforce: true })).rejects.toMatchObject({ code: 'limit_reached' })
  await report(3, { enforce: true })
  expect(await used()).toBe(100)
})

test('usage from before a feature was metered counts against a limit that is granted to a tenant by hand', async () => {
  const { app, report, used } = await world()
  await report(7)
  expect((await app.push(meteredDocument)).statusCode).toBe(200)
  await app.service.putGrant({ tenantId: 'acme', feature: 'calls' }, { limit: 10 }, nobody)
  expect(await used()).toBe(7)
  await expect(report(4, { enforce: true })).rejects.toMatchObject({ code: 'limit_reached' })
})

test.each(['month', 'never'] as const)(
  'usage from before a change of the feature’s reset from %s to billing_period counts from the start of the running billing period',
  async (resets) => {
    const { app, report, used } = await world()
    const documentOf = (version: string, period: 'month' | 'never' | 'billing_period'): BillingConfig => ({
      ...{ ...meteredDocument, version },
      products: meteredDocument.products.map((product) => ({
        ...{ ...product, features: [{ id: 'calls', limit: 100, resets: period }] },
      })),
    })
    expect((await app.push(documentOf('1.0.0', resets))).statusCode).toBe(200)
    await buy(app, 'acme', { price_id: 'pro_monthly' })
    await mirrored(app)
    await report(5, { timestamp: Date.now() - hourMs })
    await report(97)
    expect((await app.push(documentOf('1.1.0', 'billing_period'))).statusCode).toBe(200)
    expect(await used()).toBe(97)
    await expect(report(4, { enforce: true })).rejects.toMatchObject({ code: 'limit_reached' })
  },
)
