import { createServer } from 'node:http'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createClient } from '@ratecard/client'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startServer, type RunningServer } from '../../../packages/ratecard/src/server/composition/main.ts'
import { cliWorld, smallConfig, type CliWorld } from '../cli-world.ts'
import { listenLocally } from '../../support/listen.ts'

const key = 'cli-plans-service-key'
let world: CliWorld
let server: RunningServer
let dataDir: string
const client = () => createClient({ baseUrl: server.url, serviceKey: key })

beforeAll(async () => {
  const home = cliWorld()
  dataDir = path.join(home.cwd, 'data')
  server = await startServer({
    env: { RATECARD_SANDBOX_PORT: '0', RATECARD_SERVICE_KEY: key, RATECARD_LOG_LEVEL: 'silent' },
    port: 0,
    dataDir,
    out: () => undefined,
  })
  world = cliWorld({ RATECARD_API_URL: server.url, RATECARD_SERVICE_KEY: key })
  return home.remove
})
afterAll(async () => {
  await server.close()
  world.remove()
})

const priced = (amount: number, version = '1.0.0') =>
  smallConfig({
    version,
    products: [
      {
        id: 'pro',
        name: 'Pro',
        prices: [{ id: 'pro_monthly', amount, currency: 'eur', interval: 'month', default: true }],
      },
    ],
  })
const write = (config: object) => world.write('ratecard/billing/plans.json', config)
const planFile = () => path.join(world.cwd, 'plan.json')

describe('a saved plan', () => {
  beforeEach(async () => {
    write(priced(1200))
    expect((await world.run(['billing', 'push', '--force', '--quiet', '--yes'])).exit).toBe(0)
    write(priced(1400, '1.1.0'))
    const saved = await world.run(['billing', 'push', '--plan-out', 'plan.json', '--yes', '--exit-code'])
    expect(saved.stdout).toContain('€12.00 / month → €14.00 / month')
    expect(saved.exit).toBe(3)
    expect((await client().admin.config()).version).toBe('1.0.0')
  })

  it('is written to a file that only its owner can read, and contains the plan and the document', () => {
    expect(statSync(planFile()).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(planFile(), 'utf8'))).toMatchObject({
      format: 'ratecard-plan/1',
      api_url: server.url,
      environment: null,
      version: '1.1.0',
      changes: { prices: { updated: ['pro_monthly'] } },
      document: priced(1400, '1.1.0'),
    })
  })

  it('does not overwrite an existing file without confirmation', async () => {
    const again = await world.run(['billing', 'push', '--plan-out', 'plan.json'])
    expect(again.exit).toBe(1)
    expect(again.stderr).toContain('plan.json exists already')
  })

  it('is applied unchanged, even if the configuration files were edited after the plan was saved', async () => {
    write(priced(9900, '9.0.0'))
    const applied = await world.json(['billing', 'push', '--plan', 'plan.json', '--message', 'agreed'])
    expect(applied).toMatchObject({
      exit: 0,
      document: { status: 'applied', changes: { prices: { updated: ['pro_monthly'] } } },
    })
    const { config } = await client().admin.config()
    expect(config.version).toBe('1.1.0')
    expect(config.products[0]?.prices?.[0]?.amount).toBe(1400)
    // Once applied, the plan no longer matches the state.
    expect((await world.json(['billing', 'push', '--plan', 'plan.json'])).document.error.code).toBe('plan_stale')
  })

  it('is refused without a write if the configuration or the processor has changed since the plan was saved', async () => {
    const { revision } = await client().admin.push(priced(1300, '1.0.5'))
    const refused = await world.json(['billing', 'push', '--plan', 'plan.json'])
    expect(refused).toMatchObject({ exit: 1, document: { error: { code: 'plan_stale' } } })
    expect((await client().admin.config()).revision).toBe(revision)
  })

  it('is refused for another server or environment, and also if its file was edited', async () => {
    const elsewhere = await world.json(['billing', 'push', '--plan', 'plan.json', '--api-url', 'http://127.0.0.1:9'])
    expect(elsewhere).toMatchObject({ exit: 1, document: { error: { code: 'plan_elsewhere' } } })
    const environment = await world.json(['billing', 'push', '--plan', 'plan.json', '--env', 'staging'])
    expect(environment).toMatchObject({ exit: 1, document: { error: { code: 'plan_elsewhere' } } })
    writeFileSync(planFile(), readFileSync(planFile(), 'utf8').replace('"amount": 1400', '"amount": 1'))
    const forged = await world.json(['billing', 'push', '--plan', 'plan.json'])
    expect(forged).toMatchObject({ exit: 1, document: { error: { code: 'plan_file_invalid' } } })
    writeFileSync(planFile(), 'no json')
    const broken = await world.json(['billing', 'push', '--plan', 'plan.json'])
    expect(broken).toMatchObject({ exit: 1, document: { error: { code: 'plan_file_invalid' } } })
    expect((await client().admin.config()).version).toBe('1.0.0')
  })

  it('cannot be written to a path that is a directory; nor can the output file of a pull', async () => {
    const ran = await world.run(['billing', 'push', '--plan', '.'])
    expect(ran.exit).toBe(1)
    expect(ran.stderr).toContain(`${world.cwd} is a directory.`)
    expect(ran.stderr).not.toContain('EISDIR')
    const pulled = await world.run(['billing', 'pull', '--output', '.'])
    expect(pulled).toMatchObject({ exit: 1, stderr: expect.stringContaining('is a directory.') as string })
  })

  it.each([
    [['--plan', 'plan.json', '--plan-out', 'other.json']],
    [['--plan', 'plan.json', '--force']],
    [['--plan', 'plan.json', 'ratecard/billing']],
  ])('is refused together with options that would change the plan: %j', async (options) => {
    expect((await world.json(['billing', 'push', ...options])).exit).toBe(2)
  })
})

const sandbox = (method: string, body?: object) =>
  fetch(`${server.sandboxUrl ?? ''}/_sandbox/faults`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })

describe('the command that waits for a long push', () => {
  const many = (version: string, amount: number) =>
    smallConfig({
      version,
      products: [
        {
          id: 'pro',
          name: 'Pro',
          prices: Array.from({ length: 48 }, (_, index) => ({
            id: `p${String(index)}`,
            amount: amount + index,
            currency: 'eur',
            interval: 'month',
          })),
        },
      ],
    })

  it('prints, if it is interrupted, the commands that follow and cancel the push; the push can then be cancelled and resumed', async () => {
    write(many('2.0.0', 1000))
    await sandbox('POST', { kind: 'latency', latency_ms: 60, method: 'POST', count: null })
    const watching = new AbortController()
    const running = world.run(['billing', 'push', '--force'], { signal: watching.signal })
    let id: string | undefined
    while (id === undefined)
      id = (await client().admin.pushes({ limit: 1 })).pushes.find(({ state }) => state === 'running')?.id
    watching.abort()
    const ran = await running
    expect(ran.exit).toBe(1)
    expect(ran.stderr).toContain(`ratecard billing cancel ${id}`)
    expect(ran.stderr).toContain(`ratecard billing pushes ${id} --follow`)

    const cancelled = await world.json(['billing', 'cancel'])
    expect(cancelled).toMatchObject({ exit: 0, document: { id, state: 'interrupted' } })
    const again = await world.json(['billing', 'cancel', id])
    expect(again).toMatchObject({ exit: 1, document: { error: { code: 'push_not_running' } } })

    await sandbox('DELETE')
    const resumed = await world.run(['billing', 'resume'])
    expect(resumed.stdout).toMatch(/\[ *\d+\/\d+\] created price p\d+/)
    expect(resumed.stdout).toContain('Applied version 2.0.0')
    // What a resumed push did is in the report of its revision.
    expect(resumed.stdout).toMatch(/price +created +p\d+/)
    expect(resumed.stdout).not.toContain('No resource changed')
    const report = await world.run(['billing', 'pushes', id, '--follow'])
    expect(report.stdout).toMatch(/request/)
    expect(report.stdout).toMatch(/req_\w+/)
    const history = await client().admin.history({ limit: 1 })
    expect(history.versions[0]?.pushId).toBe(id)
  })

  it('prints push_cancelled and exits with code 1 if another command cancels the push', async () => {
    write(many('2.2.0', 5000))
    await sandbox('POST', { kind: 'latency', latency_ms: 60, method: 'POST', count: null })
    const running = world.run(['billing', 'push', '--force'])
    while ((await client().admin.pushes({ limit: 1 })).pushes[0]?.state !== 'running');
    expect((await world.run(['billing', 'cancel'])).exit).toBe(0)
    const cancelled = await running
    expect(cancelled).toMatchObject({ exit: 1 })
    expect(cancelled.stderr).toContain('The push was cancelled. (push_cancelled)')
    await sandbox('DELETE')
    expect((await world.run(['billing', 'resume', '--quiet'])).exit).toBe(0)
  })

  it('prints server_unreachable and the id of the push, not an unknown error, if the connection to the server is lost', async () => {
    const id = 'push-1'
    const busy = createServer((request, response) => {
      if (request.url?.endsWith('/events')) {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: state\n')
        setTimeout(() => {
          response.destroy()
          busy.close()
          busy.closeAllConnections()
        }, 20)
      } else
        response
          .writeHead(202, { 'content-type': 'application/json', location: `/api/v1/billing/admin/pushes/${id}` })
          .end('{}')
    })
    const port = await listenLocally(busy)
    const gone = await world.json(['billing', 'resume', id], {
      env: { RATECARD_API_URL: `http://127.0.0.1:${String(port)}`, RATECARD_SERVICE_KEY: key },
    })
    expect(gone).toMatchObject({ exit: 70, document: { error: { code: 'server_unreachable' } } })
    expect(gone.document.error.detail).toContain(`push ${id}`)
  })

  it('prints the progress of the push, even if the push is a rollback', async () => {
    const { revision } = await client().admin.config()
    await client().admin.push(many('2.1.0', 3000))
    const back = await world.run(['billing', 'rollback', String(revision)])
    expect(back.stdout).toMatch(/\[ *\d+\/\d+\] updated price p\d+/)
    expect(back.exit).toBe(0)
  })
})

describe('the subscribers whom a push affects', () => {
  it('are listed in the plan of the push with their monthly amounts', async () => {
    write(priced(9900))
    await world.run(['billing', 'push', '--force', '--quiet', '--yes'])
    const { config } = await client().admin.config()
    const price = config.products[0]?.prices?.[0]?.processor_id ?? ''
    const sandboxKey = readFileSync(path.join(dataDir, 'sandbox-key'), 'utf8').trim()
    const post = async (at: string, body: Record<string, string>): Promise<string> => {
      const answer = await fetch(`${server.sandboxUrl ?? ''}${at}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sandboxKey}` },
        body: new URLSearchParams(body),
      })
      return ((await answer.json()) as { id: string }).id
    }
    const customer = await post('/v1/customers', {
      name: 'Ada',
      payment_method: 'pm_card_visa',
      'invoice_settings[default_payment_method]': 'pm_card_visa',
    })
    await post('/v1/subscriptions', { customer, 'items[0][price]': price, 'items[0][quantity]': '12' })
    write(priced(11_900, '1.1.0'))
    const affected =
      'pro_monthly: 1 subscription of customers that are not tenants pays €1,188.00 a month, at the new price €1,428.00'
    // No webhook announces the new subscription, so the mirror sees it at its next poll.
    const plan = async () => (await world.run(['billing', 'push', '--dry-run'])).stdout
    await expect.poll(plan, { timeout: 30_000 }).toContain(affected)
    // Who it is, and for how much, before and after the push.
    const who = new RegExp(`${customer} +pro_monthly +€1,188\\.00 +€1,428\\.00`)
    expect((await world.run(['billing', 'push', '--dry-run', '--who'])).stdout).toMatch(who)
    const comment = (await world.run(['billing', 'push', '--dry-run', '--format', 'markdown'])).stdout
    expect(comment).toContain('<details><summary>Who, and how much (1)</summary>')
    expect(comment).toContain(`| \`${customer}\` | \`pro_monthly\` | \`€1,188.00\` | \`€1,428.00\` |`)
    await world.run(['billing', 'push', '--yes'])
    const { config: applied, revision } = await client().admin.config()
    expect(applied.version).toBe('1.1.0')
    const shown = await world.run(['billing', 'history', '--revision', String(revision), '--who'])
    expect(shown.stdout).toContain('1 customer that is not a tenant keeps the old price until you move it')
    expect(shown.stdout).toContain(affected)
    expect(shown.stdout).toMatch(who)
  })
})

describe('a rollback that is refused', () => {
  it('names the objects of the earlier revision by their ids, and in JSON by their pointers', async () => {
    const shop = (version: string, amount: number) =>
      smallConfig({
        version,
        products: [
          {
            id: 'pro',
            name: 'Pro',
            prices: [
              { id: 'mug_monthly', amount, currency: 'eur', interval: 'month', default: true },
              { id: 'mug_yearly', amount: 9900, currency: 'eur', interval: 'year' },
            ],
          },
        ],
      })
    const { revision } = await client().admin.push(shop('7.0.0', 500), { force: true })
    await client().admin.push(shop('7.1.0', 600))
    const yearly = (await client().billing.price('mug_yearly')).price.processor_id ?? ''
    await fetch(`${server.sandboxUrl ?? ''}/v1/prices/${yearly}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${readFileSync(path.join(dataDir, 'sandbox-key'), 'utf8').trim()}` },
      body: new URLSearchParams({ active: 'false' }),
    })
    const back = await world.run(['billing', 'rollback', String(revision)])
    expect(back.exit).toBe(1)
    expect(back.stderr).toContain('product pro, price mug_yearly error price "mug_yearly": active is false')
    expect(back.stderr).not.toContain('#/')
    const { document } = await world.json(['billing', 'rollback', String(revision)])
    expect(document.error.errors).toMatchObject([{ pointer: '#/products/0/prices/1' }])
  })
})
