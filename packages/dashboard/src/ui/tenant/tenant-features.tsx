// Features that a tenant may use, with limit and usage, and the tenant's grants, with dialogs to add and remove a grant.
import { useState, type ReactNode } from 'react'
import type { BillingDocument, Entitlements, Grant, NewGrant, Tenant } from '@ratecard/client'
import { api } from '../../api.ts'
import { useCatalog } from '../../frame/catalog.ts'
import { useAct, useLoaded } from '../../frame/live.ts'
import { useMayAct } from '../../session.ts'
import { amount } from '../../words/words.ts'
import { useActor } from '../actor.tsx'
import { Badge, Card, Facts, Loading, Show, Time } from '../basic.tsx'
import { Id, Text } from '../text.tsx'
import { Table } from '../table.tsx'
import { Confirm, Outcome } from '../dialog.tsx'

type Allowance = Entitlements['features'][number]
type Feature = NonNullable<BillingDocument['features']>[number]

export function TenantFeatures({ tenant }: { readonly tenant: Tenant }) {
  const { id } = tenant
  const list = useLoaded(`entitlements ${id}`, (signal) => api.tenants.entitlements(id, { signal }), {
    everyMs: 15_000,
  })
  return (
    <Card title="Features and limits" isFlush={(list.value?.features.length ?? 0) > 0}>
      <Show of={list} what="Features">
        {({ features }) =>
          features.length === 0 ? (
            <p className="quiet">The tenant has no feature of your price list.</p>
          ) : (
            <Table
              caption="Features and limits"
              columns={[
                'Feature',
                { name: 'Limit', isNumber: true },
                { name: 'Used', isNumber: true },
                { name: 'Remaining', isNumber: true },
                'Resets',
              ]}
              rows={features.map((one) => ({ key: one.id, cells: allowanceCells(one) }))}
            />
          )
        }
      </Show>
    </Card>
  )
}

function allowanceCells(one: Allowance): ReactNode[] {
  const unknown = one.type === 'limit' ? 'counted by you' : '—'
  return [
    <>
      <Text>{one.name}</Text> <Id>{one.id}</Id>{' '}
      {one.reason === 'limit_reached' ? <Badge tone="warn">limit reached</Badge> : null}
      {one.beyond === 'allow' ? <Badge>more is billed</Badge> : null}
    </>,
    one.limit === null ? 'on' : amount(one.limit),
    one.used === null ? unknown : amount(one.used),
    one.remaining === null ? '—' : amount(one.remaining),
    one.resetsAt === null ? '—' : <Time at={one.resetsAt} />,
  ]
}

/** Card with the grants of a tenant. Left out if there are none: the button that gives one is at the top of the page. */
export function TenantGrants({ tenant }: { readonly tenant: Tenant }) {
  const { id } = tenant
  const mayAct = useMayAct()
  const list = useLoaded(`grants ${id}`, (signal) => api.tenants.grants(id, { signal }), { everyMs: 15_000 })
  if (list.value === undefined && list.error === null) return <Loading what="Grants" />
  if (list.value?.length === 0) return null
  return (
    <Card title="Grants" isFlush={list.value !== undefined}>
      <Show of={list} what="Grants">
        {(grants) => (
          <Table
            caption="Grants"
            columns={['Feature', 'Gives', 'Ends', 'Note', '']}
            rows={grants.map((grant) => ({
              key: grant.feature,
              cells: [
                <Id key="feature">{grant.feature}</Id>,
                grantWords(grant),
                grant.endsAt === null ? '—' : <Time at={grant.endsAt} />,
                grant.note === null ? '—' : <Text key="note">{grant.note}</Text>,
                mayAct ? <RemoveGrant tenant={tenant} grant={grant} /> : null,
              ],
            }))}
          />
        )}
      </Show>
    </Card>
  )
}

/** Returns what a grant gives, e.g. `50 more`, `limit 50` or `off`. */
function grantWords({ limit, enabled, replace }: Pick<Grant, 'limit' | 'enabled' | 'replace'>): string {
  const switched = enabled === null ? [] : [enabled ? 'on' : 'off']
  const number = limit === null ? [] : [replace ? `limit ${amount(limit)}` : `${amount(limit)} more`]
  return [...number, ...switched, ...(replace && limit === null ? ['instead of what was bought'] : [])].join(', ')
}

interface GiveGrantProps {
  readonly tenant: Tenant
  readonly onClose: () => void
}

/** Dialog that gives a feature or a limit in addition to what the tenant bought. */
export function GiveGrant({ tenant, onClose }: GiveGrantProps) {
  const features = useCatalog()?.document.features ?? []
  if (features.length > 0) return <GrantDialog tenant={tenant} features={features} onClose={onClose} />
  return (
    <Outcome title={`Give ${tenant.name} a grant?`} onClose={onClose}>
      <p>To grant a feature, first add it to your files and push them.</p>
    </Outcome>
  )
}

const wholeNumber = /^\d{1,12}$/

interface GrantForm {
  readonly feature: string
  readonly limit: string
  readonly enabled: boolean
  readonly replace: boolean
  /** A day as `YYYY-MM-DD`; the grant ends when that day begins (UTC). Empty: the grant does not end. */
  readonly until: string
  readonly note: string
}

/** Converts the form to a grant; null if the limit is neither a number nor `unlimited`. */
function grantIn(form: GrantForm, isSwitch: boolean): NewGrant | null {
  const limit = form.limit.trim()
  if (!isSwitch && limit !== 'unlimited' && !wholeNumber.test(limit)) return null
  return {
    ...(isSwitch ? { enabled: form.enabled } : { limit: limit === 'unlimited' ? limit : Number(limit) }),
    ...(form.replace ? { replace: true } : {}),
    ...(form.until === '' ? {} : { endsAt: `${form.until}T00:00:00Z` }),
    ...(form.note.trim() === '' ? {} : { note: form.note.trim() }),
  }
}

interface GrantDialogProps {
  readonly tenant: Tenant
  readonly features: readonly Feature[]
  readonly onClose: () => void
}

function GrantDialog({ tenant, features, onClose }: GrantDialogProps) {
  const { actor, fields } = useActor()
  const [form, setForm] = useState<GrantForm>({
    ...{ feature: features[0]?.id ?? '', limit: '', enabled: true, replace: false, until: '', note: '' },
  })
  const chosen = features.find(({ id }) => id === form.feature)
  const isSwitch = (chosen?.type ?? 'switch') === 'switch'
  const grant = grantIn(form, isSwitch)
  const acting = useAct(async () => {
    if (grant !== null) await api.tenants.grant(tenant.id, form.feature, grant, actor)
    onClose()
  })
  return (
    <Confirm
      title={`Give ${tenant.name} a grant?`}
      act="Give the grant"
      isRunning={acting.isRunning}
      isReady={grant !== null}
      error={acting.error}
      onConfirm={() => void acting.run()}
      onClose={onClose}
    >
      <p>A grant gives this tenant a feature or a limit in addition to what it bought.</p>
      <GrantFields form={form} features={features} isSwitch={isSwitch} onChange={(to) => setForm({ ...form, ...to })} />
      {fields}
    </Confirm>
  )
}

interface GrantFieldsProps {
  readonly form: GrantForm
  readonly features: readonly Feature[]
  readonly isSwitch: boolean
  readonly onChange: (change: Partial<GrantForm>) => void
}

function GrantFields({ form, features, isSwitch, onChange }: GrantFieldsProps) {
  return (
    <div className="stack">
      <label className="field">
        <span className="field-label">Feature</span>
        <select className="select" value={form.feature} onChange={(event) => onChange({ feature: event.target.value })}>
          {features.map(({ id, name }) => (
            <option key={id} value={id}>
              {name} ({id})
            </option>
          ))}
        </select>
      </label>
      {isSwitch ? (
        <Check label="On" isOn={form.enabled} onChange={(enabled) => onChange({ enabled })} />
      ) : (
        <Field
          label="Limit (a whole number, or unlimited)"
          value={form.limit}
          onChange={(limit) => onChange({ limit })}
        />
      )}
      <Check label="Instead of what was bought" isOn={form.replace} onChange={(replace) => onChange({ replace })} />
      <Field label="Ends at 00:00 UTC on" type="date" value={form.until} onChange={(until) => onChange({ until })} />
      <Field label="Note" value={form.note} onChange={(note) => onChange({ note })} />
    </div>
  )
}

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly type?: 'text' | 'date'
  readonly onChange: (value: string) => void
}

const Field = ({ label, value, type = 'text', onChange }: FieldProps) => (
  <label className="field">
    <span className="field-label">{label}</span>
    <input className="input" type={type} value={value} onChange={(event) => onChange(event.target.value)} />
  </label>
)

interface CheckProps {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

const Check = ({ label, isOn, onChange }: CheckProps) => (
  <label className="check">
    <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.target.checked)} />
    <span>{label}</span>
  </label>
)

function RemoveGrant({ tenant, grant }: { readonly tenant: Tenant; readonly grant: Grant }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        className="button button-danger"
        aria-label={`Remove the grant of ${grant.feature}`}
        onClick={() => setOpen(true)}
      >
        Remove …
      </button>
      {isOpen ? <ConfirmRemoval tenant={tenant} grant={grant} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

interface ConfirmRemovalProps {
  readonly tenant: Tenant
  readonly grant: Grant
  readonly onClose: () => void
}

function ConfirmRemoval({ tenant, grant, onClose }: ConfirmRemovalProps) {
  const { actor, fields } = useActor()
  const acting = useAct(async () => {
    await api.tenants.removeGrant(tenant.id, grant.feature, actor)
    onClose()
  })
  return (
    <Confirm
      title={`Remove the grant of ${grant.feature}?`}
      act="Remove the grant"
      isDanger
      isRunning={acting.isRunning}
      error={acting.error}
      onConfirm={() => void acting.run()}
      onClose={onClose}
    >
      <Facts
        rows={[
          ['Tenant', <Text key="tenant">{tenant.name}</Text>],
          ['Gives', grantWords(grant)],
        ]}
      />
      {fields}
    </Confirm>
  )
}
