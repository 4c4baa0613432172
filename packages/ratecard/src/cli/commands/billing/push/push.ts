import { escapeBreaks } from '../../../terminal/terminal-text.ts'
import path from 'node:path'
import type { PushOutcome } from '@ratecard/client'
import { systemClock, toRfc3339 } from '../../../../base/clock.ts'
import { authorOf } from '../../../author.ts'
import type { Command, CommandContext, CommandResult } from '../../../program/command.ts'
import { toFailure, usageFailure } from '../../../failure.ts'
import { redactPlan } from '../../../terminal/conceal.ts'
import { namesFromFile, readConfig, requireConfig, type ReadConfig } from '../../../files/read-config.ts'
import { createPushQueue, type PushQueue } from '../../../follow/push-queue.ts'
import { readPlan, writePlan, type SavedPlan } from '../../../files/saved-plan.ts'
import { connect, requireAddress, requireServerOf, type ServerConnection } from '../../../server-address.ts'
import { reportedChanges } from '../../../../base/wording/change-words.ts'
import { showChanges } from '../../../views/plan/changes.ts'
import { jsonOutcome, jsonVariables } from '../../../views/text/json.ts'
import { formatOption, withMarkdownOutput, wantsMarkdown } from '../format.ts'
import { applySavedPlan } from './push-saved-plan.ts'
import {
  actorOptions,
  approvalOption,
  confirmPlan,
  fileOption,
  filesArgument,
  hasChanges,
  impactOptions,
  overrideOf,
  overrideOption,
  overriding,
  planSources,
  pushAndFollow,
  showPlanOf,
  showWarnings,
  withPlaces,
} from '../../plan-and-apply.ts'

export const billingPush: Command = {
  name: 'billing push',
  summary: 'Apply the configuration to the processor',
  description:
    'Validates all files, shows the plan, then creates, updates and archives. On a terminal it asks before it archives or replaces anything. Without a terminal, a plan that archives all products of the current version needs --yes or --plan; with --require-approval, so does every plan that archives or replaces anything. Pushing the same content again is "unchanged" and writes nothing.\n\nA plan can be saved with --plan-out and applied later with --plan, also by another person: exactly that plan is applied, or nothing if anything changed since.',
  arguments: [filesArgument],
  options: [
    fileOption,
    { flags: '--dry-run', description: 'Show the plan and stop; nothing is written anywhere.' },
    { flags: '--exit-code', description: 'With --dry-run or --plan-out: exit 3 when there are changes.' },
    formatOption,
    { flags: '--plan-out <file>', description: 'Show the plan, save it to this file, and stop.' },
    {
      flags: '--plan <file>',
      description: 'Apply exactly this saved plan. It must have been made for the same server.',
    },
    approvalOption,
    {
      flags: '--wait <time>',
      description: 'If another push is running, wait for it at most this long, e.g. `10m`.',
      defaultText: '0s',
    },
    ...impactOptions,
    overrideOption,
    ...actorOptions,
  ],
  examples: [
    { command: 'ratecard billing push', what: 'show the plan, ask for confirmation, and push' },
    { command: 'ratecard billing push --env production --message "Spring prices"', what: 'from a script' },
    { command: 'ratecard billing push --dry-run --exit-code', what: 'in CI: exit code 3 if something would change' },
    { command: 'ratecard billing push --env production --plan-out plan.json', what: 'save a plan for review' },
    { command: 'ratecard billing push --plan plan.json', what: 'apply exactly that plan' },
    { command: 'ratecard billing push --dry-run --format markdown', what: 'for a pull request' },
  ],
  run: async (given) => {
    checkOptions(given)
    const context = withMarkdownOutput(given)
    const saved = context.options.text('plan')
    if (saved !== undefined) {
      const outcome = await applySavedPlan(context, readPlan(path.resolve(context.io.cwd, saved)))
      if (outcome.status !== 'planned') showOutcome(context, outcome)
      return { exit: exitOf(context, outcome), json: jsonOutcome(outcome) }
    }
    requireAddress(context)
    const read = readConfig(context)
    const config = requireConfig(read)
    showWarnings(context, read.warnings)
    const connection = connect(context)
    await requireServerOf(context, connection.client, namesFromFile(read.variables))
    const queue = createPushQueue(context, connection.client)
    const asFailure = (error: unknown) => toFailure(error, { apiUrl: connection.url })
    return withPlaces(
      read,
      () => planWhenFree(context, queue, () => plan(context, connection, config, read)),
      asFailure,
    ).finally(() => context.out.endProgress())
  },
}

function checkOptions({ options, args }: CommandContext): void {
  const planned = options.flag('dryRun') || options.text('planOut') !== undefined
  if (options.flag('exitCode') && !planned)
    throw usageFailure('--exit-code needs --dry-run.', 'Write `ratecard billing push --dry-run --exit-code`.')
  if (wantsMarkdown({ options }) && !planned)
    throw usageFailure(
      '--format markdown needs --dry-run.',
      'Write `ratecard billing push --dry-run --format markdown`.',
    )
  if (options.text('plan') === undefined) return
  if (options.text('planOut') !== undefined)
    throw usageFailure('--plan and --plan-out cannot be combined.', '--plan-out saves a plan, --plan applies it.')
  if (args.length > 0 || options.list('file').length > 0)
    throw usageFailure(
      'A saved plan contains its document.',
      'Leave out the files: `ratecard billing push --plan FILE`.',
    )
  if (options.flag('force')) throw usageFailure('--force would change the plan.', 'Plan again with --force --plan-out.')
}

function exitOf({ options }: CommandContext, outcome: PushOutcome): 0 | 3 {
  return outcome.status === 'planned' && options.flag('exitCode') && hasChanges(outcome) ? 3 : 0
}

/**
 * Runs `work`, which plans and pushes, as soon as no push is running. If another push starts between planning and pushing, waits for its
 * end (at most as long as `--wait`) and runs `work` again.
 */
async function planWhenFree(
  { out }: CommandContext,
  queue: PushQueue,
  work: () => Promise<CommandResult>,
): Promise<CommandResult> {
  for (;;) {
    await queue.untilFree()
    try {
      return await work()
    } catch (error) {
      if (!(await queue.mayRetry(error))) throw error
      out.note('Another push started first. Waiting until it ends, then planning again.\n')
    }
  }
}

async function plan(
  context: CommandContext,
  connection: ServerConnection,
  config: object,
  read: Pick<ReadConfig, 'written' | 'variables' | 'warnings' | 'place'>,
): Promise<CommandResult> {
  const { options, io, out } = context
  const { written, variables } = read
  const choices = {
    force: options.flag('force'),
    approveImpact: options.flag('approveImpact'),
    author: await authorOf(context),
    message: options.text('message'),
    ...overriding(overrideOf(context)),
  }
  const planned = await connection.client.admin.push(config, { ...choices, dryRun: true, signal: io.signal })
  await redactPlan(context, connection.client, planned)
  showPlanOf(context, connection, planned, planSources(read))
  const planOut = options.text('planOut')
  if (planOut !== undefined) savePlan(context, connection, { document: config, written }, planned, planOut)
  if (options.flag('dryRun') || planOut !== undefined)
    return { exit: exitOf(context, planned), json: { ...jsonOutcome(planned), ...jsonVariables(variables) } }
  const exactly = await confirmPlan(context, connection, planned)
  out.say()
  const outcome = await pushAndFollow(context, connection.client, config, {
    ...choices,
    plan: planned,
    exactly,
    written,
  })
  showOutcome(context, outcome)
  return { json: jsonOutcome(outcome) }
}

function savePlan(
  { options, global, io, out }: CommandContext,
  connection: ServerConnection,
  documents: Pick<SavedPlan, 'document' | 'written'>,
  planned: PushOutcome,
  name: string,
): void {
  writePlan(
    path.resolve(io.cwd, name),
    {
      createdAt: toRfc3339(systemClock.now()),
      apiUrl: connection.url,
      environment: global.environment,
      plan: planned.plan,
      force: options.flag('force'),
      approveImpact: options.flag('approveImpact'),
      ...documents,
    },
    planned,
    { overwrite: global.yes },
  )
  out.say(`\n${out.paint.green('✓')} Saved to ${name}. Apply it with \`ratecard billing push --plan ${name}\`.`)
  out.note('The plan file contains the document with its variables expanded. Only you can read the file.')
}

export function showOutcome({ out }: CommandContext, outcome: PushOutcome): void {
  const { paint } = out
  if (outcome.status === 'unchanged') {
    out.say(
      `${paint.green('✓')} Unchanged: version ${escapeBreaks(outcome.version)} is already in place${asRevision(outcome)}.`,
    )
    return
  }
  out.say(`${paint.green('✓')} Applied version ${paint.bold(escapeBreaks(outcome.version))}${asRevision(outcome)}.\n`)
  // A resumed push has no plan here: what it did is in the report of its revision.
  const done = outcome.details.length > 0 ? outcome.details : reportedChanges(outcome)
  out.say(showChanges(done, paint))
}

function asRevision({ revision }: PushOutcome): string {
  return revision === null ? '' : ` as revision ${revision}`
}
