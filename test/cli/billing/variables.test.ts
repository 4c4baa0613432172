import { describe, expect, it } from 'vitest'
import { smallConfig } from '../cli-world.ts'
import { serverWorld } from '../server-world.ts'
import { startedForAll } from '../../support/started.ts'

const key = 'cli-variables-service-key'
const world = startedForAll(() => serverWorld(key))

const env = (token: string) => ({ HOOK_HOST: 'hooks.example.test', HOOK_TOKEN: token })
const hooked = (version: string, url = 'https://${HOOK_HOST}/in?token=${HOOK_TOKEN}') =>
  smallConfig({ version, webhooks: [{ id: 'hook', url, events: ['invoice.paid'] }] })
const first = `canary-${'first'.repeat(20)}`
const second = 'canary-second'

describe('a variable in a document', () => {
  it('is refused if it names a credential of Ratecard or of the environment, and the error contains the variable’s place but not its value', async () => {
    for (const name of ['RATECARD_SERVICE_KEY', 'GITHUB_TOKEN', 'DATABASE_URL', 'SOME_PASSWORD']) {
      world.write('ratecard/billing/plans.json', smallConfig({ products: [{ id: 'pro', name: `\${${name}}` }] }))
      for (const command of [
        ['billing', 'validate'],
        ['billing', 'push', '--dry-run'],
      ]) {
        const ran = await world.run(command, { env: { [name]: 'canary-forbidden' } })
        expect([name, ran.exit]).toEqual([name, 1])
        expect(ran.stdout + ran.stderr).toContain('variable_forbidden')
        expect(ran.stdout + ran.stderr).toMatch(/plans\.json:\d+:\d+/)
        expect(ran.stdout + ran.stderr).not.toMatch(/canary-forbidden|cli-variables-service-key/)
      }
    }
  })

  it('is listed in the plan, and a secret value is replaced by the variable’s name in plans, history and differences', async () => {
    world.write('ratecard/billing/plans.json', hooked('1.0.0'))
    const plan = await world.run(['billing', 'push', '--dry-run'], { env: env(first) })
    expect(plan.stdout).toContain('Variables used: HOOK_HOST, HOOK_TOKEN (process environment).')
    expect(plan.stdout + plan.stderr).not.toContain('canary')
    const { document } = await world.json(['billing', 'push', '--dry-run'], { env: env(first) })
    expect(document).toMatchObject({
      status: 'planned',
      variables: ['HOOK_HOST', 'HOOK_TOKEN'],
      variable_sources: { HOOK_HOST: 'process environment', HOOK_TOKEN: 'process environment' },
    })
    expect((await world.run(['billing', 'push'], { env: env(first) })).exit).toBe(0)

    // The live value no longer equals the value on this machine.
    const changed = await world.run(['billing', 'push', '--dry-run'], { env: env(second) })
    expect(changed.stdout).toContain('https://hooks.example.test/in?token=${HOOK_TOKEN}')
    expect(changed.stdout + changed.stderr).not.toContain('canary')
    world.write('ratecard/billing/plans.json', hooked('1.1.0'))
    expect((await world.run(['billing', 'push', '--yes'], { env: env(second) })).exit).toBe(0)

    for (const command of [
      ['billing', 'show'],
      ['billing', 'history'],
      ['billing', 'diff', '1', '2'],
      ['billing', 'diff', '1', '2', '--json'],
      ['billing', 'show', '--json'],
      ['billing', 'rollback', '1', '--dry-run'],
      ['billing', 'drift'],
      ['billing', 'pushes'],
    ]) {
      const ran = await world.run(command)
      expect([command, ran.exit]).toEqual([command, 0])
      expect([command, (ran.stdout + ran.stderr).includes('canary')]).toEqual([command, false])
    }
    expect((await world.run(['billing', 'diff', '1', '2'])).stdout).toContain('${HOOK_TOKEN}')
  })
})
