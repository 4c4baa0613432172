// Pages that show data of the mirror, in Chromium with the real service: a shop with a subscriber on an earlier price.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../packages/client/src/client.ts'
import { changedConfig, sampleConfig } from '../support/app.ts'
import { chromiumPath } from '../support/programs/chromium.ts'
import { showDays } from '../support/generated/money-days.ts'
import { announceSkip } from '../support/skips.ts'
import { findingsAtAllWidths, openDashboard, type DashboardWorld } from './dashboard-world.ts'

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
  test('the overview shows revenue, unpaid amounts, the last pushes and open problems', async () => {
    const { page, open, failures } = await world.signIn(world.key)
    await open('')
    await page.waitForURL('**/dashboard/overview')
    await page.getByText('$36.00').first().waitFor()
    await page.getByText('No tenant is past due').waitFor()
    await page.getByRole('row', { name: /^2 .*pro_monthly \$12\.00.* → \$15\.00/ }).waitFor()
    await page.getByRole('heading', { name: 'Open problems' }).waitFor()
    expect(failures).toEqual([])
  })

  test('a tenant can be found by a part of its name without accents, by its price and by its state', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('tenants')
    await page.getByLabel('Search').fill('ŁODZ')
    await page.getByRole('link', { name: 'Żółta łódź' }).waitFor()
    await page.getByLabel('Search').fill('')
    await page.getByLabel('On an earlier price').check()
    const row = page.getByRole('row', { name: /Early bird/ })
    await row.waitFor()
    expect((await row.innerText()).replaceAll(/\s+/g, ' ')).toMatch(/Active Pro pro earlier price \$36\.00/)
    await page.getByLabel('State').selectOption('past_due')
    await page.getByText('No tenant found').waitFor()
  })

  test('a subscriber on a former price can be moved from the price list page, after the amounts were shown', async () => {
    const { page, open, failures } = await world.signIn(world.key)
    await open('prices')
    await page.getByText('1 on an earlier price').waitFor()
    await page.getByRole('link', { name: '1 paying subscription of pro_monthly' }).click()
    await page.getByRole('row', { name: /early Active earlier price \$12\.00 3/ }).waitFor()
    await page.getByRole('button', { name: 'Move subscribers …' }).click()
    await page.getByRole('dialog').getByText('$36.00 per month before').waitFor()
    await page.getByRole('button', { name: 'Move 1 subscription' }).click()
    await page.waitForURL('**/dashboard/jobs/**')
    await page.getByText('pro_monthly').first().waitFor()
    expect(failures).toEqual([])
  })

  test('pages with data of the mirror have no accessibility finding of axe, light or dark, and fit on a phone', async () => {
    const visit = await world.signIn(world.key)
    const { page, open, failures } = visit
    await showDays(page, 'usd')
    const pages = ['overview', 'prices', 'prices/pro_monthly', 'tenants', 'tenants/early']
    expect(await findingsAtAllWidths(visit, pages)).toEqual([])
    await page.setViewportSize({ width: 1280, height: 900 })
    await open('overview')
    await page.locator('.chart canvas').nth(1).waitFor()
    expect(failures).toEqual([])
  })

  test('the page of a tenant lists the tenant’s credits, and adds a credit after its amount was confirmed', async () => {
    const { page, open, failures } = await world.signIn(world.key)
    await open('tenants/early')
    await page.getByRole('button', { name: 'Add credit …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add credit to Early bird' })
    await dialog.getByLabel('Amount').fill('12.50')
    await dialog.getByLabel('Reason').fill('Sorry for Monday')
    expect((await client.credits.list('early')).credits).toEqual([])
    await dialog.getByRole('button', { name: 'Add $12.50 of credit' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /Sorry for Monday/ }).waitFor()
    expect((await client.credits.list('early')).balance).toEqual([
      { currency: 'usd', amount: 1250, formatted: '$12.50' },
    ])
    expect(failures).toEqual([])
  })

  test('the page of a tenant lists the tenant’s invoices', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('tenants/early')
    const row = page.getByRole('row', { name: /Paid .*\$36\.00/ })
    await row.waitFor()
  })
})
