import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { Agent, fetch as agentFetch } from 'undici'
import { systemClock } from '../../../packages/ratecard/src/base/clock.ts'
import type { RequestOutcome, WorkerLogLine } from '../../../packages/ratecard/src/workers/runtime/worker-runtime.ts'
import type {
  HostedState,
  SupervisorOptions,
} from '../../../packages/ratecard/src/workers/runtime/supervisor-options.ts'
import { Supervisor } from '../../../packages/ratecard/src/workers/runtime/supervisor.ts'
import { bundleWorker } from '../../../packages/ratecard/src/workers/project/bundle.ts'
import { front, spec, testRuntime } from './bench-host.ts'

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

interface Host {
  supervisor: Supervisor
  lines: WorkerLogLine[]
  requests: RequestOutcome[]
  states: HostedState[]
  site(name: string): Promise<string>
}

function host(options: Partial<SupervisorOptions> = {}): Host {
  const lines: WorkerLogLine[] = []
  const requests: RequestOutcome[] = []
  const states: HostedState[] = []
  const supervisor = new Supervisor({
    runtime: testRuntime(),
    clock: systemClock,
    events: {
      log: (_name, line) => lines.push(line),
      request: (_name, _version, outcome) => requests.push(outcome),
      state: (state) => states.push(state),
    },
    ...options,
  })
  open.push(() => supervisor.close(5_000))
  return {
    supervisor,
    lines,
    requests,
    states,
    async site(name) {
      const site = await front(() => supervisor.find(name)!)
      open.push(site.close)
      return site.url
    },
  }
}

const until = async (fits: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await fits())) await new Promise((resolve) => setTimeout(resolve, 20))
}

const answering = (text: string): string =>
  `export default { async fetch(request, env, ctx) {
     const { pathname } = new URL(request.url)
     if (pathname === '/slow') await new Promise((resolve) => setTimeout(resolve, 300))
     if (pathname === '/later') ctx.waitUntil(new Promise((resolve) => setTimeout(() => { console.log('kept'); resolve() }, 400)))
     if (pathname === '/spin') for (;;) {}
     return new Response('${text}')
   }, async scheduled(event) { if (event.cron === 'spin') for (;;) {} } }`

/** Sends requests one after the other on several connections until stopped. Records every failure. */
function load(url: string, connections: number, paths = ['/']) {
  const agent = new Agent({ connections })
  let running = true
  const failures: string[] = []
  const seen = new Map<string, number>()
  const times: number[] = []
  const one = async (index: number): Promise<void> => {
    for (let count = index; running; count++) {
      const start = performance.now()
      try {
        const response = await agentFetch(url + paths[count % paths.length]!, { dispatcher: agent })
        const text = await response.text()
        if (response.status === 200) seen.set(text, (seen.get(text) ?? 0) + 1)
        else failures.push(`${response.status} ${text}`)
      } catch (error) {
        failures.push(String(error instanceof Error ? (error.cause ?? error) : error))
      }
      times.push(performance.now() - start)
    }
  }
  const all = Promise.all(Array.from({ length: connections }, (_, index) => one(index)))
  return {
    seen,
    async stop() {
      running = false
      await all
      await agent.destroy()
      return { failures, seen, times }
    },
  }
}

describe('the supervisor of a worker’s process', () => {
  it('replaces the version repeatedly under load without a failed request, and leaves no process behind', async () => {
    const { supervisor, site } = host()
    await supervisor.deploy(spec(answering('0'), { version: '0' }))
    const traffic = load(await site('sample'), 16, ['/', '/', '/', '/slow'])
    for (let version = 1; version <= 15; version++) {
      await supervisor.deploy(spec(answering(String(version)), { version: String(version) }))
      await until(() => traffic.seen.has(String(version)))
    }
    const { failures, seen } = await traffic.stop()
    expect(failures).toEqual([])
    expect(seen.size).toBeGreaterThanOrEqual(15)
    await until(async () => (await workerdChildren()) === 1)
  })

  it('lets background work of the old version finish', async () => {
    const { supervisor, site, lines } = host()
    await supervisor.deploy(spec(answering('old'), { version: 'old' }))
    await (await fetch(`${await site('sample')}/later`)).text()
    await supervisor.deploy(spec(answering('new'), { version: 'new' }))
    await until(() => lines.some((line) => line.message === 'kept' && line.version === 'old'))
  })

  it('keeps the old version if the new one does not start', async () => {
    const { supervisor, site } = host()
    await supervisor.deploy(spec(answering('old'), { version: 'old' }))
    await expect(supervisor.deploy(spec(`throw new Error('no')`, { version: 'new' }))).rejects.toMatchObject({
      code: 'worker_start_failed',
    })
    expect(await (await fetch(await site('sample'))).text()).toBe('old')
    expect(supervisor.states()).toMatchObject([{ version: 'old', state: 'running' }])
  })

  it('stops endless loops near their CPU limit, in requests and in scheduled runs, while another worker is unaffected', async () => {
    const { supervisor, site, requests } = host()
    await supervisor.deploy(spec(answering('fine'), { name: 'neighbour' }))
    await supervisor.deploy(spec(answering('well'), { limits: { cpuMs: 500 } }))
    const traffic = load(await site('neighbour'), 2)
    const url = await site('sample')
    const responses = await Promise.all(Array.from({ length: 8 }, () => fetch(`${url}/spin`)))
    expect(new Set(responses.map((response) => response.status))).toEqual(new Set([503]))
    const run = await supervisor.runScheduled('sample', { runId: 'r', scheduledTime: 0, cron: 'spin' })
    expect(run.outcome).toBe('exceeded_cpu')
    expect(run.cpuMs).toBeGreaterThan(500)
    expect(run.cpuMs).toBeLessThan(500 * 1.2 + 50)
    expect(await (await fetch(url)).text()).toBe('well')
    expect(supervisor.states()[1]).toMatchObject({
      state: 'running',
      restarts: 1,
      lastExit: { reason: 'exceeded_cpu' },
    })
    const { failures } = await traffic.stop()
    expect(failures).toEqual([])
    const stopped = requests.filter((outcome) => outcome.outcome === 'exceeded_cpu')
    expect(stopped).toHaveLength(8)
    // The eight loops run one after the other, so together they get one limit, not eight.
    expect(stopped.reduce((sum, outcome) => sum + (outcome.cpuMs ?? 0), 0)).toBeLessThan(500 * 1.2 + 50)
  })

  it('stops an endless loop even if it yields to the event loop', async () => {
    const { supervisor, site, requests } = host()
    const code = `export default { async fetch() { for (;;) { const end = Date.now() + 5; for (let i = 0; i < 2e6; i++); await new Promise((r) => setTimeout(r, 5)) } } }`
    await supervisor.deploy(spec(code, { limits: { cpuMs: 100 } }))
    expect((await fetch(await site('sample'))).status).toBe(503)
    expect(requests).toMatchObject([{ outcome: 'exceeded_cpu' }])
  })

  it('stops a worker that exceeds its memory limit, on the heap or in buffers, and restarts it', async () => {
    const code = `export default { async fetch(request) {
      const kept = []
      if (request.url.endsWith('/heap')) for (;;) kept.push({ a: [kept.length, 'x' + kept.length] })
      if (request.url.endsWith('/buffers')) for (;;) { kept.push(new Uint8Array(8 << 20).fill(1)); await new Promise((r) => setTimeout(r, 5)) }
      return new Response('light') } }`
    const { supervisor, site, requests } = host()
    await supervisor.deploy(spec(code, { limits: { memoryMb: 300, heapMb: 64 } }))
    const url = await site('sample')
    expect((await fetch(`${url}/heap`)).status).toBe(503)
    expect(await (await fetch(url)).text()).toBe('light')
    expect((await fetch(`${url}/buffers`)).status).toBe(503)
    expect(await (await fetch(url)).text()).toBe('light')
    expect(requests.map((outcome) => outcome.outcome)).toEqual(['exceeded_memory', 'ok', 'exceeded_memory', 'ok'])
    expect(supervisor.states()).toMatchObject([{ restarts: 2, lastExit: { reason: 'exceeded_memory' } }])
  })

  it('restarts a process that was killed, with an exponential backoff, and logs each restart', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'rc-crash-'))
    open.push(() => rm(folder, { recursive: true }))
    const { supervisor, site, states } = host({ restartDelaysMs: [0, 50, 10_000], restartPatienceMs: 300 })
    await supervisor.deploy(spec(answering('back')))
    const url = await site('sample')
    for (let death = 1; death <= 2; death++) {
      process.kill(supervisor.states()[0]!.stats!.pid!, 'SIGKILL')
      await until(() => supervisor.states()[0]!.restarts === death && supervisor.states()[0]!.state === 'running')
      expect(await (await fetch(url)).text()).toBe('back')
    }
    process.kill(supervisor.states()[0]!.stats!.pid!, 'SIGKILL')
    await until(() => supervisor.states()[0]!.state === 'restarting')
    const response = await fetch(url)
    expect([response.status, await response.json()]).toMatchObject([503, { code: 'worker_unavailable' }])
    expect(states.at(-1)).toMatchObject({ state: 'restarting', lastExit: { reason: 'crashed' } })
  })

  it('maps stack traces of a bundle to positions in the author’s files', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'rc-map-'))
    open.push(() => rm(folder, { recursive: true }))
    await writeFile(
      path.join(folder, 'lib.ts'),
      `// first\nexport interface Cart { total: number }\nexport function charge(cart: Cart): never {\n  throw new Error('declined ' + cart.total)\n}\n`,
    )
    await writeFile(
      path.join(folder, 'index.ts'),
      `import { charge } from './lib.ts'\nexport default {\n  async fetch() {\n    charge({ total: 5 })\n  },\n}\n`,
    )
    await writeFile(
      path.join(folder, 'top.ts'),
      `const value: number = 1\nthrow new Error('at the top ' + value)\nexport default {}\n`,
    )
    const made = async (entry: string) => {
      const { bundle } = await bundleWorker({ entry, workingDirectory: folder, minify: true })
      return spec(bundle!.code, { sourceMap: bundle!.sourceMap, version: entry })
    }
    const { supervisor, site, lines } = host()
    await supervisor.deploy(await made('index.ts'))
    await fetch(await site('sample'))
    const trace = lines.find((line) => line.level === 'exception')?.message
    expect(trace).toMatch(/^Error: declined 5\n.*\(?lib\.ts:4:9\)?\n.*index\.ts:4:5/)
    await expect(supervisor.deploy(await made('top.ts'))).rejects.toThrow(/at the top 1[^]*top\.ts:2:/)
  })

  it('leaves no process behind when the service is killed', async () => {
    const script = `import { testRuntime, spec, recorder } from ${JSON.stringify(path.resolve('test/workers/runtime/bench-host.ts'))}
      const runtime = testRuntime()
      const worker = await runtime.start(spec('export default { fetch() { return new Response() } }'), recorder())
      console.log(worker.stats().pid)
      setInterval(() => {}, 1000)`
    const service = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const pid = await new Promise<number>((resolve) => service.stdout.once('data', (text) => resolve(Number(text))))
    expect(existsSync(`/proc/${pid}`)).toBe(true)
    service.kill('SIGKILL')
    // If the kernel cannot end the process together with the service, the next service ends it.
    await new Promise((resolve) => service.once('exit', resolve))
    const next = testRuntime()
    open.push(() => next.close())
    await next.state()
    await until(() => !existsSync(`/proc/${pid}`))
    const own = (await readdir(os.tmpdir())).filter((name) => name.startsWith('rcw-'))
    const owners = await Promise.all(
      own.map((name) => readFile(path.join(os.tmpdir(), name, 'owner'), 'utf8').catch(() => '')),
    )
    expect(owners.filter((owner) => owner.startsWith(`${service.pid} `))).toEqual([])
  })
})

/** Counts the runtime processes that descend from this test process. */
async function workerdChildren(): Promise<number> {
  let count = 0
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const args = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')
    if (!/^[^\0]*workerd\0serve/.test(args)) continue
    const root = /\/rcw-[^/]+/.exec(args)?.[0] ?? ''
    const owner = await readFile(path.join(os.tmpdir(), root, 'owner'), 'utf8').catch(() => '')
    if (owner.startsWith(`${process.pid} `)) count++
  }
  return count
}
