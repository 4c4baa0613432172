// The address and the key of two different servers are never combined. Otherwise the production key would be sent to any server that the
// shell names.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cliWorld, smallConfig, type CliWorld } from '../cli-world.ts'
import { listenLocally } from '../../support/listen.ts'

const fileKey = 'key-of-the-environment-file'
const shellKey = 'key-of-the-shell-itself'
const elsewhere = 'https://billing.production.example'
const keys: unknown[] = []
const server = createServer((request, response) => {
  keys.push(request.headers['x-service-key'])
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"keys":[]}')
})
let world: CliWorld
let url: string

beforeAll(async () => {
  await listenLocally(server)
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  world = cliWorld()
  world.write('ratecard/billing/plans.json', smallConfig())
  world.write(
    'ratecard/workers/wrangler.toml',
    'name = "hooks"\nmain = "index.ts"\ncompatibility_date = "2026-11-01"\n',
  )
  world.write('ratecard/workers/index.ts', 'export default { fetch: () => new Response("yes") }\n')
})
afterAll(() => {
  server.close()
  world.remove()
})
beforeEach(() => {
  keys.length = 0
})

const file = (name: string, address: string | null, key: string | null) =>
  world.write(
    `ratecard/environments/.env.${name}`,
    `${address === null ? '' : `RATECARD_API_URL=${address}\n`}${key === null ? '' : `RATECARD_SERVICE_KEY=${key}\n`}`,
  )
const shell = (key: string | null = null) => ({
  env: { RATECARD_API_URL: url, ...(key === null ? {} : { RATECARD_SERVICE_KEY: key }) },
})

describe('a RATECARD_API_URL in the shell that differs from that of the environment file', () => {
  beforeEach(() => file('production', elsewhere, fileKey))

  it.each([
    [['billing', 'push']],
    [['billing', 'drift']],
    [['tenants', 'list']],
    [['cloud', 'workers', 'deploy']],
    [['doctor']],
  ])('is refused before a request is sent: %j --env', async (argv) => {
    const ran = await world.run([...argv, '--env', 'production'], shell())
    expect(ran.exit).toBe(1)
    expect(ran.stderr).toContain('environment_conflict')
    for (const part of [url, elsewhere, 'ratecard/environments/.env.production', 'unset RATECARD_API_URL'])
      expect(ran.stderr).toContain(part)
    expect(ran.stdout + ran.stderr).not.toContain(fileKey)
    expect(keys).toEqual([])
  })

  it('is used if the service key, too, comes from the shell or a flag instead of the file', async () => {
    const argv = ['keys', 'list', '--env', 'production']
    expect((await world.run(argv, shell(shellKey))).exit).toBe(0)
    expect((await world.run([...argv, '--service-key', 'of-the-flag'], shell())).exit).toBe(0)
    file('production', elsewhere, null)
    expect((await world.run(argv, shell(shellKey))).exit).toBe(0)
    expect(keys).toEqual([shellKey, 'of-the-flag', shellKey])
  })

  it('never receives the service key from the file of the default environment', async () => {
    file('dev', elsewhere, fileKey)
    const ran = await world.run(['keys', 'list'], shell())
    expect(ran).toMatchObject({ exit: 1, stderr: expect.stringContaining('.env.dev') as string })
    expect(ran.stderr).toContain('set its RATECARD_SERVICE_KEY in the shell too')
    expect(keys).toEqual([])
    // The shell contains both, so the file of the default environment is not used.
    expect((await world.run(['keys', 'list'], shell(shellKey))).exit).toBe(0)
    expect(keys).toEqual([shellKey])
  })

  it('does not receive the service key of the environment file if the same address is given as --api-url; another key must be given', async () => {
    const argv = ['keys', 'list', '--env', 'production', '--api-url', url]
    const ran = await world.run(argv)
    expect(ran).toMatchObject({ exit: 1, stderr: expect.stringContaining('Leave out --api-url') as string })
    expect(keys).toEqual([])
    expect((await world.run([...argv, '--service-key', 'of-the-flag'])).exit).toBe(0)
    expect(keys).toEqual(['of-the-flag'])
  })
})

describe('a command is sent to the address in RATECARD_API_URL if', () => {
  const argv = ['keys', 'list', '--env', 'staging']

  it('only the shell contains that address', async () => {
    file('staging', null, fileKey)
    expect((await world.run(argv, shell())).exit).toBe(0)
    expect(keys).toEqual([fileKey])
  })

  it('only the environment file contains that address', async () => {
    file('staging', url, null)
    expect((await world.run(argv, { env: { RATECARD_SERVICE_KEY: shellKey } })).exit).toBe(0)
    expect(keys).toEqual([shellKey])
  })

  it('both contain the same address', async () => {
    file('staging', `${url}/`, fileKey)
    expect((await world.run(argv, shell())).exit).toBe(0)
    expect((await world.run(argv, shell(shellKey))).exit).toBe(0)
    expect(keys).toEqual([fileKey, shellKey])
  })
})
