// Tenant page: subscriptions, upcoming invoice, deal and audit log.
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import type { EnterpriseOutcome, ListedTenant, Tenant } from '@ratecard/client'
import { paidByWords } from '../../../ratecard/src/base/wording/invoice-words.ts'
import { api } from '../api.ts'
import { dealMoney, type DealMoney } from '../amounts/deal.ts'
import { useAct, useLoaded } from '../frame/live.ts'
import { useMayAct } from '../session.ts'
import { useActor } from '../ui/actor.tsx'
import { Card, Empty, Facts, Id, Money, Page, Pager, Problem, Show, Table, Text, Time, Who } from '../ui/basic.tsx'
import { Choices } from '../ui/choices.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { DroppedUsage } from '../ui/tenant/dropped-usage.tsx'
import { DryRun } from '../ui/plan/dry-run.tsx'
import { amounts, mirrorReload } from '../ui/tenant/mirrored.tsx'
import { TenantCredits } from '../ui/tenant/tenant-credits.tsx'
import { TenantDiscounts } from '../ui/tenant/tenant-discounts.tsx'
import { TenantFeatures, TenantGrants } from '../ui/tenant/tenant-features.tsx'
import { TenantInvoices } from '../ui/tenant/tenant-invoices.tsx'
import { TenantSubscriptions } from '../ui/tenant/tenant-subscriptions.tsx'
import { auditWords, count, money, shown } from '../words/words.ts'
import { Deal } from './tenants.tsx'

export function TenantPage() {
  const { tenant: id = '' } = useParams()
  const mayAct = useMayAct()
  const tenant = useLoaded(`tenant ${id}`, (signal) => api.tenants.find(id, { signal }))
  const sums = useLoaded(`sums ${id}`, (signal) => readSums(id, signal), mirrorReload)
  return (
    <Page
      title={<Text>{tenant.value?.name ?? id}</Text>}
      name={tenant.value?.name ?? id}
      lead={<Link href="/tenants">All tenants</Link>}
      actions={mayAct && tenant.value !== undefined ? <RemoveTenant tenant={tenant.value} /> : undefined}
    >
      <Show of={tenant} what="The tenant">
        {(one) => (
          <>
            <Card>
              <Facts
                rows={[
                  ['Id', <Id key="id">{one.id}</Id>],
                  ['Email', one.email === null ? '—' : <Text key="mail">{one.email}</Text>],
                  ['Deal', <Deal key="deal" tenant={one} />],
                  [
                    'Customer',
                    one.processorCustomerId === null ? 'none yet' : <Id key="c">{one.processorCustomerId}</Id>,
                  ],
                  ['Since', <Time key="since" at={one.createdAt} />],
                  ['A month', amounts(sums.value?.monthly)],
                  ['Owed', amounts(sums.value?.owed)],
                ]}
              />
            </Card>
            <TenantSubscriptions tenant={one} />
            <TenantFeatures tenant={one} />
            <TenantGrants tenant={one} />
            <TenantInvoices id={id} />
            <Invoice id={id} />
            <TenantCredits tenant={one} usual={sums.value?.monthly?.[0]?.currency} />
            <TenantDiscounts tenant={one} />
            {mayAct ? <DealCard tenant={one} /> : null}
            <AuditTrail id={id} />
          </>
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

function Invoice({ id }: { readonly id: string }) {
  const upcoming = useLoaded(`invoice ${id}`, (signal) => api.tenants.upcomingInvoice(id, { signal }), {
    everyMs: 30_000,
  })
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
                          <Id>{line.priceId ?? line.processorPriceId ?? '—'}</Id>,
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

interface DealTarget {
  readonly kind: 'template' | 'own' | 'list'
  readonly name: string
  /** Day on which the deal ends, at 00:00 UTC, e.g. `2031-01-31`; empty for a deal without an end. */
  readonly until: string
  /** What the items return to: when the deal ends, or now (`list`). */
  readonly back: 'base' | 'signed'
}

const kinds = { template: 'A template', own: 'Own prices', list: 'List prices' } as const

const returns = { base: 'Today’s list price', signed: 'The price before the deal' } as const

/** Applies a deal or, with `dryRun`, returns what would change. */
function apply(
  tenantId: string,
  { kind, name, until, back }: DealTarget,
  unmatched: 'keep' | 'base',
  options: object,
): Promise<EnterpriseOutcome> {
  const end = until === '' ? {} : { endsAt: `${until}T00:00:00Z`, then: back }
  const choices = { unmatched, ...end }
  if (kind === 'template')
    return api.enterprise.applyTemplate({ tenantId, enterpriseTemplate: name, ...choices }, options)
  if (kind === 'own') return api.enterprise.applyCustom({ tenantId, enterpriseId: name, ...choices }, options)
  return api.enterprise.remove({ tenantId, to: back }, options)
}

function DealCard({ tenant }: { readonly tenant: Tenant }) {
  const coverage = useLoaded('coverage', (signal) => api.enterprise.coverage({ signal }))
  const [kind, setKind] = useState<DealTarget['kind']>('template')
  const [name, setName] = useState('')
  const [isBase, setBase] = useState(false)
  const [until, setUntil] = useState('')
  const [back, setBack] = useState<DealTarget['back']>('base')
  const [isAsking, setAsking] = useState(false)
  const names = kind === 'template' ? (coverage.value?.templates ?? []) : (coverage.value?.enterpriseIds ?? [])
  const chosen = names.includes(name) ? name : (names[0] ?? '')
  const target: DealTarget = { kind, name: kind === 'list' ? '' : chosen, until, back }
  const unmatched = isBase ? 'base' : 'keep'
  const dry = useAct(async () => {
    const [outcome, subscriptions, served] = await Promise.all([
      apply(tenant.id, target, unmatched, { dryRun: true }),
      api.tenants.subscriptions(tenant.id),
      api.admin.config(),
    ])
    const preview = () => api.tenants.upcomingInvoice(tenant.id)
    return { outcome, money: await dealMoney(outcome, subscriptions, served.config, preview), target }
  })
  return (
    <Card title="Deal">
      <div className="stack">
        <Choices
          name="Which prices"
          options={kinds}
          value={kind}
          onChange={(value) => {
            setKind(value)
            dry.reset()
          }}
        />
        {kind === 'list' ? (
          <p>The items return to list prices, and the deal is removed.</p>
        ) : coverage.value === undefined ? null : names.length === 0 ? (
          <Empty
            title={kind === 'template' ? 'No price has a template' : 'No price was negotiated with a single tenant'}
          >
            <p>
              Add a price with {kind === 'template' ? <code>enterprise_template</code> : <code>enterprise_id</code>} to
              your files and push them.
            </p>
          </Empty>
        ) : (
          <>
            <label className="field">
              <span className="field-label">{kind === 'template' ? 'Template' : 'Enterprise id'}</span>
              <select
                className="select"
                value={chosen}
                onChange={(event) => {
                  setName(event.target.value)
                  dry.reset()
                }}
              >
                {names.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
            </label>
            <label className="check">
              <input
                type="checkbox"
                checked={isBase}
                onChange={(event) => {
                  setBase(event.target.checked)
                  dry.reset()
                }}
              />
              <span>Where the new deal has no price, use the list price</span>
            </label>
          </>
        )}
        {kind === 'list' ? null : (
          <label className="field">
            <span className="field-label">Ends at 00:00 UTC on</span>
            <input
              type="date"
              className="input"
              value={until}
              onChange={(event) => {
                setUntil(event.target.value)
                dry.reset()
              }}
            />
          </label>
        )}
        {kind !== 'list' && until === '' ? null : (
          <Choices
            name="Items return to"
            options={returns}
            value={back}
            onChange={(value) => {
              setBack(value)
              dry.reset()
            }}
          />
        )}
        <div className="actions">
          <button
            type="button"
            className="button button-primary"
            disabled={kind !== 'list' && chosen === ''}
            aria-disabled={dry.isRunning}
            onClick={() => void dry.run()}
          >
            {dry.isRunning ? 'Looking …' : 'Show what would change'}
          </button>
        </div>
        {dry.error === null ? null : <Problem error={dry.error} />}
        <div aria-live="polite">
          {dry.value === undefined ? null : (
            <div className="stack">
              <DryRun outcome={dry.value.outcome} money={dry.value.money} />
              <div className="actions">
                <button type="button" className="button button-primary" onClick={() => setAsking(true)}>
                  {kind === 'list' ? 'Remove the deal …' : 'Apply the deal …'}
                </button>
              </div>
            </div>
          )}
        </div>
      </div>
      {isAsking && dry.value !== undefined ? (
        <ApplyDeal
          tenant={tenant}
          target={dry.value.target}
          unmatched={unmatched}
          money={dry.value.money}
          outcome={dry.value.outcome}
          onClose={(isDone) => {
            setAsking(false)
            if (isDone) dry.reset()
          }}
        />
      ) : null}
    </Card>
  )
}

interface ApplyDealProps {
  readonly tenant: Tenant
  readonly target: DealTarget
  readonly unmatched: 'keep' | 'base'
  readonly money: DealMoney
  readonly outcome: EnterpriseOutcome
  readonly onClose: (isDone: boolean) => void
}

function ApplyDeal({ tenant, target, unmatched, money, outcome, onClose }: ApplyDealProps) {
  const { actor, fields } = useActor()
  const act = useAct(async () => {
    await apply(tenant.id, target, unmatched, actor)
    onClose(true)
  })
  return (
    <Confirm
      title={target.kind === 'list' ? `Remove the deal of ${tenant.name}?` : `Give ${tenant.name} “${target.name}”?`}
      act={target.kind === 'list' ? 'Remove the deal' : 'Apply the deal'}
      isRunning={act.isRunning}
      error={act.error}
      onConfirm={() => void act.run()}
      onClose={() => onClose(false)}
    >
      <DryRun outcome={outcome} money={money} />
      {fields}
    </Confirm>
  )
}

const auditPage = 10

function AuditTrail({ id }: { readonly id: string }) {
  const [offset, setOffset] = useState(0)
  const audit = useLoaded(`audit ${id} ${offset}`, (signal) =>
    api.tenants.audit(id, { limit: auditPage, offset, signal }),
  )
  return (
    <Card title="Audit log" isFlush={(audit.value?.entries.length ?? 0) > 0}>
      <Show of={audit} what="The audit log">
        {({ entries, pagination }) =>
          entries.length === 0 ? (
            <p className="quiet">Nothing yet.</p>
          ) : (
            <>
              <Table
                caption="Audit log"
                columns={['What', 'Before and after', 'Who', 'When']}
                rows={entries.map((entry) => ({
                  key: entry.id,
                  cells: [
                    auditWords(entry.action),
                    <AuditChange
                      before={entry.before ?? itemsIn(entry.result?.['before'])}
                      after={entry.after ?? itemsIn(entry.result?.['after'])}
                    />,
                    <Who author={entry.author} by={entry.by} />,
                    <Time at={entry.createdAt} />,
                  ],
                }))}
              />
              <Pager {...pagination} onMove={setOffset} />
            </>
          )
        }
      </Show>
    </Card>
  )
}

type JsonRecord = Readonly<Record<string, unknown>> | null

/** Converts the items in an audit entry about a changed subscription to a field, e.g. `{ items: 'pro_monthly × 3' }`. */
function itemsIn(items: unknown): JsonRecord {
  if (!Array.isArray(items)) return null
  const texts = (items as { price_id: string | null; processor_price_id: string; quantity: number | null }[]).map(
    ({ price_id: id, processor_price_id: processorId, quantity }) =>
      `${id ?? processorId}${quantity === null ? '' : ` × ${quantity}`}`,
  )
  return { items: texts.join(' + ') }
}

function AuditChange({ before, after }: { readonly before: JsonRecord; readonly after: JsonRecord }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (name) => shown(before?.[name]) !== shown(after?.[name]),
  )
  if (names.length === 0) return <span className="quiet">—</span>
  return (
    <ul className="plain-list small">
      {names.map((name) => (
        <li key={name}>
          {name.replaceAll('_', ' ')}: <Text>{shown(before?.[name])}</Text> → <Text>{shown(after?.[name])}</Text>
        </li>
      ))}
    </ul>
  )
}

function RemoveTenant({ tenant }: { readonly tenant: Tenant }) {
  const [isAsking, setAsking] = useState(false)
  const [, go] = useLocation()
  const remove = useAct(async () => {
    await api.tenants.remove(tenant.id)
    go('/tenants')
  })
  return (
    <>
      <button type="button" className="button button-danger" onClick={() => setAsking(true)}>
        Remove …
      </button>
      {isAsking ? (
        <Confirm
          title={`Remove ${tenant.name}?`}
          act="Remove the tenant"
          isDanger
          isRunning={remove.isRunning}
          error={remove.error}
          onConfirm={() => void remove.run()}
          onClose={() => setAsking(false)}
        >
          <p>
            Its sessions end, and its open checkout pages are closed. Its audit log and its customer at the processor
            are kept. A tenant with a live subscription cannot be removed.
          </p>
        </Confirm>
      ) : null}
    </>
  )
}
