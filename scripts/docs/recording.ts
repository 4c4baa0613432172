// The recording of the README: a file is dropped on the plan page, planned and applied. It is made of screenshots, so it needs no video tools.
import type { Page } from 'playwright-core'
import { animatedWebp, type Frame } from './animated-webp.ts'

export const recordingSize = { width: 1100, height: 700 }
const scale = 1.5
const quality = 72

interface Recorder {
  /** Adds the page as it is now. */
  readonly show: (milliseconds: number) => Promise<void>
  readonly animation: () => Buffer
}

async function recorderOf(page: Page): Promise<Recorder> {
  const session = await page.context().newCDPSession(page)
  const frames: Frame[] = []
  return {
    show: async (milliseconds) => {
      const { data } = await session.send('Page.captureScreenshot', {
        format: 'webp',
        quality,
        // Without it the picture has CSS pixels, not those of the device.
        clip: { x: 0, y: await page.evaluate<number>('scrollY'), ...recordingSize, scale },
      })
      frames.push({ webp: Buffer.from(data, 'base64'), milliseconds })
    },
    animation: () => animatedWebp(frames),
  }
}

/** Draws a file under a pointer at this place, as a browser shows it while a file is dragged. Null: takes it away. */
const dragTo = (page: Page, place: readonly [x: number, y: number] | null) =>
  page.evaluate(`(() => {
    const at = ${JSON.stringify(place)}
    document.querySelector('#dragged')?.remove()
    const event = new DragEvent(at === null ? 'dragleave' : 'dragover', { bubbles: true, cancelable: true })
    document.querySelector('.drop').dispatchEvent(event)
    if (at === null) return
    const file = document.createElement('div')
    file.id = 'dragged'
    file.textContent = 'prices.json'
    Object.assign(file.style, { position: 'fixed', left: at[0] + 'px', top: at[1] + 'px', padding: '0.4rem 0.8rem', zIndex: 100 })
    Object.assign(file.style, { borderRadius: '8px', background: 'var(--accent)', color: 'var(--on-accent)', fontWeight: 600 })
    document.body.append(file)
  })()`)

/** Returns the text of the page without what changes from run to run: times, ids and the account. */
const lastingText = (page: Page) =>
  page.evaluate<string>(`(() => {
    const copy = document.querySelector('main').cloneNode(true)
    for (const gone of copy.querySelectorAll('time, .facts, .which-account, .steps-count, tbody')) gone.remove()
    return copy.textContent
  })()`)

/** Plans and applies the document. Returns the animation, and the text that its frames show. */
export async function record(page: Page, service: string, document: object) {
  await page.goto(`${service}/dashboard/plan`)
  await page.getByRole('heading', { name: 'Your files' }).waitFor()
  await page.locator('.loading').first().waitFor({ state: 'detached' })
  const recorder = await recorderOf(page)
  const texts: string[] = []
  await recorder.show(300)
  for (const [index, place] of (
    [
      [980, 600],
      [860, 470],
      [740, 340],
      [640, 230],
    ] as const
  ).entries()) {
    await dragTo(page, place)
    await recorder.show(index === 3 ? 300 : 100)
  }
  await dragTo(page, null)
  await page.locator('input[type=file]').setInputFiles({
    name: 'prices.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(document, null, 2)),
  })
  const plan = page.getByRole('button', { name: 'Show the plan' })
  await plan.waitFor()
  await recorder.show(300)
  await plan.click()
  await page.getByRole('heading', { name: 'The plan' }).waitFor()
  await page.locator('.chart-empty').first().waitFor({ state: 'detached' })
  texts.push(await lastingText(page))
  for (const [top, milliseconds] of [
    [120, 200],
    [260, 3000],
    [500, 200],
    [700, 2200],
    [900, 200],
    [1100, 2200],
  ] as const) {
    await page.evaluate(`scrollTo(0, ${String(top)})`)
    await recorder.show(milliseconds)
  }
  await page.getByRole('button', { name: 'Apply …' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason (shown in the history)').pressSequentially('Autumn prices')
  await recorder.show(2200)
  texts.push(await dialog.locator('h2').innerText())
  await dialog.getByRole('button', { name: 'Apply this plan' }).click()
  await page.getByRole('link', { name: /^revision \d+$/ }).waitFor()
  await page.getByText('What changed since').waitFor()
  await page.evaluate('scrollTo(0, 0)')
  await recorder.show(3500)
  texts.push(await lastingText(page))
  return { animation: recorder.animation(), text: texts.join('\n') }
}

/** Scale of the pixels, for the browser that records. */
export const recordingScale = scale
