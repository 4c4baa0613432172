// The dashboard of a filled service in Chromium: 30 revisions and 60 tenants. Every page, plan and dialog; and the questions that people
// open the dashboard with.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BillingConfig } from '../../packages/ratecard/src/document/schema/schema.ts'
import { chromiumPath } from '../support/programs/chromium.ts'
import { dashboardShots, planOf } from '../support/programs/dashboard-shots.ts'
import { fillService, nextPrices } from '../support/shop/filled-service.ts'
import { showDays } from '../support/generated/money-days.ts'
import { announceSkip } from '../support/skips.ts'
import { narrow, openDashboard, pageFindings, type DashboardWorld } from './dashboard-world.ts'

if (chromiumPath === null) announceSkip('Chromium', 'it is not installed; on Debian: apt-get install chromium')

let world: DashboardWorld
let config: BillingConfig

beforeAll(async () => {
  if (chromiumPath === null) return
  world = await openDashboard({ RATECARD_MIRROR: 'on', RATECARD_MIRROR_POLL_SECONDS: '1' })
  const sandboxKey = readFileSync(path.join(world.dataDir, 'sandbox-key'), 'utf8').trim()
  config = await fillService({ client: world.client, sandboxUrl: world.server.sandboxUrl ?? '', sandboxKey })
  // The mirror has what was sold, moved and cancelled last.
  while ((await world.client.tenants.list({ owing: true })).tenants.length < 3)
    await new Promise((resolve) => setTimeout(resolve, 100))
})
afterAll(async () => {
  if (chromiumPath !== null) await world.close()
})

const dashboard = () => `${world.server.url}/dashboard`

describe.skipIf(chromiumPath === null)('the dashboard of a filled service:', () => {
  test('no page, plan or dialog has an accessibility finding of axe at 1440, 1024 and 390 px, light or dark, or is wider than its window', async () => {
    const { page, failures } = await world.signIn(world.key)
    await showDays(page, 'eur')
    const found: string[] = []
    for (const shot of dashboardShots(world.client, nextPrices(config))) {
      await page.setViewportSize({ width: 1440, height: 900 })
      await shot.arrive(page, dashboard())
      found.push(...(await pageFindings(page, shot.name)))
    }
    expect(found).toEqual([])
    expect(failures).toEqual([])
  })

  test('the changes of a revision can be opened with two clicks, with each amount before and after', async () => {
    const { page } = await world.signIn(world.key)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('25')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'What changed since revision 24' }).waitFor()
    // The heading comes before the changes, which are read from the service.
    await page.getByRole('row', { name: '1 – 1,000 €9.00 flat fee €12.00 flat fee +33.3%' }).waitFor()
    await page.getByText('50% off forever').waitFor()
    expect(await textOf(page)).toMatch(
      /price Studio, monthly studio_monthly €16\.00 \/ month → €19\.00 \/ month \+18\.8%/,
    )
    // The line has what the fields of the coupon would repeat.
    expect(await textOf(page)).not.toMatch(/percent_off|duration/)
  })

  test('the tenants that pay an earlier price can be opened with one click from the overview and from the price list', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('overview')
    await page.getByRole('link', { name: 'Show who' }).first().click()
    await page.getByRole('row', { name: /Acme Rockets t00 Active Solo solo earlier price €12\.00/ }).waitFor()
    await open('prices')
    await page.getByRole('link', { name: '13 on an earlier price' }).click()
    await page.getByRole('row', { name: /t00 Active earlier price €12\.00/ }).waitFor()
    expect(await page.getByRole('row', { name: /current/ }).count()).toBe(0)
  })

  test('a plan shows first its effect on customers, the policies that it breaks, its cost, and who may override', async () => {
    const { page } = await world.signIn(world.key)
    await planOf(page, dashboard(), nextPrices(config), 'Plan to overwrite these edits')
    await page.getByText(/^3 prices rise, 1 is new, 1 is no longer sold\. 3\d tenants keep the old price/).waitFor()
    await page.getByText('Refused by 1 policy').waitFor()
    await page.getByText('Warned of by 2 policies').waitFor()
    await page.getByText('key of scope “owner” can override it').waitFor()
    // A sentence of the service names prices as people know them.
    await page.getByText(/^The price Solo, monthly solo_monthly rises by 23\.5% /).waitFor()
    // In both currencies of the price.
    await page.getByRole('row', { name: /solo_monthly replace .*\$41\.00 .*\$\d+\.00/ }).waitFor()
  })

  test('an owner key can override a policy with a reason, and no other key can', async () => {
    const { page } = await world.signIn(world.key)
    await planOf(page, dashboard(), nextPrices(config), 'Plan to overwrite these edits')
    await page.getByRole('button', { name: 'Apply …' }).click()
    const dialog = page.getByRole('dialog')
    const apply = dialog.getByRole('button', { name: 'Apply this plan' })
    expect(await apply.isDisabled()).toBe(true)
    await dialog.getByRole('checkbox', { name: /Override gentle/ }).check()
    expect(await apply.isDisabled()).toBe(true)
    await dialog.getByLabel('Reason (shown in the history)').fill('Agreed with the board')
    expect(await apply.isDisabled()).toBe(false)
  })

  test('a migration of subscribers that a policy denies requires an owner’s reason, and offers both dates', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('prices/solo_monthly')
    await page.getByRole('button', { name: 'Move subscribers …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Refused by 1 policy').waitFor()
    const when = dialog.getByText('At the renewal', { exact: true })
    expect((await when.boundingBox())?.height).toBeGreaterThan(20)
    expect(await dialog.getByRole('button', { name: /^Move \d+ subscriptions/ }).isDisabled()).toBe(true)
  })

  test('a migration lists who would move by name and id, in the order of the page below it', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('prices/solo_monthly?legacy')
    const listed = page.getByRole('table', { name: 'Subscribers' }).getByRole('row')
    await listed.filter({ hasText: 'Acme Rockets' }).first().waitFor()
    const below = await listed.allInnerTexts()
    await page.getByRole('button', { name: 'Move subscribers …' }).click()
    const table = page.getByRole('dialog').getByRole('table', { name: 'Subscribers that would move' })
    await table.getByRole('row', { name: /^Acme Rockets t00 €12\.00 €17\.00/ }).waitFor()
    const idsIn = (rows: readonly string[]) => rows.flatMap((row) => /\bt\d\d\b/.exec(row)?.[0] ?? [])
    const ids = idsIn(await table.getByRole('row').allInnerTexts())
    expect(ids.length).toBeGreaterThan(10)
    expect(ids).toEqual(idsIn(below))
  })

  test('a subscriber by usage has no amount a month', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('prices/renders_monthly')
    await page.getByRole('row', { name: /t26 Active earlier price — by usage — / }).waitFor()
    await page.getByText('3 subscriptions on an earlier price pay by usage.').waitFor()
    await page.getByRole('row', { name: /^5,001 and more €0\.005/ }).waitFor()
    await page.getByRole('button', { name: 'Move subscribers …' }).click()
    await page.getByText('3 subscriptions: by usage.').waitFor()
  })

  test('every dialog opens with Enter, keeps the focus inside, closes with Escape, and returns the focus to its button', async () => {
    const { page, open } = await world.signIn(world.key)
    const focused = () => page.evaluate<string>('document.activeElement?.textContent')
    for (const [where, buttons] of [
      ['overview', ['Go to …']],
      ['tenants', ['Add a tenant …']],
      [
        'tenants/t00',
        [
          'Remove …',
          'Change plan …',
          'Pause …',
          'Cancel …',
          'Change the deal …',
          'Give a grant …',
          'Give a discount …',
          'Add credit …',
        ],
      ],
      ['prices/solo_monthly', ['Move subscribers …']],
      ['history/20', ['Roll back to this …']],
      ['workers/price-watch', ['Run now …']],
      ['webhooks', ['Rotate the secret …']],
      ['keys', ['Create key …', 'Revoke …']],
    ] as const) {
      await open(where)
      for (const name of buttons) {
        const button = page.getByRole('button').filter({ hasText: name }).first()
        await button.focus()
        await page.keyboard.press('Enter')
        await page.getByRole('dialog').waitFor()
        // More steps than a dialog has fields and buttons, so that the focus has been all around.
        for (let step = 0; step < 12; step++) {
          await page.keyboard.press('Tab')
          const isInside = await page.evaluate(
            `document.activeElement === document.body || document.activeElement.closest('dialog') !== null`,
          )
          expect([where, name, isInside]).toEqual([where, name, true])
        }
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
        await expect.poll(focused).toContain(name)
      }
    }
  })

  test('the price list marks the price that is switched off at the processor', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('prices')
    const off = page.getByRole('link', { name: 'off at the processor' })
    await off.waitFor()
    expect(await page.getByRole('listitem').filter({ has: off }).innerText()).toContain('backup_monthly')
    expect(await off.getAttribute('href')).toBe('/dashboard/drift')
  })

  test('on a phone, a fact with a long value does not break within a word', async () => {
    const { page, open } = await world.signIn(world.key)
    await narrow(page)
    for (const [where, value] of [
      ['tenants/t00', 'billing@t0.example.com'],
      ['history/25', 'mira@example.com'],
    ] as const) {
      await open(where)
      const box = await page.getByRole('definition').getByText(value).boundingBox()
      expect([where, (box?.height ?? 99) < 30]).toEqual([where, true])
    }
  })

  test('the menu of the first page that is opened contains the numbers of drift and health', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('keys')
    const menu = page.getByRole('navigation', { name: 'Pages' })
    await menu.getByRole('link', { name: /^Drift ?3 need attention/ }).waitFor()
    await menu.getByRole('link', { name: /^Health ?\d+ need attention/ }).waitFor()
    await open('drift')
    await page.getByText('3 fields of 3 objects were edited at the processor since revision 30').waitFor()
  })

  test('lists mark paused and ending subscriptions, and show each tenant by name and id', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('tenants')
    await page.getByRole('row', { name: /t30 Active invoices paused/ }).waitFor()
    await page.getByRole('row', { name: /t14 Active ends \w+ \d+, \d+/ }).waitFor()
    await open('prices/solo_monthly')
    await page.getByRole('row', { name: /Grønland Tegnestue 3 t30 Active invoices paused/ }).waitFor()
    await page.getByRole('row', { name: /Café Żółta Łódź 2 t14 Active ends /i }).waitFor()
  })

  test('a subscriber who pays in another currency is listed with the amount in that currency', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('prices/solo_monthly')
    await page.getByRole('row', { name: /t06 Active earlier price \$13\.00 1 \$13\.00/ }).waitFor()
  })

  test('the page of a tenant on an earlier price shows the current list price, in the currency of the tenant', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('tenants/t00')
    await page.getByText('the list price is €17.00 a month').waitFor()
    await open('tenants/t06')
    await page.getByText('the list price is $18.00 a month').waitFor()
  })

  test('the price list shows limits with the unit of their product and, with the option for everything, features without a limit', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('prices')
    await page.getByText('50 boards per seat').waitFor()
    await page.getByRole('radio', { name: 'Everything' }).check()
    await page.getByRole('list', { name: 'Features and limits' }).getByText('Single sign-on').waitFor()
  })

  test('the coverage of deals shows each negotiated amount beside the list price', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('coverage')
    const row = page.getByRole('row', { name: /^Studio, monthly studio_monthly / })
    expect((await row.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /€19\.00 a month .*€11\.00 a month .*€10\.00 a month/,
    )
  })

  test('the overview shows the revenue by product, and has no tile for trials if there are none', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('overview')
    await page.getByRole('heading', { name: 'Revenue by product' }).first().waitFor()
    expect(await page.locator('.tile dt').allInnerTexts()).not.toContain('Trials')
  })

  test('an unmanaged object is listed with the command that adds the object to the configuration files', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('drift')
    await page.getByRole('row', { name: /product Consulting day/ }).waitFor()
    await page.getByText('ratecard billing pull --update --all').waitFor()
  })

  test('a job is described in sentences, with the record of the journal below, and links to its tenant', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('jobs')
    await page.getByRole('row', { name: /deal of a tenant Lumen Press 2 t23/ }).waitFor()
    const row = page.getByRole('row', { name: /deal of a tenant/ }).first()
    await row.getByRole('link', { name: /Details/ }).click()
    await page.getByRole('heading', { name: 'Deal of a tenant', level: 1 }).waitFor()
    await page
      .getByText(/price Studio, monthly studio_monthly × \d+ became Studio, monthly, for \w+ studio_monthly_\w+, /)
      .waitFor()
    await page.getByText('Record in the journal').click()
    await page.getByText('"from_processor_id"').waitFor()
  })

  test('each page shows the mode, and problems come first, with a link to the page that explains the problem', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('overview')
    await page.getByRole('navigation', { name: 'Pages' }).getByText('Sandbox').waitFor()
    const [first] = await page.getByRole('heading', { level: 2 }).allInnerTexts()
    expect(first).toBe('Open problems')
    await page.getByRole('link', { name: 'The Drift page' }).click()
    await page.getByText('Two million pictures').waitFor()
    await open('health')
    await page.getByText('3 tenants are past due').waitFor()
    await page.getByText(/^\d+ warnings$/).waitFor()
    expect((await page.locator('.finding .badge').allInnerTexts()).slice(0, 2)).toEqual(['warning', 'warning'])
    await page.getByRole('link', { name: 'The Tenants page' }).first().click()
    await page.getByRole('row', { name: /Owing 1/ }).waitFor()
    await open('workers')
    await page.getByRole('row', { name: /^price-watch .* last run failed/ }).waitFor()
    const menu = page.getByRole('navigation', { name: 'Pages' })
    // The whole menu is in view without scrolling, also in a low window.
    await page.setViewportSize({ width: 1440, height: 800 })
    expect(await menu.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0)
    const signOut = await page.getByRole('button', { name: 'Sign out' }).boundingBox()
    expect((signOut?.y ?? 800) + (signOut?.height ?? 0)).toBeLessThanOrEqual(800)
  })

  test('a rollback that is stopped by an edit at the processor continues once the user allows overwriting the edit', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('history/20')
    await page.getByRole('button', { name: 'Roll back to this …' }).click()
    await page.getByText('A push would also overwrite edits of product Studio studio (name)').waitFor()
    await page.getByText('product backup, price backup_monthly').waitFor()
    await page.getByRole('button', { name: 'Overwrite these edits and show what changes' }).click()
    await page.getByText('What changes').waitFor()
  })

  test('the page of the policies shows each rule as a sentence, its effect, and who set it', async () => {
    const { page, open } = await world.signIn(world.key)
    await open('policies')
    await page
      .getByRole('row', { name: /gentle denied No price rises by more than 10%\. Promised to customers/ })
      .waitFor()
    await page.getByRole('row', { name: /money warned A change affects at most €500\.00 a month\./ }).waitFor()
    await page.getByText('Nothing changes from Dec 18, 2027 to Jan 4, 2028.').waitFor()
    await page.getByRole('row', { name: /1 4 rules After the spring mira@example\.com/ }).waitFor()
  })
})

const textOf = async (page: Page) => (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ')
