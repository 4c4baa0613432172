import type { LocalRequest } from '../../../server/composition/local-worker.ts'
import type { CommandContext } from '../../program/command.ts'
import type { Paint } from '../../terminal/output.ts'

type Context = Pick<CommandContext, 'out'>

/** A log line of a worker that runs locally or on the server. */
export interface ShownLog {
  readonly time: number | string
  readonly level: string
  readonly message: string
}

/** Removes color codes from a worker's log line. The output escapes other control characters. */
function withoutColors(text: string): string {
  return text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '')
}

export function logText(line: ShownLog, paint: Paint, clock: (time: number | string) => string): string {
  const level = levelText(line.level, paint)
  return `${paint.dim(clock(line.time))} ${level} ${withoutColors(line.message)}`
}

export function showLog({ out }: Context, line: ShownLog): void {
  out.print(logText(line, out.paint, timeOfDay))
}

export function showRequest({ out }: Context, request: LocalRequest): void {
  const { paint } = out
  const status = request.status ?? request.outcome
  const colored = typeof status === 'number' && status < 400 ? paint.green(String(status)) : paint.red(String(status))
  const why = request.outcome === 'ok' || request.status === null ? '' : ` ${paint.red(request.outcome)}`
  const cpu = request.cpuMs === null ? '' : `, ${Math.round(request.cpuMs)} ms CPU`
  out.say(
    `${request.method} ${withoutColors(request.path)} ${colored}${why} ${paint.dim(`(${Math.round(request.wallMs)} ms${cpu})`)}`,
  )
}

/**
 * Prints the result of a scheduled run. If the worker threw an exception, the worker's log already contains it. An external reason (e.g.
 * the CPU limit) is not in the log and is printed.
 */
export function showRun(
  { out }: Context,
  cron: string,
  run: { readonly outcome: string; readonly wallMs: number; readonly error?: string },
): void {
  const { paint } = out
  const outcome = run.outcome === 'ok' ? paint.green('ok') : paint.red(run.outcome)
  const error = run.error === undefined || run.outcome === 'exception' ? '' : `\n${withoutColors(run.error)}`
  out.say(`scheduled "${cron}" ${outcome} ${paint.dim(`(${Math.round(run.wallMs)} ms)`)}${error}`)
}

function levelText(level: string, paint: Paint): string {
  const text = level.padEnd(5)
  if (level === 'error' || level === 'exception') return paint.red(text)
  if (level === 'warn') return paint.yellow(text)
  return level === 'system' ? paint.cyan(text) : paint.dim(text)
}

/** Returns the local time of day, because the worker runs on the user's machine. */
function timeOfDay(time: number | string): string {
  const date = new Date(time)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
}
