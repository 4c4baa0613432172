// What a page weighs over the wire at its first visit, with 200 products, and how far its parts move while it loads.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../support/programs/chromium.ts'
import { manyPrices } from '../support/shop/filled-service.ts'
import { payPage } from '../support/shop/pay-page.ts'
import { announceSkip } from '../support/skips.ts'
import { openDashboard, settled, type DashboardWorld } from './dashboard-world.ts'

if (chromiumPath === null) announceSkip('Chromium', 'it is not installed; on Debian: apt-get install chromium')

let world: DashboardWorld
const products = 200

beforeAll(async () => {
  if (chromiumPath === null) return
  world = await openDashboard({ RATECARD_MIRROR: 'on', RATECARD_MIRROR_POLL_SECONDS: '1' })
  const { client } = world
  const prices = manyPrices('1.0.0', 500)
  await client.admin.push(prices)
  await client.tenants.create({ id: 'acme', name: 'Acme' })
  const back = 'http://127.0.0.1:3000'
  const priceId = prices.products[0]?.prices?.[0]?.id ?? ''
  await payPage((await client.checkout.create({ priceId, tenantId: 'acme', successUrl: back, cancelUrl: back })).url)
})
afterAll(async () => {
  if (chromiumPath !== null) await world.close()
})

/** Adds up the layout shifts of the page. A shift after an input of the user does not count. */
const watchShifts = `globalThis.shifted = 0
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifted += entry.value
}).observe({ type: 'layout-shift', buffered: true })`

/** Opens a page with an empty cache. Returns its bytes over the wire, headers included. */
async function weigh(page: Page, url: string): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.clearBrowserCache')
  let bytes = 0
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
  await page.goto(url)
  await page.locator('main h1').waitFor()
  await settled(page)
  await page.waitForLoadState('networkidle')
  await session.detach()
  return bytes
}

describe.skipIf(chromiumPath === null)(`the dashboard with ${String(products)} products:`, () => {
  test.each([
    ['overview', 160_000],
    ['prices', 180_000],
    ['tenants', 160_000],
    ['history', 160_000],
    ['coverage', 160_000],
    ['health', 160_000],
    ['tenants/acme', 200_000],
  ])('%s weighs at most %i bytes, and shifts its parts by at most 0.02', async (where, most) => {
    const { page, context } = await world.signIn(world.key, { before: watchShifts })
    expect((await world.client.admin.config()).config.products.length).toBeGreaterThanOrEqual(products)
    const bytes = await weigh(page, `${world.server.url}/dashboard/${where}`)
    expect({ where, bytes, isLight: bytes <= most }).toEqual({ where, bytes, isLight: true })
    const shifted = await page.evaluate<number>('globalThis.shifted')
    expect({ where, shifted, isStill: shifted <= 0.02 }).toEqual({ where, shifted, isStill: true })
    await context.close()
  })
})
