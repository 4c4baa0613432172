import type { Client, PushOutcome } from '@ratecard/client'
import type { CommandContext, OptionSpec } from '../command.ts'
import { CliFailure } from '../failure.ts'
import type { FiledIssue, ReadConfig } from '../read-config.ts'
import type { Connection } from '../server-address.ts'
import { followPush } from '../follow-push.ts'
import { showIssues } from '../views/issues.ts'
import { planSummary, showPlan } from '../views/plan.ts'

export const fileOption: OptionSpec = {
  flags: '--file <path...>',
  description: 'Files or folders to read instead of ratecard/billing.',
}
export const filesArgument = {
  name: '[files...]',
  description: 'Files or folders to read instead of ratecard/billing.',
}
export const actorOptions: readonly OptionSpec[] = [
  { flags: '--author <name>', description: 'Who makes the change, for the history.', defaultText: 'your git identity' },
  { flags: '--message <text>', description: 'Why, for the history.' },
]
export const impactOptions: readonly OptionSpec[] = [
  { flags: '--force', description: 'Overwrite fields that were edited at the processor.' },
  { flags: '--approve-impact', description: 'Go on although live subscriptions are affected.' },
]

export function hasChanges(outcome: PushOutcome): boolean {
  return outcome.details.some(({ action }) => action !== 'keep')
}

export function showPlanOf(context: CommandContext, connection: Connection, plan: PushOutcome): void {
  const { out } = context
  const { paint } = out
  const where = `${connection.url}${context.global.environment === null ? '' : ` (${context.global.environment})`}`
  out.say(`Plan for version ${paint.bold(plan.version)} at ${where}\n`)
  if (hasChanges(plan)) out.say(`${showPlan(plan.details, paint)}\n`)
  out.say(planSummary(plan.details, plan.writes))
}

export function showWarnings(context: CommandContext, warnings: readonly FiledIssue[]): void {
  if (warnings.length > 0) context.out.note(`${showIssues(warnings, context.out.paint)}\n`)
}

/**
 * Asks before anything is archived or replaced. Off a terminal nobody can answer: the plan was shown, and scripts that want
 * to look first have --dry-run.
 */
export async function confirmPlan({ global, io }: CommandContext, plan: PushOutcome): Promise<void> {
  const destructive = plan.details.filter(({ action }) => action === 'archive' || action === 'replace')
  if (destructive.length === 0 || global.yes || !io.interactive || global.json) return
  const archived = destructive.filter(({ action }) => action === 'archive').length
  const replaced = destructive.length - archived
  const what = [archived > 0 ? `archives ${archived}` : '', replaced > 0 ? `replaces ${replaced}` : ''].filter(Boolean)
  if (await io.confirm(`This plan ${what.join(' and ')}. Apply it?`)) return
  throw new CliFailure(1, {
    code: 'declined',
    title: 'The plan was declined',
    detail: 'Nothing was changed.',
  })
}

/** Starts a push, follows it, and tells how it ended. */
export async function pushAndFollow(
  { out, io }: CommandContext,
  client: Client,
  document: object,
  options: { force: boolean; approveImpact: boolean; author: string; message: string | undefined; plan: PushOutcome },
): Promise<PushOutcome> {
  const { plan, ...rest } = options
  const started = await client.admin.startPush(document, {
    ...rest,
    idempotencyKey: crypto.randomUUID(),
    signal: io.signal,
  })
  if (!started.started) return started.outcome
  const report = await followPush(client, started.pushId, out, io.signal)
  // The report of what was done comes from the history: the plan shown before may have been made against an earlier state.
  const { changes } =
    report.revision === null ? plan : await client.admin.revision(report.revision, { signal: io.signal })
  return { ...plan, status: 'applied', version: report.version, revision: report.revision, pushId: report.id, changes }
}

/** Runs a call; issues of a refusal get their places in the author's files. */
export async function withPlaces<T>(
  read: ReadConfig,
  call: () => Promise<T>,
  toFailure: (error: unknown) => CliFailure,
): Promise<T> {
  try {
    return await call()
  } catch (error) {
    const failure = toFailure(error)
    const errors = failure.problem.errors
    if (errors === undefined || errors.length === 0) throw failure
    // Codes of a newer server may be unknown here; they are shown as they came.
    const placed = read.place(errors as Parameters<ReadConfig['place']>[0])
    throw new CliFailure(failure.exit, { ...failure.problem, errors: placed })
  }
}
