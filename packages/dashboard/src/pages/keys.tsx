// Keys page: service keys with scope and expiry.
import { useState } from 'react'
import type { ServiceKey } from '@ratecard/client'
import { api } from '../api.ts'
import { useAct, useLoaded } from '../frame/live.ts'
import { useMayAct, useSessionKey } from '../session.ts'
import { Badge, Card, Copy, Page, Show, Time } from '../ui/basic.tsx'
import { Text } from '../ui/text.tsx'
import { Table } from '../ui/table.tsx'
import { Choices } from '../ui/choices.tsx'
import { Confirm, Outcome } from '../ui/dialog.tsx'

const scopes = { read: 'Read only', write: 'Read and write' } as const
const ownerScopes = { ...scopes, owner: 'Owner: also policies' } as const
const lives = { '': 'Never', '30': 'In 30 days', '90': 'In 90 days', '365': 'In a year' } as const

export function Keys() {
  const mayAct = useMayAct()
  const own = useSessionKey()
  const [isAdding, setAdding] = useState(false)
  const [revoked, setRevoked] = useState<ServiceKey | null>(null)
  const keys = useLoaded('keys', (signal) => api.admin.keys({ signal }))
  return (
    <Page
      title="Keys"
      lead="Service keys. A key is shown once. Only its hash is stored."
      actions={
        mayAct ? (
          <button type="button" className="button" onClick={() => setAdding(true)}>
            Create key …
          </button>
        ) : undefined
      }
    >
      <Show of={keys} what="Keys">
        {(list) => (
          <Card isFlush>
            <Table
              caption="Service keys"
              columns={['Name', 'Scope', 'State', 'Last used', 'Created', '']}
              rows={list.map((key) => ({
                key: key.id,
                cells: [
                  <>
                    <Text>{key.name}</Text> <span className="quiet small mono nowrap">…{key.hint}</span>{' '}
                    {key.id === own?.id ? <Badge tone="accent">this session</Badge> : null}
                  </>,
                  <Badge tone={key.scope === 'read' ? 'plain' : 'accent'}>{key.scope}</Badge>,
                  <State of={key} />,
                  key.lastUsedAt === null ? 'never' : <Time at={key.lastUsedAt} isRelative />,
                  <Time at={key.createdAt} />,
                  mayAct && key.revokedAt === null ? (
                    <button
                      type="button"
                      className="button button-small button-danger"
                      aria-label={`Revoke ${key.name}`}
                      onClick={() => setRevoked(key)}
                    >
                      Revoke …
                    </button>
                  ) : null,
                ],
              }))}
            />
          </Card>
        )}
      </Show>
      {isAdding ? <Add onClose={() => setAdding(false)} /> : null}
      {revoked === null ? null : (
        <Revoke of={revoked} isOwn={revoked.id === own?.id} onClose={() => setRevoked(null)} />
      )}
    </Page>
  )
}

function State({ of: { revokedAt, expiresAt } }: { readonly of: ServiceKey }) {
  if (revokedAt !== null) return <Badge>revoked</Badge>
  if (expiresAt === null) return <Badge tone="good">valid</Badge>
  if (new Date(expiresAt).getTime() <= Date.now()) return <Badge>expired</Badge>
  return (
    <>
      <Badge tone="good">valid</Badge>{' '}
      <span className="quiet small">
        until <Time at={expiresAt} />
      </span>
    </>
  )
}

function Add({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const offered: Partial<typeof ownerScopes> = useSessionKey()?.scope === 'owner' ? ownerScopes : scopes
  const [scope, setScope] = useState<keyof typeof ownerScopes>('read')
  const [days, setDays] = useState('90')
  const add = useAct(() =>
    api.admin.createKey(name.trim(), {
      scope,
      ...(days === '' ? {} : { expiresAt: new Date(Date.now() + Number(days) * 86_400_000).toISOString() }),
    }),
  )
  if (add.value !== undefined)
    return (
      <Outcome title="The new key" onClose={onClose}>
        <p>Copy it now: it is shown only once.</p>
        <div className="secret">
          <code>{add.value.key}</code>
          <Copy text={add.value.key} />
        </div>
      </Outcome>
    )
  return (
    <Confirm
      title="Create service key"
      act="Create key"
      isRunning={add.isRunning}
      isReady={name.trim() !== ''}
      error={add.error}
      onConfirm={() => void add.run()}
      onClose={onClose}
    >
      <label className="field">
        <span className="field-label">Purpose</span>
        <input className="input" maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
      </label>
      <div className="field">
        <span className="field-label" aria-hidden="true">
          Scope
        </span>
        <div>
          <Choices name="Scope" options={offered} value={scope} onChange={setScope} />
        </div>
      </div>
      <label className="field">
        <span className="field-label">It expires</span>
        <select className="select" value={days} onChange={(event) => setDays(event.target.value)}>
          {Object.entries(lives).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
    </Confirm>
  )
}

interface RevokeProps {
  readonly of: ServiceKey
  readonly isOwn: boolean
  readonly onClose: () => void
}

function Revoke({ of: key, isOwn, onClose }: RevokeProps) {
  const revoke = useAct(async () => {
    await api.admin.revokeKey(key.id)
    onClose()
  })
  return (
    <Confirm
      title={`Revoke “${key.name}”?`}
      act="Revoke key"
      isDanger
      isRunning={revoke.isRunning}
      error={revoke.error}
      onConfirm={() => void revoke.run()}
      onClose={onClose}
    >
      <p>Requests with this key will fail at once. This cannot be undone.</p>
      {isOwn ? (
        <div className="alert alert-warning">
          <p>You are signed in with this key: this session ends with it.</p>
        </div>
      ) : null}
    </Confirm>
  )
}
