// A push is applied from the dashboard, stopped midway and resumed: the real service, its sandbox, and a gate between them that holds
// writes back while the test reads the page.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../packages/ratecard/src/base/clock.ts'
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/server.ts'
import { chromiumPath } from '../support/programs/chromium.ts'
import { startGate, type Gate } from '../support/gate.ts'
import { announceSkip } from '../support/skips.ts'
import { drop, openDashboard, type DashboardWorld } from './dashboard-world.ts'

if (chromiumPath === null) announceSkip('Chromium', 'it is not installed; on Debian: apt-get install chromium')

const processorKey = 'sk_test_dashboardPush0000'
/** More products than the service creates concurrently. */
const products = 40
let sandbox: Sandbox
let gate: Gate
let world: DashboardWorld

beforeAll(async () => {
  if (chromiumPath === null) return
  sandbox = await startSandbox({ port: 0, dataDir: null, clock: systemClock })
  gate = await startGate(sandbox.port)
  world = await openDashboard({ STRIPE_SECRET_KEY: processorKey, STRIPE_API_BASE: gate.url })
})
afterAll(async () => {
  if (chromiumPath === null) return
  await world.close()
  await gate.close()
  await sandbox.close()
})

const document = (version: string, word: string) => ({
  version,
  products: Array.from({ length: products }, (_, index) => ({
    id: `p${String(index)}`,
    name: `${word} ${String(index)}`,
    prices: [{ id: `p${String(index)}_monthly`, amount: 1000, currency: 'eur', interval: 'month', default: true }],
  })),
})

/** Returns the names of the account's products, duplicates included. */
async function names(): Promise<string[]> {
  const answer = await fetch(new URL('/v1/products?limit=100', sandbox.url), {
    headers: { authorization: `Bearer ${processorKey}` },
  })
  return ((await answer.json()) as { data: { name: string }[] }).data.map(({ name }) => name).sort()
}

describe.skipIf(chromiumPath === null)('a push from the dashboard', () => {
  test('shows its progress, can be stopped between two steps, and is resumed without creating a duplicate', async () => {
    const { page, open, failures } = await world.signIn(world.key)
    await drop(page, document('1.0.0', 'Plan'))
    await page.getByRole('button', { name: 'Show the plan' }).click()
    gate.shutAfter(5)
    await page.getByRole('button', { name: 'Apply …' }).click()
    await page.getByRole('button', { name: 'Apply this plan' }).click()
    await page.waitForURL(/\/dashboard\/plan\/\w+/)
    const push = page.url().split('/').at(-1) ?? ''

    // The page updates without a reload: completed steps are done, the others wait.
    const progress = page.getByRole('progressbar', { name: 'Steps done' })
    const done = async () => Number(await progress.getAttribute('value'))
    await expect.poll(done).toBeGreaterThanOrEqual(2)
    expect(await done()).toBeLessThan(products)
    await page.getByText('running', { exact: true }).first().waitFor()

    // A read key sees the same without actions.
    const looks = await world.client.admin.createKey('looks', { scope: 'read' })
    const reader = await world.signIn(looks.key)
    await reader.open(`plan/${push}`)
    await reader.page.getByText('running', { exact: true }).first().waitFor()
    await reader.page.getByText('looks', { exact: true }).waitFor()
    expect(await reader.page.getByRole('button', { name: /Stop between|Resume/ }).count()).toBe(0)

    await page.getByRole('button', { name: 'Stop between two steps' }).click()
    // Writes that were sent are awaited.
    await expect.poll(() => page.getByRole('button', { name: 'Stop between two steps' }).isEnabled()).toBe(true)
    gate.open()
    await page.getByText('interrupted', { exact: true }).waitFor()
    await reader.page.getByText('interrupted', { exact: true }).waitFor()
    expect(await reader.page.getByRole('button', { name: /Stop between|Resume/ }).count()).toBe(0)
    const stopped = await world.client.admin.findPush(push)
    expect(stopped).toMatchObject({ state: 'interrupted', revision: null })
    expect(stopped.stepsDone).toBeLessThan(stopped.stepsTotal)
    const written = await names()
    expect(written.length).toBeLessThan(products)

    // The plan page shows the unfinished push first, with a link.
    await open('plan')
    await page.getByText('A push stopped midway').waitFor()
    await page.getByRole('link', { name: 'Show it to resume it' }).click()
    await page.getByRole('button', { name: 'Resume …' }).click()
    await page.getByRole('dialog').getByText('nothing is done twice').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Resume', exact: true }).click()
    await page.getByRole('link', { name: 'revision 1' }).waitFor()
    await page.getByText('applied', { exact: true }).waitFor()
    await expect.poll(done).toBe(stopped.stepsTotal)
    await page.getByRole('button', { name: /Stop between|Resume/ }).waitFor({ state: 'detached' })
    expect(await names()).toEqual(
      document('1.0.0', 'Plan')
        .products.map(({ name }) => name)
        .sort(),
    )
    expect((await world.client.admin.config()).version).toBe('1.0.0')
    expect([...failures, ...reader.failures]).toEqual([])
  })

  test('can be replaced by another push after it was stopped, and the other push repairs the changes of the stopped push', async () => {
    const { page, open } = await world.signIn(world.key)
    await drop(page, document('2.0.0', 'Renamed'))
    await page.getByRole('button', { name: 'Show the plan' }).click()
    gate.shutAfter(3)
    await page.getByRole('button', { name: 'Apply …' }).click()
    await page.getByRole('button', { name: 'Apply this plan' }).click()
    const stop = page.getByRole('button', { name: 'Stop between two steps' })
    await stop.click()
    await expect.poll(() => stop.isEnabled()).toBe(true)
    gate.open()
    await page.getByText('interrupted', { exact: true }).waitFor()

    await open('plan')
    await drop(page, document('3.0.0', 'Kept'))
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByRole('button', { name: 'Apply …' }).click()
    await page.getByRole('button', { name: 'Apply this plan' }).click()
    await page.getByRole('link', { name: /revision \d/ }).waitFor()
    expect(await names()).toEqual(
      document('3.0.0', 'Kept')
        .products.map(({ name }) => name)
        .sort(),
    )
    await open('plan')
    expect(await page.getByText('A push stopped midway').count()).toBe(0)
  })
})
