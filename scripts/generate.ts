// Writes every generated file of the repository. With --check, lists the files that are out of date and writes nothing.
import { spawnSync } from 'node:child_process'
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
import { pageStyle } from './reference/page-style.ts'
import { clientNames, clientTypes } from './reference/client-types.ts'

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
  'packages/ratecard/src/http/response/page-style.generated.ts': pageStyle,
  'packages/sandbox/src/hosted-pages/page-style.generated.ts': pageStyle,
  'packages/client/src/names.generated.ts': clientNames,
  'packages/client/src/wire.generated.ts': clientTypes,
}

/** Generators that are separate scripts. Each of them supports --check. */
const scripts = ['scripts/stripe-contract.ts', 'scripts/store-schema.ts']

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

function run(script: string): boolean {
  const result = spawnSync(process.execPath, [path.join(root, script), ...(check ? ['--check'] : [])], {
    cwd: root,
    stdio: 'inherit',
  })
  if (result.status !== 0) console.error(`${script} failed`)
  return result.status === 0
}

const settled: boolean[] = []
for (const [file, make] of Object.entries(pages)) settled.push(await settle(file, make))
for (const script of scripts) settled.push(run(script))

if (settled.includes(false)) process.exitCode = 1
else console.log(check ? 'Every generated file is up to date.' : 'Every generated file is written.')
