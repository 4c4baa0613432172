import { authorOf } from '../author.ts'
import type { Command, CommandContext, CommandResult } from '../command.ts'
import { toFailure, usageFailure } from '../failure.ts'
import { readConfig, requireConfig } from '../read-config.ts'
import { connect } from '../server-address.ts'
import type { Connection } from '../server-address.ts'
import { showChanges } from '../views/changes.ts'
import { jsonOutcome } from '../views/json.ts'
import {
  actorOptions,
  confirmPlan,
  fileOption,
  filesArgument,
  hasChanges,
  impactOptions,
  pushAndFollow,
  showPlanOf,
  showWarnings,
  withPlaces,
} from './shared.ts'
import type { PushOutcome } from '@ratecard/client'

export const billingPush: Command = {
  name: 'billing push',
  summary: 'Bring the processor to what the configuration says',
  description:
    'Validates all files, shows the plan, then creates, updates and archives. On a terminal it asks before it archives or replaces anything. Same content again is "unchanged" and writes nothing.',
  arguments: [filesArgument],
  options: [
    fileOption,
    { flags: '--dry-run', description: 'Show the plan and stop; nothing is written anywhere.' },
    { flags: '--exit-code', description: 'With --dry-run: exit 3 when there are changes.' },
    ...impactOptions,
    ...actorOptions,
  ],
  examples: [
    { command: 'ratecard billing push', what: 'plan, question, push' },
    { command: 'ratecard billing push --env production --yes --message "Spring prices"', what: 'from a script' },
    { command: 'ratecard billing push --dry-run --exit-code', what: 'in CI: exit 3 when something would change' },
  ],
  run: async (context) => {
    const { options, out } = context
    if (options.flag('exitCode') && !options.flag('dryRun'))
      throw usageFailure('--exit-code belongs to --dry-run.', 'Write `ratecard billing push --dry-run --exit-code`.')
    const read = readConfig(context)
    const config = requireConfig(read)
    showWarnings(context, read.warnings)
    const connection = connect(context)
    const asFailure = (error: unknown) => toFailure(error, { apiUrl: connection.url })
    return withPlaces(read, () => plan(context, connection, config), asFailure).finally(() => out.endProgress())
  },
}

async function plan(context: CommandContext, connection: Connection, config: object): Promise<CommandResult> {
  const { options, io } = context
  const choices = {
    force: options.flag('force'),
    approveImpact: options.flag('approveImpact'),
    author: await authorOf(context),
    message: options.text('message'),
  }
  const planned = await connection.client.admin.push(config, { ...choices, dryRun: true, signal: io.signal })
  showPlanOf(context, connection, planned)
  for (const warning of planned.warnings) context.out.note(`${context.out.paint.yellow('warning')} ${warning.detail}`)
  if (options.flag('dryRun'))
    return { exit: options.flag('exitCode') && hasChanges(planned) ? 3 : 0, json: jsonOutcome(planned) }
  await confirmPlan(context, planned)
  context.out.say()
  const outcome = await pushAndFollow(context, connection.client, config, { ...choices, plan: planned })
  showOutcome(context, outcome)
  return { json: jsonOutcome(outcome) }
}

export function showOutcome({ out }: CommandContext, outcome: PushOutcome): void {
  const { paint } = out
  if (outcome.status === 'unchanged') {
    out.say(`${paint.green('✓')} Unchanged: version ${outcome.version} is already in place${revision(outcome)}.`)
    return
  }
  out.say(`${paint.green('✓')} Applied version ${paint.bold(outcome.version)}${revision(outcome)}.\n`)
  out.say(showChanges(outcome.changes, paint))
}

function revision({ revision }: PushOutcome): string {
  return revision === null ? '' : ` as revision ${revision}`
}
