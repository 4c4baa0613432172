import { createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { startServer } from '../../../packages/ratecard/src/server/composition/main.ts'
import { generateMasterKey } from '../../../packages/ratecard/src/store/seal.ts'
import { cliWorld } from '../cli-world.ts'
import { startedForEach } from '../../support/started.ts'
import { listenLocally } from '../../support/listen.ts'

const world = startedForEach(() =>
  cliWorld({ RATECARD_LOG_LEVEL: 'silent', RATECARD_SANDBOX_PORT: '0', RATECARD_WORKERS: 'off' }),
)

const start = (argv: readonly string[] = [], env: NodeJS.ProcessEnv = {}) =>
  world.json(['server', 'start', '--data-dir', path.join(world.cwd, 'data'), ...argv], { env })

describe('a server that cannot start because of an invalid setting', () => {
  it('ends with exit code 1 and names the setting', async () => {
    const { exit, document } = await start([], { RATECARD_PORT: 'many' })
    expect([exit, document.error.code]).toEqual([1, 'settings_invalid'])
    expect(document.error.detail).toContain('RATECARD_PORT')
  })

  it('ends with exit code 1 if its port or the port of its sandbox is already in use', async () => {
    const rival = createServer()
    await listenLocally(rival)
    const port = String((rival.address() as AddressInfo).port)
    try {
      for (const [api, sandbox] of [
        [port, '0'],
        ['0', port],
      ] as const) {
        const { exit, document } = await start(['--port', api], { RATECARD_SANDBOX_PORT: sandbox })
        expect([exit, document.error.code]).toEqual([1, 'settings_invalid'])
        expect(document.error.detail).toContain(port)
      }
    } finally {
      await new Promise((resolve) => rival.close(resolve))
    }
  })

  it('ends with exit code 1 if the master key differs from the key that encrypted the store', async () => {
    const argv = ['--port', '70000']
    expect((await world.run(['server', 'start', ...argv])).exit).toBe(2)
    const first = await start(['--port', '0'], { RATECARD_MASTER_KEY: 'no key' })
    expect([first.exit, first.document.error.code]).toEqual([1, 'settings_invalid'])
    // The first start fails at its port, when the store already exists.
    const rival = createServer()
    await listenLocally(rival)
    const port = String((rival.address() as AddressInfo).port)
    try {
      await start(['--port', port], { RATECARD_MASTER_KEY: generateMasterKey() })
      const { exit, document } = await start(['--port', port], { RATECARD_MASTER_KEY: generateMasterKey() })
      expect([exit, document.error.code]).toEqual([1, 'secret_unreadable'])
    } finally {
      await new Promise((resolve) => rival.close(resolve))
    }
  })

  it('ends with exit code 1 and an explanation if another server is using its data directory', async () => {
    const options = { env: { RATECARD_SANDBOX_PORT: '0', RATECARD_WORKERS: 'off', RATECARD_LOG_LEVEL: 'silent' } }
    const dataDir = path.join(world.cwd, 'data')
    const first = await startServer({ ...options, port: 0, dataDir, out: () => undefined })
    try {
      const { exit, document } = await start(['--port', '0'])
      expect(exit).toBe(1)
      expect(document.error.detail).toMatch(/is using/)
    } finally {
      await first.close()
    }
  })
})

describe('a malformed Stripe key', () => {
  it.each([
    ['pk_test_51Publishable', 'publishable key'],
    ['nonsense', 'is not a secret key of Stripe'],
  ])('such as %s is reported at the start and by /readyz, and never printed', async (stripeKey, words) => {
    const printed: string[] = []
    const server = await startServer({
      env: { STRIPE_SECRET_KEY: stripeKey, RATECARD_WORKERS: 'off', RATECARD_LOG_LEVEL: 'silent' },
      port: 0,
      dataDir: path.join(world.cwd, 'data'),
      out: (line) => printed.push(line),
    })
    try {
      const answer = await fetch(`${server.url}/readyz`)
      const body = await answer.text()
      expect(answer.status).toBe(503)
      expect(body).toContain('the processor rejects the key')
      await expect.poll(() => printed.join('\n')).toContain(words)
      expect(printed.join('\n') + body).not.toContain(stripeKey)
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    } finally {
      await server.close()
    }
  })

  it('stops the start if it cannot be sent in a header', async () => {
    const { exit, document } = await start(['--port', '0'], { STRIPE_SECRET_KEY: 'sk_test_a b' })
    expect([exit, document.error.code]).toEqual([1, 'settings_invalid'])
  })
})
