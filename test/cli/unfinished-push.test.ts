// While a push is half done, its own steps look like edits at the processor: nothing may advise to take them back unseen.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createClient } from '@ratecard/client'
import type { Client, PushSummary } from '@ratecard/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../../packages/ratecard/src/composition/main.ts'
import type { RunningServer } from '../../packages/ratecard/src/composition/main.ts'
import { unfinishedPush } from '../../packages/ratecard/src/cli/follow/unfinished-push.ts'
import { cliWorld } from './cli-world.ts'
import type { CliWorld } from './cli-world.ts'

const key = 'unfinished-push-service-key'
let world: CliWorld
let server: RunningServer
let client: Client

beforeAll(async () => {
  world = cliWorld()
  server = await startServer({
    env: { RATECARD_SANDBOX_PORT: '0', RATECARD_SERVICE_KEY: key, RATECARD_LOG_LEVEL: 'silent' },
    port: 0,
    dataDir: path.join(world.cwd, 'data'),
    out: () => undefined,
  })
  client = createClient({ baseUrl: server.url, serviceKey: key })
})
afterAll(async () => {
  await server.close()
  world.remove()
})

const run = (line: string) =>
  world.run(line.split(' '), { env: { RATECARD_API_URL: server.url, RATECARD_SERVICE_KEY: key } })

const config = (version: string, word: string) => ({
  version,
  products: Array.from({ length: 30 }, (_, index) => ({
    id: `p${String(index)}`,
    name: `${word} ${String(index)}`,
    prices: [{ id: `p${String(index)}_monthly`, amount: 1000, currency: 'eur', interval: 'month', default: true }],
  })),
})

/** Slows the processor down, so that there is a middle to stop in. */
async function faults(order: object | null): Promise<void> {
  const url = `${server.sandboxUrl ?? ''}/_sandbox/faults`
  const answer = await (order === null
    ? fetch(url, { method: 'DELETE' })
    : fetch(url, {
        method: 'POST',
        body: JSON.stringify(order),
        headers: { 'content-type': 'application/json' },
      }))
  expect([answer.status, await answer.text()]).toMatchObject([200, expect.any(String)])
}

async function interrupted(document: object): Promise<string> {
  await faults({ kind: 'latency', method: 'POST', latency_ms: 60, count: null })
  const started = await client.admin.startPush(document)
  const id = started.started ? started.pushId : ''
  const until = async (done: (push: PushSummary) => boolean) => {
    while (!done(await client.admin.findPush(id))) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await until(({ stepsDone }) => stepsDone > 1)
  await client.admin.cancelPush(id)
  await until(({ state }) => state === 'interrupted')
  await faults(null)
  return id
}

describe('while the newest push is interrupted', () => {
  let id: string
  const file = 'ratecard/billing/plans.json'
  const text = () => readFileSync(path.join(world.cwd, file), 'utf8')
  beforeAll(async () => {
    world.write(file, config('1.0.0', 'Old'))
    expect(await run('billing push --quiet')).toMatchObject({ exit: 0 })
    world.write(file, config('1.1.0', 'New'))
    id = await interrupted(config('1.1.0', 'New'))
  })

  it('drift says so first, and advises to finish it', async () => {
    const ran = await run('billing drift --exit-code')
    expect(ran.exit).toBe(3)
    expect(ran.stdout).toMatch(new RegExp(`^! Push ${id} is interrupted after \\d+ of \\d+ steps\\.`))
    expect(ran.stdout).toContain(`Finish it: \`ratecard billing resume ${id}\`, or push again.`)
    expect(ran.stdout).toContain('Old 0')
    expect(ran.stdout).not.toMatch(/--force|pull --update/)
    const shown = JSON.parse((await run('billing drift --json')).stdout) as { readonly unfinished_push?: string }
    expect(shown.unfinished_push).toBe(id)
  })

  it('pull --update leaves the author’s change alone, unless it is told to go on', async () => {
    const before = text()
    const refused = await run('billing pull --update')
    expect(refused.exit).toBe(1)
    expect(refused.stderr).toContain('push_unfinished')
    expect(refused.stderr).toContain(`billing resume ${id}`)
    expect(text()).toBe(before)
    const dry = await run('billing pull --update --dry-run')
    expect(dry).toMatchObject({ exit: 0, stderr: expect.stringContaining(`Push ${id} is interrupted`) as string })
    expect(text()).toBe(before)
    expect((await run('billing pull --update --yes')).exit).toBe(0)
    expect(text()).toContain('Old 29')
    world.write(file, before)
  })

  it('and when it is finished, all is as before', async () => {
    expect((await run('billing resume')).exit).toBe(0)
    expect((await run('billing drift')).stdout).toMatch(/^✓ The processor is as/)
    expect((await run('billing pull --update')).stdout).toContain('The files say what is live')
  })
})

it.each([
  ['interrupted', 0, true],
  ['running', 0, true],
  ['planned', 0, true],
  ['failed', 3, true],
  ['failed', 0, false],
  ['applied', 5, false],
  ['abandoned', 2, false],
] as const)('a push that is %s after %i steps is unfinished: %s', async (state, stepsDone, unfinished) => {
  const push = { id: 'x', state, stepsDone }
  const fake = { admin: { pushes: () => Promise.resolve({ pushes: [push] }) } } as unknown as Client
  expect(await unfinishedPush(fake, new AbortController().signal)).toBe(unfinished ? push : null)
})
