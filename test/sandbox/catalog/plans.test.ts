// Plans are the older form of recurring prices: an object created in one form can be read in the other.
import { expect } from 'vitest'
import { idOf, sandboxTest as test } from '../../support/sandbox.ts'

test('a plan (the predecessor of prices in Stripe’s API) is a price with a product of its own', async ({
  sandbox: { stripe },
}) => {
  const plan = await stripe.plans.create({
    ...{ id: 'gold', currency: 'usd', interval: 'year', amount: 2000, nickname: 'Gold' },
    product: { name: 'Metal' },
  })
  expect(plan).toMatchObject({ id: 'gold', amount: 2000, interval: 'year', interval_count: 1, usage_type: 'licensed' })
  expect(await stripe.prices.retrieve('gold')).toMatchObject({
    ...{ unit_amount: 2000, nickname: 'Gold', product: plan.product, recurring: { interval: 'year' } },
  })
  const types = (await stripe.events.list()).data.map(({ type }) => type).toReversed()
  expect(types).toEqual(['product.created', 'plan.created', 'price.created'])
  const changed = await stripe.plans.update('gold', { metadata: { a: '1' }, active: false })
  expect(changed).toMatchObject({ active: false, metadata: { a: '1' } })
  const [event] = (await stripe.events.list({ type: 'plan.updated' })).data
  expect(event?.data.previous_attributes).toEqual({ active: true, metadata: { a: null } })
  expect((await stripe.plans.list({ active: true })).data).toEqual([])
  expect((await stripe.plans.list({ product: idOf(plan.product) })).data.map(({ id }) => id)).toEqual(['gold'])
})

test('a recurring price can be read as a plan, and a one-time price cannot', async ({ sandbox: { stripe } }) => {
  const product = await stripe.products.create({ name: 'Pro' })
  const monthly = await stripe.prices.create({
    ...{ product: product.id, currency: 'eur', unit_amount: 1200, recurring: { interval: 'month' } },
  })
  const once = await stripe.prices.create({ product: product.id, currency: 'eur', unit_amount: 1200 })
  expect(await stripe.plans.retrieve(monthly.id)).toMatchObject({ id: monthly.id, amount: 1200, product: product.id })
  await expect(stripe.plans.retrieve(once.id)).rejects.toMatchObject({ statusCode: 404, code: 'resource_missing' })
  expect((await stripe.plans.list()).data.map(({ id }) => id)).toEqual([monthly.id])
})

test('an unused plan can be deleted, and a plan with subscriptions cannot', async ({ sandbox: { stripe } }) => {
  const plan = await stripe.plans.create({ currency: 'usd', interval: 'month', amount: 2000, product: { name: 'A' } })
  expect(plan.id).toMatch(/^plan_/)
  expect(await stripe.plans.del(plan.id)).toMatchObject({ id: plan.id, object: 'plan', deleted: true })
  await expect(stripe.prices.retrieve(plan.id)).rejects.toMatchObject({ statusCode: 404 })
  const types = (await stripe.events.list()).data.map(({ type }) => type).toReversed()
  expect(types.slice(-2)).toEqual(['price.deleted', 'plan.deleted'])
  const held = await stripe.plans.create({ currency: 'usd', interval: 'month', amount: 2000, product: { name: 'B' } })
  const customer = await stripe.customers.create({ source: 'tok_visa' })
  await stripe.subscriptions.create({ customer: customer.id, items: [{ price: held.id }] })
  await expect(stripe.plans.del(held.id)).rejects.toThrow(
    'The sandbox does not support deleting a plan that is in use: archive it with `active`.',
  )
  await expect(stripe.plans.update(held.id, { trial_period_days: 3 })).rejects.toThrow(
    'The sandbox does not support the parameter `trial_period_days`.',
  )
})
