// A cancellation at once whose response was lost, e.g. because the process was killed: the retry gets the first response.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { billing } from '../../support/app.ts'
import { planDocument, startChangingShop, type ChangingShop } from '../../support/shop/changing-shop.ts'
import { nobody, urls } from '../../support/shop/selling.ts'

let shop: ChangingShop
beforeAll(async () => {
  shop = await startChangingShop(
    {},
    planDocument('1.0.0', ({ products }) => {
      products.push({
        id: 'free',
        name: 'Free',
        prices: [{ id: 'free', amount: 0, currency: 'usd', interval: 'month' }],
      })
    }),
  )
})
afterAll(() => shop.close())

/** Cancels by the service, as a request does whose response is never stored under its idempotency key. */
const cancelAs = (tenantId: string, key: string | null, when?: 'now') =>
  shop.service.cancelOwnSubscription(when === undefined ? {} : { when }, principalOf(tenantId), {
    ...nobody,
    idempotencyKey: key,
  })
const principalOf = (tenantId: string) => ({ kind: 'key', keyId: 'key', tenantId }) as const

const running = async (tenantId: string) =>
  (await shop.service.tenantSubscriptions(tenantId)).subscriptions.map(({ home, status }) => `${home} ${status}`)

async function startFree(tenantId: string): Promise<void> {
  const payload = { tenant_id: tenantId, price_id: 'free', ...urls }
  await shop.asAdmin({ method: 'POST', url: `${billing}/checkout`, payload })
}

describe('a retry, with the same idempotency key, of an immediate cancellation', () => {
  test('gets the response of the first request', async () => {
    await shop.subscriber('paid', { pro: 1 })
    const first = await cancelAs('paid', 'once', 'now')
    expect(first).toMatchObject({ home: 'processor', status: 'canceled' })
    expect(await cancelAs('paid', 'once', 'now')).toEqual(first)
    await expect(cancelAs('paid', 'another', 'now')).rejects.toMatchObject({ code: 'subscription_not_found' })
  })

  test('cancels no other subscription of the tenant', async () => {
    const buyer = await shop.subscriber('two', { pro: 1 })
    const items = [{ price: await shop.price('backup') }]
    const { id: other } = await shop.stripe.subscriptions.create({ customer: buyer.customer, items })
    const cancel = () =>
      shop.service.cancelOwnSubscription({ when: 'now', subscription: buyer.subscription }, principalOf('two'), {
        ...nobody,
        idempotencyKey: 'once',
      })
    const first = await cancel()
    expect(first).toMatchObject({ id: buyer.subscription, status: 'canceled' })
    expect(await cancel()).toEqual(first)
    expect((await shop.stripe.subscriptions.retrieve(other)).status).toBe('active')
  })

  test('gets the response of the first request for a free subscription, too', async () => {
    await shop.subscriber('thrifty', { pro: 1 })
    await cancelAs('thrifty', 'paid', 'now')
    await startFree('thrifty')
    const first = await cancelAs('thrifty', 'once')
    expect(first).toMatchObject({ home: 'local', status: 'canceled', items: [{ priceId: 'free' }] })
    expect(await cancelAs('thrifty', 'once')).toEqual(first)
    await expect(cancelAs('thrifty', 'another')).rejects.toMatchObject({ code: 'subscription_not_found' })
  })

  test('does not cancel a free subscription that the tenant started in the meantime', async () => {
    await shop.subscriber('moved_on', { pro: 1 })
    const first = await cancelAs('moved_on', 'once', 'now')
    await startFree('moved_on')
    expect(await cancelAs('moved_on', 'once', 'now')).toEqual(first)
    expect(await running('moved_on')).toEqual(['local active'])
  })
})

describe('a retry, with the same idempotency key, of a cancellation at the end of the period', () => {
  test('does not cancel a later subscription if the period has ended in the meantime', async () => {
    const buyer = await shop.subscriber('bought_again', { pro: 1 })
    expect(await cancelAs('bought_again', 'once')).toMatchObject({ id: buyer.subscription, cancelAtPeriodEnd: true })
    await buyer.pass(31)
    const items = [{ price: await shop.price('backup') }]
    const { id: other } = await shop.stripe.subscriptions.create({ customer: buyer.customer, items })
    expect(await cancelAs('bought_again', 'once')).toMatchObject({ id: buyer.subscription, status: 'canceled' })
    expect(await shop.stripe.subscriptions.retrieve(other)).toMatchObject({ cancel_at_period_end: false })
  })

  test('does not cancel the subscription again if the customer has resumed it in the meantime', async () => {
    const buyer = await shop.subscriber('stayed', { pro: 1 })
    await cancelAs('stayed', 'once')
    await buyer.ask('resume')
    expect(await cancelAs('stayed', 'once')).toMatchObject({ id: buyer.subscription, cancelAtPeriodEnd: false })
  })

  test('cancels the other subscription if the second request names another subscription', async () => {
    const buyer = await shop.subscriber('other_request', { pro: 1 })
    const items = [{ price: await shop.price('backup') }]
    const { id: other } = await shop.stripe.subscriptions.create({ customer: buyer.customer, items })
    for (const subscription of [buyer.subscription, other])
      await shop.service.cancelOwnSubscription({ subscription }, principalOf('other_request'), {
        ...nobody,
        idempotencyKey: 'once',
      })
    expect(await shop.stripe.subscriptions.retrieve(other)).toMatchObject({ cancel_at_period_end: true })
  })
})
