import type { JobReport } from '@ratecard/client'
import type { ArgumentSpec, Command, CommandContext, CommandResult } from '../../program/command.ts'
import { followJob, requireDone } from '../../follow/follow-job.ts'
import {
  outcomeOf,
  printOutcome,
  printScheduled,
  printTakenBack,
  printUnmoved,
  printWaiting,
} from '../../follow/job-outcome.ts'
import { sentencesOf, waysBack } from '../../follow/job-sentences.ts'
import { authorOf } from '../../author.ts'
import { actorOptions } from '../plan-and-apply.ts'
import { connect } from '../../server-address.ts'
import { jobWords } from '../../../base/wording/job-words.ts'
import { printTable, showTime } from '../../views/text/table.ts'
import { jsonCancelledJob, jsonJobReport, jsonJobs } from '../../views/text/json.ts'
import { formatAuthor } from '../../views/plan/who.ts'

const jobArgument: ArgumentSpec = { name: '<id>', description: 'Id of the job.' }

export const jobsList: Command = {
  name: 'jobs list',
  summary: 'List jobs that move subscriptions',
  options: [
    { flags: '--limit <n>', description: 'Number of items to show, newest first.', range: [1, 100], defaultText: '10' },
  ],
  examples: [{ command: 'ratecard jobs list', what: 'running and ended jobs' }],
  run: async (context) => {
    const { options, io, out } = context
    const list = await connect(context).client.jobs.list({ limit: options.whole('limit') ?? 10, signal: io.signal })
    const columns = ['id', 'what', 'about', 'state', 'steps', 'when (UTC)', 'author']
    const rows = list.jobs.map((job) => [
      job.id,
      jobWords[job.kind],
      job.subject,
      job.state,
      `${String(job.stepsDone)}/${String(job.stepsTotal)}`,
      showTime(job.createdAt),
      formatAuthor(job),
    ])
    printTable(out, columns, rows, 'No jobs yet.')
    return { json: jsonJobs(list) }
  },
}

export const jobsShow: Command = {
  name: 'jobs show',
  summary: 'Show what a job did, to which tenants, and how to undo it',
  description: 'With --json, the steps are printed as the journal stores them.',
  arguments: [jobArgument],
  examples: [{ command: 'ratecard jobs show <id>', what: 'show the steps, and how to undo the job' }],
  run: async (context) => {
    const { args, io } = context
    const job = await connect(context).client.jobs.find(args[0] ?? '', { signal: io.signal })
    return show(context, job)
  },
}

export const jobsResume: Command = {
  name: 'jobs resume',
  summary: 'Continue a job that stopped before it was complete',
  arguments: [jobArgument],
  examples: [{ command: 'ratecard jobs resume <id>', what: 'completed steps are not repeated' }],
  run: async (context) => {
    const { args, io, out } = context
    const { client } = connect(context)
    const job = await client.jobs.resume(args[0] ?? '', { signal: io.signal })
    const report = await followJob(client, job.id, out, io.signal)
    requireDone(report)
    printOutcome(report, out)
    return { json: jsonJobReport(report) }
  },
}

export const jobsCancel: Command = {
  name: 'jobs cancel',
  summary: 'Stop a running job after its current step, or cancel a job that waits for a date',
  description:
    'Completed steps are kept; the remaining ones are not done. Moves that a migration has scheduled stay scheduled, unless --take-back is given.',
  arguments: [jobArgument],
  options: [
    {
      flags: '--take-back',
      description:
        'Take back the moves that a migration has scheduled: the subscriptions keep the prices that they have. Also for a job that has ended.',
    },
    ...actorOptions,
  ],
  examples: [
    { command: 'ratecard jobs cancel <id>', what: 'the running step is completed' },
    { command: 'ratecard jobs cancel <id> --take-back', what: 'nobody moves at the renewal' },
  ],
  run: async (context) => {
    const { args, io, out, options } = context
    const takeBack = options.flag('takeBack')
    const { client } = connect(context)
    const acting = { author: await authorOf(context), message: options.text('message'), signal: io.signal }
    const job = await client.jobs.cancel(args[0] ?? '', { takeBack, ...acting })
    const stopped =
      job.state === 'cancelled'
        ? 'is cancelled'
        : job.state === 'running'
          ? 'stops after the step that runs now'
          : `is ${job.state}`
    out.say(`${out.paint.green('✓')} Job ${job.id} ${stopped}.`)
    if (job.takeBackJobId !== null) {
      const report = await followJob(client, job.takeBackJobId, out, io.signal)
      requireDone(report)
      printTakenBack(report, out)
    } else if (takeBack && job.scheduledMoves.length === 0) out.say('No move was scheduled.')
    printScheduled(job, out)
    return { json: jsonCancelledJob(job) }
  },
}

function show({ out }: CommandContext, job: JobReport): CommandResult {
  const { moved, stayed } = outcomeOf(job)
  const scheduled = job.scheduledMoves.length
  const steps = `${String(job.stepsDone)}/${String(job.stepsTotal)} steps`
  out.say(
    `${job.subject}, ${jobWords[job.kind]}: ${job.state}, ${steps}, ${String(moved - scheduled)} moved, ${scheduled === 0 ? '' : `${String(scheduled)} scheduled, `}${String(stayed.length)} skipped`,
  )
  const by = job.author === null ? '' : ` by ${job.author}`
  out.say(`Begun ${showTime(job.createdAt)} UTC${by}${job.message === null ? '' : `: ${job.message}`}.\n`)
  for (const sentence of sentencesOf(job)) out.print(`  ${sentence}`)
  printUnmoved(job, out)
  printWaiting(job, out)
  printScheduled(job, out)
  for (const sentence of waysBack(job)) out.say(`\n${sentence}`)
  return { json: jsonJobReport(job) }
}
