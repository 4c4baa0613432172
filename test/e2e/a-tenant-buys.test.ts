// The whole workflow in a browser: price list, checkout, webhook, negotiated prices, and renewals on the sandbox's clock.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@ratecard/client'
import type { Client } from '@ratecard/client'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer } from '../../packages/ratecard/src/composition/main.ts'
import type { RunningServer } from '../../packages/ratecard/src/composition/main.ts'
import { freePort } from '../support/local-programs.ts'
import { announceSkip } from '../support/skips.ts'

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((file) => existsSync(file))
if (executablePath === undefined) announceSkip('Chromium', 'it is not installed; on Debian: apt-get install chromium')

const example = fileURLToPath(new URL('../../examples/checkout-node', import.meta.url))
const serviceKey = 'a-service-key-for-this-story'
const home = mkdtempSync(path.join(tmpdir(), 'ratecard-story-'))
const tenantId = 'glazeworks'
let server: RunningServer
let shop: ChildProcess
let shopUrl: string
let client: Client
let stripe: Stripe

beforeAll(async () => {
  process.env['HOME'] = home
  server = await startServer({
    env: {
      RATECARD_PORT: '0',
      RATECARD_SANDBOX_PORT: '0',
      RATECARD_DATA_DIR: home,
      RATECARD_SERVICE_KEY: serviceKey,
      RATECARD_LOG_LEVEL: 'error',
      RATECARD_WORKERS: 'off',
    },
    out: () => undefined,
  })
  client = createClient({ baseUrl: server.url, serviceKey })
  const sandbox = new URL(server.sandboxUrl ?? '')
  stripe = new Stripe(sandboxKey(), {
    host: sandbox.hostname,
    port: sandbox.port,
    protocol: 'http',
    telemetry: false,
    maxNetworkRetries: 0,
  })
  const port = await freePort()
  shopUrl = `http://127.0.0.1:${String(port)}`
  const document = readFileSync(path.join(example, 'ratecard/billing/billing.json'), 'utf8')
  await client.admin.push(JSON.parse(document.replace('${SHOP_URL}', shopUrl)) as object)
  shop = spawn(process.execPath, [path.join(example, 'shop.mjs')], {
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      RATECARD_API_URL: server.url,
      RATECARD_SERVICE_KEY: serviceKey,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise<void>((resolve, reject) => {
    shop.stdout?.once('data', () => resolve())
    shop.once('exit', (code) => reject(new Error(`the shop ended with ${String(code)}`)))
  })
})

afterAll(async () => {
  const ended = new Promise((resolve) => shop.once('exit', resolve))
  shop.kill()
  await ended
  await server.close()
  rmSync(home, { recursive: true, force: true })
})

const sandboxKey = () => readFileSync(path.join(home, 'sandbox-key'), 'utf8').trim()

function launch(): Promise<Browser> {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic']
  const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', ...quiet]
  return chromium.launch({ executablePath: executablePath ?? '', args })
}

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
  const answer = await fetch(new URL('/_sandbox/clock', server.sandboxUrl ?? ''), {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${sandboxKey()}:`).toString('base64')}` },
    body: JSON.stringify({ advance_seconds: 31 * 86_400 + 7200 }),
  })
  expect(answer.status).toBe(200)
}

test.skipIf(executablePath === undefined)(
  'a tenant buys in a browser and gets its negotiated price, and each renewal bills the agreed amount',
  async () => {
    const browser = await launch()
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
