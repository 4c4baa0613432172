import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { CliIo } from '../../terminal/io.ts'

interface Running {
  readonly url: string
  close(): Promise<void>
}

/** How soon a server notices that npm, which started it, is gone. */
const lookMs = 500

/** Serves until the process is asked to stop, then drains. Under npm it also ends with npm, which passes no signal on when it is killed. */
export async function serveUntilStopped(io: CliIo, start: () => Promise<Running>): Promise<void> {
  const ended = new AbortController()
  // Looked for first: npm may be killed while the server starts.
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

/** Resolves when the npm above this process has ended; never without one. */
async function endOfNpm(env: NodeJS.ProcessEnv, stop: AbortSignal): Promise<void> {
  const npm = env['npm_lifecycle_event'] === undefined ? null : npmAbove(process.pid)
  if (npm === null) return new Promise(() => undefined)
  while (parentOf(npm.pid)?.started === npm.started) {
    try {
      await wait(lookMs, undefined, { signal: stop, ref: false })
    } catch {
      return
    }
  }
}

interface Ancestor {
  readonly pid: number
  /** When it began, so that a later process of the same number is told apart. */
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

/** From the kernel's own table; null where there is none, or no such process. */
function parentOf(pid: number): { readonly parent: number; readonly started: string } | null {
  const file = `/proc/${String(pid)}/stat`
  if (!existsSync(file)) return null
  try {
    // The name in brackets may hold spaces and brackets.
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
