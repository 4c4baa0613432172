// Accessibility findings of axe in a browser.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const rulesOfColour = ['color-contrast', 'link-in-text-block']

/** Returns all findings of axe on the page, each with its first element. */
export async function findingsOf(
  page: Page,
  rules: 'all rules' | 'rules of colour' = 'all rules',
): Promise<readonly string[]> {
  // The content security policy blocks this script on the page, but not if the debugger runs it.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
  const options = {
    resultTypes: ['violations'],
    ...(rules === 'all rules' ? {} : { runOnly: { type: 'rule', values: rulesOfColour } }),
  }
  const { violations } = await page.evaluate<{
    violations: { id: string; nodes: { html: string }[] }[]
  }>(`axe.run(document, ${JSON.stringify(options)})`)
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
}
