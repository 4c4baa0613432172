// Dialog that moves the subscribers of a price from former processor prices (generations) to the current one. It first shows the affected
// subscribers and amounts, then starts the job.
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { MigrationLine, MigrationPlan } from '@ratecard/client'
import { api } from '../api.ts'
import { useAct, useLoaded } from '../live.ts'
import { money, pluralize } from '../words.ts'
import { useActor } from './actor.tsx'
import { Id, Show, Table, Text, Time } from './basic.tsx'
import { Choices } from './choices.tsx'
import { Confirm } from './dialog.tsx'
import { useOverride, Violations } from './violations.tsx'

const whens = { renewal: 'At the renewal', now: 'Now, billed at the renewal' } as const
const mostLines = 20

export function MoveSubscribers({ price, onClose }: { readonly price: string; readonly onClose: () => void }) {
  const [to, setTo] = useState<keyof typeof whens>('renewal')
  const [, go] = useLocation()
  const plan = useLoaded(`move ${price} ${to}`, (signal) => api.migrations.plan({ priceId: price, to }, { signal }), {
    isLive: false,
  })
  const { actor, fields } = useActor()
  const { override, field, isAllowed } = useOverride(plan.value?.violations ?? [], actor.message)
  const start = useAct(async () => {
    const job = await api.migrations.start({ priceId: price, to }, { ...actor, ...override })
    go(`/jobs/${job.id}`)
  })
  const moving = plan.value?.lines.filter(({ skipped }) => skipped === null) ?? []
  return (
    <Confirm
      title={`Move subscribers of ${price}`}
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
          found.lines.length === 0 ? <p>No subscriber is on an earlier price.</p> : <Planned plan={found} />
        }
      </Show>
      {field}
      {fields}
    </Confirm>
  )
}

function Planned({ plan: { lines, totals, violations } }: { readonly plan: MigrationPlan }) {
  return (
    <div className="stack-small">
      <Violations of={violations} />
      {totals.map(({ currency, subscriptions, before, after }) => (
        <p key={currency}>
          {pluralize(subscriptions, 'subscription')}: {money(before, currency)} per month before,{' '}
          <b>{money(after, currency)}</b> after.
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
              line.tenantId === null ? <Id>{line.customer}</Id> : <Text>{line.tenantId}</Text>,
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

const byTenant = (lines: readonly MigrationLine[]) =>
  lines.toSorted((one, other) => (one.tenantId ?? one.customer).localeCompare(other.tenantId ?? other.customer))

const amountOf = ({ currency }: MigrationLine, amount: number | null) =>
  amount === null ? 'by usage' : money(amount, currency)
