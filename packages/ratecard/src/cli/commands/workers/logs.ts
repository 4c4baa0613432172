import type { LogQuery, WorkerLogLine } from '@ratecard/client'
import type { Command, CommandContext, CommandResult } from '../../program/command.ts'
import { usageFailure } from '../../failure.ts'
import { connect } from '../../server-address.ts'
import { showTime } from '../../views/text/table.ts'
import { nameArgument, workerName } from './name.ts'
import { logText } from './terminal.ts'
import { jsonLogLine } from '../../views/text/json.ts'

const levels = ['debug', 'log', 'info', 'warn', 'error', 'exception', 'system'] as const
const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

export const cloudWorkersLogs: Command = {
  name: 'cloud workers logs',
  summary: 'Show the log of a worker',
  description:
    'Shows console output, exceptions with stack traces in your files, requests, and actions of the host, oldest first. With --follow, new lines of all replicas are shown as they arrive. With --follow and --json, one JSON document is printed per line.',
  arguments: [nameArgument],
  options: [
    { flags: '--follow', description: 'Show new lines until the command is stopped.' },
    { flags: '--limit <n>', description: 'Number of lines, newest ones.', range: [1, 1_000], defaultText: '100' },
    { flags: '--level <level>', description: 'Only lines of this level.', choices: levels },
    {
      flags: '--since <time>',
      description:
        'Only lines since this time: a duration before now (30s, 10m, 2h, 1d) or a time such as 2026-11-21T08:00:00Z.',
    },
    { flags: '--run <id>', description: 'Only lines of this scheduled run.' },
    { flags: '--request <id>', description: 'Only lines of this request (X-Request-Id).' },
  ],
  examples: [
    { command: 'ratecard cloud workers logs --follow', what: 'live' },
    {
      command: 'ratecard cloud workers logs hooks --level exception --since 1d',
      what: 'what went wrong since yesterday',
    },
  ],
  run: async (context) => {
    const { args, options, io, out } = context
    const name = workerName(context, args[0])
    const query: LogQuery = {
      level: options.text('level'),
      since: sinceOf(options.text('since')),
      runId: options.text('run'),
      requestId: options.text('request'),
      limit: options.whole('limit') ?? 100,
      signal: io.signal,
    }
    if (options.flag('follow')) return followLogs(context, name, query)
    const logs = await connect(context).client.workers.logs(name, query)
    if (logs.length === 0) out.say('Nothing was logged.')
    for (const line of logs) out.print(lineText(context, line))
    return { json: { logs: logs.map(jsonLogLine) } }
  },
}

async function followLogs(context: CommandContext, name: string, query: LogQuery): Promise<CommandResult> {
  const { io, global, out } = context
  try {
    for await (const line of connect(context).client.workers.followLogs(name, query)) {
      if (global.json) io.stdout.write(`${JSON.stringify(jsonLogLine(line))}\n`)
      else out.print(lineText(context, line))
    }
    out.note('The server ended the stream.')
  } catch (error) {
    // Ctrl-C is the normal way to end `--follow`, so it is no failure.
    if (!io.signal.aborted) throw error
  }
  return {}
}

function lineText({ out }: CommandContext, line: WorkerLogLine): string {
  return logText(line, out.paint, (time) => showTime(String(time)))
}

function sinceOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const [, amount, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  if (amount !== undefined && (unit === 's' || unit === 'm' || unit === 'h' || unit === 'd'))
    return new Date(Date.now() - Number(amount) * units[unit])
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return new Date(time)
  throw usageFailure(`"${text}" is not a time.`, 'Write 30s, 10m, 2h or 1d, or a time such as 2026-11-21T08:00:00Z.')
}
