// The main job from end to end, through the command line as a stranger would use it: server, project, first push, second push,
// history, a calculation, a conversion. Ends with everything still serving; `--exit` stops it.
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const cli = path.join(root, 'packages/ratecard/bin/ratecard.js')
const example = path.join(root, 'examples/saas-basic/ratecard/billing')
const staysUp = !process.argv.includes('--exit')
const colored = process.stdout.isTTY && !process.env.NO_COLOR
const paint = (code, text) => (colored ? `\u001b[${code}m${text}\u001b[0m` : text)

const workspace = mkdtempSync(path.join(os.tmpdir(), 'ratecard-demo-'))
const shop = path.join(workspace, 'harborlight')
const billing = path.join(shop, 'ratecard/billing')
let server = null

/** Two ports that were free a moment ago. */
async function freePorts(count) {
  const probes = Array.from({ length: count }, () => createServer())
  const ports = await Promise.all(
    probes.map((probe) => new Promise((resolve) => probe.listen(0, '127.0.0.1', () => resolve(probe.address().port)))),
  )
  await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))))
  return ports
}

function environment(extra) {
  const {
    RATECARD_API_URL: _url,
    RATECARD_SERVICE_KEY: _key,
    STRIPE_SECRET_KEY: _stripe,
    DATABASE_URL: _database,
    ...rest
  } = process.env
  return { ...rest, HOME: workspace, ...(colored ? { FORCE_COLOR: '1' } : {}), ...extra }
}

function title(text) {
  console.log(`\n${paint('1;36', `── ${text} `)}${paint('36', '─'.repeat(Math.max(0, 70 - text.length)))}`)
}

function echo(args) {
  const words = args.map((word) => (/[\s"]/.test(word) ? `"${word}"` : word)).join(' ')
  console.log(`\n${paint('1', `$ ratecard ${words}`)}`)
}

function run(cwd, env, args, { expected = 0 } = {}) {
  echo(args)
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [cli, ...args], { cwd, env, stdio: 'inherit' })
    child.on('error', reject)
    child.on('exit', (code) => {
      if (code === expected) resolve()
      else reject(new Error(`\`ratecard ${args.join(' ')}\` ended with ${code}, not ${expected}`))
    })
  })
}

async function startServer(port, sandboxPort) {
  const args = ['server', 'start', '--port', String(port), '--data-dir', path.join(workspace, 'data')]
  echo(args)
  const env = environment({ RATECARD_SANDBOX_PORT: String(sandboxPort), RATECARD_LOG_LEVEL: 'warn' })
  server = spawn(process.execPath, [cli, ...args], { cwd: workspace, env, stdio: ['ignore', 'inherit', 'inherit'] })
  const ended = new Promise((_, reject) => {
    server.on('error', reject)
    server.on('exit', (code) => reject(new Error(`the server ended with ${code}`)))
  })
  // Nobody awaits it once the server is up; while it starts, an early end is the answer.
  ended.catch(() => undefined)
  await Promise.race([ended, answering(`http://127.0.0.1:${port}/readyz`)])
}

async function answering(url) {
  const deadline = Date.now() + 30_000
  while (Date.now() < deadline) {
    const response = await fetch(url).catch(() => null)
    if (response?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${url} did not answer within 30 seconds`)
}

async function ask(base, resource, body) {
  const address = `${base}/api/v1/billing/${resource}`
  const data = body === undefined ? '' : ` -H 'content-type: application/json' -d '${JSON.stringify(body)}'`
  console.log(`\n${paint('1', `$ curl ${address}${data}`)}`)
  const response = await fetch(
    address,
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  )
  const answer = await response.json()
  if (!response.ok) throw new Error(`${address} answered ${response.status}: ${JSON.stringify(answer)}`)
  return answer
}

const show = (value) => console.log(JSON.stringify(value, null, 2))

/** The second version: a changed amount, a product that goes, a meter with a price on it. */
function editConfiguration() {
  const file = path.join(billing, 'billing.json')
  const config = JSON.parse(readFileSync(file, 'utf8'))
  config.version = '1.1.0'
  const team = config.products.find((product) => product.id === 'team')
  team.prices.find((price) => price.id === 'team_monthly').amount = 3400
  config.products = config.products.filter((product) => product.id !== 'status_light')
  config.meters = [{ id: 'text_messages', display_name: 'Text messages', event_name: 'text_message_sent' }]
  config.products.push({
    id: 'text_alerts',
    name: 'Alerts by text message',
    prices: [
      {
        id: 'text_alerts_usage',
        amount: 7,
        currency: 'eur',
        interval: 'month',
        usage_type: 'metered',
        meter: 'text_messages',
      },
    ],
  })
  writeFileSync(file, `${JSON.stringify(config, null, 2)}\n`)
}

async function demo() {
  const [port, sandboxPort] = await freePorts(2)
  const base = `http://127.0.0.1:${port}`
  const env = environment({ RATECARD_API_URL: base })

  title('The service, with its own sandbox processor')
  await startServer(port, sandboxPort)

  title('A project')
  await run(workspace, env, ['init', 'harborlight'])
  rmSync(billing, { recursive: true })
  cpSync(example, billing, { recursive: true })
  console.log(`\n(its price list is that of examples/saas-basic)`)

  title('The first version')
  await run(shop, env, ['billing', 'validate'])
  await run(shop, env, ['billing', 'push', '--message', 'First prices'])

  title('The second version: a new amount, one product less, a meter')
  editConfiguration()
  await run(shop, env, ['billing', 'push', '--dry-run', '--exit-code'], { expected: 3 })
  await run(shop, env, ['billing', 'push', '--yes', '--message', 'Spring prices'])
  await run(shop, env, ['billing', 'push'])

  title('Looking back')
  await run(shop, env, ['billing', 'history', '--limit', '5'])

  title('What customers and your own code see')
  const cost = await ask(base, 'config/prices/fleet_seats/calculate', { quantity: 12 })
  show({ quantity: cost.quantity, amount: cost.amount, formatted: cost.formatted, breakdown: cost.breakdown })
  const { price } = await ask(base, 'config/prices/team_monthly')
  show({ id: price.id, amount: price.amount, currency: price.currency, processor_id: price.processor_id })
  show(await ask(base, `convert/processor-id/${price.processor_id}`))

  title('Done')
  console.log(`
  Price list   ${base}/api/v1/billing/config
  API docs     ${base}/docs
  Sandbox      http://127.0.0.1:${sandboxPort}
  Project      ${shop}`)
}

function stop() {
  if (server === null || server.exitCode !== null) return Promise.resolve()
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGTERM')
  return ended
}

async function finish(code) {
  await stop()
  rmSync(workspace, { recursive: true, force: true })
  process.exit(code)
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void finish(0))

try {
  await demo()
  if (staysUp) console.log(`\n  Still serving. Ctrl-C stops it and removes the folder.`)
  else await finish(0)
} catch (error) {
  console.error(`\n${paint('31', 'The demo failed:')} ${error.message}`)
  await finish(1)
}
