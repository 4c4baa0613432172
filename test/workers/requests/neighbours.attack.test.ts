// Workers that try to use up the machine. Meanwhile the responses of another worker and of the API are counted.
import { beforeAll, describe, expect, it } from 'vitest'
import { getFrom, startWorkerWorld, workersPath } from './worker-world.ts'
import { startedForAll } from '../../support/started.ts'

const world = startedForAll(startWorkerWorld)
beforeAll(async () => {
  await world.deploy('neighbour', `export default { fetch() { return new Response('well') } }`)
})

interface Seen {
  readonly answers: ReadonlyMap<string, number>
  readonly p99: number
}

/** Requests the path repeatedly until the work is done. */
async function meanwhile(path: string, work: Promise<unknown>): Promise<Seen> {
  const answers = new Map<string, number>()
  const times: number[] = []
  let done = false
  void work.finally(() => (done = true))
  while (!done) {
    const began = performance.now()
    const { status } = await getFrom(world, path)
    times.push(performance.now() - began)
    answers.set(String(status), (answers.get(String(status)) ?? 0) + 1)
  }
  times.sort((a, b) => a - b)
  return { answers, p99: times[Math.floor(times.length * 0.99)] ?? 0 }
}

/** Prints a figure for the reader. It is not checked, because it depends on the machine. */
const report = (figure: string) => process.stdout.write(`${figure}\n`)

async function attacked(name: string, attack: () => Promise<unknown>): Promise<void> {
  const work = attack()
  const [neighbour, api] = await Promise.all([meanwhile('/workers/neighbour', work), meanwhile('/healthz', work)])
  await work
  report(`${name}: p99 of the neighbour ${neighbour.p99.toFixed(1)} ms, of the API ${api.p99.toFixed(1)} ms`)
  expect([[...neighbour.answers.keys()], [...api.answers.keys()]]).toEqual([['200'], ['200']])
}

const all = async (count: number, path: string) =>
  Promise.all(Array.from({ length: count }, () => getFrom(world, path)))

describe('other workers and the API are not affected by', () => {
  it('a flood of log lines, because the number of stored lines is limited', async () => {
    await world.deploy(
      'flood',
      `export default { async fetch() {
        for (let i = 0; i < 20_000; i++) { console.log('x'.repeat(2_000)); if (i % 100 === 0) await new Promise((r) => setTimeout(r, 0)) }
        return new Response('said') } }`,
    )
    await attacked('flood', () => all(3, '/workers/flood'))
    const { logs } = (await world.asAdmin({ url: `${workersPath}/flood/logs?limit=1000&level=system` })).json<{
      logs: { message: string }[]
    }>()
    expect(logs.some(({ message }) => message.endsWith('log lines were dropped.'))).toBe(true)
    await attacked('deleting it', async () => world.asAdmin({ method: 'DELETE', url: `${workersPath}/flood` }))
  })

  it('top-level code of a worker that fills memory, loops or never ends', async () => {
    const bombs = [
      'const kept = []; for (;;) kept.push(new Uint8Array(16 << 20).fill(1))',
      'const kept = []; for (;;) kept.push({ a: [kept.length] })',
      `throw new Error('x'.repeat(1 << 20))`,
    ]
    await attacked('start bombs', async () => {
      const answers = await Promise.all(bombs.map((code, index) => world.deploy(`bomb${String(index)}`, code)))
      for (const answer of answers) expect(answer.json()).toMatchObject({ code: 'worker_start_failed' })
    })
  })

  it('consecutive endless loops in one worker', async () => {
    await world.deploy('loop', 'export default { fetch() { for (;;); } }', { cpu_ms: 50 })
    await attacked('loops', async () => {
      for (let round = 0; round < 3; round++)
        for (const { status } of await all(5, '/workers/loop')) expect(status).toBe(503)
    })
  })

  it('thousands of concurrent fetches, because the server limits how many are sent at a time', async () => {
    await world.deploy(
      'many',
      `export default { async fetch(request, env) {
        const done = await Promise.allSettled(Array.from({ length: 20_000 }, () => fetch(env.RATECARD_API_URL + '/healthz').then((r) => r.text())))
        return Response.json(done.filter(({ status }) => status === 'rejected').length) } }`,
    )
    const before = process.memoryUsage().rss
    await attacked('fetches', () => all(1, '/workers/many'))
    const grown = Math.round((process.memoryUsage().rss - before) / 1024 / 1024)
    report(`the service grew by ${String(grown)} MB`)
    // Without a limit, memory grew to nearly a gigabyte.
    expect(grown).toBeLessThan(400)
  })

  it('a worker that calls itself endlessly', async () => {
    await world.deploy(
      'fork',
      `export default { async fetch(request, env) {
        const again = () => fetch(env.RATECARD_API_URL + '/workers/fork').then((r) => r.text()).catch(() => '')
        await Promise.all([again(), again()])
        return new Response('forked') } }`,
      { cpu_ms: 500 },
    )
    await attacked('forks', () => all(1, '/workers/fork'))
    // Without a limit, each call doubles the requests until a thousand wait for each other and time out, and nothing is logged.
    const { logs } = (await world.asAdmin({ url: `${workersPath}/fork/logs?limit=1000&level=system` })).json<{
      logs: { message: string }[]
    }>()
    expect(logs.some(({ message }) => message.includes('64 requests to workers of this service under way'))).toBe(true)
  })
})
