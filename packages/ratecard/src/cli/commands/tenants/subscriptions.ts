// Commands that change what a tenant has: preview, change, cancel, resume and pause.
import type { ChangeOutcome, ChangePreview, Subscription } from '@ratecard/client'
import { defaultProration } from '../../../api/server/limits.ts'
import { authorOf } from '../../author.ts'
import { paidByWords } from '../../../base/wording/invoice-words.ts'
import { usageFailure } from '../../failure.ts'
import { futureBillingTime } from '../../times.ts'
import type { ArgumentSpec, Command, CommandContext, CommandResult, OptionSpec } from '../../program/command.ts'
import { connect } from '../../server-address.ts'
import { requireConsent } from '../../terminal/confirm.ts'
import { escapeBreaks } from '../../terminal/terminal-text.ts'
import { itemsText } from '../../views/items.ts'
import { jsonChangeOutcome, jsonChangePreview, jsonSubscription } from '../../views/text/json.ts'
import { showTime, formatTable } from '../../views/text/table.ts'
import { actorOptions } from '../plan-and-apply.ts'

const tenantArgument: ArgumentSpec = { name: '<tenant>', description: 'Id of the tenant.' }
const subscriptionOption: OptionSpec = {
  flags: '--subscription <id>',
  description: 'Id of the subscription. Not needed if the tenant has one.',
}
const itemsArgument: ArgumentSpec = {
  name: '<items...>',
  description: 'Price ids that the tenant will have, each as `pro` or `pro=7` for seven of it.',
}
const changeOptions: readonly OptionSpec[] = [
  {
    flags: '--replaces <price>',
    description:
      'Price that the tenant has now. The items replace everything that the tenant has of its product or subscription group.',
  },
  {
    flags: '--when <when>',
    description:
      '`auto`: a change that costs at least as much per month takes effect now, a cheaper one at the end of the period.',
    choices: ['auto', 'now', 'period_end'],
    defaultText: 'auto',
  },
  {
    flags: '--proration <how>',
    description: '`prorate` credits unused time and charges the rest of the period; `none` does neither.',
    choices: ['prorate', 'none'],
    defaultText: defaultProration,
  },
  {
    flags: '--to-current',
    description:
      'Move the items to the prices that the tenant would buy now. By default, another quantity keeps the price that the tenant has.',
  },
  subscriptionOption,
]

/** Returns the change that the command line asks for. */
function askedOf({ args, options }: CommandContext) {
  const [tenantId = '', ...items] = args
  const replaces = options.text('replaces')
  return {
    tenantId,
    items: items.map(parseItem),
    when: (options.text('when') ?? 'auto') as 'auto' | 'now' | 'period_end',
    ...(replaces === undefined ? {} : { replaces }),
    ...(options.text('proration') === 'none' ? { proration: 'none' as const } : {}),
    ...(options.flag('toCurrent') ? { toCurrent: true } : {}),
    ...namedSubscription(options),
  }
}

function namedSubscription(options: CommandContext['options']) {
  const subscription = options.text('subscription')
  return subscription === undefined ? {} : { subscription }
}

/** Parses a price with its quantity as typed, e.g. `pro=7`. */
export function parseItem(text: string) {
  const [priceId = '', quantity, ...rest] = text.split('=')
  if (quantity === undefined) return { priceId }
  if (rest.length > 0 || !/^[1-9]\d*$/.test(quantity))
    throw usageFailure(
      `"${text}" is not a valid item.`,
      'Write `<price>`, or `<price>=<quantity>` with a whole quantity of at least 1.',
    )
  return { priceId, quantity: Number(quantity) }
}

export const subscriptionsPreview: Command = {
  name: 'subscriptions preview',
  summary: 'Show what a change of a subscription would cost',
  description: 'Changes nothing.',
  arguments: [tenantArgument, itemsArgument],
  options: changeOptions,
  examples: [
    { command: 'ratecard subscriptions preview glazeworks pro=7', what: 'seven seats of another plan' },
    {
      command: 'ratecard subscriptions preview glazeworks pro=7 --to-current',
      what: 'seven seats at the price of today, also of the plan that the tenant has',
    },
  ],
  run: async (context) => {
    const { io } = context
    const preview = await connect(context).client.subscription.preview(askedOf(context), { signal: io.signal })
    printChange(context, preview)
    return { json: jsonChangePreview(preview) }
  },
}

export const subscriptionsChange: Command = {
  name: 'subscriptions change',
  summary: 'Change plan, seats or interval of a subscription',
  description: 'Shows the cost, asks for a confirmation, and makes the change for exactly these amounts.',
  arguments: [tenantArgument, itemsArgument],
  options: [...changeOptions, ...actorOptions],
  examples: [
    { command: 'ratecard subscriptions change glazeworks pro=7', what: 'an upgrade, billed now' },
    { command: 'ratecard subscriptions change glazeworks basic', what: 'a downgrade, at the end of the period' },
  ],
  run: async (context) => {
    const { options, io, out } = context
    const asked = askedOf(context)
    const { client, url } = connect(context)
    const { subscription } = client
    const preview = await subscription.preview(asked, { signal: io.signal })
    printChange(context, preview)
    await requireConsent(context, {
      question: `Change the subscription of "${asked.tenantId}" at ${url}?`,
      title: 'Changing a subscription needs to be confirmed',
      detail: `The tenant "${asked.tenantId}" is at ${url}.`,
      hint: 'To confirm, run the same command with `--yes`.',
    })
    const outcome = await subscription.change(
      { ...asked, preview: preview.preview },
      { author: await authorOf(context), message: options.text('message'), signal: io.signal },
    )
    out.say(outcomeText(context, outcome))
    return { json: jsonChangeOutcome(outcome) }
  },
}

function outcomeText({ out }: CommandContext, { status, effectiveAt, url }: ChangeOutcome): string {
  if (status === 'changed') return `${out.paint.green('✓')} Changed.`
  if (status === 'scheduled') return `${out.paint.green('✓')} Scheduled for ${showTime(effectiveAt)} UTC.`
  return `${out.paint.yellow('!')} Nothing is changed until the customer pays${url === undefined ? '.' : `: ${escapeBreaks(url)}`}`
}

function printChange({ out }: CommandContext, preview: ChangePreview): void {
  const { before, after, dueNow, nextInvoice, monthly, when, effectiveAt, warnings } = preview
  const sum = (amounts: ChangePreview['monthly']['before']) => amounts.map(({ formatted }) => formatted).join(' + ')
  const next = nextInvoice === null ? 'none' : nextInvoice.formatted
  const at = nextInvoice?.at === null || nextInvoice === null ? '' : `  ${showTime(nextInvoice.at)} UTC`
  const rows = [
    ['items', itemsText(before), '→', itemsText(after)],
    ['a month', sum(monthly.before), '→', sum(monthly.after)],
    ['begins', when === 'now' ? 'now' : `${showTime(effectiveAt)} UTC`, '', ''],
    ['due now', [dueNow.formatted, ...paidByWords(dueNow)].join('  '), '', ''],
    ['next invoice', [`${next}${at}`, ...(nextInvoice === null ? [] : paidByWords(nextInvoice))].join('  '), '', ''],
  ]
  for (const { detail } of warnings) out.say(`${out.paint.yellow('!')} ${escapeBreaks(detail)}`)
  out.print(formatTable(['', '', '', ''], rows, out))
}

export const subscriptionsCancel: Command = {
  name: 'subscriptions cancel',
  summary: 'Cancel a tenant’s subscription',
  arguments: [tenantArgument],
  options: [
    {
      flags: '--now',
      description: 'End it now, without a refund; usage is billed. Default: at the end of the period.',
    },
    { flags: '--reason <text>', description: 'Comment that is stored with the subscription.' },
    subscriptionOption,
    ...actorOptions,
  ],
  examples: [{ command: 'ratecard subscriptions cancel glazeworks', what: 'at the end of the period' }],
  run: async (context) => {
    const { args, options } = context
    const [tenantId = ''] = args
    const now = options.flag('now')
    const { client, url } = connect(context)
    await requireConsent(context, {
      question: `Cancel the subscription of "${tenantId}" at ${url} ${now ? 'now' : 'at the end of its period'}?`,
      title: 'Cancelling a subscription needs to be confirmed',
      detail: `The tenant "${tenantId}" is at ${url}.`,
      hint: 'To confirm, run the same command with `--yes`.',
    })
    const reason = options.text('reason')
    const asked = {
      tenantId,
      ...(now ? { when: 'now' as const } : {}),
      ...(reason === undefined ? {} : { reason }),
      ...namedSubscription(options),
    }
    return showSubscription(context, await client.subscription.cancel(asked, await actingOf(context)))
  },
}

export const subscriptionsResume: Command = {
  name: 'subscriptions resume',
  summary: 'Undo a cancellation, a pause or a scheduled change',
  arguments: [tenantArgument],
  options: [subscriptionOption, ...actorOptions],
  examples: [{ command: 'ratecard subscriptions resume glazeworks', what: 'continue the subscription unchanged' }],
  run: async (context) => {
    const { args, options } = context
    const asked = { tenantId: args[0] ?? '', ...namedSubscription(options) }
    return showSubscription(context, await connect(context).client.subscription.resume(asked, await actingOf(context)))
  },
}

export const subscriptionsPause: Command = {
  name: 'subscriptions pause',
  summary: 'Pause the collection of a subscription’s invoices',
  description: 'The subscription continues, and the tenant keeps its features.',
  arguments: [tenantArgument],
  options: [
    {
      flags: '--until <when>',
      description:
        'When collection resumes automatically: after a duration (30d), on a day (2031-01-31, UTC), or at a time with a time zone.',
    },
    {
      flags: '--behavior <what>',
      description: 'What happens to the invoices during the pause.',
      choices: ['void', 'keep_as_draft', 'mark_uncollectible'],
      defaultText: 'void',
    },
    subscriptionOption,
    ...actorOptions,
  ],
  examples: [{ command: 'ratecard subscriptions pause glazeworks', what: 'until you resume it' }],
  run: async (context) => {
    const { args, options } = context
    const until = options.text('until')
    const asked = {
      tenantId: args[0] ?? '',
      behavior: (options.text('behavior') ?? 'void') as 'void' | 'keep_as_draft' | 'mark_uncollectible',
      ...(until === undefined ? {} : { until: await futureBillingTime(context, '--until', until) }),
      ...namedSubscription(options),
    }
    return showSubscription(context, await connect(context).client.subscription.pause(asked, await actingOf(context)))
  },
}

const actingOf = async (context: CommandContext) => ({
  author: await authorOf(context),
  message: context.options.text('message'),
  signal: context.io.signal,
})

function showSubscription({ out }: CommandContext, subscription: Subscription): CommandResult {
  const { id, status, cancelAt, pause } = subscription
  const ended = status === 'canceled'
  const rest = [
    ...(ended || cancelAt === null ? [] : [`ends ${showTime(cancelAt)} UTC`]),
    ...(ended || pause === null ? [] : [pause.until === null ? 'paused' : `paused until ${showTime(pause.until)} UTC`]),
  ]
  out.say(`${out.paint.green('✓')} ${escapeBreaks(`${id} is ${[status, ...rest].join(', ')}.`)}`)
  return { json: jsonSubscription(subscription) }
}
