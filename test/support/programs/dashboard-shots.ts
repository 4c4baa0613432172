// Every page of the dashboard, and the states of a page that a visit alone does not show: plans, dialogs, the palette.
import type { Page } from 'playwright-core'
import type { Client } from '../../../packages/client/src/client.ts'

export interface DashboardShot {
  readonly name: string
  /** False: the picture is of the window, not of the whole page. For dialogs. */
  readonly isWhole?: boolean
  readonly arrive: (page: Page, dashboard: string) => Promise<void>
}

const complete = (page: Page) => page.locator('.loading, .chart-empty').first().waitFor({ state: 'detached' })

const visit =
  (where: string) =>
  async (page: Page, dashboard: string): Promise<void> => {
    await page.goto(`${dashboard}/${where}`)
    await page.locator('main h1').waitFor()
    await complete(page)
  }

const pageShot = (where: string, name = where.replaceAll('/', '-')): DashboardShot => ({ name, arrive: visit(where) })

/** Opens a page, then a dialog with the button. */
const dialogShot = (name: string, where: string, button: string): DashboardShot => ({
  name,
  isWhole: false,
  arrive: async (page, dashboard) => {
    await visit(where)(page, dashboard)
    await page.getByRole('button', { name: button }).first().click()
    await page.getByRole('dialog').waitFor()
    await complete(page)
  },
})

/** Drops the document on the plan page, and plans it. `then` is a button of the first answer, e.g. one that overrides a refusal. */
export async function planOf(page: Page, dashboard: string, document: object, then?: string): Promise<void> {
  await visit('plan')(page, dashboard)
  await page.locator('input[type=file]').setInputFiles({
    name: 'billing.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(document, null, 2)),
  })
  await page.getByRole('button', { name: 'Show the plan' }).click()
  if (then === undefined) await page.locator('[aria-live=polite].stack > *').first().waitFor()
  else {
    await page.getByRole('button', { name: then }).click()
    await page.getByRole('heading', { name: 'The plan' }).waitFor()
  }
}

const menuPages = [
  'overview',
  'prices',
  'plan',
  'history',
  'drift',
  'policies',
  'tenants',
  'coverage',
  'jobs',
  'workers',
  'webhooks',
  'keys',
  'health',
]

/** Shots of an empty service, or (with the next price list) of a filled one. */
export function dashboardShots(client: Client | null, next: object | null): readonly DashboardShot[] {
  const places = menuPages.map((where) => pageShot(where))
  const palette: DashboardShot = {
    name: 'palette',
    isWhole: false,
    arrive: async (page, dashboard) => {
      await visit('health')(page, dashboard)
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').waitFor()
      if (client !== null) await page.getByRole('combobox').fill('solo')
      await page.getByRole('option').first().waitFor()
    },
  }
  if (client === null || next === null) return [...places, palette, pageShot('nowhere')]
  return [...places, ...details(client), ...plans(next), ...dialogs(next), palette]
}

const details = (client: Client): readonly DashboardShot[] => [
  pageShot('prices/solo_monthly'),
  pageShot('prices/renders_monthly'),
  {
    name: 'prices-quantity',
    arrive: async (page, dashboard) => {
      await visit('prices')(page, dashboard)
      await page.getByText('What does a quantity cost?').first().click()
      await page.getByText('As a table').first().click()
      await complete(page)
    },
  },
  pageShot('history/25'),
  pageShot('history/12'),
  {
    name: 'push',
    arrive: async (page, dashboard) => {
      const { versions } = await client.admin.history({ limit: 10 })
      const push = versions.find(({ revision }) => revision === 25)?.pushId ?? ''
      await visit(`plan/${push}`)(page, dashboard)
    },
  },
  {
    name: 'job',
    arrive: async (page, dashboard) => {
      const { jobs } = await client.jobs.list({ limit: 1, kind: 'enterprise_apply' })
      await visit(`jobs/${jobs[0]?.id ?? ''}`)(page, dashboard)
    },
  },
  pageShot('tenants/t08'),
  pageShot('tenants/t00'),
  pageShot('tenants/owing-2'),
  pageShot('tenants/t55'),
  pageShot('workers/price-watch'),
]

const plans = (next: object): readonly DashboardShot[] => [
  { name: 'plan-refused', arrive: (page, dashboard) => planOf(page, dashboard, next) },
  {
    name: 'plan-result',
    arrive: async (page, dashboard) => {
      await planOf(page, dashboard, next, 'Plan to overwrite these edits')
      await page.getByText('What changes').waitFor()
    },
  },
]

const dialogs = (next: object): readonly DashboardShot[] => [
  {
    name: 'dialog-apply',
    isWhole: false,
    arrive: async (page, dashboard) => {
      await planOf(page, dashboard, next, 'Plan to overwrite these edits')
      await page.getByRole('button', { name: 'Apply …' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  dialogShot('dialog-rollback', 'history/20', 'Roll back'),
  dialogShot('dialog-move', 'prices/solo_monthly', 'Move subscribers …'),
  dialogShot('dialog-key', 'keys', 'Create'),
  dialogShot('dialog-rotate', 'webhooks', 'Rotate'),
  dialogShot('dialog-run', 'workers/price-watch', 'Run now'),
]
