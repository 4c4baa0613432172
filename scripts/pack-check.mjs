// Packs the published packages, installs them into an empty folder as a user would, and uses the installation with each supported Node:
//   node scripts/pack-check.mjs [--node <program>]…
// Without --node: the newest Node 22 and 24 from npm. Needs a build and access to the npm registry; sends requests to no other host.
import { execFileSync, spawn } from 'node:child_process'
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
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const compiler = path.join(root, 'node_modules/typescript/bin/tsc')
const world = mkdtempSync(path.join(os.tmpdir(), 'ratecard-pack-check-'))
const majors = ['22', '24']
/** Limits of an installation: size in megabytes as counted by `du`, and number of packages. */
const limits = { plain: { megabytes: 60, packages: 80 }, workers: { megabytes: 230, packages: 90 } }

const run = (program, args, options = {}) =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options })
/** npm options for the registry: a timeout of 60 seconds with 4 retries. npm's default timeout is 5 minutes. */
const patience = ['--fetch-timeout=60000', '--fetch-retries=4', '--no-audit', '--no-fund']
const say = (line) => process.stdout.write(`${line}\n`)
function must(holds, what) {
  if (!holds) throw new Error(what)
  say(`  ok: ${what}`)
}

/** Returns the Node programs to test with: those of the command line, otherwise the newest 22 and 24 from npm. */
function nodes() {
  const given = process.argv.flatMap((word, index, all) => (all[index - 1] === '--node' ? [path.resolve(word)] : []))
  if (given.length > 0) return given
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  return majors.map((major) => {
    const folder = path.join(world, `node-${major}`)
    mkdirSync(folder)
    run('npm', ['install', '--prefix', folder, '--ignore-scripts', ...patience, `${name}@${major}`])
    return path.join(folder, 'node_modules', name, 'bin/node')
  })
}

/** Installs only the tarballs into a new folder and returns the folder. `flags` are npm options. */
function install(name, tarballs, env, flags = []) {
  const folder = path.join(world, name)
  mkdirSync(folder)
  run('npm', ['install', ...patience, ...flags, ...tarballs], { cwd: folder, env })
  const packages = run('npm', ['ls', '--all', '--parseable'], { cwd: folder, env }).trim().split('\n').length - 1
  const megabytes = Number(run('du', ['-sk', path.join(folder, 'node_modules')]).split('\t')[0]) / 1024
  return { folder, packages, megabytes }
}

function fits(name, { packages, megabytes }, limit) {
  must(
    megabytes <= limit.megabytes && packages <= limit.packages,
    `${name}: ${megabytes.toFixed(0)} MB of ${limit.megabytes}, ${packages} packages of ${limit.packages}`,
  )
}

/** Starts the service and resolves with its address. */
async function startServer(node, folder, env) {
  const args = [path.join(folder, 'node_modules/ratecard/bin/ratecard.js'), 'server', 'start', '--port', '0', '--json']
  const child = spawn(node, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const line = await Promise.race([
    new Promise((resolve) => child.stdout.once('data', (data) => resolve(String(data)))),
    ended.then((code) => Promise.reject(new Error(`the server ended with ${code}`))),
  ])
  const stop = async () => {
    child.kill('SIGTERM')
    return ended
  }
  return { url: JSON.parse(line).url, stop }
}

/** Checks what the installation page promises, where possible with the commands of that page. */
async function workThere(node, folder, env) {
  const bin = path.join(folder, 'node_modules/ratecard/bin/ratecard.js')
  const project = path.join(folder, 'my-shop')
  const cli = (...words) => run(node, [bin, ...words], { cwd: existsSync(project) ? project : folder, env })
  const { version } = JSON.parse(readFileSync(path.join(root, 'packages/ratecard/package.json'), 'utf8'))
  must(cli('--version').trim() === version, '--version')
  must(cli('explain', 'config_invalid').includes('config_invalid'), 'explain')
  cli('init', 'my-shop')
  must(cli('billing', 'validate').includes('valid'), 'init makes a project that is valid')
  const server = await startServer(node, folder, env)
  try {
    const at = ['--api-url', server.url]
    must(/revision 1\b/.test(cli('billing', 'push', '--yes', ...at)), 'push')
    must(cli('billing', 'history', ...at).includes('1'), 'history')
    must((await fetch(`${server.url}/api/v1/billing/config`)).status === 200, 'the public price list')
    for (const page of ['/docs', '/api/v1/openapi.json', '/docs/errors', '/dashboard'])
      must((await fetch(`${server.url}${page}`)).status === 200, `${page} is served`)
    const deployed = cli('cloud', 'workers', 'deploy', '--yes', ...at)
    must(deployed.includes('/workers/'), 'workers deploy')
    const client = `import { createClient } from '@ratecard/client'
const { version } = await createClient({ baseUrl: '${server.url}' }).billing.config()
if (typeof version !== 'string') throw new Error('no version')\n`
    writeFileSync(path.join(folder, 'client.mjs'), client)
    run(node, ['client.mjs'], { cwd: folder, env })
    must(true, 'the client reads the price list')
  } finally {
    must((await server.stop()) === 0, 'SIGTERM ends the server with 0')
  }
}

function typesHold(node, folder) {
  writeFileSync(
    path.join(folder, 'types.mts'),
    `import { createClient, RatecardError, type Client } from '@ratecard/client'
import '@ratecard/pricing-table'
import { startServer, type Server } from 'ratecard'
export const client: Client = createClient({ baseUrl: 'http://127.0.0.1:4242' })
export const code = (error: unknown): string => (error instanceof RatecardError ? error.code : '')
export const server: Promise<Server> = startServer({ port: 0 })
// @ts-expect-error: an address is text
createClient({ baseUrl: 5 })\n`,
  )
  const flags = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2023,dom,dom.iterable',
  ]
  run(node, [compiler, ...flags, 'types.mts'], { cwd: folder })
  must(true, 'the types hold, libraries checked too')
}

try {
  const tarballs = path.join(world, 'tarballs')
  run(process.execPath, [path.join(root, 'scripts/pack.mjs'), '--out', tarballs])
  const files = readdirSync(tarballs).map((name) => path.join(tarballs, name))
  const ratecard = files.filter((file) => /^ratecard-\d/.test(path.basename(file)))
  const published = files.filter((file) => !path.basename(file).startsWith('ratecard-sandbox'))
  for (const node of nodes()) {
    const version = run(node, ['--version']).trim()
    say(`Node ${version}`)
    const bin = path.join(world, `bin-${version}`)
    mkdirSync(bin)
    symlinkSync(node, path.join(bin, 'node'))
    const home = path.join(world, `home-${version}`)
    mkdirSync(home)
    // Environment for the checks: the caller's environment (e.g. proxy settings) without variables of a real account or store.
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(RATECARD_|STRIPE_|DATABASE_URL$|NODE_COMPILE)/.test(name),
    )
    const env = {
      ...Object.fromEntries(inherited),
      PATH: `${bin}:${process.env.PATH}`,
      HOME: home,
      RATECARD_SANDBOX_PORT: '0',
      RATECARD_LOG_LEVEL: 'warn',
    }
    const plain = install(`plain-${version}`, ratecard, env, ['--omit=optional'])
    fits('ratecard alone, without optional parts', plain, limits.plain)
    must(
      run(node, [path.join(plain.folder, 'node_modules/ratecard/bin/ratecard.js'), '--help'], { env }).includes(
        'billing',
      ),
      'it runs',
    )
    const whole = install(`whole-${version}`, published, env)
    fits('everything, with workers', whole, limits.workers)
    await workThere(node, whole.folder, env)
    typesHold(node, whole.folder)
  }
  say('pack:check: all of it holds')
} catch (error) {
  process.exitCode = 1
  say(`pack:check: FAILED: ${error.message}\n${error.stdout ?? ''}${error.stderr ?? ''}`)
} finally {
  rmSync(world, { recursive: true, force: true })
}
