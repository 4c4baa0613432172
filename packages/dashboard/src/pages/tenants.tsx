// Tenants page: a list that the service searches, filters and sorts.
import { useEffect, useState } from 'react'
import { useSearch } from 'wouter'
import type { BillingStatus, ListedTenant, Tenant, TenantQuery } from '@ratecard/client'
import { api } from '../api.ts'
import { useAct, useLoaded } from '../frame/live.ts'
import { useMayAct } from '../session.ts'
import { Badge, Card, Empty, Page, Pager, Time } from '../ui/basic.tsx'
import { Text } from '../ui/text.tsx'
import { Table } from '../ui/table.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { amounts, AsOf, mirrorReload, ShowMirrored } from '../ui/tenant/mirrored.tsx'
import { NamedProduct, NamedTenant } from '../ui/named.tsx'
import { TenantState } from '../ui/tenant/standing.tsx'
import { stateLabel } from '../words/words.ts'

const limit = 50

const states = [
  'active',
  'trialing',
  'past_due',
  'unpaid',
  'paused',
  'incomplete',
  'free',
  'none',
] as const satisfies readonly BillingStatus[]

const sorts = {
  id: 'Id',
  name: 'Name',
  created_at: 'Newest first',
  monthly: 'Highest monthly amount first',
  owed: 'Highest unpaid amount first',
} as const
type Sort = keyof typeof sorts
const isDescending: ReadonlySet<Sort> = new Set(['created_at', 'monthly', 'owed'])

/** Filters of the list. An empty text means that the filter is not set. */
interface Filters {
  readonly q: string
  readonly state: BillingStatus | ''
  readonly priceId: string
  readonly owing: boolean
  readonly legacy: boolean
  readonly sort: Sort
}

const orEmpty = (text: string) => (text === '' ? undefined : text)

const queryOf = ({ q, state, priceId, owing, legacy, sort }: Filters): TenantQuery => ({
  q: orEmpty(q.trim()),
  state: state === '' ? undefined : state,
  priceId: orEmpty(priceId.trim()),
  owing: owing ? true : undefined,
  legacy: legacy ? true : undefined,
  sort,
  order: isDescending.has(sort) ? 'desc' : 'asc',
})

function useQuiet<Value>(value: Value): Value {
  const [quiet, setQuiet] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(value), 200)
    return () => clearTimeout(timer)
  }, [value])
  return quiet
}

/** Reads the filters from the query of the URL, e.g. `?owing` or `?state=past_due`, so that other pages can link to a filtered list. */
function filtersOf(search: string): Filters {
  const asked = new URLSearchParams(search)
  return {
    q: asked.get('q') ?? '',
    state: states.find((state) => state === asked.get('state')) ?? '',
    priceId: asked.get('price') ?? '',
    owing: asked.has('owing'),
    legacy: asked.has('legacy'),
    sort: asked.has('owing') ? 'owed' : 'id',
  }
}

export function Tenants() {
  const mayAct = useMayAct()
  const [filters, setFilters] = useState(filtersOf(useSearch()))
  const [offset, setOffset] = useState(0)
  const [isAdding, setAdding] = useState(false)
  const asked = useQuiet(filters)
  const query = queryOf(asked)
  const list = useLoaded(
    `tenants ${offset} ${JSON.stringify(query)}`,
    (signal) => api.tenants.list({ ...query, limit, offset, signal }),
    mirrorReload,
  )
  const change = (changed: Partial<Filters>) => {
    setFilters({ ...filters, ...changed })
    setOffset(0)
  }
  return (
    <Page
      title="Tenants"
      lead="Your customers: what they buy, pay and owe."
      actions={
        mayAct ? (
          <button type="button" className="button" onClick={() => setAdding(true)}>
            Add a tenant …
          </button>
        ) : undefined
      }
    >
      {list.value?.tenants.length === 0 && !isFiltered(filters) ? null : (
        <FilterFields of={filters} onChange={change} />
      )}
      <ShowMirrored of={list} what="Tenants">
        {(found) =>
          found.tenants.length === 0 ? (
            <NobodyFound isFiltered={isFiltered(asked)} />
          ) : (
            <>
              <Card isFlush>
                <TenantTable tenants={found.tenants} />
              </Card>
              <Pager offset={offset} limit={limit} total={found.pagination.total} onMove={setOffset} />
              <AsOf of={found} />
            </>
          )
        }
      </ShowMirrored>
      {isAdding ? <Add onClose={() => setAdding(false)} /> : null}
    </Page>
  )
}

const isFiltered = ({ q, state, priceId, owing, legacy }: Filters) =>
  q.trim() !== '' || state !== '' || priceId.trim() !== '' || owing || legacy

const NobodyFound = ({ isFiltered: isAny }: { readonly isFiltered: boolean }) => (
  <Empty title={isAny ? 'No tenant found' : 'No tenants yet'}>
    {isAny ? (
      <p>Search for another name or id, or choose fewer filters.</p>
    ) : (
      <p>
        Your application creates tenants through the API. You can also create one with{' '}
        <code>ratecard tenants create</code>, or here.
      </p>
    )}
  </Empty>
)

interface FieldsProps {
  readonly of: Filters
  readonly onChange: (changed: Partial<Filters>) => void
}

const FilterFields = ({ of, onChange }: FieldsProps) => (
  <search className="filters">
    <label className="field">
      <span className="field-label">Search</span>
      <input
        className="input"
        type="search"
        placeholder="Name, id or email"
        value={of.q}
        onChange={(event) => onChange({ q: event.target.value })}
      />
    </label>
    <label className="field">
      <span className="field-label">State</span>
      <select
        className="input"
        value={of.state}
        onChange={(event) => onChange({ state: states.find((state) => state === event.target.value) ?? '' })}
      >
        <option value="">Any</option>
        {states.map((state) => (
          <option key={state} value={state}>
            {stateLabel(state)}
          </option>
        ))}
      </select>
    </label>
    <label className="field">
      <span className="field-label">Price id</span>
      <input className="input" value={of.priceId} onChange={(event) => onChange({ priceId: event.target.value })} />
    </label>
    <label className="field">
      <span className="field-label">Order</span>
      <select className="input" value={of.sort} onChange={(event) => onChange({ sort: event.target.value as Sort })}>
        {Object.entries(sorts).map(([sort, words]) => (
          <option key={sort} value={sort}>
            {words}
          </option>
        ))}
      </select>
    </label>
    <label className="check">
      <input type="checkbox" checked={of.owing} onChange={(event) => onChange({ owing: event.target.checked })} />
      <span>Owes something</span>
    </label>
    <label className="check">
      <input type="checkbox" checked={of.legacy} onChange={(event) => onChange({ legacy: event.target.checked })} />
      <span>On an earlier price</span>
    </label>
  </search>
)

const TenantTable = ({ tenants }: { readonly tenants: readonly ListedTenant[] }) => (
  <Table
    caption="Tenants"
    columns={[
      'Tenant',
      'State',
      'Products',
      { name: 'A month', isNumber: true },
      { name: 'Owed', isNumber: true },
      { name: 'Deal', isExtra: true },
      { name: 'Since', isExtra: true },
    ]}
    rows={tenants.map((tenant) => ({
      key: tenant.id,
      cells: [
        <NamedTenant id={tenant.id} name={tenant.name} />,
        <TenantState of={tenant} />,
        bought(tenant),
        amounts(tenant.monthly),
        amounts(tenant.owed),
        <Deal tenant={tenant} />,
        <Time at={tenant.createdAt} isDay />,
      ],
    }))}
  />
)

/** Renders the products of a tenant, and whether it pays an earlier price for one. */
function bought({ products = [], legacyItems = 0 }: ListedTenant) {
  if (products.length === 0 && legacyItems === 0) return '—'
  return (
    <>
      {products.length === 0
        ? '—'
        : products.map((id) => (
            <span key={id} className="block inline-names">
              <NamedProduct id={id} />
            </span>
          ))}{' '}
      {legacyItems > 0 ? <Badge tone="warn">earlier price</Badge> : null}
    </>
  )
}

export function Deal({ tenant }: { readonly tenant: Tenant }) {
  const { enterpriseEndsAt: endsAt } = tenant
  if (endsAt !== null)
    return (
      <>
        <Deal tenant={{ ...tenant, enterpriseEndsAt: null }} />{' '}
        <span className="small">
          until <Time at={endsAt} />
          {tenant.enterpriseThen === 'signed' ? ', then the price before it' : ''}
        </span>
      </>
    )
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
      {field('Id (generated if empty)', id, setId)}
      {field('Email (optional)', email, setEmail, 'email')}
    </Confirm>
  )
}
