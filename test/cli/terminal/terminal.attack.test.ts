// Runs every command with hostile texts in every response and file. No output may contain a control sequence of the terminal, and no value
// may add a line.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commands } from '../../../packages/ratecard/src/cli/program/commands.ts'
import { cliWorld, type CliWorld } from '../cli-world.ts'
import { startTestApp } from '../../support/app.ts'
import { listenLocally } from '../../support/listen.ts'
import { hostileTexts } from '../../support/attack/hostile-text.ts'
import { operationsOf, sample, type Operation, type Schema } from '../../support/attack/sample.ts'

let document: Schema
let operations: readonly (Operation & { readonly pattern: RegExp })[]
let server: Server
let world: CliWorld
let pick = 0
let turn = 0

/** A text with all kinds of control sequences. Its last part would be a line of its own. */
const driving = '\u001b[2J\u001b]0;owned\u0007\u009b31m\r\u202e\u2066\u200b\u0085\u2028\ud800\u007f\u0008'
const forged = 'FORGED LINE'
const text = () => `x${driving}\n${forged} ${hostileTexts[turn++ % 8] ?? ''}`

beforeAll(async () => {
  const real = await startTestApp()
  document = real.app.swagger() as unknown as Schema
  await real.close()
  operations = operationsOf(document).map((operation) => ({
    ...operation,
    pattern: new RegExp(`^${operation.path.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
  }))
  server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*$/s, '')
    const operation = operations.find(({ method, pattern }) => method === request.method && pattern.test(path))
    request.resume()
    if (operation === undefined || pick === 2) {
      response.writeHead(422, { 'content-type': 'application/problem+json' })
      response.end(
        JSON.stringify({
          type: text(),
          title: text(),
          status: 422,
          detail: text(),
          hint: text(),
          instance: text(),
          code: 'config_invalid',
          errors: [{ code: text(), pointer: '#/products/0', detail: text(), hint: text(), severity: 'error' }],
          processor: { type: text(), code: text(), message: text(), param: text(), request_id: text() },
        }),
      )
      return
    }
    const { status, mediaType, schema } = operation.answer
    response.writeHead(status, { 'content-type': mediaType })
    response.end(
      schema === undefined || status === 204
        ? ''
        : JSON.stringify(sample(schema, document, { text, pick: (count) => (pick === 0 ? 0 : count - 1) })),
    )
  })
  await listenLocally(server)
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  world = cliWorld({
    RATECARD_API_URL: url,
    RATECARD_SERVICE_KEY: 'attack-terminal-key',
    HOOK_TOKEN: 'attack-terminal-token',
    RATECARD_SANDBOX_URL: url,
  })
  world.write('ratecard/billing/plans.json', {
    version: '1.0.0',
    products: [
      {
        id: text(),
        name: text(),
        metadata: { [text()]: text() },
        prices: [{ id: text(), currency: text(), amount: -1 }],
      },
    ],
    webhooks: [{ id: 'hook', url: '${HOOK_TOKEN}', events: [text()] }],
  })
  world.write('valid.json', {
    version: '1.0.0',
    products: [
      { id: 'pro', name: 'Pro', prices: [{ id: 'pro_monthly', amount: 1, currency: 'usd', interval: 'month' }] },
    ],
  })
  world.write('ratecard/environments/.env.dev', `NAME="${driving.replaceAll('\r', '')}"\n`)
  world.write('ratecard/workers/wrangler.toml', `name = "\\u001b[2J"\nmain = "src/index.ts"\n`)
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  world.remove()
})

/** Left out: commands that run until they are stopped. Their output goes through the same functions. */
const serving = new Set(['server start', 'sandbox', 'cloud workers dev'])
/** Commands that print a text of the server unchanged, with its line breaks, and ask for no approval. */
const showsWholeTexts = new Set([
  ...['billing webhook secret', 'tenants session', 'keys create', 'enterprise remove', 'enterprise coverage'],
  ...['cloud workers list', 'cloud workers logs', 'cloud workers rollback', 'cloud workers cron trigger', 'doctor'],
])
const drives = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200b\u202a-\u202e\u2066-\u2069\ufeff]/u

function argumentsOf(command: (typeof commands)[number]): string[][] {
  const required = (command.arguments ?? []).map(({ name }) =>
    /file|dir|document/.test(name)
      ? 'valid.json'
      : /revision|<n>/.test(name)
        ? '1'
        : name.includes('kind')
          ? 'price'
          : text(),
  )
  const words = command.name.split(' ')
  const least = required.filter((_, index) => command.arguments?.[index]?.name.startsWith('<'))
  return [
    [...words, ...least, '--yes'],
    [...words, ...required, '--yes', '--json'],
    [...words, ...least, '--author', text(), '--env', text()],
  ]
}

describe.each(commands.filter(({ name }) => !serving.has(name)).map((command) => [command.name, command] as const))(
  '%s',
  (_name, command) => {
    it.each([0, 1, 2])(
      'prints no terminal control sequence (responses of kind %i)',
      { timeout: 60_000 },
      async (kind) => {
        pick = kind
        for (const argv of argumentsOf(command))
          for (const env of [{}, { FORCE_COLOR: '1' }]) {
            const { stdout, stderr } = await world.run(argv, {
              env,
              answer: { confirm: true, text: text() },
              signal: AbortSignal.timeout(1_500),
            })
            // FORCE_COLOR allows our own colours. They are the only control sequences, and short ones.
            const shown = `${stdout}${stderr}`
              .replaceAll(/\u001b\[(?:\d|[39]\d|2[2-9]|4[0-9])m/g, '')
              .replaceAll('\n', '')
            expect(
              drives.exec(shown)?.[0].codePointAt(0)?.toString(16),
              `${argv.join(' ')}: ${JSON.stringify(shown.slice(Math.max(0, (drives.exec(shown)?.index ?? 0) - 80), (drives.exec(shown)?.index ?? 0) + 20))}`,
            ).toBeUndefined()
            if (!showsWholeTexts.has(command.name))
              for (const line of stdout.split('\n'))
                expect(
                  line.startsWith(forged),
                  `${argv.join(' ')} lets a value write a line: ${JSON.stringify(stdout.slice(0, 2_000))}`,
                ).toBe(false)
          }
      },
    )
  },
)
