import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../packages/ratecard/src/server/composition/main.ts'
import { chromiumPath, launchChromium } from '../support/programs/chromium.ts'
import { fixture } from '../support/fixtures.ts'
import { announceSkip } from '../support/skips.ts'

if (chromiumPath === null) announceSkip('Chromium', 'it is not installed; on Debian: apt-get install chromium')

const home = mkdtempSync(path.join(tmpdir(), 'ratecard-browser-'))
let server: RunningServer
beforeAll(async () => {
  process.env['HOME'] = home
  server = await startServer({
    env: {
      RATECARD_PORT: '0',
      RATECARD_SANDBOX_PORT: '0',
      RATECARD_DATA_DIR: path.join(home, 'data'),
      RATECARD_LOG_LEVEL: 'error',
    },
    out: () => undefined,
  })
  const key = readFileSync(path.join(home, 'data', 'service-key'), 'utf8').trim()
  const answer = await fetch(`${server.url}/api/v1/billing/admin/config`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Service-Key': key },
    body: JSON.stringify(fixture('01-saas-subscriptions')),
  })
  expect(answer.status).toBe(200)
})
afterAll(async () => {
  await server.close()
  rmSync(home, { recursive: true, force: true })
})

test.skipIf(chromiumPath === null)(
  'a user reads the API documentation in a browser and calls the API from the page',
  async () => {
    const browser = await launchChromium()
    try {
      const page = await browser.newPage()
      const failures: string[] = []
      page.on('pageerror', (error) => failures.push(error.message))
      await page.goto(`${server.url}/docs`)
      const operation = page.locator('.opblock', { hasText: '/api/v1/billing/config/prices/{id}/calculate' })
      await operation.first().waitFor()
      await page.goto(`${server.url}/docs/errors`)
      await page.getByText('config_invalid').first().waitFor()
      await page.goto(`${server.url}/api/v1/billing/config`)
      const prices = await page.evaluate(async () => {
        const config = (await (await fetch('/api/v1/billing/config')).json()) as {
          config: { products: { id: string }[] }
        }
        return config.config.products.map((product) => product.id)
      })
      expect(prices).toEqual(['free', 'solo', 'studio', 'concierge', 'paper_pack'])
      expect(failures).toEqual([])
    } finally {
      await browser.close()
    }
  },
)
