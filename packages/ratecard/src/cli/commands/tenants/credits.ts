import { currencyDecimals, isCurrency, type Currency } from '../../../base/money/currencies.ts'
import { formatMinor, minorUnits } from '../../../base/money/format.ts'
import { authorOf } from '../../author.ts'
import { usageFailure } from '../../failure.ts'
import { futureBillingTime } from '../../times.ts'
import type { Command, CommandContext, CommandResult } from '../../program/command.ts'
import { connect } from '../../server-address.ts'
import { jsonCredit, jsonCredits } from '../../views/text/json.ts'
import { printTable, showTime } from '../../views/text/table.ts'

export const tenantsCredits: Command = {
  name: 'tenants credits',
  summary: 'Show or add credit that pays for a tenant’s metered usage',
  description:
    'Without `add`, shows the balance and the remaining amount of each credit. With `add <amount> <currency>`, gives the tenant a promotional credit, e.g. `add 50 usd` for 50 dollars.',
  arguments: [
    { name: '<tenant>', description: 'Id of the tenant.' },
    { name: '[action]', description: '`add` to give a credit. Default: show the credits.' },
    { name: '[amount]', description: 'Amount in units of the currency, e.g. 50 or 12.50.' },
    { name: '[currency]', description: 'Currency code, e.g. usd.' },
  ],
  options: [
    {
      flags: '--expires <date>',
      description: 'When the credit expires: after a duration (90d), on a day, or at a time. Default: never.',
    },
    { flags: '--meter <id...>', description: 'Meters whose usage the credit pays for. Default: all.' },
    {
      flags: '--reason <text>',
      description: 'Reason for the credit, kept in the audit log. Default: "Given by hand".',
    },
  ],
  examples: [
    { command: 'ratecard tenants credits glazeworks', what: 'show the balance and all credits' },
    { command: 'ratecard tenants credits glazeworks add 50 usd --expires 90d', what: '50 dollars for 90 days' },
  ],
  run: async (context) => {
    const { args } = context
    const [tenant = '', action, ...rest] = args
    if (action === undefined) return showCredits(context, tenant)
    if (action !== 'add')
      throw usageFailure(
        `"${action}" is not an action on credits.`,
        `Write \`ratecard tenants credits ${tenant} add 50 usd\`.`,
      )
    return addCredit(context, tenant, rest)
  },
}

async function showCredits(context: CommandContext, tenant: string): Promise<CommandResult> {
  const { io, out } = context
  const answer = await connect(context).client.credits.list(tenant, { signal: io.signal })
  const { balance, credits } = answer
  out.say(`Balance: ${balance.length === 0 ? 'no credit' : balance.map(({ formatted }) => formatted).join(', ')}`)
  printTable(
    out,
    ['credit', 'granted', 'left', 'state', 'meters', 'expires (UTC)', 'reason'],
    credits.map(({ id, formatted, remainingFormatted, state, meters, expiresAt, reason }) => [
      id,
      formatted,
      remainingFormatted,
      state,
      meters?.join(', ') ?? 'all',
      expiresAt === null ? 'never' : showTime(expiresAt),
      reason ?? '',
    ]),
    'No credits yet.',
  )
  return { json: jsonCredits(answer) }
}

async function addCredit(
  context: CommandContext,
  tenant: string,
  [amount = '', code = '']: readonly string[],
): Promise<CommandResult> {
  const { options, io, out } = context
  const currency = code.toLowerCase()
  if (!isCurrency(currency))
    throw usageFailure(
      code === '' ? 'The amount has no currency.' : `"${code}" is not a currency that can be billed.`,
      `Write its code after the amount, for example \`ratecard tenants credits ${tenant} add ${amount} usd\`.`,
    )
  const [expires, meters] = [options.text('expires'), options.list('meter')]
  const credit = await connect(context).client.credits.add(
    tenant,
    {
      amount: amountIn(amount, currency),
      currency,
      reason: options.text('reason') ?? 'Given by hand',
      ...(expires === undefined ? {} : { expiresAt: await futureBillingTime(context, '--expires', expires) }),
      ...(meters.length === 0 ? {} : { meters: [...meters] }),
    },
    { author: await authorOf(context), signal: io.signal },
  )
  const until = credit.expiresAt === null ? '' : `, until ${showTime(credit.expiresAt)} UTC`
  out.say(`${out.paint.green('✓')} Gave "${tenant}" ${credit.formatted} of credit${until}: ${credit.id}.`)
  return { json: jsonCredit(credit) }
}

function amountIn(text: string, currency: Currency): number {
  const amount = minorUnits(text, currency)
  if (amount !== null) return amount
  const decimals = currencyDecimals[currency]
  const example = formatMinor(50 * 10 ** decimals, currency)
  throw usageFailure(
    `"${text}" is not an amount in ${currency}.`,
    `Write 50 for ${example}, with at most ${String(decimals)} decimals.`,
  )
}
