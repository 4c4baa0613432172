import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Command, CommandContext, OptionSpec } from '../../program/command.ts'
import { CliFailure, usageFailure } from '../../failure.ts'
import { serverUrl, serviceKeyFiles } from '../../server-address.ts'
import { findProject } from '../../files/project.ts'
import { isMoment } from '../../../document/schema/moment.ts'

const sandboxOptions: readonly OptionSpec[] = [
  {
    flags: '--url <url>',
    description: 'URL of the sandbox.',
    defaultText: 'RATECARD_SANDBOX_PORT, else that of the service on this machine, else http://127.0.0.1:4243',
  },
  {
    flags: '--key <key>',
    description: 'Test key of the sandbox account.',
    defaultText: 'that of the service on this machine',
  },
]

export const sandboxClockAdvance: Command = {
  name: 'sandbox clock advance',
  summary: 'Move a sandbox account’s clock forward',
  description:
    'Everything that becomes due on the way happens at its own time: trials end, subscriptions renew, invoices are paid, webhooks are delivered. The invoice of a renewal is a draft for an hour, as at Stripe, so go an hour further to see it paid. A service that runs this sandbox goes along: by this clock its deals end, its allowances begin anew, its credits and grants expire, and its days of revenue are written. Keys, sessions, logs and cron stay on real time. The clock cannot be moved back.',
  arguments: [
    {
      name: '<time>',
      description: 'Duration (`45m`, `12h`, `30d`, `2w`, `1mo`, `1y`), or the new time (`2027-01-31T00:00:00Z`).',
    },
  ],
  options: sandboxOptions,
  examples: [
    { command: 'ratecard sandbox clock advance 1mo', what: 'the same day next month, or its last day' },
    { command: 'ratecard sandbox clock advance 2027-03-01T09:00:00Z', what: 'advance to this time' },
  ],
  run: async (context) => {
    const sandbox = sandboxClockOf(context)
    const to = targetTime(context.args[0] ?? '', await sandbox.now())
    const now = await sandbox.moveTo(to)
    // Without --key it is the account of a service on this machine.
    const where = context.options.text('key') === undefined ? 'in the sandbox and its service' : 'in the sandbox'
    context.out.say(`${context.out.paint.green('✓')} It is now ${now} ${where}.`)
    return { json: { now } }
  },
}

export const sandboxClockShow: Command = {
  name: 'sandbox clock show',
  summary: 'Show the time of a sandbox account’s clock',
  description: 'It is also the billing time of the service that runs this sandbox.',
  options: sandboxOptions,
  examples: [{ command: 'ratecard sandbox clock show', what: 'in UTC' }],
  run: async (context) => {
    const now = new Date(await sandboxClockOf(context).now()).toISOString()
    context.out.print(now)
    return { json: { now } }
  },
}

interface SandboxClock {
  /** Returns the time of the test clock in epoch milliseconds. */
  now(): Promise<number>
  moveTo(moment: number): Promise<string>
}

function sandboxClockOf(context: CommandContext): SandboxClock {
  const { options, io } = context
  const ownPort = io.env['RATECARD_SANDBOX_PORT']
  const known = ofServerHere(context)
  const url =
    options.text('url') ??
    (ownPort === undefined ? undefined : `http://127.0.0.1:${ownPort}`) ??
    known?.url ??
    defaultUrl
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw usageFailure(`"${url}" is not the address of a sandbox.`, 'Write it like http://127.0.0.1:4243.')
  const key = options.text('key') ?? (known?.url === url ? known.key : null) ?? localSandboxKey(context)
  if (key === null)
    throw usageFailure(
      'The sandbox account is not known. Each account has its own clock.',
      'Start the service of the account on this machine, run the command in its project, or give the test key of the account with --key.',
    )
  const ask = (body?: object) => askClock({ url: new URL('/_sandbox/clock', parsed), key, signal: io.signal, body })
  return {
    now: async () => timeOf(await ask()),
    moveTo: async (moment) => new Date(timeOf(await ask({ to: new Date(moment).toISOString() }))).toISOString(),
  }
}

const defaultUrl = 'http://127.0.0.1:4243'

/**
 * Returns URL and key of the local service's sandbox. The service writes them to a file in a folder named after its port. Returns null if
 * there is no such file.
 */
function ofServerHere(context: CommandContext): { readonly url: string; readonly key: string } | null {
  const { port } = new URL(serverUrl(context))
  const file = path.join(context.io.home, '.ratecard', 'servers', port === '' ? '80' : port, 'sandbox.json')
  if (!existsSync(file)) return null
  const { url, key } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  return typeof url === 'string' && typeof key === 'string' ? { url, key } : null
}

/** Returns the key of the embedded sandbox account from the service's data folder; null if there is none. */
function localSandboxKey({ io }: CommandContext): string | null {
  const project = findProject(io.cwd)
  const folders = serviceKeyFiles({ env: io.env, home: io.home, cwd: io.cwd, project, port: '' }).map((file) =>
    path.join(path.dirname(file), 'sandbox-key'),
  )
  const file = folders.find((name) => existsSync(name))
  return file === undefined ? null : readFileSync(file, 'utf8').trim()
}

interface Question {
  readonly url: URL
  readonly key: string
  readonly signal: AbortSignal
  readonly body: object | undefined
}

async function askClock({ url, key, signal, body }: Question): Promise<Record<string, unknown>> {
  const authorization = `Basic ${Buffer.from(`${key}:`).toString('base64')}`
  const init: RequestInit = { headers: { authorization }, signal }
  if (body !== undefined) Object.assign(init, { method: 'POST', body: JSON.stringify(body) })
  let response: Response
  try {
    response = await fetch(url, init)
  } catch (cause) {
    throw new CliFailure(70, {
      code: 'server_unreachable',
      title: 'The sandbox could not be reached',
      detail: `No sandbox answers at ${url.origin} (${cause instanceof Error ? cause.message : String(cause)}).`,
      hint: 'Start it with `ratecard sandbox` or `ratecard server start`, or pass its address with --url.',
    })
  }
  const answer: unknown = await response.json().catch(() => null)
  if (response.ok && typeof answer === 'object' && answer !== null) return answer as Record<string, unknown>
  throw new CliFailure(1, {
    code: 'sandbox_refused',
    title: 'The sandbox refused the request',
    detail: messageOf(answer) ?? `${url.origin} answered ${String(response.status)}; is it a sandbox?`,
    hint: '`ratecard sandbox clock show` shows its present time.',
  })
}

function messageOf(answer: unknown): string | null {
  if (typeof answer !== 'object' || answer === null || !('error' in answer)) return null
  const { error } = answer
  if (typeof error === 'string') return error
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : null
}

function timeOf(answer: Record<string, unknown>): number {
  const { now } = answer
  if (typeof now === 'number' && Number.isFinite(now)) return now * 1000
  throw new CliFailure(70, {
    code: 'answer_invalid',
    title: 'The response has no time',
    detail: 'The response of the sandbox does not contain its time.',
  })
}

const fixedUnits: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

function targetTime(text: string, now: number): number {
  const [, count, unit] = /^(\d{1,6})(s|m|h|d|w|mo|y)$/.exec(text) ?? []
  if (count !== undefined && unit !== undefined) {
    const seconds = fixedUnits[unit]
    if (seconds !== undefined) return now + Number(count) * seconds * 1000
    return addMonths(now, Number(count) * (unit === 'y' ? 12 : 1))
  }
  const moment = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text
  if (isMoment(moment)) return Date.parse(moment)
  throw usageFailure(
    `"${text}" is not a valid time.`,
    'Write `30d`, `1mo`, a day that exists like 2027-01-31, or a time with its zone like 2027-01-31T00:00:00Z.',
  )
}

/** Adds months to a time. If the month has no such day, returns its last day (e.g. 31 January → 28 February). */
function addMonths(from: number, months: number): number {
  const date = new Date(from)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, last))
  return date.getTime()
}
