// Discounts of a tenant's subscriptions: a list, and dialogs to add and remove a discount. Each dialog shows a dry run first.
import { useState, type ReactNode } from 'react'
import type { Discount, DiscountPlan, Tenant } from '@ratecard/client'
import { api } from '../../api.ts'
import { useCatalog } from '../../frame/catalog.ts'
import { useAct, useLoaded } from '../../frame/live.ts'
import { useMayAct } from '../../session.ts'
import { useActor } from '../actor.tsx'
import { Card, Facts, Loading, Problem, Show, Time } from '../basic.tsx'
import { Id } from '../text.tsx'
import { Table } from '../table.tsx'
import { Confirm, Preview } from '../dialog.tsx'

/** Card with the discounts of a tenant. Left out if there are none: the button that gives one is at the top of the page. */
export function TenantDiscounts({ tenant }: { readonly tenant: Tenant }) {
  const { id } = tenant
  const mayAct = useMayAct()
  const list = useLoaded(`discounts ${id}`, (signal) => api.discounts.list(id, { signal }), { everyMs: 15_000 })
  if (list.value === undefined && list.error === null) return <Loading what="Discounts" />
  if (list.value?.length === 0) return null
  return (
    <Card title="Discounts" isFlush={list.value !== undefined}>
      <Show of={list} what="Discounts">
        {(discounts) => (
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
        )}
      </Show>
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

interface GiveDiscountProps {
  readonly tenant: Tenant
  /** Ids of the tenant's paid subscriptions. */
  readonly subscriptions: readonly string[]
  readonly onClose: () => void
}

/** Dialog that chooses a coupon, shows the next invoice before and after, and then gives the discount. */
export function GiveDiscount({ tenant, subscriptions, onClose }: GiveDiscountProps) {
  const [coupon, setCoupon] = useState('')
  const [subscription, setSubscription] = useState('')
  const coupons = (useCatalog()?.document.coupons ?? []).map(({ id }) => id)
  const request = {
    couponId: coupons.includes(coupon) ? coupon : (coupons[0] ?? ''),
    subscription: subscriptions.includes(subscription) ? subscription : (subscriptions[0] ?? ''),
  }
  const dry = useAct(async () => ({ asked: request, plan: await api.discounts.plan(tenant.id, request) }))
  if (dry.value !== undefined) {
    const { asked, plan } = dry.value
    return (
      <ConfirmDiscount
        title={`Give ${tenant.name} “${asked.couponId}”?`}
        act="Give the discount"
        plan={plan}
        run={(actor) => api.discounts.add(tenant.id, asked, actor)}
        onBack={dry.reset}
        onClose={onClose}
      />
    )
  }
  const missing =
    subscriptions.length === 0
      ? 'The tenant has no paid subscription, so it cannot get a discount.'
      : coupons.length === 0
        ? 'To give a discount, first add a coupon to your files and push them.'
        : null
  return (
    <Preview
      title={`Give a discount to ${tenant.name}`}
      isRunning={dry.isRunning}
      isReady={missing === null}
      error={dry.error}
      onShow={() => void dry.run()}
      onClose={onClose}
    >
      {missing !== null ? (
        <p>{missing}</p>
      ) : (
        <>
          <Select label="Coupon" options={coupons} value={request.couponId} onChange={setCoupon} />
          {subscriptions.length === 1 ? null : (
            <Select
              label="Subscription"
              options={subscriptions}
              value={request.subscription}
              onChange={setSubscription}
            />
          )}
        </>
      )}
    </Preview>
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
  /** Called in place of `onClose` if the user does not confirm, e.g. to choose another coupon. */
  readonly onBack?: () => void
  readonly onClose: () => void
}

function ConfirmDiscount({ title, act, isDanger = false, plan, run, onClose, onBack = onClose }: ConfirmDiscountProps) {
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
      onClose={onBack}
    >
      <PlannedDiscount plan={plan} />
      {fields}
    </Confirm>
  )
}
