// Mutation test of the checks: each row removes one line from one file in a copy of this commit, and names the compiler or test that
// must fail. The run fails if a row is not detected, or if the failure does not name the missing fact.
//   node scripts/forgotten.ts [word]    takes minutes: it compiles once per row
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

type Watcher =
  | 'compiler'
  /** The compiler, run over the tests. */
  | 'compiler of the tests'
  | 'generate:check'
  /** A test file. */
  | `${string}.test.ts`

interface Forgotten {
  readonly fact: string
  readonly file: string
  /** Text to replace by `instead` (default: nothing). It must occur exactly once in the file. */
  readonly line: string
  readonly instead?: string
  readonly noticedBy: Watcher
  /** Titles of the tests to run. Default: all tests of the file. */
  readonly titled?: string
  /** Text that the failure must contain. */
  readonly names: string
}

const src = 'packages/ratecard/src'

const rows: readonly Forgotten[] = [
  {
    fact: 'a field in the schema of the document',
    file: `${src}/config/schema/schema.ts`,
    line: "    url: Type.Optional(WebAddress('A page about the product that anyone may see.', 'https://example.com/pro')),\n",
    noticedBy: 'compiler',
    names: 'url',
  },
  {
    fact: 'a field in the table of its kind',
    file: `${src}/catalog/fields/product.ts`,
    line: "    url: text('url', 'in_place'),\n",
    noticedBy: 'compiler',
    names: 'url',
  },
  {
    fact: 'a field in the adapter',
    file: `${src}/processor/stripe/kinds/product.ts`,
    line: `  url: {
    read: (product) => product.url ?? '',
    create: (url) => unlessEmpty('url', url),
    update: (url) => ({ url }),
  },
`,
    noticedBy: 'compiler',
    names: 'url',
  },
  {
    fact: 'the update of a field in the adapter',
    file: `${src}/processor/stripe/kinds/product.ts`,
    line: '    update: (url) => ({ url }),\n',
    noticedBy: 'compiler',
    names: 'update',
  },
  {
    fact: 'a field in the sandbox',
    file: 'packages/sandbox/src/objects/product-details.ts',
    line: '  url: text(),\n',
    noticedBy: 'test/contract/sync/every-field.test.ts',
    titled: 'the product’s url',
    names: 'url',
  },
  {
    fact: 'a field in what pull writes',
    file: `${src}/catalog/fields/meter.ts`,
    line: 'document: (key) => ({ value_settings: { event_payload_key: key } }),',
    instead: 'document: () => ({}),',
    noticedBy: 'test/unit/catalog/fields.test.ts',
    names: 'valueKey',
  },
  {
    fact: 'a field in the generator of the laws',
    file: 'test/support/arbitrary-config.ts',
    line: "    url: optional(fc.constantFrom('https://example.com/a', 'https://example.com/b?x=1')),\n",
    noticedBy: 'compiler of the tests',
    names: 'url',
  },
  {
    fact: 'a field in the samples of the laws over every field',
    file: 'test/support/field-samples.ts',
    line: "    url: { first: { url: 'https://example.com/a' }, second: { url: 'https://example.com/b' } },\n",
    noticedBy: 'compiler of the tests',
    names: 'url',
  },
  {
    fact: 'that the audit trail tells of a column',
    file: `${src}/store/records/tenants.ts`,
    line: "  email: textOrNull('shown', 'edited'),",
    instead: "  email: textOrNull('shown'),",
    noticedBy: 'compiler',
    names: 'email',
  },
  {
    fact: 'that the API shows a column',
    file: `${src}/store/records/tenants.ts`,
    line: "  requestId: textOrNull('shown'),",
    instead: '  requestId: textOrNull(),',
    noticedBy: 'compiler',
    names: 'requestId',
  },
  {
    fact: 'the migration of a column',
    file: `${src}/store/sql/schema-migrations/migrations.ts`,
    line: '  worker text,\n',
    noticedBy: 'test/contract/store/sqlite.test.ts',
    titled: 'column',
    names: 'worker',
  },
  {
    fact: 'a column of a worker where it is written',
    file: `${src}/store/sql/repositories/workers/worker-deployments.ts`,
    line: "'name' | 'updatedAt'> = { deploymentId: id }",
    instead: "'updatedAt'> = { deploymentId: id }",
    noticedBy: 'compiler',
    names: "'name'",
  },
  {
    fact: 'that the API shows a column of a worker',
    file: `${src}/store/records/workers.ts`,
    line: "export const workerColumns = { name: text('shown'), ",
    instead: 'export const workerColumns = { name: text(), ',
    noticedBy: 'compiler',
    names: "'name'",
  },
  {
    fact: 'a column of a worker in the shape of the API',
    file: `${src}/store/records/workers.ts`,
    line: 'deploymentId: text(), updatedAt: time() } satisfies Columns',
    instead: "deploymentId: text(), updatedAt: time('shown') } satisfies Columns",
    noticedBy: 'test/http/records-shown.test.ts',
    names: 'updated_at',
  },
  {
    fact: 'a kind in the order of archives',
    file: `${src}/catalog/plan/archives.ts`,
    line: '  feature: 4,\n',
    noticedBy: 'compiler',
    names: 'feature',
  },
  {
    fact: 'the least charge of a currency',
    file: `${src}/money/currencies.ts`,
    line: '  zar: null,\n',
    noticedBy: 'compiler',
    names: 'zar',
  },
  {
    fact: 'that a pattern of a body is one',
    file: `${src}/api/workers.ts`,
    line: "  main: text('Name of the module that holds the handlers.'),",
    instead: "  main: Type.String({ pattern: '(' }),",
    noticedBy: 'test/unit/http/route-schemas.test.ts',
    names: 'deployWorker.body',
  },
  {
    fact: 'the rule of a column that callers give',
    file: `${src}/tenants/fields.ts`,
    line: `  email: {
    allows: (email) => isText(email) && emailAddress.test(email),
    detail: \`An email address has one @ and at most \${maxTextLength} characters.\`,
  },
`,
    noticedBy: 'compiler',
    names: 'email',
  },
  {
    fact: 'a column in the shape of the API',
    file: `${src}/api/tenants.ts`,
    line: '  email: nullable(Type.String()),\n',
    noticedBy: 'test/http/records-shown.test.ts',
    names: 'email',
  },
  {
    fact: 'a column in the change that callers may send',
    file: `${src}/api/tenants.ts`,
    line: "  email: TextOrNull(250, 'Where invoices go.'),\n",
    noticedBy: 'compiler',
    names: 'email',
  },
  {
    fact: 'a member in the types of the client',
    file: 'packages/client/src/wire.generated.ts',
    line: '  requestId?: string\n',
    noticedBy: 'generate:check',
    names: 'wire.generated.ts',
  },
  {
    fact: 'the option of a column in a command',
    file: `${src}/cli/commands/tenants/tenants.ts`,
    line: `  arguments: [tenantArgument],
  options: [{ flags: '--name <name>', description: 'What it is called.' }, emailOption, customerOption],`,
    instead: `  arguments: [tenantArgument],
  options: [{ flags: '--name <name>', description: 'What it is called.' }, customerOption],`,
    noticedBy: 'test/http/records-shown.test.ts',
    names: 'email',
  },
  {
    fact: 'a member of --json',
    file: `${src}/cli/views/json.ts`,
    line: 'export const jsonAudit = printed(Audit)',
    instead:
      'export const jsonAudit = (audit: client.Audit) => printed(Audit)({ ...audit, entries: audit.entries.map((entry) => ({ ...entry, requestId: null })) })',
    noticedBy: 'test/cli/json.test.ts',
    names: 'request_id',
  },
  {
    fact: 'an error in the description of an operation',
    file: `${src}/api/tenants.ts`,
    line: "    answers: tenantAnswer,\n    errors: ['tenant_not_found'],\n",
    instead: '    answers: tenantAnswer,\n',
    noticedBy: 'test/http/tenants.test.ts',
    names: 'the status is not described',
  },
  {
    fact: 'the handler of an operation',
    file: `${src}/http/routes/jobs.ts`,
    line: '  cancelJob: route(rows.cancelJob, ({ params }) => service.cancelJob(params.id)),\n',
    noticedBy: 'compiler',
    names: 'cancelJob',
  },
]

const root = path.dirname(import.meta.dirname)
const word = process.argv[2] ?? ''
const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-forgotten-'))
const copy = path.join(folder, 'copy')
const modules = path.join(copy, 'node_modules')
const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root })

/** Checks out this commit into a copy. It uses the installed packages, except those of this repository. */
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
}

function run(...args: readonly string[]): { readonly failed: boolean; readonly said: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' })
  return { failed: status !== 0, said: `${stdout}${stderr}` }
}

function ask({ noticedBy, titled }: Pick<Forgotten, 'noticedBy' | 'titled'>) {
  const compiler = path.join(modules, 'typescript/bin/tsc')
  if (noticedBy === 'compiler') return run(compiler, '--build')
  if (noticedBy === 'compiler of the tests') return run(compiler, '-p', 'test')
  if (noticedBy === 'generate:check') return run('scripts/generate.ts', '--check')
  const only = titled === undefined ? [] : ['-t', titled]
  return run(path.join(modules, 'vitest/vitest.mjs'), 'run', '--project', 'fast', noticedBy, ...only)
}

/** Reason why the row is a hole: not detected, or detected without its name. Null if it is detected properly. */
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
  const first = ask({ noticedBy: 'compiler' })
  if (first.failed) throw new Error(`The commit itself does not compile:\n${first.said}`)
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
