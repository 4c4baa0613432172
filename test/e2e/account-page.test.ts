// The example of an account page in a browser: a customer changes plan and seats, cancels, comes back, and reads its invoices.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@ratecard/client'
import type { Client } from '@ratecard/client'
import type { Browser, Page } from 'playwright-core'
import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer } from '../../packages/ratecard/src/composition/main.ts'
import type { RunningServer } from '../../packages/ratecard/src/composition/main.ts'
import { chromiumPath, launchChromium } from '../support/chromium.ts'
import { freePort } from '../support/local-programs.ts'
import { announceSkip } from '../support/skips.ts'

if (chromiumPath === null) announceSkip('Chromium', 'it is not installed; on Debian: apt-get install chromium')

const example = fileURLToPath(new URL('../../examples/account-page', import.meta.url))
const serviceKey = 'a-service-key-for-the-account'
const home = mkdtempSync(path.join(tmpdir(), 'ratecard-account-'))
let server: RunningServer
let page: ChildProcess
let pageUrl: string
let client: Client
let stripe: Stripe
let browser: Browser

beforeAll(async () => {
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
  const { hostname, port } = new URL(server.sandboxUrl ?? '')
  const key = readFileSync(path.join(home, 'sandbox-key'), 'utf8').trim()
  stripe = new Stripe(key, { host: hostname, port, protocol: 'http', telemetry: false, maxNetworkRetries: 0 })
  await client.admin.push(
    JSON.parse(readFileSync(path.join(example, 'ratecard/billing/billing.json'), 'utf8')) as object,
  )
  const own = String(await freePort())
  pageUrl = `http://127.0.0.1:${own}`
  page = spawn(process.execPath, [path.join(example, 'server.mjs')], {
    env: {
      PATH: process.env['PATH'],
      PORT: own,
      RATECARD_API_URL: server.url,
      RATECARD_SERVICE_KEY: serviceKey,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise<void>((resolve, reject) => {
    page.stdout?.once('data', () => {
      resolve()
    })
    page.once('exit', (code) => {
      reject(new Error(`the server of the page ended with ${String(code)}`))
    })
  })
  if (chromiumPath !== null) browser = await launchChromium()
})

afterAll(async () => {
  if (chromiumPath !== null) await browser.close()
  const ended = new Promise((resolve) => page.once('exit', resolve))
  page.kill()
  await ended
  await server.close()
  rmSync(home, { recursive: true, force: true })
})

/** A tenant with a subscription to Solo since 1 January 2031, on a test clock that stands still. */
async function soloCustomer(tenantId: string): Promise<string> {
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: Date.UTC(2031, 0, 1) / 1000 })
  const { id: customer } = await stripe.customers.create({ test_clock: clock.id })
  const { id: card } = await stripe.paymentMethods.attach('pm_card_visa', { customer })
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card } })
  const { price } = await client.billing.price('solo_monthly')
  await stripe.subscriptions.create({ customer, items: [{ price: price.processor_id ?? '' }] })
  await client.tenants.create({ id: tenantId, name: tenantId, processorCustomerId: customer })
  return customer
}

const present = (open: Page) => open.locator('#present p').allTextContents()
const notice = (open: Page, text: string) => open.locator('#notice', { hasText: text }).waitFor()

test.skipIf(chromiumPath === null)(
  'a customer changes the plan and the seats, cancels and resumes, and each invoice equals the amount that the page showed',
  async () => {
    const customer = await soloCustomer('glazeworks')
    const context = await browser.newContext({ timezoneId: 'UTC' })
    try {
      const open = await context.newPage()
      const failures: string[] = []
      open.on('pageerror', (error) => failures.push(error.message))
      await open.goto(pageUrl)
      await open.getByRole('button', { name: 'Sign in' }).click()
      await open.getByText('Solo, per month × 1 (active)').waitFor()
      expect(await present(open)).toEqual(['Solo, per month × 1 (active)', 'It renews on February 1, 2031.'])

      await open.getByRole('combobox', { name: 'Plan' }).selectOption('Crew, per month')
      await open.getByLabel('Seats').fill('7')
      await open.getByRole('button', { name: 'Show the cost' }).click()
      const dialog = open.getByRole('dialog')
      await dialog.waitFor()
      expect(await dialog.locator('dd').allTextContents()).toEqual([
        ...['at once', '€58.00'],
        ...['€70.00 on February 1, 2031', '€12.00 → €70.00'],
      ])
      await dialog.getByRole('button', { name: 'Not now' }).click()
      await notice(open, 'Nothing was changed.')
      await open.getByRole('button', { name: 'Show the cost' }).click()
      await dialog.getByRole('button', { name: 'Confirm' }).click()
      await notice(open, 'Your plan has changed.')
      expect((await present(open))[0]).toBe('Crew, per month × 7 (active)')

      await open.getByLabel('Seats').fill('5')
      await open.getByRole('button', { name: 'Show the cost' }).click()
      await dialog.getByRole('button', { name: 'Confirm' }).click()
      await notice(open, 'Your plan changes on February 1, 2031.')
      expect(await present(open)).toContain('From February 1, 2031: Crew, per month × 5')
      await open.getByRole('button', { name: 'Keep it as it is' }).click()
      await notice(open, 'Your plan goes on.')

      await open.getByRole('button', { name: 'Cancel' }).click()
      await notice(open, 'Your plan ends with its period.')
      expect(await present(open)).toContain('It ends on February 1, 2031.')
      await open.getByRole('button', { name: 'Keep it as it is' }).click()
      await notice(open, 'Your plan goes on.')
      expect(await present(open)).toEqual(['Crew, per month × 7 (active)', 'It renews on February 1, 2031.'])

      // Invoices come from the mirror, which reads them some seconds later.
      await expect
        .poll(async () => {
          await open.reload()
          await open.getByText('It renews on').waitFor()
          return open.locator('#invoices tr').count()
        })
        .toBe(2)
      // Both were made at the same moment of the clock, so that neither is newer.
      const shown = await open.locator('#invoices td:nth-child(3)').allTextContents()
      expect(shown.sort()).toEqual(['€12.00', '€58.00'])
      const { data } = await stripe.invoices.list({ customer })
      expect(data.map(({ total }) => total)).toEqual([5800, 1200])
      expect(failures).toEqual([])
    } finally {
      await context.close()
    }
  },
)

test.skipIf(chromiumPath === null)(
  'a visitor without a session sees the message that they are signed out',
  async () => {
    const context = await browser.newContext()
    try {
      const open = await context.newPage()
      await open.goto(`${pageUrl}/account`)
      await notice(open, 'You are signed out.')
    } finally {
      await context.close()
    }
  },
)
