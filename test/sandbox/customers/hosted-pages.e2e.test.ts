// The pages that the sandbox hosts in place of Stripe's, in a browser.
import type Stripe from 'stripe'
import { expect, test } from 'vitest'
import { findingsOf } from '../../support/programs/axe.ts'
import { chromiumPath, launchChromium } from '../../support/programs/chromium.ts'
import { announceSkip } from '../../support/skips.ts'
import { customerShop, type CustomerShop } from './customer-shop.ts'

if (chromiumPath === null) announceSkip('Chromium', 'it is not installed; on Debian: apt-get install chromium')

const back = 'http://127.0.0.1:9/back'

/** Addresses of one page of each kind, by what it shows. */
async function pages({
  stripe,
  monthly,
  subscribed,
  customer,
  product,
}: CustomerShop): Promise<Readonly<Record<string, string>>> {
  const [small, large] = [await monthly(1200), await monthly(4900)]
  await subscribed(small)
  const checkout = (params: Partial<Stripe.Checkout.SessionCreateParams>) =>
    stripe.checkout.sessions.create({ customer, success_url: back, cancel_url: back, ...params })
  const owed = await stripe.customers.create({ email: 'owing@example.test' })
  await stripe.invoiceItems.create({ customer: owed.id, amount: 500, currency: 'usd' })
  const draft = await stripe.invoices.create({
    customer: owed.id,
    collection_method: 'send_invoice',
    days_until_due: 30,
  })
  const asked = await stripe.paymentIntents.create({
    amount: 900,
    currency: 'usd',
    confirm: true,
    payment_method: 'pm_card_threeDSecure2Required',
    return_url: back,
  })
  const { id: configuration } = await stripe.billingPortal.configurations.create({
    features: {
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_cancel: { enabled: true },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price'],
        products: [{ product, prices: [small.id, large.id] }],
      },
    },
  })
  const portal = await stripe.billingPortal.sessions.create({ customer, configuration, return_url: back })
  const subscribing = await checkout({ mode: 'subscription', line_items: [{ price: large.id, quantity: 2 }] })
  return {
    'a checkout': subscribing.url ?? '',
    'a checkout of a card': (await checkout({ mode: 'setup', currency: 'usd' })).url ?? '',
    'the portal': portal.url,
    'an open invoice': (await stripe.invoices.finalizeInvoice(draft.id ?? '')).hosted_invoice_url ?? '',
    'a question of the bank': asked.next_action?.redirect_to_url?.url ?? '',
    'no page': new URL('/portal/nothing', portal.url).href,
  }
}

test.skipIf(chromiumPath === null)(
  'no page of the sandbox has a finding of axe, light or dark, or is wider than a phone',
  async () => {
    const found: string[] = []
    await using browser = await launchChromium()
    for (const [name, url] of Object.entries(await pages(await customerShop())))
      for (const colorScheme of ['light', 'dark'] as const)
        for (const width of [1280, 390]) {
          const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } })
          const page = await context.newPage()
          await page.goto(url)
          await page.getByRole('heading', { level: 1 }).waitFor()
          for (const finding of await findingsOf(page)) found.push(`${name}, ${colorScheme}, ${width}: ${finding}`)
          expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(width)
          await context.close()
        }
    expect(found).toEqual([])
  },
)
