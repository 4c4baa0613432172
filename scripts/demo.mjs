// Demonstrates the main workflow through the command line, as a new user would: server, project, first push, second push, history, a
// calculation, a conversion. Keeps the servers running; with `--exit` it stops them.
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

/** Returns two ports that were free a moment ago. */
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
  // Marks the rejection as handled, because it matters only until the server is up: an early exit rejects the race below.
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

async function ask(base, resource, body, serviceKey) {
  const address = `${base}/api/v1/billing/${resource}`
  const data = body === undefined ? '' : ` -H 'content-type: application/json' -d '${JSON.stringify(body)}'`
  const key = serviceKey === undefined ? '' : ` -H "x-service-key: $KEY"`
  console.log(`\n${paint('1', `$ curl ${address}${key}${data}`)}`)
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(serviceKey === undefined ? {} : { 'x-service-key': serviceKey }),
  }
  const response = await fetch(
    address,
    body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
  )
  const answer = await response.json()
  if (!response.ok) throw new Error(`${address} answered ${response.status}: ${JSON.stringify(answer)}`)
  return answer
}

const show = (value) => console.log(JSON.stringify(value, null, 2))

/** Edits the document for the second push: changes an amount, adds an enterprise price and a meter with a price, and removes a product. */
function editConfiguration() {
  const file = path.join(billing, 'billing.json')
  const config = JSON.parse(readFileSync(file, 'utf8'))
  config.version = '1.1.0'
  const team = config.products.find((product) => product.id === 'team')
  team.prices.find((price) => price.id === 'team_monthly').amount = 3400
  team.prices.push({
    id: 'team_monthly_partner',
    amount: 2500,
    currency: 'eur',
    interval: 'month',
    public: false,
    enterprise_template: 'partner',
  })
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

const readKey = (name) => readFileSync(path.join(workspace, 'data', name), 'utf8').trim()

/** Pays on the sandbox's checkout page, as a customer would. */
async function payAt(url) {
  const form = new URLSearchParams({ action: 'pay', number: '4242 4242 4242 4242' })
  const response = await fetch(url, { method: 'POST', body: form, redirect: 'manual' })
  if (response.status !== 303) throw new Error(`the checkout page answered ${response.status}`)
  console.log(
    `\n(the buyer pays on that page with 4242 4242 4242 4242 and is sent to ${response.headers.get('location')})`,
  )
}

async function sellToATenant({ base, env, sandboxPort }) {
  title('A tenant buys three seats')
  await run(shop, env, ['tenants', 'create', 'acme', '--name', 'Acme Rockets'])
  const back = 'http://127.0.0.1:3000'
  const checkout = { price_id: 'team_monthly', quantity: 3, tenant_id: 'acme', success_url: back, cancel_url: back }
  const { url } = await ask(base, 'checkout', checkout, readKey('service-key'))
  console.log(url)
  await payAt(url)
  await run(shop, env, ['tenants', 'subscriptions', 'acme'])

  title('It gets a negotiated price: nothing is billed now')
  await run(shop, env, ['enterprise', 'apply', 'acme', '--template', 'partner'])
  await run(shop, env, ['tenants', 'upcoming-invoice', 'acme'])

  title('A month later, on the sandbox clock')
  const clock = { ...env, RATECARD_SANDBOX_PORT: String(sandboxPort), RATECARD_DATA_DIR: path.join(workspace, 'data') }
  await run(shop, clock, ['sandbox', 'clock', 'advance', '32d'])
  const totals = await invoiceTotals(sandboxPort)
  console.log(`\nInvoices of Acme Rockets: ${totals.map((total) => `€${(total / 100).toFixed(2)}`).join(', then ')}`)
  if (totals.join() !== '10200,7500') throw new Error(`the invoices should be 10200 and 7500, not ${totals.join()}`)
}

/** Returns the totals of the invoices at the processor, oldest first. */
async function invoiceTotals(sandboxPort) {
  const authorization = `Basic ${Buffer.from(`${readKey('sandbox-key')}:`).toString('base64')}`
  const response = await fetch(`http://127.0.0.1:${sandboxPort}/v1/invoices`, { headers: { authorization } })
  const { data } = await response.json()
  return data.map((invoice) => invoice.total).reverse()
}

/** Deploys the starter worker of `init` with its cron trigger. */
async function deployAWorker({ base, env }) {
  title('A worker, with a schedule')
  const manifest = path.join(shop, 'ratecard/workers/wrangler.toml')
  writeFileSync(manifest, `${readFileSync(manifest, 'utf8')}\n[triggers]\ncrons = ["*/15 * * * *"]\n`)
  console.log('(crons = ["*/15 * * * *"] in ratecard/workers/wrangler.toml)')
  await run(shop, env, ['cloud', 'workers', 'deploy', '--message', 'First worker'])
  const address = `${base}/workers/harborlight/`
  console.log(`\n${paint('1', `$ curl ${address}`)}`)
  const answer = await fetch(address)
  const text = await answer.text()
  console.log(text)
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`)
  await run(shop, env, ['cloud', 'workers', 'cron', 'trigger'])
  await run(shop, env, ['cloud', 'workers', 'cron', 'runs'])
}

async function demo() {
  const [port, sandboxPort] = await freePorts(2)
  const base = `http://127.0.0.1:${port}`
  const env = environment({ RATECARD_PORT: String(port) })

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

  title('The second version: a new amount, a negotiated price, one product less, a meter')
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

  await sellToATenant({ base, env, sandboxPort })

  await deployAWorker({ base, env })

  title('Done')
  const link = await ask(base, 'admin/dashboard/links', {}, readKey('service-key'))
  console.log(`
  Dashboard    ${link.url}
               (this link signs in, once, within ten minutes; \`ratecard dashboard\` makes another)
  Price list   ${base}/dashboard/prices
               ${base}/api/v1/billing/config
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
