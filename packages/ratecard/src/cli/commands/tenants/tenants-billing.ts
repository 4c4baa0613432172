import type { AuditEntry, Invoice } from '@ratecard/client'
import { formatMinor } from '../../../base/money/format.ts'
import { paidByWords } from '../../../base/wording/invoice-words.ts'
import type { Command } from '../../program/command.ts'
import type { Output } from '../../terminal/output.ts'
import { connect } from '../../server-address.ts'
import { printDroppedUsage } from '../../views/dropped-usage.ts'
import { printTable, rightColumn, showTime, formatTable } from '../../views/text/table.ts'
import { tenantArgument } from './tenants.ts'
import { jsonAudit, jsonEntitlements, jsonSession, jsonUpcomingInvoice } from '../../views/text/json.ts'
import { formatAuthor } from '../../views/plan/who.ts'

export const tenantsUpcomingInvoice: Command = {
  name: 'tenants upcoming-invoice',
  summary: 'Show what a tenant will be billed next',
  arguments: [tenantArgument],
  examples: [{ command: 'ratecard tenants upcoming-invoice glazeworks', what: 'as the processor calculates it' }],
  run: async (context) => {
    const { args, io, out } = context
    const upcoming = await connect(context).client.tenants.upcomingInvoice(args[0] ?? '', { signal: io.signal })
    if (upcoming.invoices.length === 0) out.say('No invoice is due.')
    for (const invoice of upcoming.invoices) {
      out.print(
        `${invoice.subscription}  ${invoice.dueAt === null ? '' : showTime(invoice.dueAt)}  ${invoice.formatted}`,
      )
      out.print(linesOf(invoice, out))
      const { amountDue: amount, creditsApplied: creditApplied } = invoice
      for (const sentence of paidByWords({ ...invoice, amount, creditApplied })) out.say(sentence)
    }
    printDroppedUsage(context, upcoming.droppedUsage)
    return { json: jsonUpcomingInvoice(upcoming) }
  },
}

function linesOf(invoice: Invoice, out: Output): string {
  const columns = ['price', rightColumn('quantity'), rightColumn('amount'), 'for (UTC)']
  const rows = invoice.lines.map((line) => [
    line.priceId ?? line.processorPriceId ?? line.description ?? '–',
    line.quantity === null ? '' : String(line.quantity),
    formatMinor(line.amount, invoice.currency),
    `${showTime(line.periodStart)} – ${showTime(line.periodEnd)}`,
  ])
  return formatTable(columns, rows, out)
}

export const tenantsEntitlements: Command = {
  name: 'tenants entitlements',
  summary: 'Show the features that a tenant may use now',
  arguments: [tenantArgument],
  examples: [{ command: 'ratecard tenants entitlements glazeworks', what: 'by their ids in the configuration' }],
  run: async (context) => {
    const { args, io, out } = context
    const entitlements = await connect(context).client.tenants.entitlements(args[0] ?? '', { signal: io.signal })
    const rows = entitlements.features.map(({ id, name, limit, used, resetsAt }) => [
      id,
      name,
      limit === null ? 'on' : String(limit),
      used === null ? '' : String(used),
      resetsAt === null ? '' : showTime(resetsAt),
    ])
    printTable(out, ['feature', 'name', 'limit', 'used', 'resets (UTC)'], rows, 'The tenant has no features.')
    const credits = entitlements.credits ?? []
    if (credits.length > 0) out.say(`Credit: ${credits.map(({ formatted }) => formatted).join(', ')}`)
    return { json: jsonEntitlements(entitlements) }
  },
}

export const tenantsAudit: Command = {
  name: 'tenants audit',
  summary: 'Show who changed a tenant’s prices, plan or grants, and how',
  arguments: [tenantArgument],
  options: [
    { flags: '--limit <n>', description: 'Number of items to show, newest first.', range: [1, 100], defaultText: '20' },
  ],
  examples: [{ command: 'ratecard tenants audit glazeworks', what: 'with request ids' }],
  run: async (context) => {
    const { args, options, io, out } = context
    const audit = await connect(context).client.tenants.audit(args[0] ?? '', {
      limit: options.whole('limit') ?? 20,
      signal: io.signal,
    })
    const columns = ['when (UTC)', 'what', 'from', 'to', 'by', 'request']
    const rows = audit.entries.map((entry) => [
      showTime(entry.createdAt),
      entry.action.replaceAll('_', ' '),
      changedPart(entry, 'before'),
      changedPart(entry, 'after'),
      formatAuthor(entry),
      entry.requestId ?? '–',
    ])
    printTable(out, columns, rows, 'Nothing was changed yet.')
    return { json: jsonAudit(audit) }
  },
}

/** Returns the state before or after an audited change: the negotiated prices, or the items of a subscription. */
function changedPart(entry: AuditEntry, side: 'before' | 'after'): string {
  const [template, id] = [entry[side]?.['enterprise_template'], entry[side]?.['enterprise_id']]
  if (typeof template === 'string') return template
  if (typeof id === 'string') return `id ${id}`
  const items = entry.result?.[side]
  return Array.isArray(items) ? (items as readonly AuditedItem[]).map(itemText).join(' + ') : '–'
}

interface AuditedItem {
  readonly price_id: string | null
  readonly processor_price_id: string
  readonly quantity: number | null
}

function itemText({ price_id: id, processor_price_id: processorId, quantity }: AuditedItem): string {
  return `${id ?? processorId}${quantity === null ? '' : ` × ${quantity}`}`
}

export const tenantsSession: Command = {
  name: 'tenants session',
  summary: 'Create a session cookie for checkout and portal of one tenant',
  arguments: [tenantArgument],
  options: [
    {
      flags: '--ttl <seconds>',
      description: 'How long the session is valid.',
      range: [60, 2_592_000],
      defaultText: '86400, one day',
    },
  ],
  examples: [
    {
      command: 'ratecard tenants session glazeworks',
      what: 'prints the value of the cookie ratecard_session (over TLS __Host-ratecard_session)',
    },
  ],
  run: async (context) => {
    const { args, options, io, out } = context
    const session = await connect(context).client.sessions.create(
      { tenantId: args[0] ?? '', ttlSeconds: options.whole('ttl') },
      { signal: io.signal },
    )
    out.note(`Session ${session.id}, until ${showTime(session.expiresAt)} UTC. It is not shown again.`)
    out.print(session.value)
    return { json: jsonSession(session) }
  },
}
