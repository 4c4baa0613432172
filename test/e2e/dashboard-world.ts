// A service with its dashboard, and signed-in browsers.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { createClient } from '../../packages/client/src/client.ts'
import type { Client } from '../../packages/client/src/client.ts'
import { startServer } from '../../packages/ratecard/src/composition/main.ts'
import type { RunningServer } from '../../packages/ratecard/src/composition/main.ts'
import { launchChromium } from '../support/chromium.ts'

export interface SignedIn {
  readonly context: BrowserContext
  readonly page: Page
  /** Opens the page at this path below `/dashboard/` and waits until it is rendered completely. */
  readonly open: (where: string) => Promise<void>
  /** Failures of the page: uncaught errors, and violations of the content security policy. */
  readonly failures: readonly string[]
}

export interface SignInOptions {
  readonly scheme?: 'light' | 'dark'
  /** Runs in each document before its own scripts. */
  readonly before?: string
}

export interface DashboardWorld {
  readonly server: RunningServer
  readonly client: Client
  readonly key: string
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
  { scheme = 'light', before }: SignInOptions = {},
): Promise<SignedIn> {
  const context = await browser.newContext({ colorScheme: scheme })
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
  await page.setViewportSize({ width: 360, height: 800 })
  await expect.poll(() => page.evaluate('innerWidth')).toBe(360)
}

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

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Returns the serious and critical findings of axe on the page, each with its element. */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  // The content security policy blocks this script on the page, but not if the debugger runs it.
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { axe: tool } = globalThis as unknown as {
      axe: { run: () => Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> }
    }
    return (await tool.run()).violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
  })
}
