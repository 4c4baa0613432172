// Pages that answer from the mirror, in Chromium against the real service: a shop with a subscriber on an earlier price.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../packages/client/src/client.ts'
import { changedConfig, sampleConfig } from '../support/app.ts'
import { chromiumPath } from '../support/chromium.ts'
import { announceSkip } from '../support/skips.ts'
import { openDashboard } from './dashboard-world.ts'
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
  // More than a page of the API, so that a search in the browser would not find the last one.
  for (let number = 0; number < 120; number += 20)
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        client.tenants.create({ id: `t${String(number + index).padStart(4, '0')}`, name: 'One of many' }),
      ),
    )
  await client.tenants.create({ id: 'zz', name: 'Żółta łódź' })
  await expect
    .poll(async () => (await client.tenants.list({ legacy: true })).tenants.map(({ id }) => id), { timeout: 30_000 })
    .toEqual(['early'])
})
afterAll(async () => {
  if (chromiumPath !== null) await world.close()
})

const pay = async (tenantId: string) => {
  const back = 'http://127.0.0.1:3000'
  const order = { priceId: 'pro_monthly', quantity: 3, tenantId, successUrl: back, cancelUrl: back }
  const { url } = await client.checkout.create(order)
  const form = new URLSearchParams({ action: 'pay', number: '4242 4242 4242 4242' })
  expect((await fetch(url, { method: 'POST', body: form, redirect: 'manual' })).status).toBe(303)
}

describe.skipIf(chromiumPath === null)('the dashboard in a browser', () => {
  test('the overview shows revenue, debts, the last pushes and open problems', async () => {
    const { page, open, failures } = await world.signIn(world.key)
    await open('')
    await page.waitForURL('**/dashboard/overview')
    await page.getByText('$36.00').first().waitFor()
    await page.getByText('Nobody is past due').waitFor()
    await page.getByRole('row', { name: /2, version 2\.0\.0/ }).waitFor()
    await page.getByRole('heading', { name: 'What is wrong now' }).waitFor()
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
    await page.getByRole('dialog').getByText('$36.00 a month before').waitFor()
    await page.getByRole('button', { name: 'Move 1 subscription' }).click()
    await page.waitForURL('**/dashboard/jobs/**')
    await page.getByText('pro_monthly').first().waitFor()
    expect(failures).toEqual([])
  })

  test('the page of a tenant lists its invoices', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('tenants/early')
    const row = page.getByRole('row', { name: /Paid .*\$36\.00/ })
    await row.waitFor()
  })
})
