// The example of an account page in a browser: a customer changes plan and seats, cancels, comes back, and reads its invoices.
import type { Client } from '@ratecard/client'
import type { Browser, Page } from 'playwright-core'
import type Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findingsOf } from '../../support/programs/axe.ts'
import { chromiumPath, launchChromium } from '../../support/programs/chromium.ts'
import { startExample, type RunningExample } from '../../support/programs/running-example.ts'
import { announceSkip } from '../../support/skips.ts'

if (chromiumPath === null) announceSkip('Chromium', 'it is not installed; on Debian: apt-get install chromium')

let example: RunningExample
let pageUrl: string
let client: Client
let stripe: Stripe
let browser: Browser

beforeAll(async () => {
  example = await startExample('account-page', 'server.mjs')
  ;({ url: pageUrl, client, stripe } = example)
  if (chromiumPath !== null) browser = await launchChromium()
})

afterAll(async () => {
  if (chromiumPath !== null) await browser.close()
  await example.close()
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
/** Findings of axe on the page as it is, light and dark. */
async function findingsOfBoth(open: Page): Promise<readonly string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await open.emulateMedia({ colorScheme })
    found.push(...(await findingsOf(open)))
  }
  return found
}
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
      expect(await findingsOfBoth(open)).toEqual([])
      await open.getByRole('button', { name: 'Sign in' }).click()
      await open.getByText(/^Solo, per month × 1, .+ each \(active\)$/).waitFor()
      expect(await present(open)).toEqual([
        'Solo, per month × 1, €12.00 each (active)',
        'It renews on February 1, 2031.',
      ])
      expect(await findingsOfBoth(open)).toEqual([])

      await open.getByRole('combobox', { name: 'Plan' }).selectOption('Crew, per month')
      await open.getByLabel('Seats').fill('7')
      await open.getByRole('button', { name: 'Show the cost' }).click()
      const dialog = open.getByRole('dialog')
      await dialog.waitFor()
      expect(await findingsOfBoth(open)).toEqual([])
      expect(await dialog.locator('dd').allTextContents()).toEqual([
        ...['at once', '€58.00'],
        ...['€70.00 on February 1, 2031', '€12.00 → €70.00'],
      ])
      await dialog.getByRole('button', { name: 'Not now' }).click()
      await notice(open, 'Nothing was changed.')
      await open.getByRole('button', { name: 'Show the cost' }).click()
      await dialog.getByRole('button', { name: 'Confirm' }).click()
      await notice(open, 'Your plan has changed.')
      expect((await present(open))[0]).toMatch(/^Crew, per month × 7, .+ each \(active\)$/)

      await open.getByLabel('Seats').fill('5')
      await open.getByRole('button', { name: 'Show the cost' }).click()
      await dialog.getByRole('button', { name: 'Confirm' }).click()
      await notice(open, 'Your plan changes on February 1, 2031.')
      expect(await present(open)).toContain('From February 1, 2031: Crew, per month × 5')
      await open.getByRole('button', { name: 'Keep it as it is' }).click()
      await notice(open, 'Your plan goes on.')

      open.once('dialog', (dialog) => void dialog.accept())
      await open.getByRole('button', { name: 'Cancel the plan' }).click()
      await notice(open, 'Your plan ends with its period.')
      expect(await present(open)).toContain('It ends on February 1, 2031.')
      await open.getByRole('button', { name: 'Keep it as it is' }).click()
      await notice(open, 'Your plan goes on.')
      expect(await present(open)).toEqual([
        expect.stringMatching(/^Crew, per month × 7, .+ each \(active\)$/),
        'It renews on February 1, 2031.',
      ])

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
