import path from 'node:path'
import { startServer } from '../../packages/ratecard/src/server/composition/main.ts'
import { cliWorld, type CliWorld } from './cli-world.ts'

export interface ServerWorld extends CliWorld {
  readonly url: string
  readonly sandboxUrl: string
  close(): Promise<void>
}

/** Starts a server with its own data folder, and a working directory whose commands use that server. */
export async function serverWorld(serviceKey: string): Promise<ServerWorld> {
  const home = cliWorld()
  const server = await startServer({
    env: { RATECARD_SANDBOX_PORT: '0', RATECARD_SERVICE_KEY: serviceKey, RATECARD_LOG_LEVEL: 'silent' },
    port: 0,
    dataDir: path.join(home.cwd, 'data'),
    out: () => undefined,
  })
  const world = cliWorld({ RATECARD_API_URL: server.url, RATECARD_SERVICE_KEY: serviceKey })
  const close = async () => {
    await server.close()
    world.remove()
    home.remove()
  }
  return { ...world, url: server.url, sandboxUrl: server.sandboxUrl ?? '', close }
}
