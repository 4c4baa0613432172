import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { milliseconds, timeMs } from './measure.ts'
import type { BenchOptions, BenchResult } from './measure.ts'

const command = fileURLToPath(new URL('../packages/ratecard/bin/ratecard.js', import.meta.url))

function run(args: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`)
}

/** The command line's start against a Node that does nothing. */
export function benchStart({ quick }: BenchOptions): BenchResult[] {
  const times = quick ? 3 : 21
  const bare = timeMs(times, () => run(['-e', '']))
  const measure = (name: string, args: readonly string[]): BenchResult => {
    const ours = timeMs(times, () => run([command, ...args]))
    return {
      name,
      ours: milliseconds(ours),
      yardstick: `node -e '' ${milliseconds(bare)}`,
      ratio: `${(ours / bare).toFixed(1)}×`,
      aim: null,
      met: true,
    }
  }
  return [
    measure('ratecard --version', ['--version']),
    measure('ratecard billing push --help', ['billing', 'push', '--help']),
  ]
}
