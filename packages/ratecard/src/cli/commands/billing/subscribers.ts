import type { Subscriber, SubscriberQuery } from '@ratecard/client'
import type { Command } from '../../program/command.ts'
import { connect } from '../../server-address.ts'
import { amountsText, noteAsOf } from '../../views/as-of.ts'
import { jsonSubscribers } from '../../views/text/json.ts'
import { stateText } from '../../views/standing.ts'
import { showTime, formatTable } from '../../views/text/table.ts'

export const billingSubscribers: Command = {
  name: 'billing subscribers',
  summary: 'List the subscribers of a price, and whether they pay its current amount',
  description:
    'When the amount of a price changes, a new price takes its id. Subscribers keep the earlier price that they bought until you move them with `ratecard billing migrate`.',
  arguments: [{ name: '<price>', description: 'Your id of the price.' }],
  options: [
    {
      flags: '--generation <which>',
      description:
        '`current`: subscribed to the price as it is sold now. `earlier`: subscribed to an earlier price, from before the last change (also `legacy`).',
      choices: ['all', 'current', 'earlier', 'legacy'],
      defaultText: 'all',
    },
    { flags: '--limit <n>', description: 'How many.', range: [1, 100], defaultText: '20' },
    { flags: '--offset <n>', description: 'Number of items to skip.', range: [0, 1_000_000], defaultText: '0' },
  ],
  examples: [
    { command: 'ratecard billing subscribers pro_monthly', what: 'by tenant' },
    {
      command: 'ratecard billing subscribers pro_monthly --generation earlier',
      what: 'subscribers who still pay a former amount',
    },
  ],
  run: async (context) => {
    const { args, options, io, out } = context
    const [price = ''] = args
    const asked = options.text('generation')
    const generation = (asked === 'earlier' ? 'legacy' : asked) as SubscriberQuery['generation']
    const list = await connect(context).client.money.subscribers(price, {
      generation,
      limit: options.whole('limit') ?? 20,
      offset: options.whole('offset') ?? 0,
      signal: io.signal,
    })
    const { subscribers, pagination } = list
    if (subscribers.length === 0) out.say('No subscribers.')
    else {
      const columns = [
        ...['tenant', 'name', 'state', 'subscription'].map((title) => ({ title })),
        ...['amount', 'quantity', 'a month'].map((title) => ({ title, align: 'right' as const })),
        ...['renews (UTC)', 'price', 'then'].map((title) => ({ title })),
      ]
      out.print(formatTable(columns, subscribers.map(rowOf), out))
      if (pagination.hasMore) out.note(`${String(subscribers.length)} of ${String(pagination.total)}.`)
      if (subscribers.some(({ legacy }) => legacy))
        out.note(`Move those on an earlier price: \`ratecard billing migrate --price ${price} --dry-run\`.`)
    }
    noteAsOf(list, out)
    return { json: jsonSubscribers(list) }
  },
}

function rowOf(one: Subscriber): string[] {
  return [
    one.tenantId ?? (one.customer === '' ? '–' : `${one.customer} (no tenant)`),
    one.tenantName ?? '',
    stateText(one),
    one.subscription,
    one.formatted ?? 'tiers',
    one.quantity === null ? 'by usage' : String(one.quantity),
    amountsText(one.monthly),
    one.currentPeriodEnd === null ? '–' : showTime(one.currentPeriodEnd),
    one.legacy ? 'earlier' : 'current',
    one.scheduledPriceId ?? '',
  ]
}
