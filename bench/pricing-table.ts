import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { createClient } from '@ratecard/client'
import type { BillingConfig } from '../packages/ratecard/src/document/schema/schema.ts'
import { chromiumPath, launchChromium } from '../test/support/programs/chromium.ts'
import { median, milliseconds, type BenchOptions, type BenchResult } from './support/measure.ts'
import { startProcess } from './support/server-process.ts'

const sizeLimit = 25_000
/** Limit in milliseconds for the time beyond that of an empty page, which is the browser's own share. */
const paintLimitMs = 200

/** First visit of a page with the pricing table with a cold cache: size of the script, and time until the first card. */
export async function benchPricingTable({ quick }: BenchOptions): Promise<BenchResult[]> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'ratecard-bench-table-'))
  const server = await startProcess('service', path.join(home, 'data'))
  try {
    const example = new URL('../examples/pricing-table/ratecard/billing/prices.json', import.meta.url)
    const client = createClient({ baseUrl: server.url, serviceKey: 'bench-service-key' })
    await client.admin.push(JSON.parse(readFileSync(example, 'utf8')) as BillingConfig)
    const size = await sizeOf(`${server.url}/pricing-table.js`)
    const results: BenchResult[] = [
      {
        name: 'script of the pricing table, compressed',
        ours: `${String(size)} bytes`,
        yardstick: '–',
        ratio: '–',
        aim: `≤ ${String(sizeLimit)} bytes`,
        met: size <= sizeLimit,
      },
    ]
    if (chromiumPath === null) return results
    const times = await firstCards(server.url, quick ? 3 : 15)
    return [
      ...results,
      {
        name: 'pricing table: navigation to the first card, cold cache',
        ours: milliseconds(median(times.table)),
        yardstick: `${milliseconds(median(times.empty))} (an empty page)`,
        ratio: `+${milliseconds(median(times.table) - median(times.empty))}`,
        aim: `≤ +${String(paintLimitMs)} ms`,
        met: median(times.table) - median(times.empty) <= paintLimitMs,
      },
    ]
  } finally {
    await server.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

async function sizeOf(url: string): Promise<number> {
  const response = await fetch(url, { headers: { 'accept-encoding': 'gzip' } })
  return Number(response.headers.get('content-length'))
}

/**
 * Milliseconds since the start of the navigation, from the page's own clock. Visits both pages alternately, so that both meet the same
 * load of the machine.
 */
async function firstCards(
  service: string,
  rounds: number,
): Promise<{ readonly table: number[]; readonly empty: number[] }> {
  const head = '<!doctype html><meta charset="utf-8"><title>Prices</title>'
  const pages: Readonly<Record<string, string>> = {
    '/table': `${head}<script type="module" src="${service}/pricing-table.js"></script><ratecard-pricing-table src="${service}"></ratecard-pricing-table>`,
    '/empty': `${head}<p>Prices</p>`,
  }
  const shop = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pages[request.url ?? ''] ?? '')
  })
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${String((shop.address() as AddressInfo).port)}`
  const browser = await launchChromium()
  const visit = async (place: string, isThere: string) => {
    // A new context has an empty cache.
    const context = await browser.newContext()
    try {
      const page = await context.newPage()
      await page.goto(address + place, { waitUntil: 'commit' })
      return await page.evaluate<number>(
        `new Promise((resolve) => { const look = () => (${isThere}) ? resolve(performance.now()) : requestAnimationFrame(look); look() })`,
      )
    } finally {
      await context.close()
    }
  }
  try {
    const table: number[] = []
    const empty: number[] = []
    for (let round = 0; round < rounds; round++) {
      empty.push(await visit('/empty', 'document.querySelector("p")'))
      table.push(
        await visit('/table', 'document.querySelector("ratecard-pricing-table")?.shadowRoot?.querySelector("article")'),
      )
    }
    return { table, empty }
  } finally {
    await browser.close()
    shop.close()
  }
}
