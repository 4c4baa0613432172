// The whole workflow in a browser: price list, checkout, webhook, negotiated prices, and renewals on the sandbox's clock.
import type { Client } from '@ratecard/client'
import type { Page } from 'playwright-core'
import type Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chromiumPath, launchChromium } from '../../support/programs/chromium.ts'
import { startExample, type RunningExample } from '../../support/programs/running-example.ts'
import { announceSkip } from '../../support/skips.ts'

if (chromiumPath === null) announceSkip('Chromium', 'it is not installed; on Debian: apt-get install chromium')

const tenantId = 'glazeworks'
let example: RunningExample
let shopUrl: string
let client: Client
let stripe: Stripe

beforeAll(async () => {
  example = await startExample('checkout-node', 'shop.mjs')
  ;({ url: shopUrl, client, stripe } = example)
})

afterAll(() => example.close())

async function pay(page: Page, card: string): Promise<void> {
  await page.getByLabel(/card number/i).fill(card)
  await page.getByRole('button', { name: 'Subscribe' }).click()
}

/** Returns the totals of the tenant's invoices so far, oldest first. */
async function invoiceTotals(): Promise<number[]> {
  const { processorCustomerId } = await client.tenants.find(tenantId)
  const { data } = await stripe.invoices.list({ customer: processorCustomerId ?? '', limit: 100 })
  return data.map((invoice) => invoice.total).reverse()
}

/** Advances the clock past the renewal, and past the hour in which its invoice is a draft. */
async function renew(): Promise<void> {
  const answer = await fetch(new URL('/_sandbox/clock', example.sandboxUrl), {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${example.sandboxKey}:`).toString('base64')}` },
    body: JSON.stringify({ advance_seconds: 31 * 86_400 + 7200 }),
  })
  expect(answer.status).toBe(200)
}

test.skipIf(chromiumPath === null)(
  'a tenant buys in a browser and gets its negotiated price, and each renewal bills the agreed amount',
  async () => {
    const browser = await launchChromium()
    try {
      const page = await browser.newPage()
      await page.goto(`${shopUrl}/?tenant=${tenantId}`)
      expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
        'Hobby',
        'Studio, monthly',
        'Studio, yearly',
      ])
      const offer = page.locator('form', { has: page.locator('#buy-kiln_monthly') })
      await offer.getByLabel('Seats').fill('7')
      await offer.getByRole('button', { name: 'Buy' }).click()

      // The checkout page: first a card that is declined, then one that pays.
      await page.waitForURL(/\/pay\//)
      expect(await page.content()).toContain('€343.00')
      await pay(page, '4000 0000 0000 0002')
      await page.getByText('Your card was declined').waitFor()
      await pay(page, '4242 4242 4242 4242')
      await page.waitForURL(`${shopUrl}/account**`)
      expect(await page.locator('#status').textContent()).toBe('active')
      expect(await page.locator('li').allTextContents()).toEqual(['kiln_monthly × 7'])
      await expect
        .poll(async () => {
          await page.reload()
          return page.locator('#webhooks').textContent()
        })
        .toContain('checkout.session.completed')
    } finally {
      await browser.close()
    }

    expect(await invoiceTotals()).toEqual([34_300])
    const applied = await client.enterprise.applyTemplate({ tenantId, enterpriseTemplate: 'school' })
    expect(applied).toMatchObject({ pricesSwapped: 1, swaps: [{ from: 'kiln_monthly', to: 'kiln_monthly_school' }] })
    expect(await invoiceTotals()).toEqual([34_300])
    expect(await client.tenants.upcomingInvoice(tenantId)).toMatchObject({ amountDue: 20_580, formatted: '€205.80' })
    await renew()
    expect(await invoiceTotals()).toEqual([34_300, 20_580])

    await client.enterprise.applyCustom({ tenantId, enterpriseId: 'northclay' })
    expect(await client.tenants.find(tenantId)).toMatchObject({ enterpriseTemplate: null, enterpriseId: 'northclay' })
    await renew()
    expect(await invoiceTotals()).toEqual([34_300, 20_580, 27_300])

    await client.enterprise.remove({ tenantId })
    await renew()
    expect(await invoiceTotals()).toEqual([34_300, 20_580, 27_300, 34_300])
    expect(await client.tenants.subscriptions(tenantId)).toMatchObject({
      billingStatus: 'active',
      subscriptions: [{ items: [{ priceId: 'kiln_monthly', quantity: 7, legacy: false }] }],
    })
    const { entries } = await client.tenants.audit(tenantId)
    expect(entries.map((entry) => entry.action)).toEqual(['remove', 'apply_custom', 'apply_template', 'tenant_created'])
  },
)
