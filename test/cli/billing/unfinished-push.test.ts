// The steps of an unfinished push look like edits at the processor. No command may advise to revert them without a warning.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Client } from '@ratecard/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../packages/ratecard/src/base/clock.ts'
import { startServer, type RunningServer } from '../../../packages/ratecard/src/server/composition/main.ts'
import { unfinishedPush } from '../../../packages/ratecard/src/cli/follow/unfinished-push.ts'
import { startGate, type Gate } from '../../support/gate.ts'
import { nobody } from '../../support/stack.ts'
import { startSandbox, type Sandbox } from '../../../packages/sandbox/src/server.ts'
import { cliWorld, type CliWorld } from '../cli-world.ts'

const key = 'unfinished-push-service-key'
let world: CliWorld
let sandbox: Sandbox
let gate: Gate
let server: RunningServer

beforeAll(async () => {
  world = cliWorld()
  sandbox = await startSandbox({ port: 0, dataDir: null, clock: systemClock })
  gate = await startGate(sandbox.port)
  server = await startServer({
    env: {
      STRIPE_SECRET_KEY: 'sk_test_unfinishedPush0000',
      STRIPE_API_BASE: gate.url,
      RATECARD_SERVICE_KEY: key,
      RATECARD_LOG_LEVEL: 'silent',
    },
    port: 0,
    dataDir: path.join(world.cwd, 'data'),
    out: () => undefined,
  })
})
afterAll(async () => {
  await server.close()
  await gate.close()
  await sandbox.close()
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

/** Pushes to a processor that blocks in the middle, and cancels the push there. Returns its id. */
async function interrupted(document: object): Promise<string> {
  const { service } = server
  let id = ''
  let cancelled: Promise<unknown> | undefined
  const cancelInTheMiddle = async () => {
    while ((await service.findPush(id)).stepsDone < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    await service.cancelPush(id)
    gate.open()
  }
  const onOpen = (pushId: string) => {
    id = pushId
    cancelled = cancelInTheMiddle()
  }
  gate.shutAfter(5)
  const refused = await service.push(document, { ...nobody, onOpen }).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'push_cancelled', extra: { push_id: id, push_state: 'interrupted' } })
  await cancelled
  return id
}

describe('while the newest push is interrupted, the command', () => {
  let id: string
  const file = 'ratecard/billing/plans.json'
  const text = () => readFileSync(path.join(world.cwd, file), 'utf8')
  beforeAll(async () => {
    world.write(file, config('1.0.0', 'Old'))
    expect(await run('billing push --quiet')).toMatchObject({ exit: 0 })
    world.write(file, config('1.1.0', 'New'))
    id = await interrupted(config('1.1.0', 'New'))
  })

  it('drift shows the unfinished push first, and advises to resume the push', async () => {
    const ran = await run('billing drift --exit-code')
    expect(ran.exit).toBe(3)
    expect(ran.stdout).toMatch(new RegExp(`^! Push ${id} is interrupted after \\d+ of \\d+ steps\\.`))
    expect(ran.stdout).toContain(`Finish it: \`ratecard billing resume ${id}\`, or push again.`)
    expect(ran.stdout).toContain('Old 0')
    expect(ran.stdout).not.toMatch(/--force|pull --update/)
    const shown = JSON.parse((await run('billing drift --json')).stdout) as { readonly unfinished_push?: string }
    expect(shown.unfinished_push).toBe(id)
  })

  it('pull --update is refused and changes no file, unless --yes is given', async () => {
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

  it('drift reports no drift, and the command pull --update succeeds, after the push was resumed and has finished', async () => {
    expect((await run('billing resume')).exit).toBe(0)
    expect((await run('billing drift')).stdout).toMatch(/^✓ There is no drift/)
    expect((await run('billing pull --update')).stdout).toContain('The files match the live values')
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
