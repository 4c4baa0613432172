import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { smallConfig } from '../cli-world.ts'
import { serverWorld } from '../server-world.ts'
import { startedForAll } from '../../support/started.ts'

const key = 'cli-tests-service-key'
const world = startedForAll(() => serverWorld(key))

const priced = (amount: number, changes: Record<string, unknown> = {}) =>
  smallConfig({
    products: [
      {
        id: 'pro',
        name: 'Pro',
        prices: [{ id: 'pro_monthly', amount, currency: 'eur', interval: 'month', default: true }],
      },
      { id: 'mug', name: 'Mug', type: 'good', prices: [{ id: 'mug_once', amount: 900, currency: 'jpy' }] },
    ],
    ...changes,
  })
const withoutMug = (amount: number, changes: Record<string, unknown> = {}) => {
  const config = priced(amount, changes)
  return { ...config, products: config.products.filter(({ id }) => id !== 'mug') }
}
const hook = { id: 'hook', url: 'https://api.example.com/hooks', events: ['invoice.paid'] }
const write = (config: object) => world.write('ratecard/billing/plans.json', config)

describe('the command-line tool, connected to a server,', () => {
  // Each test starts with the same applied configuration, whatever ran before.
  beforeEach(async () => {
    write(priced(1200, { webhooks: [hook] }))
    const ran = await world.run(['billing', 'push', '--force', '--quiet'])
    expect(ran.stderr).toBe('')
    expect(ran.exit).toBe(0)
  })

  it('shows the plan with amounts, pushes it, and reports the changes', async () => {
    write(withoutMug(1400, { version: '1.1.0', webhooks: [{ ...hook, events: ['invoice.paid', 'invoice.created'] }] }))
    const dry = await world.run(['billing', 'push', '--dry-run', '--exit-code'])
    expect(dry.exit).toBe(3)
    expect(dry.stdout).toMatch(/-\/\+ {2}price +pro_monthly +€12\.00 \/ month → €14\.00 \/ month/)
    expect(dry.stdout).toMatch(/- {2}product +mug +Mug/)
    expect(dry.stdout).toMatch(/- {2}price +mug_once +¥900 once/)
    expect(dry.stdout).toContain('events: +invoice.created')
    expect(dry.stdout).toContain('Plan: 1 to update, 1 to replace, 2 to archive.')

    const pushed = await world.run(['billing', 'push', '--author', 'Zoë', '--message', 'Größer & 100%'])
    expect(pushed.exit).toBe(0)
    expect(pushed.stdout).toContain('Applied version 1.1.0')
    expect(pushed.stdout).toMatch(/archived price mug_once/)
    expect(pushed.stdout).toMatch(/price +replaced +pro_monthly/)

    const { document } = await world.json(['billing', 'history', '--limit', '1'])
    expect(document.versions).toHaveLength(1)
    expect(document.versions[0]).toMatchObject({ version: '1.1.0', author: 'Zoë', message: 'Größer & 100%' })
    expect(document.versions[0]?.changes.prices).toEqual({
      created: [],
      updated: ['pro_monthly'],
      archived: ['mug_once'],
    })
  })

  it('prints one JSON document with --json, with the member names of the API', async () => {
    write(withoutMug(1300))
    const { exit, document } = await world.json(['billing', 'push'])
    expect(exit).toBe(0)
    expect(document).toMatchObject({ status: 'applied', version: '1.0.0', push_id: expect.any(String) })
    expect(document.changes.products.archived).toEqual(['mug'])
    const replaced = document.details.find((detail) => detail.config_id === 'pro_monthly')
    expect(replaced).toMatchObject({ action: 'replace', because: ['amount'] })
    expect((await world.json(['billing', 'push'])).document).toMatchObject({ status: 'unchanged' })
  })

  it('asks before it archives or replaces, and changes nothing if the answer is no', async () => {
    write(withoutMug(1200, { webhooks: [hook] }))
    const before = (await world.json(['billing', 'show'])).document.revision
    const declined = await world.run(['billing', 'push'], { answer: { confirm: false } })
    expect(declined.exit).toBe(1)
    expect((await world.json(['billing', 'show'])).document.revision).toBe(before)
    expect((await world.run(['billing', 'push'], { answer: { confirm: true } })).exit).toBe(0)
    expect((await world.json(['billing', 'show'])).document.revision).toBe(before + 1)
    const harmless = priced(1200, { webhooks: [hook] })
    write(harmless)
    expect((await world.run(['billing', 'push'], { answer: { confirm: false } })).exit).toBe(0)
  })

  it('rolls back to an earlier revision of the configuration', async () => {
    const { revision } = (await world.json(['billing', 'show'])).document
    write(priced(9900, { webhooks: [hook] }))
    await world.run(['billing', 'push'])
    const ran = await world.run(['billing', 'rollback', String(revision)])
    expect(ran.stdout).toContain('€99.00 / month → €12.00 / month')
    expect(ran.exit).toBe(0)
    expect((await world.run(['billing', 'show', 'price', 'pro_monthly'])).stdout).toContain('€12.00 / month')
    const diff = await world.run(['billing', 'diff', String(revision), String(revision + 1), '--exit-code'])
    expect(diff.exit).toBe(3)
    expect(diff.stdout).toContain('€12.00 / month → €99.00 / month')
  })

  it('pulls the configuration into a file after a backup of the old file, and a push of the pulled file changes nothing', async () => {
    const file = world.write('pulled.json', 'earlier')
    const ran = await world.run(['billing', 'pull', '--output', 'pulled.json'])
    expect(ran.exit).toBe(0)
    expect(readFileSync(`${file}.bak`, 'utf8')).toBe('earlier')
    expect(ran.stdout).toContain('pulled.json.bak')
    expect(readdirSync(world.cwd).filter((name) => name.endsWith('.tmp'))).toEqual([])
    expect((await world.run(['billing', 'validate', 'pulled.json'])).exit).toBe(0)
    expect((await world.json(['billing', 'push', 'pulled.json'])).document.status).toBe('unchanged')
    const printed = await world.run(['billing', 'pull'])
    expect(JSON.parse(printed.stdout)).toEqual(JSON.parse(readFileSync(file, 'utf8')))
  })

  it('prints only the secret if a push creates exactly one webhook, and a table if a push creates several webhooks', async () => {
    const only = await world.run(['billing', 'webhook', 'secret'])
    expect(only.stdout).toMatch(/^whsec_\w+\n$/)
    write(priced(1200, { webhooks: [hook, { ...hook, id: 'second', url: 'https://api.example.com/second' }] }))
    await world.run(['billing', 'push'])
    const table = await world.run(['billing', 'webhook', 'secret'])
    expect(table.stdout).toContain(`https://api.example.com/hooks   ${only.stdout.trim()}`)
    expect((await world.run(['billing', 'webhook', 'secret', 'hook'])).stdout).toBe(only.stdout)
    const unknown = await world.run(['billing', 'webhook', 'secret', 'third'])
    expect(unknown).toMatchObject({ exit: 1, stderr: expect.stringContaining('There are: hook, second.') })
  })

  it('resets the configuration on a terminal only after a confirmation', async () => {
    expect((await world.run(['billing', 'reset'], { answer: { text: 'yes' } })).exit).toBe(1)
    expect((await world.run(['billing', 'show'])).exit).toBe(0)
    const done = await world.run(['billing', 'reset'], { answer: { text: 'reset' } })
    expect(done).toMatchObject({ exit: 0, stdout: expect.stringContaining('Archived 2 products, 2 prices') })
    expect(await world.json(['billing', 'show'])).toMatchObject({
      exit: 1,
      document: { error: { code: 'config_not_found' } },
    })
  })

  it('lists pushes, and shows the steps of a single push', async () => {
    const { document } = await world.json(['billing', 'pushes', '--limit', '1'])
    const [push] = document.pushes
    const shown = await world.json(['billing', 'pushes', push.id])
    expect(shown.document.steps).toHaveLength(push.steps_total)
    expect((await world.run(['billing', 'pushes', 'nowhere'])).exit).toBe(1)
    expect((await world.run(['billing', 'resume'])).stderr).toContain('No push is interrupted')
  })

  it('reports no drift directly after a push', async () => {
    expect(await world.json(['billing', 'drift', '--exit-code'])).toMatchObject({
      exit: 0,
      document: { in_sync: true },
    })
  })

  it('creates keys that work until they are revoked', async () => {
    const made = await world.run(['keys', 'create', 'ci'])
    const fresh = made.stdout.trim()
    const env = { RATECARD_SERVICE_KEY: fresh }
    expect((await world.run(['keys', 'list'], { env })).stdout).toContain('ci')
    const { document } = await world.json(['keys', 'list'])
    const id = document.keys.find((one) => one.name === 'ci' && one.revoked_at === null)?.id ?? ''
    expect(JSON.stringify(document)).not.toContain(fresh)
    expect((await world.run(['keys', 'revoke', id])).exit).toBe(0)
    const refused = await world.run(['keys', 'list'], { env })
    expect(refused.exit).toBe(1)
    expect(refused.stderr).toContain('does not know this key')
    expect(refused.stderr).not.toContain(fresh)
  })

  it('shows issues reported by the server at their place in the author’s files', async () => {
    write(priced(1200, { products: [{ id: 'pro', name: 'Pro', type: 'good' }] }))
    const { exit, document } = await world.json(['billing', 'push'])
    expect(exit).toBe(1)
    expect(document.error.errors[0]).toMatchObject({
      code: 'product_type_changed',
      file: 'ratecard/billing/plans.json',
    })
  })

  it('reads the service key from the local key file only for a server on this machine', async () => {
    const env = { RATECARD_SERVICE_KEY: '', RATECARD_DATA_DIR: 'data' }
    world.write('data/service-key', `${key}\n`)
    expect((await world.run(['keys', 'list'], { env })).exit).toBe(0)
    const { serverAddress } = await import('../../../packages/ratecard/src/cli/server-address.ts')
    const io = { env: { RATECARD_DATA_DIR: path.join(world.cwd, 'data') }, cwd: world.cwd, home: world.home }
    const global = {
      environment: null,
      json: false,
      yes: false,
      quiet: false,
      color: false,
      serviceKey: null,
      debug: false,
    }
    const at = (apiUrl: string) => serverAddress({ io: io as never, global: { ...global, apiUrl } }).key
    expect(at('http://127.0.0.1:9')).toBe(key)
    expect(at('https://billing.example.com')).toBeNull()
    expect(at('http://127.0.0.1.example.com')).toBeNull()
  })

  it('reports with `doctor` that every check passed, or that the service key is wrong', async () => {
    const ran = await world.run(['doctor'])
    expect(ran).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/All (required )?checks passed(, \d+ warnings?)?\./),
    })
    const wrong = await world.json(['doctor'], { env: { RATECARD_SERVICE_KEY: 'wrong-key-altogether' } })
    expect(wrong.exit).toBe(1)
    expect(wrong.document.findings).toContainEqual(expect.objectContaining({ check: 'service key', status: 'problem' }))
  })
})
