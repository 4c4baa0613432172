// Promotes a tested revision from one environment to another: the same source document, byte for byte, with the variables of the target
// filled in.
import { variablesOf, variableTexts } from '../../../document/files/written-form.ts'
import { RatecardError, type PushOutcome, type Revision } from '@ratecard/client'
import { compareDocuments } from '../../../catalog/compare-documents.ts'
import { checksum } from '../../../document/schema/canonical/checksum.ts'
import { interpolate } from '../../../document/files/interpolate.ts'
import type { BillingConfig } from '../../../document/schema/schema.ts'
import { validateConfig } from '../../../document/validation/validate.ts'
import { pathOf } from '../../../base/errors/issue.ts'
import { authorOf } from '../../author.ts'
import type { Command, CommandContext, CommandResult, EnvironmentName } from '../../program/command.ts'
import { redactRevisions, redactVariables } from '../../terminal/conceal.ts'
import { CliFailure, toFailure, usageFailure } from '../../failure.ts'
import { environmentFile, whyUnset } from '../../files/project.ts'
import { connectEnvironment, sameServer, type ServerConnection } from '../../server-address.ts'
import { count } from '../../views/issues.ts'
import { jsonDifference, jsonOutcome, jsonVariables } from '../../views/text/json.ts'
import { showDifferences } from '../../views/plan/plan.ts'
import type { VariableOrigin } from '../../views/variables.ts'
import { revisionNumber } from './diff.ts'
import { showOutcome } from './push/push.ts'
import { requireWebhooksMeant, webhookMoves } from './webhooks/promoted-webhooks.ts'
import {
  actorOptions,
  approvalOption,
  confirmPlan,
  hasChanges,
  impactOptions,
  overrideOf,
  overrideOption,
  overriding,
  pushAndFollow,
  showPlanOf,
} from '../plan-and-apply.ts'

export const billingPromote: Command = {
  name: 'billing promote',
  summary: 'Push the revision of one environment to another, byte for byte',
  description:
    'Takes the source document of a revision, expands its variables with the environment file of the target, lists the values that differ between the two environments, shows the plan, and pushes. Everything except these values is the same, byte for byte. The addresses and keys of both servers come from their files in ratecard/environments. If the revision was pushed over HTTP, the server has only its expanded document: values that depend on the environment, such as webhook URLs, are then those of the source, and new webhook URLs must be confirmed.',
  options: [
    { flags: '--from <name>', description: 'Environment to take the revision from.', environment: true },
    { flags: '--to <name>', description: 'Environment to push to.', environment: true },
    {
      flags: '--revision <n>',
      description: 'Number of the revision in the source environment.',
      defaultText: 'the current one',
    },
    { flags: '--dry-run', description: 'Show the differences and the plan, and stop without a push.' },
    { flags: '--exit-code', description: 'With --dry-run: exit 3 when there are changes.' },
    approvalOption,
    ...impactOptions,
    overrideOption,
    ...actorOptions,
  ],
  examples: [
    { command: 'ratecard billing promote --from staging --to production', what: 'the current revision of staging' },
    { command: 'ratecard billing promote --from staging --to production --revision 12', what: 'exactly revision 12' },
  ],
  run: async (context) => {
    const { from, to } = routeOf(context)
    const source = connectEnvironment(context, from)
    const target = connectEnvironment(context, to)
    if (sameServer(source.url, target.url))
      throw new CliFailure(1, {
        code: 'environments_equal',
        title: 'Both environments are one server',
        detail: `${from} is at ${source.url} and ${to} at ${target.url}: both are the same server.`,
      })
    const tested = await asFailureOf(source, () => sourceRevision(context, source, from))
    const promotion = { from, to, source, target, tested, expanded: expandFor(tested, target) }
    return asFailureOf(target, () => promote(context, promotion)).finally(() => context.out.endProgress())
  },
}

interface DryRunResult {
  readonly revision: Revision
  readonly document: object
  readonly config: BillingConfig
}

interface Promotion {
  readonly from: EnvironmentName
  readonly to: EnvironmentName
  readonly source: ServerConnection
  readonly target: ServerConnection
  readonly tested: DryRunResult
  readonly expanded: ExpandedDocument
}

/**
 * The document for the target environment: the source document with the target's variables filled in. If no source document was stored with
 * the revision, it is the already expanded document of the source environment.
 */
interface ExpandedDocument {
  readonly document: object
  readonly config: BillingConfig
  readonly checksum: string
  readonly written: object | null
  /** Variables that were filled in from the target's environment file. */
  readonly variables: readonly VariableOrigin[]
  /** Texts whose expanded value differs between the two environments. */
  readonly differs: readonly { readonly pointer: string; readonly text: string }[]
}

function routeOf({ options, global }: CommandContext): { from: EnvironmentName; to: EnvironmentName } {
  const [from, to] = [options.text('from'), options.text('to')]
  if (from === undefined || to === undefined)
    throw usageFailure('Name both environments.', 'Write `ratecard billing promote --from staging --to production`.')
  if (from === to) throw usageFailure('The environments are the same.', 'Promote from one environment to another.')
  if (global.apiUrl !== null || global.serviceKey !== null || global.environment !== null)
    throw usageFailure(
      '--env, --api-url and --service-key cannot be used here, because they name only one server.',
      'Addresses and keys of both environments come from their files in ratecard/environments.',
    )
  if (options.flag('exitCode') && !options.flag('dryRun')) throw usageFailure('--exit-code needs --dry-run.')
  return { from, to }
}

/** Runs `work`. Because two servers are involved, the error of a failed request gets the address of its server. */
async function asFailureOf<T>(connection: ServerConnection, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof RatecardError ? toFailure(error, { apiUrl: connection.url }) : error
  }
}

async function sourceRevision(
  { options, io }: CommandContext,
  { client }: ServerConnection,
  from: string,
): Promise<DryRunResult> {
  const call = { signal: io.signal }
  const given = options.text('revision')
  const number = given === undefined ? (await client.admin.config(call)).revision : revisionNumber(given)
  const revision = await client.admin.revision(number, call)
  if (revision.document === null)
    throw new CliFailure(1, {
      code: 'revision_not_found',
      title: 'The revision has no configuration',
      detail: `Revision ${number} of ${from} is a reset.`,
      hint: 'Choose another one: --revision.',
    })
  const { config, errors } = validateConfig(revision.document)
  if (config === null)
    throw new CliFailure(1, {
      code: 'config_invalid',
      title: 'The document of the source is not valid',
      detail: `Revision ${number} of ${from} has ${count(errors.length, 'problem')}: it may have been created by another version of Ratecard.`,
      errors,
    })
  requireChecksum(checksum(config), revision.checksum, `Revision ${number} of ${from}`)
  return { revision, document: revision.document, config }
}

function expandFor({ revision, document, config }: DryRunResult, { environment }: ServerConnection): ExpandedDocument {
  const { written } = revision
  if (written === null)
    return { document, config, checksum: revision.checksum, written: null, variables: [], differs: [] }
  // Use the target's environment file only, because a variable of the shell may be meant for the source environment.
  const expanded = interpolate(written, environment.variables, whyUnset(environment))
  const verdict = validateConfig(expanded.value)
  const errors = [...expanded.issues, ...(expanded.issues.length === 0 ? verdict.errors : [])]
  if (verdict.config === null || errors.length > 0)
    throw new CliFailure(1, {
      code: 'config_invalid',
      title: 'The variables cannot be expanded for the target',
      detail: `${count(errors.length, 'problem')} with the variables of ${environment.file ?? environment.name}. Nothing was changed.`,
      hint: `Add the missing variables to ${environment.file ?? `the file of ${environment.name}`}.`,
      errors,
    })
  const differs = variableTexts(written).filter(
    ({ pointer }) => valueAt(document, pointer) !== valueAt(expanded.value, pointer),
  )
  const made = verdict.config
  const from = environmentFile(environment.name)
  const variables = [...expanded.used.keys()].sort().map((name) => ({ name, from }))
  return { document: made, config: made, checksum: checksum(made), written, variables, differs }
}

function valueAt(document: unknown, pointer: string): unknown {
  return pathOf(pointer).reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | undefined)?.[key],
    document,
  )
}

function requireChecksum(found: string, expected: string, what: string): void {
  if (found === expected) return
  throw new CliFailure(1, {
    code: 'checksum_mismatch',
    title: 'The documents are not the same',
    detail: `${what} has the checksum ${found || '(none)'}, not ${expected}.`,
    hint: 'Check `ratecard billing history` and `ratecard doctor` before you push again.',
  })
}

async function promote(context: CommandContext, promotion: Promotion): Promise<CommandResult> {
  const { from, to, target, tested, expanded } = promotion
  const { options, io, out } = context
  const current = await currentOf(target, io.signal)
  if (expanded.written !== null) redactVariables(io, variablesOf(expanded.written, expanded.document))
  await redactRevisions(context, target.client, [current?.revision ?? null])
  const differences = compareDocuments(current?.config ?? null, expanded.config)
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
  else out.say(`From ${there} to ${here}, ${count(shown.length, 'difference')}:\n\n${showDifferences(shown, out)}\n`)
  const choices = {
    force: options.flag('force'),
    approveImpact: options.flag('approveImpact'),
    author: await authorOf(context),
    message: messageOf(options.text('message'), promotion),
    ...overriding(overrideOf(context)),
  }
  const planned = await target.client.admin.push(expanded.document, { ...choices, dryRun: true, signal: io.signal })
  showPlanOf({ ...context, global: { ...context.global, environment: to } }, target, planned, {
    variables: expanded.variables,
  })
  printExpanded(context, promotion)
  const moves = webhookMoves(current?.config ?? null, expanded.config, expanded.written)
  for (const { detail } of moves) out.note(`${out.paint.yellow('warning')} ${detail}`)
  const json = {
    from,
    to,
    source_revision: tested.revision.revision,
    checksum: expanded.checksum,
    written: expanded.written !== null,
    expanded: expanded.differs,
    ...jsonVariables(expanded.variables),
    differences: shown.map(jsonDifference),
  }
  if (options.flag('dryRun'))
    return { exit: options.flag('exitCode') && hasChanges(planned) ? 3 : 0, json: { ...json, ...jsonOutcome(planned) } }
  await requireWebhooksMeant(context, moves, to)
  const exactly = await confirmPlan(context, target, planned)
  out.say()
  const outcome = await pushAndFollow(context, target.client, expanded.document, {
    ...choices,
    plan: planned,
    exactly,
    written: expanded.written,
  })
  showOutcome(context, outcome)
  // `unchanged`: the target already has this content, maybe written differently. No revision was created, so there is nothing to verify.
  if (outcome.status === 'applied') {
    await verify(promotion, outcome, io.signal)
    const same =
      expanded.differs.length === 0
        ? `The same bytes as revision ${tested.revision.revision} of ${from}: ${expanded.checksum}`
        : `The same bytes as written for revision ${tested.revision.revision} of ${from}, expanded for ${to}: ${expanded.checksum}`
    out.say(`\n${out.paint.green('✓')} ${same}`)
  }
  return { json: { ...json, ...jsonOutcome(outcome) } }
}

/**
 * Lists the texts that have different values in the target environment. Texts are shown with variable names, because a value may be a
 * secret.
 */
function printExpanded({ out }: CommandContext, { from, to, expanded }: Promotion): void {
  if (expanded.written === null)
    out.say(`\nThis revision has no source document. Values that came from variables are those of ${from}.`)
  if (expanded.differs.length === 0) return
  out.say(`\nExpanded for ${to}; everything else is the same as in ${from}, byte for byte:`)
  for (const { pointer, text } of expanded.differs) out.say(`  ${out.paint.dim(pointer)}  ${text}`)
}

function messageOf(given: string | undefined, { from, source, tested }: Promotion): string {
  const origin = `promoted from ${from}, revision ${tested.revision.revision} of ${source.url}`
  return given === undefined ? `${origin.charAt(0).toUpperCase()}${origin.slice(1)}` : `${given} (${origin})`
}

interface Current {
  readonly revision: number
  readonly config: BillingConfig
}

async function currentOf({ client }: ServerConnection, signal: AbortSignal): Promise<Current | null> {
  try {
    const { revision } = await client.admin.config({ signal })
    // Compare with the stored revision. The served document contains processor ids, which differ between environments.
    const { config } = validateConfig((await client.admin.revision(revision, { signal })).document)
    return config === null ? null : { revision, config }
  } catch (error) {
    if (error instanceof RatecardError && error.code === 'config_not_found') return null
    throw error
  }
}

async function verify({ to, target, expanded }: Promotion, outcome: PushOutcome, signal: AbortSignal): Promise<void> {
  if (outcome.revision === null) return
  const made = await target.client.admin.revision(outcome.revision, { signal })
  requireChecksum(made.checksum, expanded.checksum, `Revision ${outcome.revision} of ${to}`)
}
