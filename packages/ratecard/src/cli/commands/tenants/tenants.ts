import { RatecardError } from '@ratecard/client'
import type { Client, Credits, DroppedUsage, Tenant, TenantSubscriptions } from '@ratecard/client'
import { formatMinor } from '../../../base/money/format.ts'
import { authorOf } from '../../author.ts'
import type { ArgumentSpec, Command, CommandContext, OptionSpec } from '../../program/command.ts'
import { usageFailure } from '../../failure.ts'
import { requireConsent } from '../../terminal/confirm.ts'
import { connect } from '../../server-address.ts'
import { dealEndText } from '../../views/deal-end.ts'
import { printDroppedUsage } from '../../views/dropped-usage.ts'
import { itemsText } from '../../views/items.ts'
import { stateText } from '../../views/standing.ts'
import { endOf } from '../../../base/wording/planned-end.ts'
import { showTime, formatTable } from '../../views/text/table.ts'
import { jsonCreditBalance, jsonDroppedUsage, jsonSubscriptions, jsonTenant } from '../../views/text/json.ts'

export const tenantArgument: ArgumentSpec = { name: '<id>', description: 'Id of the tenant.' }
const emailOption: OptionSpec = { flags: '--email <address>', description: 'Email address for invoices.' }
const customerOption: OptionSpec = {
  flags: '--customer <id>',
  description: 'Id of the customer at the processor, if the tenant has one already, `cus_…`.',
}

export const tenantsCreate: Command = {
  name: 'tenants create',
  summary: 'Create a tenant',
  description: 'Without --customer, the customer at the processor is created at the first checkout.',
  arguments: [{ name: '[id]', description: 'Your own id for the tenant. Default: a generated one.' }],
  options: [{ flags: '--name <name>', description: 'Name of the tenant.' }, emailOption, customerOption],
  examples: [
    { command: 'ratecard tenants create glazeworks --name "Glazeworks"', what: 'with your own id' },
    {
      command: 'ratecard tenants create acme --name Acme --customer cus_123',
      what: 'for a customer that already exists at the processor',
    },
  ],
  run: async (context) => {
    const { args, options, io, out } = context
    const name = options.text('name') ?? args[0]
    if (name === undefined) throw usageFailure('A tenant needs an id or a name.', 'Pass an id, or a name with --name.')
    const tenant = await connect(context).client.tenants.create(
      { id: args[0], name, email: options.text('email'), processorCustomerId: options.text('customer') },
      { author: await authorOf(context), signal: io.signal },
    )
    const called = tenant.name === tenant.id ? '' : ` (${tenant.name})`
    out.say(`${out.paint.green('✓')} Tenant ${out.paint.bold(tenant.id)}${called}.`)
    return { json: jsonTenant(tenant) }
  },
}

export const enterpriseOf = ({ enterpriseTemplate, enterpriseId }: Tenant) =>
  enterpriseTemplate ?? (enterpriseId === null ? '–' : `id ${enterpriseId}`)

export const tenantsShow: Command = {
  name: 'tenants show',
  summary: 'Show a tenant and its subscriptions',
  arguments: [tenantArgument],
  examples: [{ command: 'ratecard tenants show glazeworks', what: 'show the tenant with your own price ids' }],
  run: async (context) => {
    const { args, io, out } = context
    const { client } = connect(context)
    const id = args[0] ?? ''
    const tenant = await client.tenants.find(id, { signal: io.signal })
    const subscriptions = await client.tenants.subscriptions(id, { signal: io.signal })
    const credits = await creditBalance(context, client, id)
    const facts: readonly (readonly [string, string | undefined])[] = [
      ['state', stateOf(subscriptions)],
      ...(await moneyOf(context, client, id)),
      ['balance', sums(subscriptions.balance)],
      ['credit', sums(credits)],
      ['deal', dealOf(tenant)],
      ['customer', tenant.processorCustomerId ?? 'none yet'],
    ]
    out.print(
      [
        [out.paint.bold(tenant.name), tenant.name === tenant.id ? '' : tenant.id, tenant.email ?? '']
          .filter((text) => text !== '')
          .join('  '),
        ...facts.flatMap(([name, text]) => (text === undefined ? [] : [`  ${name.padEnd(12)}  ${text}`])),
      ].join('\n'),
    )
    showSubscriptions(context, subscriptions)
    const dropped = await droppedUsage(context, client, id, subscriptions)
    printDroppedUsage(context, dropped, id)
    const json = dropped ? jsonDroppedUsage({ dropped }).dropped : dropped
    const told = json === undefined ? {} : { dropped_usage: json }
    const balance = credits === undefined ? {} : { credits: jsonCreditBalance(credits) }
    return { json: { ...jsonTenant(tenant), ...jsonSubscriptions(subscriptions), ...told, ...balance } }
  },
}

const stateOf = ({ customerDeleted, billingStatus }: TenantSubscriptions) =>
  customerDeleted === true
    ? 'the customer was deleted at the processor; the next checkout makes a new one'
    : billingStatus.replaceAll('_', ' ')

const dealOf = (tenant: Tenant) =>
  `${enterpriseOf(tenant)}${tenant.enterpriseEndsAt === null ? '' : `, ${dealEndText(tenant.enterpriseEndsAt, tenant.enterpriseThen)}`}`

/** Returns amounts of several currencies as one text; undefined if there are none, or if they are not known. */
const sums = (amounts: readonly { readonly formatted: string }[] | undefined) =>
  amounts === undefined || amounts.length === 0 ? undefined : amounts.map(({ formatted }) => formatted).join(', ')

/**
 * Returns what the tenant owes, pays a month and is invoiced next. What is not known is left out: the first two without the mirror, the last
 * if the processor does not answer.
 */
async function moneyOf(
  { io, out }: CommandContext,
  client: Client,
  id: string,
): Promise<readonly (readonly [string, string | undefined])[]> {
  const listed = await unless(mirrorCodes, client.tenants.list({ q: id, signal: io.signal }))
  const one = listed?.tenants.find((tenant) => tenant.id === id)
  const upcoming = await unless(processorCodes, client.tenants.upcomingInvoice(id, { signal: io.signal }))
  const next = upcoming?.invoices.map(
    ({ amountDue, currency, dueAt }) =>
      `${formatMinor(amountDue, currency)}${dueAt === null ? '' : ` on ${showTime(dueAt)} (UTC)`}`,
  )
  const owed = sums(one?.owed)
  return [
    ['owed', owed === undefined ? (one === undefined ? undefined : 'nothing') : out.paint.red(owed)],
    ['a month', sums(one?.monthly)],
    ['next invoice', next === undefined ? undefined : next.length === 0 ? 'none' : next.join(', ')],
  ]
}

const mirrorCodes = ['mirror_off', 'mirror_filling', 'route_not_found']
const processorCodes = ['processor_unavailable', 'processor_timeout', 'processor_rate_limited']

/** Returns undefined if the request fails with one of the codes. */
async function unless<T>(codes: readonly string[], request: Promise<T>): Promise<T | undefined> {
  try {
    return await request
  } catch (error) {
    if (error instanceof RatecardError && codes.includes(error.code)) return undefined
    throw error
  }
}

/**
 * Returns the remaining amount of the tenant's credits. Returns undefined if the mirror is off or not complete, or if the server is too old
 * for this request.
 */
async function creditBalance(
  { io }: CommandContext,
  client: Client,
  tenantId: string,
): Promise<Credits['balance'] | undefined> {
  return (await unless(mirrorCodes, client.credits.list(tenantId, { signal: io.signal })))?.balance
}

/**
 * Returns reports of dropped usage. null: the processor returned no data. undefined: the server is too old for this request. In both cases
 * the rest of the tenant's data is shown.
 */
async function droppedUsage(
  { io }: CommandContext,
  client: Client,
  tenantId: string,
  { subscriptions }: TenantSubscriptions,
): Promise<DroppedUsage[] | null | undefined> {
  const isMetered = subscriptions.some(({ items }) => items.some(({ usageType }) => usageType === 'metered'))
  if (!isMetered) return []
  try {
    return await client.usage.dropped({ tenantId, signal: io.signal })
  } catch (error) {
    if (error instanceof RatecardError && error.code.startsWith('processor_')) return null
    if (error instanceof RatecardError && error.code === 'route_not_found') return undefined
    throw error
  }
}

export const tenantsSubscriptions: Command = {
  name: 'tenants subscriptions',
  summary: 'List the subscriptions of a tenant',
  description: '`earlier price` marks a price that has been replaced. The tenant keeps it until you move it.',
  arguments: [tenantArgument],
  examples: [
    { command: 'ratecard tenants subscriptions glazeworks', what: 'list active subscriptions with your own price ids' },
  ],
  run: async (context) => {
    const { args, io } = context
    const found = await connect(context).client.tenants.subscriptions(args[0] ?? '', { signal: io.signal })
    showSubscriptions(context, found)
    return { json: jsonSubscriptions(found) }
  },
}

function showSubscriptions({ out }: CommandContext, { subscriptions }: TenantSubscriptions): void {
  if (subscriptions.length === 0) {
    out.say('No live subscriptions.')
    return
  }
  const columns = ['subscription', 'state', 'price', 'quantity', 'renews (UTC)', 'then']
  const rows = subscriptions.flatMap((subscription) =>
    subscription.items.map((item) => [
      subscription.id,
      stateText({ ...subscription, endsAt: endOf(subscription) }),
      `${item.priceId ?? item.processorPriceId}${item.legacy ? out.paint.yellow(' (earlier price)') : ''}`,
      item.quantity === null ? (item.usageType === 'metered' ? 'by usage' : '–') : String(item.quantity),
      item.currentPeriodEnd === null ? '–' : showTime(item.currentPeriodEnd),
      item.scheduledPriceId ?? '',
    ]),
  )
  out.print(formatTable(columns, rows, out))
  for (const { id, scheduled } of subscriptions)
    if (scheduled !== null) out.say(`${id} from ${showTime(scheduled.at)} UTC: ${itemsText(scheduled.items)}`)
  for (const { id, duplicateOf, items } of subscriptions)
    if (duplicateOf !== null)
      out.say(
        `${out.paint.yellow('!')} ${id} (${items.map((item) => item.priceId ?? item.processorPriceId).join(', ')}) is a second subscription beside ${duplicateOf}, of the same product or group: both are billed. Cancel one of them at the processor, and refund it.`,
      )
}

export const tenantsUpdate: Command = {
  name: 'tenants update',
  summary: 'Change a tenant’s name, address or customer',
  arguments: [tenantArgument],
  options: [{ flags: '--name <name>', description: 'Name of the tenant.' }, emailOption, customerOption],
  examples: [
    {
      command: 'ratecard tenants update glazeworks --email ap@glazeworks.example',
      what: 'change only the email address',
    },
  ],
  run: async (context) => {
    const { args, options, io, out } = context
    const change = {
      name: options.text('name'),
      email: options.text('email'),
      processorCustomerId: options.text('customer'),
    }
    if (Object.values(change).every((value) => value === undefined))
      throw usageFailure('Nothing to change.', 'Give --name, --email or --customer.')
    const actor = { author: await authorOf(context), signal: io.signal }
    const tenant = await connect(context).client.tenants.update(args[0] ?? '', change, actor)
    out.say(`${out.paint.green('✓')} Changed ${tenant.id}.`)
    return { json: jsonTenant(tenant) }
  },
}

export const tenantsDelete: Command = {
  name: 'tenants delete',
  summary: 'Delete a tenant',
  description:
    'Refused while the tenant has live subscriptions. Its open checkout pages expire. Its audit log and its customer at the processor stay.',
  arguments: [tenantArgument],
  examples: [
    { command: 'ratecard tenants delete glazeworks', what: 'asks first' },
    { command: 'ratecard tenants delete glazeworks --yes', what: 'from a script' },
  ],
  run: async (context) => {
    const { args, io, out } = context
    const id = args[0] ?? ''
    const { client, url } = connect(context)
    await client.tenants.find(id, { signal: io.signal })
    await requireConsent(context, {
      question: `Delete the tenant "${id}" at ${url}?`,
      title: 'Deleting a tenant needs to be confirmed',
      detail: `The tenant "${id}" is at ${url}.`,
      hint: `To confirm: \`ratecard tenants delete ${id} --yes\`.`,
    })
    await client.tenants.remove(id, { author: await authorOf(context), signal: io.signal })
    out.say(`${out.paint.green('✓')} Deleted ${id}.`)
    return { json: { id, deleted: true } }
  },
}

export const tenantsCancel: Command = {
  name: 'tenants cancel',
  summary: 'End a tenant’s subscription to a free price',
  description:
    'Ends the free subscription immediately. To cancel a paid subscription, use `ratecard subscriptions cancel`. If the tenant buys a paid subscription, its free ones end automatically.',
  arguments: [
    tenantArgument,
    { name: '<subscription>', description: 'Id of the subscription, from `ratecard tenants show`.' },
  ],
  examples: [{ command: 'ratecard tenants cancel glazeworks sub_local_0mwr', what: 'asks first' }],
  run: async (context) => {
    const { args, io, out } = context
    const [id = '', subscription = ''] = args
    const { client, url } = connect(context)
    await requireConsent(context, {
      question: `End the free subscription ${subscription} of "${id}" at ${url}?`,
      title: 'Ending a subscription needs to be confirmed',
      detail: `The tenant "${id}" is at ${url}.`,
      hint: `To confirm: \`ratecard tenants cancel ${id} ${subscription} --yes\`.`,
    })
    await client.tenants.cancelSubscription(id, subscription, { author: await authorOf(context), signal: io.signal })
    out.say(`${out.paint.green('✓')} Ended ${subscription} of ${id}.`)
    return { json: { id, subscription, ended: true } }
  },
}
