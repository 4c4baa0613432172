import type { CurrencyMoney, Money, MoneyDays } from '@ratecard/client'
import type { Command, CommandContext } from '../../program/command.ts'
import { usageFailure } from '../../failure.ts'
import { connect } from '../../server-address.ts'
import { noteAsOf } from '../../views/as-of.ts'
import { escapeBreaks } from '../../terminal/terminal-text.ts'
import { count } from '../../views/issues.ts'
import { jsonMoney, jsonMoneyDays } from '../../views/text/json.ts'
import { moneyCsv } from '../../views/money-csv.ts'
import { sparkline } from '../../views/text/sparkline.ts'
import { showTime, formatTable } from '../../views/text/table.ts'

const dayMs = 24 * 60 * 60 * 1000

export const money: Command = {
  name: 'money',
  summary: 'Show monthly recurring revenue: now, by price, and day by day',
  description:
    'Monthly recurring revenue (MRR) is the monthly amount of licensed recurring items that are active or past due, minus discounts that never end, without tax. Usage, trials and paused subscriptions are not included.',
  options: [
    { flags: '--days <n>', description: 'Number of days before today.', range: [1, 3650], defaultText: '90' },
    { flags: '--csv', description: 'Print CSV instead of the overview: one row for each day and currency.' },
  ],
  examples: [
    { command: 'ratecard money', what: 'revenue now and over the last 30 days, and the last pushes' },
    { command: 'ratecard money --days 365 --csv > mrr.csv', what: 'a row for each day and currency' },
  ],
  run: async (context) => {
    const { options, global, io, out } = context
    if (options.flag('csv') && global.json) throw usageFailure('--csv and --json cannot be combined.', 'Choose one.')
    const { client } = connect(context)
    const now = await client.money.now({ signal: io.signal })
    // Days are counted by the clock of the service, not by the clock of this machine.
    const to = now.asOf.slice(0, 10)
    const from = new Date(Date.parse(to) - (options.whole('days') ?? 90) * dayMs).toISOString().slice(0, 10)
    const days = await client.money.days({ from, to, signal: io.signal })
    if (options.flag('csv')) {
      out.print(moneyCsv(days))
      return {}
    }
    show(context, now, days)
    const { days: listed, pushes } = jsonMoneyDays(days)
    return { json: { ...jsonMoney(now), days: listed, pushes } }
  },
}

function show({ out }: CommandContext, now: Money, days: MoneyDays): void {
  if (now.currencies.length === 0) out.say('No subscriptions yet.')
  for (const currency of now.currencies) {
    out.print(headOf(currency, days).map(escapeBreaks).join('\n'))
    if (currency.byPrice.length > 0) out.print(`${byPrice(currency, out)}\n`)
  }
  const pushes = days.pushes.slice(-5).reverse()
  if (pushes.length > 0) {
    const columns = ['push', 'version', 'when (UTC)', 'by'].map((title) => ({ title }))
    const rows = pushes.map(({ revision, version, at, by }) => [String(revision), version, showTime(at), by ?? '–'])
    out.print(formatTable(columns, rows, out))
  }
  noteAsOf(now, out)
}

function headOf(one: CurrencyMoney, { days }: MoneyDays): string[] {
  const moved = one.last30Days
  const movements = [
    ['new', moved.new, moved.newFormatted],
    ['expansion', moved.expansion, moved.expansionFormatted],
    ['reactivation', moved.reactivation, moved.reactivationFormatted],
    ['contraction', moved.contraction, `−${moved.contractionFormatted}`],
    ['churn', moved.churn, `−${moved.churnFormatted}`],
  ] as const
  const moves = movements.filter(([, amount]) => amount !== '0').map(([name, , text]) => `${name} ${text}`)
  const history = days.filter(({ currency }) => currency === one.currency).map(({ mrr }) => Number(mrr))
  return [
    `${one.currency.toUpperCase()}  ${one.formatted} a month of ${count(one.subscriptions, 'subscription')}, ${count(one.tenants, 'tenant')}`,
    ...(history.length > 1 ? [`  ${sparkline(history)}  ${count(history.length, 'day')}`] : []),
    `  last 30 days   ${[`net ${moved.netFormatted}`, ...moves].join(', ')}`,
    ...(one.usageLastPeriod === '0' ? [] : [`  usage          ${one.usageLastPeriodFormatted} in the last period`]),
    ...(one.trialing === 0 ? [] : [`  trials         ${String(one.trialing)}`]),
    ...(one.pastDue.amount === '0'
      ? []
      : [`  past due       ${one.pastDue.formatted} of ${count(one.pastDue.tenants, 'tenant')}`]),
    ...(one.writtenOff.amount === '0' ? [] : [`  written off    ${one.writtenOff.formatted}`]),
  ]
}

function byPrice({ byPrice: prices }: CurrencyMoney, out: CommandContext['out']): string {
  const right = (title: string) => ({ title, align: 'right' as const })
  const columns = [
    { title: 'price' },
    right('subscriptions'),
    right('a month'),
    right('usage'),
    right('on earlier price'),
  ]
  const rows = prices.map(({ priceId, subscriptions, formatted, legacy, ...rest }) => [
    priceId ?? 'none of yours',
    String(subscriptions),
    formatted,
    rest.usageLastPeriod === '0' ? '' : rest.usageLastPeriodFormatted,
    legacy.subscriptions === 0 ? '' : `${String(legacy.subscriptions)}, ${legacy.formatted}`,
  ])
  return formatTable(columns, rows, out)
}
