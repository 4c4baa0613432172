// Trials that begin without a card, from the checkout page to what becomes of the subscription.
import { describe, expect, test } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { startedForEach } from '../../support/started.ts'
import { startWorld } from '../tenants/world.ts'
import type { NewCheckout } from '../../../packages/ratecard/src/api/customers/checkout.ts'

const monthly = (id: string, amount: number) => ({ id, amount, interval: 'month' as const, currency: 'usd' as const })
const document: BillingConfig = {
  version: '1.0.0',
  products: [
    { id: 'team', name: 'Team', prices: [monthly('team_monthly', 900)] },
    { id: 'storage', name: 'Storage', prices: [{ ...monthly('storage', 500), trial_period_days: 7 }] },
  ],
}

const tenant = { id: 'acme', name: 'Acme', email: 'a@acme.example' }
let worlds = 0
const world = startedForEach(async () => {
  const secretKey = `sk_test_cardless${String(process.pid)}x${String(++worlds)}`
  return { ...(await startWorld({ document, tenant, secretKey })), secretKey }
})

const cardless = { trialPeriodDays: 14, paymentMethodCollection: 'if_required' } as const
const buy = (priceId: string, more: Partial<NewCheckout> = {}) => world.buy('acme', priceId, more)
/** Submits the page without a card, as a customer does who is not asked for one. */
async function takeWithoutCard(page: { readonly url: string }): Promise<void> {
  expect(await (await fetch(page.url)).text()).not.toContain('Card number')
  const body = new URLSearchParams({ action: 'pay', email: 'a@b.example', number: '' })
  expect((await fetch(page.url, { method: 'POST', body, redirect: 'manual' })).status).toBe(303)
}
const subscription = async () => {
  const { data } = await world.stripe.subscriptions.list({ status: 'all' })
  return data[0]
}
const advance = (days: number) => world.sandbox.control.advance(days * 86_400, world.secretKey)
const addCard = async () => {
  const customer = (await world.service.findTenant('acme')).processorCustomerId ?? ''
  const { id } = await world.stripe.paymentMethods.attach('pm_card_visa', { customer })
  await world.stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } })
}

describe('a trial without a card', () => {
  test.each([
    ['is cancelled at its end by default', {}, 'canceled'],
    ['is cancelled at its end with trial_end: cancel', { trialEnd: 'cancel' }, 'canceled'],
    ['is paused at its end with trial_end: pause', { trialEnd: 'pause' }, 'paused'],
  ] as const)('%s', async (_what, more, status) => {
    await takeWithoutCard(await buy('team_monthly', { ...cardless, ...more }))
    expect((await subscription())?.status).toBe('trialing')
    advance(15)
    expect((await subscription())?.status).toBe(status)
    // Nothing is asked of the customer but the trial's own invoice of 0.
    const { data } = await world.stripe.invoices.list()
    expect(data.map(({ total, status: paid }) => [total, paid])).toEqual([[0, 'paid']])
  })

  test.each(['cancel', 'pause'] as const)(
    'continues as a paid subscription if a card was added in time (%s)',
    async (trialEnd) => {
      await takeWithoutCard(await buy('team_monthly', { ...cardless, trialEnd }))
      await addCard()
      advance(15)
      expect((await subscription())?.status).toBe('active')
      const { data } = await world.stripe.invoices.list()
      expect(data.map(({ total, status: paid }) => [total, paid])).toContainEqual([900, 'paid'])
    },
  )

  test('is resumed and billed when a card is added after the trial was paused', async () => {
    await takeWithoutCard(await buy('team_monthly', { ...cardless, trialEnd: 'pause' }))
    advance(15)
    await addCard()
    await world.stripe.subscriptions.resume((await subscription())?.id ?? '')
    expect((await subscription())?.status).toBe('active')
    const { data } = await world.stripe.invoices.list()
    expect(data[0]).toMatchObject({ total: 900, status: 'paid' })
  })

  test('uses up the trial of the product: another trial is refused, and the price is then sold with a card and without a trial', async () => {
    await takeWithoutCard(await buy('storage', { paymentMethodCollection: 'if_required' }))
    advance(8)
    expect((await subscription())?.status).toBe('canceled')
    await expect(buy('storage', cardless)).rejects.toMatchObject({ code: 'trial_used' })
    const page = await buy('storage', { paymentMethodCollection: 'if_required' })
    expect(page).toMatchObject({ trial: 'used' })
    expect(await (await fetch(page.url)).text()).toContain('Card number')
    expect((await world.pay(page.url)).status).toBe(303)
    expect((await subscription())?.status).toBe('active')
  })

  test('still counts as the tenant’s subscription while its subscription is paused', async () => {
    await takeWithoutCard(await buy('team_monthly', { ...cardless, trialEnd: 'pause' }))
    advance(15)
    await expect(buy('team_monthly')).rejects.toMatchObject({ code: 'already_subscribed' })
    expect((await world.service.tenantSubscriptions('acme')).billingStatus).toBe('paused')
  })
})
