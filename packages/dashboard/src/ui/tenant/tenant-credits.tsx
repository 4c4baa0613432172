// A tenant's credits for metered usage: the card with balance and list, and the dialog that adds a credit.
import { useState } from 'react'
import type { Credit, NewCredit, Tenant } from '@ratecard/client'
import { currencies, isCurrency, type Currency } from '../../../../ratecard/src/base/money/currencies.ts'
import { minorUnits } from '../../../../ratecard/src/base/money/format.ts'
import { api } from '../../api.ts'
import { useAct, useLoaded } from '../../frame/live.ts'
import { money, stateLabel } from '../../words/words.ts'
import { useActor } from '../actor.tsx'
import { Badge, Card, Facts, Loading, Time } from '../basic.tsx'
import { Id, Text } from '../text.tsx'
import { Table } from '../table.tsx'
import { Confirm } from '../dialog.tsx'
import { AsOf, mirrorReload, ShowMirrored } from './mirrored.tsx'

const tones = { active: 'good', pending: 'plain', used: 'plain', expired: 'warn', voided: 'plain' } as const

/** Card with the credits of a tenant. Left out if there are none: the button that adds one is at the top of the page. */
export function TenantCredits({ id }: { readonly id: string }) {
  const list = useLoaded(`credits ${id}`, (signal) => api.credits.list(id, { signal }), mirrorReload)
  if (list.value === undefined && list.error === null) return <Loading what="Credits" />
  if (list.value?.credits.length === 0) return null
  return (
    <Card title="Credits">
      <div className="stack">
        <ShowMirrored of={list} what="Credits">
          {(found) => (
            <>
              <Facts rows={[['Balance', <Balance key="balance" of={found.balance} />]]} />
              <Table
                caption="Credits"
                columns={[
                  'Credit',
                  'State',
                  { name: 'Granted', isNumber: true },
                  { name: 'Left', isNumber: true },
                  'Pays for',
                  'Expires',
                  'Reason',
                ]}
                rows={found.credits.map((credit) => ({ key: credit.id, cells: cellsOf(credit) }))}
              />
              <AsOf of={found} />
            </>
          )}
        </ShowMirrored>
      </div>
    </Card>
  )
}

function Balance({ of }: { readonly of: readonly { readonly formatted: string }[] }) {
  return <span className="money">{of.length === 0 ? 'used up' : of.map(({ formatted }) => formatted).join(', ')}</span>
}

const cellsOf = ({ id, state, formatted, remainingFormatted, meters, expiresAt, reason }: Credit) => [
  <Id>{id}</Id>,
  <Badge tone={tones[state]}>{stateLabel(state)}</Badge>,
  <span className="money">{formatted}</span>,
  <span className="money">{remainingFormatted}</span>,
  meters === null ? 'all usage' : meters.join(', '),
  expiresAt === null ? 'never' : <Time at={expiresAt} />,
  reason === null ? '—' : <Text>{reason}</Text>,
]

interface AddCreditProps {
  readonly tenant: Tenant
  /** Currency in which the tenant pays, if it is known. The credit begins with it. */
  readonly usual: string | undefined
  readonly onClose: () => void
}

/** Dialog that adds a credit. Its button names the amount, once there is one. */
export function AddCredit({ tenant, usual, onClose }: AddCreditProps) {
  const { actor, fields } = useActor({ asksReason: false })
  const [amount, setAmount] = useState('')
  const [chosen, setCurrency] = useState<Currency | null>(null)
  const currency = chosen ?? (usual !== undefined && isCurrency(usual) ? usual : 'usd')
  const [reason, setReason] = useState('')
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const minor = minorUnits(amount, currency)
  const acting = useAct(async (credit: NewCredit) => {
    await api.credits.add(tenant.id, credit, { ...actor, message: credit.reason, idempotencyKey })
    onClose()
  })
  return (
    <Confirm
      title={`Add credit to ${tenant.name}`}
      act={minor === null ? 'Add credit' : `Add ${money(minor, currency)} of credit`}
      isRunning={acting.isRunning}
      isReady={minor !== null && reason.trim() !== ''}
      error={acting.error}
      onConfirm={() => minor !== null && void acting.run({ amount: minor, currency, reason: reason.trim() })}
      onClose={onClose}
    >
      <p>The credit pays for all metered usage in its currency, from the next invoice on.</p>
      <div className="columns">
        <label className="field">
          <span className="field-label">Amount</span>
          <input
            className="input"
            inputMode="decimal"
            value={amount}
            onChange={(event) => setAmount(event.target.value)}
          />
        </label>
        <label className="field">
          <span className="field-label">Currency</span>
          <select className="select" value={currency} onChange={(event) => setCurrency(event.target.value as Currency)}>
            {currencies.map((one) => (
              <option key={one} value={one}>
                {one.toUpperCase()}
              </option>
            ))}
          </select>
        </label>
      </div>
      <label className="field">
        <span className="field-label">Reason (shown with the credit and in the history)</span>
        <input className="input" maxLength={100} value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
      {fields}
    </Confirm>
  )
}
