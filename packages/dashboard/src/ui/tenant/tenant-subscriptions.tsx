// Subscriptions of a tenant: a list, and the acts on each of them.
import type {
  PriceDocument,
  Subscription,
  SubscriptionItem,
  Tenant,
  TenantSubscriptions as Held,
} from '@ratecard/client'
import { endOf } from '../../../../ratecard/src/base/wording/planned-end.ts'
import { useCatalog } from '../../frame/catalog.ts'
import type { LoadState } from '../../frame/live.ts'
import { amountsIn } from '../../amounts/price-change.ts'
import { useMayAct } from '../../session.ts'
import { count, money, period } from '../../words/words.ts'
import { Badge, Card, Show, Time } from '../basic.tsx'
import { Id } from '../text.tsx'
import { Table } from '../table.tsx'
import { NamedPrice } from '../named.tsx'
import { PlanActs } from '../plan/plan-acts.tsx'
import { SubscriptionState } from './standing.tsx'

interface TenantSubscriptionsProps {
  readonly tenant: Tenant
  readonly list: LoadState<Held>
}

export function TenantSubscriptions({ tenant, list }: TenantSubscriptionsProps) {
  const mayAct = useMayAct()
  const catalog = useCatalog()
  return (
    <Card title="Subscriptions" isFlush={(list.value?.subscriptions.length ?? 0) > 0}>
      <Show of={list} what="Subscriptions">
        {({ subscriptions, balance = [], customerDeleted }) => (
          <>
            {subscriptions.length === 0 ? (
              <p className="quiet">
                {customerDeleted === true
                  ? 'The customer was deleted at the processor. The next checkout of the tenant makes a new one.'
                  : 'No subscriptions yet. A subscription starts when your application sends the tenant to a checkout.'}
              </p>
            ) : (
              <>
                <Table
                  caption="Subscriptions"
                  columns={['State', 'Price', { name: 'Quantity', isNumber: true }, 'Renews', 'Subscription']}
                  rows={subscriptions.flatMap((subscription) =>
                    subscription.items.map((item) => ({
                      key: item.id,
                      cells: [
                        <>
                          <SubscriptionState of={{ ...subscription, endsAt: endOf(subscription) }} />
                          {subscription.scheduled === null ? null : (
                            <p className="small quiet">
                              from <Time at={subscription.scheduled.at} />:{' '}
                              {subscription.scheduled.items.map(({ priceId, processorPriceId, quantity }, at) => (
                                <span key={processorPriceId}>
                                  {at === 0 ? '' : ', '}
                                  <NamedPrice id={priceId ?? processorPriceId} />
                                  {quantity === null ? '' : ` × ${String(quantity)}`}
                                </span>
                              ))}
                            </p>
                          )}
                          {subscription.duplicateOf === null ? null : (
                            <p className="small">
                              <Badge tone="bad">second</Badge> beside <Id>{subscription.duplicateOf}</Id>, of the same
                              product or group: both are billed. Cancel one at the processor and refund it.
                            </p>
                          )}
                        </>,
                        <>
                          <NamedPrice id={item.priceId ?? item.processorPriceId} />{' '}
                          {item.legacy ? <Badge tone="warn">earlier price</Badge> : null}
                          {item.legacy ? (
                            <ListPrice
                              of={catalog?.prices.get(item.priceId ?? '')?.price}
                              currency={subscription.currency}
                            />
                          ) : null}
                          {item.scheduledPriceId === null ? null : (
                            <p className="small quiet">
                              {item.scheduledPriceId === item.priceId ? (
                                'its current version from the next period on'
                              ) : (
                                <>
                                  then <NamedPrice id={item.scheduledPriceId} />
                                </>
                              )}
                            </p>
                          )}
                        </>,
                        item.usageType === 'metered' ? 'by usage' : count(item.quantity ?? 1),
                        <NextPeriod of={subscription} item={item} />,
                        <Id>{subscription.id}</Id>,
                      ],
                    })),
                  )}
                />
                {mayAct ? <ActsOfEach tenant={tenant} of={subscriptions} /> : null}
              </>
            )}
            {balance.length === 0 ? null : (
              <p className="card-words">
                Balance <span className="money">{balance.map(({ formatted }) => formatted).join(', ')}</span>, which
                pays later invoices
              </p>
            )}
          </>
        )}
      </Show>
    </Card>
  )
}

/** Buttons for each of several paid subscriptions. Those of an only one stand at the top of the page. */
function ActsOfEach({ tenant, of }: { readonly tenant: Tenant; readonly of: Held['subscriptions'] }) {
  const paid = of.filter(({ home }) => home === 'processor')
  if (paid.length < 2) return null
  return paid.map((subscription) => (
    <div key={subscription.id} className="actions card-words">
      <Id>{subscription.id}</Id>
      <PlanActs tenant={tenant} subscription={subscription} />
    </div>
  ))
}

interface ListPriceProps {
  readonly of: PriceDocument | undefined
  readonly currency: string | null
}

/** Renders what new subscribers pay for a price. Renders nothing for a removed price, and for one with tiers. */
function ListPrice({ of: price, currency }: ListPriceProps) {
  if (price === undefined || currency === null) return null
  const amount = amountsIn(price, currency)?.amount ?? null
  if (amount === null) return null
  return (
    <p className="small quiet">
      the list price is {money(amount, currency)} {period(price)}
    </p>
  )
}

/** Renders when the item renews, or when its subscription ends. */
function NextPeriod({ of, item }: { readonly of: Subscription; readonly item: SubscriptionItem }) {
  const end = endOf(of)
  if (end !== null)
    return (
      <>
        Ends <Time at={end} />
      </>
    )
  return item.currentPeriodEnd === null ? '—' : <Time at={item.currentPeriodEnd} />
}
