import { readFileSync } from 'node:fs'

const source = new URL('../../packages/dashboard/src/styles/base.css', import.meta.url)

/**
 * Returns the style sheet that all HTML pages of the product share, as a module. Some pages are rendered where no style sheet is served.
 */
export function pageStyle(): string {
  const css = readFileSync(source, 'utf8')
  if (/[`\\]|\$\{/.test(css)) throw new Error('The shared style has a character that a template cannot hold as it is.')
  return `// Generated from packages/dashboard/src/styles/base.css by scripts/reference/page-style.ts; do not edit.\n\nexport const pageStyle = \`\n${css}\`\n`
}
