// `--format markdown`, for pull requests: its text, and the same exit codes as the other formats.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import path from 'node:path'
import { existsSync } from 'node:fs'
import { startServer, type RunningServer } from '../../packages/ratecard/src/server/composition/main.ts'
import { cliWorld, smallConfig, type CliWorld } from './cli-world.ts'

const key = 'cli-markdown-service-key'
let world: CliWorld
let server: RunningServer

const priced = (amount: number, version: string, name = 'Pro') =>
  smallConfig({
    version,
    products: [
      { id: 'pro', name, prices: [{ id: 'pro_monthly', amount, currency: 'eur', interval: 'month', default: true }] },
    ],
  })

beforeAll(async () => {
  const home = cliWorld()
  server = await startServer({
    env: { RATECARD_SANDBOX_PORT: '0', RATECARD_SERVICE_KEY: key, RATECARD_LOG_LEVEL: 'silent' },
    port: 0,
    dataDir: path.join(home.cwd, 'data'),
    out: () => undefined,
  })
  world = cliWorld({ RATECARD_API_URL: server.url, RATECARD_SERVICE_KEY: key })
  world.write('ratecard/billing/plans.json', priced(1200, '1.0.0'))
  expect((await world.run(['billing', 'push', '--quiet', '--yes'])).exit).toBe(0)
  world.write('ratecard/billing/plans.json', priced(1400, '1.1.0', 'Pro | @team'))
  return home.remove
})
afterAll(async () => {
  await server.close()
  world.remove()
})

describe('the option --format markdown', () => {
  it('prints only the plan on stdout, with the amounts before and after and the fingerprint of the plan', async () => {
    const { exit, stdout } = await world.run(['billing', 'push', '--dry-run', '--format', 'markdown', '--exit-code'])
    expect(exit).toBe(3)
    expect(stdout).toMatch(/^### Prices: plan for version `1\.1\.0`\n/)
    expect(stdout).toContain('| 🔁 replace | price | `pro_monthly` | `€12.00 / month` | `€14.00 / month` |')
    expect(stdout).toMatch(/Fingerprint of this plan: `[0-9a-f]+`/)
    expect(stdout).toContain('Pro &#124; &#64;team')
    expect(stdout).not.toContain('@team')
    expect(stdout).not.toContain('\u001b')
  })

  it('prints the fingerprint that --plan-out writes for the same plan', async () => {
    const planned = await world.run(['billing', 'push', '--plan-out', 'plan.json', '--format', 'markdown'])
    expect([planned.exit, existsSync(path.join(world.cwd, 'plan.json'))]).toEqual([0, true])
    const looked = await world.run(['billing', 'push', '--plan', 'plan.json', '--dry-run', '--format', 'markdown'])
    const fingerprint = /Fingerprint of this plan: `([0-9a-f]+)`/
    expect(fingerprint.exec(looked.stdout)?.[1]).toBe(fingerprint.exec(planned.stdout)?.[1])
  })

  it('prints differences and drift, with the same exit codes as text', async () => {
    const diff = await world.run(['billing', 'diff', '--format', 'markdown', '--exit-code'])
    expect([diff.exit, diff.stdout.startsWith('### Prices: plan')]).toEqual([3, true])
    const same = await world.run(['billing', 'diff', '1', '1', '--format', 'markdown', '--exit-code'])
    expect([same.exit, same.stdout]).toEqual([0, '### Prices: from revision 1 to 1\n\nNo differences.\n'])
    const drift = await world.run(['billing', 'drift', '--format', 'markdown', '--exit-code'])
    expect([drift.exit, drift.stdout.startsWith('### Prices: no drift\n')]).toEqual([0, true])
  })

  it('is refused together with another format, with --json, and with a push that writes', async () => {
    const wrong = await world.run(['billing', 'push', '--dry-run', '--format', 'html'])
    expect([wrong.exit, wrong.stdout]).toEqual([2, ''])
    expect(wrong.stderr).toContain('html')
    expect(wrong.stderr).toContain('text, markdown')
    for (const command of [
      ['billing', 'push', '--format', 'markdown'],
      ['billing', 'push', '--dry-run', '--format', 'markdown', '--json'],
      ['billing', 'drift', '--format', 'markdown', '--json'],
    ])
      expect((await world.run(command)).exit, command.join(' ')).toBe(2)
  })
})
