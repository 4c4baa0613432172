import { processorId, type ProcessorId } from '../../catalog/resource.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { formatMinor } from '../../base/money/format.ts'
import { askProcessor } from '../../processor/failures.ts'
import type { MirroredCustomer } from '../../processor/mirrored.ts'
import type { SchedulePhase } from '../../processor/subscription-change.ts'
import type { LiveSubscription } from '../../processor/customer-half.ts'
import { readSoldItems } from '../item-swaps/sold-items.ts'
import { duplicatesAmong } from '../item-swaps/duplicate-subscriptions.ts'
import { isDeleted } from '../tenants/customer-link.ts'
import { settleFree } from '../tenants/free-subscriptions.ts'
import { beginPlanned } from '../tenants/planned-free.ts'
import type { SubscriberDeps } from './deps.ts'
import { readPriceNames, type PriceName, type PriceNames } from './price-names.ts'
import type { TenantSubscription, TenantSubscriptions } from '../../api/customers/tenants.ts'
import type { LocalSubscriptionRecord, PlannedFreeRecord, TenantRecord } from '../../store/records/tenants.ts'
import { mostUrgentStatus, type BillingStatus } from '../../store/records/billing-status.ts'

/** A subscription at the processor. `scheduled` maps each price that its schedule replaces to the next price. */
interface ScheduledSubscription {
  readonly subscription: LiveSubscription
  readonly scheduled: ReadonlyMap<ProcessorId, ProcessorId>
  /** Phases of the subscription's schedule, the running one first; empty without a schedule. */
  readonly phases: readonly SchedulePhase[]
}

/** Returns all subscriptions of the tenant, oldest first. */
export async function readSubscriptions(deps: SubscriberDeps, tenantId: string): Promise<TenantSubscriptions> {
  const tenant = await deps.findTenant(tenantId)
  const atProcessor = await liveSubscriptions(deps, tenant)
  const live = await readScheduled(deps, atProcessor)
  const planned = await deps.store.localSubscriptions.planned(tenantId)
  await beginPlanned(deps, planned, atProcessor)
  const running = await settleFree(deps, tenantId, atProcessor)
  const soldItem = await readSoldItems(deps.store, await deps.priceBook(), atProcessor)
  const twice = new Map(
    duplicatesAmong(atProcessor, soldItem).map(({ subscription, beside }) => [subscription, beside.subscription]),
  )
  const names = await readPriceNames(deps, [...live.flatMap(pricesIn), ...running.map(({ priceId }) => priceId)])
  const subscriptions = [
    ...live.map((one) => ({
      ...withPlanned(processorSubscription(one, names), planned),
      duplicateOf: twice.get(one.subscription.id) ?? null,
    })),
    ...running.map((one) => localSubscription(one, names)),
  ].sort((a, b) => a.createdAt - b.createdAt)
  const { processorCustomerId: customer } = tenant
  const known = customer === null ? null : await deps.store.mirror.find('customer', customer)
  const isGone =
    customer !== null && (known?.deleted ?? (atProcessor.length === 0 && (await isDeleted(deps, customer))))
  return {
    billingStatus: billingStatus(subscriptions),
    ...(known === null ? {} : { balance: balanceOf(known) }),
    ...(isGone ? { customerDeleted: true as const } : {}),
    subscriptions,
  }
}

/** Returns what the customer has. At the processor, a negative balance is what the customer has. */
const balanceOf = ({ balance }: MirroredCustomer) =>
  Object.entries(balance)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, amount]) => ({ currency, amount: String(-amount), formatted: formatMinor(-amount, currency) }))

function pricesIn({ subscription, scheduled, phases }: ScheduledSubscription): readonly ProcessorId[] {
  const planned = phases.flatMap(({ items }) => items.map(({ price }) => price))
  return [...subscription.items.map(({ price }) => price.id), ...scheduled.values(), ...planned]
}

/** Returns one subscription at the processor, also if it has ended. Throws `subscription_not_found`. */
export async function readSubscription(deps: SubscriberDeps, id: string): Promise<TenantSubscription> {
  const { processor, shutdown } = deps
  const found = await askProcessor(shutdown, () => processor.subscription(id, shutdown))
  if (found === null) throw new ServiceError('subscription_not_found', `There is no subscription "${id}".`)
  const [scheduled] = await readScheduled(deps, [found])
  if (scheduled === undefined) throw new Error(`The subscription ${id} was not read`)
  const names = await readPriceNames(deps, pricesIn(scheduled))
  return { ...processorSubscription(scheduled, names), duplicateOf: null }
}

/** Returns a free subscription that has ended, which exists only in the store; null if the tenant has none with this id. */
export async function readEndedFree(
  deps: SubscriberDeps,
  tenantId: string,
  id: string,
): Promise<TenantSubscription | null> {
  const found = (await deps.store.localSubscriptions.list(tenantId)).find((one) => one.id === id)
  if (found === undefined || found.endedAt === null) return null
  return { ...localSubscription(found, await readPriceNames(deps, [found.priceId])), status: 'canceled' }
}

/** Adds to a cancelled subscription the free subscription that begins when it ends. */
function withPlanned<S extends Pick<TenantSubscription, 'id' | 'cancelAt' | 'cancelAtPeriodEnd' | 'scheduled'>>(
  subscription: S,
  planned: readonly PlannedFreeRecord[],
): S {
  const { id, cancelAt, cancelAtPeriodEnd } = subscription
  const next = planned.find((one) => one.subscription === id)
  if (next === undefined || (cancelAt === null && !cancelAtPeriodEnd)) return subscription
  const { priceId, beginsAt } = next
  return {
    ...subscription,
    scheduled: { at: cancelAt ?? beginsAt, items: [{ priceId, processorPriceId: priceId, quantity: 1 }] },
  }
}

/** Returns the tenant's subscriptions at the processor, oldest first; empty if the tenant has no customer yet. */
export async function liveSubscriptions(
  deps: SubscriberDeps,
  { processorCustomerId }: Pick<TenantRecord, 'processorCustomerId'>,
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
      ...(subscription.schedule === null
        ? { scheduled: new Map<ProcessorId, ProcessorId>(), phases: [] }
        : await readPlan(processor, subscription, subscription.schedule, shutdown)),
    })),
  )
}

async function readPlan(
  processor: SubscriberDeps['processor'],
  subscription: LiveSubscription,
  schedule: string,
  signal: AbortSignal,
): Promise<Omit<ScheduledSubscription, 'subscription'>> {
  const [scheduled, phases] = await askProcessor(signal, () =>
    Promise.all([processor.scheduledPrices(subscription, signal), processor.schedulePhases(schedule, signal)]),
  )
  return { scheduled, phases }
}

/** Returns the items of the next scheduled phase that differ from the present items; null if there is no such phase. */
function scheduledItems(
  { subscription, phases }: ScheduledSubscription,
  names: PriceNames,
): TenantSubscription['scheduled'] {
  const entries = (items: readonly { readonly price: ProcessorId; readonly quantity: number | null }[]) =>
    items
      .map(({ price, quantity }) => `${price}×${String(quantity)}`)
      .sort()
      .join()
  const now = entries(subscription.items.map(({ price, quantity }) => ({ price: price.id, quantity })))
  const next = phases.slice(1).find(({ items }) => entries(items) !== now)
  if (next === undefined) return null
  return {
    at: next.start,
    items: next.items.map(({ price, quantity }) => ({
      priceId: names(price).configId,
      processorPriceId: price,
      quantity,
    })),
  }
}

function processorSubscription(
  whole: ScheduledSubscription,
  names: PriceNames,
): Omit<TenantSubscription, 'duplicateOf'> {
  const { subscription, scheduled } = whole
  const { id, status, currency, cancelAtPeriodEnd, cancelAt, paused, trialEnd, createdAt } = subscription
  return {
    id,
    home: 'processor',
    status,
    currency,
    cancelAtPeriodEnd,
    cancelAt,
    pause: paused && { behavior: paused.behavior, until: paused.resumesAt },
    scheduled: scheduledItems(whole, names),
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
 * Converts a free subscription to the form of the API. Its price does not exist at the processor, so the configuration id is used in place
 * of the processor id. A price that is no longer free counts as a legacy price.
 */
function localSubscription({ id, priceId, createdAt }: LocalSubscriptionRecord, names: PriceNames): TenantSubscription {
  const { legacy, price }: PriceName = names(processorId(priceId))
  return {
    id,
    home: 'local',
    status: 'active',
    currency: price?.currency ?? null,
    cancelAtPeriodEnd: false,
    cancelAt: null,
    pause: null,
    scheduled: null,
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

/**
 * Returns the billing status of a tenant. `home` is the place of its subscriptions: `local` for free ones, which exist only in this store
 * and always run, and `processor` for all others.
 */
export function billingStatus(
  subscriptions: readonly { readonly home: 'processor' | 'local'; readonly status: string }[],
): BillingStatus {
  return mostUrgentStatus(subscriptions.map(({ home, status }) => (home === 'local' ? 'free' : status)))
}
