// A plan that needs the approval of its impact, in Chromium: what the hint names is a button, and the button leads to the applied plan.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changedConfig, sampleConfig } from '../support/app.ts'
import { chromiumPath } from '../support/programs/chromium.ts'
import { announceSkip } from '../support/skips.ts'
import { drop, openDashboard, type DashboardWorld } from './dashboard-world.ts'
import { findingsOf } from '../support/programs/axe.ts'

if (chromiumPath === null) announceSkip('Chromium', 'it is not installed; on Debian: apt-get install chromium')

const approve = 'Approve impact and plan again'
const back = 'http://127.0.0.1:3000'
let world: DashboardWorld

beforeAll(async () => {
  if (chromiumPath === null) return
  world = await openDashboard({ RATECARD_IMPACT_THRESHOLD: '0' })
  const { client } = world
  await client.admin.push(sampleConfig())
  await client.tenants.create({ id: 'acme', name: 'Acme' })
  const order = { priceId: 'pro_monthly', quantity: 3, tenantId: 'acme', successUrl: back, cancelUrl: back }
  const { url } = await client.checkout.create(order)
  const form = new URLSearchParams({ action: 'pay', number: '4242 4242 4242 4242' })
  expect((await fetch(url, { method: 'POST', body: form, redirect: 'manual' })).status).toBe(303)
})
afterAll(async () => {
  if (chromiumPath !== null) await world.close()
})

/** Returns the sample document with another amount for the price that has a subscriber. */
const raised = (version: string, amount: number) =>
  changedConfig(version, ({ products }) => {
    const price = products[1]?.prices?.[0]
    if (price !== undefined) Object.assign(price, { amount })
  })

describe.skipIf(chromiumPath === null)('the dashboard in a browser:', () => {
  test('a plan above the server’s change limit is approved beside its warning, or after its refusal, and then applied', async () => {
    const { page, open, failures } = await world.signIn(world.key)
    const dialog = page.getByRole('dialog')

    // Applied without approval: the refusal offers it.
    await drop(page, raised('2.0.0', 1500))
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByText(`choose “${approve}”`).waitFor()
    await page.getByRole('button', { name: 'Apply …' }).click()
    await dialog.getByRole('button', { name: 'Apply this plan' }).click()
    await dialog.getByText('Nothing was written').waitFor()
    await dialog.getByRole('button', { name: approve }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Apply …' }).click()
    await dialog.getByText('The impact on live subscriptions is approved.').waitFor()
    expect(await findingsOf(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Apply this plan' }).click()
    await page.getByRole('link', { name: 'revision 2' }).waitFor()

    // Approved beside the warning.
    await open('plan')
    await drop(page, raised('3.0.0', 1700))
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByRole('button', { name: approve }).click()
    await page.getByRole('button', { name: approve }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Apply …' }).click()
    await dialog.getByRole('button', { name: 'Apply this plan' }).click()
    await page.getByRole('link', { name: 'revision 3' }).waitFor()
    expect(failures).toEqual([])
  })

  test('a rollback above the server’s change limit is approved in its dialog', async () => {
    const { page, open, failures } = await world.signIn(world.key)
    const dialog = page.getByRole('dialog')
    const before = (await world.client.admin.config()).revision
    await open('history/1')
    await page.getByRole('button', { name: 'Roll back to this …' }).click()
    await dialog.getByText('What changes').waitFor()
    await dialog.getByRole('button', { name: 'Roll back', exact: true }).click()
    await dialog.getByText('Nothing was written').waitFor()
    expect((await world.client.admin.config()).revision).toBe(before)
    await dialog.getByRole('button', { name: approve }).last().click()
    await dialog.getByText('The impact on live subscriptions is approved.').waitFor()
    await dialog.getByText('What changes').waitFor()
    await dialog.getByRole('button', { name: 'Roll back', exact: true }).click()
    await page.getByRole('link', { name: `revision ${String(before + 1)}` }).waitFor()
    expect(failures).toEqual([])
  })
})
