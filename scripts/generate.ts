// Writes the generated pages that are committed, because people read them on a code host. With --check, lists the pages that are out of
// date and writes nothing. What the build needs is made by scripts/sources.ts and not committed.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { configPage } from './reference/config-page.ts'
import { cliPage } from './reference/cli-page.ts'
import { errorsPage } from './reference/errors-page.ts'
import { httpPage } from './reference/http-page.ts'
import { membersPage } from './reference/members-page.ts'
import { policiesPage } from './reference/policies-page.ts'
import { sandboxPage } from './reference/sandbox-page.ts'
import { settingsPage } from './reference/settings-page.ts'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const check = process.argv.includes('--check')

const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/reference/config.md': configPage,
  'docs/reference/cli.md': cliPage,
  'docs/reference/errors.md': errorsPage,
  'docs/reference/http.md': httpPage,
  'docs/reference/members.md': membersPage,
  'docs/reference/policies.md': policiesPage,
  'docs/reference/sandbox.md': sandboxPage,
  'docs/reference/settings.md': settingsPage,
}

/** Writes a generated file, or only compares it with --check. Returns true if the file is now up to date. */
async function settle(file: string, make: () => string | Promise<string>): Promise<boolean> {
  const target = path.join(root, file)
  const wanted = await make()
  const present = existsSync(target) ? readFileSync(target, 'utf8') : undefined
  if (present === wanted) return true
  if (check) {
    console.error(`${file} is not what its source makes. Run \`npm run generate\` and commit the result.`)
    return false
  }
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(target, wanted)
  console.log(`${file} written`)
  return true
}

const settled: boolean[] = []
for (const [file, make] of Object.entries(pages)) settled.push(await settle(file, make))

if (settled.includes(false)) process.exitCode = 1
else console.log(check ? 'Every generated page is up to date.' : 'Every generated page is written.')
