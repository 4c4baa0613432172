// The worker part of one replica: a store, the worker host, and a minimal HTTP server in front of it.
import { onTestFinished } from 'vitest'
import { createServiceKeys } from '../../../packages/ratecard/src/server/auth/service-keys.ts'
import { systemClock } from '../../../packages/ratecard/src/base/clock.ts'
import { createIds } from '../../../packages/ratecard/src/server/service/ids.ts'
import type { Store } from '../../../packages/ratecard/src/store/store.ts'
import { createWorkers, type Workers } from '../../../packages/ratecard/src/workers/runtime/workers.ts'
import type { WorkersOptions } from '../../../packages/ratecard/src/workers/runtime/workers-options.ts'
import { front, testRuntime } from './bench-host.ts'
import type { NewDeployment } from '../../../packages/ratecard/src/api/workers/workers.ts'

export interface Replica {
  readonly workers: Workers
  readonly url: string
  /** Returns the text and the version of the response or, for an error, its status and problem code. */
  get(path: string): Promise<{ readonly text: string; readonly version: string | null; readonly status: number }>
  close(): Promise<void>
}

export const serving = (text: string, more = ''): string =>
  `export default { async fetch(request) {
     if (request.url.endsWith('/spin')) for (;;) {}
     if (request.url.endsWith('/slow')) await new Promise((resolve) => setTimeout(resolve, 300))
     return new Response(${JSON.stringify(text)}) }, scheduled(event) { ${more} } }`

export function deployment(name: string, code: string, more: Partial<NewDeployment> = {}): NewDeployment {
  return {
    name,
    modules: [{ name: 'index.js', type: 'esm', content: code }],
    main: 'index.js',
    sourceMap: null,
    compatibilityDate: '2026-01-01',
    compatibilityFlags: [],
    vars: {},
    secrets: {},
    crons: [],
    cpuMs: null,
    hosts: [],
    serviceKey: null,
    passCredentials: false,
    environment: null,
    author: null,
    message: null,
    ...more,
  }
}

/** Ends with the test that started it. */
export async function replica(store: Store, options: Partial<WorkersOptions> = {}): Promise<Replica> {
  const workers = createWorkers({
    store,
    runtime: testRuntime(),
    clock: systemClock,
    newId: createIds(systemClock),
    keys: createServiceKeys({ store, clock: systemClock }).ofWorkers,
    publicUrl: null,
    domain: null,
    logRetentionMs: 60_000,
    report: () => undefined,
    ...options,
  })
  let requests = 0
  const server = await front(() => ({
    dispatch: (request, response) => {
      const [, name = '', path = ''] = /^\/([^/]+)(.*)$/.exec(request.url ?? '') ?? []
      const context = {
        requestId: `q${String(++requests)}`,
        host: request.headers.host ?? '',
        path: path || '/',
        prefix: `/${name}`,
        clientAddress: '127.0.0.1',
      }
      return workers.dispatchToWorker(name, request, response, context)
    },
    upgrade: () => Promise.reject(new Error('not here')),
  }))
  await workers.start(server.url)
  const close = async () => {
    await server.close()
    await workers.close(1_000)
  }
  onTestFinished(close)
  return {
    workers,
    url: server.url,
    close,
    async get(path) {
      const response = await fetch(`${server.url}/${path}`)
      const text = await response.text()
      const { status } = response
      if (status < 400) return { text, status, version: response.headers.get('x-worker-version') }
      return { text: (JSON.parse(text) as { code: string }).code, status, version: null }
    },
  }
}
