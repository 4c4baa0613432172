// What a session may name: what the seller offers to sessions. Coupons that are for one purchase, portals, and times of usage.
import { describe, expect, it } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { startUsageShop } from '../../support/shop/usage-shop.ts'
import { payPage } from '../../support/shop/pay-page.ts'
import { urls } from '../../support/shop/selling.ts'
import { startedForAll } from '../../support/started.ts'

const monthly = { currency: 'usd', interval: 'month' } as const
const features = { invoice_history: {} }
const document: BillingConfig = {
  version: '1.0.0',
  meters: [{ id: 'calls', display_name: 'Calls', event_name: 'call' }],
  features: [{ id: 'calls', name: 'Calls', type: 'metered', meter: 'calls' }],
  products: [
    {
      ...{ id: 'basic', name: 'Basic', subscription_group: 'plan', features: [{ id: 'calls', limit: 100 }] },
      prices: [{ id: 'basic', amount: 1000, ...monthly }],
    },
    {
      ...{ id: 'pro', name: 'Pro', subscription_group: 'plan' },
      prices: [{ id: 'pro', amount: 3000, ...monthly }],
    },
    { id: 'book', name: 'Book', prices: [{ id: 'book', amount: 5000, currency: 'usd' }] },
    { id: 'disk', name: 'Disk', prices: [{ id: 'disk', amount: 700, ...monthly }] },
  ],
  coupons: [
    { id: 'welcome', percent_off: 20, duration: 'once' },
    { id: 'friends', percent_off: 10, duration: 'forever' },
  ],
  promotion_codes: [
    { id: 'welcome', code: 'WELCOME', coupon: 'welcome' },
    { id: 'hello', code: 'HELLO', coupon: 'welcome' },
    { id: 'friends', code: 'FRIENDS', coupon: 'friends' },
  ],
  portal: [
    { id: 'self_service', default: true, features },
    { id: 'invoices', sessions: true, features },
    { id: 'support', features },
  ],
}
const shop = startedForAll(() => startUsageShop(document))
const page = (price_id: string, promotion_code: string) => ({ ...urls, price_id, promotion_code })
const taken = { http: 422, errors: [{ pointer: '#/promotion_code' }] }

describe('a coupon that is for one purchase', () => {
  it('is not taken again by a checkout or a change after a paid page, by none of its codes', async () => {
    const buyer = await shop.customer('again', 'basic')
    const { url, http } = await buyer.ask('checkout', page('book', 'WELCOME'))
    expect(http).toBe(200)
    await payPage(String(url))
    for (const code of ['WELCOME', 'HELLO'])
      expect(await buyer.ask('checkout', page('disk', code))).toMatchObject({ ...taken, code: 'checkout_invalid' })
    const change = { items: [{ price_id: 'pro' }], promotion_code: 'HELLO' }
    expect(await buyer.ask('subscription/preview', change)).toMatchObject({ ...taken, code: 'change_invalid' })
    expect(await buyer.ask('checkout', page('disk', 'FRIENDS'))).toMatchObject({ http: 200 })
  })

  it('is not taken again by a checkout after a change', async () => {
    const buyer = await shop.customer('changed', 'basic')
    expect(await buyer.turn({ items: [{ price_id: 'pro' }], promotion_code: 'WELCOME' })).toMatchObject({ http: 200 })
    expect(await buyer.ask('checkout', page('book', 'WELCOME'))).toMatchObject(taken)
  })

  it('is not taken again by a checkout while a change with it is scheduled', async () => {
    const buyer = await shop.customer('scheduled', 'pro')
    const change = { items: [{ price_id: 'basic' }], promotion_code: 'WELCOME' }
    expect(await buyer.turn(change)).toMatchObject({ status: 'scheduled' })
    expect(await buyer.ask('checkout', page('book', 'HELLO'))).toMatchObject(taken)
  })

  it('is not taken again while a cancellation has taken the change with it off, and can be if the change never comes', async () => {
    const buyer = await shop.customer('held', 'pro')
    expect(await buyer.turn({ items: [{ price_id: 'basic' }], promotion_code: 'WELCOME' })).toMatchObject({
      status: 'scheduled',
    })
    await buyer.ask('subscription/cancel', {})
    expect(await buyer.ask('checkout', page('book', 'HELLO'))).toMatchObject(taken)
    await buyer.ask('subscription/resume', {})
    expect(await buyer.ask('checkout', page('book', 'HELLO'))).toMatchObject(taken)
    await buyer.ask('subscription/resume', {})
    expect(await buyer.ask('checkout', page('book', 'HELLO'))).toMatchObject({ http: 200 })
  })

  it('is on one open page at a time, and on none after a change that takes it', async () => {
    const buyer = await shop.customer('pages', 'basic')
    const first = await buyer.ask('checkout', page('book', 'WELCOME'))
    const second = await buyer.ask('checkout', page('disk', 'HELLO'))
    const states = async () =>
      Promise.all(
        [first, second].map(
          async ({ session_id: id }) => (await shop.stripe.checkout.sessions.retrieve(String(id))).status,
        ),
      )
    expect(await states()).toEqual(['expired', 'open'])
    await buyer.turn({ items: [{ price_id: 'pro' }], promotion_code: 'WELCOME' })
    expect(await states()).toEqual(['expired', 'expired'])
  })

  it('can be taken again by a service key, which acts for the seller', async () => {
    const buyer = await shop.customer('seller', 'basic')
    await payPage(String((await buyer.ask('checkout', page('book', 'WELCOME')))['url']))
    expect(await buyer.askByKey('checkout', page('disk', 'WELCOME'))).toMatchObject({ http: 200 })
  })
})

describe('a portal', () => {
  it('that is not offered to sessions is unknown to them', async () => {
    const buyer = await shop.customer('visitor', 'basic')
    const open = (portal_id?: string) => ({
      return_url: 'https://shop.example/account',
      ...(portal_id && { portal_id }),
    })
    for (const id of [undefined, 'self_service', 'invoices'])
      expect(await buyer.ask('portal', open(id))).toMatchObject({ http: 200 })
    expect(await buyer.ask('portal', open('support'))).toMatchObject({ http: 404, code: 'portal_not_found' })
    expect(await buyer.ask('portal', open('none'))).toMatchObject({ http: 404, code: 'portal_not_found' })
    expect(await buyer.askByKey('portal', open('support'))).toMatchObject({ http: 200 })
  })

  it('counts refused codes together with the other routes', async () => {
    const buyer = await shop.customer('guesser', 'basic')
    const [subscription] = (await shop.service.tenantSubscriptions('guesser')).subscriptions
    const flow = (promotion_code: string) => ({
      return_url: 'https://shop.example/account',
      flow: {
        type: 'subscription_update_confirm',
        subscription_update_confirm: {
          subscription: subscription?.id,
          items: [{ price: 'pro', quantity: 1 }],
          discounts: [{ promotion_code }],
        },
      },
    })
    const answers: number[] = []
    for (let time = 0; time < 12; time++) answers.push((await buyer.ask('portal', flow(`CODE${String(time)}`))).http)
    expect(answers.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 422))
    expect(answers.slice(10)).toEqual([429, 429])
    expect(await buyer.ask('checkout', page('book', 'WELCOME'))).toMatchObject({ http: 429, code: 'rate_limited' })
  })
})

describe('a time of usage', () => {
  it('lies in the running period and not after now for a session', async () => {
    const buyer = await shop.customer('times', 'basic')
    await shop.pass(32)
    const report = (ask: typeof buyer.ask, agoMs: number) =>
      ask('usage', { meter: 'calls', value: 1, timestamp: new Date(shop.now() - agoMs).toISOString(), enforce: true })
    const day = 86_400_000
    expect(await report(buyer.ask, 0)).toMatchObject({ http: 200 })
    expect(await report(buyer.ask, 5 * day)).toMatchObject({ http: 400, errors: [{ pointer: '#/timestamp' }] })
    expect(await report(buyer.ask, -60_000)).toMatchObject({ http: 400, errors: [{ pointer: '#/timestamp' }] })
    expect(await report(buyer.askByKey, 5 * day)).toMatchObject({ http: 200 })
  })
})
