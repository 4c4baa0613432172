import type { Command, CommandContext, CommandResult } from '../../program/command.ts'
import { toFailure, usageFailure } from '../../failure.ts'
import { redactPlan, redactRevisions } from '../../terminal/conceal.ts'
import { redactEnvironment, namesFromFile, readConfig, requireConfig } from '../../files/read-config.ts'
import { connect, requireAddress, requireServerOf } from '../../server-address.ts'
import { jsonDifference, jsonOutcome, jsonVariables } from '../../views/text/json.ts'
import { differencesMarkdown } from '../../views/markdown.ts'
import { showDifferences } from '../../views/plan/plan.ts'
import { redactor, formatOption, withMarkdownOutput, wantsMarkdown } from './format.ts'
import {
  planSources,
  fileOption,
  hasChanges,
  impactOptions,
  showPlanOf,
  showWarnings,
  withPlaces,
} from '../plan-and-apply.ts'

export const billingDiff: Command = {
  name: 'billing diff',
  summary: 'Compare your files with the current revision, or two revisions',
  description:
    'Without a revision number: shows what a push of your files would change. With one number: compares that revision with the current one. With two: compares the first with the second.',
  arguments: [{ name: '[revisions...]', description: 'One or two revision numbers from the history.' }],
  options: [
    fileOption,
    formatOption,
    { flags: '--exit-code', description: 'Exit with code 3 if there are differences.' },
    ...impactOptions,
  ],
  examples: [
    { command: 'ratecard billing diff', what: 'compare your files with the server' },
    { command: 'ratecard billing diff 3 5', what: 'show what changed from revision 3 to 5' },
  ],
  run: async (given) => {
    const context = withMarkdownOutput(given)
    return context.args.length === 0 ? diffFiles(context) : diffRevisions(context)
  },
}

async function diffFiles(context: CommandContext): Promise<CommandResult> {
  const { options, io } = context
  requireAddress(context)
  const read = readConfig(context)
  const config = requireConfig(read)
  showWarnings(context, read.warnings)
  const connection = connect(context)
  await requireServerOf(context, connection.client, namesFromFile(read.variables))
  const choices = { force: options.flag('force'), approveImpact: options.flag('approveImpact') }
  const planned = await withPlaces(
    read,
    () => connection.client.admin.push(config, { ...choices, dryRun: true, signal: io.signal }),
    (error) => toFailure(error, { apiUrl: connection.url }),
  )
  await redactPlan(context, connection.client, planned)
  showPlanOf(context, connection, planned, planSources(read))
  return {
    exit: options.flag('exitCode') && hasChanges(planned) ? 3 : 0,
    json: { ...jsonOutcome(planned), ...jsonVariables(read.variables) },
  }
}

async function diffRevisions(context: CommandContext): Promise<CommandResult> {
  const { args, options, io, out } = context
  const numbers = args.map(revisionNumber)
  const [from, given] = numbers
  if (from === undefined || numbers.length > 2)
    throw usageFailure('Give one or two revisions.', 'For example `ratecard billing diff 3 5`.')
  const { client } = connect(context)
  const { admin } = client
  const to = given ?? (await admin.config({ signal: io.signal })).revision
  redactEnvironment(context)
  await redactRevisions(context, client, [from, to])
  const differences = await admin.diff(from, to, { signal: io.signal })
  out.say(`From revision ${from} to ${to}\n`)
  out.print(
    wantsMarkdown(context)
      ? differencesMarkdown(differences, { from, to }, redactor(context))
      : differences.length === 0
        ? 'No differences.'
        : showDifferences(differences, out),
  )
  return {
    exit: options.flag('exitCode') && differences.length > 0 ? 3 : 0,
    json: { from, to, differences: differences.map(jsonDifference) },
  }
}

export function revisionNumber(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 1)
    throw usageFailure(`"${text}" is not a revision.`, 'Revisions are the numbers in `ratecard billing history`.')
  return number
}
