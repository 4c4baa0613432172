import type { ChangeReport, Client, PushOutcome, PushReport, StartedPush } from '@ratecard/client'
import type { CommandContext, OptionSpec, OptionValues } from '../command.ts'
import { CliFailure, usageFailure } from '../failure.ts'
import type { FiledIssue, ReadConfig } from '../read-config.ts'
import type { Connection } from '../server-address.ts'
import { followPush } from '../follow-push.ts'
import { showImpact } from '../views/impact.ts'
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

/** Names separated by commas. An empty list is most often a shell variable that is not set: it means neither all nor none. */
export function listOption(options: OptionValues, name: string): readonly string[] | undefined {
  const text = options.text(name)
  if (text === undefined) return undefined
  const names = text.split(',').map((part) => part.trim())
  const given = names.filter((part) => part !== '')
  if (given.length > 0) return given
  throw usageFailure(
    `--${name} is an empty list: ${JSON.stringify(text)}.`,
    'Is a shell variable not set? Write names separated by commas, or leave the option away.',
  )
}

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
  const impact = showImpact(plan.impact, paint)
  if (impact !== '') out.say(`\n${impact}`)
}

export function showWarnings(context: CommandContext, warnings: readonly FiledIssue[]): void {
  if (warnings.length > 0) context.out.note(`${showIssues(warnings, context.out.paint)}\n`)
}

/**
 * Asks before anything is archived or replaced, and says whether a person agreed. Off a terminal nobody can answer: the plan
 * was shown, and scripts that want to look first have --dry-run.
 */
export async function confirmPlan({ global, io }: CommandContext, plan: PushOutcome): Promise<boolean> {
  const destructive = plan.details.filter(({ action }) => action === 'archive' || action === 'replace')
  if (destructive.length === 0 || global.yes || !io.interactive || global.json) return false
  const archived = destructive.filter(({ action }) => action === 'archive').length
  const replaced = destructive.length - archived
  const what = [archived > 0 ? `archives ${archived}` : '', replaced > 0 ? `replaces ${replaced}` : ''].filter(Boolean)
  if (await io.confirm(`This plan ${what.join(' and ')}. Apply it?`)) return true
  throw declined()
}

export function declined(): CliFailure {
  return new CliFailure(1, {
    code: 'declined',
    title: 'The plan was declined',
    detail: 'Nothing was changed.',
  })
}

/** Starts a push, follows it, and tells how it ended. */
export function pushAndFollow(
  context: CommandContext,
  client: Client,
  document: object,
  options: {
    readonly force: boolean
    readonly approveImpact: boolean
    readonly author: string
    readonly message: string | undefined
    /** The plan that was shown. */
    readonly plan: PushOutcome
    /** Apply only this one: somebody agreed to it. */
    readonly exactly: boolean
  },
): Promise<PushOutcome> {
  const { plan, exactly, ...rest } = options
  return followStarted(context, client, plan, () =>
    client.admin.startPush(document, {
      ...rest,
      ...(exactly ? { expectPlan: plan.plan } : {}),
      idempotencyKey: crypto.randomUUID(),
      signal: context.io.signal,
    }),
  )
}

/** Follows what was started until it ended. Whoever stops watching is told that the push goes on, and how to stop it. */
export async function followStarted(
  { out, io }: CommandContext,
  client: Client,
  plan: PushOutcome | null,
  start: () => Promise<StartedPush>,
): Promise<PushOutcome> {
  const started = await start()
  if (!started.started) return started.outcome
  const report = await watchPush({ out, io }, client, started.pushId)
  // The report of what was done comes from the history: the plan shown before may have been made against an earlier state.
  const changes =
    report.revision === null ? null : (await client.admin.revision(report.revision, { signal: io.signal })).changes
  return {
    ...(plan ?? { details: [], warnings: [], impact: [], writes: report.stepsTotal, plan: '' }),
    status: 'applied',
    version: report.version,
    revision: report.revision,
    pushId: report.id,
    changes: changes ?? plan?.changes ?? emptyChanges(),
  }
}

export async function watchPush(
  { out, io }: Pick<CommandContext, 'out' | 'io'>,
  client: Client,
  id: string,
): Promise<PushReport> {
  try {
    return await followPush(client, id, out, io.signal)
  } catch (error) {
    if (io.signal.aborted)
      out.note(
        `The push ${id} goes on at the server.\n  Follow it: ratecard billing pushes ${id} --follow\n  Stop it:   ratecard billing cancel ${id}`,
      )
    throw error
  }
}

function emptyChanges(): ChangeReport {
  const none = () => ({ created: [], updated: [], archived: [] })
  return {
    products: none(),
    prices: none(),
    meters: { created: [], updated: [], deactivated: [] },
    webhooks: { created: [], updated: [], unchanged: [] },
    coupons: none(),
    promotion_codes: none(),
  }
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
