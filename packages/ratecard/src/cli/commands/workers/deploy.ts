import { systemClock, toRfc3339 } from '../../../base/clock.ts'
import { describeCron } from '../../../workers/cron/describe.ts'
import { nextFire } from '../../../workers/cron/next-fire.ts'
import type { NewDeployment, Worker } from '@ratecard/client'
import { checkTypes } from '../../../workers/project/type-check.ts'
import { CliFailure } from '../../failure.ts'
import { authorOf } from '../../author.ts'
import type { Command, CommandContext } from '../../program/command.ts'
import { connect, requireAddress, requireServerOf, type ServerConnection } from '../../server-address.ts'
import { showIssues } from '../../views/issues.ts'
import { showTime } from '../../views/text/table.ts'
import { deployAllToCloudflare } from './cloudflare.ts'
import { failOnErrors, requireWorkers, variableNames, viewIssues, type BundledWorker } from './project.ts'
import { actorOptions } from '../plan-and-apply.ts'
import { jsonIssue } from '../../views/json-problem.ts'
import { jsonWorker } from '../../views/text/json.ts'

export const cloudWorkersDeploy: Command = {
  name: 'cloud workers deploy',
  summary: 'Bundle and deploy workers',
  description:
    'Before anything is sent, checks manifest, schedules and variables, and bundles all workers. If the project has TypeScript, it also checks the types of the workers. Once the new version has started, its code, schedules and variables take effect together. If it does not start, the old version keeps serving. With --target cloudflare, the workers are deployed to a Cloudflare account (CLOUDFLARE_ACCOUNT_ID, CLOUDFLARE_API_TOKEN).',
  arguments: [{ name: '[names...]', description: 'Names of the workers. Default: all of the project.' }],
  options: [
    { flags: '--dry-run', description: 'Check and bundle, show what would be sent, and stop.' },
    {
      flags: '--target <target>',
      description: 'Target: the Ratecard server, or a Cloudflare account.',
      choices: ['server', 'cloudflare'],
      defaultText: 'server',
    },
    { flags: '--strict', description: 'Refuse to deploy workers with type errors. Default: they are warnings.' },
    ...actorOptions,
  ],
  examples: [
    { command: 'ratecard cloud workers deploy', what: 'to the server of .env.dev, with its variables' },
    { command: 'ratecard cloud workers deploy --env production --message "Fix hooks"', what: 'into service' },
    {
      command: 'ratecard cloud workers deploy --target cloudflare --dry-run',
      what: 'show the requests, with secrets masked',
    },
  ],
  run: async (context) => {
    const { args, options, out } = context
    if (options.text('target') !== 'cloudflare' && !options.flag('dryRun')) requireAddress(context)
    const read = await requireWorkers(context, args)
    const types = await checkedTypes(context, read.workers)
    const warnings = viewIssues(context, [...read.issues, ...types])
    if (warnings.length > 0) out.note(`${showIssues(warnings, out.paint)}\n`)
    if (read.environment.text === null)
      out.note(`There is no .env.${read.environment.name}: workers get [vars] only.\n`)
    const { workers, environment } = read
    const json = await (options.text('target') === 'cloudflare'
      ? deployAllToCloudflare(context, workers, environment)
      : options.flag('dryRun')
        ? showDryRun(context, workers, environment.name)
        : deployAll(context, workers, environment.name))
    return { json: { ...json, warnings: warnings.map(jsonIssue) } }
  },
}

/** Returns the type errors of the workers as warnings. With `--strict`, throws if there are type errors, or if nothing could be checked. */
async function checkedTypes({ options, io }: CommandContext, workers: readonly BundledWorker[]) {
  const { version, issues } = await checkTypes(workers)
  if (!options.flag('strict')) return issues
  if (version === null && workers.some(({ manifest }) => /\.[cm]?tsx?$/.test(manifest.main)))
    throw new CliFailure(1, {
      code: 'worker_invalid',
      title: 'The types of the workers cannot be checked',
      detail: 'The project has no package `typescript` with an API. Nothing was sent.',
      hint: 'Run `npm install --save-dev typescript`, or leave out --strict.',
    })
  failOnErrors(
    { io },
    issues.map((issue) => ({ ...issue, severity: 'error' })),
  )
  return issues
}

async function deployAll(context: CommandContext, workers: readonly BundledWorker[], environment: string) {
  const { out } = context
  const connection = connect(context)
  await requireServerOf(
    context,
    connection.client,
    [...new Set(workers.flatMap(({ variables }) => [...variables.keys()]))].sort(),
  )
  out.say(`Deploying to ${connection.url} (${environment})\n`)
  warnOfPlainHttp(context, connection)
  const actor = { author: await authorOf(context), message: context.options.text('message') }
  const deployed: Worker[] = []
  try {
    for (const worker of workers) {
      const { name } = worker.manifest
      out.progress(`${name}: starting beside the running version`)
      const call = { ...actor, signal: context.io.signal }
      const answer = await connection.client.workers.deploy(name, deploymentOf(worker, environment), call)
      deployed.push(answer)
      showDeployed(context, answer, worker)
    }
  } finally {
    out.endProgress()
    const left = workers.slice(deployed.length).map(({ manifest }) => manifest.name)
    if (left.length > 0 && deployed.length > 0)
      out.note(`Deployed: ${deployed.map(({ name }) => name).join(', ')}. Not deployed: ${left.join(', ')}.\n`)
  }
  return { workers: deployed.map(jsonWorker) }
}

export function deploymentOf({ manifest, bundle, variables }: BundledWorker, environment: string): NewDeployment {
  return {
    main: mainModule,
    modules: [
      { name: mainModule, type: 'esm', content: bundle.code },
      ...bundle.modules.map(({ name, type, content }) => ({
        name,
        type,
        content: typeof content === 'string' ? content : Buffer.from(content).toString('base64'),
      })),
    ],
    sourceMap: bundle.sourceMap,
    compatibilityDate: manifest.compatibilityDate,
    compatibilityFlags: manifest.compatibilityFlags,
    vars: Object.fromEntries(Object.entries(manifest.vars).filter(([name]) => !variables.has(name))),
    secrets: Object.fromEntries(variables),
    crons: manifest.crons.map(({ expression }) => expression),
    cpuMs: manifest.limits.cpuMs,
    hosts: manifest.hosts,
    serviceKey: manifest.serviceKey,
    passCredentials: manifest.passCredentials,
    environment,
  }
}

const mainModule = 'worker.js'

function warnOfPlainHttp({ out }: CommandContext, { url }: ServerConnection): void {
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)) return
  out.note(`${out.paint.yellow('warning')} ${url} is plain HTTP: the variables travel unencrypted.\n`)
}

function showDeployed({ out }: CommandContext, worker: Worker, source: BundledWorker): void {
  const { paint } = out
  const { deployment } = worker
  out.say(
    `${paint.green('✓')} ${paint.bold(worker.name)}  version ${deployment.id}  ${kilobytesText(deployment.sizeBytes)}`,
  )
  out.say(`  ${paint.cyan(worker.url)}`)
  for (const host of worker.hosts) out.say(`  ${paint.cyan(`https://${host}`)}`)
  const words = new Map(source.manifest.crons.map((schedule) => [schedule.expression, describeCron(schedule)]))
  const crons = worker.crons.map(({ cron, nextAt }) => cronLine(cron, words.get(cron), nextAt))
  out.say(`  schedules: ${crons.length === 0 ? 'none' : ''}`.trimEnd())
  for (const line of crons) out.say(`    ${line}`)
  out.say(`  variables: ${deployment.variables.join(', ') || 'none'}\n`)
}

function showDryRun(context: CommandContext, workers: readonly BundledWorker[], environment: string) {
  const { out } = context
  const now = systemClock.now()
  const shown = workers.map((worker) => ({
    name: worker.manifest.name,
    environment,
    compatibility_date: worker.manifest.compatibilityDate,
    compatibility_flags: worker.manifest.compatibilityFlags,
    size_bytes: worker.bundle.bytes,
    modules: worker.bundle.modules.map(({ name }) => name),
    variables: variableNames(worker),
    hosts: worker.manifest.hosts,
    service_key: worker.manifest.serviceKey,
    pass_credentials: worker.manifest.passCredentials,
    cpu_ms: worker.manifest.limits.cpuMs,
    crons: worker.manifest.crons.map((schedule) => {
      const next = nextFire(schedule, now)
      return { cron: schedule.expression, next_at: next === null ? null : toRfc3339(next) }
    }),
  }))
  for (const [index, worker] of shown.entries()) {
    out.say(`${out.paint.bold(worker.name)}  ${kilobytesText(worker.size_bytes)}  (${environment}; nothing is sent)`)
    const words = workers[index]?.manifest.crons.map(describeCron) ?? []
    out.say(`  schedules: ${worker.crons.length === 0 ? 'none' : ''}`.trimEnd())
    worker.crons.forEach(({ cron, next_at: next }, at) => out.say(`    ${cronLine(cron, words[at], next)}`))
    out.say(`  variables: ${worker.variables.join(', ') || 'none'}\n`)
  }
  return { dry_run: true, workers: shown }
}

function cronLine(cron: string, words: string | undefined, next: string | null): string {
  const meaning = words === undefined ? '' : `  ${words},`
  return `${cron}${meaning} next ${next === null ? 'never' : `${showTime(next)} UTC`}`
}

export function kilobytesText(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} kB`
}
