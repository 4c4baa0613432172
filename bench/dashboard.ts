import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createClient } from '@ratecard/client'
import type { Client } from '@ratecard/client'
import type { BillingConfig } from '../packages/ratecard/src/config/document/schema.ts'
import { chromiumPath, launchChromium } from '../test/support/chromium.ts'
import { median, milliseconds } from './measure.ts'
import type { BenchOptions, BenchResult } from './measure.ts'
import { startProcess } from './server-process.ts'

const sizeLimit = 250_000
const paintLimitMs = 200

/** What somebody waits for who opens the dashboard: the compressed script of the first page, and its first paint on a cold cache. */
export async function benchDashboard({ quick }: BenchOptions): Promise<BenchResult[]> {
  if (chromiumPath === null) return []
  const home = mkdtempSync(path.join(os.tmpdir(), 'ratecard-bench-dashboard-'))
  const server = await startProcess('service', path.join(home, 'data'))
  try {
    const example = new URL('../examples/pricing-table/ratecard/billing/prices.json', import.meta.url)
    const client = createClient({ baseUrl: server.url, serviceKey: 'bench-service-key' })
    await client.admin.push(JSON.parse(readFileSync(example, 'utf8')) as BillingConfig)
    const visits = await firstPages(server.url, client, quick ? 2 : 9)
    const size = Math.max(...visits.map(({ script }) => script))
    const paint = median(visits.map(({ paintedMs }) => paintedMs))
    return [
      {
        name: 'script of the dashboard’s first page, compressed',
        ours: `${String(size)} bytes`,
        yardstick: '–',
        ratio: '–',
        aim: `≤ ${String(sizeLimit)} bytes`,
        met: size <= sizeLimit,
      },
      {
        name: 'price list page of the dashboard, first paint on a cold cache',
        ours: milliseconds(paint),
        yardstick: milliseconds(paintLimitMs),
        ratio: `${(paint / paintLimitMs).toFixed(2)}×`,
        aim: '< 1×',
        met: paint < paintLimitMs,
      },
    ]
  } finally {
    await server.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

interface Visit {
  readonly script: number
  readonly paintedMs: number
}

/** Each visit in a context of its own, with a cache of its own, and with the browser's own times of the price list page alone. */
async function firstPages(service: string, client: Client, rounds: number): Promise<Visit[]> {
  const browser = await launchChromium()
  const visits: Visit[] = []
  try {
    for (let round = 0; round < rounds; round += 1) {
      const context = await browser.newContext()
      const page = await context.newPage()
      await page.goto(new URL((await client.admin.dashboardLink()).url, service).href)
      await page.locator('main h1').waitFor()
      visits.push(
        await page.evaluate<Visit>(`(() => ({
          script: performance.getEntriesByType('resource').filter(({ name }) => new URL(name).pathname.endsWith('.js'))
            .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
          paintedMs: performance.getEntriesByName('first-contentful-paint')[0].startTime,
        }))()`),
      )
      await context.close()
    }
  } finally {
    await browser.close()
  }
  return visits
}
