// A listening service with workers, for tests of its routes and of requests to workers.
import type { AddressInfo } from 'node:net'
import { Registry } from 'prom-client'
import { systemClock } from '../../../packages/ratecard/src/base/clock.ts'
import { closeGracefully } from '../../../packages/ratecard/src/server/http/app.ts'
import type { EgressPolicy } from '../../../packages/ratecard/src/workers/runtime/workerd/traffic/egress.ts'
import { createWorkerdRuntime } from '../../../packages/ratecard/src/workers/runtime/workerd/workerd-runtime.ts'
import type { WorkersOptions } from '../../../packages/ratecard/src/workers/runtime/workers-options.ts'
import { startTestApp, type TestApp, type TestAppOptions } from '../../support/app.ts'

export interface WorkerWorld extends TestApp {
  readonly url: string
  readonly registry: Registry
  deploy(name: string, code: string, more?: Record<string, unknown>): ReturnType<TestApp['asAdmin']>
}

export const workersPath = '/api/v1/workers'

/** Returns the upload that the command line would send. */
export function upload(code: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    modules: [{ name: 'worker.js', type: 'esm', content: code }],
    main: 'worker.js',
    compatibility_date: '2026-01-01',
    ...more,
  }
}

export async function startWorkerWorld(
  options: Partial<Omit<WorkersOptions, 'store' | 'clock' | 'newId' | 'registry'>> = {},
  appOptions: TestAppOptions = {},
  allowedHosts: readonly string[] = [],
): Promise<WorkerWorld> {
  let service: EgressPolicy['service'] = null
  const registry = new Registry()
  const runtime = createWorkerdRuntime({
    clock: systemClock,
    egress: {
      resolve: () => Promise.resolve([]),
      allowedHosts: new Set(allowedHosts),
      get service() {
        return service
      },
    },
  })
  const world = await startTestApp({ ...appOptions, workers: { runtime, registry, ...options } })
  await world.app.listen({ host: '127.0.0.1', port: 0 })
  const { address, port } = world.app.server.address() as AddressInfo
  const url = `http://127.0.0.1:${String(port)}`
  service = { origins: new Set([url]), address, port }
  await world.service.workers.start(url)
  return {
    ...world,
    url,
    registry,
    deploy: (name, code, more) =>
      world.asAdmin({ method: 'POST', url: `${workersPath}/${name}/deployments`, payload: upload(code, more) }),
    async close() {
      await Promise.all([closeGracefully(world.app, 2_000), world.service.workers.close(2_000)])
      await world.close()
    },
  }
}

export async function getFrom(world: WorkerWorld, path: string) {
  const response = await fetch(`${world.url}${path}`)
  return { status: response.status, body: await response.text(), headers: response.headers }
}
