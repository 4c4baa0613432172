// The specification, "Edge workers".
import { describe, expect, test } from 'vitest'
import { cliWorld } from '../cli/cli-world.ts'
import { startWorkerWorld, workersPath } from '../workers/requests/worker-world.ts'
import { parseCron } from '../../packages/ratecard/src/workers/cron/parse.ts'
import { startedForAll } from '../support/started.ts'
import { elsewhere } from './elsewhere.ts'

describe('a worker', () => {
  const world = startedForAll(() => startWorkerWorld())
  const text = async (name: string) => (await fetch(`${world.url}/workers/${name}`)).text()

  test('is a module with a `fetch` handler, which reads its variables from its environment', async () => {
    const code = 'export default { fetch: (request, env) => new Response(`Hello ${env.NAME}`) }'
    await world.deploy('greeter', code, { vars: { NAME: 'Ada' } })
    expect(await text('greeter')).toBe('Hello Ada')
  })

  test('may have a `scheduled` handler, which gets the event (scheduledTime, cron), the environment and a context with waitUntil', async () => {
    const code = `export default { fetch: () => new Response(), scheduled: (event, env, ctx) => {
      ctx.waitUntil(Promise.resolve().then(() => console.log([typeof event.scheduledTime, event.cron, env.NAME].join()))) } }`
    await world.deploy('clock', code, { crons: ['0 0 1 1 *'], vars: { NAME: 'Ada' } })
    const ran = await world.asAdmin({
      method: 'POST',
      url: `${workersPath}/clock/cron/trigger`,
      payload: { cron: '0 0 1 1 *' },
    })
    expect(ran.json()).toMatchObject({ outcome: 'ok' })
    const logs = (await world.asAdmin({ url: `${workersPath}/clock/logs` })).body
    expect(logs).toContain('number,0 0 1 1 *,Ada')
  })

  test('has the schedules of its last deployment, which replaces those before', async () => {
    const code = 'export default { fetch: () => new Response(), scheduled() {} }'
    await world.deploy('often', code, { crons: ['0 0 * * *', '*/5 * * * *'] })
    await world.deploy('often', code, { crons: ['0 0 * * 0'] })
    expect((await world.asAdmin({ url: `${workersPath}/often` })).json()).toMatchObject({
      crons: [{ cron: '0 0 * * 0' }],
    })
  })
})

test('in development, a worker is served on port 8787', async () => {
  const world = cliWorld()
  const { stdout } = await world.run(['cloud', 'workers', 'dev', '--help'])
  world.remove()
  expect(stdout).toMatch(/--port.*8787/s)
})

elsewhere(
  'the variables of one environment come from the file of that environment, and reach the worker when it is deployed',
  'test/cli/billing/environments.test.ts',
  'passes the values that the user set to workers',
)
elsewhere(
  'schedules stand in the worker’s TOML file as `crons` under [triggers]',
  'test/cli/workers/workers-server.test.ts',
  '[triggers]',
)

describe('a cron expression', () => {
  const isValid = (text: string) => 'schedule' in parseCron(text)

  test('has five fields: minute 0–59, hour 0–23, day 1–31, month 1–12, weekday 0–6 with Sunday as 0', () => {
    for (const text of ['59 23 31 12 6', '0 0 1 1 0']) expect([text, isValid(text)]).toEqual([text, true])
    for (const text of [
      '60 0 * * *',
      '0 24 * * *',
      '0 0 32 * *',
      '0 0 0 * *',
      '0 0 * 13 *',
      '0 0 * * 7',
      '* * * *',
      '* * * * * *',
    ])
      expect([text, isValid(text)]).toEqual([text, false])
  })

  test('may have *, ranges, lists and steps', () => {
    const patterns = [
      '* * * * *',
      '*/5 * * * *',
      '0 * * * *',
      '0 */6 * * *',
      '0 0 * * *',
      '0 0 * * 0',
      '0 0 1 * *',
      '0 0 1 1 *',
      '0 9 * * 1-5',
      '0 9 1,3,5 * *',
      '*/15 * * * *',
    ]
    for (const text of patterns) expect([text, isValid(text)]).toEqual([text, true])
  })
})
