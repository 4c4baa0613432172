// Mutation test of the checks that the compiler cannot make. Each row removes one line from one file in a copy of this commit, and names
// the test that must fail. The run fails if that test passes, or if its failure does not name the missing fact.
//   node scripts/forgotten.ts [word]    takes minutes: it starts a test run per row
import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'

interface Forgotten {
  readonly fact: string
  readonly file: string
  /** Text in the file that is replaced by `instead` (default: removed). It must occur exactly once in the file. */
  readonly line: string
  readonly instead?: string
  readonly noticedBy: 'generate:check' | `${string}.test.ts`
  /** Titles of the tests to run, as a pattern. Default: all tests of the file. */
  readonly titled?: string
  /** Text that the output of the failure must contain. */
  readonly names: string
}

const src = 'packages/ratecard/src'

const rows: readonly Forgotten[] = [
  {
    fact: 'a field in the sandbox',
    file: 'packages/sandbox/src/objects/product-details.ts',
    line: '  url: text(),\n',
    noticedBy: 'test/push/parts/every-field.slow.test.ts',
    titled: 'the product’s url',
    names: 'url',
  },
  {
    fact: 'a field in what pull writes',
    file: `${src}/catalog/fields/meter.ts`,
    line: 'document: (key) => ({ value_settings: { event_payload_key: key } }),',
    instead: 'document: () => ({}),',
    noticedBy: 'test/catalog/fields.test.ts',
    names: 'valueKey',
  },
  {
    fact: 'the migration of a column',
    file: `${src}/store/sql/schema-migrations/migrations.ts`,
    line: '  worker text,\n',
    noticedBy: 'test/store/sqlite.test.ts',
    titled: 'column',
    names: 'worker',
  },
  {
    fact: 'a column of a worker in the shape of the API',
    file: `${src}/store/records/workers.ts`,
    line: 'deploymentId: text(), updatedAt: time() } satisfies Columns',
    instead: "deploymentId: text(), updatedAt: time('shown') } satisfies Columns",
    noticedBy: 'test/api/records-shown.http.test.ts',
    names: 'updated_at',
  },
  {
    fact: 'that a pattern of a body is one',
    file: `${src}/api/workers/workers.ts`,
    line: "  main: text('Name of the module that holds the handlers.'),",
    instead: "  main: Type.String({ pattern: '(' }),",
    noticedBy: 'test/server/http/route-schemas.test.ts',
    names: 'deployWorker.body',
  },
  {
    fact: 'a column in the shape of the API',
    file: `${src}/api/customers/tenants.ts`,
    line: '  email: nullable(Type.String()),\n',
    noticedBy: 'test/api/records-shown.http.test.ts',
    names: 'email',
  },
  {
    fact: 'the option of a column in a command',
    file: `${src}/cli/commands/tenants/tenants.ts`,
    line: `  arguments: [tenantArgument],
  options: [{ flags: '--name <name>', description: 'Name of the tenant.' }, emailOption, customerOption],`,
    instead: `  arguments: [tenantArgument],
  options: [{ flags: '--name <name>', description: 'Name of the tenant.' }, customerOption],`,
    noticedBy: 'test/api/records-shown.http.test.ts',
    names: 'email',
  },
  {
    fact: 'a member of --json',
    file: `${src}/cli/views/text/json.ts`,
    line: 'export const jsonAudit = printed(Audit)',
    instead:
      'export const jsonAudit = (audit: client.Audit) => printed(Audit)({ ...audit, entries: audit.entries.map((entry) => ({ ...entry, requestId: null })) })',
    noticedBy: 'test/cli/json.test.ts',
    names: 'request_id',
  },
  {
    fact: 'an error in the description of an operation',
    file: `${src}/api/customers/tenants.ts`,
    line: "    answers: tenantAnswer,\n    errors: ['tenant_not_found'],\n",
    instead: '    answers: tenantAnswer,\n',
    noticedBy: 'test/customers/tenants/tenants.http.test.ts',
    names: 'the status is not described',
  },
]

const root = path.dirname(import.meta.dirname)
const word = process.argv[2] ?? ''
const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-forgotten-'))
const copy = path.join(folder, 'copy')
const modules = path.join(copy, 'node_modules')
const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root })

/** Checks out this commit into a copy. The copy uses the installed packages, except those of this repository. */
function checkOut(): void {
  git('worktree', 'add', '--detach', copy, 'HEAD')
  mkdirSync(modules)
  for (const name of readdirSync(path.join(root, 'node_modules')).filter(
    (each) => !['@ratecard', '.cache'].includes(each),
  ))
    symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name))
  mkdirSync(path.join(modules, '@ratecard'))
  for (const name of readdirSync(path.join(root, 'node_modules/@ratecard')))
    symlinkSync(path.join(copy, 'packages', name), path.join(modules, '@ratecard', name))
  const own = 'packages/ratecard/node_modules'
  if (existsSync(path.join(root, own))) symlinkSync(path.join(root, own), path.join(copy, own))
  const made = run('scripts/sources.ts')
  if (made.failed) throw new Error(`The generated sources cannot be made in the copy: ${made.said}`)
}

function run(...args: readonly string[]): { readonly failed: boolean; readonly said: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' })
  return { failed: status !== 0, said: `${stdout}${stderr}` }
}

function ask({ noticedBy, titled }: Pick<Forgotten, 'noticedBy' | 'titled'>) {
  if (noticedBy === 'generate:check') return run('scripts/generate.ts', '--check')
  const only = titled === undefined ? [] : ['-t', titled]
  const project = noticedBy.endsWith('.slow.test.ts') ? 'slow' : 'fast'
  return run(path.join(modules, 'vitest/vitest.mjs'), 'run', '--project', project, noticedBy, ...only)
}

/**
 * Removes the row's line, runs its test and restores the line. Returns null if the test failed and named the missing fact, otherwise the
 * reason why the row is a hole.
 */
function holeIn(row: Forgotten): string | null {
  const file = path.join(copy, row.file)
  const text = readFileSync(file, 'utf8')
  if (text.split(row.line).length !== 2)
    return `${row.file} does not say it exactly once any more: this row is out of date.`
  writeFileSync(
    file,
    text.replace(row.line, () => row.instead ?? ''),
  )
  const { failed, said } = ask(row)
  writeFileSync(file, text)
  if (!failed) return `${row.noticedBy} noticed nothing.`
  return said.includes(row.names)
    ? null
    : `${row.noticedBy} failed without a word of "${row.names}":\n${said.slice(-2000)}`
}

let holes = 0
try {
  checkOut()
  for (const row of rows.filter(({ fact }) => fact.includes(word))) {
    const hole = holeIn(row)
    console.log(`${hole === null ? '✓' : '✗'} ${row.fact} (${row.file}): ${hole ?? row.noticedBy}`)
    if (hole !== null) holes++
  }
} finally {
  git('worktree', 'remove', '--force', copy)
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = holes === 0 ? 0 : 1
