import path from 'node:path'
import { createClient } from '@ratecard/client'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startServer, type RunningServer } from '../../../packages/ratecard/src/server/composition/main.ts'
import { cliWorld, smallConfig, type CliWorld } from '../cli-world.ts'

const keys = { staging: 'staging-service-key-x', production: 'production-service-key' }
const servers = {} as Record<keyof typeof keys, RunningServer>
let world: CliWorld

beforeAll(async () => {
  const home = cliWorld()
  for (const name of ['staging', 'production'] as const)
    servers[name] = await startServer({
      env: { RATECARD_SANDBOX_PORT: '0', RATECARD_SERVICE_KEY: keys[name], RATECARD_LOG_LEVEL: 'silent' },
      port: 0,
      dataDir: path.join(home.cwd, name),
      out: () => undefined,
    })
  world = cliWorld()
  for (const name of ['staging', 'production'] as const) environment(name, servers[name].url, keys[name])
  return home.remove
})
afterAll(async () => {
  await Promise.all(Object.values(servers).map((server) => server.close()))
  world.remove()
})

function environment(name: string, url: string, key: string, more = ''): void {
  world.write(`ratecard/environments/.env.${name}`, `RATECARD_API_URL=${url}\nRATECARD_SERVICE_KEY=${key}\n${more}\n`)
}
const client = (name: keyof typeof keys) => createClient({ baseUrl: servers[name].url, serviceKey: keys[name] })
const hook = (host: string) => ({ id: 'hook', url: `https://${host}/hooks`, events: ['invoice.paid'] })
const document = (version: string, amount: number, changes: Record<string, unknown> = {}) =>
  smallConfig({
    version,
    products: [
      {
        // The author's own names and order, which must arrive unchanged.
        prices: [{ currency: 'eur', id: 'pro_monthly', interval: 'month', interval_count: 1, amount, default: true }],
        name: 'Pro – für Teams',
        id: 'pro',
      },
    ],
    ...changes,
  })
const promote = ['billing', 'promote', '--from', 'staging', '--to', 'production']

describe('ratecard billing promote', () => {
  let tested: number
  beforeEach(async () => {
    await client('production').admin.push(document('1.0.0', 1000), { force: true })
    tested = (await client('staging').admin.push(document('1.1.0', 1200), { force: true })).revision ?? 0
  })

  it('pushes the tested document unchanged, shows the differences first, and records the environment that the document came from', async () => {
    const dry = await world.run([...promote, '--dry-run', '--exit-code'])
    expect(dry.exit).toBe(3)
    expect(dry.stdout).toContain('1 difference')
    expect(dry.stdout).toContain('€10.00 / month → €12.00 / month')
    expect((await client('production').admin.config()).version).toBe('1.0.0')

    const ran = await world.run(promote)
    expect(ran).toMatchObject({ exit: 0, stderr: '' })
    const made = (await client('production').admin.config()).revision
    const [source, target] = await Promise.all([
      client('staging').admin.revision(tested),
      client('production').admin.revision(made),
    ])
    expect(JSON.stringify(target.document)).toBe(JSON.stringify(source.document))
    expect(target.checksum).toBe(source.checksum)
    expect(ran.stdout).toContain(source.checksum)
    expect(target.message).toBe(`Promoted from staging, revision ${tested} of ${servers.staging.url}`)
  })

  it('pushes an earlier revision if --revision names that revision', async () => {
    await client('staging').admin.push(document('1.2.0', 9900))
    const ran = await world.json([...promote, '--revision', String(tested), '--message', 'Spring'])
    expect(ran).toMatchObject({ exit: 0, document: { status: 'applied' } })
    const { version, revision } = await client('production').admin.config()
    expect(version).toBe('1.1.0')
    expect((await client('production').admin.revision(revision)).message).toMatch(/^Spring \(promoted from staging/)
  })

  it('asks for confirmation before it replaces a production webhook URL with that of staging', async () => {
    await client('production').admin.push(document('1.0.1', 1000, { webhooks: [hook('live.example.com')] }))
    await client('staging').admin.push(document('1.1.1', 1200, { webhooks: [hook('staging.example.com')] }))
    const refused = await world.json(promote)
    expect(refused).toMatchObject({ exit: 1, document: { error: { code: 'confirmation_required' } } })
    expect(refused.document.error.detail).toContain('https://live.example.com/hooks')
    const declined = await world.run(promote, { answer: { confirm: false } })
    expect(declined.exit).toBe(1)
    expect((await client('production').admin.config()).version).toBe('1.0.1')
    expect((await world.run([...promote, '--yes'])).exit).toBe(0)
    expect((await client('production').admin.config()).config.webhooks?.[0]?.url).toBe(
      'https://staging.example.com/hooks',
    )
  })

  it('expands variables with the environment file of the target environment, so that production gets its own webhook URL', async () => {
    environment('staging', servers.staging.url, keys.staging, 'HOOK_HOST=staging.example.com')
    environment('production', servers.production.url, keys.production, 'HOOK_HOST=live.example.com')
    const files = document('2.0.0', 1200, {
      webhooks: [{ ...hook('${HOOK_HOST}'), description: '$${HOOK_HOST} is literal' }],
    })
    world.write('ratecard/billing/shop.json', files)
    expect(await world.run(['billing', 'push', '--env', 'staging', '--yes'])).toMatchObject({ exit: 0 })
    const dry = await world.run([...promote, '--dry-run'], { env: { HOOK_HOST: 'shell.example.com' } })
    expect(dry).toMatchObject({ exit: 0, stderr: '' })
    expect(dry.stdout).toContain('Expanded for production')
    expect(dry.stdout).toContain('#/webhooks/0/url  https://${HOOK_HOST}/hooks')
    expect(await world.json(promote)).toMatchObject({
      exit: 0,
      document: { status: 'applied', written: true, expanded: [{ pointer: '#/webhooks/0/url' }] },
    })
    const { config, revision } = await client('production').admin.config()
    expect(config.webhooks?.[0]).toMatchObject({
      url: 'https://live.example.com/hooks',
      description: '${HOOK_HOST} is literal',
    })
    const made = await client('production').admin.revision(revision)
    expect(made.written).toEqual(files)
    const source = await client('staging').admin.revision((await client('staging').admin.config()).revision)
    expect(JSON.stringify(made.document).replaceAll('live.', 'staging.')).toBe(JSON.stringify(source.document))
    expect(JSON.stringify(made.written)).not.toMatch(/live\.example|staging\.example/)

    // The target keeps the source document too, so it can be promoted further, even after a rollback.
    await client('production').admin.push(document('2.1.0', 1300), { force: true })
    await world.run(['billing', 'rollback', String(revision), '--env', 'production', '--yes'])
    const back = (await client('production').admin.config()).revision
    expect(back).toBeGreaterThan(revision + 1)
    expect((await client('production').admin.revision(back)).written).toEqual(files)
  })

  it('reports a variable that is missing in the environment file of the target, and changes nothing', async () => {
    environment('production', servers.production.url, keys.production)
    world.write('ratecard/billing/shop.json', document('2.2.0', 1200, { webhooks: [hook('${HOOK_HOST}')] }))
    expect(await world.run(['billing', 'push', '--env', 'staging', '--yes'])).toMatchObject({ exit: 0 })
    const before = await client('production').admin.config()
    const ran = await world.json(promote, { env: { HOOK_HOST: 'shell.example.com' } })
    expect(ran).toMatchObject({ exit: 1, document: { error: { code: 'config_invalid' } } })
    expect(ran.document.error.errors[0]).toMatchObject({ code: 'variable_unset' })
    expect((await client('production').admin.config()).revision).toBe(before.revision)
  })

  it('reads the source document with unexpanded variables, even if that document was pushed from a saved plan', async () => {
    world.write('ratecard/billing/shop.json', document('2.3.0', 1250, { webhooks: [hook('${HOOK_HOST}')] }))
    await world.run(['billing', 'push', '--env', 'staging', '--plan-out', 'staging.plan.json'])
    expect(await world.run(['billing', 'push', '--plan', 'staging.plan.json'])).toMatchObject({ exit: 0 })
    const { revision } = await client('staging').admin.config()
    expect(JSON.stringify((await client('staging').admin.revision(revision)).written)).toContain('${HOOK_HOST}')
  })

  it('refuses a promotion between two environments that are the same server under different addresses', async () => {
    environment('production', servers.staging.url.replace('127.0.0.1', 'localhost'), keys.staging)
    expect((await world.json(promote)).document.error.code).toBe('environments_equal')
    environment('production', servers.production.url, keys.production)
  })

  it('refuses a revision that was created by a reset, because it has no configuration', async () => {
    const { revision } = await client('staging').admin.reset()
    const reset = await world.json([...promote, '--revision', String(revision)])
    expect(reset).toMatchObject({ exit: 1, document: { error: { code: 'revision_not_found' } } })
    expect((await client('production').admin.config()).version).toBe('1.0.0')
  })

  it.each([
    [['billing', 'promote', '--from', 'staging'], 2, 'usage'],
    [['billing', 'promote', '--from', 'staging', '--to', 'staging'], 2, 'usage'],
    [[...promote, '--env', 'production'], 2, 'usage'],
    [['billing', 'promote', '--from', 'staging', '--to', 'dev'], 1, 'environment_incomplete'],
  ])('refuses %j before it asks for confirmation', async (argv, exit, code) => {
    expect(await world.json(argv)).toMatchObject({ exit, document: { error: { code } } })
  })
})
