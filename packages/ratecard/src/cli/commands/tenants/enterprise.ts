import type { EnterpriseOutcome, JobReport, PriceDocument } from '@ratecard/client'
import { describePrice } from '../../../document/pricing/describe.ts'
import { authorOf } from '../../author.ts'
import type { Command, CommandContext, CommandResult, OptionSpec } from '../../program/command.ts'
import { usageFailure } from '../../failure.ts'
import { followJob, requireDone } from '../../follow/follow-job.ts'
import { closedPagesText, outcomeOf, reasonText, printUnmoved } from '../../follow/job-outcome.ts'
import type { Output } from '../../terminal/output.ts'
import { connect } from '../../server-address.ts'
import { futureBillingTime } from '../../times.ts'
import { dealEndText } from '../../views/deal-end.ts'
import { printTable } from '../../views/text/table.ts'
import { actorOptions, noteViolations, overrideOf, overrideOption, overriding } from '../plan-and-apply.ts'
import { jsonCoverage, jsonEnterpriseOutcome, jsonJobReport } from '../../views/text/json.ts'

const targetOptions: readonly OptionSpec[] = [
  { flags: '--template <name>', description: 'Enterprise template: prices negotiated for several tenants.' },
  { flags: '--id <enterprise-id>', description: 'Enterprise id: the prices negotiated with a single tenant.' },
]
const dryRunOption: OptionSpec = { flags: '--dry-run', description: 'Show which items would move; nothing is changed.' }

export const enterprisePrices: Command = {
  name: 'enterprise prices',
  summary: 'List the negotiated prices of a template or an enterprise id',
  options: targetOptions,
  examples: [{ command: 'ratecard enterprise prices --template school', what: 'every price of a template' }],
  run: async (context) => {
    const { io, out } = context
    const { template, id } = targetOf(context)
    const { admin } = connect(context).client
    const prices =
      template === undefined
        ? await admin.enterprisePricesById(id ?? '', { signal: io.signal })
        : await admin.enterprisePricesByTemplate(template, { signal: io.signal })
    printTable(out, ['price', 'amount'], prices.map(rowOf), 'No price has this template or enterprise id.')
    return { json: { prices } }
  },
}

/**
 * The cast is needed because the client's type has plain strings where the document has enumerations: a newer server may have more values.
 */
const rowOf = (price: PriceDocument) => [price.id, describePrice(price as Parameters<typeof describePrice>[0])]

function targetOf({ options }: CommandContext): { template: string | undefined; id: string | undefined } {
  const template = options.text('template')
  const id = options.text('id')
  if ((template === undefined) === (id === undefined))
    throw usageFailure('Which prices?', 'Give either --template or --id.')
  return { template, id }
}

export const enterpriseApply: Command = {
  name: 'enterprise apply',
  summary: 'Give a tenant its negotiated prices',
  description:
    'Moves all matching items of the tenant’s subscriptions. Nothing is billed or credited now; the new amount is on the next invoice. If you repeat the command, it changes nothing, or finishes an interrupted move.',
  arguments: [{ name: '[tenant]', description: 'Id of the tenant. Leave it out with --all-with-template.' }],
  options: [
    ...targetOptions,
    {
      flags: '--all-with-template <name>',
      description:
        'Move all tenants with this template to its present prices. Use it after you changed them. Runs as a job.',
    },
    {
      flags: '--unmatched <what>',
      description:
        'What happens to items with a negotiated price of another deal that have no price in this one: `keep` that price, or move to their `base` price.',
      choices: ['keep', 'base'],
      defaultText: 'keep',
    },
    {
      flags: '--until <when>',
      description:
        'When the deal ends: after a duration (90d), on a day (at 00:00 UTC), at a time with a time zone, or `never`. If you apply the same deal again without this option, it keeps its end.',
    },
    {
      flags: '--then <what>',
      description:
        'With --until: which price the items return to. `base`: their base price at that time. `signed`: the price that they had before the deal.',
      choices: ['base', 'signed'],
      defaultText: 'base',
    },
    dryRunOption,
    overrideOption,
    ...actorOptions,
  ],
  examples: [
    { command: 'ratecard enterprise apply glazeworks --template school --dry-run', what: 'show what would move' },
    {
      command: 'ratecard enterprise apply glazeworks --template school --until 2031-01-01',
      what: 'a deal with an end date',
    },
    {
      command: 'ratecard enterprise apply glazeworks --id northclay',
      what: 'apply prices that were negotiated with this tenant only',
    },
    {
      command: 'ratecard enterprise apply --all-with-template school',
      what: 'move all tenants with this template',
    },
  ],
  run: async (context) => {
    const { args, options } = context
    const all = options.text('allWithTemplate')
    if (all !== undefined) return moveAll(context, all)
    const [tenantId] = args
    if (tenantId === undefined) throw usageFailure('Whose prices?', 'Give the id of a tenant.')
    const { template, id } = targetOf(context)
    const { enterprise } = connect(context).client
    const asked = await askedOf(context)
    const choices = {
      ...(options.text('unmatched') === 'base' ? ({ unmatched: 'base' } as const) : {}),
      ...(await endOf(context)),
    }
    const outcome =
      template === undefined
        ? await enterprise.applyCustom({ tenantId, enterpriseId: id ?? '', ...choices }, asked)
        : await enterprise.applyTemplate({ tenantId, enterpriseTemplate: template, ...choices }, asked)
    return showOutcome(context, outcome)
  },
}

async function endOf(context: CommandContext): Promise<{ endsAt?: string | null; then?: 'base' | 'signed' }> {
  const { options } = context
  const [until, then] = [options.text('until'), options.text('then')]
  if (until === undefined || until === 'never') {
    if (then !== undefined)
      throw usageFailure('--then needs --until.', 'Add the end of the deal, e.g. --until 2031-01-01.')
    return until === undefined ? {} : { endsAt: null }
  }
  return {
    endsAt: await futureBillingTime(context, '--until', until),
    ...(then === 'signed' || then === 'base' ? { then } : {}),
  }
}

async function askedOf(context: CommandContext) {
  const { options, io } = context
  return {
    dryRun: options.flag('dryRun'),
    ...overriding(overrideOf(context)),
    author: await authorOf(context),
    message: options.text('message'),
    signal: io.signal,
  }
}

async function moveAll(context: CommandContext, template: string): Promise<CommandResult> {
  const { args, options, io, out } = context
  const others = ['template', 'id', 'unmatched', 'until', 'then'].filter((name) => options.text(name) !== undefined)
  if (args.length > 0 || options.flag('dryRun') || others.length > 0)
    throw usageFailure(
      '--all-with-template cannot be combined with a tenant or another option.',
      'For a preview: `ratecard tenants list --template <name>`, then `ratecard enterprise apply <tenant> --dry-run`.',
    )
  const { client } = connect(context)
  const { dryRun: _, ...asked } = await askedOf(context)
  const job = await client.enterprise.moveTemplate({ enterpriseTemplate: template }, asked)
  out.note(`Job ${job.id}: ${String(job.stepsTotal)} ${job.stepsTotal === 1 ? 'tenant' : 'tenants'}.`)
  const report = await followJob(client, job.id, out, io.signal)
  requireDone(report)
  printMoved(report, template, out)
  return { json: jsonJobReport(report) }
}

function printMoved(report: JobReport, template: string, out: Output): void {
  const { moved, stayed } = outcomeOf(report)
  printUnmoved(report, out)
  const partly = new Set(stayed.map(({ tenant }) => tenant)).size
  const tick = moved > 0 || partly === 0 ? `${out.paint.green('✓')} ` : ''
  const rest = partly === 0 ? '' : ` ${String(partly)} not moved completely: see above.`
  out.say(
    `${tick}${String(report.stepsDone - partly)} of ${String(report.stepsTotal)} tenants are on "${template}".${rest}`,
  )
}

export const enterpriseRemove: Command = {
  name: 'enterprise remove',
  summary: 'Put a tenant back on the list prices',
  arguments: [{ name: '<tenant>', description: 'Id of the tenant.' }],
  options: [
    {
      flags: '--to <what>',
      description:
        'Which price the items return to. `base`: their current base price. `signed`: the price that they had before the deal.',
      choices: ['base', 'signed'],
      defaultText: 'base',
    },
    dryRunOption,
    overrideOption,
    ...actorOptions,
  ],
  examples: [
    { command: 'ratecard enterprise remove glazeworks', what: 'bill the list price from the renewal on' },
    {
      command: 'ratecard enterprise remove glazeworks --to signed --dry-run',
      what: 'preview the amounts before and after',
    },
  ],
  run: async (context) => {
    const asked = await askedOf(context)
    const to = context.options.text('to')
    const target = { tenantId: context.args[0] ?? '', ...(to === 'signed' || to === 'base' ? ({ to } as const) : {}) }
    return showOutcome(context, await connect(context).client.enterprise.remove(target, asked))
  },
}

const moneyText = (sums: readonly { readonly formatted: string }[]) =>
  sums.length === 0 ? 'nothing' : sums.map(({ formatted }) => formatted).join(' + ')

function showOutcome(context: CommandContext, outcome: EnterpriseOutcome): CommandResult {
  const { out } = context
  const { paint } = out
  for (const { subscription, from, to, effective, former } of outcome.swaps) {
    const earlier = former === true ? ' (as signed, replaced since)' : ''
    const when = effective === 'now' ? 'billed from the renewal on' : 'when the period ends'
    out.say(`  ${paint.yellow('~')}  ${subscription}  ${from} → ${to}${earlier}  ${paint.dim(when)}`)
  }
  for (const { subscription, price, reason, detail } of outcome.skipped)
    out.say(`  ${paint.dim('·')}  ${subscription}  ${price} stays: ${reasonText(reason, detail)}`)
  const count = `${String(outcome.pricesSwapped)} ${outcome.pricesSwapped === 1 ? 'price' : 'prices'}`
  const { monthly } = outcome
  if (monthly !== undefined && monthly.before.length + monthly.after.length > 0)
    out.say(`  ${paint.dim('·')}  a month: ${moneyText(monthly.before)} → ${moneyText(monthly.after)}`)
  if (outcome.endsAt !== undefined) out.say(`  ${paint.dim('·')}  ${dealEndText(outcome.endsAt, outcome.then)}`)
  if (outcome.checkoutsClosed > 0) out.say(`  ${paint.dim('·')}  ${closedPagesText(outcome.checkoutsClosed)}`)
  const left = outcome.leftOnOtherDeal
  // Shows no check mark if some items stay on other negotiated prices, because a check mark would suggest that all were swapped.
  const tick = left === 0 ? `${paint.green('✓')} ` : ''
  out.say(outcome.dryRun === true ? `Would swap ${count}.` : `${tick}Swapped ${count}.`)
  if (left > 0)
    out.say(
      `${paint.yellow('!')} ${String(left)} ${left === 1 ? 'item' : 'items'} ${outcome.dryRun === true ? 'would stay' : left === 1 ? 'stays' : 'stay'} on other negotiated prices, with any discount. To move back to the base price: the same command with --unmatched base.`,
    )
  noteViolations(context, outcome.violations ?? [])
  return { json: jsonEnterpriseOutcome(outcome) }
}

export const enterpriseCoverage: Command = {
  name: 'enterprise coverage',
  summary: 'Show the negotiated prices of each base price, and which are missing',
  options: [{ flags: '--exit-code', description: 'Exit with code 3 if negotiated prices are missing.' }],
  examples: [{ command: 'ratecard enterprise coverage', what: 'a row for each base price' }],
  run: async (context) => {
    const { options, io, out } = context
    const coverage = await connect(context).client.enterprise.coverage({ signal: io.signal })
    const targets = coverage.rows[0]?.cells.map((cell) => cell.target) ?? []
    const columns = [{ title: 'base price' }, ...targets.map((title) => ({ title }))]
    const rows = coverage.rows.map(({ basePriceId, cells }) => [
      basePriceId,
      // `–` marks a gap: the customer or template has no negotiated price for this base price. If no customer or template has one, there
      // are no gaps and the cells are empty.
      ...cells.map(({ priceId }) => priceId ?? (cells.some((cell) => cell.priceId !== null) ? out.paint.red('–') : '')),
    ])
    printTable(out, columns, rows, 'There are no negotiated prices.')
    if (coverage.withoutBase.length > 0)
      out.note(
        `Never applied, because they have no base price: ${coverage.withoutBase.join(', ')}. Set their \`base_price\`.`,
      )
    if (coverage.gaps > 0) out.note(`${String(coverage.gaps)} ${coverage.gaps === 1 ? 'gap' : 'gaps'}.`)
    return { json: jsonCoverage(coverage), exit: options.flag('exitCode') && coverage.gaps > 0 ? 3 : 0 }
  },
}
