// Variables of an environment's file are sent only to the server of that environment. One row for each case of docs/decisions/15-variables-environments-and-consent.md.
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cliWorld, smallConfig, type CliWorld } from '../cli-world.ts'
import { admin } from '../../support/app.ts'
import { listenLocally } from '../../support/listen.ts'

const elsewhere = 'https://billing.production.example'
/** What the server of the shell says of itself. */
let ofShell: { readonly mode: string; readonly environment: string | null }
const asked: { readonly path: string; readonly key: unknown; readonly body: string }[] = []
const plan = {
  status: 'planned',
  version: '1.0.0',
  revision: null,
  push_id: null,
  plan: 'f1ngerpr1nt',
  writes: 0,
  changes: {},
  details: [],
  summary: '',
  warnings: [],
  violations: [],
  impact: [],
}
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')))
  request.on('end', () => {
    const isAccount = request.url === `${admin}/account`
    if (!isAccount) asked.push({ path: request.url ?? '', key: request.headers['x-service-key'], body })
    const answer = isAccount ? { ...ofShell, account_id: null } : plan
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
})
let world: CliWorld
let port: string
let url: string

beforeAll(async () => {
  await listenLocally(server)
  port = String((server.address() as AddressInfo).port)
  url = `http://127.0.0.1:${port}`
})
afterAll(() => {
  server.close()
})
beforeEach(() => {
  asked.length = 0
  ofShell = { mode: 'live', environment: null }
  world = cliWorld()
})
afterEach(() => world.remove())

const hook = 'https://hooks.of-the-file.test/in'
const files = (
  { variables, address }: { readonly variables: boolean; readonly address: string | null },
  name: string,
) => {
  const webhook = {
    id: 'hook',
    url: variables ? '${HOOK_URL}' : 'https://hooks.acme.test/in',
    events: ['invoice.paid'],
  }
  world.write('ratecard/billing/plans.json', smallConfig({ webhooks: [webhook] }))
  const line = address === null ? '' : `RATECARD_API_URL=${address}\n`
  world.write(`ratecard/environments/.env.${name}`, `${line}HOOK_URL=${hook}\n`)
}

/** The source of the address, and the expected result with and without variables in the document. */
interface Row {
  readonly address: 'shell' | 'flag' | 'default'
  readonly env: 'none' | '--env'
  /** The RATECARD_API_URL in the environment's file: none, that of the shell, or another one. */
  readonly file: 'none' | 'same' | 'other'
  readonly withVariables: 'sent' | 'refused'
}

const rows: readonly Row[] = [
  { address: 'default', env: 'none', file: 'none', withVariables: 'sent' },
  { address: 'default', env: 'none', file: 'same', withVariables: 'sent' },
  { address: 'default', env: '--env', file: 'none', withVariables: 'refused' },
  { address: 'default', env: '--env', file: 'same', withVariables: 'sent' },
  { address: 'shell', env: 'none', file: 'none', withVariables: 'refused' },
  { address: 'shell', env: 'none', file: 'same', withVariables: 'sent' },
  { address: 'shell', env: 'none', file: 'other', withVariables: 'refused' },
  { address: 'shell', env: '--env', file: 'none', withVariables: 'sent' },
  { address: 'shell', env: '--env', file: 'same', withVariables: 'sent' },
  { address: 'shell', env: '--env', file: 'other', withVariables: 'refused' },
  { address: 'flag', env: 'none', file: 'none', withVariables: 'refused' },
  { address: 'flag', env: 'none', file: 'same', withVariables: 'sent' },
  { address: 'flag', env: 'none', file: 'other', withVariables: 'refused' },
  { address: 'flag', env: '--env', file: 'none', withVariables: 'sent' },
  { address: 'flag', env: '--env', file: 'same', withVariables: 'sent' },
  { address: 'flag', env: '--env', file: 'other', withVariables: 'refused' },
]

const commandOf = ({ address, env }: Row, name: string) => {
  const argv = ['billing', 'push', '--dry-run', '--service-key', 'of-the-flag']
  if (env === '--env') argv.push('--env', name)
  if (address === 'flag') argv.push('--api-url', url)
  // RATECARD_PORT makes the test's server the default; nothing listens on the usual default port.
  const shell: NodeJS.ProcessEnv =
    address === 'shell' ? { RATECARD_API_URL: url } : address === 'default' ? { RATECARD_PORT: port } : {}
  return { argv, env: shell }
}

describe('the server that a command addresses', () => {
  it.each(rows)(
    'is $withVariables variables of the environment file if its address is from $address, the environment is $env and the file contains $file',
    async (row) => {
      const name = row.env === '--env' ? 'production' : 'dev'
      const address = { none: null, same: `${url}/`, other: elsewhere }[row.file]
      const { argv, env } = commandOf(row, name)
      files({ variables: true, address }, name)
      const ran = await world.json(argv, { env })
      if (row.withVariables === 'sent') {
        expect(ran).toMatchObject({
          exit: 0,
          document: {
            variables: ['HOOK_URL'],
            variable_sources: { HOOK_URL: `ratecard/environments/.env.${name}` },
          },
        })
        expect(asked.some(({ body }) => body.includes(hook))).toBe(true)
      } else {
        expect(ran).toMatchObject({ exit: 1, document: { error: { code: 'environment_incomplete' } } })
        expect(ran.document.error.detail).toContain('Nothing was sent.')
        expect(asked).toEqual([])
      }
      expect(JSON.stringify(ran.document)).not.toContain(hook)
    },
  )

  it.each(rows)(
    'always gets a document that needs no variables: address from $address, environment $env, file contains $file',
    async (row) => {
      const name = row.env === '--env' ? 'production' : 'dev'
      files({ variables: false, address: { none: null, same: url, other: elsewhere }[row.file] }, name)
      const { argv, env } = commandOf(row, name)
      const ran = await world.json(argv, { env })
      const hasNoAddress = row.address === 'default' && row.env === '--env' && row.file === 'none'
      expect(ran.exit).toBe(hasNoAddress ? 1 : 0)
      expect(asked.length > 0).toBe(!hasNoAddress)
    },
  )

  it('always receives the variables of the process environment', async () => {
    files({ variables: true, address: elsewhere }, 'dev')
    const env = { RATECARD_API_URL: url, HOOK_URL: 'https://hooks.of-the-shell.test/in' }
    const ran = await world.json(['billing', 'push', '--dry-run', '--service-key', 'k'], { env })
    expect(ran).toMatchObject({ exit: 0, document: { variable_sources: { HOOK_URL: 'process environment' } } })
    expect(asked.some(({ body }) => body.includes('of-the-shell'))).toBe(true)
  })

  it('receives no webhook of .env.dev with a local server’s key if the server address comes from the shell', async () => {
    files({ variables: true, address: null }, 'dev')
    const folder = path.join(world.home, '.ratecard', 'servers', port)
    mkdirSync(folder, { recursive: true })
    writeFileSync(path.join(folder, 'service-key'), 'key-of-another-server\n')
    for (const argv of [
      ['billing', 'push', '--yes'],
      ['billing', 'push', '--dry-run'],
      ['billing', 'diff'],
    ]) {
      const ran = await world.run(argv, { env: { RATECARD_SERVICE_KEY: '', RATECARD_API_URL: url } })
      expect(ran.exit).toBe(1)
      for (const part of ['environment_incomplete', url, 'http://127.0.0.1:4242', '.env.dev', 'HOOK_URL', '--env dev'])
        expect(ran.stderr).toContain(part)
      expect(ran.stdout + ran.stderr).not.toContain(hook)
    }
    expect(asked).toEqual([])
    // Documents without variables, and all other commands, still go to that server.
    files({ variables: false, address: null }, 'dev')
    expect((await world.run(['billing', 'push', '--dry-run'], { env: { RATECARD_API_URL: url } })).exit).toBe(0)
    expect(asked[0]?.key).toBe('key-of-another-server')
  })

  it.each([
    ['dev', 'dev', true],
    ['production', 'production', false],
    ['an environment that a live server does not name', null, false],
  ])(
    'without --env, with an address from the shell, is sent the variables of .env.dev only if it is that of dev: %s',
    async (_, environment, isSent) => {
      files({ variables: true, address: null }, 'dev')
      ofShell = { mode: environment === null ? 'live' : 'test', environment }
      const shell = { env: { RATECARD_API_URL: url, RATECARD_SERVICE_KEY: 'of-the-shell' } }
      for (const argv of [
        ['billing', 'push', '--yes'],
        ['billing', 'diff'],
      ]) {
        asked.length = 0
        const ran = await world.run(argv, shell)
        expect(ran.exit).toBe(isSent ? 0 : 1)
        expect(asked.some(({ body }) => body.includes(hook))).toBe(isSent)
        if (isSent) continue
        expect(asked).toEqual([])
        expect(ran.stderr).toContain('environment_incomplete')
        if (environment !== null) expect(ran.stderr).toContain('which is the server of production')
      }
      asked.length = 0
      // A file that names its own server belongs to that one, whatever the server of the shell says of itself.
      files({ variables: true, address: elsewhere }, 'dev')
      expect((await world.run(['billing', 'push', '--yes'], shell)).exit).toBe(1)
      expect(asked).toEqual([])
    },
  )

  it('receives no service key from .env.dev if the server address comes from the shell and that file contains no server address', async () => {
    world.write('ratecard/billing/plans.json', smallConfig())
    world.write('ratecard/environments/.env.dev', 'RATECARD_SERVICE_KEY=key-of-the-file\n')
    const ran = await world.json(['keys', 'list'], { env: { RATECARD_API_URL: url } })
    expect(ran).toMatchObject({ exit: 1, document: { error: { code: 'environment_incomplete' } } })
    expect(asked).toEqual([])
    await world.json(['keys', 'list'], { env: { RATECARD_PORT: port } })
    await world.json(['keys', 'list', '--env', 'dev'], { env: { RATECARD_API_URL: url } })
    expect(asked.map(({ key }) => key)).toEqual(['key-of-the-file', 'key-of-the-file'])
  })

  it('receives workers with the variables of its own environment only', async () => {
    world.write('ratecard/environments/.env.dev', 'SECRET_OF_DEV=canary\n')
    const manifest = 'name = "hooks"\nmain = "index.ts"\ncompatibility_date = "2026-11-01"\n'
    world.write('ratecard/workers/wrangler.toml', manifest)
    world.write('ratecard/workers/index.ts', 'export default { fetch: () => new Response("yes") }\n')
    const argv = ['cloud', 'workers', 'deploy', '--service-key', 'k']
    const ran = await world.run(argv, { env: { RATECARD_API_URL: url } })
    expect(ran.exit).toBe(1)
    for (const part of ['environment_incomplete', 'SECRET_OF_DEV']) expect(ran.stderr).toContain(part)
    expect(asked).toEqual([])
    await world.run([...argv, '--env', 'dev'], { env: { RATECARD_API_URL: url } })
    expect(asked.some(({ body }) => body.includes('canary'))).toBe(true)
  })

  it('is by default the local one on port RATECARD_PORT, as for `server start` in the same shell', async () => {
    for (const RATECARD_PORT of [port]) {
      await world.json(['keys', 'list', '--service-key', 'k'], { env: { RATECARD_PORT } })
      expect(asked.pop()?.key).toBe('k')
    }
    const nowhere = await world.json(['keys', 'list', '--service-key', 'k'], { env: { RATECARD_PORT: '1' } })
    expect(nowhere.document.error).toMatchObject({
      code: 'server_unreachable',
      detail: expect.stringContaining('http://127.0.0.1:1') as string,
    })
    const wrong = await world.json(['keys', 'list', '--service-key', 'k'], { env: { RATECARD_PORT: 'many' } })
    expect(wrong.exit).toBe(2)
  })

  it('may be any local server for a new project, because the only variable is the local default that `init` writes', async () => {
    await world.run(['init'])
    const push = ['billing', 'push', '--dry-run', '--service-key', 'k']
    expect((await world.run([...push, '--api-url', url])).exit).toBe(0)
    expect((await world.run(push, { env: { RATECARD_API_URL: url } })).exit).toBe(0)
    const file = 'ratecard/environments/.env.dev'
    world.write(file, 'WEBHOOK_ORIGIN=http://127.0.0.1:21242\n')
    const refused = await world.json([...push, '--api-url', url])
    expect(refused).toMatchObject({ exit: 1, document: { error: { code: 'environment_incomplete' } } })
    world.write(file, 'WEBHOOK_ORIGIN=http://127.0.0.1:8787\n')
    // A server of another machine is asked for its environment first. This one does not exist.
    const away = await world.json([...push, '--api-url', 'https://billing.invalid'])
    expect(away).toMatchObject({ exit: 70, document: { error: { code: 'server_unreachable' } } })
  })

  it('is the local server for a new project, and receives the variables of the project’s .env.dev', async () => {
    await world.run(['init'])
    const ran = await world.run(['billing', 'push', '--dry-run', '--service-key', 'k'], {
      env: { RATECARD_PORT: port },
    })
    expect(ran).toMatchObject({ exit: 0 })
    expect(ran.stdout).toContain('Variables used: WEBHOOK_ORIGIN (ratecard/environments/.env.dev).')
    const markdown = await world.run(['billing', 'push', '--dry-run', '--format', 'markdown', '--service-key', 'k'], {
      env: { RATECARD_PORT: port },
    })
    expect(markdown.stdout).toContain('Variables used: `WEBHOOK_ORIGIN` (ratecard/environments/.env.dev).')
  })
})
