// Discounts of a tenant's subscriptions: a list, and dialogs to add and remove a discount. Each dialog shows a dry run first.
import { useState, type ReactNode } from 'react'
import type { Discount, DiscountPlan, Tenant } from '@ratecard/client'
import { api } from '../../api.ts'
import { useAct, useLoaded } from '../../frame/live.ts'
import { useMayAct } from '../../session.ts'
import { useActor } from '../actor.tsx'
import { Card, Facts, Id, Problem, Show, Table, Time } from '../basic.tsx'
import { Confirm } from '../dialog.tsx'

export function TenantDiscounts({ tenant }: { readonly tenant: Tenant }) {
  const { id } = tenant
  const mayAct = useMayAct()
  const list = useLoaded(`discounts ${id}`, (signal) => api.discounts.list(id, { signal }), { everyMs: 15_000 })
  return (
    <Card title="Discounts">
      <div className="stack">
        <Show of={list} what="Discounts">
          {(discounts) =>
            discounts.length === 0 ? (
              <p className="quiet">No subscription has a discount.</p>
            ) : (
              <Table
                caption="Discounts"
                columns={['Coupon', 'Code', 'Ends', 'Subscription', '']}
                rows={discounts.map((one) => ({
                  key: one.id,
                  cells: [
                    one.couponId === null ? (
                      <span className="quiet">not in the configuration</span>
                    ) : (
                      <Id>{one.couponId}</Id>
                    ),
                    one.promotionCodeId === null ? '—' : <Id>{one.promotionCodeId}</Id>,
                    one.endsAt === null ? '—' : <Time at={one.endsAt} />,
                    <Id>{one.subscription}</Id>,
                    mayAct ? <RemoveDiscount tenant={tenant} discount={one} /> : null,
                  ],
                }))}
              />
            )
          }
        </Show>
        {mayAct ? <GiveDiscount tenant={tenant} /> : null}
      </div>
    </Card>
  )
}

/** What would change, as a dry run returned it. */
function PlannedDiscount({ plan }: { readonly plan: DiscountPlan }) {
  const { subscription, duration, durationInMonths, nextInvoice } = plan
  const rows: [string, ReactNode][] = [['Subscription', <Id key="subscription">{subscription}</Id>]]
  if (duration !== null) rows.push(['Lasts', lasting(duration, durationInMonths)])
  if (nextInvoice === null) rows.push(['Next invoice', 'none'])
  else
    rows.push(
      [
        'Next invoice before',
        <span key="before" className="money">
          {nextInvoice.beforeFormatted}
        </span>,
      ],
      [
        'Next invoice after',
        <span key="after" className="money">
          {nextInvoice.afterFormatted}
        </span>,
      ],
    )
  return <Facts rows={rows} />
}

function lasting(duration: NonNullable<DiscountPlan['duration']>, months: number | null): string {
  if (duration === 'once') return 'for one invoice'
  if (duration === 'forever') return 'for ever'
  return months === 1 ? 'one month' : `${String(months)} months`
}

function GiveDiscount({ tenant }: { readonly tenant: Tenant }) {
  const served = useLoaded('served config', () => api.admin.config())
  const subscriptions = useLoaded(`subscriptions ${tenant.id}`, (signal) =>
    api.tenants.subscriptions(tenant.id, { signal }),
  )
  const [coupon, setCoupon] = useState('')
  const [subscription, setSubscription] = useState('')
  const coupons = (served.value?.config.coupons ?? []).map(({ id }) => id)
  const paid = (subscriptions.value?.subscriptions ?? []).filter(({ home }) => home === 'processor').map(({ id }) => id)
  const request = {
    couponId: coupons.includes(coupon) ? coupon : (coupons[0] ?? ''),
    subscription: paid.includes(subscription) ? subscription : (paid[0] ?? ''),
  }
  const dry = useAct(async () => ({ asked: request, plan: await api.discounts.plan(tenant.id, request) }))
  if (served.value === undefined || subscriptions.value === undefined) return null
  if (paid.length === 0)
    return <p className="quiet">The tenant has no paid subscription, so it cannot get a discount.</p>
  if (coupons.length === 0)
    return <p className="quiet">To give a discount, first add a coupon to your files and push them.</p>
  const choose = (set: (value: string) => void) => (value: string) => {
    set(value)
    dry.reset()
  }
  return (
    <div className="stack">
      <Select label="Coupon" options={coupons} value={request.couponId} onChange={choose(setCoupon)} />
      {paid.length === 1 ? null : (
        <Select label="Subscription" options={paid} value={request.subscription} onChange={choose(setSubscription)} />
      )}
      <div className="actions">
        <button type="button" className="button" aria-disabled={dry.isRunning} onClick={() => void dry.run()}>
          {dry.isRunning ? 'Looking …' : 'Give a discount …'}
        </button>
      </div>
      {dry.error === null ? null : <Problem error={dry.error} />}
      {dry.value === undefined ? null : <ConfirmGift tenant={tenant} {...dry.value} onClose={dry.reset} />}
    </div>
  )
}

interface ConfirmGiftProps {
  readonly tenant: Tenant
  readonly asked: { readonly couponId: string; readonly subscription: string }
  readonly plan: DiscountPlan
  readonly onClose: () => void
}

function ConfirmGift({ tenant, asked, plan, onClose }: ConfirmGiftProps) {
  return (
    <ConfirmDiscount
      title={`Give ${tenant.name} “${asked.couponId}”?`}
      act="Give the discount"
      plan={plan}
      run={(actor) => api.discounts.add(tenant.id, asked, actor)}
      onClose={onClose}
    />
  )
}

interface SelectProps {
  readonly label: string
  readonly options: readonly string[]
  readonly value: string
  readonly onChange: (value: string) => void
}

function Select({ label, options, value, onChange }: SelectProps) {
  return (
    <label className="field">
      <span className="field-label">{label}</span>
      <select className="select" value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  )
}

function RemoveDiscount({ tenant, discount }: { readonly tenant: Tenant; readonly discount: Discount }) {
  const dry = useAct(() => api.discounts.planRemoval(tenant.id, discount.id))
  return (
    <>
      <button
        type="button"
        className="button button-danger"
        aria-disabled={dry.isRunning}
        aria-label={`Remove the discount ${discount.couponId ?? discount.id}`}
        onClick={() => void dry.run()}
      >
        Remove …
      </button>
      {dry.error === null ? null : <Problem error={dry.error} />}
      {dry.value === undefined ? null : (
        <ConfirmDiscount
          title={`Remove the discount ${discount.couponId ?? discount.id}?`}
          act="Remove the discount"
          isDanger
          plan={dry.value}
          run={(actor) => api.discounts.remove(tenant.id, discount.id, actor)}
          onClose={dry.reset}
        />
      )}
    </>
  )
}

interface ConfirmDiscountProps {
  readonly title: string
  readonly act: string
  readonly isDanger?: boolean
  readonly plan: DiscountPlan
  readonly run: (actor: ReturnType<typeof useActor>['actor']) => Promise<unknown>
  readonly onClose: () => void
}

function ConfirmDiscount({ title, act, isDanger = false, plan, run, onClose }: ConfirmDiscountProps) {
  const { actor, fields } = useActor()
  const acting = useAct(async () => {
    await run(actor)
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
      <PlannedDiscount plan={plan} />
      {fields}
    </Confirm>
  )
}
