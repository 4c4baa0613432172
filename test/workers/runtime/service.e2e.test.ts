// Workers when processes die, when replicas share a PostgreSQL, and when versions change every second.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, readdir } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { postgresInstalled, startPostgres } from '../../support/stores/postgres.ts'
import { announceSkip } from '../../support/skips.ts'
import { startedForAll } from '../../support/started.ts'
import { inFile, storePlace } from '../../support/stores/store.ts'
import { deployment, replica, serving } from './replica.ts'

describe('a service that is killed during a deployment', () => {
  test.each([
    ['checked', 'old'],
    ['prepared', 'old'],
    ['stored', 'new'],
    ['activated', 'new'],
  ] as const)(
    'at the point "%s" serves the %s version with its schedules after a restart, and the next deployment succeeds',
    async (step, which) => {
      const place = await inFile()
      const store = await place.open({ leaseMs: 1_000 })
      const survivor = await replica(store)
      await survivor.workers.deployWorker(deployment('one', serving('old'), { crons: ['0 0 * * *'], vars: { A: '1' } }))
      const next = deployment('one', serving('new'), { crons: ['30 6 * * *', '0 12 * * *'], hosts: ['one.example'] })
      const argument = JSON.stringify({ ...place, step, deployment: next })
      const script = new URL('deploy-and-die.ts', import.meta.url).pathname
      const child = spawn(process.execPath, [script, argument], { stdio: ['ignore', 'inherit', 'inherit'] })
      const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
      expect(signal).toBe('SIGKILL')

      const crons = which === 'old' ? ['0 0 * * *'] : ['30 6 * * *', '0 12 * * *']
      await expect.poll(async () => (await survivor.get('one')).text).toBe(which)
      const view = await survivor.workers.findWorker('one')
      expect(view.crons.map(({ cron }) => cron).sort()).toEqual(crons.toSorted())
      expect(view.deployment.crons).toEqual(crons)
      expect(view.deployment.active).toBe(true)
      expect((await survivor.get('one')).version).toBe(view.deployment.id)
      expect(survivor.workers.workerAtHost('one.example')).toBe(which === 'new' ? 'one' : null)
      // A restarted service serves the same version.
      const fresh = await replica(await place.open())
      expect((await fresh.get('one')).text).toBe(which)
      await survivor.workers.deployWorker(deployment('one', serving('newest')))
      expect((await survivor.get('one')).text).toBe('newest')
    },
  )
})

const installed = postgresInstalled()
if (!installed)
  announceSkip('replicas with workers on PostgreSQL', 'no PostgreSQL server is installed (apt-get install postgresql)')

describe.runIf(installed)('two replicas on PostgreSQL:', () => {
  const server = startedForAll(startPostgres)

  test('a deployment, its hostname and its logs reach the other replica', async () => {
    const place = storePlace({ url: await server.createDatabase(), file: '' })
    const a = await replica(await place.open())
    const b = await replica(await place.open())
    for (const text of ['first', 'second']) {
      await a.workers.deployWorker(
        deployment(
          'one',
          serving(text).replace('async fetch(request) {', `async fetch(request) { console.log('${text}');`),
          {
            hosts: ['one.example'],
          },
        ),
      )
      await expect.poll(async () => (await b.get('one')).text).toBe(text)
      expect(b.workers.workerAtHost('one.example')).toBe('one')
    }
    const leave = new AbortController()
    const lines: string[] = []
    const following = (async () => {
      for await (const line of a.workers.followWorkerLogs('one', leave.signal))
        if (line.level === 'log') lines.push(line.message)
    })()
    await expect
      .poll(async () => {
        await b.get('one')
        return lines
      })
      .toContain('second')
    leave.abort()
    await following
  })

  test('each scheduled time of many schedules runs only once', async () => {
    const place = storePlace({ url: await server.createDatabase(), file: '' })
    const store = await place.open()
    let now = await store.workers.now()
    const time = () => Promise.resolve(now)
    const a = await replica(store, { time })
    const b = await replica(await place.open(), { time })
    const crons = Array.from(
      { length: 6 },
      (_, index) =>
        `* * * * ${'0123456'
          .slice(0, 7 - index)
          .split('')
          .join(',')}`,
    )
    await a.workers.deployWorker(deployment('one', serving('x'), { crons }))
    const ticks = new Set<number>()
    for (let minute = 0; minute < 3; minute++) {
      const due = (await a.workers.findWorker('one')).crons
      now = Math.min(...due.map(({ nextAt }) => nextAt))
      ticks.add(now)
      const ready = due.filter(({ nextAt }) => nextAt <= now).length
      await expect
        .poll(
          async () =>
            (await a.workers.cronRuns('one', { limit: 100, offset: 0 })).items.filter(
              ({ scheduledTime, outcome }) => scheduledTime === now && outcome === 'ok',
            ).length,
          { timeout: 20_000 },
        )
        .toBe(ready)
    }
    const { items } = await b.workers.cronRuns('one', { limit: 100, offset: 0 })
    expect(new Set(items.map(({ cron, scheduledTime }) => `${cron} ${String(scheduledTime)}`)).size).toBe(items.length)
    expect(items.every(({ outcome }) => outcome === 'ok')).toBe(true)
  })
})

describe('sixty deployments of a worker under load', () => {
  test('fail no request, leave no process behind, and do not leak memory', async () => {
    const one = await replica(await (await inFile()).open(), { supervisor: { drainMs: 2_000 } })
    await one.workers.deployWorker(deployment('one', serving('0')))
    let running = true
    const seen = new Set<string>()
    const failures: string[] = []
    const load = Array.from({ length: 8 }, async (_, index) => {
      for (let count = index; running; count++) {
        const path = count % 20 === 0 ? 'one/slow' : 'one'
        const answer = await one.get(path).catch((error: unknown) => ({ status: 0, text: String(error) }))
        seen.add(answer.text)
        if (answer.status !== 200) failures.push(`${String(answer.status)} ${answer.text}`)
      }
    })
    const memory: number[] = []
    for (let version = 1; version <= 60; version++) {
      await one.workers.deployWorker(deployment('one', serving(String(version))))
      await expect.poll(() => seen.has(String(version))).toBe(true)
      if (version % 10 === 0) memory.push(process.memoryUsage().heapUsed)
    }
    running = false
    await Promise.all(load)
    expect(failures).toEqual([])
    expect((await one.workers.workerDeployments('one', { limit: 1, offset: 0 })).total).toBe(20)
    await expect.poll(() => workerdChildren()).toBe(1)
    // A leak per version would add hundreds of megabytes, more than garbage does.
    expect(Math.min(...memory.slice(-3)) - Math.min(...memory.slice(0, 3))).toBeLessThan(100 * 1024 * 1024)
  })
})

/** Counts the runtime processes whose configuration is in a folder of this process. */
async function workerdChildren(): Promise<number> {
  let count = 0
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const args = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')
    const root = /^[^\0]*workerd\0serve\0(.*\/rcw-[^/]+)\//.exec(args)?.[1]
    if (root === undefined) continue
    const owner = await readFile(`${root}/owner`, 'utf8').catch(() => '')
    if (owner.startsWith(`${String(process.pid)} `)) count++
  }
  return count
}
