// Tenants page: list of tenants with a search by id, name, email, customer, template or enterprise id.
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import type { Tenant } from '@ratecard/client'
import { api } from '../api.ts'
import { useAct, useLoaded } from '../live.ts'
import { useMayAct } from '../session.ts'
import { Badge, Card, Empty, Id, Page, Pager, Show, Table, Text, Time } from '../ui/basic.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { count } from '../words.ts'

const limit = 50
/** Maximum number of tenants that the free-text search reads. Tenants beyond it are found only by the service's own filters. */
const mostRead = 1000

/** Tenants that contain the search text, out of the first 1000 by id. */
async function search(words: string, signal: AbortSignal) {
  const found: Tenant[] = []
  for (let offset = 0; offset < mostRead; offset += 100) {
    const { tenants, pagination } = await api.tenants.list({ limit: 100, offset, signal })
    found.push(...tenants.filter((tenant) => fits(tenant, words)))
    if (!pagination.hasMore) return { tenants: found, isWhole: true }
  }
  return { tenants: found, isWhole: false }
}

function fits(tenant: Tenant, words: string): boolean {
  const { id, name, email, processorCustomerId, enterpriseTemplate, enterpriseId } = tenant
  return [id, name, email, processorCustomerId, enterpriseTemplate, enterpriseId].some(
    (text) => text !== null && text.toLowerCase().includes(words),
  )
}

function useQuiet(text: string): string {
  const [quiet, setQuiet] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(text), 200)
    return () => clearTimeout(timer)
  }, [text])
  return quiet
}

export function Tenants() {
  const mayAct = useMayAct()
  const [text, setText] = useState('')
  const [offset, setOffset] = useState(0)
  const [isAdding, setAdding] = useState(false)
  const words = useQuiet(text.trim().toLowerCase())
  const list = useLoaded(`tenants ${offset} ${words}`, async (signal) => {
    if (words === '') {
      const { tenants, pagination } = await api.tenants.list({ limit, offset, signal })
      return { tenants, total: pagination.total, isWhole: true }
    }
    const { tenants, isWhole } = await search(words, signal)
    return { tenants, total: tenants.length, isWhole }
  })
  return (
    <Page
      title="Tenants"
      lead="Who buys, and at which deal."
      actions={
        mayAct ? (
          <button type="button" className="button" onClick={() => setAdding(true)}>
            Add a tenant …
          </button>
        ) : undefined
      }
    >
      <label className="field">
        <span className="field-label">Search</span>
        <input
          className="input"
          type="search"
          placeholder="Name, id, email, customer, template"
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setOffset(0)
          }}
        />
      </label>
      <Show of={list} what="Tenants">
        {({ tenants, total, isWhole }) =>
          tenants.length === 0 ? (
            <Empty title={words === '' ? 'No tenants yet' : 'No tenant found'}>
              {words === '' ? (
                <p>
                  Your application creates tenants through the API. You can also create one with{' '}
                  <code>ratecard tenants create</code>, or here.
                </p>
              ) : (
                <p>Search for another name or id.</p>
              )}
            </Empty>
          ) : (
            <>
              {isWhole ? null : (
                <p className="quiet small">
                  Only the first {count(mostRead)} tenants were searched; an exact id opens its page all the same.
                </p>
              )}
              <Card isFlush>
                <TenantTable tenants={tenants} />
              </Card>
              {words === '' ? <Pager offset={offset} limit={limit} total={total} onMove={setOffset} /> : null}
            </>
          )
        }
      </Show>
      {isAdding ? <Add onClose={() => setAdding(false)} /> : null}
    </Page>
  )
}

const TenantTable = ({ tenants }: { readonly tenants: readonly Tenant[] }) => (
  <Table
    caption="Tenants"
    columns={['Tenant', 'Id', 'Deal', 'Customer', 'Since']}
    rows={tenants.map((tenant) => ({
      key: tenant.id,
      cells: [
        <Link href={`/tenants/${encodeURIComponent(tenant.id)}`}>
          <Text>{tenant.name}</Text>
        </Link>,
        <Id>{tenant.id}</Id>,
        <Deal tenant={tenant} />,
        tenant.processorCustomerId === null ? (
          '—'
        ) : (
          <span className="nowrap">
            <Id>{tenant.processorCustomerId}</Id>
          </span>
        ),
        <Time at={tenant.createdAt} />,
      ],
    }))}
  />
)

export function Deal({ tenant }: { readonly tenant: Tenant }) {
  if (tenant.enterpriseTemplate !== null)
    return (
      <Badge tone="warn">
        template <Text>{tenant.enterpriseTemplate}</Text>
      </Badge>
    )
  if (tenant.enterpriseId !== null)
    return (
      <Badge tone="warn">
        own prices <Text>{tenant.enterpriseId}</Text>
      </Badge>
    )
  return <span className="quiet nowrap">list prices</span>
}

function Add({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const [id, setId] = useState('')
  const [email, setEmail] = useState('')
  const add = useAct(async () => {
    await api.tenants.create({ name, ...(id === '' ? {} : { id }), ...(email === '' ? {} : { email }) })
    onClose()
  })
  const field = (label: string, value: string, set: (value: string) => void, type = 'text') => (
    <label className="field">
      <span className="field-label">{label}</span>
      <input className="input" type={type} value={value} onChange={(event) => set(event.target.value)} />
    </label>
  )
  return (
    <Confirm
      title="Add a tenant"
      act="Add"
      isRunning={add.isRunning}
      isReady={name.trim() !== ''}
      error={add.error}
      onConfirm={() => void add.run()}
      onClose={onClose}
    >
      {field('Name', name, setName)}
      {field('Id (made when left empty)', id, setId)}
      {field('Email (optional)', email, setEmail, 'email')}
    </Confirm>
  )
}
