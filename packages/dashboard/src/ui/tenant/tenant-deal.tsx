// The dialog that gives a tenant a deal (negotiated prices), or takes it away.
import { useState } from 'react'
import type { EnterpriseOutcome, Tenant } from '@ratecard/client'
import { api } from '../../api.ts'
import { dealMoney, type DealMoney } from '../../amounts/deal.ts'
import { useCatalog } from '../../frame/catalog.ts'
import { useAct, useLoaded } from '../../frame/live.ts'
import { useActor } from '../actor.tsx'
import { Empty } from '../basic.tsx'
import { Choices } from '../choices.tsx'
import { Confirm, Preview } from '../dialog.tsx'
import { DryRun } from '../plan/dry-run.tsx'

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

interface DealDialogProps {
  readonly tenant: Tenant
  readonly onClose: () => void
}

/** Dialog that chooses a deal, or its end, shows what would change, and then applies it. */
export function DealDialog({ tenant, onClose }: DealDialogProps) {
  const coverage = useLoaded('coverage', (signal) => api.enterprise.coverage({ signal }))
  const catalog = useCatalog()
  const [kind, setKind] = useState<DealTarget['kind']>('template')
  const [name, setName] = useState('')
  const [isBase, setBase] = useState(false)
  const [until, setUntil] = useState('')
  const [back, setBack] = useState<DealTarget['back']>('base')
  const names = kind === 'template' ? (coverage.value?.templates ?? []) : (coverage.value?.enterpriseIds ?? [])
  const chosen = names.includes(name) ? name : (names[0] ?? '')
  const target: DealTarget = { kind, name: kind === 'list' ? '' : chosen, until, back }
  const unmatched = isBase ? 'base' : 'keep'
  const dry = useAct(async () => {
    const [outcome, subscriptions] = await Promise.all([
      apply(tenant.id, target, unmatched, { dryRun: true }),
      api.tenants.subscriptions(tenant.id),
    ])
    const preview = () => api.tenants.upcomingInvoice(tenant.id)
    const document = catalog?.document ?? { version: '', products: [] }
    return { outcome, money: await dealMoney(outcome, subscriptions, document, preview), target, unmatched } as const
  })
  if (dry.value !== undefined) return <ApplyDeal tenant={tenant} {...dry.value} onBack={dry.reset} onClose={onClose} />
  return (
    <Preview
      title={`The deal of ${tenant.name}`}
      isRunning={dry.isRunning}
      isReady={kind === 'list' || chosen !== ''}
      error={dry.error}
      onShow={() => void dry.run()}
      onClose={onClose}
    >
      <Choices name="Which prices" options={kinds} value={kind} onChange={setKind} />
      {kind === 'list' ? (
        <p>The items return to list prices, and the deal is removed.</p>
      ) : coverage.value === undefined ? null : names.length === 0 ? (
        <Empty title={kind === 'template' ? 'No price has a template' : 'No price was negotiated with a single tenant'}>
          <p>
            Add a price with {kind === 'template' ? <code>enterprise_template</code> : <code>enterprise_id</code>} to
            your files and push them.
          </p>
        </Empty>
      ) : (
        <>
          <label className="field">
            <span className="field-label">{kind === 'template' ? 'Template' : 'Enterprise id'}</span>
            <select className="select" value={chosen} onChange={(event) => setName(event.target.value)}>
              {names.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
          <label className="check">
            <input type="checkbox" checked={isBase} onChange={(event) => setBase(event.target.checked)} />
            <span>Where the new deal has no price, use the list price</span>
          </label>
        </>
      )}
      {kind === 'list' ? null : (
        <label className="field">
          <span className="field-label">Ends at 00:00 UTC on</span>
          <input type="date" className="input" value={until} onChange={(event) => setUntil(event.target.value)} />
        </label>
      )}
      {kind !== 'list' && until === '' ? null : (
        <Choices name="Items return to" options={returns} value={back} onChange={setBack} />
      )}
    </Preview>
  )
}

interface ApplyDealProps {
  readonly tenant: Tenant
  readonly target: DealTarget
  readonly unmatched: 'keep' | 'base'
  readonly money: DealMoney
  readonly outcome: EnterpriseOutcome
  /** Called if the user does not confirm, to choose another deal. */
  readonly onBack: () => void
  readonly onClose: () => void
}

function ApplyDeal({ tenant, target, unmatched, money, outcome, onBack, onClose }: ApplyDealProps) {
  const { actor, fields } = useActor()
  const act = useAct(async () => {
    await apply(tenant.id, target, unmatched, actor)
    onClose()
  })
  return (
    <Confirm
      title={target.kind === 'list' ? `Remove the deal of ${tenant.name}?` : `Give ${tenant.name} “${target.name}”?`}
      act={target.kind === 'list' ? 'Remove the deal' : 'Apply the deal'}
      isRunning={act.isRunning}
      error={act.error}
      onConfirm={() => void act.run()}
      onClose={onBack}
    >
      <DryRun outcome={outcome} money={money} />
      {fields}
    </Confirm>
  )
}
