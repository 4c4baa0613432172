// Builds everything that is installed from this repository: client, sandbox, product, pricing table script, dashboard pages, and the
// product's bundle; before that, the sources that are made from others (scripts/sources.ts). Types are not checked here, which takes two thirds of the compiler's time: `npm run types` does it. Incremental: a
// second run does nothing. Plain JavaScript without dependencies, because `npm ci` runs it as `prepare`,
// possibly on an older Node than the product needs.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const projects = ['packages/client', 'packages/sandbox', 'packages/ratecard']
const compiler = path.join(root, 'node_modules/typescript/bin/tsc')
const pinned = path.join(root, 'node_modules/.bin', process.platform === 'win32' ? 'node.exe' : 'node')

/** Bundles the compiler's output into single files. The bundlers are imported here, because their dependencies may not be installed. */
async function bundle() {
  const { buildPricingTable } = await import('../packages/pricing-table/build.mjs')
  await buildPricingTable()
  const { buildDashboard } = await import('../packages/dashboard/build.mjs')
  await buildDashboard()
}

/** Returns the running Node if it is version 22 or later, otherwise the Node that the repository pins. */
function chooseNode() {
  const major = Number(process.versions.node.split('.')[0])
  if (major >= 22) return process.execPath
  return existsSync(pinned) ? pinned : process.execPath
}

async function build() {
  if (!existsSync(compiler)) {
    console.log('build: skipped, because the compiler is not installed (development dependencies were left out)')
    return 0
  }
  const made = spawnSync(chooseNode(), ['--experimental-strip-types', path.join(root, 'scripts/sources.ts')], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  })
  if (made.status !== 0) {
    console.error('build: the sources that are made from others could not be written; see above.')
    return made.status ?? 1
  }
  const startedAt = Date.now()
  const result = spawnSync(chooseNode(), [compiler, '--build', '--noCheck', ...projects], {
    cwd: root,
    stdio: 'inherit',
  })
  if (result.error !== undefined) {
    console.error(`build: the compiler could not be started: ${result.error.message}`)
    return 1
  }
  if (result.signal !== null) {
    console.error(`build: the compiler was ended by ${result.signal}`)
    return 1
  }
  if (result.status !== 0) {
    console.error('build: failed; the messages above say where. The output may be incomplete.')
    return result.status ?? 1
  }
  for (const project of projects) freshen(path.join(root, project), startedAt)
  await bundle()
  const bundled = spawnSync(chooseNode(), [path.join(root, 'scripts/bundle.mjs')], { cwd: root, stdio: 'inherit' })
  if (bundled.status !== 0) console.error('build: the bundle of the command line could not be made; see above.')
  return bundled.status ?? 1
}

/**
 * Updates the time of outputs whose source was touched but not changed (e.g. by a checkout), because the compiler does not rewrite them.
 * The command line compares these times to detect a stale build.
 */
function freshen(folder, startedAt) {
  for (const name of readdirSync(path.join(folder, 'src'), { recursive: true })) {
    if (!name.endsWith('.ts') || name.endsWith('.d.ts')) continue
    const changed = statSync(path.join(folder, 'src', name)).mtimeMs
    const output = path.join(folder, 'dist', name.replace(/\.ts$/, '.js'))
    const built = statSync(output, { throwIfNoEntry: false })
    if (built !== undefined && built.mtimeMs < changed && changed < startedAt)
      utimesSync(output, new Date(), new Date())
  }
}

process.exitCode = await build()
