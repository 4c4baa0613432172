// Page of a price: its subscribers by processor price (generation), and the dialog that moves them to the current price.
import { useState } from 'react'
import { Link, useParams, useSearch } from 'wouter'
import type { Subscriber } from '@ratecard/client'
import { api } from '../api.ts'
import { useCatalog } from '../frame/catalog.ts'
import { useLoaded } from '../frame/live.ts'
import { useMayAct } from '../session.ts'
import { Badge, Card, Empty, Page, Pager, Time } from '../ui/basic.tsx'
import { Id } from '../ui/text.tsx'
import { Table } from '../ui/table.tsx'
import { Choices } from '../ui/choices.tsx'
import { amounts, AsOf, mirrorReload, ShowMirrored } from '../ui/tenant/mirrored.tsx'
import { MoveSubscribers } from '../ui/price/move-subscribers.tsx'
import { Named, nameOfPrice, NamedPrice, NamedTenant } from '../ui/named.tsx'
import { SubscriptionState } from '../ui/tenant/standing.tsx'
import { OtherAmounts, PriceMoney } from '../ui/price/price-row.tsx'
import { useSales } from '../ui/price/price-sales.tsx'
import { count, money, pluralize } from '../words/words.ts'

const limit = 50
const generations = { all: 'All', current: 'Current price', legacy: 'Earlier price' } as const

export function Subscribers() {
  const { price = '' } = useParams()
  const mayAct = useMayAct()
  const name = nameOfPrice(useCatalog(), price)
  const [generation, setGeneration] = useState<keyof typeof generations>(
    new URLSearchParams(useSearch()).has('legacy') ? 'legacy' : 'all',
  )
  const [offset, setOffset] = useState(0)
  const [isMoving, setMoving] = useState(false)
  const list = useLoaded(
    `subscribers ${price} ${generation} ${offset}`,
    (signal) => api.money.subscribers(price, { generation, limit, offset, signal }),
    mirrorReload,
  )
  const earlier = useLoaded(
    `subscribers ${price} legacy count`,
    (signal) => api.money.subscribers(price, { generation: 'legacy', limit: 1, signal }),
    mirrorReload,
  )
  // Without the mirror the number is not known. Then the dialog says whether anybody would move.
  const mayMove = mayAct && (earlier.error !== null || (earlier.value?.pagination.total ?? 0) > 0)
  const choose = (chosen: keyof typeof generations) => {
    setGeneration(chosen)
    setOffset(0)
  }
  return (
    <Page
      title={<Named id={price} name={name} />}
      name={name ?? price}
      lead={<Link href="/prices">Price list</Link>}
      actions={
        mayMove ? (
          <button type="button" className="button" onClick={() => setMoving(true)}>
            Move subscribers …
          </button>
        ) : undefined
      }
    >
      <PriceFacts id={price} earlier={earlier.value?.pagination.total ?? 0} />
      <Choices name="Which subscribers" options={generations} value={generation} onChange={choose} />
      <ShowMirrored of={list} what="Subscribers">
        {(found) =>
          found.subscribers.length === 0 ? (
            <Empty title="No subscribers">
              <p>{generation === 'all' ? 'This price has no subscribers.' : 'No subscribers match this filter.'}</p>
            </Empty>
          ) : (
            <>
              <Card isFlush>
                <SubscriberTable subscribers={found.subscribers} />
              </Card>
              <Pager offset={offset} limit={limit} total={found.pagination.total} onMove={setOffset} />
              <AsOf of={found} />
            </>
          )
        }
      </ShowMirrored>
      {isMoving ? <MoveSubscribers price={price} onClose={() => setMoving(false)} /> : null}
    </Page>
  )
}

interface PriceFactsProps {
  readonly id: string
  /** Number of subscribers on an earlier price. */
  readonly earlier: number
}

/** Says in words what the price costs, how many pay it, and what those on an earlier price pay below it. */
function PriceFacts({ id, earlier }: PriceFactsProps) {
  const found = useCatalog()?.prices.get(id)
  const sales = useSales()?.get(id)
  return (
    <Card>
      <div className="stack-small">
        {found === undefined ? (
          <p>It is not in the price list any more.</p>
        ) : (
          <PriceMoney price={found.price} unit={found.product.unit_label} />
        )}
        {sales === undefined ? null : (
          <p>
            {pluralize(sales.subscriptions, 'paying subscription')}
            {sales.amounts.length === 0 ? '' : `, ${sales.amounts.join(' + ')} a month`}.
          </p>
        )}
        {earlier === 0 || found === undefined ? null : <EarlierMoney id={id} />}
        {found === undefined ? null : <OtherAmounts price={found.price} unit={found.product.unit_label} />}
      </div>
    </Card>
  )
}

/** Says what subscribers on an earlier price pay now, and what they would pay at the current one. */
function EarlierMoney({ id }: { readonly id: string }) {
  const plan = useLoaded(
    `earlier money ${id}`,
    (signal) => api.migrations.plan({ priceId: id, to: 'renewal' }, { signal }),
    { isLive: false },
  )
  // Without the processor the sum is not known. The list below marks who pays an earlier price.
  if (plan.value === undefined) return null
  return plan.value.totals.map(({ currency, subscriptions, byUsage, before, after }) => (
    <p key={currency}>
      {pluralize(subscriptions, 'subscription')} on an earlier price {subscriptions === 1 ? 'pays' : 'pay'}{' '}
      {byUsage === subscriptions ? (
        'by usage.'
      ) : (
        <>
          <b className="money">{money(before, currency)}</b> a month, {money(after, currency)} at the current price
          {byUsage === 0 ? '' : `; ${count(byUsage)} by usage`}.
        </>
      )}
    </p>
  ))
}

const SubscriberTable = ({ subscribers }: { readonly subscribers: readonly Subscriber[] }) => (
  <Table
    caption="Subscribers"
    columns={[
      'Tenant',
      'State',
      'Price',
      { name: 'Amount', isNumber: true },
      { name: 'Quantity', isNumber: true, isExtra: true },
      { name: 'A month', isNumber: true },
      { name: 'Renews', isExtra: true },
    ]}
    rows={subscribers.map((one) => ({
      key: one.item,
      cells: [
        <Whose of={one} />,
        <SubscriptionState of={one} />,
        <>
          {one.legacy ? <Badge tone="warn">earlier price</Badge> : 'current'}
          {one.scheduledPriceId === null ? null : (
            <span className="quiet small block">
              then <NamedPrice id={one.scheduledPriceId} />
            </span>
          )}
        </>,
        one.formatted ?? '—',
        one.quantity === null ? 'by usage' : count(one.quantity),
        // What usage costs is known when it is invoiced.
        one.quantity === null ? '—' : amounts(one.monthly),
        one.currentPeriodEnd === null || one.endsAt !== null ? '—' : <Time at={one.currentPeriodEnd} isDay />,
      ],
    }))}
  />
)

const Whose = ({ of }: { readonly of: Subscriber }) =>
  of.tenantId === null ? (
    <>
      <Id>{of.customer}</Id> <span className="quiet small">no tenant</span>
    </>
  ) : (
    <NamedTenant id={of.tenantId} name={of.tenantName} />
  )
