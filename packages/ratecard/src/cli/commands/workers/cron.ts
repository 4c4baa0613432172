import type { CronRun } from '@ratecard/client'
import { parseCron } from '../../../workers/cron/parse.ts'
import type { Command, CommandContext, OptionSpec } from '../../program/command.ts'
import { CliFailure } from '../../failure.ts'
import { connect } from '../../server-address.ts'
import { printTable, showTime } from '../../views/text/table.ts'
import { nameArgument, workerName } from './name.ts'
import { jsonRun, jsonRuns } from '../../views/text/json.ts'

const cronOption = (description: string): OptionSpec => ({ flags: '--cron <expression>', description })

export const cloudWorkersCronRuns: Command = {
  name: 'cloud workers cron runs',
  summary: 'List scheduled runs, newest first',
  description:
    'Lists every scheduled time, even if the run was missed, or was skipped because the previous run was still in progress.',
  arguments: [nameArgument],
  options: [
    cronOption('Only runs of this schedule.'),
    { flags: '--limit <n>', description: 'How many.', range: [1, 100], defaultText: '20' },
  ],
  examples: [{ command: 'ratecard cloud workers cron runs', what: 'time, duration and outcome of each run' }],
  run: async (context) => {
    const { args, options, io, out } = context
    const { runs, pagination } = await connect(context).client.workers.cronRuns(workerName(context, args[0]), {
      limit: options.whole('limit') ?? 20,
      cron: cronOf(options.text('cron')),
      signal: io.signal,
    })
    const columns = ['run', 'cron', 'tick (UTC)', 'started (UTC)', 'took', 'outcome', 'error']
    const rows = runs.map((run) => [
      run.id,
      run.cron,
      showTime(run.scheduledTime),
      showTime(run.startedAt),
      durationText(run),
      paintOutcome(run.outcome, out),
      firstLine(run.error),
    ])
    printTable(out, columns, rows, 'Nothing has run yet.')
    return { json: jsonRuns({ runs, pagination }) }
  },
}

export const cloudWorkersCronTrigger: Command = {
  name: 'cloud workers cron trigger',
  summary: 'Run the scheduled handler of a worker once, now',
  description: 'Waits for the end of the run, including waitUntil. Exits with 1 if the run fails.',
  arguments: [nameArgument],
  options: [cronOption('Cron expression that the handler receives. Default: the worker’s first schedule.')],
  examples: [
    { command: 'ratecard cloud workers cron trigger', what: 'run the first schedule' },
    { command: 'ratecard cloud workers cron trigger hooks --cron "0 6 * * 1"', what: 'run a specific schedule' },
  ],
  run: async (context) => {
    const { args, options, io, out } = context
    const name = workerName(context, args[0])
    const cron = cronOf(options.text('cron')) ?? null
    out.progress(`${name}: running`)
    const run = await connect(context)
      .client.workers.triggerCron(name, cron, { signal: io.signal })
      .finally(() => out.endProgress())
    out.say(
      `Run ${run.id} of "${run.cron}": ${paintOutcome(run.outcome, out)} ${out.paint.dim(`(${durationText(run)})`)}`,
    )
    if (run.error !== undefined) out.note(run.error)
    if (run.outcome !== 'ok') out.say(`  Its log: \`ratecard cloud workers logs ${name} --run ${run.id}\``)
    return { exit: run.outcome === 'ok' ? 0 : 1, json: jsonRun(run) }
  },
}

/**
 * Returns the cron expression in the option. It is validated here and not only by the server, because the local parser's message is more
 * precise.
 */
function cronOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const { schedule, issue } = parseCron(text)
  if (issue === undefined) return schedule.expression
  const title = 'The cron expression is invalid'
  throw new CliFailure(1, { code: 'cron_invalid', title, detail: issue.detail, hint: issue.hint })
}

function durationText({ startedAt, finishedAt }: CronRun): string {
  if (startedAt === null || finishedAt === null) return '–'
  const ms = Date.parse(finishedAt) - Date.parse(startedAt)
  return ms < 10_000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`
}

function firstLine(error: string | undefined): string {
  return (error ?? '').split('\n')[0]!.slice(0, 60)
}

function paintOutcome(outcome: string, { paint }: CommandContext['out']): string {
  if (outcome === 'ok') return paint.green(outcome)
  return outcome === 'skipped' || outcome === 'running' ? paint.yellow(outcome) : paint.red(outcome)
}
