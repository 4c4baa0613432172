import type { MigrationLine, MigrationPlan } from '@ratecard/client'
import { formatMinor } from '../../money/format.ts'
import { authorOf } from '../author.ts'
import type { Command, CommandContext } from '../command.ts'
import { CliFailure, usageFailure } from '../failure.ts'
import { followJob, requireDone, sayWhatWaits } from '../follow-job.ts'
import { connect } from '../server-address.ts'
import { showTime, table } from '../views/table.ts'
import { toWireJson } from '../views/wire-json.ts'
import { actorOptions } from './shared.ts'

export const billingMigrate: Command = {
  name: 'billing migrate',
  summary: 'Move existing subscribers of a replaced price to its successor',
  description:
    'A changed amount is for new subscribers; existing ones keep the price they bought until they are moved with this. Nothing is billed or credited at once. The job can be stopped and resumed, and its report says how to go back.',
  options: [
    { flags: '--price <id>', description: 'Your id of the price.' },
    {
      flags: '--to <when>',
      description:
        '`renewal`: the new price begins with the next period. `now`: the price changes now and is billed at the renewal. A moment: at the first renewal after it; the service waits for that by itself.',
      defaultText: 'renewal',
    },
    { flags: '--only <tenants>', description: 'Only these tenants, separated by commas.' },
    { flags: '--except <tenants>', description: 'All but these tenants, separated by commas.' },
    { flags: '--dry-run', description: 'Show whom it concerns and the money; nothing is changed.' },
    ...actorOptions,
  ],
  examples: [
    { command: 'ratecard billing migrate --price pro_monthly --dry-run', what: 'who, and how much' },
    {
      command: 'ratecard billing migrate --price pro_monthly --to 2027-01-01',
      what: 'from the first renewal in 2027 on',
    },
  ],
  run: async (context) => {
    const { options, io, out, global } = context
    const request = requestOf(context)
    const { client } = connect(context)
    const plan = await client.migrations.plan(request, { signal: io.signal })
    showPlan(context, plan)
    if (options.flag('dryRun')) return { json: toWireJson(plan) }
    const moving = plan.lines.filter((line) => line.skipped === null).length
    if (moving === 0) return { json: toWireJson(plan) }
    if (!global.yes && io.interactive && !global.json && !(await io.confirm(`Move ${String(moving)}?`)))
      throw new CliFailure(1, { code: 'declined', title: 'Declined', detail: 'Nothing was changed.' })
    const actor = { author: await authorOf(context), message: options.text('message'), signal: io.signal }
    const job = await client.migrations.start(request, actor)
    out.note(`Job ${job.id}.`)
    const report = await followJob(client, job.id, out, io.signal)
    requireDone(report)
    const moved = report.steps.filter((step) => step.state === 'succeeded').length
    out.say(`${out.paint.green('✓')} Moved ${String(moved)}. What each was on: ratecard jobs show ${job.id}`)
    sayWhatWaits(report, out)
    return { json: toWireJson(report) }
  },
}

function requestOf({ options }: CommandContext) {
  const priceId = options.text('price')
  if (priceId === undefined) throw usageFailure('Which price?', 'Give --price.')
  const list = (name: string) =>
    options
      .text(name)
      ?.split(',')
      .map((id) => id.trim())
      .filter((id) => id !== '')
  return { priceId, to: whenOf(options.text('to') ?? 'renewal'), only: list('only'), except: list('except') }
}

function whenOf(text: string): string {
  if (text === 'renewal' || text === 'now') return text
  const moment = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isFinite(moment)) return new Date(moment).toISOString()
  throw usageFailure(`"${text}" is no time to move.`, 'Write renewal, now, or a date like 2027-01-01.')
}

function showPlan({ out }: CommandContext, plan: MigrationPlan): void {
  if (plan.lines.length === 0) {
    out.say(`Nobody is on an earlier price of "${plan.priceId}".`)
    return
  }
  const columns = [
    { title: 'tenant' },
    { title: 'subscription' },
    { title: 'quantity', align: 'right' as const },
    { title: 'a month', align: 'right' as const },
    { title: 'when (UTC)' },
  ]
  out.print(table(columns, plan.lines.map(rowOf), out.paint))
  for (const { currency, subscriptions, before, after } of plan.totals)
    out.say(
      `${String(subscriptions)} ${subscriptions === 1 ? 'subscription' : 'subscriptions'}: ${formatMinor(before, currency)} → ${formatMinor(after, currency)} a month`,
    )
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
