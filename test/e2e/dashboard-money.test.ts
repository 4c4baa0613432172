// Pages that show data of the mirror, in Chromium with the real service: a shop with a subscriber on an earlier price.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../packages/client/src/client.ts'
import { changedConfig, sampleConfig } from '../support/app.ts'
import { chromiumPath } from '../support/chromium.ts'
import { announceSkip } from '../support/skips.ts'
import { narrow, openDashboard, overflowOf, seriousFindings } from './dashboard-world.ts'
import type { DashboardWorld } from './dashboard-world.ts'

if (chromiumPath === null) announceSkip('Chromium', 'it is not installed; on Debian: apt-get install chromium')

let world: DashboardWorld
let client: Client

beforeAll(async () => {
  if (chromiumPath === null) return
  world = await openDashboard({ RATECARD_MIRROR: 'on', RATECARD_MIRROR_POLL_SECONDS: '1' })
  ;({ client } = world)
  await client.admin.push(sampleConfig())
  await client.tenants.create({ id: 'early', name: 'Early bird' })
  await pay('early')
  await client.admin.push(
    changedConfig('2.0.0', ({ products }) => void Object.assign(products[1]?.prices?.[0] ?? {}, { amount: 1500 })),
    { approveImpact: true },
  )
  // More tenants than a page of the API, so that a search in the browser alone would miss the last one.
  for (let number = 0; number < 120; number += 20)
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        client.tenants.create({ id: `t${String(number + index).padStart(4, '0')}`, name: 'One of many' }),
      ),
    )
  await client.tenants.create({ id: 'zz', name: 'Żółta łódź' })
  await until(async () => (await client.tenants.list({ legacy: true })).tenants.length === 1)
})
afterAll(async () => {
  if (chromiumPath !== null) await world.close()
})

/** Waits until the mirror shows what happened at the processor. */
async function until(isShown: () => Promise<boolean>): Promise<void> {
  while (!(await isShown())) await new Promise((resolve) => setTimeout(resolve, 100))
}

const pay = async (tenantId: string) => {
  const back = 'http://127.0.0.1:3000'
  const order = { priceId: 'pro_monthly', quantity: 3, tenantId, successUrl: back, cancelUrl: back }
  const { url } = await client.checkout.create(order)
  const form = new URLSearchParams({ action: 'pay', number: '4242 4242 4242 4242' })
  expect((await fetch(url, { method: 'POST', body: form, redirect: 'manual' })).status).toBe(303)
}

describe.skipIf(chromiumPath === null)('the dashboard in a browser:', () => {
  test('the overview shows revenue, debts, the last pushes and open problems', async () => {
    const { page, open, failures } = await world.signIn(world.key)
    await open('')
    await page.waitForURL('**/dashboard/overview')
    await page.getByText('$36.00').first().waitFor()
    await page.getByText('No tenant is past due').waitFor()
    await page.getByRole('row', { name: /2, version 2\.0\.0/ }).waitFor()
    await page.getByRole('heading', { name: 'Open problems' }).waitFor()
    expect(failures).toEqual([])
  })

  test('a tenant is found by a part of its name without accents, and by its price and state', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('tenants')
    await page.getByLabel('Search').fill('ŁODZ')
    await page.getByRole('link', { name: 'Żółta łódź' }).waitFor()
    await page.getByLabel('Search').fill('')
    await page.getByLabel('On an earlier price').check()
    const row = page.getByRole('row', { name: /Early bird/ })
    await row.waitFor()
    expect((await row.innerText()).replaceAll(/\s+/g, ' ')).toMatch(/Active pro earlier price \$36\.00/)
    await page.getByLabel('State').selectOption('past_due')
    await page.getByText('No tenant found').waitFor()
  })

  test('a subscriber on a former price is moved from the price list, after the amounts were shown', async () => {
    const { page, open, failures } = await world.signIn(world.key)
    await open('prices')
    await page.getByText('1 on an earlier price').waitFor()
    await page.getByRole('link', { name: '1 subscription of pro_monthly' }).click()
    await page.getByRole('row', { name: /early Active earlier price \$12\.00 3/ }).waitFor()
    await page.getByRole('button', { name: 'Move subscribers …' }).click()
    await page.getByRole('dialog').getByText('$36.00 per month before').waitFor()
    await page.getByRole('button', { name: 'Move 1 subscription' }).click()
    await page.waitForURL('**/dashboard/jobs/**')
    await page.getByText('pro_monthly').first().waitFor()
    expect(failures).toEqual([])
  })

  test.each(['light', 'dark'] as const)(
    'the pages of the mirror have no serious finding of axe, nor are wider than a phone: %s',
    async (scheme) => {
      const { page, open, failures } = await world.signIn(world.key, { scheme })
      // Adds days to the response, because the charts need several and the mirror is new.
      await page.route('**/billing/admin/money/days', (route) => route.fulfill({ json: daysOf(60) }))
      const found: string[] = []
      for (const where of ['overview', 'prices', 'prices/pro_monthly', 'tenants', 'tenants/early']) {
        await page.setViewportSize({ width: 1280, height: 900 })
        await open(where)
        found.push(...(await seriousFindings(page)).map((finding) => `${where} ${finding}`))
        await narrow(page)
        const wider = await overflowOf(page)
        if (wider > 0) found.push(`${where} is ${String(wider)} px wider than the phone`)
      }
      expect(found).toEqual([])
      await page.setViewportSize({ width: 1280, height: 900 })
      await open('overview')
      await page.locator('.chart canvas').nth(1).waitFor()
      expect(failures).toEqual([])
    },
  )

  test('the page of a tenant lists its invoices', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('tenants/early')
    const row = page.getByRole('row', { name: /Paid .*\$36\.00/ })
    await row.waitFor()
  })
})

/** Returns a response of `GET money/days` with a push in the middle. */
function daysOf(count: number) {
  const dayMs = 24 * 60 * 60 * 1000
  const formatted = '$1.00'
  const at = (index: number) => new Date(Date.now() - (count - index) * dayMs).toISOString()
  const zero = (name: string) => ({ [name]: '0', [`${name}_formatted`]: formatted })
  const days = Array.from({ length: count }, (_, index) => ({
    ...{ day: at(index).slice(0, 10), currency: 'usd', mrr: String(100_000 + index * 1500), formatted },
    ...{ by_product: [], new: String(index % 7 === 0 ? 9000 : 1500), new_formatted: formatted },
    ...{ churn: String(index % 5 === 0 ? 4000 : 0), churn_formatted: formatted },
    ...zero('usage_last_period'),
    ...zero('expansion'),
    ...zero('contraction'),
    ...zero('reactivation'),
    ...zero('past_due'),
  }))
  const pushes = [{ revision: 2, version: '2.0.0', at: at(Math.floor(count / 2)), by: 'Zoë' }]
  return { as_of: new Date().toISOString(), days, pushes }
}
