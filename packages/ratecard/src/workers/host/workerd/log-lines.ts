// What a process prints, as log lines. The author's code can forge lines of its own worker, so nothing in them is believed
// beyond their shape.
import type { WorkerLogLine } from '../runtime.ts'
import { lineMark } from './entry.ts'
import type { TraceMapper } from './source-map.ts'

const maxLine = 65_536
const linesPerSecond = 1_000

/** Said by the runtime about itself, of no use to anybody. */
const noise = [/per-isolate bootstrap compile cache/, /^\s*$/]

type Level = WorkerLogLine['level']
const levels: ReadonlySet<string> = new Set(['debug', 'log', 'info', 'warn', 'error', 'exception'])

export interface LineReader {
  push(chunk: Buffer): void
  end(): void
}

/** Cuts a stream into lines of at most 64 KiB; what is longer loses its tail. */
export function lineReader(onLine: (line: string) => void): LineReader {
  const decoder = new TextDecoder()
  let rest = ''
  let cutting = false
  const add = (text: string): void => {
    const parts = text.split('\n')
    parts.forEach((part, index) => {
      if (!cutting) rest += part.slice(0, maxLine - rest.length)
      if (index < parts.length - 1) {
        onLine(rest)
        rest = ''
        cutting = false
      } else cutting = rest.length >= maxLine
    })
  }
  return {
    push: (chunk) => add(decoder.decode(chunk, { stream: true })),
    end: () => {
      if (rest !== '') onLine(rest)
      rest = ''
    },
  }
}

/** One printed line as a log line; undefined for noise. */
export function parseLogLine(
  line: string,
  from: 'stdout' | 'stderr',
  context: { readonly version: string; readonly now: number; readonly map: TraceMapper },
): WorkerLogLine | undefined {
  if (noise.some((pattern) => pattern.test(line))) return undefined
  const plain = (level: Level): WorkerLogLine => ({
    time: context.now,
    level,
    message: context.map(line),
    version: context.version,
  })
  if (!line.startsWith(lineMark)) return plain(from === 'stdout' ? 'log' : 'error')
  const item = parseJson(line.slice(lineMark.length))
  if (item === undefined) return plain('log')
  const { level, message, stack, requestId, runId, time } = item
  const text = typeof stack === 'string' && stack !== '' ? stack : typeof message === 'string' ? message : ''
  return {
    time: typeof time === 'number' && Math.abs(time - context.now) < 60_000 ? time : context.now,
    level: isLevel(level) ? level : 'log',
    message: level === 'exception' ? context.map(text) : text,
    version: context.version,
    ...(isId(requestId) ? { requestId } : {}),
    ...(isId(runId) ? { runId } : {}),
  }
}

export interface LineLimit {
  log(line: WorkerLogLine): void
  /** Says what was dropped so far. */
  flush(): void
}

/** Lets through a thousand lines a second and says how many it did not. */
export function limitLines(version: string, now: () => number, log: (line: WorkerLogLine) => void): LineLimit {
  let second = 0
  let count = 0
  let dropped = 0
  const flush = (): void => {
    if (dropped > 0) log({ time: now(), level: 'system', message: `${dropped} log lines were dropped.`, version })
    dropped = 0
  }
  return {
    flush,
    log(line) {
      const current = Math.floor(now() / 1_000)
      if (current !== second) {
        flush()
        second = current
        count = 0
      }
      if (++count > linesPerSecond) dropped++
      else log(line)
    },
  }
}

function parseJson(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function isLevel(value: unknown): value is Level {
  return typeof value === 'string' && levels.has(value)
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 128
}
