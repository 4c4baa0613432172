import type { MigrationLine, MigrationPlan } from '@ratecard/client'
import { systemClock, toRfc3339 } from '../../../base/clock.ts'
import { isMoment } from '../../../document/schema/moment.ts'
import { formatMinor } from '../../../base/money/format.ts'
import { authorOf } from '../../author.ts'
import type { Command, CommandContext } from '../../program/command.ts'
import { CliFailure, usageFailure } from '../../failure.ts'
import { followJob, requireDone } from '../../follow/follow-job.ts'
import { printOutcome } from '../../follow/job-outcome.ts'
import { canAsk, requireConsent } from '../../terminal/confirm.ts'
import { connect } from '../../server-address.ts'
import { count } from '../../views/issues.ts'
import { rightColumn, showTime, formatTable } from '../../views/text/table.ts'
import {
  actorOptions,
  listOption,
  noteViolations,
  overrideOf,
  overrideOption,
  overriding,
  requireAllowed,
} from '../plan-and-apply.ts'
import { jsonJobReport, jsonMigrationPlan } from '../../views/text/json.ts'

export const billingMigrate: Command = {
  name: 'billing migrate',
  summary: 'Move existing subscribers of a replaced price to its successor',
  description:
    'A changed amount applies only to new subscribers. Existing subscribers keep the price that they bought until you move them with this command. Nothing is billed or credited immediately. You can stop and resume the job, and its report contains the command that moves the subscribers back.',
  options: [
    { flags: '--price <id>', description: 'Your id of the price.' },
    {
      flags: '--to <when>',
      description:
        '`renewal`: the new price starts with the next period. `now`: the price changes now and is billed at the renewal. A date (`2030-01-01`, UTC) or a time with time zone: the price changes at the first renewal after it. You need not keep the command running.',
      defaultText: 'renewal',
    },
    { flags: '--only <tenants>', description: 'Only these tenants, separated by commas.' },
    { flags: '--except <tenants>', description: 'All but these tenants, separated by commas.' },
    { flags: '--dry-run', description: 'Show the subscribers and the amounts; nothing is changed.' },
    overrideOption,
    ...actorOptions,
  ],
  examples: [
    { command: 'ratecard billing migrate --price pro_monthly --dry-run', what: 'list the subscribers and the amounts' },
    {
      command: 'ratecard billing migrate --price pro_monthly --to 2030-01-01',
      what: 'move each subscriber at the first renewal in 2030',
    },
  ],
  run: async (context) => {
    const { options, io, out } = context
    const request = requestOf(context)
    const { client } = connect(context)
    const message = options.text('message')
    const override = overriding(overrideOf(context))
    const plan = await client.migrations.plan(request, { ...override, message, signal: io.signal })
    showPlan(context, plan)
    noteViolations(context, plan.violations)
    if (options.flag('dryRun')) return { json: jsonMigrationPlan(plan) }
    const moving = plan.lines.filter((line) => line.skipped === null).length
    if (moving === 0 && (request.to !== 'now' || canAsk(context))) return { json: jsonMigrationPlan(plan) }
    requireAllowed(context, plan.violations)
    // On a terminal the command always asks for confirmation. Without a terminal only `--to now` needs a confirmation (`--yes`), because it
    // takes effect at once; other migrations can still be cancelled.
    if (canAsk(context) || request.to === 'now')
      await requireConsent(context, {
        question: `Move ${count(moving, 'subscription')}?`,
        title: 'Moving subscribers now needs to be confirmed',
        detail: `${count(moving, 'subscription')} would change price now.`,
        hint: 'Check the moves with --dry-run. To confirm them, pass --yes.',
        extra: { planned: jsonMigrationPlan(plan) },
      })
    if (moving === 0) return { json: jsonMigrationPlan(plan) }
    const actor = {
      ...override,
      author: await authorOf(context),
      message,
      signal: io.signal,
    }
    const job = await client.migrations.start(request, actor)
    out.note(`Job ${job.id}.`)
    const report = await followJob(client, job.id, out, io.signal)
    requireDone(report)
    printOutcome(report, out)
    return { json: jsonJobReport(report) }
  },
}

function requestOf({ options }: CommandContext) {
  const priceId = options.text('price')
  if (priceId === undefined) throw usageFailure('Which price?', 'Give --price.')
  const [only, except] = [listOption(options, 'only'), listOption(options, 'except')]
  return { priceId, to: whenOf(options.text('to') ?? 'renewal', systemClock.now()), only, except }
}

/** Converts `--to` to the API's form. A date becomes midnight UTC, e.g. `2026-02-01T00:00:00Z`. */
function whenOf(text: string, now: number): string {
  if (text === 'renewal' || text === 'now') return text
  const moment = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text
  if (!isMoment(moment)) throw noTime(`"${text}" ${whyNot(text)}.`)
  if (Date.parse(moment) <= now) throw noTime(`"${text}" has passed.`)
  return toRfc3339(Date.parse(moment))
}

function whyNot(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/.test(text)) return 'has no time zone'
  return /^\d{4}-\d{2}-\d{2}/.test(text) ? 'does not exist, or has the wrong format' : 'is not a valid time'
}

function noTime(detail: string): CliFailure {
  return new CliFailure(1, {
    code: 'time_invalid',
    title: 'The time of the move is not valid',
    detail: `--to: ${detail} Nothing was sent.`,
    hint: 'Write renewal, now, a future day (2031-01-31, from 00:00 UTC), or a time with its zone (2031-01-31T08:00:00+01:00).',
  })
}

function showPlan({ out }: CommandContext, plan: MigrationPlan): void {
  if (plan.lines.length === 0) {
    out.say(`No subscriber is on an earlier price of "${plan.priceId}".`)
    return
  }
  const columns = ['tenant', 'subscription', rightColumn('quantity'), rightColumn('a month'), 'when (UTC)']
  out.print(formatTable(columns, plan.lines.map(rowOf), out))
  for (const { currency, subscriptions, byUsage, before, after } of plan.totals) {
    const amounts =
      byUsage === subscriptions ? [] : [`${formatMinor(before, currency)} → ${formatMinor(after, currency)} a month`]
    const usage = byUsage === 0 ? [] : [byUsage === subscriptions ? 'by usage' : `${String(byUsage)} by usage`]
    out.say(`${count(subscriptions, 'subscription')}: ${[...amounts, ...usage].join(', ')}`)
  }
}

function rowOf(line: MigrationLine): string[] {
  const money = (amount: number | null) => (amount === null ? 'by usage' : formatMinor(amount, line.currency))
  const change =
    line.monthlyBefore === null && line.monthlyAfter === null
      ? 'by usage'
      : `${money(line.monthlyBefore)} → ${money(line.monthlyAfter)}`
  return [
    line.tenantId ?? line.customer,
    line.subscription,
    line.quantity === null ? '–' : String(line.quantity),
    change,
    line.skipped === null ? showTime(line.effectiveAt) : `stays: ${line.skipped}`,
  ]
}
