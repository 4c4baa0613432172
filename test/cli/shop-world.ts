import { cpSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import Stripe from 'stripe'
import { startServer } from '../../packages/ratecard/src/composition/main.ts'
import type { RunningServer } from '../../packages/ratecard/src/composition/main.ts'
import { cliWorld } from './cli-world.ts'
import type { CliWorld } from './cli-world.ts'

const example = fileURLToPath(new URL('../../examples/enterprise', import.meta.url))

export interface ShopWorld {
  readonly world: CliWorld
  readonly server: RunningServer
  /** The account of the server's own sandbox, used by somebody else. */
  readonly stripe: Stripe
  close(): Promise<void>
}

/** The enterprise example beside the data folder of a server that is to serve it; nothing is pushed yet. */
export async function shopWorld(serviceKey: string, more: Readonly<Record<string, string>> = {}): Promise<ShopWorld> {
  const world = cliWorld()
  const dataDir = path.join(world.cwd, '.ratecard')
  const server = await startServer({
    env: {
      RATECARD_SANDBOX_PORT: '0',
      RATECARD_SERVICE_KEY: serviceKey,
      RATECARD_LOG_LEVEL: 'silent',
      RATECARD_WORKERS: 'off',
      // Tests change the account and look at once, which a mirror that polls does not show yet.
      RATECARD_MIRROR: 'off',
      ...more,
    },
    port: 0,
    dataDir,
    out: () => undefined,
  })
  cpSync(example, world.cwd, { recursive: true })
  const sandbox = new URL(server.sandboxUrl ?? '')
  const stripe = new Stripe(readFileSync(path.join(dataDir, 'sandbox-key'), 'utf8').trim(), {
    host: sandbox.hostname,
    port: sandbox.port,
    protocol: 'http',
    telemetry: false,
  })
  const close = async () => {
    await server.close()
    world.remove()
  }
  return { world, server, stripe, close }
}
