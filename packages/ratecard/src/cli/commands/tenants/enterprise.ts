import type { EnterpriseOutcome, JobReport, PriceDocument } from '@ratecard/client'
import { describePrice } from '../../../pricing/describe.ts'
import { authorOf } from '../../author.ts'
import type { Command, CommandContext, CommandResult, OptionSpec } from '../../program/command.ts'
import { usageFailure } from '../../failure.ts'
import { followJob, requireDone } from '../../follow/follow-job.ts'
import { closedPagesText, outcomeOf, reasonText, printUnmoved } from '../../follow/job-outcome.ts'
import type { Output } from '../../terminal/output.ts'
import { connect } from '../../server-address.ts'
import { printTable } from '../../views/table.ts'
import { actorOptions } from '../plan-and-apply.ts'
import { jsonCoverage, jsonEnterpriseOutcome, jsonJobReport } from '../../views/json.ts'

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
    printTable(out, ['price', 'amount'], prices.map(rowOf), 'No price has it.')
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
    'Moves every matching item of the tenant’s subscriptions. Nothing is billed or credited now; the new amount is on the next invoice. Repeating the command changes nothing more, and finishes a move that was interrupted.',
  arguments: [{ name: '[tenant]', description: 'Id of the tenant. Leave it out with --all-with-template.' }],
  options: [
    ...targetOptions,
    {
      flags: '--all-with-template <name>',
      description: 'Move all tenants with this template, after its prices changed. Runs as a job.',
    },
    {
      flags: '--unmatched <what>',
      description:
        'Items on other negotiated prices without a counterpart in this template or id: `keep` their price, or move them back to their `base` price.',
      choices: ['keep', 'base'],
      defaultText: 'keep',
    },
    dryRunOption,
    ...actorOptions,
  ],
  examples: [
    { command: 'ratecard enterprise apply glazeworks --template school --dry-run', what: 'what would move' },
    { command: 'ratecard enterprise apply glazeworks --id northclay', what: 'prices of its own' },
    {
      command: 'ratecard enterprise apply --all-with-template school',
      what: 'all tenants that have it, with progress',
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
    const choices = options.text('unmatched') === 'base' ? ({ unmatched: 'base' } as const) : {}
    const outcome =
      template === undefined
        ? await enterprise.applyCustom({ tenantId, enterpriseId: id ?? '', ...choices }, asked)
        : await enterprise.applyTemplate({ tenantId, enterpriseTemplate: template, ...choices }, asked)
    return showOutcome(context, outcome)
  },
}

async function askedOf(context: CommandContext) {
  const { options, io } = context
  return {
    dryRun: options.flag('dryRun'),
    author: await authorOf(context),
    message: options.text('message'),
    signal: io.signal,
  }
}

async function moveAll(context: CommandContext, template: string): Promise<CommandResult> {
  const { args, options, io, out } = context
  const others = ['template', 'id', 'unmatched'].filter((name) => options.text(name) !== undefined)
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
  options: [dryRunOption, ...actorOptions],
  examples: [
    { command: 'ratecard enterprise remove glazeworks', what: 'billed at the list price from the renewal on' },
  ],
  run: async (context) => {
    const asked = await askedOf(context)
    const target = { tenantId: context.args[0] ?? '' }
    return showOutcome(context, await connect(context).client.enterprise.remove(target, asked))
  },
}

function showOutcome({ out }: CommandContext, outcome: EnterpriseOutcome): CommandResult {
  const { paint } = out
  for (const { subscription, from, to, effective } of outcome.swaps) {
    const when = effective === 'now' ? 'billed from the renewal on' : 'when the period ends'
    out.say(`  ${paint.yellow('~')}  ${subscription}  ${from} → ${to}  ${paint.dim(when)}`)
  }
  for (const { subscription, price, reason, detail } of outcome.skipped)
    out.say(`  ${paint.dim('·')}  ${subscription}  ${price} stays: ${reasonText(reason, detail)}`)
  const count = `${String(outcome.pricesSwapped)} ${outcome.pricesSwapped === 1 ? 'price' : 'prices'}`
  if (outcome.checkoutsClosed > 0) out.say(`  ${paint.dim('·')}  ${closedPagesText(outcome.checkoutsClosed)}`)
  const left = outcome.leftOnOtherDeal
  // There is no check mark while items stay on other negotiated prices, because it would suggest that everything was swapped.
  const tick = left === 0 ? `${paint.green('✓')} ` : ''
  out.say(outcome.dryRun === true ? `Would swap ${count}.` : `${tick}Swapped ${count}.`)
  if (left > 0)
    out.say(
      `${paint.yellow('!')} ${String(left)} ${left === 1 ? 'item' : 'items'} ${outcome.dryRun === true ? 'would stay' : left === 1 ? 'stays' : 'stay'} on other negotiated prices, with any discount. To move back to the base price: the same command with --unmatched base.`,
    )
  return { json: jsonEnterpriseOutcome(outcome) }
}

export const enterpriseCoverage: Command = {
  name: 'enterprise coverage',
  summary: 'Show which base prices have which negotiated prices, and the gaps',
  options: [{ flags: '--exit-code', description: 'Exit 3 when there are gaps.' }],
  examples: [{ command: 'ratecard enterprise coverage', what: 'a row for each base price' }],
  run: async (context) => {
    const { options, io, out } = context
    const coverage = await connect(context).client.enterprise.coverage({ signal: io.signal })
    const targets = coverage.rows[0]?.cells.map((cell) => cell.target) ?? []
    const columns = [{ title: 'base price' }, ...targets.map((title) => ({ title }))]
    const rows = coverage.rows.map(({ basePriceId, cells }) => [
      basePriceId,
      // `–` marks a gap: a customer or template without a negotiated price for this base price. A base price without any negotiated price
      // has no gaps, so its cells stay empty.
      ...cells.map(({ priceId }) => priceId ?? (cells.some((cell) => cell.priceId !== null) ? out.paint.red('–') : '')),
    ])
    printTable(out, columns, rows, 'There are no negotiated prices.')
    if (coverage.withoutBase.length > 0)
      out.note(`Without a base, never applied: ${coverage.withoutBase.join(', ')}. Give them \`base_price\`.`)
    if (coverage.gaps > 0) out.note(`${String(coverage.gaps)} ${coverage.gaps === 1 ? 'gap' : 'gaps'}.`)
    return { json: jsonCoverage(coverage), exit: options.flag('exitCode') && coverage.gaps > 0 ? 3 : 0 }
  },
}
