// Validates, plans and pushes every example into an empty sandbox account, and checks that a pull returns the same document. Deploys and
// runs the workers of each example on the real runtime, and checks what their README promises.
import { existsSync, globSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient, type Client } from '@ratecard/client'
import { interpolate } from '../../packages/ratecard/src/document/files/interpolate.ts'
import { mergeFiles, placeIssues } from '../../packages/ratecard/src/document/files/merge-files.ts'
import { parseSource } from '../../packages/ratecard/src/document/files/source.ts'
import type { BillingConfig } from '../../packages/ratecard/src/document/schema/schema.ts'
import { validateConfig } from '../../packages/ratecard/src/document/validation/validate.ts'
import { startServer } from '../../packages/ratecard/src/server/composition/main.ts'
import { parseEnvFile } from '../../packages/ratecard/src/workers/project/env-files.ts'
import { runWorkers } from './example-workers.ts'

const examples = path.join(path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url)))), 'examples')
const serviceKey = 'examples-run-on-an-empty-account'

/** Returns the merged, expanded document of an example. Throws if it has issues, with all errors and warnings in one text. */
function readExample(name: string): BillingConfig {
  const folder = path.join(examples, name, 'ratecard')
  const files = globSync('billing/**/*.{json,jsonc,yaml,yml}', { cwd: folder }).sort()
  const sources = files.map((file) => parseSource({ path: file, text: readFileSync(path.join(folder, file), 'utf8') }))
  const merged = mergeFiles(sources)
  const environmentFile = path.join(folder, 'environments/.env.dev.example')
  const environment = existsSync(environmentFile)
    ? parseEnvFile(readFileSync(environmentFile, 'utf8'))
    : new Map<string, string>()
  const expanded = interpolate(merged.document, environment)
  const { errors, warnings, config } = validateConfig(expanded.value)
  const issues = [...merged.issues, ...placeIssues([...expanded.issues, ...errors, ...warnings], merged.locate)]
  if (issues.length > 0 || config === null) {
    const lines = issues.map(
      (issue) => `  ${issue.path ?? '?'}:${String(issue.line ?? 0)}: ${issue.code}: ${issue.detail}`,
    )
    throw new Error(`${name} is not valid:\n${lines.join('\n')}`)
  }
  return config
}

function expect(actual: string, wanted: string, what: string): void {
  if (actual !== wanted) throw new Error(`${what}: expected ${wanted}, got ${actual}`)
}

async function roundTrip({ admin }: Client, config: BillingConfig): Promise<string> {
  const planned = await admin.push(config, { dryRun: true })
  expect(planned.status, 'planned', 'dry run')
  const applied = await admin.push(config)
  expect(applied.status, 'applied', 'push')
  expect((await admin.push(config)).status, 'unchanged', 'the same push again')
  const { document } = await admin.pull()
  expect((await admin.push(document)).status, 'unchanged', 'push of what was pulled')
  return `${applied.writes.toString()} writes`
}

async function runExample(name: string): Promise<string> {
  const folder = path.join(examples, name)
  const config = existsSync(path.join(folder, 'ratecard/billing')) ? readExample(name) : null
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'ratecard-example-'))
  const env = { RATECARD_SANDBOX_PORT: '0', RATECARD_SERVICE_KEY: serviceKey, RATECARD_LOG_LEVEL: 'error' }
  try {
    const server = await startServer({ env, port: 0, dataDir, out: () => undefined })
    try {
      const client = createClient({ baseUrl: server.url, serviceKey })
      const pushed = config === null ? [] : [`${await roundTrip(client, config)}, unchanged after push and after pull`]
      return [...pushed, ...(await runWorkers(folder, { client, url: server.url, serviceKey }))].join('; ')
    } finally {
      await server.close()
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

let failures = 0
for (const entry of readdirSync(examples, { withFileTypes: true }).filter((file) => file.isDirectory())) {
  try {
    console.log(`${entry.name}: ${await runExample(entry.name)}`)
  } catch (error) {
    failures++
    console.error(`${entry.name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
if (failures > 0) process.exitCode = 1
