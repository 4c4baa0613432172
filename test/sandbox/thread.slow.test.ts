import { describe, expect, onTestFinished, test } from 'vitest'
import { startSandboxThread } from '../../packages/sandbox/src/thread.ts'
import { clientOf } from '../support/sandbox.ts'
import { temporaryFolder } from '../support/folder.ts'

const soon = { askEveryMs: 20, silentForMs: 200, restartAfterMs: 5 }

/** Starts one of the test threads, and waits until the supervisor has reported this number of restarts. */
async function reports(name: string, wanted: number): Promise<string[]> {
  const lines: string[] = []
  const { promise, resolve } = Promise.withResolvers<null>()
  const thread = await startSandboxThread({
    port: 0,
    dataDir: null,
    entry: new URL(`threads/${name}.ts`, import.meta.url),
    timings: { ...soon, closeTimeoutMs: 50 },
    log: (line) => {
      lines.push(line)
      if (lines.length === wanted) resolve(null)
    },
  })
  await promise
  await thread.close()
  return lines
}

describe('the sandbox in a thread', () => {
  test('reports a crash and restarts, and the process that started the sandbox keeps running', async () => {
    const [first, second] = await reports('crashes', 2)
    expect(first).toContain('a crash of the sandbox')
    expect(second).toContain('restarting in')
  })

  test('is terminated and restarted if it hangs, and the process that started the sandbox keeps running', async () => {
    const ticks: number[] = []
    const ticking = setInterval(() => ticks.push(performance.now()), 5)
    onTestFinished(() => clearInterval(ticking))
    const [first] = await reports('hangs', 1)
    expect(first).toContain('did not respond')
    expect(ticks.length).toBeGreaterThan(5)
  })

  test('serves the API, keeps its state and its port during its life, and releases both at its end', async () => {
    const dataDir = temporaryFolder()
    const start = (port: number) => startSandboxThread({ port, dataDir, log: () => undefined })
    const first = await start(0)
    const made = await clientOf(first, 'sk_test_thread').products.create({ name: 'P' })
    await expect(start(first.port)).rejects.toThrow(/Another sandbox is using|EADDRINUSE/)
    await first.close()
    const again = await start(first.port)
    onTestFinished(() => again.close())
    expect((await clientOf(again, 'sk_test_thread').products.retrieve(made.id)).name).toBe('P')
  })
})
