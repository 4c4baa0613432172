// A worker that exceeds its memory, observed through the API, the logs and the metrics of a real service.
import { describe, expect, it } from 'vitest'
import { getFrom, startWorkerWorld, workersPath } from '../requests/worker-world.ts'
import { startedForAll } from '../../support/started.ts'

const world = startedForAll(startWorkerWorld)

const eating = `const buffers = async () => { for (const kept = [];;) { kept.push(new Uint8Array(16 << 20).fill(1)); await new Promise((r) => setTimeout(r, 1)) } }
const heap = () => { for (const kept = [];;) kept.push({ a: [kept.length, 'x' + kept.length] }) }
export default {
  async fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname === '/buffers') await buffers()
    if (pathname === '/heap') heap()
    return new Response('light')
  },
  scheduled: buffers,
}`

interface View {
  readonly state: string
  readonly restarts: number
  readonly last_exit: string | null
}
const view = async () => (await world.asAdmin({ url: `${workersPath}/eater` })).json<View>()

describe('a worker that exceeds its memory limit', () => {
  it('is stopped, recorded and restarted, in requests and in scheduled runs, while another worker is unaffected', async () => {
    expect((await world.deploy('eater', eating, { crons: ['0 0 29 2 *'] })).statusCode).toBe(201)
    await world.deploy('neighbour', `export default { fetch() { return new Response('well') } }`)
    let eaten = false
    const neighbour = (async () => {
      const answers = new Map<string, number>()
      while (!eaten) {
        const { status, body } = await getFrom(world, '/workers/neighbour')
        const answer = `${String(status)} ${body}`
        answers.set(answer, (answers.get(answer) ?? 0) + 1)
      }
      return answers
    })()

    for (const [index, path] of ['/buffers', '/heap'].entries()) {
      const answer = await getFrom(world, `/workers/eater${path}`)
      expect([answer.status, JSON.parse(answer.body)]).toMatchObject([503, { code: 'worker_exceeded_memory' }])
      expect(answer.headers.get('retry-after')).toBe('1')
      expect((await getFrom(world, '/workers/eater')).body).toBe('light')
      expect(await view()).toMatchObject({ state: 'running', restarts: index + 1 })
    }
    expect((await view()).last_exit).toContain('128 MB of JavaScript heap')

    const run = (await world.asAdmin({ method: 'POST', url: `${workersPath}/eater/cron/trigger`, payload: {} })).json<{
      outcome: string
      error: string
    }>()
    expect(run.outcome).toBe('exceeded_memory')
    expect(run.error).toContain('512 MB are allowed')
    // The run had its own process, so the serving process was not restarted.
    expect(await view()).toMatchObject({ state: 'running', restarts: 2 })

    eaten = true
    expect([...(await neighbour).keys()]).toEqual(['200 well'])
    const { logs } = (await world.asAdmin({ url: `${workersPath}/eater/logs?limit=1000` })).json<{
      logs: { level: string; message: string }[]
    }>()
    const system = logs.filter(({ level }) => level === 'system').map(({ message }) => message)
    expect(system.some((message) => message.includes('512 MB are allowed'))).toBe(true)
    expect(system.some((message) => message.includes('128 MB of JavaScript heap'))).toBe(true)
    const figures = await world.registry.metrics()
    expect(figures).toMatch(/ratecard_worker_requests_total\{worker="eater",outcome="exceeded_memory"\} 2/)
    expect(figures).toMatch(/ratecard_worker_cron_runs_total\{worker="eater",outcome="exceeded_memory"\} 1/)
  })
})
