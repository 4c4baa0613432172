// A service with its dashboard, and signed-in browsers.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { createClient, type Client } from '../../packages/client/src/client.ts'
import { startServer, type RunningServer } from '../../packages/ratecard/src/server/composition/main.ts'
import { findingsOf } from '../support/programs/axe.ts'
import { launchChromium } from '../support/programs/chromium.ts'

export interface SignedIn {
  readonly context: BrowserContext
  readonly page: Page
  /** Opens the page at this path below `/dashboard/` and waits until it is rendered completely. */
  readonly open: (where: string) => Promise<void>
  /** Failures of the page: uncaught errors, and violations of the content security policy. */
  readonly failures: readonly string[]
}

export interface SignInOptions {
  /** Language of the browser, e.g. `ar-EG`. */
  readonly locale?: string
  /** Runs in each document before its own scripts. */
  readonly before?: string
}

export interface DashboardWorld {
  readonly server: RunningServer
  readonly client: Client
  readonly key: string
  readonly dataDir: string
  /** Opens a browser context with its own cookies and signs in through the page. */
  signIn(serviceKey: string, options?: SignInOptions): Promise<SignedIn>
  close(): Promise<void>
}

export async function openDashboard(env: Readonly<Record<string, string>> = {}): Promise<DashboardWorld> {
  const home = mkdtempSync(path.join(tmpdir(), 'ratecard-dashboard-'))
  process.env['HOME'] = home
  const dataDir = path.join(home, 'data')
  const server = await startServer({
    env: { RATECARD_SANDBOX_PORT: '0', RATECARD_LOG_LEVEL: 'error', RATECARD_MIRROR: 'off', ...env },
    port: 0,
    dataDir,
    out: () => undefined,
  })
  const browser = await launchChromium()
  const key = readFileSync(path.join(dataDir, 'service-key'), 'utf8').trim()
  return {
    server,
    client: createClient({ baseUrl: server.url, serviceKey: key }),
    key,
    dataDir,
    signIn: (serviceKey, options) => signIn(browser, server.url, serviceKey, options),
    async close() {
      await browser.close()
      await server.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

async function signIn(
  browser: Browser,
  service: string,
  serviceKey: string,
  { locale = 'en-US', before }: SignInOptions = {},
): Promise<SignedIn> {
  const context = await browser.newContext({ locale })
  if (before !== undefined) await context.addInitScript(before)
  const page = await context.newPage()
  const failures: string[] = []
  page.on('pageerror', (error) => failures.push(error.message))
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) failures.push(message.text())
  })
  await page.goto(`${service}/dashboard/plan`)
  await page.getByLabel('Service key').fill(serviceKey)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/dashboard/plan')
  // The page's first render comes after its load event. Keys that are pressed before it have no listener yet.
  await page.locator('main h1').waitFor()
  const open = async (where: string) => {
    await page.goto(`${service}/dashboard/${where}`)
    await page.locator('main h1').waitFor()
    await settled(page)
  }
  return { context, page, open, failures }
}

/** Waits until the page is complete: no part of it is loading, and nothing is left to render. */
export async function settled(page: Page): Promise<void> {
  await page.locator('.loading, .chart-empty').first().waitFor({ state: 'detached' })
}

/** Narrows the window, and waits until the page has adapted. */
export async function narrow(page: Page): Promise<void> {
  await resize(page, { width: 360, height: 800 })
}

/** Gives the window another size, and waits until the page has drawn itself in it: the first frame calculates, the second one shows. */
async function resize(page: Page, size: { readonly width: number; readonly height: number }): Promise<void> {
  await page.setViewportSize(size)
  await expect.poll(() => page.evaluate('innerWidth')).toBe(size.width)
  await drawn(page)
}

const drawn = (page: Page) =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')

/** Checks pages with {@link pageFindings}, and that no page is wider than a phone. Returns all findings. */
export async function findingsAtAllWidths({ page, open }: SignedIn, pages: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const where of pages) {
    await page.setViewportSize({ width: 1440, height: 900 })
    await open(where)
    found.push(...(await pageFindings(page, where)))
    await narrow(page)
    const wider = await overflowOf(page)
    if (wider > 0) found.push(`${where} is ${String(wider)} px wider than the phone`)
  }
  return found
}

/**
 * Checks the page with axe at three widths, in light and dark each, and that it cuts off no table and is no wider than its window. Returns
 * all findings, each with `name`.
 */
export async function pageFindings(page: Page, name: string): Promise<string[]> {
  const found: string[] = []
  for (const width of [1440, 1024, 390]) {
    await resize(page, { width, height: 900 })
    const wider = await overflowOf(page)
    const misfits = [...(await cutTables(page)), ...(wider > 0 ? [`${String(wider)} px too wide`] : [])]
    found.push(...misfits.map((misfit) => `${name} at ${String(width)} px: ${misfit}`))
    for (const scheme of ['light', 'dark'] as const) {
      await showIn(page, scheme)
      // The scheme changes nothing but colours, so one of them is enough for the other rules.
      const findings = await findingsOf(page, scheme === 'light' ? 'all rules' : 'rules of colour')
      found.push(...findings.map((finding) => `${name} at ${String(width)} px, ${scheme}: ${finding}`))
    }
  }
  return found
}

/** Switches the colours of the page, and waits until it is drawn in them. */
async function showIn(page: Page, scheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme })
  await expect.poll(() => page.evaluate(`matchMedia('(prefers-color-scheme: ${scheme})').matches`)).toBe(true)
  await drawn(page)
}

/** Returns the visible tables that are wider than their place. Left out is the matrix of Coverage, a labelled region that scrolls sideways. */
const cutTables = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('.table-wrap:not([role])')]
      .filter((place) => place.checkVisibility() && place.scrollWidth > place.clientWidth)
      .map((place) => 'cut off by ' + (place.scrollWidth - place.clientWidth) + ' px: ' + place.querySelector('caption').textContent)`,
  )

/** Width of the horizontal overflow in pixels. */
export const overflowOf = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** Drops a file on the plan page. */
export const drop = (page: Page, document: object) =>
  page.locator('input[type=file]').setInputFiles({
    name: 'billing.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(document)),
  })
