import { performance } from 'node:perf_hooks'

/**
 * One line of the table. `ratio` compares the product with the baseline of the same run, because ratios hardly depend on the machine.
 */
export interface BenchResult {
  readonly name: string
  readonly ours: string
  readonly yardstick: string
  readonly ratio: string
  /** Null: measured without a target. */
  readonly aim: string | null
  readonly met: boolean
}

export interface BenchOptions {
  /** Short runs that only show that the benchmarks work. */
  readonly quick: boolean
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted[Math.floor(sorted.length / 2)]
  if (middle === undefined) throw new Error('no values')
  return middle
}

export async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/**
 * CPU milliseconds per call of `work` in this thread, after five warm-up calls. CPU time depends less on other load than wall time.
 */
export function cpuMs(times: number, work: () => unknown): number {
  for (let round = 0; round < 5; round++) work()
  const began = process.threadCpuUsage()
  for (let round = 0; round < times; round++) work()
  const { user, system } = process.threadCpuUsage(began)
  return (user + system) / 1000 / times
}

export const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 2 : 0)} ms`
export const perSecond = (value: number) => `${Math.round(value).toString()}/s`
