import { closeSync, openSync, readFileSync, readSync } from 'node:fs'

/** CPU and memory usage of a process. A reading is null if the system reports none (no /proc, or the process has ended). */
export interface Readings {
  /** Returns the CPU time (ms) of the main thread, which runs all JavaScript. */
  cpuMs(): number | null
  memoryMb(): number | null
  close(): void
}

export function readingsOf(pid: number): Readings {
  // Keeps the file open. When the pid is used again, the path refers to the other process, but the open file does not.
  let file = open(`/proc/${pid}/schedstat`)
  const buffer = Buffer.alloc(64)
  return {
    cpuMs() {
      if (file === null) return null
      try {
        const length = readSync(file, buffer, 0, buffer.length, 0)
        const nanoseconds = Number(buffer.toString('latin1', 0, length).split(' ', 1)[0])
        return length > 0 && Number.isFinite(nanoseconds) ? nanoseconds / 1e6 : null
      } catch {
        return null
      }
    },
    memoryMb() {
      if (file === null) return null
      try {
        const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
        return kilobytes === undefined ? null : Number(kilobytes) / 1024
      } catch {
        return null
      }
    },
    close() {
      if (file !== null) closeSync(file)
      file = null
    },
  }
}

function open(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch {
    return null
  }
}
