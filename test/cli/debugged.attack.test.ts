// Runs every command with --debug against a real service: no line about a request contains a secret.
import { beforeAll, expect, it } from 'vitest'
import { commands } from '../../packages/ratecard/src/cli/program/commands.ts'
import { serverWorld } from './server-world.ts'
import { sampleConfig } from '../support/app.ts'
import { startedForAll } from '../support/started.ts'

const key = 'canary-service-key-of-the-debugged'
const hook = 'canary-token-of-the-hook'
const world = startedForAll(() => serverWorld(key))
let webhookSecret = ''

beforeAll(async () => {
  const webhooks = [
    { id: 'main_hook', url: 'https://hooks.example.com/in?token=${HOOK_TOKEN}', events: ['invoice.paid' as const] },
  ]
  world.write('ratecard/billing/plans.json', { ...sampleConfig(), webhooks })
  expect((await world.run(['billing', 'push', '--yes'], { env: { HOOK_TOKEN: hook } })).exit).toBe(0)
  await world.run(['tenants', 'create', 'acme', '--name', 'Acme'])
  webhookSecret = (await world.run(['billing', 'webhook', 'secret', 'main_hook'])).stdout.trim()
  expect(webhookSecret).toMatch(/^whsec_/)
})

/** Commands that are left out: they run until they are stopped, or remove the data of the service. */
const left = new Set([
  'server start',
  'sandbox',
  'cloud workers dev',
  'billing reset',
  'db restore',
  'db copy',
  'sandbox verify',
])
/** Commands whose result is a secret, or a document for further use with its secrets, printed on standard output only. */
const gives = /^(billing webhook secret|billing webhook rotate|billing pull|keys create|tenants session|dashboard)$/

function argumentsOf({ name, arguments: named = [] }: (typeof commands)[number]): string[] {
  const value = (argument: string) =>
    /revision|<n>/.test(argument)
      ? '1'
      : /file/.test(argument)
        ? 'nowhere.json'
        : /webhook/.test(name)
          ? 'main_hook'
          : 'acme'
  return [...name.split(' '), ...named.filter((one) => one.name.startsWith('<')).map((one) => value(one.name))]
}

it.each(commands.filter(({ name }) => !left.has(name)).map((command) => [command.name, command] as const))(
  'the output of --debug contains no secret: %s',
  { timeout: 60_000 },
  async (name, command) => {
    const canaries = { key, hook, webhookSecret }
    for (const more of [[], ['--json']]) {
      const { stdout, stderr } = await world.run([...argumentsOf(command), '--debug', ...more], {
        env: { HOOK_TOKEN: hook },
        signal: AbortSignal.timeout(3_000),
      })
      for (const [what, canary] of Object.entries(canaries)) {
        expect([what, stderr.includes(canary)]).toEqual([what, false])
        if (!gives.test(name)) expect([what, stdout.includes(canary)]).toEqual([what, false])
      }
      // A secret that a command prints as its result is not repeated in the lines about requests.
      for (const [given] of stdout.matchAll(/\b(?:rck|whsec)_[\w-]{20,}|token=[\w-]{20,}/g))
        expect(stderr.includes(given)).toBe(false)
    }
  },
)
