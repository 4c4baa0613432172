import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createClient } from '@ratecard/client'
import type { Page } from 'playwright-core'
import { chromiumPath, launchChromium } from '../test/support/programs/chromium.ts'
import { planOf } from '../test/support/programs/dashboard-shots.ts'
import { manyPrices } from '../test/support/shop/filled-service.ts'
import { signInTo } from '../test/support/shop/sign-in.ts'
import { milliseconds, type BenchOptions, type BenchResult } from './support/measure.ts'
import { startProcess } from './support/server-process.ts'

const serviceKey = 'bench-service-key'
/** Frames of one scroll, and its distance (px) in a frame: 6 s and 24,000 px at 60 frames a second. */
const frames = 360
const stepPx = 67
const frameMs = 1000 / 60

/**
 * Scrolls through the plan of 600 changed prices with all of them unfolded, and through a page of plain text of the same height: the
 * browser's own share. Chromium draws a frame at most every 16.7 ms, so a page that keeps up has as many frames as the plain one.
 */
export async function benchDashboardScroll({ quick }: BenchOptions): Promise<BenchResult[]> {
  if (chromiumPath === null) return []
  const home = mkdtempSync(path.join(os.tmpdir(), 'ratecard-bench-scroll-'))
  const server = await startProcess('service', path.join(home, 'data'))
  const browser = await launchChromium()
  try {
    await createClient({ baseUrl: server.url, serviceKey }).admin.push(manyPrices('1.0.0', 0))
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await signInTo(page, server.url, serviceKey)
    await planOf(page, `${server.url}/dashboard`, manyPrices('1.1.0', 7))
    await page.locator('summary', { hasText: '600 prices' }).click()
    await page.locator('.changes > li').nth(599).waitFor({ state: 'attached' })
    const height = await page.evaluate<number>('document.documentElement.scrollHeight')
    const plain = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await plain.setContent(
      `<p style="line-height: ${String(height / 2000)}px">${'A line of text<br>'.repeat(2000)}</p>`,
    )
    const ours: number[] = []
    const empty: number[] = []
    for (let round = 0; round < (quick ? 1 : 5); round += 1) {
      ours.push(...(await scroll(page)))
      empty.push(...(await scroll(plain)))
    }
    return [frameResult(ours, empty), await workResult(page, plain)]
  } finally {
    await browser.close()
    await server.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

/** Scrolls down by the same distance in each frame. Returns the milliseconds between frames, from the page's own clock. */
async function scroll(page: Page): Promise<number[]> {
  await page.bringToFront()
  return page.evaluate<number[]>(`new Promise((resolve) => {
    const deltas = []
    let last = null
    scrollTo(0, 0)
    const step = (now) => {
      if (last !== null) deltas.push(now - last)
      last = now
      if (deltas.length === ${String(frames)}) return resolve(deltas)
      scrollBy(0, ${String(stepPx)})
      requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })`)
}

const perSecondOf = (deltas: readonly number[]) =>
  (deltas.length * 1000) / deltas.reduce((sum, delta) => sum + delta, 0)

/** Milliseconds that the page's main thread works for each frame of a scroll: script, style, layout and painting. */
async function workMs(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const spent = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
  }
  const before = await spent()
  await scroll(page)
  return ((await spent()) - before) * (1000 / frames)
}

async function workResult(page: Page, plain: Page): Promise<BenchResult> {
  const [ours, empty] = [await workMs(page), await workMs(plain)]
  return {
    name: 'scrolling the plan of 600 changes, CPU time of the page a frame',
    ours: milliseconds(ours),
    yardstick: `${milliseconds(frameMs)} between two frames (plain text ${milliseconds(empty)})`,
    ratio: `${(ours / frameMs).toFixed(2)}×`,
    aim: '< 1×',
    met: ours < frameMs,
  }
}

function frameResult(ours: readonly number[], empty: readonly number[]): BenchResult {
  const [our, plain] = [perSecondOf(ours), perSecondOf(empty)]
  return {
    name: 'scrolling the plan of 600 changes, frames a second',
    ours: `${our.toFixed(1)}, longest ${Math.max(...ours).toFixed(0)} ms`,
    yardstick: `${plain.toFixed(1)}, longest ${Math.max(...empty).toFixed(0)} ms (plain text of this height)`,
    ratio: `${(our / plain).toFixed(2)}×`,
    aim: '≥ 0.95×',
    met: our / plain >= 0.95,
  }
}
