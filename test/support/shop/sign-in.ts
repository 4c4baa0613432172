import type { Page } from 'playwright-core'

/** Signs in at the dashboard of the service with a service key. */
export async function signInTo(page: Page, service: string, serviceKey: string): Promise<void> {
  await page.goto(`${service}/dashboard/sign-in`)
  await page.locator('input[name=key]').fill(serviceKey)
  await page.locator('button[type=submit]').click()
  await page.locator('.page').first().waitFor()
}
