// Takes the pictures of README and guides from the running product:  node scripts/docs/pictures.ts [--check]
// A file beside each picture has a fingerprint of its text and styles. Pixels are not compared, because they differ between machines.
// With --check nothing is written, and the run fails with the names of the outdated pictures.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createClient, RatecardError, type Client } from '@ratecard/client'
import { marked } from 'marked'
import type { Browser, Page } from 'playwright-core'
import { buildPricingTable } from '../../packages/pricing-table/build.mjs'
import { styles } from '../../packages/pricing-table/src/styles.ts'
import type { BillingConfig } from '../../packages/ratecard/src/document/schema/schema.ts'
import { startServer } from '../../packages/ratecard/src/server/composition/main.ts'
import { chromiumPath, launchChromium } from '../../test/support/programs/chromium.ts'
import { planOf } from '../../test/support/programs/dashboard-shots.ts'
import { signInTo } from '../../test/support/shop/sign-in.ts'
import { record as recordPlan, recordingScale, recordingSize } from './recording.ts'

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))))
const folder = path.join(root, 'docs/pictures')
const record = path.join(folder, 'pictures.json')
const cli = path.join(root, 'packages/ratecard/bin/ratecard.js')
const serviceKey = 'pictures-are-taken-of-an-empty-account'
const longest = 300 * 1024
/** Address shown instead of the real one, whose port changes from run to run. */
const shownAddress = 'https://billing.example.com'

interface World {
  readonly url: string
  readonly client: Client
  readonly home: string
  readonly document: BillingConfig
}

interface Shot {
  /** HTML of the page; '' if `arrive` opens another page. */
  readonly html: string
  /** Opens the content of the picture, if `html` is not a complete page. */
  readonly arrive?: (page: Page) => Promise<void>
  readonly width: number
  readonly height: number
  /** Selector of an element to wait for before taking the picture. */
  readonly ready: string
  /** Selector of the element to take a picture of. Default: the whole window. */
  readonly of?: string
  /** Returns the text content of the picture, for its fingerprint. */
  readonly shows: (page: Page) => Promise<string>
}

// ── Terminal

const terminalStyle = `
:root { color-scheme: light dark; }
body { margin: 0; background: transparent; }
figure { margin: 0; display: inline-block; min-width: 760px; border-radius: 10px; overflow: hidden; border: 1px solid light-dark(#d0d5e0, #30374a); background: light-dark(#fbfbfd, #12151f); }
figcaption { padding: 9px 14px; font: 13px system-ui, sans-serif; color: light-dark(#5a6275, #9aa3ba); background: light-dark(#eef0f5, #1b2030); }
pre { margin: 0; padding: 18px 20px; font: 14px/1.5 'DejaVu Sans Mono', ui-monospace, monospace; color: light-dark(#1b2030, #e3e6f0); }
.c31 { color: light-dark(#b3261e, #ff8b82); } .c32 { color: light-dark(#17713a, #7fd99a); } .c33 { color: light-dark(#8a5a00, #f0c264); }
.c35 { color: light-dark(#8431a8, #d9a0f5); } .c36 { color: light-dark(#0b6a80, #7ad3e6); } .c1 { font-weight: 700; } .c2 { opacity: .65; }`

const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Converts the colour codes of terminal output to HTML elements. */
function coloured(output: string): string {
  const on = new Set<string>()
  const parts = output.split(/\u001b\[([0-9;]*)m/)
  return parts
    .map((part, index) => {
      if (index % 2 === 0) {
        const text = escapeHtml(part)
        return on.size === 0 || text === ''
          ? text
          : `<span class="${[...on].map((code) => `c${code}`).join(' ')}">${text}</span>`
      }
      if (part === '39') for (const code of [...on]) if (code.startsWith('3')) on.delete(code)
      if (part === '22') for (const code of ['1', '2']) on.delete(code)
      if (part === '0' || part === '') on.clear()
      if (/^(1|2|3[1-6])$/.test(part)) on.add(part)
      return ''
    })
    .join('')
}

function ratecard({ url, home }: World, cwd: string, args: readonly string[], color = '1'): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [cli, ...args], {
      cwd,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: home,
        FORCE_COLOR: color,
        RATECARD_PORT: new URL(url).port,
        RATECARD_SERVICE_KEY: serviceKey,
      },
    })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('close', (code) => {
      const text = Buffer.concat(chunks).toString('utf8').replaceAll(url, shownAddress)
      if (code === 0) resolve(text.trimEnd())
      else reject(new Error(`ratecard ${args.join(' ')} ended with ${String(code)}:\n${text}`))
    })
  })
}

/** Returns the next version of the document: a changed price, a removed price, a new plan. */
function nextVersion(document: BillingConfig): BillingConfig {
  const next = structuredClone(document)
  next.version = '1.1.0'
  for (const product of next.products) {
    if (product.id === 'studio') {
      product.name = 'Studio for teams'
      product.prices?.forEach((price) => {
        if (price.id === 'studio_monthly') price.amount = 1600
      })
    }
    if (product.id === 'enterprise') product.prices = []
  }
  next.products.push({
    id: 'classroom',
    name: 'Classroom',
    prices: [{ id: 'classroom_yearly', amount: 9900, currency: 'eur', interval: 'year' }],
  })
  return next
}

/** Writes the next version to a project, and returns its folder. */
function nextProject({ home, document }: World): string {
  const project = path.join(home, 'shop')
  mkdirSync(path.join(project, 'ratecard/billing'), { recursive: true })
  writeFileSync(path.join(project, 'ratecard/billing/prices.json'), JSON.stringify(nextVersion(document)))
  return project
}

async function planInTheTerminal(world: World): Promise<Shot> {
  const project = nextProject(world)
  const output = await ratecard(world, project, ['billing', 'push', '--dry-run'])
  const text = `\u001b[2m$\u001b[22m ratecard billing push --dry-run\n\n${output}`
  return {
    html: `<!doctype html><meta charset="utf-8"><style>${terminalStyle}</style><figure><figcaption>~/shop</figcaption><pre>${coloured(text)}</pre></figure>`,
    width: 1000,
    height: 600,
    ready: 'pre',
    of: 'figure',
    // Times (of the mirror) change with every run.
    shows: () => Promise.resolve(text.replaceAll(/\d{4}-\d\d-\d\d[ T][\d:.]+/g, '') + terminalStyle),
  }
}

// ── Comment of a pull request

const commentStyle = `
:root { color-scheme: light dark; }
body { margin: 0; background: transparent; font: 14px/1.5 system-ui, 'DejaVu Sans', sans-serif; color: light-dark(#1f2328, #f0f6fc); }
figure { margin: 0; width: 900px; border: 1px solid light-dark(#d1d9e0, #3d444d); border-radius: 6px; background: light-dark(#ffffff, #0d1117); }
figcaption { padding: 8px 16px; border-bottom: 1px solid light-dark(#d1d9e0, #3d444d); background: light-dark(#f6f8fa, #151b23); color: light-dark(#59636e, #9198a1); border-radius: 6px 6px 0 0; }
figcaption b { color: light-dark(#1f2328, #f0f6fc); }
div { padding: 16px; }
h2, h3, h4 { margin: 16px 0 8px; line-height: 1.25; } h2:first-child, h3:first-child { margin-top: 0; }
p, ul, table { margin: 0 0 12px; }
table { border-collapse: collapse; } td, th { padding: 6px 13px; border: 1px solid light-dark(#d1d9e0, #3d444d); text-align: start; }
tr:nth-child(even) td { background: light-dark(#f6f8fa, #151b23); }
code { font: 85% ui-monospace, 'DejaVu Sans Mono', monospace; background: light-dark(#818b981f, #656c7633); padding: 0.2em 0.4em; border-radius: 6px; }`

/** The comment that a workflow writes on a pull request, laid out as code hosts lay out Markdown. */
async function comment(world: World): Promise<Shot> {
  const text = await ratecard(world, nextProject(world), ['billing', 'push', '--dry-run', '--format', 'markdown'], '0')
  // Without emoji, because a machine that takes pictures may have no font with them.
  const html = await marked.parse(text.replaceAll(/\p{Extended_Pictographic}\uFE0F? ?/gu, ''), { gfm: true })
  return {
    html: `<!doctype html><meta charset="utf-8"><style>${commentStyle}</style><figure><figcaption><b>ratecard</b> commented on the pull request</figcaption><div>${html}</div></figure>`,
    width: 1000,
    height: 900,
    ready: 'figure',
    of: 'figure',
    shows: async (page) => {
      const words = await page.evaluate<string>("document.querySelector('figure').innerText")
      // Fingerprints and times (of the mirror) change with every run.
      return words.replaceAll(/[0-9a-f]{64}|\d{4}-\d\d-\d\d[ T][\d:.]+/g, '') + commentStyle
    },
  }
}

// ── Pricing table

function pricingTable({ url }: World): Promise<Shot> {
  const css = readFileSync(path.join(root, 'examples/pricing-table/page.css'), 'utf8')
  const html = [
    '<!doctype html><html lang="en"><meta charset="utf-8">',
    `<style>${css} main { max-width: 76rem; padding: 1.5rem }</style><script type="module" src="${url}/pricing-table.js"></script>`,
    `<main><ratecard-pricing-table src="${url}" locale="en" currency="eur"></ratecard-pricing-table></main></html>`,
  ].join('')
  return Promise.resolve({
    html,
    width: 1200,
    height: 600,
    ready: '[part~=card]',
    of: 'main',
    // The fingerprint covers the rendered text and the source of the styles, because browsers serialize computed styles differently.
    shows: async (page) => {
      const words = await page.evaluate<string>(
        'document.querySelector("ratecard-pricing-table").shadowRoot.textContent',
      )
      return `${words}\n${styles}\n${css}`
    },
  })
}

// ── Dashboard

/** The price list in the dashboard. Times are removed from the fingerprint because they change. Styles are checked elsewhere. */
function dashboard({ url }: World): Promise<Shot> {
  return Promise.resolve({
    html: '',
    width: 1280,
    height: 860,
    arrive: async (page) => {
      await signInTo(page, url, serviceKey)
      await page.goto(`${url}/dashboard/prices`)
    },
    ready: 'text=No paying subscribers',
    shows: (page) =>
      page.evaluate<string>(
        '[...document.querySelectorAll("time")].forEach((time) => (time.textContent = "")), document.querySelector(".page").textContent',
      ),
  })
}

/** The plan of the next version, from its sentence on. */
function planPage({ url, document }: World): Promise<Shot> {
  return Promise.resolve({
    html: '',
    width: 1280,
    height: 860,
    arrive: async (page) => {
      await signInTo(page, url, serviceKey)
      await planOf(page, `${url}/dashboard`, nextVersion(document))
      await page.getByRole('heading', { name: 'Affected subscribers' }).waitFor()
      await page.evaluate(`document.querySelector('[aria-live=polite].stack').scrollIntoView(), scrollBy(0, -24)`)
    },
    ready: 'text=What changes',
    // Without the account and the list of earlier pushes, which differ between runs.
    shows: (page) =>
      page.evaluate<string>(
        '[...document.querySelectorAll("time, .facts")].forEach((one) => (one.textContent = "")), document.querySelector("[aria-live=polite].stack").textContent',
      ),
  })
}

const pictures: Readonly<Record<string, (world: World) => Promise<Shot>>> = {
  'plan-in-the-terminal': planInTheTerminal,
  'plan-page': planPage,
  'pull-request-comment': comment,
  'pricing-table': pricingTable,
  dashboard,
}

// ── Taking the pictures

/** Serves the pages from an origin that differs from the service's, like the pages of a shop. */
async function serve(shots: ReadonlyMap<string, Shot>) {
  const server = createServer((request, response) => {
    const shot = shots.get((request.url ?? '').slice(1))
    response.writeHead(shot === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(shot?.html ?? '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, close: () => server.close() }
}

async function fingerprintOf(page: Page, { shows }: Shot): Promise<string> {
  const text = await shows(page)
  return createHash('sha256').update(text).digest('hex')
}

async function take(browser: Browser, address: string, name: string, shot: Shot, write: boolean): Promise<string> {
  let fingerprint = ''
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({
      viewport: { width: shot.width, height: shot.height },
      colorScheme,
      deviceScaleFactor: 1.5,
      reducedMotion: 'reduce',
    })
    try {
      const page = await context.newPage()
      if (shot.arrive === undefined) await page.goto(`${address}/${name}`)
      else await shot.arrive(page)
      await page.locator(shot.ready).first().waitFor()
      if (!write) {
        fingerprint = await fingerprintOf(page, shot)
        break
      }
      const file = path.join(folder, `${name}-${colorScheme}.png`)
      const options = { path: file, omitBackground: true }
      if (shot.of === undefined) await page.screenshot(options)
      else await page.locator(shot.of).screenshot(options)
      fingerprint = await fingerprintOf(page, shot)
      const { size } = statSync(file)
      if (size > longest)
        throw new Error(`${file} is ${String(size)} bytes long; at most ${String(longest)} are allowed.`)
      console.log(`${path.relative(root, file)} (${String(Math.round(size / 1024))} kB)`)
    } finally {
      await context.close()
    }
  }
  return fingerprint
}

const recording = 'drop-plan-apply'
const longestRecording = 900 * 1024

/** Records the application of the next version. It comes last, because it changes what the other pictures show. */
async function recordAll(browser: Browser, { url, document }: World, write: boolean): Promise<string> {
  const context = await browser.newContext({
    viewport: recordingSize,
    colorScheme: 'light',
    deviceScaleFactor: recordingScale,
    reducedMotion: 'reduce',
  })
  try {
    const page = await context.newPage()
    await signInTo(page, url, serviceKey)
    const { animation, text } = await recordPlan(page, url, nextVersion(document))
    if (animation.length > longestRecording)
      throw new Error(
        `The recording is ${String(animation.length)} bytes long; at most ${String(longestRecording)} are allowed.`,
      )
    if (write) {
      writeFileSync(path.join(folder, `${recording}.webp`), animation)
      console.log(`docs/pictures/${recording}.webp (${String(Math.round(animation.length / 1024))} kB)`)
    }
    return createHash('sha256').update(text).digest('hex')
  } finally {
    await context.close()
  }
}

/** Creates subscribers of the price that the next version changes, so that the plan shows an impact. */
async function sell(client: Client): Promise<void> {
  for (const [id, quantity] of [
    ['lumen', 4],
    ['fieldnotes', 2],
    ['harbor', 9],
  ] as const) {
    await client.tenants.create({ id, name: id })
    const back = 'http://127.0.0.1:9/'
    const { url } = await client.checkout.create({
      tenantId: id,
      priceId: 'studio_monthly',
      quantity,
      successUrl: back,
      cancelUrl: back,
    })
    const body = new URLSearchParams({ action: 'pay', email: `${id}@example.test`, number: '4242424242424242' })
    const paid = await fetch(url, { method: 'POST', body, redirect: 'manual' })
    if (paid.status !== 303) throw new Error(`The checkout of ${id} was not paid: ${String(paid.status)}`)
  }
}

/** Waits until the mirror has read the sales. The price list shows its subscribers from the mirror. */
async function mirrored(client: Client): Promise<void> {
  const sold = Date.now()
  for (;;) {
    const asOf = await client.money.now().then(
      (money) => Date.parse(money.asOf),
      (error: unknown) => {
        if (error instanceof RatecardError && error.code === 'mirror_filling') return 0
        throw error
      },
    )
    if (asOf > sold) return
    await wait(200)
  }
}

async function main(write: boolean): Promise<number> {
  if (chromiumPath === null) {
    console.error('pictures: Chromium is not installed; on Debian: apt-get install chromium')
    return process.env['CI'] === 'true' ? 1 : 0
  }
  const home = mkdtempSync(path.join(os.tmpdir(), 'ratecard-pictures-'))
  await buildPricingTable()
  const env = { RATECARD_SANDBOX_PORT: '0', RATECARD_SERVICE_KEY: serviceKey, RATECARD_LOG_LEVEL: 'error' }
  const server = await startServer({ env, port: 0, dataDir: path.join(home, 'data'), out: () => undefined })
  const browser = await launchChromium()
  try {
    const file = path.join(root, 'examples/pricing-table/ratecard/billing/prices.json')
    const document = JSON.parse(readFileSync(file, 'utf8')) as BillingConfig
    const client = createClient({ baseUrl: server.url, serviceKey })
    await client.admin.push(document)
    await sell(client)
    await mirrored(client)
    const world = { url: server.url, client, home, document }
    const shots = new Map<string, Shot>()
    for (const [name, prepare] of Object.entries(pictures)) shots.set(name, await prepare(world))
    const pages = await serve(shots)
    const found: Record<string, string> = {}
    mkdirSync(folder, { recursive: true })
    for (const [name, shot] of shots) found[name] = await take(browser, pages.url, name, shot, write)
    pages.close()
    found[recording] = await recordAll(browser, world, write)
    if (write) writeFileSync(record, `${JSON.stringify(found, null, 2)}\n`)
    return write ? 0 : compare(found)
  } finally {
    await browser.close()
    await server.close()
    rmSync(home, { recursive: true, force: true })
  }
}

function compare(found: Readonly<Record<string, string>>): number {
  const known = (existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : {}) as Record<string, string>
  const stale = Object.keys(found).filter((name) => known[name] !== found[name])
  const missing = Object.keys(found)
    .flatMap((name) => (name === recording ? [`${name}.webp`] : [`${name}-light.png`, `${name}-dark.png`]))
    .filter((file) => !existsSync(path.join(folder, file)))
  for (const name of stale) console.error(`pictures: ${name} shows what the product no longer is.`)
  for (const file of missing) console.error(`pictures: ${file} is missing.`)
  if (stale.length + missing.length === 0) console.log('The pictures fit the product.')
  else console.error('Take them anew with `npm run pictures`, look at them, and commit them.')
  return stale.length + missing.length === 0 ? 0 : 1
}

process.exitCode = await main(!process.argv.includes('--check'))
