// Destination and format of the log: one JSON object per line for programs, short lines for a terminal.
import { pino, type Logger } from 'pino'

const levels: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}
/** Members of a log entry that are not appended to its line. Some are in every entry, and the others are formatted separately. */
const shownApart = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err', 'req', 'res', 'reqId', 'responseTime'])

/**
 * Creates a log that writes to stderr, because stdout contains only the printed addresses. With `harmless`, writes readable lines sanitized
 * by that function; with null, writes JSON.
 */
export function createLog(level: string, harmless: ((text: string) => string) | null): Logger {
  if (harmless === null) return pino({ level }, pino.destination(2))
  return pino({ level }, { write: (line: string) => void process.stderr.write(`${harmless(readableLine(line))}\n`) })
}

/** Formats a log line for a terminal: local time, level, message, and the remaining members. */
export function readableLine(line: string): string {
  const entry = parseLine(line)
  if (entry === null) return line.trimEnd()
  const { level, time, msg, err, req, res, reqId, responseTime } = entry
  const at = typeof time === 'number' ? clockTime(new Date(time)) : ''
  const request = isRecord(req) ? [req['method'], req['url']].filter(Boolean).join(' ') : ''
  const status = isRecord(res) ? textOf(res['statusCode']) : ''
  const took = typeof responseTime === 'number' ? `${String(Math.round(responseTime))} ms` : ''
  const rest = Object.entries(entry)
    .filter(([name]) => !shownApart.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const words = [at, (levels[Number(level)] ?? String(level)).padEnd(5), msg, request, status, took, ...rest]
  const id = reqId === undefined ? '' : ` (${textOf(reqId)})`
  const trace = isRecord(err) ? `\n${textOf(err['stack'] ?? err['message'])}` : ''
  return `${words.filter((word) => word !== '' && word !== undefined).join(' ')}${id}${trace}`
}

const textOf = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

function clockTime(date: Date): string {
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
}

function parseLine(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
