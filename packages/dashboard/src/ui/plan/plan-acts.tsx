// Actions on a tenant's subscription: change plan or seats, cancel, resume, pause. Each action first shows its effect.
import { useState, type ReactNode } from 'react'
import type { ChangePreview, PriceDocument, Subscription, Tenant } from '@ratecard/client'
import { paidByWords } from '../../../../ratecard/src/base/wording/invoice-words.ts'
import { endOf, periodEndOf } from '../../../../ratecard/src/base/wording/planned-end.ts'
import { api } from '../../api.ts'
import { useCatalog } from '../../frame/catalog.ts'
import { useAct } from '../../frame/live.ts'
import { useActor } from '../actor.tsx'
import { Facts, Time } from '../basic.tsx'
import { Id } from '../text.tsx'
import { nameOfPrice, NamedPrice } from '../named.tsx'
import { Choices } from '../choices.tsx'
import { Confirm, Outcome, Preview } from '../dialog.tsx'

interface ActProps {
  readonly tenant: Tenant
  readonly subscription: Subscription
  readonly onClose: () => void
}

type Act = 'change' | 'cancel' | 'resume' | 'pause'

const dialogs = { change: ChangePlan, cancel: CancelPlan, resume: ResumePlan, pause: PausePlan } as const
const labels = { change: 'Change plan …', resume: 'Resume …', pause: 'Pause …', cancel: 'Cancel …' } as const

/** Buttons for the acts that the subscription allows now. */
export function PlanActs({ tenant, subscription }: Omit<ActProps, 'onClose'>) {
  const [open, setOpen] = useState<Act | null>(null)
  const ends = endOf(subscription)
  const allowed: Readonly<Record<Act, boolean>> = {
    change: subscription.status !== 'paused',
    resume: ends !== null || subscription.pause !== null || subscription.scheduled !== null || isPaused(subscription),
    pause: subscription.pause === null && !isPaused(subscription),
    cancel: true,
  }
  const Shown = open === null ? null : dialogs[open]
  return (
    <>
      {(Object.keys(labels) as Act[])
        .filter((act) => allowed[act])
        .map((act) => (
          <button
            key={act}
            type="button"
            className={act === 'cancel' ? 'button button-danger' : 'button'}
            aria-label={`${labels[act]} ${subscription.id}`}
            onClick={() => setOpen(act)}
          >
            {labels[act]}
          </button>
        ))}
      {Shown === null ? null : <Shown tenant={tenant} subscription={subscription} onClose={() => setOpen(null)} />}
    </>
  )
}

const isPaused = ({ status }: Subscription) => status === 'paused'

function ChangePlan({ tenant, subscription, onClose }: ActProps) {
  const catalog = useCatalog()
  const licensed = subscription.items.filter(({ usageType }) => usageType === 'licensed')
  const [from, setFrom] = useState(licensed[0]?.priceId ?? '')
  const [priceId, setPriceId] = useState(from)
  const [quantity, setQuantity] = useState(String(licensed[0]?.quantity ?? 1))
  const [when, setWhen] = useState<keyof typeof moments>('auto')
  const [toCurrent, setToCurrent] = useState(false)
  const isKept = licensed.some((item) => item.legacy && item.priceId === priceId)
  const request = {
    tenantId: tenant.id,
    subscription: subscription.id,
    items: [{ priceId, quantity: Number(quantity) }],
    ...(from === '' ? {} : { replaces: from }),
    when,
    ...(isKept && toCurrent ? { toCurrent } : {}),
  }
  const dry = useAct(async () => ({ request, preview: await api.subscription.preview(request) }))
  if (dry.value !== undefined) return <ConfirmChange {...dry.value} onBack={dry.reset} onClose={onClose} />
  return (
    <Preview
      title={`Change the plan of ${tenant.name}`}
      isRunning={dry.isRunning}
      isReady={priceId !== ''}
      error={dry.error}
      onShow={() => void dry.run()}
      onClose={onClose}
    >
      {licensed.length < 2 ? null : (
        <PriceChoice
          label="Replaces"
          options={licensed.flatMap((item) => item.priceId ?? [])}
          value={from}
          onChange={setFrom}
        />
      )}
      <PriceChoice
        label="Price"
        options={offeredPrices(
          [...(catalog?.prices.values() ?? [])].map(({ price }) => price),
          priceId,
        )}
        value={priceId}
        onChange={setPriceId}
      />
      <label className="field">
        <span className="field-label">Quantity</span>
        <input
          className="input"
          type="number"
          min={1}
          value={quantity}
          onChange={(event) => setQuantity(event.target.value)}
        />
      </label>
      {isKept ? (
        <label className="check">
          <input type="checkbox" checked={toCurrent} onChange={(event) => setToCurrent(event.target.checked)} />
          <span>Move to the price of today; otherwise the tenant keeps its earlier one</span>
        </label>
      ) : null}
      <Choices name="Begins" options={moments} value={when} onChange={setWhen} />
    </Preview>
  )
}

const moments = {
  auto: 'Upgrades now, downgrades at the end of the period',
  now: 'Now',
  period_end: 'At the end of the period',
} as const

/**
 * Returns the ids of all ordinary licensed recurring prices, and the id of the present price. Negotiated prices are left out, because the
 * service itself uses the price negotiated for the tenant.
 */
function offeredPrices(prices: readonly PriceDocument[], present: string): string[] {
  const sold = prices.filter(
    ({ interval, usage_type: usage, enterprise_template: template, enterprise_id: deal }) =>
      interval !== undefined && usage !== 'metered' && template === undefined && deal === undefined,
  )
  return [...new Set([...(present === '' ? [] : [present]), ...sold.map(({ id }) => id)])]
}

interface PriceChoiceProps {
  readonly label: string
  readonly options: readonly string[]
  readonly value: string
  readonly onChange: (value: string) => void
}

function PriceChoice({ label, options, value, onChange }: PriceChoiceProps) {
  const catalog = useCatalog()
  return (
    <label className="field">
      <span className="field-label">{label}</span>
      <select className="select" value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map((id) => (
          <option key={id} value={id}>
            {nameOfPrice(catalog, id) === null ? id : `${nameOfPrice(catalog, id) ?? ''} (${id})`}
          </option>
        ))}
      </select>
    </label>
  )
}

interface ConfirmChangeProps {
  readonly request: Parameters<typeof api.subscription.preview>[0]
  readonly preview: ChangePreview
  readonly onBack: () => void
  readonly onClose: () => void
}

function ConfirmChange({ request, preview, onBack, onClose }: ConfirmChangeProps) {
  const { actor, fields } = useActor()
  const acting = useAct(() => api.subscription.change({ ...request, preview: preview.preview }, actor))
  if (acting.value?.status === 'payment_required')
    return (
      <Outcome title="The customer must pay first" onClose={onClose}>
        <p>
          The card was declined, or the customer must confirm the payment. The plan changes only when the invoice is
          paid.{' '}
          {acting.value.url === undefined ? null : (
            <a href={acting.value.url} rel="noreferrer" target="_blank">
              The page where the customer pays
            </a>
          )}
        </p>
      </Outcome>
    )
  return (
    <Confirm
      title="Change the plan?"
      act="Change the plan"
      isRunning={acting.isRunning}
      error={acting.error}
      onConfirm={() => {
        void acting.run().then((outcome) => {
          if (outcome !== undefined && outcome.status !== 'payment_required') onClose()
        })
      }}
      onClose={onBack}
    >
      <Previewed preview={preview} />
      {fields}
    </Confirm>
  )
}

function Previewed({ preview }: { readonly preview: ChangePreview }) {
  const { when, effectiveAt, before, after, dueNow, nextInvoice, monthly, warnings } = preview
  const rows: [string, ReactNode][] = [
    ['Begins', when === 'now' ? 'now' : <Time key="at" at={effectiveAt} />],
    ['Before', <Items key="before" items={before} />],
    ['After', <Items key="after" items={after} />],
    [
      'Due now',
      <span key="due">
        <span className="money">{dueNow.formatted}</span> <PaidBy invoice={dueNow} />
      </span>,
    ],
    [
      'Next invoice',
      nextInvoice === null ? (
        'none'
      ) : (
        <span key="next">
          <span className="money">{nextInvoice.formatted}</span>
          {nextInvoice.at === null ? null : (
            <>
              {' '}
              on <Time at={nextInvoice.at} />
            </>
          )}{' '}
          <PaidBy invoice={nextInvoice} />
        </span>
      ),
    ],
    ['A month', `${sums(monthly.before)} → ${sums(monthly.after)}`],
  ]
  return (
    <>
      {warnings.map(({ code, detail }) => (
        <p key={code} className="alert alert-warning">
          {detail}
        </p>
      ))}
      <Facts rows={rows} />
    </>
  )
}

const PaidBy = ({ invoice }: { readonly invoice: ChangePreview['dueNow'] }) => (
  <span className="quiet">{paidByWords(invoice).join(' ')}</span>
)

const sums = (amounts: readonly { readonly formatted: string }[]) =>
  amounts.map(({ formatted }) => formatted).join(' + ')

const Items = ({ items }: { readonly items: ChangePreview['before'] }) => (
  <>
    {items.map(({ priceId, processorPriceId, quantity }, at) => (
      <span key={processorPriceId}>
        {at === 0 ? '' : ', '}
        <NamedPrice id={priceId ?? processorPriceId} isLink={false} />
        {quantity === null ? ' by usage' : ` × ${String(quantity)}`}
      </span>
    ))}
  </>
)

function CancelPlan({ tenant, subscription, onClose }: ActProps) {
  const [when, setWhen] = useState<'period_end' | 'now'>('period_end')
  const periodEnd = periodEndOf(subscription)
  return (
    <ConfirmAct
      title={`Cancel the subscription of ${tenant.name}?`}
      act="Cancel the subscription"
      isDanger
      rows={[
        ['Subscription', <Id key="id">{subscription.id}</Id>],
        ['Ends', when === 'now' || periodEnd === null ? 'now, without a refund' : <Time key="end" at={periodEnd} />],
      ]}
      run={({ actor, of }) =>
        api.subscription.cancel(
          { ...of, when, ...(actor.message === undefined ? {} : { reason: actor.message }) },
          actor,
        )
      }
      of={{ tenantId: tenant.id, subscription: subscription.id }}
      onClose={onClose}
    >
      <Choices
        name="When"
        options={{ period_end: 'At the end of the period', now: 'Now' }}
        value={when}
        onChange={setWhen}
      />
    </ConfirmAct>
  )
}

function ResumePlan({ tenant, subscription, onClose }: ActProps) {
  const ends = endOf(subscription)
  const undone: [string, ReactNode][] = [
    ...(ends === null
      ? []
      : [
          [
            'No longer ends',
            <span key="end">
              <Time at={ends} />
              {subscription.cancelAtPeriodEnd ? null : ', unless a schedule at the processor ends it then'}
            </span>,
          ] satisfies [string, ReactNode],
        ]),
    ...(subscription.pause === null
      ? []
      : [['No longer paused', 'its invoices are collected'] satisfies [string, ReactNode]]),
    ...(subscription.scheduled === null
      ? []
      : [['No longer changes', <Time key="at" at={subscription.scheduled.at} />] satisfies [string, ReactNode]]),
  ]
  return (
    <ConfirmAct
      title={`Resume the subscription of ${tenant.name}?`}
      act="Resume the subscription"
      rows={[['Subscription', <Id key="id">{subscription.id}</Id>], ...undone]}
      run={({ actor, of }) => api.subscription.resume(of, actor)}
      of={{ tenantId: tenant.id, subscription: subscription.id }}
      onClose={onClose}
    />
  )
}

const behaviors = {
  void: 'Void the invoices',
  keep_as_draft: 'Keep them as drafts',
  mark_uncollectible: 'Write them off',
} as const

function PausePlan({ tenant, subscription, onClose }: ActProps) {
  const [behavior, setBehavior] = useState<keyof typeof behaviors>('void')
  const [until, setUntil] = useState('')
  return (
    <ConfirmAct
      title={`Pause the subscription of ${tenant.name}?`}
      act="Pause the subscription"
      rows={[
        ['Subscription', <Id key="id">{subscription.id}</Id>],
        ['During the pause', 'the features stay; the invoices are not collected'],
        ['Until', until === '' ? 'it is resumed' : <Time key="until" at={`${until}T00:00:00Z`} />],
      ]}
      run={({ actor, of }) =>
        api.subscription.pause({ ...of, behavior, ...(until === '' ? {} : { until: `${until}T00:00:00Z` }) }, actor)
      }
      of={{ tenantId: tenant.id, subscription: subscription.id }}
      onClose={onClose}
    >
      <Choices name="Invoices meanwhile" options={behaviors} value={behavior} onChange={setBehavior} />
      <label className="field">
        <span className="field-label">Until (empty: until it is resumed)</span>
        <input className="input" type="date" value={until} onChange={(event) => setUntil(event.target.value)} />
      </label>
    </ConfirmAct>
  )
}

interface Of {
  readonly tenantId: string
  readonly subscription: string
}

interface ConfirmActProps {
  readonly title: string
  readonly act: string
  readonly isDanger?: boolean
  readonly rows: [string, ReactNode][]
  readonly of: Of
  readonly run: (call: { readonly actor: ReturnType<typeof useActor>['actor']; readonly of: Of }) => Promise<unknown>
  readonly onClose: () => void
  readonly children?: ReactNode
}

function ConfirmAct({ title, act, isDanger = false, rows, of, run, onClose, children }: ConfirmActProps) {
  const { actor, fields } = useActor()
  const acting = useAct(async () => {
    await run({ actor, of })
    onClose()
  })
  return (
    <Confirm
      title={title}
      act={act}
      isDanger={isDanger}
      isRunning={acting.isRunning}
      error={acting.error}
      onConfirm={() => void acting.run()}
      onClose={onClose}
    >
      {children}
      <Facts rows={rows} />
      {fields}
    </Confirm>
  )
}
