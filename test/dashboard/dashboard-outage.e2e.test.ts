// An outage is told once, by a banner, whatever the page below it needs: the processor is switched off, then the service.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../packages/ratecard/src/base/clock.ts'
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/server.ts'
import { sampleConfig } from '../support/app.ts'
import { chromiumPath } from '../support/programs/chromium.ts'
import { payPage } from '../support/shop/pay-page.ts'
import { announceSkip } from '../support/skips.ts'
import { openDashboard, type DashboardWorld } from './dashboard-world.ts'

if (chromiumPath === null) announceSkip('Chromium', 'it is not installed; on Debian: apt-get install chromium')

let world: DashboardWorld
let sandbox: Sandbox
const sandboxData = mkdtempSync(path.join(tmpdir(), 'ratecard-outage-'))
const startAt = (port: number) => startSandbox({ port, dataDir: sandboxData, clock: systemClock })

beforeAll(async () => {
  if (chromiumPath === null) return
  sandbox = await startAt(0)
  world = await openDashboard({
    STRIPE_SECRET_KEY: 'sk_test_outage',
    STRIPE_API_BASE: sandbox.url,
    RATECARD_MIRROR: 'on',
    RATECARD_MIRROR_POLL_SECONDS: '1',
  })
  const { client } = world
  await client.admin.push(sampleConfig())
  await client.tenants.create({ id: 'acme', name: 'Acme' })
  const back = 'http://127.0.0.1:3000'
  const order = { priceId: 'pro_monthly', tenantId: 'acme', successUrl: back, cancelUrl: back }
  await payPage((await client.checkout.create(order)).url)
})
afterAll(async () => {
  if (chromiumPath === null) return
  await world.close()
  await sandbox.close()
  rmSync(sandboxData, { recursive: true, force: true })
})

const banner = (page: Page, who: string) =>
  page.getByRole('status').filter({ hasText: `${who} has not answered since` })

describe.skipIf(chromiumPath === null)('an outage in a browser:', () => {
  test('a processor that does not answer is one banner on each page, and the pages fill by themselves afterwards', async () => {
    const { page, open, failures } = await world.signIn(world.key)
    const sold = () => world.client.tenants.list({ state: 'active' })
    await expect.poll(async () => (await sold()).tenants.length).toBe(1)
    const port = Number(new URL(sandbox.url).port)
    await sandbox.close()
    await expect.poll(async () => (await world.client.admin.changes()).processorSilentSince).not.toBeNull()
    for (const where of ['overview', 'prices', 'tenants', 'tenants/acme', 'drift', 'webhooks', 'prices/pro_monthly']) {
      await open(where)
      await banner(page, 'The sandbox').waitFor()
      expect({ where, alerts: await page.getByRole('alert').allTextContents() }).toEqual({ where, alerts: [] })
    }
    await open('tenants')
    await page.getByRole('row', { name: /Acme/ }).waitFor()
    await open('health')
    await page.getByText(/^Not checked, because the processor does not answer: .*Edited at Stripe/).waitFor()
    expect(await page.locator('.finding').filter({ hasText: 'problem' }).count()).toBe(1)
    await open('tenants/acme')
    await page.getByText('Subscriptions: shown as soon as the sandbox answers.').waitFor()
    sandbox = await startAt(port)
    await page
      .getByRole('row', { name: /pro_monthly/ })
      .first()
      .waitFor()
    await banner(page, 'The sandbox').waitFor({ state: 'detached' })
    expect(failures).toEqual([])
  })

  test('a service that does not answer is one banner, also on a page whose script could not be loaded', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('tenants')
    await page.route('**/dashboard/**', (route) => route.abort())
    await banner(page, 'The service').waitFor()
    await page.getByRole('link', { name: 'Coverage' }).click()
    await page.getByText('This page: shown as soon as the service answers.').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.unroute('**/dashboard/**')
    await page.getByRole('heading', { name: 'Coverage' }).waitFor()
  })
})
