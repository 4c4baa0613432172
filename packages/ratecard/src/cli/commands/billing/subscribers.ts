import type { Subscriber, SubscriberQuery } from '@ratecard/client'
import type { Command } from '../../program/command.ts'
import { connect } from '../../server-address.ts'
import { amountsText, noteAsOf } from '../../views/as-of.ts'
import { jsonSubscribers } from '../../views/json.ts'
import { showTime, table } from '../../views/table.ts'

export const billingSubscribers: Command = {
  name: 'billing subscribers',
  summary: 'List the subscribers of a price, and whether they pay its current amount',
  description:
    'A changed amount makes a new generation of a price. Subscribers stay on the generation that they bought, until you move them with `ratecard billing migrate`.',
  arguments: [{ name: '<price>', description: 'Your id of the price.' }],
  options: [
    {
      flags: '--generation <which>',
      description:
        '`current`: subscribed to the price as it is sold now. `legacy`: to an earlier generation, i.e. from before its last change.',
      choices: ['all', 'current', 'legacy'],
      defaultText: 'all',
    },
    { flags: '--limit <n>', description: 'How many.', range: [1, 100], defaultText: '20' },
    { flags: '--offset <n>', description: 'How many to skip.', range: [0, 1_000_000], defaultText: '0' },
  ],
  examples: [
    { command: 'ratecard billing subscribers pro_monthly', what: 'by tenant' },
    { command: 'ratecard billing subscribers pro_monthly --generation legacy', what: 'who is still on an older price' },
  ],
  run: async (context) => {
    const { args, options, io, out } = context
    const [price = ''] = args
    const generation = options.text('generation') as SubscriberQuery['generation']
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
        ...['tenant', 'status', 'subscription'].map((title) => ({ title })),
        ...['amount', 'quantity', 'a month'].map((title) => ({ title, align: 'right' as const })),
        ...['renews (UTC)', 'generation', 'then'].map((title) => ({ title })),
      ]
      out.print(table(columns, subscribers.map(rowOf), out))
      if (pagination.hasMore) out.note(`${String(subscribers.length)} of ${String(pagination.total)}.`)
      if (subscribers.some(({ legacy }) => legacy))
        out.note(`Move those on an older price: \`ratecard billing migrate --price ${price} --dry-run\`.`)
    }
    noteAsOf(list, out)
    return { json: jsonSubscribers(list) }
  },
}

function rowOf(one: Subscriber): string[] {
  return [
    one.tenantId ?? (one.customer === '' ? '–' : `${one.customer} (no tenant)`),
    one.status,
    one.subscription,
    one.formatted ?? 'tiers',
    one.quantity === null ? 'by usage' : String(one.quantity),
    amountsText(one.monthly),
    one.currentPeriodEnd === null ? '–' : showTime(one.currentPeriodEnd),
    one.legacy ? 'older' : 'current',
    one.scheduledPriceId ?? '',
  ]
}
