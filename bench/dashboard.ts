import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { createClient } from '@ratecard/client'
import type { Page } from 'playwright-core'
import type { BillingConfig } from '../packages/ratecard/src/document/schema/schema.ts'
import { chromiumPath, launchChromium } from '../test/support/programs/chromium.ts'
import { median, milliseconds, type BenchOptions, type BenchResult } from './support/measure.ts'
import { startProcess } from './support/server-process.ts'

const serviceKey = 'bench-service-key'
const sizeLimit = 250_000
const paintLimitMs = 200

/** First visit of the dashboard with a cold cache: compressed size of the first page's script, first paint, and first price. */
export async function benchDashboard({ quick }: BenchOptions): Promise<BenchResult[]> {
  if (chromiumPath === null) return []
  const home = mkdtempSync(path.join(os.tmpdir(), 'ratecard-bench-dashboard-'))
  const server = await startProcess('service', path.join(home, 'data'))
  try {
    const example = new URL('../examples/pricing-table/ratecard/billing/prices.json', import.meta.url)
    const client = createClient({ baseUrl: server.url, serviceKey })
    await client.admin.push(JSON.parse(readFileSync(example, 'utf8')) as BillingConfig)
    const visits = await firstPages(server.url, quick ? 2 : 9)
    const size = Math.max(...visits.map(({ script }) => script))
    const paint = median(visits.map(({ paintedMs }) => paintedMs))
    const prices = median(visits.map(({ pricesMs }) => pricesMs))
    const empty = median(visits.map(({ emptyMs }) => emptyMs))
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
      {
        name: 'price list page of the dashboard, prices there on a cold cache',
        ours: milliseconds(prices),
        yardstick: `${milliseconds(empty)} (an empty page)`,
        ratio: `+${milliseconds(prices - empty)}`,
        aim: `≤ +${String(paintLimitMs)} ms`,
        met: prices - empty <= paintLimitMs,
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
  /** Milliseconds until the first price is visible. */
  readonly pricesMs: number
  /** Milliseconds until the text of an empty page is visible: the browser's own share. */
  readonly emptyMs: number
}

/**
 * Visits both pages alternately, so that both meet the same load of the machine. Each visit has its own context and cache; times are
 * from the page's own clock.
 */
async function firstPages(service: string, rounds: number): Promise<Visit[]> {
  const nothing = createServer((_request, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end('<!doctype html><title>.</title><p>.</p>')
  })
  await new Promise<void>((resolve) => nothing.listen(0, '127.0.0.1', resolve))
  const browser = await launchChromium()
  const visits: Visit[] = []
  const seen = (page: Page, selector: string) =>
    page.evaluate<number>(
      `new Promise((resolve) => { const look = () => document.querySelector('${selector}') ? resolve(performance.now()) : requestAnimationFrame(look); look() })`,
    )
  try {
    for (let round = 0; round < rounds; round += 1) {
      const context = await browser.newContext()
      const page = await context.newPage()
      await page.goto(`http://127.0.0.1:${String((nothing.address() as AddressInfo).port)}`, { waitUntil: 'commit' })
      const emptyMs = await seen(page, 'p')
      const form = new URLSearchParams({ key: serviceKey })
      const own = { 'sec-fetch-site': 'same-origin' }
      const signedIn = await fetch(`${service}/dashboard/session`, {
        method: 'POST',
        body: form,
        headers: own,
        redirect: 'manual',
      })
      const [name = '', value = ''] = (signedIn.headers.get('set-cookie') ?? '').split(/[=;]/)
      await context.addCookies([
        { name, value, domain: '127.0.0.1', path: '/dashboard', httpOnly: true, sameSite: 'Strict' },
      ])
      await page.goto(`${service}/dashboard/prices`, { waitUntil: 'commit' })
      const pricesMs = await seen(page, '.price-rows')
      visits.push({
        emptyMs,
        pricesMs,
        ...(await page.evaluate<Pick<Visit, 'script' | 'paintedMs'>>(`(() => ({
          script: performance.getEntriesByType('resource').filter(({ name }) => new URL(name).pathname.endsWith('.js'))
            .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
          paintedMs: performance.getEntriesByName('first-contentful-paint')[0].startTime,
        }))()`)),
      })
      await context.close()
    }
  } finally {
    await browser.close()
    nothing.close()
  }
  return visits
}
