import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { documentOf } from './support/catalogue.ts'
import { median, milliseconds, type BenchOptions, type BenchResult } from './support/measure.ts'
import { startProcess } from './support/server-process.ts'

const command = fileURLToPath(new URL('../packages/ratecard/bin/ratecard.js', import.meta.url))
const execute = promisify(execFile)

/**
 * Start of the command line compared with an empty Node script. Rounds alternate, so that all meet the same load of the machine.
 */
export async function benchStart({ quick }: BenchOptions): Promise<BenchResult[]> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'ratecard-bench-start-'))
  const server = await startProcess('service', path.join(home, 'data'))
  try {
    const file = path.join(home, 'billing.json')
    writeFileSync(file, JSON.stringify(documentOf(10, 3)))
    const address = ['--api-url', server.url, '--service-key', 'bench-service-key']
    const env = { PATH: process.env['PATH'], HOME: home }
    const run = async (args: readonly string[]) => {
      const began = performance.now()
      await execute(process.execPath, args, { env, cwd: home })
      return performance.now() - began
    }
    const ours = (...words: readonly string[]) => [command, ...words]
    await run(ours('billing', 'push', file, '--yes', ...address))
    const cases = [
      { name: 'ratecard --version', args: ours('--version'), most: 2.5 },
      { name: 'ratecard billing push --help', args: ours('billing', 'push', '--help'), most: 5 },
      { name: 'ratecard billing validate, 10 products', args: ours('billing', 'validate', file), most: 8 },
      { name: 'ratecard billing history', args: ours('billing', 'history', ...address), most: 6 },
    ]
    const bare: number[] = []
    const times = cases.map(() => [] as number[])
    // The first round fills the compile cache and is not counted.
    for (let round = -1; round < (quick ? 3 : 21); round++) {
      const nothing = await run(['-e', '0'])
      if (round >= 0) bare.push(nothing)
      for (const [index, { args }] of cases.entries()) {
        const took = await run(args)
        if (round >= 0) times[index]?.push(took)
      }
    }
    const rows = cases.map(({ name, most }, index) => {
      const [took, yardstick] = [median(times[index] ?? []), median(bare)]
      return {
        name,
        ours: milliseconds(took),
        yardstick: `node -e 0 ${milliseconds(yardstick)}`,
        ratio: `${(took / yardstick).toFixed(1)}×`,
        aim: `≤ ${most.toString()}×`,
        met: took / yardstick <= most,
      }
    })
    return process.platform === 'linux' ? [...rows, ...(await atRest(home, env))] : rows
  } finally {
    await server.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

interface Resting {
  readonly readyMs: number
  readonly megabytes: number
}

/** Memory of a process some seconds after its first line of output. */
async function resting(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Resting> {
  const began = performance.now()
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    await once(child.stdout, 'data')
    const readyMs = performance.now() - began
    await pause(4000)
    const status = readFileSync(`/proc/${String(child.pid)}/status`, 'utf8')
    return { readyMs, megabytes: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024 }
  } finally {
    child.kill()
    await once(child, 'exit')
  }
}

/** The service with its sandbox as started by the command, compared with an idle Node process. */
async function atRest(home: string, given: NodeJS.ProcessEnv): Promise<BenchResult[]> {
  const env = { ...given, RATECARD_SANDBOX_PORT: '0', RATECARD_LOG_LEVEL: 'silent' }
  const start = () =>
    resting([command, 'server', 'start', '--port', '0', '--data-dir', path.join(home, 'at-rest'), '--json'], env)
  // The first start creates the store and fills the compile cache, so it is not measured.
  await start()
  const service = await start()
  const bare = await resting(['-e', 'console.log(); setInterval(() => undefined, 1e6)'], env)
  const ratio = service.megabytes / bare.megabytes
  return [
    {
      name: 'memory of an idle service with its sandbox',
      ours: `${service.megabytes.toFixed(0)} MB`,
      yardstick: `bare Node ${bare.megabytes.toFixed(0)} MB`,
      ratio: `${ratio.toFixed(2)}×`,
      aim: '≤ 4×',
      met: ratio <= 4,
    },
    {
      name: 'a service with its sandbox is ready after',
      ours: milliseconds(service.readyMs),
      yardstick: '1500 ms',
      ratio: `${(service.readyMs / 1500).toFixed(2)}×`,
      aim: '≤ 1×',
      met: service.readyMs <= 1500,
    },
  ]
}
