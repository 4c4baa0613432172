// "We upgraded by checkout and were billed for both plans": two products, or two intervals of one product, without a warning.
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { admin, billing, startTestApp } from '../../support/app.ts'
import { buy, cookieOf, sessionOf, urls } from '../../support/shop/selling.ts'

/** The starter configuration that `ratecard init` writes. */
const starter = JSON.parse(
  readFileSync(
    new URL('../../../packages/ratecard/templates/saas/ratecard/billing/subscriptions.json', import.meta.url),
    'utf8',
  ),
) as BillingConfig

interface Refusal {
  readonly code: string
  readonly detail: string
  readonly hint: string
  readonly subscription: string
  readonly price_id: string
}

/** A customer in the browser, who has only a session. */
async function customer() {
  const app = await startTestApp({ allowedRedirects: ['https://shop.example'] })
  onTestFinished(() => app.close())
  await app.push(starter)
  const headers = { cookie: cookieOf(await sessionOf(app, 'acme')), origin: 'https://shop.example' }
  const post = (path: string, payload: object) => app.inject({ method: 'POST', url: path, headers, payload })
  const checkout = (payload: object) => post(`${billing}/checkout`, { ...urls, ...payload })
  const subscriptions = async () =>
    (await app.asAdmin({ url: `${admin}/tenants/acme/subscriptions` })).json<{
      subscriptions: { id: string; duplicate_of: string | null; items: { price_id: string }[] }[]
    }>().subscriptions
  const prices = async () => (await subscriptions()).flatMap(({ items }) => items.map((item) => item.price_id))
  return { app, post, checkout, subscriptions, prices }
}

test.each([
  // A year costs less a month, so that it begins when the month that was paid is over.
  { dearer: 'pro_yearly', status: 'scheduled' },
  { dearer: 'team_monthly', status: 'changed' },
])(
  'a customer on Pro who tries to buy "$dearer" gets an error with the advice to change the plan, and has one subscription afterwards',
  async ({ dearer, status }) => {
    const { app, post, checkout, prices, subscriptions } = await customer()
    expect((await checkout({ price_id: 'free' })).statusCode).toBe(200)
    await buy(app, 'acme', { price_id: 'pro_monthly' })
    expect(await prices()).toEqual(['pro_monthly'])

    const response = await checkout({ price_id: dearer })
    expect(response.statusCode).toBe(409)
    const refusal = response.json<Refusal>()
    expect(refusal).toMatchObject({ code: 'already_subscribed', price_id: 'pro_monthly' })
    expect(refusal.detail).toContain(`"pro_monthly"`)
    expect(refusal.detail).toContain(`"${dearer}"`)
    const [, step = ''] = /\(POST (\/\S+), then …\/change\)/.exec(refusal.hint) ?? []

    const items = [{ price_id: dearer }]
    const shown = (await post(step, { items })).json<{
      preview: string
      due_now: { amount: number }
      next_invoice: { amount: number }
    }>()
    const changed = await post(step.replace('preview', 'change'), { items, preview: shown.preview })
    expect(changed.json<{ status: string }>().status).toBe(status)
    if (status === 'scheduled') app.sandbox.control.advance(32 * 86_400)
    expect((await subscriptions()).map(({ id }) => id)).toEqual([refusal.subscription])
    expect(await prices()).toEqual([dearer])
    const { data } = await app.stripe.invoices.list({ subscription: refusal.subscription })
    const { amount } = status === 'changed' ? shown.due_now : shown.next_invoice
    expect(data[0]?.total).toBe(amount)
  },
)

test('a customer on Pro who cancelled gets the advice to resume the subscription, after a cancellation in the portal to renew it there, and can buy again after its end', async () => {
  const { app, post, checkout, prices, subscriptions } = await customer()
  await buy(app, 'acme', { price_id: 'pro_monthly' })
  const subscription = (await subscriptions())[0]?.id ?? ''
  const { url } = (await post(`${billing}/portal`, { return_url: 'https://shop.example/account' })).json<{
    url: string
  }>()
  await fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ action: 'cancel', subscription }),
    redirect: 'manual',
  })
  await app.stripe.subscriptions.update(subscription, { cancel_at_period_end: false })
  expect((await post(`${billing}/subscription/cancel`, {})).statusCode).toBe(200)
  const waiting = (await checkout({ price_id: 'pro_yearly' })).json<Refusal>()
  expect([waiting.code, waiting.hint]).toEqual([
    'already_subscribed',
    expect.stringContaining('buy the new one after it has ended') as string,
  ])
  const [, step = ''] = /resume it \(POST (\/[^)]+)\)/.exec(waiting.hint) ?? []
  expect((await post(step, {})).json<{ cancel_at: string | null }>().cancel_at).toBeNull()
  await fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ action: 'cancel', subscription }),
    redirect: 'manual',
  })
  expect((await post(step, {})).json<Refusal>()).toMatchObject({
    ...{ code: 'not_allowed', hint: expect.stringContaining('can renew it there') as string },
  })
  app.sandbox.control.advance(32 * 86_400)
  await buy(app, 'acme', { price_id: 'pro_yearly' })
  expect(await prices()).toEqual(['pro_yearly'])
})

test('of two checkout pages that were opened before either was paid, only the later page can be paid', async () => {
  const { checkout, prices } = await customer()
  const pages = []
  for (const price of ['pro_monthly', 'team_monthly'])
    pages.push((await checkout({ price_id: price })).json<{ url: string }>().url)
  const body = new URLSearchParams({ action: 'pay', email: 'buyer@example.test', number: '4242424242424242' })
  const paid: boolean[] = []
  for (const url of pages) paid.push((await fetch(url, { method: 'POST', body, redirect: 'manual' })).status === 303)
  expect(paid).toEqual([false, true])
  expect(await prices()).toEqual(['team_monthly'])
})

test('a tenant that pays twice is reported by the doctor, with the tenant and the later subscription', async () => {
  const { app, subscriptions } = await customer()
  await buy(app, 'acme', { price_id: 'pro_monthly' })
  await buy(app, 'acme', { price_id: 'team_monthly', allow_duplicate: true })
  // Without its metadata, the second subscription looks as if it had been created outside of Ratecard.
  for (const { id } of await subscriptions())
    await app.stripe.subscriptions.update(id, { metadata: { ratecard_duplicate: '' } })
  const { findings } = (await app.asAdmin({ url: `${admin}/doctor` })).json<{
    findings: { check: string; status: string; detail: string; hint: string }[]
  }>()
  const found = findings.find(({ check }) => check === 'subscriptions')
  expect(found?.status).toBe('warning')
  expect(found?.detail).toMatch(
    /^1 tenant pays twice .*"team_monthly" beside .*"pro_monthly", both of the group "plan"$/,
  )
  expect(found?.hint).toContain('ratecard tenants show acme')
  const [first, second] = await subscriptions()
  expect([first?.duplicate_of, second?.duplicate_of]).toEqual([null, first?.id])
})
