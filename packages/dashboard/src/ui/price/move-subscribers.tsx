// Dialog that moves the subscribers of a price from former processor prices (generations) to the current one. It first shows the affected
// subscribers and amounts, then starts the job.
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { MigrationLine, MigrationPlan } from '@ratecard/client'
import { api } from '../../api.ts'
import { useCatalog } from '../../frame/catalog.ts'
import { useAct, useLoaded } from '../../frame/live.ts'
import { count, money, pluralize } from '../../words/words.ts'
import { useActor } from '../actor.tsx'
import { Show, Time } from '../basic.tsx'
import { Id, Text } from '../text.tsx'
import { Table } from '../table.tsx'
import { Choices } from '../choices.tsx'
import { Confirm } from '../dialog.tsx'
import { nameOfPrice, NamedTenant } from '../named.tsx'
import { useOverride, Violations } from '../plan/violations.tsx'

const whens = { renewal: 'At the renewal', now: 'Now, billed at the renewal' } as const
const mostLines = 20
/** Maximum of a page of the API. */
const mostNames = 100

export function MoveSubscribers({ price, onClose }: { readonly price: string; readonly onClose: () => void }) {
  const [to, setTo] = useState<keyof typeof whens>('renewal')
  const [, go] = useLocation()
  const plan = useLoaded(`move ${price} ${to}`, (signal) => api.migrations.plan({ priceId: price, to }, { signal }), {
    isLive: false,
  })
  const names = useLoaded(`names ${price}`, (signal) => readNames(price, signal), { isLive: false })
  const catalog = useCatalog()
  const { actor, fields } = useActor()
  const { override, field, isAllowed } = useOverride(plan.value?.violations ?? [], actor.message)
  const start = useAct(async () => {
    const job = await api.migrations.start({ priceId: price, to }, { ...actor, ...override })
    go(`/jobs/${job.id}`)
  })
  const moving = plan.value?.lines.filter(({ skipped }) => skipped === null) ?? []
  return (
    <Confirm
      title={`Move subscribers of ${nameOfPrice(catalog, price) ?? price}`}
      act={moving.length === 0 ? 'Move' : `Move ${pluralize(moving.length, 'subscription')}`}
      isRunning={start.isRunning}
      isReady={moving.length > 0 && isAllowed}
      error={start.error}
      onConfirm={() => void start.run()}
      onClose={onClose}
    >
      <p>Subscribers on an earlier price move to the current one. Nothing is charged or credited at once.</p>
      <Choices name="When" options={whens} value={to} onChange={setTo} />
      <Show of={plan} what="Subscribers to move">
        {(found) =>
          found.lines.length === 0 ? (
            <p>No subscriber is on an earlier price.</p>
          ) : (
            <Planned plan={found} names={names.value} />
          )
        }
      </Show>
      {field}
      {fields}
    </Confirm>
  )
}

/** Names of tenants by id. Only those of the first subscribers, because the dialog shows no more. */
async function readNames(price: string, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const { subscribers } = await api.money.subscribers(price, { generation: 'legacy', limit: mostNames, signal })
  return new Map(
    subscribers.flatMap(({ tenantId, tenantName }): readonly (readonly [string, string])[] =>
      tenantId === null || tenantName === null ? [] : [[tenantId, tenantName]],
    ),
  )
}

interface PlannedProps {
  readonly plan: MigrationPlan
  /** Undefined without the mirror: then the list has ids only. */
  readonly names: ReadonlyMap<string, string> | undefined
}

function Planned({ plan: { lines, totals, violations }, names }: PlannedProps) {
  return (
    <div className="stack-small">
      <Violations of={violations} />
      {totals.map(({ currency, subscriptions, byUsage, before, after }) => (
        <p key={currency}>
          {pluralize(subscriptions, 'subscription')}:{' '}
          {byUsage === subscriptions ? (
            'by usage.'
          ) : (
            <>
              {money(before, currency)} per month before, <b>{money(after, currency)}</b> after
              {byUsage === 0 ? '' : `; ${count(byUsage)} by usage`}.
            </>
          )}
        </p>
      ))}
      <Table
        caption="Subscribers that would move"
        columns={['Tenant', { name: 'Before', isNumber: true }, { name: 'After', isNumber: true }, 'When']}
        rows={byTenant(lines)
          .slice(0, mostLines)
          .map((line) => ({
            key: line.item,
            cells: [
              <Whose of={line} name={names?.get(line.tenantId ?? '') ?? null} />,
              amountOf(line, line.monthlyBefore),
              amountOf(line, line.monthlyAfter),
              line.skipped === null ? <Time at={line.effectiveAt} /> : <Text>{`stays: ${line.skipped}`}</Text>,
            ],
          }))}
      />
      {lines.length > mostLines ? <p className="quiet small">And {lines.length - mostLines} more.</p> : null}
    </div>
  )
}

/** Renders a tenant by name and id, without a link, which would leave the dialog. */
function Whose({ of: { tenantId, customer }, name }: { readonly of: MigrationLine; readonly name: string | null }) {
  if (tenantId === null) return <Id>{customer}</Id>
  return <NamedTenant id={tenantId} name={name} isLink={false} />
}

/** Returns the lines by tenant id, the order of the page below the dialog. The service lists them by the age of their subscriptions. */
const byTenant = (lines: readonly MigrationLine[]) =>
  lines.toSorted((one, other) => (one.tenantId ?? one.customer).localeCompare(other.tenantId ?? other.customer))

const amountOf = ({ currency }: MigrationLine, amount: number | null) =>
  amount === null ? 'by usage' : money(amount, currency)
