// Card with a tenant's invoices, their unpaid amounts and their refunds.
import { useState } from 'react'
import type { TenantInvoice } from '@ratecard/client'
import { api } from '../../api.ts'
import { useLoaded } from '../../frame/live.ts'
import { stateLabel } from '../../words/words.ts'
import { Badge, Card, Pager, Time } from '../basic.tsx'
import { Text } from '../text.tsx'
import { Table } from '../table.tsx'
import { AsOf, mirrorReload, ShowMirrored } from './mirrored.tsx'

const limit = 10
const tones = { open: 'bad', paid: 'good', uncollectible: 'warn', void: 'plain' } as const

export function TenantInvoices({ id }: { readonly id: string }) {
  const [offset, setOffset] = useState(0)
  const list = useLoaded(
    `invoices ${id} ${offset}`,
    (signal) => api.tenants.invoices(id, { limit, offset, signal }),
    mirrorReload,
  )
  return (
    <Card title="Invoices" isFlush={(list.value?.invoices.length ?? 0) > 0}>
      <ShowMirrored of={list} what="Invoices">
        {(found) =>
          found.invoices.length === 0 ? (
            <p className="quiet">None yet.</p>
          ) : (
            <>
              <Table
                caption="Invoices"
                columns={[
                  'Invoice',
                  'State',
                  'Made',
                  { name: 'Total', isNumber: true },
                  { name: 'By credit', isNumber: true },
                  { name: 'By balance', isNumber: true },
                  { name: 'Owed', isNumber: true },
                  { name: 'Refunded', isNumber: true },
                  'Next attempt',
                ]}
                rows={found.invoices.map((invoice) => ({ key: invoice.id, cells: cellsOf(invoice) }))}
              />
              <Pager offset={offset} limit={limit} total={found.pagination.total} onMove={setOffset} />
              <div className="card-words">
                <AsOf of={found} />
              </div>
            </>
          )
        }
      </ShowMirrored>
    </Card>
  )
}

const cellsOf = (invoice: TenantInvoice) => [
  <Named of={invoice} />,
  <Badge tone={tones[invoice.status]}>{invoice.type === 'payment' ? 'Paid once' : stateLabel(invoice.status)}</Badge>,
  <Time at={invoice.createdAt} />,
  <span className="money">{invoice.formatted}</span>,
  applied(invoice.creditApplied, invoice.creditAppliedFormatted),
  applied(invoice.balanceApplied, invoice.balanceAppliedFormatted),
  invoice.status !== 'open' || invoice.amountRemaining === '0' ? (
    '—'
  ) : (
    <span className="money">{invoice.amountRemainingFormatted}</span>
  ),
  applied(invoice.amountRefunded, invoice.amountRefundedFormatted),
  invoice.nextAttemptAt === null ? '—' : <Time at={invoice.nextAttemptAt} />,
]

const applied = (amount: string, formatted: string) =>
  amount === '0' ? '—' : <span className="money">{formatted}</span>

/** Renders the invoice number as a link to the page where the customer pays the invoice. */
function Named({ of }: { readonly of: TenantInvoice }) {
  const name = <Text>{of.number ?? of.id}</Text>
  if (of.url === null || !/^https?:\/\//i.test(of.url)) return name
  return (
    <a href={of.url} target="_blank" rel="noreferrer">
      {name}
    </a>
  )
}
