// Tenant page. What one wants to know at a glance stands at the top: state, what is owed, plan and next invoice. Acts are buttons that open
// dialogs. The history comes last.
import { useState, type ReactNode } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import type { ListedTenant, Tenant, TenantSubscriptions as Held, UpcomingInvoice } from '@ratecard/client'
import { paidByWords } from '../../../ratecard/src/base/wording/invoice-words.ts'
import { api } from '../api.ts'
import { useAct, useLoaded, type LoadState } from '../frame/live.ts'
import { useMayAct } from '../session.ts'
import { Card, Facts, Loading, Money, Page, Show, Time, Together } from '../ui/basic.tsx'
import { Id, Text } from '../ui/text.tsx'
import { Table } from '../ui/table.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { NamedPrice } from '../ui/named.tsx'
import { PlanActs } from '../ui/plan/plan-acts.tsx'
import { DroppedUsage } from '../ui/tenant/dropped-usage.tsx'
import { amounts, mirrorReload } from '../ui/tenant/mirrored.tsx'
import { TenantState } from '../ui/tenant/standing.tsx'
import { AddCredit, TenantCredits } from '../ui/tenant/tenant-credits.tsx'
import { DealDialog } from '../ui/tenant/tenant-deal.tsx'
import { GiveDiscount, TenantDiscounts } from '../ui/tenant/tenant-discounts.tsx'
import { GiveGrant, TenantFeatures, TenantGrants } from '../ui/tenant/tenant-features.tsx'
import { TenantHistory } from '../ui/tenant/tenant-history.tsx'
import { TenantInvoices } from '../ui/tenant/tenant-invoices.tsx'
import { TenantSubscriptions } from '../ui/tenant/tenant-subscriptions.tsx'
import { count, money } from '../words/words.ts'
import { Deal } from './tenants.tsx'

export function TenantPage() {
  const { tenant: id = '' } = useParams()
  const tenant = useLoaded(`tenant ${id}`, (signal) => api.tenants.find(id, { signal }))
  const sums = useLoaded(`sums ${id}`, (signal) => readSums(id, signal), mirrorReload)
  const held = useLoaded(`subscriptions ${id}`, (signal) => api.tenants.subscriptions(id, { signal }), {
    everyMs: 15_000,
  })
  const next = useLoaded(`invoice ${id}`, (signal) => api.tenants.upcomingInvoice(id, { signal }), {
    everyMs: 30_000,
  })
  return (
    <Page
      title={<Text>{tenant.value?.name ?? id}</Text>}
      name={tenant.value?.name ?? id}
      lead={<Link href="/tenants">All tenants</Link>}
    >
      <Show of={tenant} what="The tenant">
        {(one) => (
          <Together>
            <Card>
              <div className="stack">
                <Glance sums={sums} held={held} next={next} />
                <Acts tenant={one} held={held.value} usual={sums.value?.monthly?.[0]?.currency} />
                <Facts
                  rows={[
                    ['Id', <Id key="id">{one.id}</Id>],
                    ['Email', one.email === null ? '—' : <Text key="mail">{one.email}</Text>],
                    ['Deal', <Deal key="deal" tenant={one} />],
                    [
                      'Customer',
                      one.processorCustomerId === null ? 'none yet' : <Id key="c">{one.processorCustomerId}</Id>,
                    ],
                    ['Since', <Time key="since" at={one.createdAt} isDay />],
                  ]}
                />
              </div>
            </Card>
            <TenantSubscriptions tenant={one} list={held} />
            <NextInvoice of={next} />
            <TenantFeatures tenant={one} />
            <TenantGrants tenant={one} />
            <TenantInvoices id={id} />
            <TenantCredits id={id} />
            <TenantDiscounts tenant={one} />
            <TenantHistory id={id} />
          </Together>
        )}
      </Show>
    </Page>
  )
}

/** Returns the tenant with its sums of money. Undefined if the list of tenants does not find it, e.g. without a mirror. */
async function readSums(id: string, signal: AbortSignal): Promise<ListedTenant | undefined> {
  const { tenants } = await api.tenants.list({ q: id, signal })
  return tenants.find((one) => one.id === id)
}

interface GlanceProps {
  readonly sums: LoadState<ListedTenant | undefined>
  readonly held: LoadState<Held>
  readonly next: LoadState<UpcomingInvoice>
}

/** Renders state, debts, monthly amount, plan and next invoice. A value that is not loaded, or not known, is a dash. */
function Glance({ sums: listed, held, next }: GlanceProps) {
  if ([listed, held, next].some(({ value, error, isLoading }) => value === undefined && error === null && isLoading))
    return <Loading what="The tenant" />
  const sums = listed.value
  const items = (held.value?.subscriptions ?? []).flatMap(({ items: of }) => of)
  const owes = (sums?.owed ?? []).length > 0
  const tiles: readonly (readonly [string, ReactNode])[] = [
    ['State', sums === undefined ? '—' : <TenantState of={sums} />],
    [
      'Owed',
      <span key="owed" className={owes ? 'tile-value owed' : 'tile-value'}>
        {owes || sums === undefined ? amounts(sums?.owed) : 'nothing'}
      </span>,
    ],
    [
      'A month',
      <span key="monthly" className="tile-value">
        {amounts(sums?.monthly)}
      </span>,
    ],
    [
      'Plan',
      items.length === 0
        ? '—'
        : items.map((item) => (
            <span key={item.id} className="block">
              {item.quantity === null || item.quantity === 1 ? '' : `${count(item.quantity)} × `}
              <NamedPrice id={item.priceId ?? item.processorPriceId} />
            </span>
          )),
    ],
    ['Next invoice', <NextAmounts key="next" of={next.value} />],
  ]
  return (
    <dl className="tiles tiles-glance">
      {tiles.map(([name, value]) => (
        <div key={name} className="tile">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function NextAmounts({ of }: { readonly of: UpcomingInvoice | undefined }) {
  const invoices = of?.invoices ?? []
  if (invoices.length === 0) return of === undefined ? '—' : 'none'
  return invoices.map((invoice) => (
    <span key={invoice.subscription} className="block">
      <span className="tile-value">{money(invoice.amountDue, invoice.currency)}</span>{' '}
      {invoice.dueAt === null ? null : (
        <span className="quiet small nowrap">
          on <Time at={invoice.dueAt} isDay />
        </span>
      )}
    </span>
  ))
}

interface DialogProps {
  readonly tenant: Tenant
  readonly onClose: () => void
}

interface ActsProps {
  readonly tenant: Tenant
  readonly held: Held | undefined
  /** Currency in which the tenant pays, if it is known. */
  readonly usual: string | undefined
}

const labels = {
  deal: 'Change the deal …',
  discount: 'Give a discount …',
  grant: 'Give a grant …',
  credit: 'Add credit …',
  remove: 'Remove …',
} as const

/** Buttons for everything that can be done with the tenant. Each opens a dialog. */
function Acts({ tenant, held, usual }: ActsProps) {
  const mayAct = useMayAct()
  const [open, setOpen] = useState<keyof typeof labels | null>(null)
  if (!mayAct) return null
  const paid = (held?.subscriptions ?? []).filter(({ home }) => home === 'processor')
  const [only] = paid
  const dialog = { tenant, onClose: () => setOpen(null) }
  return (
    <div className="actions">
      {/* With several subscriptions, each row of the table below has its own buttons. */}
      {only !== undefined && paid.length === 1 ? <PlanActs tenant={tenant} subscription={only} /> : null}
      {(Object.keys(labels) as (keyof typeof labels)[]).map((act) => (
        <button
          key={act}
          type="button"
          className={act === 'remove' ? 'button button-danger' : 'button'}
          onClick={() => setOpen(act)}
        >
          {labels[act]}
        </button>
      ))}
      {open === 'deal' ? <DealDialog {...dialog} /> : null}
      {open === 'discount' ? <GiveDiscount {...dialog} subscriptions={paid.map(({ id }) => id)} /> : null}
      {open === 'grant' ? <GiveGrant {...dialog} /> : null}
      {open === 'credit' ? <AddCredit {...dialog} usual={usual} /> : null}
      {open === 'remove' ? <RemoveTenant {...dialog} /> : null}
    </div>
  )
}

function NextInvoice({ of: upcoming }: { readonly of: LoadState<UpcomingInvoice> }) {
  return (
    <Card title="Next invoice">
      <Show of={upcoming} what="The next invoice">
        {({ invoices, droppedUsage }) => (
          <div className="stack">
            <DroppedUsage reports={droppedUsage} />
            {invoices.length === 0 ? (
              <p className="quiet">Nothing will be invoiced.</p>
            ) : (
              <div className="stack">
                {invoices.map((invoice) => (
                  <div key={invoice.subscription} className="stack-small">
                    <p>
                      <span className="big money">{money(invoice.amountDue, invoice.currency)}</span>{' '}
                      {invoice.dueAt === null ? null : (
                        <span className="quiet">
                          on <Time at={invoice.dueAt} />
                        </span>
                      )}{' '}
                      <span className="quiet">
                        {paidByWords({
                          ...invoice,
                          amount: invoice.amountDue,
                          creditApplied: invoice.creditsApplied,
                        }).join(' ')}
                      </span>
                    </p>
                    <Table
                      caption="Lines of the invoice"
                      columns={[
                        'For',
                        'Price',
                        { name: 'Quantity', isNumber: true },
                        { name: 'Amount', isNumber: true },
                      ]}
                      rows={invoice.lines.map((line, index) => ({
                        key: String(index),
                        cells: [
                          line.description === null ? '—' : <Text>{line.description}</Text>,
                          <LinePrice of={line} />,
                          line.quantity === null ? '—' : count(line.quantity),
                          <Money amount={line.amount} currency={invoice.currency} />,
                        ],
                      }))}
                    />
                  </div>
                ))}
              </div>
            )}
          </div>
        )}
      </Show>
    </Card>
  )
}

const LinePrice = ({ of }: { readonly of: UpcomingInvoice['invoices'][number]['lines'][number] }) =>
  of.priceId === null ? (
    of.processorPriceId === null ? (
      '—'
    ) : (
      <Id>{of.processorPriceId}</Id>
    )
  ) : (
    <NamedPrice id={of.priceId} />
  )

function RemoveTenant({ tenant, onClose }: DialogProps) {
  const [, go] = useLocation()
  const remove = useAct(async () => {
    await api.tenants.remove(tenant.id)
    go('/tenants')
  })
  return (
    <Confirm
      title={`Remove ${tenant.name}?`}
      act="Remove the tenant"
      isDanger
      isRunning={remove.isRunning}
      error={remove.error}
      onConfirm={() => void remove.run()}
      onClose={onClose}
    >
      <p>
        Its sessions end, and its open checkout pages are closed. Its audit log and its customer at the processor are
        kept. A tenant with a live subscription cannot be removed.
      </p>
    </Confirm>
  )
}
