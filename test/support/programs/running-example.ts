// A service with the price list of a folder in `examples/`, and the example's own program, as a reader of its README starts them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient, type Client } from '@ratecard/client'
import Stripe from 'stripe'
import { startServer } from '../../../packages/ratecard/src/server/composition/main.ts'
import { freePort } from './local-programs.ts'

export interface RunningExample {
  /** Address of the example's program. */
  readonly url: string
  readonly client: Client
  /** The account of the sandbox. */
  readonly stripe: Stripe
  readonly sandboxUrl: string
  readonly sandboxKey: string
  close(): Promise<void>
}

/** Starts both. `${SHOP_URL}` in the price list is the address of the program. */
export async function startExample(name: string, program: string): Promise<RunningExample> {
  const folder = fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url))
  const home = mkdtempSync(path.join(tmpdir(), `ratecard-${name}-`))
  const serviceKey = `a-service-key-for-${name}`
  const server = await startServer({
    env: {
      RATECARD_PORT: '0',
      RATECARD_SANDBOX_PORT: '0',
      RATECARD_DATA_DIR: home,
      RATECARD_SERVICE_KEY: serviceKey,
      RATECARD_LOG_LEVEL: 'error',
      RATECARD_WORKERS: 'off',
    },
    out: () => undefined,
  })
  const client = createClient({ baseUrl: server.url, serviceKey })
  const sandboxUrl = server.sandboxUrl ?? ''
  const { hostname, port } = new URL(sandboxUrl)
  const sandboxKey = readFileSync(path.join(home, 'sandbox-key'), 'utf8').trim()
  const own = String(await freePort())
  const url = `http://127.0.0.1:${own}`
  const document = readFileSync(path.join(folder, 'ratecard/billing/billing.json'), 'utf8')
  await client.admin.push(JSON.parse(document.replace('${SHOP_URL}', url)) as object)
  const child = spawn(process.execPath, [path.join(folder, program)], {
    env: { PATH: process.env['PATH'], PORT: own, RATECARD_API_URL: server.url, RATECARD_SERVICE_KEY: serviceKey },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  await Promise.race([
    once(child.stdout, 'data'),
    ended.then(([code]) => {
      throw new Error(`${program} of the example ${name} ended with ${String(code)}`)
    }),
  ])
  return {
    url,
    client,
    stripe: new Stripe(sandboxKey, { host: hostname, port, protocol: 'http', telemetry: false, maxNetworkRetries: 0 }),
    sandboxUrl,
    sandboxKey,
    close: async () => {
      child.kill()
      await ended
      await server.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
