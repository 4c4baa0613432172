// What changes, for whom, in which account: plans, revisions and questions of the dashboard in Chromium, by keyboard where a person acts.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BillingConfig, Product } from '../../packages/ratecard/src/document/schema/schema.ts'
import { chromiumPath } from '../support/programs/chromium.ts'
import { announceSkip } from '../support/skips.ts'
import { findingsOf } from '../support/programs/axe.ts'
import { drop, narrow, openDashboard, type DashboardWorld } from './dashboard-world.ts'

if (chromiumPath === null) announceSkip('Chromium', 'it is not installed; on Debian: apt-get install chromium')

const meters = [{ id: 'calls', display_name: 'Calls', event_name: 'calls' }]
const shop = (version: string, { solo = 1200, usd = 1300, last = 2, more = [] as Product[] } = {}): BillingConfig => ({
  version,
  meters,
  products: [
    {
      id: 'solo',
      name: 'Solo',
      unit_label: 'seat',
      prices: [
        {
          id: 'solo_monthly',
          amount: solo,
          currency: 'eur',
          interval: 'month',
          currency_options: { usd: { amount: usd } },
        },
      ],
    },
    {
      id: 'api',
      name: 'API',
      prices: [
        {
          id: 'calls_monthly',
          currency: 'eur',
          interval: 'month',
          usage_type: 'metered',
          meter: 'calls',
          billing_scheme: 'tiered',
          tiers: [
            { up_to: 1000, unit_amount: 0 },
            { up_to: 'inf', unit_amount: last },
          ],
        },
      ],
    },
    ...more,
  ],
})
const many = (count: number): Product[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `many_${String(index)}`,
    name: `Product ${String(index)}`,
    prices: [
      { id: `many_${String(index)}_m`, amount: 100 + index, currency: 'eur', interval: 'month' },
      { id: `many_${String(index)}_y`, amount: 1000 + index, currency: 'eur', interval: 'year' },
    ],
  }))

let world: DashboardWorld
beforeAll(async () => {
  if (chromiumPath === null) return
  world = await openDashboard()
  await world.client.admin.push(shop('1.0.0'))
  await world.client.admin.push(shop('2.0.0', { solo: 1700, usd: 1900, last: 3 }))
})
afterAll(async () => {
  if (chromiumPath !== null) await world.close()
})

const squeezed = (text: string) => text.replaceAll(/\s+/g, ' ')

describe.skipIf(chromiumPath === null)('the dashboard in a browser:', () => {
  test('revisions, pushes, the history and plans show the same tables of amounts before and after', async () => {
    const { page, open, failures } = await world.signIn(world.key)
    const [push] = (await world.client.admin.pushes()).pushes
    const usd = page.getByRole('row', { name: /^USD/ })
    const tier = page.getByRole('row', { name: /^1,001 and more/ })
    const read = async () => [squeezed(await usd.first().innerText()), squeezed(await tier.first().innerText())]
    const expected = ['USD $13.00 $19.00 +46.2%', '1,001 and more €0.02 per unit €0.03 per unit +50%']
    await open('history/2')
    expect(await read()).toEqual(expected)
    await page.getByText('What a quantity costs, before and after').click()
    await page.locator('.chart canvas').waitFor()
    await open(`plan/${push?.id ?? ''}`)
    expect(await read()).toEqual(expected)
    await open('history')
    await page.getByRole('button', { name: /^Solo, monthly solo_monthly .* → .* and 1 more change$/ }).click()
    await usd.first().waitFor()
    expect(await read()).toEqual(expected)
    const below = page.getByRole('cell').filter({ has: usd })
    const width = async (of: typeof below) => (await of.first().boundingBox())?.width ?? 0
    expect(await width(below)).toBe(await width(page.getByRole('table', { name: 'Revisions' })))
    await open('plan')
    await drop(page, shop('3.0.0', { solo: 1700, usd: 2300, last: 6 }))
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await tier.waitFor()
    expect(await read()).toEqual(['USD $19.00 $23.00 +21.1%', '1,001 and more €0.03 per unit €0.06 per unit +100%'])
    expect(failures).toEqual([])
  })

  test('the page header, the plan and each confirmation name the account and its mode, and live mode has its own colour', async () => {
    const { page, open } = await world.signIn(world.key)
    const { accountId } = await world.client.admin.account()
    const colors: string[] = []
    for (const [mode, name] of [
      ['sandbox', 'Sandbox'],
      ['test', 'Test mode'],
      ['live', 'Live'],
    ] as const) {
      await page.route('**/billing/admin/account', (route) => route.fulfill({ json: { mode, account_id: accountId } }))
      await open('plan')
      const frame = page.getByRole('navigation', { name: 'Pages' })
      await frame.getByText(name, { exact: true }).waitFor()
      expect(await frame.innerText()).toContain(accountId)
      await drop(page, shop('3.0.0', { solo: 1800 }))
      await page.getByRole('button', { name: 'Show the plan' }).click()
      await page.getByRole('heading', { name: 'The plan' }).waitFor()
      expect(await page.locator('dd', { hasText: accountId ?? '' }).innerText()).toContain(name)
      await page.getByRole('button', { name: 'Apply …' }).click()
      const dialog = page.getByRole('dialog')
      expect(await dialog.locator('.dialog-foot').innerText()).toContain(name)
      colors.push(
        await page.evaluate<string>(`getComputedStyle(document.querySelector('dialog [type=submit]')).backgroundColor`),
      )
      if (mode !== 'live') continue
      expect(await findingsOf(page)).toEqual([])
      await page.keyboard.press('Escape')
      await narrow(page)
      await page.getByRole('banner').getByText('Live').waitFor()
    }
    expect(new Set(colors.slice(0, 2)).size).toBe(1)
    expect(colors[2]).not.toBe(colors[0])
  })

  test('with the keyboard alone, a user can make a plan, close its confirmation with Escape, and apply the plan with Enter', async () => {
    const { page, open, failures } = await world.signIn(world.key)
    await open('plan')
    await drop(page, shop('2.1.0', { solo: 1700, usd: 1900, last: 4 }))
    await page.getByRole('button', { name: 'Show the plan' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'The plan' }).waitFor()
    // The focus is on the plan, so the next stop is its button.
    await page.keyboard.press('Tab')
    const focused = () => page.evaluate<string>('document.activeElement?.textContent')
    await expect.poll(focused).toBe('Apply …')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(focused).toBe('Apply …')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('Calls cost more')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'revision 3' }).waitFor()
    expect((await world.client.admin.history()).versions[0]?.message).toBe('Calls cost more')
    // A question without fields: Enter confirms it too.
    const made = await world.client.admin.createKey('brief')
    await open('keys')
    await page.getByRole('button', { name: 'Revoke brief' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Revoke “brief”?' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const revoked = (await world.client.admin.keys()).find(({ id }) => id === made.id)
    expect(revoked?.revokedAt).not.toBeNull()
    expect(failures).toEqual([])
  })

  test('Ctrl+K finds and opens a page, a price, a tenant or a revision', async () => {
    await world.client.tenants.create({ id: 'lodz', name: 'Żółta łódź' })
    const { page, open, failures } = await world.signIn(world.key)
    await open('overview')
    for (const [text, option, url] of [
      ['heal', 'Health page', '**/dashboard/health'],
      ['calls_m', '(calls_monthly) price', '**/dashboard/prices/calls_monthly'],
      ['lodz', 'Żółta łódź (lodz) tenant', '**/dashboard/tenants/lodz'],
      ['2', 'Revision 2 history', '**/dashboard/history/2'],
    ] as const) {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').getByRole('combobox').fill(text)
      const hit = page.getByRole('option', { name: option })
      await hit.waitFor()
      for (let step = 0; step < 20 && (await hit.getAttribute('aria-selected')) !== 'true'; step++)
        await page.keyboard.press('ArrowDown')
      if (text === 'heal') expect(await findingsOf(page)).toEqual([])
      await page.keyboard.press('Enter')
      await page.waitForURL(url)
      // Keys that are pressed before the first render have no listener yet.
      await page.locator('main h1').waitFor()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    expect(failures).toEqual([])
  })

  test('a page that could not be loaded appears without a reload once the service responds again', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('overview')
    await page.route('**/dashboard/**', (route) => route.abort())
    await page.getByRole('link', { name: 'Workers' }).click()
    await page.getByRole('alert').waitFor()
    await page.unroute('**/dashboard/**')
    await page.getByRole('heading', { name: 'Workers', level: 1 }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('texts, numbers and dates are in one language, whatever language the browser prefers', async () => {
    for (const locale of ['ar-EG', 'de-DE']) {
      const { page, open } = await world.signIn(world.key, { locale })
      await open('prices')
      await page.getByText('€17.00').first().waitFor()
      expect(await page.getByText('Also sold for $19.00').count()).toBe(1)
      expect(await page.locator('main').innerText()).toMatch(/since [A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d{2}\s[AP]M/)
    }
  })

  test('a dropped file that is not a configuration is refused with its name, and its bytes are not shown', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('plan')
    const buffer = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
    await page.locator('input[type=file]').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer })
    await page.getByText('logo.png is not a configuration file').waitFor()
    expect(await page.getByText('JSON value').count()).toBe(0)
  })

  test('the sign-in page explains that the session has ended, and the sign-in returns to the page where it ended', async () => {
    const guest = await world.client.admin.createKey('guest')
    const { page, open } = await world.signIn(guest.key)
    await open('history')
    await world.client.admin.revokeKey(guest.id)
    await page.reload()
    await page.getByText('Your session has ended').waitFor()
    await page.getByLabel('Service key').fill(world.key)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/dashboard/history')
  })

  test('the drift page goes from the price list to the processor, and labels both values', async () => {
    const { page, open } = await world.signIn(world.key)
    await page.route('**/billing/admin/config/drift', async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as object
      const fields = [{ field: 'amount', before: 1500, after: 1700, origin: 'drift' }]
      const difference = {
        ...{ kind: 'price', config_id: 'solo_monthly', action: 'update', because: ['amount'], fields },
        ...{ processor_id_before: 'price_1', processor_id_after: 'price_1' },
        display: { before: null, after: null },
      }
      await route.fulfill({ response, json: { ...body, in_sync: false, edited_fields: 1, differences: [difference] } })
    })
    await open('drift')
    const row = page.getByRole('row', { name: /amount in EUR/ })
    await row.waitFor()
    expect(squeezed(await page.getByRole('row', { name: /At the processor now/ }).innerText())).toBe(
      'What Field In your price list At the processor now',
    )
    expect(squeezed(await row.innerText())).toBe('price Solo, monthly solo_monthly amount in EUR €17.00 €15.00 −11.8%')
    await page.getByRole('link', { name: /^Drift ?1 need attention/ }).waitFor()
    await page.getByText('Undo the edits at the processor').waitFor()
    // The page asks again on its own, also while it closes.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('a list of 208 products and a plan of 600 changes are collapsed at first, searchable, and usable on a phone', async () => {
    const { page, open, failures } = await world.signIn(world.key)
    await open('plan')
    await drop(page, shop('4.0.0', { solo: 1700, usd: 1900, last: 4, more: many(206) }))
    await page.getByRole('button', { name: 'Show the plan' }).click()
    const prices = page.getByText(/^41\d prices$/)
    await prices.waitFor()
    const height = () => page.evaluate<number>('document.documentElement.scrollHeight')
    expect(await height()).toBeLessThan(2000)
    await prices.click()
    const rows = page.locator('.changes > li')
    await expect.poll(() => rows.count()).toBeGreaterThan(410)
    // Rows that come into view have their layout already, so that scrolling drops no frames.
    expect(await layoutsOfScroll(page, 60)).toBeLessThan(15)
    await page.getByRole('searchbox', { name: 'Find among the changes of kind price' }).fill('many_77_')
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByRole('searchbox', { name: 'Find among the changes of kind price' }).fill('product 78, year')
    await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining('many_78_y')])
    await world.client.admin.push(shop('4.0.0', { solo: 1700, usd: 1900, last: 4, more: many(206) }))
    await open('prices')
    await page.getByText('208 of 208 products').waitFor()
    expect(await height()).toBeLessThan(14_000)
    await narrow(page)
    await page.getByRole('searchbox', { name: 'Search products and prices' }).fill('many_77_m')
    await page.getByText('1 of 208 products').waitFor()
    await page.getByText('Product 77').click()
    await page.getByText('many_77_y', { exact: true }).waitFor()
    expect(await findingsOf(page)).toEqual([])
    expect(failures).toEqual([])
  })
})

/** Scrolls down once in each of so many frames. Returns how often the browser laid out the page meanwhile. */
async function layoutsOfScroll(page: Page, frames: number): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const layouts = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'LayoutCount')?.value ?? 0
  }
  const before = await layouts()
  await page.evaluate(`new Promise((resolve) => {
    let left = ${String(frames)}
    const step = () => {
      scrollBy(0, 67)
      left -= 1
      if (left === 0) resolve()
      else requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })`)
  return (await layouts()) - before
}
