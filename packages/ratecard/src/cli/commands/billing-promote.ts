// One environment's tested revision into another environment: the same document, byte for byte, under the same checksum.
import { RatecardError } from '@ratecard/client'
import type { PushOutcome, Revision } from '@ratecard/client'
import { compareDocuments } from '../../catalog/compare-documents.ts'
import { checksum } from '../../config/canonical.ts'
import type { BillingConfig } from '../../config/schema.ts'
import { validateConfig } from '../../config/validate.ts'
import { authorOf } from '../author.ts'
import { environments } from '../command.ts'
import type { Command, CommandContext, CommandResult, EnvironmentName } from '../command.ts'
import { CliFailure, toFailure, usageFailure } from '../failure.ts'
import { connectEnvironment } from '../server-address.ts'
import type { Connection } from '../server-address.ts'
import { count } from '../views/issues.ts'
import { jsonDifference, jsonOutcome } from '../views/json.ts'
import { showDifferences } from '../views/plan.ts'
import { revisionNumber } from './billing-diff.ts'
import { showOutcome } from './billing-push.ts'
import { requireWebhooksMeant, webhookMoves } from './promoted-webhooks.ts'
import { actorOptions, confirmPlan, hasChanges, impactOptions, pushAndFollow, showPlanOf } from './shared.ts'

export const billingPromote: Command = {
  name: 'billing promote',
  summary: 'Push what one environment has, byte for byte, to another',
  description:
    'Takes the document of a revision as the source stored it, says how the two environments differ, shows the plan, and pushes. Addresses and keys of both come from their files in ratecard/environments. The document is the expanded one: values that differ by environment, such as webhook URLs, are the source’s, and are warned about.',
  options: [
    { flags: '--from <name>', description: 'Environment to take from.', choices: environments },
    { flags: '--to <name>', description: 'Environment to push to.', choices: environments },
    { flags: '--revision <n>', description: 'Revision of the source.', defaultText: 'the current one' },
    { flags: '--dry-run', description: 'Show the differences and the plan, and stop.' },
    { flags: '--exit-code', description: 'With --dry-run: exit 3 when there are changes.' },
    ...impactOptions,
    ...actorOptions,
  ],
  examples: [
    { command: 'ratecard billing promote --from staging --to production', what: 'what staging has now' },
    { command: 'ratecard billing promote --from staging --to production --revision 12', what: 'exactly revision 12' },
  ],
  run: async (context) => {
    const { from, to } = routeOf(context)
    const source = connectEnvironment(context, from)
    const target = connectEnvironment(context, to)
    if (source.url === target.url)
      throw new CliFailure(1, {
        code: 'environments_equal',
        title: 'Both environments are one server',
        detail: `${from} and ${to} are both at ${source.url}.`,
      })
    const tested = await asFailureOf(source, () => sourceRevision(context, source, from))
    return asFailureOf(target, () => promote(context, { from, to, source, target, tested })).finally(() =>
      context.out.endProgress(),
    )
  },
}

interface Tested {
  readonly revision: Revision
  readonly document: object
  readonly config: BillingConfig
}

interface Promotion {
  readonly from: EnvironmentName
  readonly to: EnvironmentName
  readonly source: Connection
  readonly target: Connection
  readonly tested: Tested
}

function routeOf({ options, global }: CommandContext): { from: EnvironmentName; to: EnvironmentName } {
  const named = (option: string) => environments.find((name) => name === options.text(option))
  const [from, to] = [named('from'), named('to')]
  if (from === undefined || to === undefined)
    throw usageFailure('Say both environments.', 'Write `ratecard billing promote --from staging --to production`.')
  if (from === to) throw usageFailure('The environments are the same.', 'Promote from one environment to another.')
  if (global.apiUrl !== null || global.serviceKey !== null || global.environment !== null)
    throw usageFailure(
      '--env, --api-url and --service-key are about one server.',
      'Addresses and keys of both environments come from their files in ratecard/environments.',
    )
  if (options.flag('exitCode') && !options.flag('dryRun')) throw usageFailure('--exit-code belongs to --dry-run.')
  return { from, to }
}

/** A refusal names the server that refused. */
async function asFailureOf<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof RatecardError ? toFailure(error, { apiUrl: connection.url }) : error
  }
}

async function sourceRevision({ options, io }: CommandContext, { client }: Connection, from: string): Promise<Tested> {
  const call = { signal: io.signal }
  const given = options.text('revision')
  const number = given === undefined ? (await client.admin.config(call)).revision : revisionNumber(given)
  const revision = await client.admin.revision(number, call)
  if (revision.document === null)
    throw new CliFailure(1, {
      code: 'revision_not_found',
      title: 'The revision holds no configuration',
      detail: `Revision ${number} of ${from} is a reset.`,
      hint: 'Choose another one: --revision.',
    })
  const { config, errors } = validateConfig(revision.document)
  if (config === null)
    throw new CliFailure(1, {
      code: 'config_invalid',
      title: 'The document of the source is not valid here',
      detail: `Revision ${number} of ${from} has ${count(errors.length, 'problem')}: it may come from another version of Ratecard.`,
      errors,
    })
  requireChecksum(checksum(config), revision.checksum, `Revision ${number} of ${from}`)
  return { revision, document: revision.document, config }
}

function requireChecksum(found: string, expected: string, what: string): void {
  if (found === expected) return
  throw new CliFailure(1, {
    code: 'checksum_mismatch',
    title: 'The documents are not the same',
    detail: `${what} has the checksum ${found || '(none)'}, not ${expected}.`,
    hint: 'Look at it with `ratecard billing history` and `ratecard doctor` before anything else is pushed.',
  })
}

async function promote(context: CommandContext, promotion: Promotion): Promise<CommandResult> {
  const { from, to, target, tested } = promotion
  const { options, io, out } = context
  const current = await currentOf(target, io.signal)
  const differences = compareDocuments(current?.config ?? null, tested.config)
  const here = `revision ${tested.revision.revision} of ${from} (version ${tested.revision.version})`
  const there =
    current === null
      ? `${to}, which has none`
      : `revision ${current.revision} of ${to} (version ${current.config.version})`
  const shown = differences.map((difference) => ({
    ...difference,
    fields: difference.fields.map((field) => ({ ...field })),
  }))
  if (shown.length === 0) out.say(`Between ${here} and ${there}: no difference.\n`)
  else
    out.say(`From ${there} to ${here}, ${count(shown.length, 'difference')}:\n\n${showDifferences(shown, out.paint)}\n`)
  const choices = {
    force: options.flag('force'),
    approveImpact: options.flag('approveImpact'),
    author: await authorOf(context),
    message: messageOf(options.text('message'), promotion),
  }
  const planned = await target.client.admin.push(tested.document, { ...choices, dryRun: true, signal: io.signal })
  showPlanOf({ ...context, global: { ...context.global, environment: to } }, target, planned)
  for (const warning of planned.warnings) out.note(`${out.paint.yellow('warning')} ${warning.detail}`)
  const moves = webhookMoves(current?.config ?? null, tested.config)
  for (const { detail } of moves) out.note(`${out.paint.yellow('warning')} ${detail}`)
  const json = {
    from,
    to,
    source_revision: tested.revision.revision,
    checksum: tested.revision.checksum,
    differences: shown.map(jsonDifference),
  }
  if (options.flag('dryRun'))
    return { exit: options.flag('exitCode') && hasChanges(planned) ? 3 : 0, json: { ...json, ...jsonOutcome(planned) } }
  await requireWebhooksMeant(context, moves, to)
  const exactly = await confirmPlan(context, planned)
  out.say()
  const outcome = await pushAndFollow(context, target.client, tested.document, { ...choices, plan: planned, exactly })
  showOutcome(context, outcome)
  // Unchanged says the same already, perhaps in other words: then there is no revision of ours to compare.
  if (outcome.status === 'applied') {
    await verify(promotion, outcome, io.signal)
    out.say(
      `\n${out.paint.green('✓')} The same bytes as revision ${tested.revision.revision} of ${from}: ${tested.revision.checksum}`,
    )
  }
  return { json: { ...json, ...jsonOutcome(outcome) } }
}

function messageOf(given: string | undefined, { from, source, tested }: Promotion): string {
  const origin = `promoted from ${from}, revision ${tested.revision.revision} of ${source.url}`
  return given === undefined ? `${origin.charAt(0).toUpperCase()}${origin.slice(1)}` : `${given} (${origin})`
}

interface Current {
  readonly revision: number
  readonly config: BillingConfig
}

async function currentOf({ client }: Connection, signal: AbortSignal): Promise<Current | null> {
  try {
    const { revision } = await client.admin.config({ signal })
    // The served one carries processor ids, which no two environments share.
    const { config } = validateConfig((await client.admin.revision(revision, { signal })).document)
    return config === null ? null : { revision, config }
  } catch (error) {
    if (error instanceof RatecardError && error.code === 'config_not_found') return null
    throw error
  }
}

async function verify({ to, target, tested }: Promotion, outcome: PushOutcome, signal: AbortSignal): Promise<void> {
  if (outcome.revision === null) return
  const made = await target.client.admin.revision(outcome.revision, { signal })
  requireChecksum(made.checksum, tested.revision.checksum, `Revision ${outcome.revision} of ${to}`)
}
