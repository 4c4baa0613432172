import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { CliIo } from '../../terminal/io.ts'

interface Running {
  readonly url: string
  close(): Promise<void>
}

/** Poll interval (ms) for checking whether the parent npm process has ended. */
const pollMs = 500

/**
 * Starts the service and serves until the process gets a stop signal, then drains. If started by npm, also stops when npm exits, because
 * npm forwards no signal if it is killed.
 */
export async function serveUntilStopped(io: CliIo, start: () => Promise<Running>): Promise<void> {
  const ended = new AbortController()
  // Watch npm before the server starts, because npm may be killed during startup.
  const orphaned = endOfNpm(io.env, ended.signal)
  const running = await start()
  if (!io.signal.aborted)
    await Promise.race([
      new Promise<void>((resolve) => io.signal.addEventListener('abort', () => resolve(), { once: true })),
      orphaned,
    ])
  ended.abort()
  await running.close()
}

/** Resolves when the npm process that started this process has ended. If npm did not start it, never resolves. */
async function endOfNpm(env: NodeJS.ProcessEnv, stop: AbortSignal): Promise<void> {
  const npm = env['npm_lifecycle_event'] === undefined ? null : npmAbove(process.pid)
  if (npm === null) return new Promise(() => undefined)
  while (parentOf(npm.pid)?.started === npm.started) {
    try {
      await wait(pollMs, undefined, { signal: stop, ref: false })
    } catch {
      return
    }
  }
}

interface Ancestor {
  readonly pid: number
  /** Start time of the process. Another start time means that another process has got the same pid. */
  readonly started: string
}

function npmAbove(from: number): Ancestor | null {
  for (let pid = parentOf(from)?.parent ?? 0; pid > 1;) {
    const found = parentOf(pid)
    if (found === null) return null
    if (/(^|[\s/])(npm|npm-cli\.js|npx|pnpm|yarn)(\s|$)/.test(commandOf(pid))) return { pid, started: found.started }
    pid = found.parent
  }
  return null
}

/** Reads `/proc/<pid>/stat`; null if the file does not exist (not Linux, or no such process). */
function parentOf(pid: number): { readonly parent: number; readonly started: string } | null {
  const file = `/proc/${String(pid)}/stat`
  if (!existsSync(file)) return null
  try {
    // The process name in parentheses may contain spaces and parentheses.
    const fields = readFileSync(file, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return { parent: Number(fields[1]), started: fields[19] ?? '' }
  } catch {
    return null
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
