import type { TenantInvoice } from '@ratecard/client'
import type { Command } from '../../program/command.ts'
import { connect } from '../../server-address.ts'
import { noteAsOf } from '../../views/as-of.ts'
import { jsonTenantInvoices } from '../../views/text/json.ts'
import { showTime, formatTable } from '../../views/text/table.ts'

export const tenantsInvoices: Command = {
  name: 'tenants invoices',
  summary: 'List a tenant’s invoices and one-time payments: what is owed, and what was refunded',
  arguments: [{ name: '<id>', description: 'Id of the tenant.' }],
  options: [
    { flags: '--limit <n>', description: 'Number of items to show, newest first.', range: [1, 100], defaultText: '20' },
    { flags: '--offset <n>', description: 'Number of items to skip.', range: [0, 1_000_000], defaultText: '0' },
  ],
  examples: [{ command: 'ratecard tenants invoices glazeworks', what: 'newest first' }],
  run: async (context) => {
    const { args, options, io, out } = context
    const list = await connect(context).client.tenants.invoices(args[0] ?? '', {
      limit: options.whole('limit') ?? 20,
      offset: options.whole('offset') ?? 0,
      signal: io.signal,
    })
    const { invoices, pagination } = list
    if (invoices.length === 0) out.say(pagination.total === 0 ? 'No invoices yet.' : 'No more invoices.')
    else {
      const columns = [
        ...['invoice', 'status', 'made (UTC)', 'due (UTC)'].map((title) => ({ title })),
        ...['total', 'credit', 'balance', 'owed', 'refunded'].map((title) => ({ title, align: 'right' as const })),
        { title: 'next attempt (UTC)' },
      ]
      out.print(formatTable(columns, invoices.map(rowOf), out))
      if (pagination.hasMore) out.note(`${String(invoices.length)} of ${String(pagination.total)}.`)
    }
    noteAsOf(list, out)
    return { json: jsonTenantInvoices(list) }
  },
}

function rowOf(invoice: TenantInvoice): string[] {
  return [
    invoice.number ?? invoice.id,
    invoice.type === 'payment' ? 'paid once' : invoice.status,
    showTime(invoice.createdAt),
    invoice.dueAt === null ? '–' : showTime(invoice.dueAt),
    invoice.formatted,
    invoice.creditApplied === '0' ? '' : invoice.creditAppliedFormatted,
    invoice.balanceApplied === '0' ? '' : invoice.balanceAppliedFormatted,
    invoice.amountRemaining === '0' || invoice.status !== 'open' ? '' : invoice.amountRemainingFormatted,
    invoice.amountRefunded === '0' ? '' : invoice.amountRefundedFormatted,
    invoice.nextAttemptAt === null
      ? ''
      : `${showTime(invoice.nextAttemptAt)}, after ${String(invoice.attemptCount)} failed`,
  ]
}
