// A free plan beside a purchase whose first payment fails.
import { expect, onTestFinished, test } from 'vitest'
import type { BillingConfig } from '../../../../packages/ratecard/src/document/schema/schema.ts'
import { endsKey } from '../../../../packages/ratecard/src/processor/customer-half.ts'
import { startTestApp } from '../../../support/app.ts'
import { mirrored, mirrorSettings } from '../../../support/mirror.ts'
import { nobody } from '../../../support/shop/selling.ts'
import { forTenant } from '../../tenants/world.ts'

const config: BillingConfig = {
  version: '1.0.0',
  features: [{ id: 'projects', name: 'Projects', type: 'limit' }],
  products: [
    {
      ...{ id: 'free', name: 'Free', subscription_group: 'plan', features: [{ id: 'projects', limit: 2 }] },
      prices: [{ id: 'free', amount: 0, currency: 'usd', interval: 'month' }],
    },
    {
      ...{ id: 'pro', name: 'Pro', subscription_group: 'plan', features: [{ id: 'projects', limit: 10 }] },
      prices: [{ id: 'pro', amount: 2000, currency: 'usd', interval: 'month' }],
    },
  ],
}

test('a tenant keeps its free plan’s limits if a paid plan was never paid for, and gets the paid plan’s limits once a trial of it runs', async () => {
  const app = await startTestApp({ mirror: mirrorSettings })
  onTestFinished(() => app.close())
  expect((await app.push(config)).statusCode).toBe(200)
  const { id: customer } = await app.stripe.customers.create({ name: 'Acme' })
  await app.service.createTenant({ id: 'acme', name: 'Acme', processorCustomerId: customer }, nobody)
  const urls = { successUrl: 'http://127.0.0.1:9/done', cancelUrl: 'http://127.0.0.1:9/back' }
  await app.service.createCheckout({ ...urls, priceId: 'free' }, forTenant('acme'), null)
  const { subscriptions } = await app.service.tenantSubscriptions('acme')
  const { data: prices } = await app.stripe.prices.list()
  const items = prices.map(({ id }) => ({ price: id }))
  const metadata = { [endsKey]: subscriptions[0]?.id ?? '' }
  const limit = async () => {
    await mirrored(app)
    return (await app.service.checkFeature({ feature: 'projects' }, forTenant('acme'))).limit
  }
  await app.stripe.subscriptions.create({ customer, items, metadata, payment_behavior: 'default_incomplete' })
  expect(await limit()).toBe(2)
  app.sandbox.control.advance(2 * 86_400)
  expect((await app.stripe.subscriptions.list({ status: 'all' })).data[0]?.status).toBe('incomplete_expired')
  expect(await limit()).toBe(2)
  const trial = { trial_period_days: 30 }
  await app.stripe.subscriptions.create({ customer, items, metadata, ...trial })
  expect(await limit()).toBe(10)
})
