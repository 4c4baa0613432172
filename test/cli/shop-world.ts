import { cpSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import Stripe from 'stripe'
import { startServer, type RunningServer } from '../../packages/ratecard/src/server/composition/main.ts'
import { cliWorld, type CliWorld } from './cli-world.ts'

const example = fileURLToPath(new URL('../../examples/enterprise', import.meta.url))

export interface ShopWorld {
  readonly world: CliWorld
  readonly server: RunningServer
  /** Client of the server's sandbox account, for actions outside of Ratecard. */
  readonly stripe: Stripe
  close(): Promise<void>
}

/** Creates a project with the enterprise example, and a server for it. Nothing is pushed yet. */
export async function shopWorld(serviceKey: string, more: Readonly<Record<string, string>> = {}): Promise<ShopWorld> {
  const world = cliWorld()
  const dataDir = path.join(world.cwd, '.ratecard')
  const server = await startServer({
    env: {
      RATECARD_SANDBOX_PORT: '0',
      RATECARD_SERVICE_KEY: serviceKey,
      RATECARD_LOG_LEVEL: 'silent',
      RATECARD_WORKERS: 'off',
      // The mirror is off, because it polls and tests read right after a change.
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
