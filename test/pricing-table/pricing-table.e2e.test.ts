// The pricing table in a real browser, on a page of another origin, with the real service.
import { mkdtempSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient, type Client } from '../../packages/client/src/client.ts'
import { buildPricingTable } from '../../packages/pricing-table/build.mjs'
import { packs } from '../../packages/pricing-table/src/languages/all.ts'
import { languages, wordsFor } from '../../packages/pricing-table/src/words.ts'
import type { BillingConfig, Price, Product } from '../../packages/ratecard/src/document/schema/schema.ts'
import { startServer, type RunningServer } from '../../packages/ratecard/src/server/composition/main.ts'
import { findingsOf } from '../support/programs/axe.ts'
import { chromiumPath, launchChromium } from '../support/programs/chromium.ts'
import { announceSkip } from '../support/skips.ts'
import { openShop, type ShopPages } from './shop-pages.ts'

if (chromiumPath === null) announceSkip('Chromium', 'it is not installed; on Debian: apt-get install chromium')

const example = JSON.parse(
  readFileSync(new URL('../../examples/pricing-table/ratecard/billing/prices.json', import.meta.url), 'utf8'),
) as BillingConfig
/** Folder for screenshots of each theme, for a visual check. Null: no screenshots. */
const pictures = process.env['PICTURES'] ?? null

const hostile: Product = {
  id: 'hostile',
  name: '<img src=x onerror="document.title=1">',
  images: ['https://images.example.test/a.png'],
  prices: [
    {
      id: 'hostile_monthly',
      amount: 100,
      currency: 'eur',
      interval: 'month',
      ui: {
        display_name: '"><script>document.title=1</script>',
        features: ['W'.repeat(250), 'שלום 👩‍🚀 \u200b\u202eabc'],
      },
    },
  ],
  ui: {
    tagline: 'javascript:alert(1)',
    badge: '</style><script>document.title=1</script>',
    cta_text: '{{constructor}}',
  },
}
const filler = (index: number): Product => ({
  id: `filler_${String(index)}`,
  name: `Plan ${String(index)}`,
  prices: [{ id: `filler_${String(index)}_m`, amount: 100 * index, currency: 'eur', interval: 'month' }],
})
const negotiated: Price = {
  id: 'studio_monthly_partner',
  amount: 900,
  currency: 'eur',
  currency_options: { usd: { amount: 1000 } },
  interval: 'month',
  enterprise_template: 'partner',
}

const shown = 'sketch studio render_farm enterprise'
const home = mkdtempSync(path.join(tmpdir(), 'ratecard-table-'))
let server: RunningServer
let client: Client
let shop: ShopPages
let browser: Browser
beforeAll(async () => {
  process.env['HOME'] = home
  await buildPricingTable()
  server = await startServer({
    env: {
      RATECARD_PORT: '0',
      RATECARD_SANDBOX_PORT: '0',
      RATECARD_DATA_DIR: path.join(home, 'data'),
      RATECARD_LOG_LEVEL: 'error',
    },
    out: () => undefined,
  })
  const serviceKey = readFileSync(path.join(home, 'data', 'service-key'), 'utf8').trim()
  client = createClient({ baseUrl: server.url, serviceKey })
  const fillers = Array.from({ length: 35 }, (_, index) => filler(index + 1))
  const products = [...example.products, hostile, ...fillers].map((product) =>
    product.id === 'studio' ? { ...product, prices: [...(product.prices ?? []), negotiated] } : product,
  )
  await client.admin.push({ ...example, products })
  shop = await openShop(server.url)
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(async () => {
  if (chromiumPath !== null) await browser.close()
  await shop.close()
  await server.close()
  rmSync(home, { recursive: true, force: true })
})

interface Visit {
  readonly page: Page
  /** Failures of the page: uncaught errors, and violations of the content security policy. */
  readonly failures: string[]
}

async function withPage(options: BrowserContextOptions, use: (visit: Visit) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  try {
    const page = await context.newPage()
    const failures: string[] = []
    page.on('pageerror', (error) => failures.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') failures.push(message.text())
    })
    await use({ page, failures })
  } finally {
    await context.close()
  }
}

const table = (attributes = '', inner = '') =>
  `<ratecard-pricing-table src="${server.url}" ${attributes}>${inner}</ratecard-pricing-table>`

async function open(
  { page }: Visit,
  attributes: string,
  options: Parameters<ShopPages['write']>[1] = {},
): Promise<void> {
  shop.write(`<h1>Prices</h1><h2>Plans</h2>${table(attributes)}`, options)
  await page.goto(`${shop.url}/page.html`)
  await page.locator('[part~=card]').first().waitFor()
}

async function picture(page: Page, name: string): Promise<void> {
  if (pictures === null) return
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true })
}

const overflowOf = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

const inBrowser = test.skipIf(chromiumPath === null)
const amounts = (page: Page, product: string) =>
  page.locator('[part~=card]', { hasText: product }).locator('[part=amount]').allTextContents()

describe('the examples of the pricing table', () => {
  for (const name of ['html', 'react', 'vue'])
    inBrowser(`show the table and receive the chosen price: ${name}, under a strict content security policy`, () =>
      withPage({}, async (visit) => {
        const { page, failures } = visit
        await page.goto(`${shop.url}/${name}/index.html`)
        await page.getByRole('button', { name: /Choose Studio/ }).click()
        await expect.poll(() => page.locator('#chosen').textContent()).toBe('1 × studio_monthly in eur')
        expect(failures).toEqual([])
      }),
    )
})

describe('the example of a static site', () => {
  inBrowser('shows the prices of its last build without JavaScript, and the live pricing table with JavaScript', () =>
    withPage({}, async ({ page, failures }) => {
      const off = await browser.newContext({ javaScriptEnabled: false })
      const bare = await off.newPage()
      await bare.goto(`${shop.url}/static/index.html`)
      expect(await bare.getByText('Studio: €14.00 per month, €140.00 per year').isVisible()).toBe(true)
      await off.close()
      await page.goto(`${shop.url}/static/index.html`)
      const choose = page.getByRole('link', { name: /Choose Studio/ })
      await choose.waitFor()
      expect(await choose.getAttribute('href')).toBe(`${shop.url}/buy?price=studio_monthly&quantity=1`)
      expect(failures).toEqual([])
    }),
  )
})

describe('a visitor of the pricing table', () => {
  inBrowser('can change the period and the currency with the keyboard, and sees the saving', () =>
    withPage({}, async (visit) => {
      const { page } = visit
      await open(visit, `products="${shown}"`)
      expect(await amounts(page, 'For teams')).toEqual(['€14.00'])
      expect(await page.locator('[part=saving]').textContent()).toContain('save 16%')
      await page.getByRole('radio', { name: 'Monthly' }).focus()
      await page.keyboard.press('ArrowRight')
      await expect.poll(() => amounts(page, 'For teams')).toEqual(['€140.00 (2 months free)'])
      await expect.poll(() => page.getByRole('radio', { name: /Yearly/ }).isChecked()).toBe(true)
      // The focus stays on the chosen control, although the cards were rendered again.
      await page.keyboard.press('Tab')
      await page.keyboard.press('End')
      await expect.poll(() => amounts(page, 'For teams')).toEqual(['$150.00 (2 months free)'])
      expect(await page.getByRole('combobox', { name: 'Currency' }).inputValue()).toBe('usd')
    }),
  )

  inBrowser('moves the quantity slider and sees exactly the amount that the service calculates', () =>
    withPage({}, async (visit) => {
      const { page } = visit
      await open(visit, `products="${shown}" interval="month"`)
      const card = page.locator('[part~=card]', { hasText: 'Pay for what you render' })
      const slider = card.getByRole('slider', { name: 'Renders' })
      for (const quantity of [0, 1, 999, 1000, 1001, 10_000, 10_001, 19_999]) {
        await slider.fill(String(quantity))
        const { formatted } = await client.billing.calculate('renders_monthly', quantity)
        expect([quantity, await card.locator('[part=amount]').textContent()]).toEqual([quantity, formatted])
        expect(await slider.getAttribute('aria-valuetext')).toBe(
          `${quantity.toLocaleString('en')} Renders: ${formatted}`,
        )
      }
      // The field accepts quantities beyond the end of the slider.
      await card.getByRole('spinbutton', { name: 'Renders' }).fill('1234567')
      const { formatted } = await client.billing.calculate('renders_monthly', 1_234_567)
      expect(await card.locator('[part=amount]').textContent()).toBe(formatted)
      const chosen = page.evaluate(
        `new Promise((resolve) => document.addEventListener('ratecard-select', (event) => resolve([event.detail, event.composed]), { once: true }))`,
      )
      await card.getByRole('button').click()
      expect(await chosen).toEqual([
        { price_id: 'renders_monthly', quantity: 1_234_567, currency: 'eur', interval: 'month' },
        true,
      ])
    }),
  )

  inBrowser('gets a link to the site’s checkout with price and quantity, which never runs a script', () =>
    withPage({}, async (visit) => {
      const { page } = visit
      await open(visit, `products="${shown}" checkout="/buy?price={price_id}&amp;n={quantity}" contact="/contact"`)
      const studio = page.getByRole('link', { name: /Choose Studio/ })
      await page.getByRole('spinbutton', { name: 'seat' }).fill('7')
      expect(await studio.getAttribute('href')).toBe(`${shop.url}/buy?price=studio_monthly&n=7`)
      expect(await page.getByRole('link', { name: /Talk to us/ }).getAttribute('href')).toBe(`${shop.url}/contact`)
      await open(visit, `products="${shown}" checkout="javascript:document.title='{price_id}'"`)
      expect(await page.locator('a[part=cta]').count()).toBe(0)
      await page.getByRole('button', { name: /Choose Studio/ }).click()
      expect(await page.title()).toBe('Prices')
    }),
  )

  inBrowser('sees the negotiated prices of their company after signing in', () =>
    withPage({}, async (visit) => {
      const { page } = visit
      await client.tenants.create({ id: 'acme', name: 'Acme' })
      await client.enterprise.applyTemplate({ tenantId: 'acme', enterpriseTemplate: 'partner' })
      const { value } = await client.sessions.create({ tenantId: 'acme' })
      await open(visit, `products="studio" credentials="include"`)
      expect(await amounts(page, 'For teams')).toEqual(['€14.00'])
      await page
        .context()
        .addCookies([{ name: 'ratecard_session', value, url: server.url, httpOnly: true, sameSite: 'Lax' }])
      await open(visit, `products="studio" credentials="include"`)
      expect(await amounts(page, 'For teams')).toEqual(['€9.00'])
      expect(await page.locator('[part=own]').textContent()).toBe('Your price')
      const [detail] = await Promise.all([
        page.evaluate(
          `new Promise((resolve) => document.addEventListener('ratecard-select', (event) => resolve(event.detail.price_id), { once: true }))`,
        ),
        page.getByRole('button', { name: /Choose Studio/ }).click(),
      ])
      expect(detail).toBe('studio_monthly')
    }),
  )
})

/** Boxes of the parts with this name that are shown. */
async function boxes(page: Page, part: string) {
  const found = await Promise.all((await page.locator(`[part~=${part}]`).all()).map((one) => one.boundingBox()))
  return found.filter((box) => box !== null)
}

describe('the cards of the pricing table', () => {
  inBrowser('align their amounts, their buttons and their features at the same heights', () =>
    withPage({ viewport: { width: 1280, height: 900 } }, async (visit) => {
      await open(visit, 'products="sketch studio render_farm"')
      for (const theme of ['cards', 'plain']) {
        await visit.page.evaluate(`document.querySelector('ratecard-pricing-table').setAttribute('theme', '${theme}')`)
        await picture(visit.page, `lines-${theme}`)
        for (const part of ['amount', 'cta', 'features']) {
          const tops = (await boxes(visit.page, part)).map(({ y }) => Math.round(y))
          expect([theme, part, tops.length, new Set(tops).size]).toEqual([theme, part, 3, 1])
        }
      }
    }),
  )

  inBrowser('are at most 420 px wide, and fill their rows evenly', () =>
    withPage({ viewport: { width: 1280, height: 900 } }, async (visit) => {
      const rowsOf = async (products: string) => {
        await open(visit, `products="${products}"`)
        const cards = await boxes(visit.page, 'card')
        expect(Math.max(...cards.map(({ width }) => width))).toBeLessThanOrEqual(420)
        const tops = cards.map(({ y }) => Math.round(y))
        return [...new Set(tops)].map((top) => tops.filter((one) => one === top).length)
      }
      expect(await rowsOf('studio')).toEqual([1])
      expect(await rowsOf('sketch studio')).toEqual([2])
      // Four fit in a row, so five would leave one alone.
      expect(await rowsOf('sketch studio render_farm enterprise filler_1')).toEqual([3, 2])
    }),
  )

  inBrowser('have headings of the level that the page sets', () =>
    withPage({}, async (visit) => {
      const { page } = visit
      await open(visit, 'products="studio sketch"')
      expect(await page.getByRole('heading', { name: 'Studio', level: 2 }).count()).toBe(1)
      await page.evaluate(`document.querySelector('ratecard-pricing-table').setAttribute('heading-level', '4')`)
      expect(await page.getByRole('heading', { name: 'Studio', level: 4 }).count()).toBe(1)
    }),
  )

  inBrowser('show products in the language of the page, and the price per month beside a yearly price', () =>
    withPage({}, async (visit) => {
      const { page } = visit
      await open(visit, 'products="studio" interval="year"')
      expect(await page.locator('[part=period]').textContent()).toBe('per year · €11.67 per month · per seat')
      await open(visit, 'products="studio" interval="year"', { lang: 'de' })
      const german = async () => (await page.locator('[part=period]').textContent())?.replaceAll(/\s/g, ' ')
      expect(await german()).toBe('pro Jahr · 11,67 € pro Monat · pro Platz')
      await page.getByText('Für Teams, die gemeinsam zeichnen').waitFor()
      await page.getByRole('spinbutton').fill('12')
      expect(await page.locator('.quantity-label').textContent()).toBe('Plätze')
      expect(await german()).toBe('pro Jahr · 140,00 € pro Monat · 140,00 € pro Platz')
      await open(visit, 'products="studio" cents="auto"')
      expect(await amounts(page, 'For teams')).toEqual(['€14'])
    }),
  )

  inBrowser('have built-in texts in each of the ten languages, and no hole between amount and period in any', () =>
    withPage({}, async (visit) => {
      const { page } = visit
      for (const language of languages)
        for (const interval of ['month', 'year']) {
          await open(visit, `products="${shown}" interval="${interval}"`, { lang: language })
          const words = wordsFor(language, {}, packs[language])
          const per = interval === 'month' ? words.perMonth : words.perYear
          expect(await page.locator('[part=period]').filter({ hasText: per }).count()).toBeGreaterThan(0)
          const gaps = await page.evaluate<number[]>(
            `[...document.querySelector('ratecard-pricing-table').shadowRoot.querySelectorAll('.cost')].flatMap((cost) => {
              const [amount, period] = cost.children
              return period === undefined ? [] : [period.getBoundingClientRect().top - amount.getBoundingClientRect().bottom]
            })`,
          )
          expect({ language, interval, wide: gaps.filter((gap) => gap > 10) }).toEqual({ language, interval, wide: [] })
          expect(await overflowOf(page)).toBe(0)
        }
    }),
  )

  inBrowser('show every text of the example in German on a German page', () =>
    withPage({}, async (visit) => {
      const english = example.products.flatMap(({ ui }) => [
        ...[ui?.tagline, ui?.badge, ui?.cta_text].filter((text) => text !== undefined),
        ...(ui?.features ?? []),
      ])
      for (const interval of ['month', 'year']) {
        await open(visit, `products="${shown}" interval="${interval}"`, { lang: 'de' })
        const texts = (await visit.page.locator('[part~=card]').allInnerTexts()).join('\n')
        expect([...english, 'boards', 'months free', 'talk'].filter((text) => texts.includes(text))).toEqual([])
        expect(texts).toContain('250 Tafeln')
      }
    }),
  )

  for (const [name, width] of [
    ['a desktop', 1280],
    ['a phone', 390],
  ] as const)
    inBrowser(`move no visible element when the prices arrive: ${name}`, () =>
      withPage({ viewport: { width, height: 900 } }, async ({ page }) => {
        await page.addInitScript(`globalThis.shift = 0
          new PerformanceObserver((list) => { for (const { value } of list.getEntries()) globalThis.shift += value })
            .observe({ type: 'layout-shift', buffered: true })`)
        let arrive = (): void => undefined
        let arrived = Promise.resolve()
        await page.route('**/api/v1/billing/config', async (route) => {
          await arrived
          await route.continue()
        })
        for (const products of ['studio', shown]) {
          arrived = new Promise((resolve) => (arrive = resolve))
          shop.write(`<h1>Prices</h1>${table(`products="${products}"`)}<p>Below the prices.</p>`)
          await page.goto(`${shop.url}/page.html`)
          await page.locator('[part=placeholder]').waitFor()
          arrive()
          await page.locator('[part~=card]').first().waitFor()
          // The observer gets a shift after the frame that has it.
          await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
          expect([products, await page.evaluate('globalThis.shift')]).toEqual([products, 0])
        }
      }),
    )
})

describe('the pricing table', () => {
  for (const theme of ['cards', 'plain', 'compact'])
    for (const colorScheme of ['light', 'dark'] as const)
      inBrowser(`has no finding of axe: ${theme}, ${colorScheme}`, () =>
        withPage({ colorScheme, bypassCSP: true }, async (visit) => {
          await open(visit, `products="${shown}" theme="${theme}"`)
          await picture(visit.page, `${theme}-${colorScheme}`)
          expect(await findingsOf(visit.page)).toEqual([])
        }),
      )

  for (const width of [320, 360, 768])
    inBrowser(
      `fits a screen of ${String(width)} px, from left to right and from right to left, with 1 and with 40 products`,
      () =>
        withPage({ viewport: { width, height: 800 } }, async (visit) => {
          const { page, failures } = visit
          for (const theme of ['cards', 'plain', 'compact']) {
            await open(visit, `products="${shown}" theme="${theme}"`)
            await picture(page, `${theme}-${String(width)}`)
            expect([theme, await overflowOf(page)]).toEqual([theme, 0])
          }
          await open(visit, '')
          expect(await page.locator('[part~=card]').count()).toBe(40)
          expect(await overflowOf(page)).toBe(0)
          await open(visit, 'products="studio"')
          await picture(page, `one-${String(width)}`)
          expect([await page.locator('[part~=card]').count(), await overflowOf(page)]).toEqual([1, 0])
          await open(visit, `products="${shown}"`, { lang: 'he', dir: 'rtl' })
          await picture(page, `rtl-${String(width)}`)
          expect(await overflowOf(page)).toBe(0)
          expect(failures).toEqual([])
        }),
    )

  inBrowser('begins with its cards on the right side in a right-to-left language', () =>
    withPage({}, async (visit) => {
      const { page } = visit
      await open(visit, `products="${shown}"`, { lang: 'ar', dir: 'rtl' })
      await picture(page, 'rtl')
      const left = async (index: number) => (await page.locator('[part~=card]').nth(index).boundingBox())?.x ?? 0
      expect(await left(0)).toBeGreaterThan(await left(1))
    }),
  )

  inBrowser('shows hostile names as text: no script runs, and no name overflows', () =>
    withPage({ viewport: { width: 320, height: 800 } }, async (visit) => {
      const { page, failures } = visit
      await open(visit, 'products="hostile"')
      expect(await page.getByRole('heading', { name: '<img src=x' }).count()).toBe(1)
      expect([await page.title(), await overflowOf(page)]).toEqual(['Prices', 0])
      expect(await page.locator('ratecard-pricing-table img, ratecard-pricing-table script').count()).toBe(0)
      expect(failures).toEqual([])
    }),
  )

  inBrowser(
    'keeps the server-rendered content until prices arrive, and announces the failure if the prices cannot be loaded',
    () =>
      withPage({}, async (visit) => {
        const { page } = visit
        const fallback = '<p id="before">Studio is €14.00</p><p slot="footer">Cancel at any time.</p>'
        shop.write(table('', fallback).replace(server.url, `${server.url}/nowhere`))
        await page.goto(`${shop.url}/page.html`)
        const message = page.getByRole('status')
        await message.waitFor()
        expect(await message.textContent()).toContain('could not be loaded')
        expect(await page.locator('#before').isVisible()).toBe(true)
        await page.evaluate(`document.querySelector('ratecard-pricing-table').setAttribute('src', '${server.url}')`)
        await page.locator('[part~=card]').first().waitFor()
        expect(await page.locator('#before').isVisible()).toBe(false)
        expect(await page.getByText('Cancel at any time.').isVisible()).toBe(true)
        const off = await browser.newContext({ javaScriptEnabled: false })
        const bare = await off.newPage()
        await bare.goto(`${shop.url}/page.html`)
        expect(await bare.locator('#before').isVisible()).toBe(true)
        await off.close()
      }),
  )

  inBrowser('uses custom texts that the site sets for any language, as attribute or property', () =>
    withPage({}, async (visit) => {
      const { page } = visit
      await open(visit, `products="studio sketch" lang="pl" texts='{"free":"Za darmo","monthly":"Miesięcznie"}'`)
      expect(await amounts(page, 'first idea')).toEqual(['Za darmo'])
      expect(await page.getByRole('radio', { name: 'Miesięcznie' }).count()).toBe(1)
      await page.evaluate(`document.querySelector('ratecard-pricing-table').texts = { free: 'Gratis' }`)
      expect(await amounts(page, 'first idea')).toEqual(['Gratis'])
      await page.evaluate(`document.querySelector('ratecard-pricing-table').setAttribute('locale', 'de')`)
      // The texts of the language are loaded first.
      await expect.poll(async () => (await amounts(page, 'Für Teams'))[0]?.replace(/\s/g, ' ')).toBe('14,00 €')
    }),
  )
})
