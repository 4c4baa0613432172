import { processorId, type ProcessorId } from '../catalog/resource.ts'
import { askProcessor } from '../processor/failures.ts'
import type { LiveSubscription } from '../processor/customer-half.ts'
import type { TenantSubscription, TenantSubscriptions } from '../service/tenants.ts'
import type { LocalSubscriptionRecord, TenantRecord } from '../store/tenant-store.ts'
import { billingStatus } from './billing-status.ts'
import { readSoldItems } from '../item-swaps/sold-items.ts'
import { duplicates } from '../item-swaps/duplicate-subscriptions.ts'
import { settleFree } from '../tenants/free-subscriptions.ts'
import type { SubscriberDeps } from './deps.ts'
import { readPriceNames, type PriceName, type PriceNames } from './price-names.ts'

/** A subscription at the processor, with the next price of each price that its schedule replaces. */
interface ScheduledSubscription {
  readonly subscription: LiveSubscription
  readonly scheduled: ReadonlyMap<ProcessorId, ProcessorId>
}

/** Returns all subscriptions of the tenant, oldest first. */
export async function readSubscriptions(deps: SubscriberDeps, tenantId: string): Promise<TenantSubscriptions> {
  const tenant = await deps.findTenant(tenantId)
  const atProcessor = await liveSubscriptions(deps, tenant)
  const live = await readScheduled(deps, atProcessor)
  const running = await settleFree(deps, tenantId, atProcessor)
  const soldItem = await readSoldItems(deps.store, await deps.priceBook(), atProcessor)
  const twice = new Map(
    duplicates(atProcessor, soldItem).map(({ subscription, beside }) => [subscription, beside.subscription]),
  )
  const names = await readPriceNames(deps, [
    ...live.flatMap(({ subscription, scheduled }) => [
      ...subscription.items.map(({ price }) => price.id),
      ...scheduled.values(),
    ]),
    ...running.map(({ priceId }) => priceId),
  ])
  const subscriptions = [
    ...live.map((one) => ({
      ...processorSubscription(one, names),
      duplicateOf: twice.get(one.subscription.id) ?? null,
    })),
    ...running.map((one) => localSubscription(one, names)),
  ].sort((a, b) => a.createdAt - b.createdAt)
  return { billingStatus: billingStatus(subscriptions), subscriptions }
}

/** Returns the tenant's subscriptions at the processor, oldest first; empty if the tenant has no customer yet. */
export async function liveSubscriptions(
  deps: SubscriberDeps,
  { processorCustomerId }: TenantRecord,
): Promise<readonly LiveSubscription[]> {
  if (processorCustomerId === null) return []
  await deps.account()
  const customer = processorId(processorCustomerId)
  return askProcessor(deps.shutdown, () => deps.processor.subscriptions(customer, deps.shutdown))
}

async function readScheduled(
  { processor, shutdown }: SubscriberDeps,
  subscriptions: readonly LiveSubscription[],
): Promise<readonly ScheduledSubscription[]> {
  return Promise.all(
    subscriptions.map(async (subscription) => ({
      subscription,
      scheduled:
        subscription.schedule === null
          ? new Map<ProcessorId, ProcessorId>()
          : await askProcessor(shutdown, () => processor.scheduledPrices(subscription, shutdown)),
    })),
  )
}

function processorSubscription(
  { subscription, scheduled }: ScheduledSubscription,
  names: PriceNames,
): Omit<TenantSubscription, 'duplicateOf'> {
  const { id, status, currency, cancelAtPeriodEnd, trialEnd, createdAt } = subscription
  return {
    id,
    home: 'processor',
    status,
    currency,
    cancelAtPeriodEnd,
    trialEnd,
    createdAt,
    items: subscription.items.map((item) => {
      const { configId, legacy } = names(item.price.id)
      const next = scheduled.get(item.price.id)
      return {
        id: item.id,
        priceId: configId,
        processorPriceId: item.price.id,
        quantity: item.quantity,
        legacy,
        usageType: item.price.usageType,
        currentPeriodEnd: item.currentPeriodEnd,
        scheduledPriceId: next === undefined || next === item.price.id ? null : (names(next).configId ?? next),
      }
    }),
  }
}

/**
 * Converts a free subscription. Its price does not exist at the processor, so its configuration id is also used as its processor id. A
 * price that is no longer free counts as legacy.
 */
function localSubscription({ id, priceId, createdAt }: LocalSubscriptionRecord, names: PriceNames): TenantSubscription {
  const { legacy, price }: PriceName = names(processorId(priceId))
  return {
    id,
    home: 'local',
    status: 'active',
    currency: price?.currency ?? null,
    cancelAtPeriodEnd: false,
    trialEnd: null,
    createdAt,
    duplicateOf: null,
    items: [
      {
        id,
        priceId,
        processorPriceId: priceId,
        quantity: 1,
        legacy,
        usageType: 'licensed',
        currentPeriodEnd: null,
        scheduledPriceId: null,
      },
    ],
  }
}
