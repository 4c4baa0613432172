// What a tenant may use, and its grants, in the dashboard; and limits on the price list.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../support/programs/chromium.ts'
import { announceSkip } from '../support/skips.ts'
import { openDashboard, type DashboardWorld } from './dashboard-world.ts'

if (chromiumPath === null) announceSkip('Chromium', 'it is not installed; on Debian: apt-get install chromium')

let world: DashboardWorld

beforeAll(async () => {
  if (chromiumPath === null) return
  world = await openDashboard()
  await world.client.admin.push({
    version: '1.0.0',
    features: [{ id: 'projects', name: 'Projects', type: 'limit', unit: { one: 'project', other: 'projects' } }],
    products: [
      {
        ...{ id: 'pro', name: 'Pro', features: [{ id: 'projects', limit: 1200 }] },
        prices: [
          { id: 'free', amount: 0, currency: 'usd', currency_options: { eur: { amount: 0 }, gbp: { amount: 0 } } },
        ],
      },
    ],
  })
  await world.client.tenants.create({ id: 'acme', name: 'Acme' })
})

afterAll(async () => {
  if (chromiumPath !== null) await world.close()
})

describe.skipIf(chromiumPath === null)('the dashboard in a browser:', () => {
  test('the price list shows the limits of a product, and the currencies in which it is free', async () => {
    const { page, open, context } = await world.signIn(world.key)
    await open('prices')
    await page.getByText('1,200 projects').waitFor()
    await page.getByText('Also free in EUR, GBP.').waitFor()
    await context.close()
  })

  test('an extra limit for a tenant is granted after a confirmation, applies immediately, and can be removed again', async () => {
    const { page, open, context, failures } = await world.signIn(world.key)
    await open('tenants/acme')
    await page.getByRole('button', { name: 'Give a grant …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Limit (a whole number, or unlimited)').fill('50')
    await dialog.getByLabel('Note').fill('while they migrate')
    await dialog.getByRole('button', { name: 'Give the grant' }).click()
    const grants = page.getByRole('table', { name: 'Grants' })
    await grants.getByText('50 more').waitFor()
    await page.getByRole('table', { name: 'Features and limits' }).getByText('50').first().waitFor()
    expect(await world.client.tenants.grants('acme')).toMatchObject([
      { feature: 'projects', limit: 50, note: 'while they migrate', endsAt: null },
    ])
    await page.getByRole('button', { name: 'Remove the grant of projects' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the grant' }).click()
    await grants.waitFor({ state: 'detached' })
    expect(await world.client.tenants.grants('acme')).toEqual([])
    const { entries } = await world.client.tenants.audit('acme')
    expect(entries.map(({ action }) => action)).toEqual(expect.arrayContaining(['grant_given', 'grant_removed']))
    expect(failures).toEqual([])
    await context.close()
  })
})
