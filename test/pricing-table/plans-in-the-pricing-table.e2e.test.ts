// A signed-in customer changes its plan in the pricing table's own dialog, in a real browser.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient, type Client } from '../../packages/client/src/client.ts'
import { buildPricingTable } from '../../packages/pricing-table/build.mjs'
import { startServer, type RunningServer } from '../../packages/ratecard/src/server/composition/main.ts'
import { findingsOf } from '../support/programs/axe.ts'
import { chromiumPath, launchChromium } from '../support/programs/chromium.ts'
import { announceSkip } from '../support/skips.ts'
import { openShop, type ShopPages } from './shop-pages.ts'

if (chromiumPath === null) announceSkip('Chromium', 'it is not installed; on Debian: apt-get install chromium')

const plan = (id: string, name: string, amount: number, more: object = {}) => ({
  id,
  name,
  subscription_group: 'plan',
  prices: [{ id, amount, currency: 'usd', interval: 'month' }],
  ...more,
})
const document = {
  version: '1.0.0',
  products: [
    plan('basic', 'Basic', 3000),
    plan('pro', 'Pro', 9000, { ui: { cta_text: 'Buy Pro' } }),
    plan('team', 'Team', 1000, { unit_label: 'seat' }),
  ],
}

interface Place {
  readonly server: RunningServer
  readonly client: Client
  readonly stripe: Stripe
  readonly close: () => Promise<void>
}

async function openPlace(settings: Readonly<Record<string, string>> = {}): Promise<Place> {
  const home = mkdtempSync(path.join(tmpdir(), 'ratecard-plans-'))
  const server = await startServer({
    env: {
      RATECARD_PORT: '0',
      RATECARD_SANDBOX_PORT: '0',
      RATECARD_DATA_DIR: home,
      RATECARD_SERVICE_KEY: 'a-service-key-for-the-plans',
      RATECARD_LOG_LEVEL: 'error',
      RATECARD_WORKERS: 'off',
      ...settings,
    },
    out: () => undefined,
  })
  const client = createClient({ baseUrl: server.url, serviceKey: 'a-service-key-for-the-plans' })
  const { hostname, port } = new URL(server.sandboxUrl ?? '')
  const key = readFileSync(path.join(home, 'sandbox-key'), 'utf8').trim()
  const stripe = new Stripe(key, { host: hostname, port, protocol: 'http', telemetry: false, maxNetworkRetries: 0 })
  await client.admin.push(document)
  return {
    server,
    client,
    stripe,
    async close() {
      await server.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

let place: Place
let shop: ShopPages
let browser: Browser
beforeAll(async () => {
  await buildPricingTable()
  place = await openPlace()
  shop = await openShop(place.server.url)
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(async () => {
  if (chromiumPath !== null) await browser.close()
  await shop.close()
  await place.close()
})

interface Subscriber {
  readonly customer: string
  readonly subscription: string
  readonly session: string
}

/** A tenant with a subscription that began on 1 January 2031, on a test clock that stands still, so that all amounts are whole. */
async function subscriber(
  { client, stripe }: Place,
  tenantId: string,
  priceId: string,
  quantity = 1,
): Promise<Subscriber> {
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: Date.UTC(2031, 0, 1) / 1000 })
  const { id: customer } = await stripe.customers.create({ test_clock: clock.id })
  await pays(stripe, customer, 'pm_card_visa')
  const { price } = await client.billing.price(priceId)
  const { id: subscription } = await stripe.subscriptions.create({
    customer,
    items: [{ price: price.processor_id ?? '', quantity }],
  })
  await client.tenants.create({ id: tenantId, name: tenantId, processorCustomerId: customer })
  const { value: session } = await client.sessions.create({ tenantId })
  return { customer, subscription, session }
}

async function pays(stripe: Stripe, customer: string, card: string): Promise<void> {
  const { id } = await stripe.paymentMethods.attach(card, { customer })
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } })
}

interface Visit {
  readonly page: Page
  readonly failures: string[]
}

interface Surroundings {
  readonly pages?: ShopPages
  readonly at?: Place
  readonly colorScheme?: 'light' | 'dark'
}

/** Opens the table as the tenant of the session. */
async function withTable(
  { session }: Subscriber,
  attributes: string,
  use: (visit: Visit) => Promise<void>,
  { pages = shop, at = place, colorScheme = 'light' }: Surroundings = {},
): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: 1000, height: 800 },
    locale: 'en-US',
    timezoneId: 'UTC',
    colorScheme,
  })
  try {
    const { url } = at.server
    await context.addCookies([{ name: 'ratecard_session', value: session, url, httpOnly: true, sameSite: 'Lax' }])
    const page = await context.newPage()
    const failures: string[] = []
    page.on('pageerror', (error) => failures.push(error.message))
    pages.write(
      `<h1>Plans</h1><h2>All</h2><ratecard-pricing-table src="${url}" credentials="include" ${attributes}></ratecard-pricing-table>`,
    )
    await page.goto(`${pages.url}/page.html`)
    await page.locator('[part~=card]').first().waitFor()
    await use({ page, failures })
    expect(failures).toEqual([])
  } finally {
    await context.close()
  }
}

const card = (page: Page, name: string) =>
  page.locator('[part~=card]', { has: page.getByRole('heading', { name, exact: true }) })
const dialogOf = (page: Page) => page.getByRole('dialog')
const texts = async (page: Page, part: string) => dialogOf(page).locator(part).allTextContents()
const totals = async ({ customer }: Subscriber) =>
  (await place.stripe.invoices.list({ customer })).data.map(({ total }) => total).reverse()

const inBrowser = test.skipIf(chromiumPath === null)

describe('a signed-in customer in the pricing table', () => {
  inBrowser('sees the current plan marked, and can change it on the page by default', async () => {
    const buyer = await subscriber(place, 'marked', 'basic')
    await withTable(buyer, '', async ({ page }) => {
      expect(await card(page, 'Basic').locator('[part=current]').textContent()).toBe('Your plan')
      expect(await card(page, 'Basic').getByRole('button').count()).toBe(0)
      const chosen = page.evaluate(
        `new Promise((resolve) => document.addEventListener('ratecard-select', (event) => resolve(event.detail), { once: true }))`,
      )
      await card(page, 'Pro').getByRole('button', { name: 'Switch to Pro' }).click()
      expect(await chosen).toEqual({
        price_id: 'pro',
        quantity: 1,
        currency: 'usd',
        interval: 'month',
        subscription: buyer.subscription,
      })
      expect(await dialogOf(page).count()).toBe(0)
    })
  })

  inBrowser('upgrades with the keyboard at exactly the amount that the dialog showed', async () => {
    const buyer = await subscriber(place, 'upgrader', 'basic')
    await withTable(buyer, 'changes="dialog"', async ({ page }) => {
      await card(page, 'Pro').getByRole('button', { name: 'Switch to Pro' }).focus()
      await page.keyboard.press('Enter')
      await dialogOf(page).locator('[part=preview]').waitFor()
      expect(await dialogOf(page).getByRole('heading').textContent()).toBe('Switch to Pro, monthly')
      expect(await texts(page, 'dt')).toEqual(['Pro, monthly', 'Begins', 'Due now', 'Next invoice', 'Monthly cost'])
      expect(await texts(page, 'dd')).toEqual([
        '$90.00 per month',
        'at once',
        '$60.00',
        '$90.00 on February 1, 2031',
        '$30.00 → $90.00',
      ])
      // The focus is on "Cancel": nothing is confirmed by a key that was pressed too long.
      await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('Enter')
      await dialogOf(page).getByText('Your plan has changed.').waitFor()
      await page.keyboard.press('Enter')
      await card(page, 'Pro').locator('[part=current]').waitFor()
      expect(await dialogOf(page).count()).toBe(0)
      expect(await card(page, 'Basic').getByRole('button', { name: 'Switch to Basic' }).count()).toBe(1)
      expect(await totals(buyer)).toEqual([3000, 6000])
    })
  })

  inBrowser('downgrades at the end of the period, and sees the date of the change', async () => {
    const buyer = await subscriber(place, 'downgrader', 'pro')
    await withTable(buyer, 'changes="dialog"', async ({ page }) => {
      await card(page, 'Basic').getByRole('button').click()
      await dialogOf(page).getByRole('button', { name: 'Confirm' }).click()
      await dialogOf(page).getByText('Your plan changes on February 1, 2031.').waitFor()
      await dialogOf(page).getByRole('button', { name: 'Close' }).click()
      await card(page, 'Basic').getByText('Begins on February 1, 2031').waitFor()
      expect(await card(page, 'Pro').locator('[part=current]').textContent()).toBe('Your plan')
      expect(await totals(buyer)).toEqual([9000])
    })
  })

  inBrowser('adds seats to the current plan', async () => {
    const buyer = await subscriber(place, 'grower', 'team', 7)
    await withTable(buyer, 'changes="dialog"', async ({ page }) => {
      expect(await card(page, 'Team').locator('[part=amount]').textContent()).toBe('$70.00')
      await card(page, 'Team').getByRole('spinbutton').fill('9')
      await card(page, 'Team')
        .getByRole('button', { name: /Change quantity/ })
        .click()
      await dialogOf(page).locator('[part=preview]').waitFor()
      expect(await texts(page, 'dd')).toEqual([
        ...['9', 'at once', '$20.00'],
        ...['$90.00 on February 1, 2031', '$70.00 → $90.00'],
      ])
      await dialogOf(page).getByRole('button', { name: 'Confirm' }).click()
      await dialogOf(page).getByText('Your plan has changed.').waitFor()
      expect(await totals(buyer)).toEqual([7000, 2000])
    })
  })

  inBrowser('adds seats at its earlier price, and reads first what it leaves with another plan', async () => {
    const own = await openPlace()
    const pages = await openShop(own.server.url)
    try {
      const buyer = await subscriber(own, 'faithful', 'team', 7)
      const [basic, pro] = document.products
      await own.client.admin.push({
        version: '1.1.0',
        products: [basic, pro, plan('team', 'Team', 1500, { unit_label: 'seat' })],
      })
      await withTable(
        buyer,
        'changes="dialog"',
        async ({ page }) => {
          await card(page, 'Team').getByRole('spinbutton').fill('9')
          await card(page, 'Team')
            .getByRole('button', { name: /Change quantity/ })
            .click()
          await dialogOf(page).locator('[part=preview]').waitFor()
          expect(await texts(page, 'dd')).toContain('$70.00 → $90.00')
          expect(await texts(page, '[part=warning]')).toEqual([])
          await page.keyboard.press('Escape')
          await card(page, 'Pro').getByRole('button').click()
          await dialogOf(page).locator('[part=preview]').waitFor()
          const first = dialogOf(page).locator('[part=warning], [part=preview]').first()
          expect(await first.textContent()).toBe('Your current price is no longer sold, so you cannot return to it.')
        },
        { pages, at: own },
      )
    } finally {
      await pages.close()
      await own.close()
    }
  })

  inBrowser('sees new amounts and confirms again if the subscription changed after the preview', async () => {
    const buyer = await subscriber(place, 'surprised', 'team', 3)
    await withTable(buyer, 'changes="dialog"', async ({ page }) => {
      await card(page, 'Pro').getByRole('button').click()
      await dialogOf(page).locator('[part=preview]').waitFor()
      // Three seats of one plan become three of the other.
      expect((await texts(page, 'dd')).slice(1, 4)).toEqual(['3', 'at once', '$240.00'])
      const { items } = await place.stripe.subscriptions.retrieve(buyer.subscription)
      const item = { id: items.data[0]?.id ?? '', quantity: 4 }
      await place.stripe.subscriptions.update(buyer.subscription, { items: [item], proration_behavior: 'none' })
      await dialogOf(page).getByRole('button', { name: 'Confirm' }).click()
      await dialogOf(page).getByText('Something has changed in the meantime').waitFor()
      // $360.00 for four, less the three seats that were charged.
      expect(await texts(page, 'dd')).toContain('$330.00')
      await dialogOf(page).getByRole('button', { name: 'Confirm' }).click()
      await dialogOf(page).getByText('Your plan has changed.').waitFor()
    })
  })

  inBrowser(
    'can keep the dialog open while the table is updated, and sees the update when the dialog is closed',
    async () => {
      const buyer = await subscriber(place, 'patient', 'basic')
      await withTable(buyer, 'changes="dialog"', async ({ page }) => {
        const change = card(page, 'Pro').getByRole('button', { name: 'Switch to Pro' })
        await change.click()
        await dialogOf(page).locator('[part=preview]').waitFor()
        await page.evaluate(`document.querySelector('ratecard-pricing-table').texts = { current: 'Mine' }`)
        await page.evaluate(`document.querySelector('ratecard-pricing-table').reload()`)
        expect(await dialogOf(page).locator('[part=preview]').count()).toBe(1)
        expect(await card(page, 'Basic').locator('[part=current]').textContent()).toBe('Your plan')
        await page.keyboard.press('Escape')
        await card(page, 'Basic').getByText('Mine').waitFor()
        // The focus is back on the button that opened the dialog.
        const focused = `document.querySelector('ratecard-pricing-table').shadowRoot.activeElement.dataset.key`
        expect(await page.evaluate(focused)).toBe('cta pro')
      })
    },
  )

  inBrowser('is sent to the payment page when the card is declined, and again until the amount is paid', async () => {
    const buyer = await subscriber(place, 'declined', 'basic')
    await pays(place.stripe, buyer.customer, 'pm_card_chargeCustomerFail')
    await withTable(buyer, 'changes="dialog"', async ({ page }) => {
      await card(page, 'Pro').getByRole('button').click()
      await dialogOf(page).getByRole('button', { name: 'Confirm' }).click()
      await dialogOf(page).getByText('Your payment needs a confirmation').waitFor()
      const address = await dialogOf(page).getByRole('link', { name: 'Go to the payment' }).getAttribute('href')
      expect(address).toMatch(/^http/)
      await dialogOf(page).getByRole('button', { name: 'Close' }).click()
      await expect.poll(() => dialogOf(page).count()).toBe(0)
      await card(page, 'Pro').getByRole('button').click()
      await dialogOf(page).getByText('An invoice is unpaid').waitFor()
      expect(await dialogOf(page).getByRole('link').getAttribute('href')).toBe(address)
      // Escape closes the dialog, and nothing was changed.
      await page.keyboard.press('Escape')
      await expect.poll(() => dialogOf(page).count()).toBe(0)
      expect(await card(page, 'Basic').locator('[part=current]').count()).toBe(1)
    })
  })

  inBrowser('sees a link for plan changes if customers may not change the plan on the page', async () => {
    const strict = await openPlace({ RATECARD_CUSTOMERS_MAY: 'cancel' })
    const pages = await openShop(strict.server.url)
    try {
      const buyer = await subscriber(strict, 'reader', 'basic')
      await withTable(
        buyer,
        'changes="dialog" lang="de"',
        async ({ page }) => {
          await card(page, 'Pro').getByRole('button', { name: 'Zu Pro wechseln' }).click()
          await dialogOf(page).getByText('Diese Änderung ist hier nicht möglich.').waitFor()
        },
        { pages, at: strict },
      )
    } finally {
      await pages.close()
      await strict.close()
    }
  })

  for (const colorScheme of ['light', 'dark'] as const)
    inBrowser(`has no finding of axe in the dialog: ${colorScheme}`, async () => {
      const buyer = await subscriber(place, `seen-${colorScheme}`, 'basic')
      await withTable(
        buyer,
        'changes="dialog"',
        async ({ page }) => {
          await card(page, 'Pro').getByRole('button').click()
          await dialogOf(page).locator('[part=preview]').waitFor()
          expect(await findingsOf(page)).toEqual([])
        },
        { colorScheme },
      )
    })
})
