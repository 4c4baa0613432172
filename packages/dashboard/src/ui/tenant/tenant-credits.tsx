// Card with a tenant's credits for metered usage: balance, list, and a form to add a credit.
import { useState } from 'react'
import type { Credit, NewCredit, Tenant } from '@ratecard/client'
import { currencies, isCurrency, type Currency } from '../../../../ratecard/src/base/money/currencies.ts'
import { minorUnits } from '../../../../ratecard/src/base/money/format.ts'
import { api } from '../../api.ts'
import { useAct, useLoaded } from '../../frame/live.ts'
import { useMayAct } from '../../session.ts'
import { money, stateLabel } from '../../words/words.ts'
import { useActor } from '../actor.tsx'
import { Badge, Card, Facts, Id, Table, Text, Time } from '../basic.tsx'
import { Confirm } from '../dialog.tsx'
import { AsOf, mirrorReload, ShowMirrored } from './mirrored.tsx'

const tones = { active: 'good', pending: 'plain', used: 'plain', expired: 'warn', voided: 'plain' } as const

interface TenantCreditsProps {
  readonly tenant: Tenant
  /** Currency in which the tenant pays, if it is known. New credits begin with it. */
  readonly usual: string | undefined
}

export function TenantCredits({ tenant, usual }: TenantCreditsProps) {
  const { id } = tenant
  const mayAct = useMayAct()
  const list = useLoaded(`credits ${id}`, (signal) => api.credits.list(id, { signal }), mirrorReload)
  return (
    <Card title="Credits">
      <div className="stack">
        <ShowMirrored of={list} what="Credits">
          {(found) =>
            found.credits.length === 0 ? (
              <p className="quiet">No credits yet.</p>
            ) : (
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
            )
          }
        </ShowMirrored>
        {mayAct ? <AddCredit tenant={tenant} usual={usual} onAdded={list.reload} /> : null}
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

function AddCredit({ tenant, usual, onAdded }: TenantCreditsProps & { readonly onAdded: () => void }) {
  const [amount, setAmount] = useState('')
  const [chosen, setCurrency] = useState<Currency | null>(null)
  const currency = chosen ?? (usual !== undefined && isCurrency(usual) ? usual : 'usd')
  const [reason, setReason] = useState('')
  const [isOpen, setOpen] = useState(false)
  const minor = minorUnits(amount, currency)
  const close = () => setOpen(false)
  return (
    <div className="stack">
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
      <label className="field">
        <span className="field-label">Reason</span>
        <input className="input" maxLength={100} value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
      <div className="actions">
        <button
          type="button"
          className="button"
          disabled={minor === null || reason.trim() === ''}
          onClick={() => setOpen(true)}
        >
          Add credit …
        </button>
      </div>
      {isOpen && minor !== null ? (
        <ConfirmCredit
          tenant={tenant}
          credit={{ amount: minor, currency, reason: reason.trim() }}
          onAdded={() => {
            setAmount('')
            setReason('')
            close()
            onAdded()
          }}
          onClose={close}
        />
      ) : null}
    </div>
  )
}

interface ConfirmCreditProps {
  readonly tenant: Tenant
  readonly credit: NewCredit
  readonly onAdded: () => void
  readonly onClose: () => void
}

function ConfirmCredit({ tenant, credit, onAdded, onClose }: ConfirmCreditProps) {
  const { actor, fields } = useActor()
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const acting = useAct(async () => {
    await api.credits.add(tenant.id, credit, { ...actor, idempotencyKey })
    onAdded()
  })
  const amount = money(credit.amount, credit.currency)
  return (
    <Confirm
      title={`Add ${amount} of credit to ${tenant.name}?`}
      act="Add credit"
      isRunning={acting.isRunning}
      error={acting.error}
      onConfirm={() => void acting.run()}
      onClose={onClose}
    >
      <Facts
        rows={[
          [
            'Credit',
            <span key="amount" className="money">
              {amount}
            </span>,
          ],
          ['Reason', <Text key="reason">{credit.reason}</Text>],
          ['Pays for', 'all metered usage in this currency, from the next invoice on'],
        ]}
      />
      {fields}
    </Confirm>
  )
}
