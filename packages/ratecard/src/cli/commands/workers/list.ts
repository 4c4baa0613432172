import type { Worker } from '@ratecard/client'
import type { Command, CommandContext } from '../../program/command.ts'
import { requireConsent } from '../../terminal/confirm.ts'
import { connect } from '../../server-address.ts'
import { showTime, formatTable } from '../../views/text/table.ts'
import { authorOf } from '../../author.ts'
import { kilobytesText } from './deploy.ts'
import { nameArgument, workerName } from './name.ts'
import { actorOptions } from '../plan-and-apply.ts'
import { jsonDeployments, jsonWorker } from '../../views/text/json.ts'

export const cloudWorkersList: Command = {
  name: 'cloud workers list',
  summary: 'List the deployed workers',
  examples: [{ command: 'ratecard cloud workers list --env production', what: 'state, version and schedules of each' }],
  run: async (context) => {
    const { io, out } = context
    const { client, url } = connect(context)
    const workers = await client.workers.list({ signal: io.signal })
    if (workers.length === 0) out.say(`No worker is deployed at ${url}.`)
    else out.print(listTable(context, workers))
    return { json: { workers: workers.map(jsonWorker) } }
  },
}

function listTable({ out }: CommandContext, workers: readonly Worker[]): string {
  const titles = ['name', 'state', 'version', 'deployed (UTC)', 'environment', 'next run (UTC)', 'url']
  const rows = workers.map((worker) => [
    worker.name,
    `${paintState(worker.state, out)}${worker.restarts > 0 ? ` (${worker.restarts} restarts)` : ''}`,
    worker.deployment.id,
    showTime(worker.deployment.createdAt),
    worker.deployment.environment ?? '–',
    nextRun(worker),
    worker.url,
  ])
  const ended = workers.flatMap(({ name, state, lastExit }) =>
    state === 'running' || lastExit === null ? [] : [`\n${name}: ${lastExit}`],
  )
  return `${formatTable(titles, rows, out)}${ended.join('')}`
}

function nextRun({ crons }: Worker): string {
  const first = crons.map(({ nextAt }) => nextAt).sort()[0]
  return first === undefined ? '–' : showTime(first)
}

function paintState(state: string, { paint }: CommandContext['out']): string {
  if (state === 'running') return paint.green(state)
  return state === 'restarting' || state === 'unavailable' ? paint.red(state) : state
}

export const cloudWorkersVersions: Command = {
  name: 'cloud workers versions',
  summary: 'List the versions of a worker, newest first',
  arguments: [nameArgument],
  options: [{ flags: '--limit <n>', description: 'How many.', range: [1, 100], defaultText: '10' }],
  examples: [{ command: 'ratecard cloud workers versions', what: 'who deployed what, and which one serves' }],
  run: async (context) => {
    const { args, options, io, out } = context
    const { deployments, pagination } = await connect(context).client.workers.deployments(
      workerName(context, args[0]),
      { limit: options.whole('limit') ?? 10, signal: io.signal },
    )
    const titles = ['', 'version', 'when (UTC)', 'environment', 'size', 'author', 'message']
    const rows = deployments.map((deployment) => [
      deployment.active ? out.paint.green('serves') : '',
      deployment.id,
      showTime(deployment.createdAt),
      deployment.environment ?? '–',
      kilobytesText(deployment.sizeBytes),
      deployment.author ?? '–',
      deployment.message ?? '',
    ])
    out.print(formatTable(titles, rows, out))
    return { json: jsonDeployments({ deployments, pagination }) }
  },
}

export const cloudWorkersRollback: Command = {
  name: 'cloud workers rollback',
  summary: 'Deploy an earlier version of a worker again',
  description: 'Code, variables and schedules of that version change together, as in a deployment, once it runs.',
  arguments: [{ name: '[version]', description: 'Id of a version. Default: the version before the current one.' }],
  options: [
    { flags: '--worker <name>', description: 'Name of the worker, if the project has several.' },
    ...actorOptions,
  ],
  examples: [
    { command: 'ratecard cloud workers rollback', what: 'to the previous version' },
    {
      command: 'ratecard cloud workers rollback <version> --worker hooks',
      what: 'to a version from the list of `versions`',
    },
  ],
  run: async (context) => {
    const { args, options, io, out } = context
    const actor = { author: await authorOf(context), message: options.text('message'), signal: io.signal }
    const name = workerName(context, options.text('worker'), '--worker')
    const worker = await connect(context).client.workers.rollback(name, args[0] ?? null, actor)
    out.say(`${out.paint.green('✓')} ${out.paint.bold(worker.name)} serves version ${worker.deployment.id} again.`)
    out.say(`  schedules: ${worker.crons.map(({ cron }) => cron).join(' · ') || 'none'}`)
    return { json: jsonWorker(worker) }
  },
}

export const cloudWorkersDelete: Command = {
  name: 'cloud workers delete',
  summary: 'Delete a worker with its versions, schedules and logs',
  arguments: [{ name: '<name>', description: 'Name of the worker.' }],
  examples: [
    { command: 'ratecard cloud workers delete hooks', what: 'asks first' },
    { command: 'ratecard cloud workers delete hooks --yes --env dev', what: 'from a script' },
  ],
  run: async (context) => {
    const { args, io, out } = context
    const name = args[0] ?? ''
    const { client, url } = connect(context)
    await client.workers.find(name, { signal: io.signal })
    await requireConsent(context, {
      question: `Delete the worker "${name}" at ${url}, with all its versions and logs?`,
      title: 'Deleting a worker needs to be confirmed',
      detail: `The worker "${name}" serves requests.`,
      hint: `To confirm: \`ratecard cloud workers delete ${name} --yes\`.`,
    })
    await client.workers.remove(name, { signal: io.signal })
    out.say(`${out.paint.green('✓')} The worker "${name}" is deleted.`)
    return { json: { name, deleted: true } }
  },
}
