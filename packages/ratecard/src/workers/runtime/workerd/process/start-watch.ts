// Enforces the limits of a process until it listens, because the author's top-level code runs before the process responds to pings.
import { readFileSync } from 'node:fs'
import type { WorkerLimits } from '../../worker-runtime.ts'
import { readingsOf, type Readings } from '../limits/readings.ts'
import { cpuDetail, memoryDetail } from '../limits/watchdog.ts'

/** The process exited, did not listen in time, or exceeded a limit. `lastWords` is the end of its standard error. */
export class StartFailed extends Error {
  readonly stderrTail: string
  constructor(message: string, lastWords: string) {
    super(message)
    this.stderrTail = lastWords
  }
}

const pollMs = 15
/** CPU time allowance (ms) for the start of workerd itself on a slow machine. */
const startCpuMs = 2_000

export interface StartWatch {
  /** Rejects with StartFailed when a limit is exceeded. */
  readonly exceeded: Promise<never>
  stop(): void
}

/** Watches a starting process. `pid` is the spawned process: workerd itself, or a helper in front of it. */
export function watchStart(pid: number, limits: Pick<WorkerLimits, 'cpuMs' | 'memoryMb'>): StartWatch {
  let readings: { readonly pid: number; readonly of: Readings } | undefined
  let timer: NodeJS.Timeout | undefined
  const exceeded = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      const runtime = processesFrom(pid).at(-1) ?? pid
      if (readings?.pid !== runtime) {
        readings?.of.close()
        readings = { pid: runtime, of: readingsOf(runtime) }
      }
      const memoryMb = readings.of.memoryMb() ?? 0
      const cpuMs = readings.of.cpuMs() ?? 0
      if (memoryMb > limits.memoryMb) reject(new StartFailed(memoryDetail(memoryMb, limits.memoryMb), ''))
      else if (cpuMs > limits.cpuMs + startCpuMs) reject(new StartFailed(cpuDetail(limits.cpuMs), ''))
    }, pollMs)
  })
  // Marks the rejection as handled; it matters only while the caller awaits the start.
  exceeded.catch(() => undefined)
  return {
    exceeded,
    stop: () => {
      clearInterval(timer)
      readings?.of.close()
    },
  }
}

/** A process and its chain of descendants. Each helper in front of workerd has one child, and workerd has none. */
export function processesFrom(pid: number): readonly number[] {
  const chain: number[] = []
  for (let next = pid; next > 1; next = childOf(next)) chain.push(next)
  return chain
}

function childOf(pid: number): number {
  try {
    return Number(
      readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'latin1')
        .trim()
        .split(' ')[0],
    )
  } catch {
    return 0
  }
}
