import { emptyReport } from '../../catalog/change-report.ts'
import { escapeBreaks } from '../terminal/terminal-text.ts'
import { RatecardError } from '@ratecard/client'
import type { Client, PushOutcome, PushReport, StartedPush, Violation } from '@ratecard/client'
import { problemCodes } from '../../base/errors/codes.ts'
import type { CommandContext, OptionSpec, OptionValues } from '../program/command.ts'
import { canAsk, isLive, requireConsent } from '../terminal/confirm.ts'
import { CliFailure, usageFailure } from '../failure.ts'
import type { FiledIssue, ReadConfig } from '../files/read-config.ts'
import type { ServerConnection } from '../server-address.ts'
import { followPush, type ShownPlan } from '../follow/follow-push.ts'
import { noteAsOf } from '../views/as-of.ts'
import { showImpact, showWho } from '../views/plan/impact.ts'
import { showIssues, showWarning, type ViewedIssue } from '../views/issues.ts'
import { jsonOutcome, jsonViolation } from '../views/text/json.ts'
import { outcomeMarkdown } from '../views/markdown.ts'
import { planSummary, showPlan } from '../views/plan/plan.ts'
import { deniedIds, showViolations, verdictText } from '../views/plan/violations.ts'
import { wrapText } from '../views/text/wrap.ts'
import { variablesText, type VariableOrigin } from '../views/variables.ts'
import { redactor, wantsMarkdown } from './billing/format.ts'

export const fileOption: OptionSpec = {
  flags: '--file <path...>',
  description: 'Files or folders to read instead of ratecard/billing.',
}
export const filesArgument = {
  name: '[files...]',
  description: 'Files or folders to read instead of ratecard/billing.',
}
export const actorOptions: readonly OptionSpec[] = [
  {
    flags: '--author <name>',
    description: 'Author of the change, shown in the history.',
    defaultText: 'your git identity',
  },
  { flags: '--message <text>', description: 'Reason for the change, shown in the history.' },
]
export const whoOption: OptionSpec = {
  flags: '--who',
  description: 'Name the subscribers whose price a plan changes most, with what they pay and would pay a month.',
}

export const impactOptions: readonly OptionSpec[] = [
  { flags: '--force', description: 'Overwrite fields that were edited at the processor.' },
  { flags: '--approve-impact', description: 'Approve the impact: push although live subscriptions are affected.' },
  whoOption,
]

export const overrideOption: OptionSpec = {
  flags: '--override <ids>',
  description: 'Override these policies, separated by commas. Needs a key of scope "owner", and --message.',
}

/** Returns the ids of the policies to override. */
export const overrideOf = ({ options }: Pick<CommandContext, 'options'>) => listOption(options, 'override') ?? []

/** Prints the policies that a change breaks. */
export function noteViolations(context: CommandContext, violations: readonly Violation[]): void {
  const { out } = context
  if (violations.length > 0) out.note(`\n${showViolations(violations, overrideOf(context), out.paint)}`)
}

/** Throws if a policy denies the change and is not overridden. Called before any question is asked and any request is sent. */
export function requireAllowed(context: CommandContext, violations: readonly Violation[]): void {
  const override = overrideOf(context)
  const ids = deniedIds(violations, override)
  if (ids.length > 0)
    throw new CliFailure(1, {
      code: 'policy_denied',
      title: problemCodes.policy_denied.title,
      detail: `The change breaks ${ids.map((id) => `"${id}"`).join(', ')}. Nothing was changed.`,
      hint: `Change what breaks the policy, or let an owner override it: --override ${ids.join(',')} --message "<why>".`,
      extra: { violations: violations.map(jsonViolation) },
    })
  if (override.length > 0 && context.options.text('message') === undefined)
    throw usageFailure('--override needs --message.', 'Add the reason for the override with --message.')
}

/**
 * Returns the comma-separated names in an option; undefined if the option is not given. Refuses an empty list: it usually comes from an
 * unset shell variable, and could mean "all" as well as "none".
 */
export function listOption(options: OptionValues, name: string): readonly string[] | undefined {
  const text = options.text(name)
  if (text === undefined) return undefined
  const names = text.split(',').map((part) => part.trim())
  const given = names.filter((part) => part !== '')
  if (given.length > 0) return given
  throw usageFailure(
    `--${name} is an empty list: ${JSON.stringify(text)}.`,
    'Maybe a shell variable is not set. Write names separated by commas, or leave out the option.',
  )
}

export function hasChanges(outcome: PushOutcome): boolean {
  return outcome.details.some(({ action }) => action !== 'keep')
}

interface PlanSources {
  readonly variables?: readonly VariableOrigin[]
  /** Warnings that were shown for the files already. */
  readonly warnings?: readonly FiledIssue[]
  /** Adds positions in the files to the warnings of the server. */
  readonly place?: (issues: readonly ViewedIssue[]) => readonly ViewedIssue[]
}

/**
 * Returns the variables, the warnings and the function that finds positions, to show a plan of these files. A newer server may send issue
 * codes that this version does not know, hence the cast; such issues are shown too.
 */
export function planSources(read: Pick<ReadConfig, 'variables' | 'warnings' | 'place'>): PlanSources {
  const { variables, warnings, place } = read
  return { variables, warnings, place: (issues) => place(issues as Parameters<typeof place>[0]) }
}

export function showPlanOf(
  context: CommandContext,
  connection: ServerConnection,
  plan: PushOutcome,
  { variables = [], warnings = [], place = (issues) => issues }: PlanSources = {},
): void {
  const { out } = context
  const { paint } = out
  const where = `${connection.url}${context.global.environment === null ? '' : ` (${context.global.environment})`}`
  if (wantsMarkdown(context)) {
    out.print(outcomeMarkdown(plan, where, { warnings, variables, place }, redactor(context)))
    return
  }
  out.say(`Plan for version ${paint.bold(escapeBreaks(plan.version))} at ${where}\n`)
  const verdict = verdictText(plan.violations, overrideOf(context))
  if (verdict !== null) out.say(`${paint.red(verdict)}\n`)
  out.say(`${paint.bold(wrapText(escapeBreaks(plan.summary), out.width))}\n`)
  if (hasChanges(plan)) out.say(`${showPlan(plan.details, out)}\n`)
  out.say(planSummary(plan.details, plan.writes))
  if (variables.length > 0) out.say(`Variables used: ${variablesText(variables)}.`)
  const impact = showImpact(plan.impact, paint)
  if (impact !== '') out.say(`\n${impact}`)
  sayWho(context, plan.who)
  if (impact !== '' || plan.stale === true) noteAsOf(plan, out)
  // Warnings that were already shown for the files are not repeated.
  const said = new Set(warnings.map(({ detail }) => detail))
  for (const issue of place(plan.warnings).filter(({ detail }) => !said.has(detail)))
    out.note(showWarning(issue, paint))
  noteViolations(context, plan.violations)
}

/** With `--who`, prints the subscribers with the largest differences; otherwise says that it can. Older servers do not send them. */
export function sayWho({ out, options }: Pick<CommandContext, 'out' | 'options'>, who: PushOutcome['who'] = []): void {
  if (who.length === 0) return
  if (options.flag('who')) out.say(`\n${showWho(who, out)}`)
  else out.say(out.paint.dim('  Who, and how much: --who.'))
}

export function showWarnings(context: CommandContext, warnings: readonly FiledIssue[]): void {
  if (warnings.length > 0) context.out.note(`${showIssues(warnings, context.out.paint)}\n`)
}

export const approvalOption: OptionSpec = {
  flags: '--require-approval',
  description:
    'Without a terminal: stop before a plan that archives or replaces anything, unless --yes or --plan approves it.',
}

/**
 * Asks for confirmation before anything is archived or replaced. Returns true if a person agreed, false if no question was asked. Without a
 * terminal the plan is applied without a question, with two exceptions that are refused: at a live account a plan that keeps no current
 * product (most often the files belong to another project), and a plan that removes something under `--require-approval`. A saved plan
 * (`approved`) is never refused.
 */
export async function confirmPlan(
  context: CommandContext,
  { client, url }: ServerConnection,
  plan: PushOutcome,
  { approved = false } = {},
): Promise<boolean> {
  const { global, options, io } = context
  requireAllowed(context, plan.violations)
  const destructive = plan.details.filter(({ action }) => action === 'archive' || action === 'replace')
  if (destructive.length === 0 || global.yes) return false
  const archived = destructive.filter(({ action }) => action === 'archive').length
  const replaced = destructive.length - archived
  const what = [archived > 0 ? `archives ${archived}` : '', replaced > 0 ? `replaces ${replaced}` : '']
    .filter(Boolean)
    .join(' and ')
  const keepsNone = await keepsNoProduct(client, plan, io.signal)
  if (!canAsk(context)) {
    if (approved || !(keepsNone || options.flag('requireApproval'))) return false
    if (!options.flag('requireApproval') && !(await isLive(client, io.signal))) {
      context.out.note(`All products of the version before are archived, at ${url}.`)
      return false
    }
  }
  const other = keepsNone
    ? ` It archives all products of the current version at ${url}: are these the right files?`
    : ''
  return requireConsent(context, {
    question: `This plan ${what}.${other} Apply it?`,
    title: keepsNone ? 'The plan archives all products' : 'The plan needs approval',
    detail: `This plan ${what}.${keepsNone ? ` It archives all products of the current version at ${url}: these may be the files of another project.` : ''}`,
    hint: 'If this is intended: pass --yes, or save the plan with --plan-out, review it, and apply it with --plan.',
    extra: { planned: jsonOutcome(plan) },
  })
}

/** True if the current version has products and the plan archives all of them. */
async function keepsNoProduct(client: Client, plan: PushOutcome, signal: AbortSignal): Promise<boolean> {
  const archived = new Set(
    plan.details.flatMap(({ kind, action, configId }) => (kind === 'product' && action === 'archive' ? configId : [])),
  )
  if (archived.size === 0) return false
  try {
    const { products } = (await client.admin.config({ signal })).config
    return products.length > 0 && products.every(({ id }) => archived.has(id))
  } catch (error) {
    if (error instanceof RatecardError && error.code === 'config_not_found') return false
    throw error
  }
}

/** Returns the request parameter `override`. Omits it if nothing is overridden, because it needs a key of scope `owner`. */
export const overriding = (override: readonly string[]) => (override.length === 0 ? {} : { override })

/** Starts a push, follows it, and returns its outcome. */
export function pushAndFollow(
  context: CommandContext,
  client: Client,
  document: object,
  options: {
    readonly force: boolean
    readonly approveImpact: boolean
    readonly author: string
    readonly message: string | undefined
    readonly override?: readonly string[]
    /** The plan that was shown to the user. */
    readonly plan: PushOutcome
    /** Applies only the plan that was shown, because a person approved it. */
    readonly exactly: boolean
    /** The source document with unexpanded variables. It is stored with the revision, so that a promotion can expand it again. */
    readonly written: object | null
  },
): Promise<PushOutcome> {
  const { plan, exactly, written, ...rest } = options
  return followStarted(context, client, plan, async (signal) => {
    const id = written === null ? null : await keepWritten(client, written, context.io.signal)
    return client.admin.startPush(document, {
      ...rest,
      ...(id === null ? {} : { written: id }),
      ...(exactly ? { expectPlan: plan.plan } : {}),
      idempotencyKey: crypto.randomUUID(),
      signal,
    })
  })
}

/**
 * Uploads the source document and returns its id. Returns null if the server cannot store it, because the server is too old or the key is
 * read-only.
 */
async function keepWritten(client: Client, written: object, signal: AbortSignal): Promise<string | null> {
  try {
    return (await client.admin.keepWritten(written, { signal })).written
  } catch (error) {
    // The push itself reports a missing permission, with a better message.
    const isPassedOver = error instanceof RatecardError && ['route_not_found', 'key_scope'].includes(error.code)
    if (isPassedOver) return null
    throw error
  }
}

/** Follows a started push until it ends. After Ctrl-C it prints that the push continues, and how to cancel it. */
export async function followStarted(
  { out, io }: CommandContext,
  client: Client,
  plan: PushOutcome | null,
  start: (signal: AbortSignal) => Promise<StartedPush>,
): Promise<PushOutcome> {
  const started = await begin({ out, io }, start)
  if (!started.started) return started.outcome
  const report = await watchPush({ out, io }, client, started.pushId, plan)
  // Reads the changes from the history, because the plan shown before may differ from what was applied.
  const changes =
    report.revision === null ? null : (await client.admin.revision(report.revision, { signal: io.signal })).changes
  return {
    ...(plan ?? {
      summary: '',
      details: [],
      warnings: [],
      violations: [],
      impact: [],
      who: [],
      writes: report.stepsTotal,
      plan: '',
    }),
    status: 'applied',
    version: report.version,
    revision: report.revision,
    pushId: report.id,
    changes: changes ?? plan?.changes ?? emptyReport(),
  }
}

/**
 * Time (ms) to wait after Ctrl-C for the response of a start request. The response contains the push id, which is needed to follow or
 * cancel the push.
 */
const startGraceMs = 3_000

async function begin(
  { out, io }: Pick<CommandContext, 'out' | 'io'>,
  start: (signal: AbortSignal) => Promise<StartedPush>,
): Promise<StartedPush> {
  io.signal.throwIfAborted()
  const late = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    timer = setTimeout(() => {
      late.abort()
    }, startGraceMs)
  }
  io.signal.addEventListener('abort', stop, { once: true })
  try {
    return await start(late.signal)
  } catch (error) {
    if (late.signal.aborted)
      out.note('It is not known whether the push has started.\n  To check: ratecard billing pushes')
    throw error
  } finally {
    clearTimeout(timer)
    io.signal.removeEventListener('abort', stop)
  }
}

export async function watchPush(
  { out, io }: Pick<CommandContext, 'out' | 'io'>,
  client: Client,
  id: string,
  plan: ShownPlan | null = null,
): Promise<PushReport> {
  try {
    return await followPush(client, id, { out, signal: io.signal, plan })
  } catch (error) {
    if (io.signal.aborted)
      out.note(
        `The push ${id} continues on the server.\n  Follow it: ratecard billing pushes ${id} --follow\n  Stop it:   ratecard billing cancel ${id}`,
      )
    throw error
  }
}

/** Runs a request. If it fails with issues, adds the issues' positions in the author's files. */
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
    // A newer server may send issue codes that this version does not know. They are shown unchanged.
    const placed = read.place(errors as Parameters<ReadConfig['place']>[0])
    throw new CliFailure(failure.exit, { ...failure.problem, errors: placed })
  }
}
