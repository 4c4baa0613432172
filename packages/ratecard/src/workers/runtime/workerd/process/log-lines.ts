// Parses the output of a process into log lines. The author's code can forge lines of its own worker. So the form of each line is
// validated, and its content is not trusted.
import type { WorkerLogLine } from '../../worker-runtime.ts'
import { lineMark } from './entry.ts'
import type { TraceMapper } from './source-map.ts'

const maxLine = 65_536
const linesPerSecond = 1_000
const charactersPerSecond = 512 * 1024

/**
 * Matches a line on standard error in which workerd reports an exception that no handler could catch, e.g. one thrown while a body is
 * streamed.
 */
const uncaught = /Uncaught exception: .*?\bjsg\.(\w+: .*)$/

type Level = WorkerLogLine['level']
const levels: ReadonlySet<string> = new Set(['debug', 'log', 'info', 'warn', 'error', 'exception'])

export interface LineReader {
  push(chunk: Buffer): void
  end(): void
}

/** Splits a stream into lines of at most 65,536 characters; longer lines are truncated. */
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

interface LineContext {
  readonly version: string
  readonly now: number
  readonly map: TraceMapper
}

/** Parses one line of standard output; undefined if it is blank. */
export function parseLogLine(line: string, context: LineContext): WorkerLogLine | undefined {
  if (line.trim() === '') return undefined
  if (!line.startsWith(lineMark)) return plainLine('log', line, context)
  const item = parseJson(line.slice(lineMark.length))
  if (item === undefined) return plainLine('log', line, context)
  const { level, message, stack, requestId, runId, time } = item
  const text = typeof stack === 'string' && stack !== '' ? stack : typeof message === 'string' ? message : ''
  return {
    time: typeof time === 'number' && Math.abs(time - context.now) < 60_000 ? time : context.now,
    level: isLevel(level) ? level : 'log',
    message: context.map(text),
    version: context.version,
    ...(isId(requestId) ? { requestId } : {}),
    ...(isId(runId) ? { runId } : {}),
  }
}

/**
 * Returns the exception that a line of standard error reports, as a log line of the worker. Returns undefined for any other line. Such
 * lines come from workerd itself, because the prelude redirects the worker's console to standard output.
 */
export function exceptionIn(line: string, context: LineContext): WorkerLogLine | undefined {
  const text = uncaught.exec(line)?.[1]
  return text === undefined ? undefined : plainLine('exception', text, context)
}

function plainLine(level: Level, line: string, { now, map, version }: LineContext): WorkerLogLine {
  return { time: now, level, message: map(line), version }
}

export interface LineLimit {
  /**
   * True if a line of this length is within the limits of the current second. If not, counts the line as dropped, and the caller need not
   * parse it.
   */
  takes(length: number): boolean
  log(line: WorkerLogLine): void
  /** Logs the number of lines dropped so far. */
  flush(): void
}

/** Creates a rate limit for log lines: 1,000 lines and 512 Ki characters per second. Dropped lines are logged as a count. */
export function limitLines(version: string, now: () => number, log: (line: WorkerLogLine) => void): LineLimit {
  let second = 0
  let left = { lines: linesPerSecond, characters: charactersPerSecond }
  let dropped = 0
  const flush = (): void => {
    if (dropped > 0) log({ time: now(), level: 'system', message: `${dropped} log lines were dropped.`, version })
    dropped = 0
  }
  const takes = (length: number): boolean => {
    const current = Math.floor(now() / 1_000)
    if (current !== second) {
      flush()
      second = current
      left = { lines: linesPerSecond, characters: charactersPerSecond }
    }
    const fits = left.lines > 0 && left.characters >= length
    if (fits) left = { lines: left.lines - 1, characters: left.characters - length }
    else dropped++
    return fits
  }
  return {
    takes,
    flush,
    log: (line) => {
      if (takes(line.message.length)) log(line)
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
