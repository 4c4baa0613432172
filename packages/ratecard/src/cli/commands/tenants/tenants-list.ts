import type { ListedTenant, TenantList, TenantQuery } from '@ratecard/client'
import { BillingStatus, tenantOperations } from '../../../api/customers/tenants.ts'
import type { Command, CommandContext } from '../../program/command.ts'
import { connect } from '../../server-address.ts'
import { amountsText, noteAsOf } from '../../views/as-of.ts'
import { jsonTenants } from '../../views/text/json.ts'
import { standingText } from '../../views/standing.ts'
import { showTime, formatTable } from '../../views/text/table.ts'
import { enterpriseOf } from './tenants.ts'

const sorts = tenantOperations.listTenants.query.sort.enum
/** Sort keys with descending order. Amounts of money are usually read from the largest down. */
const descending: readonly string[] = ['monthly', 'owed']

export const tenantsList: Command = {
  name: 'tenants list',
  summary: 'List tenants: who buys what, pays how much and owes how much',
  description:
    'A tenant is listed if it matches all filters. State, products and amounts are read from the mirror. Without the mirror, or until it is complete, they are not shown, and you cannot filter or sort by them.',
  options: [
    {
      flags: '--search <text>',
      description: 'Part of the id, name, email address or customer id, upper or lower case.',
    },
    { flags: '--state <state>', description: 'Only tenants in this state.', choices: BillingStatus.enum },
    {
      flags: '--price <id>',
      description: 'Only subscribers of this price, including its earlier prices (before its amount changed).',
    },
    { flags: '--product <id>', description: 'Only subscribers of this product.' },
    {
      flags: '--legacy',
      description: 'Only tenants that still pay an earlier price (before its amount changed).',
    },
    { flags: '--owing', description: 'Only tenants with unpaid invoices.' },
    { flags: '--sort <member>', description: 'Order of the list.', choices: sorts, defaultText: 'id' },
    {
      flags: '--order <order>',
      description: 'Direction of --sort.',
      choices: ['asc', 'desc'],
      defaultText: 'asc, or desc for monthly and owed',
    },
    { flags: '--template <name>', description: 'Only tenants with this enterprise template.' },
    { flags: '--enterprise-id <id>', description: 'Only tenants with this enterprise id.' },
    { flags: '--customer <id>', description: 'Only the tenant with this customer at the processor, `cus_…`.' },
    { flags: '--limit <n>', description: 'How many.', range: [1, 100], defaultText: '20' },
    { flags: '--offset <n>', description: 'Number of items to skip.', range: [0, 1_000_000], defaultText: '0' },
  ],
  examples: [
    { command: 'ratecard tenants list --search glaze', what: 'find tenants by a part of their name' },
    { command: 'ratecard tenants list --state past_due --sort owed', what: 'who has not paid, the largest debt first' },
    { command: 'ratecard tenants list --price pro_monthly --legacy', what: 'tenants who still pay a former amount' },
    { command: 'ratecard tenants list --template school', what: 'list the tenants with this template' },
  ],
  run: async (context) => {
    const { io, out } = context
    const list = await connect(context).client.tenants.list({ ...queryOf(context), signal: io.signal })
    if (list.tenants.length === 0) out.say('No tenants.')
    else {
      out.print(list.asOf === undefined ? plainTable(list, out) : billingTable(list, out))
      const { total, offset } = list.pagination
      if (offset + list.tenants.length < total) out.note(`${String(list.tenants.length)} of ${String(total)}.`)
    }
    noteAsOf(list, out)
    return { json: jsonTenants(list) }
  },
}

function queryOf({ options }: CommandContext): TenantQuery {
  const sort = options.text('sort') as TenantQuery['sort']
  const order = options.text('order') as TenantQuery['order']
  return {
    limit: options.whole('limit') ?? 20,
    offset: options.whole('offset') ?? 0,
    q: options.text('search'),
    state: options.text('state') as TenantQuery['state'],
    priceId: options.text('price'),
    productId: options.text('product'),
    legacy: options.flag('legacy') ? true : undefined,
    owing: options.flag('owing') ? true : undefined,
    sort,
    order: order ?? (descending.includes(sort ?? '') ? 'desc' : undefined),
    enterpriseTemplate: options.text('template'),
    enterpriseId: options.text('enterpriseId'),
    processorCustomerId: options.text('customer'),
  }
}

type Style = Parameters<typeof formatTable>[2]

function billingTable({ tenants }: TenantList, style: Style): string {
  const columns = [
    ...['id', 'name', 'state', 'products'].map((title) => ({ title })),
    ...['a month', 'owed'].map((title) => ({ title, align: 'right' as const })),
    { title: '' },
  ]
  const rows = tenants.map((tenant) => [
    tenant.id,
    tenant.name,
    standingText(tenant),
    (tenant.products ?? []).join(', '),
    amountsText(tenant.monthly),
    amountsText(tenant.owed),
    legacyNote(tenant),
  ])
  return formatTable(columns, rows, style)
}

const legacyNote = ({ legacyItems = 0 }: ListedTenant) => (legacyItems === 0 ? '' : 'earlier price')

function plainTable({ tenants }: TenantList, style: Style): string {
  const columns = ['id', 'name', 'customer', 'enterprise', 'made (UTC)'].map((title) => ({ title }))
  const rows = tenants.map((tenant) => [
    tenant.id,
    tenant.name,
    tenant.processorCustomerId ?? '–',
    enterpriseOf(tenant),
    showTime(tenant.createdAt),
  ])
  return formatTable(columns, rows, style)
}
