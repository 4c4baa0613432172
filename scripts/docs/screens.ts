// Takes pictures of every page of the dashboard, with data and without, to look at them:  node scripts/docs/screens.ts <folder> [part of a name]
// Each page is taken at 1440, 1024 and 390 pixels, light and dark. Nothing of it is part of the documentation.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createClient } from '@ratecard/client'
import type { Browser, Page } from 'playwright-core'
import { startServer } from '../../packages/ratecard/src/server/composition/main.ts'
import { launchChromium } from '../../test/support/programs/chromium.ts'
import { dashboardShots, type DashboardShot } from '../../test/support/programs/dashboard-shots.ts'
import { fillService, nextPrices } from '../../test/support/shop/filled-service.ts'
import { showDays } from '../../test/support/generated/money-days.ts'
import { signInTo } from '../../test/support/shop/sign-in.ts'

const serviceKey = 'pictures-of-a-service-on-this-machine'
const widths = [1440, 1024, 390]

async function takeAll(browser: Browser, url: string, shots: readonly DashboardShot[], prefix: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ colorScheme, reducedMotion: 'reduce' })
    const page = await context.newPage()
    await signInTo(page, url, serviceKey)
    if (prefix === 'full') await showDays(page, 'eur')
    for (const shot of shots) await take(page, url, shot, `${prefix}-${shot.name}`, colorScheme)
    await context.close()
  }
}

async function take(page: Page, url: string, shot: DashboardShot, name: string, scheme: string): Promise<void> {
  if (!wanted.split(',').some((part) => name.includes(part))) return
  await page.setViewportSize({ width: 1440, height: 900 })
  await shot.arrive(page, `${url}/dashboard`)
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await page.waitForTimeout(150)
    const height = await page.evaluate('document.documentElement.scrollHeight')
    const file = path.join(folder, `${name}-${String(width)}-${scheme}.png`)
    await page.screenshot({ path: file, fullPage: shot.isWhole !== false, animations: 'disabled' })
    console.log(`${path.basename(file)} ${String(height)} px`)
  }
}

const [folder = '', wanted = ''] = process.argv.slice(2)
if (folder === '') throw new Error('Name a folder for the pictures:  node scripts/docs/screens.ts /tmp/screens')
mkdirSync(folder, { recursive: true })
const home = mkdtempSync(path.join(os.tmpdir(), 'ratecard-screens-'))
process.env['HOME'] = home
const browser = await launchChromium()
const start = (name: string) => {
  const env = {
    RATECARD_SANDBOX_PORT: '0',
    RATECARD_SERVICE_KEY: serviceKey,
    RATECARD_LOG_LEVEL: 'error',
    RATECARD_MIRROR_POLL_SECONDS: '1',
  }
  return startServer({ env, port: 0, dataDir: path.join(home, name), out: () => undefined })
}
const empty = await start('empty')
const full = await start('full')
try {
  const client = createClient({ baseUrl: full.url, serviceKey })
  const sandboxKey = readFileSync(path.join(home, 'full', 'sandbox-key'), 'utf8').trim()
  const config = await fillService({ client, sandboxUrl: full.sandboxUrl ?? '', sandboxKey })
  await takeAll(browser, empty.url, dashboardShots(null, null), 'empty')
  await takeAll(browser, full.url, dashboardShots(client, nextPrices(config)), 'full')
} finally {
  await browser.close()
  await empty.close()
  await full.close()
  rmSync(home, { recursive: true, force: true })
}
