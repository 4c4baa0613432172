// Enforces the CPU and memory limits of a process while it starts. The author's top-level code runs before the process can respond to the
// watchdog's pings.
import { readFileSync } from 'node:fs'
import type { WorkerLimits } from '../../worker-runtime.ts'
import { readingsOf, type Readings } from '../limits/readings.ts'
import { cpuDetail, memoryDetail } from '../limits/watchdog.ts'

/**
 * Error of a start: the process exited, did not open its sockets in time, or exceeded a limit. `lastWords` is the end of its standard
 * error.
 */
export class StartFailed extends Error {
  readonly stderrTail: string
  constructor(message: string, lastWords: string) {
    super(message)
    this.stderrTail = lastWords
  }
}

const pollMs = 15
/** CPU time (ms) that workerd itself may use for its start on a slow machine, in addition to the worker's limit. */
const startCpuMs = 2_000

export interface StartWatch {
  /** Rejects with StartFailed when a limit is exceeded. */
  readonly exceeded: Promise<never>
  stop(): void
}

/** Watches the limits of a starting process. `pid` is the spawned process: workerd itself, or a helper process that starts workerd. */
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
  // Marks the rejection as handled, because it matters only as long as the caller awaits the start.
  exceeded.catch(() => undefined)
  return {
    exceeded,
    stop: () => {
      clearInterval(timer)
      readings?.of.close()
    },
  }
}

/** Returns the pids of a process and its descendants down to workerd. Each helper process has one child, and workerd has none. */
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
