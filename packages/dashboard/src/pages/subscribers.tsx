// Page of a price: its subscribers by processor price (generation), and the dialog that moves them to the current price.
import { useState } from 'react'
import { Link, useParams, useSearch } from 'wouter'
import type { Subscriber } from '@ratecard/client'
import { api } from '../api.ts'
import { useLoaded } from '../frame/live.ts'
import { useMayAct } from '../session.ts'
import { Badge, Card, Empty, Id, Page, Pager, Table, Text, Time } from '../ui/basic.tsx'
import { Choices } from '../ui/choices.tsx'
import { amounts, AsOf, mirrorReload, ShowMirrored } from '../ui/tenant/mirrored.tsx'
import { MoveSubscribers } from '../ui/price/move-subscribers.tsx'
import { NamedTenant } from '../ui/tenant/named-tenant.tsx'
import { SubscriptionState } from '../ui/tenant/standing.tsx'
import { count } from '../words/words.ts'

const limit = 50
const generations = { all: 'All', current: 'Current price', legacy: 'Earlier price' } as const

export function Subscribers() {
  const { price = '' } = useParams()
  const mayAct = useMayAct()
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
      title={
        <>
          Subscribers of <Text>{price}</Text>
        </>
      }
      name={`Subscribers of ${price}`}
      lead={<Link href="/prices">Price list</Link>}
      actions={
        mayMove ? (
          <button type="button" className="button" onClick={() => setMoving(true)}>
            Move subscribers …
          </button>
        ) : undefined
      }
    >
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

const SubscriberTable = ({ subscribers }: { readonly subscribers: readonly Subscriber[] }) => (
  <Table
    caption="Subscribers"
    columns={[
      'Tenant',
      'State',
      'Price',
      { name: 'Amount', isNumber: true },
      { name: 'Quantity', isNumber: true },
      { name: 'A month', isNumber: true },
      'Renews',
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
              then <Id>{one.scheduledPriceId}</Id>
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
