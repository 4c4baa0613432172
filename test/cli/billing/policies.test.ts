// `ratecard policies`, and how the other commands show and override broken policies.
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startServer, type RunningServer } from '../../../packages/ratecard/src/server/composition/main.ts'
import { cliWorld, smallConfig, type CliWorld } from '../cli-world.ts'

const key = 'cli-policies-service-key'
let world: CliWorld
let server: RunningServer
let version = 0

const priced = (amount: number) =>
  smallConfig({
    version: `1.${String(++version)}.0`,
    products: [{ id: 'pro', name: 'Pro', prices: [{ id: 'pro_monthly', amount, currency: 'eur', interval: 'month' }] }],
  })
const noRise = { id: 'no_rise', rule: 'max_increase_percent', value: 10, severity: 'deny', reason: 'We promised.' }
const setRules = async (...rules: object[]) => {
  world.write('ratecard/policies.json', { $schema: './policies.schema.json', rules })
  return world.run(['policies', 'push', '--message', 'agreed'])
}

beforeAll(async () => {
  const home = cliWorld()
  server = await startServer({
    env: {
      RATECARD_SANDBOX_PORT: '0',
      RATECARD_SERVICE_KEY: key,
      RATECARD_LOG_LEVEL: 'silent',
      RATECARD_ENVIRONMENT: 'production',
    },
    port: 0,
    dataDir: path.join(home.cwd, 'data'),
    out: () => undefined,
  })
  world = cliWorld({ RATECARD_API_URL: server.url, RATECARD_SERVICE_KEY: key })
  return home.remove
})
beforeEach(async () => {
  world.write('ratecard/billing/plans.json', priced(1000))
  await setRules()
  expect((await world.run(['billing', 'push', '--quiet', '--yes', '--force'])).exit).toBe(0)
})
afterAll(async () => {
  await server.close()
  world.remove()
})

describe('ratecard policies', () => {
  it('push sets the rules of the file, and show lists the rules with the user who changed them', async () => {
    const pushed = await setRules(noRise, { ...noRise, id: 'here', environments: ['production'], except: ['pro'] })
    expect([pushed.exit, pushed.stdout]).toEqual([0, expect.stringContaining('2 rules at http://127.0.0.1')])
    const shown = await world.run(['policies', 'show'])
    expect(shown.stdout).toMatch(/no_rise +max_increase_percent +10 +deny +all/)
    expect(shown.stdout).toMatch(/here +max_increase_percent +10 +deny +production +pro/)
    expect(shown.stdout).toContain('agreed')
    expect(shown.stderr).toContain('The environment of the server is "production".')
  })

  it('push and validate list each error of the file with its line', async () => {
    world.write(
      'ratecard/policies.json',
      '{\n  "rules": [\n    { "id": "p", "rule": "max_rise", "severity": "deny" }\n  ]\n}\n',
    )
    const pushed = await world.run(['policies', 'push'])
    expect(pushed.exit).toBe(1)
    expect(pushed.stderr).toContain('ratecard/policies.json:3:26 error "rule" is "max_rise"')
    expect(pushed.stderr).toContain('(policies_invalid)')
    const validated = await world.run(['billing', 'validate'])
    expect([validated.exit, validated.stderr]).toEqual([1, expect.stringContaining('ratecard/policies.json:3:26')])
    expect((await world.run(['billing', 'validate', 'ratecard/billing'])).exit).toBe(0)
  })

  it('push is refused for a key with the scope write, and a key with the scope write cannot create a key with the scope owner', async () => {
    const { stdout } = await world.run(['keys', 'create', 'ci'])
    const env = { RATECARD_SERVICE_KEY: stdout.trim() }
    const refused = await world.run(['policies', 'push'], { env })
    expect([refused.exit, refused.stderr]).toEqual([1, expect.stringContaining('this needs "owner"')])
    expect((await world.run(['keys', 'create', 'mine', '--scope', 'owner'], { env })).exit).toBe(1)
    expect((await world.run(['keys', 'create', 'boss', '--scope', 'owner'])).exit).toBe(0)
  })
})

describe('a plan that breaks a policy', () => {
  it('prints the policy’s rule, the change, the reason and who may override the rule, and nothing is pushed', async () => {
    await setRules(noRise)
    world.write('ratecard/billing/plans.json', priced(2000))
    const planned = await world.run(['billing', 'push', '--dry-run'])
    expect(planned.exit).toBe(0)
    expect(planned.stdout).toContain('1 price rises. It has no subscribers, so only new customers are affected.')
    expect(planned.stderr).toContain(
      [
        '  denied by the policy "no_rise" (max_increase_percent): We promised.',
        '    The price "pro_monthly" rises by 100% (€10.00 → €20.00), more than 10%.',
        '  An owner may override it, with a key of scope "owner":',
        '    --override no_rise --message "<why>"',
      ].join('\n'),
    )
    const refused = await world.json(['billing', 'push', '--yes'])
    expect([refused.exit, refused.document.error.code]).toEqual([1, 'policy_denied'])
    const markdown = await world.run(['billing', 'push', '--dry-run', '--format', 'markdown'])
    expect(markdown.stdout).toContain('⛔ **denied** by `no_rise` (`max_increase_percent`)')
  })

  it('is applied with --override and --message, and its rollback needs the same two options', async () => {
    await setRules(noRise, { ...noRise, id: 'no_fall', rule: 'max_decrease_percent' })
    world.write('ratecard/billing/plans.json', priced(2000))
    const mute = await world.run(['billing', 'push', '--yes', '--override', 'no_rise'])
    expect([mute.exit, mute.stderr]).toEqual([2, expect.stringContaining('--override needs --message')])
    const misspelt = await world.run([
      'billing',
      'push',
      '--yes',
      '--override',
      'no_rice',
      '--message',
      'agreed by all',
    ])
    expect([misspelt.exit, misspelt.stderr]).toEqual([1, expect.stringContaining('no policy "no_rice"')])
    const pushed = await world.run(['billing', 'push', '--yes', '--override', 'no_rise', '--message', 'agreed by all'])
    expect([pushed.exit, pushed.stderr]).toEqual([0, expect.stringContaining('overridden by the policy "no_rise"')])
    const { document } = await world.json(['billing', 'history', '--limit', '1'])
    expect(document.versions[0]).toMatchObject({ overrides: ['no_rise'], message: 'agreed by all' })
    const back = String((document.versions[0] as unknown as { revision: number }).revision - 1)
    expect((await world.run(['billing', 'rollback', back, '--yes'])).exit).toBe(1)
    const rolled = ['billing', 'rollback', back, '--yes', '--override', 'no_fall', '--message', 'undone']
    expect((await world.run(rolled)).exit).toBe(0)
  })
})
