// Impact of a plan: the live subscriptions on each price that it archives or replaces, their tenants and their monthly amounts. Only such
// prices are queried; a plan without any queries nothing. A push moves no subscriber, so impact alone refuses a plan only above the
// server's configured threshold.
import type { Issue } from '../../errors/issue.ts'
import { documentTier } from '../../catalog/fields/amounts.ts'
import type { Plan } from '../../catalog/plan/plan-changes.ts'
import type { ConfigId, ObservedResource, FieldsOf, ProcessorId, Snapshot } from '../../catalog/resource.ts'
import { runSteps } from '../../journal/run-steps.ts'
import { monthlyAmount } from '../../pricing/impact.ts'
import type { BilledPrice } from '../../pricing/impact.ts'
import type { LiveSubscription } from '../../processor/customer-half.ts'
import type { PriceImpact } from '../../service/service.ts'
import type { SyncDeps } from '../deps.ts'
import { readForPush } from '../../processor/failures.ts'

type ImpactDeps = Pick<SyncDeps, 'processor' | 'store'>

export interface Impact {
  readonly prices: readonly PriceImpact[]
  /** Number of distinct subscriptions, e.g. 1 for a subscription with two affected items. */
  readonly subscriptions: number
}

interface LeavingPrice {
  readonly configId: ConfigId
  readonly action: PriceImpact['action']
  readonly live: ObservedResource<'price'>
}

type SubscriptionsByPrice = ReadonlyMap<ProcessorId, readonly LiveSubscription[]>

/** Returns one entry for each processor price that the plan archives or replaces, in document order, then the free prices. */
export async function impactOf(
  deps: ImpactDeps,
  { plan, snapshot }: { readonly plan: Plan; readonly snapshot: Snapshot },
  signal: AbortSignal,
): Promise<Impact> {
  const leaving = leavingPrices(plan, snapshot)
  // A one-time price has no subscriptions.
  const recurring = leaving.filter(({ live }) => live.fields.interval !== null).map(({ live }) => live.processorId)
  const found = await subscriptionsOn(deps, recurring, signal)
  const customers = new Set([...found.values()].flat().map(({ customer }) => customer))
  const tenants = await deps.store.tenants.idsByCustomer(customers)
  const free = await freeImpact(deps, plan)
  return {
    prices: [...leaving.map((price) => priceImpact(price, found.get(price.live.processorId) ?? [], tenants)), ...free],
    subscriptions:
      new Set([...found.values()].flat().map(({ id }) => id)).size +
      free.reduce((sum, { subscriptions }) => sum + subscriptions, 0),
  }
}

/**
 * Returns the free prices that become paid or are removed, with their subscribers. Free subscriptions are kept in the store; most free
 * prices have none.
 */
async function freeImpact({ store }: ImpactDeps, plan: Plan): Promise<PriceImpact[]> {
  const found: PriceImpact[] = []
  for (const { kind, action, configId, processorIdBefore } of plan.changes) {
    // A free price is mapped to itself: its processor id equals its configuration id.
    if (kind !== 'price' || String(processorIdBefore) !== String(configId)) continue
    if (action !== 'replace' && action !== 'archive') continue
    const running = await store.localSubscriptions.running(configId)
    if (running.length === 0) continue
    found.push({
      priceId: configId,
      processorPriceId: configId,
      action,
      subscriptions: running.length,
      subscriptionsWithoutTenant: 0,
      tenants: new Set(running.map(({ tenantId }) => tenantId)).size,
      monthly: [],
      usageBased: false,
      generations: [],
    })
  }
  return found
}

function leavingPrices(plan: Plan, snapshot: Snapshot): LeavingPrice[] {
  const leaving = new Map<ProcessorId, Omit<LeavingPrice, 'live'>>()
  for (const { kind, action, configId, processorIdBefore } of plan.changes)
    if (kind === 'price' && (action === 'replace' || action === 'archive') && processorIdBefore !== null)
      leaving.set(processorIdBefore, { configId, action })
  for (const step of plan.steps)
    if (step.op === 'archive' && step.kind === 'price' && !leaving.has(step.processorId))
      leaving.set(step.processorId, { configId: step.configId, action: 'archive' })
  if (leaving.size === 0) return []
  const live = new Map(snapshot.price.map((price) => [price.processorId, price]))
  return [...leaving].flatMap(([id, price]) => {
    const observed = live.get(id)
    return observed === undefined ? [] : [{ ...price, live: observed }]
  })
}

/**
 * Maximum number of prices (50) for which one page of all subscriptions is tried before the queries per price. With more prices, reading
 * more pages may be cheaper.
 */
const fewPrices = 50
/** Concurrency of processor reads within one plan. */
export const readConcurrency = 8

/**
 * Returns the live subscriptions of each price. Reads the first page of all subscriptions, which is enough for a small account, and
 * otherwise queries price by price. With more than `fewPrices` prices it first reads up to one page per price, so that this attempt takes
 * no more requests than the queries per price.
 */
async function subscriptionsOn(
  { processor }: ImpactDeps,
  prices: readonly ProcessorId[],
  signal: AbortSignal,
): Promise<SubscriptionsByPrice> {
  if (prices.length === 0) return new Map()
  const pages = prices.length <= fewPrices ? 1 : prices.length
  const all = await readForPush(() => processor.someSubscriptions(pages, signal))
  if (all.complete) return groupByPrice(all.subscriptions, new Set(prices))
  const found = new Map<ProcessorId, readonly LiveSubscription[]>()
  await runSteps(prices, readConcurrency, async (id) => {
    found.set(id, await readForPush(() => processor.subscriptionsOfPrice(id, signal)))
  })
  return found
}

function groupByPrice(
  subscriptions: readonly LiveSubscription[],
  prices: ReadonlySet<ProcessorId>,
): SubscriptionsByPrice {
  const found = new Map<ProcessorId, LiveSubscription[]>()
  for (const subscription of subscriptions)
    for (const price of new Set(subscription.items.map((item) => item.price.id))) {
      if (!prices.has(price)) continue
      const list = found.get(price)
      if (list === undefined) found.set(price, [subscription])
      else list.push(subscription)
    }
  return found
}

function priceImpact(
  { configId, action, live }: LeavingPrice,
  subscriptions: readonly LiveSubscription[],
  tenants: ReadonlyMap<string, string>,
): PriceImpact {
  const own = subscriptions.flatMap(({ customer }) => tenants.get(customer) ?? [])
  return {
    priceId: configId,
    processorPriceId: live.processorId,
    action,
    subscriptions: subscriptions.length,
    subscriptionsWithoutTenant: subscriptions.length - own.length,
    tenants: new Set(own).size,
    monthly: monthlyOf(live, subscriptions),
    usageBased: live.fields.usageType === 'metered',
    generations: [],
  }
}

function monthlyOf(
  live: ObservedResource<'price'>,
  subscriptions: readonly LiveSubscription[],
): PriceImpact['monthly'] {
  // A price with parts that the document cannot express may bill a different amount than its fields do.
  if (live.fields.usageType === 'metered' || live.unrepresentable.length > 0) return []
  const currencies = [...new Set(subscriptions.map(({ currency }) => currency))]
  // The price's own currency comes first, the others are sorted by name.
  const rank = (currency: string) => (currency === live.fields.currency ? '' : currency)
  currencies.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  return currencies.flatMap((currency) => {
    const price = billedPrice(live.fields, currency)
    const quantities = subscriptions
      .filter((subscription) => subscription.currency === currency)
      .flatMap(({ items }) => items)
      .filter((item) => item.price.id === live.processorId)
      .map(({ quantity }) => quantity ?? 0)
    return price === null || quantities.length === 0 ? [] : [monthlyAmount(price, quantities)]
  })
}

/** Returns the billed price in one currency; null if the price is not sold in that currency or is one-time. */
function billedPrice(fields: FieldsOf<'price', ProcessorId>, currency: string): BilledPrice | null {
  const { currencyOptions: options } = fields
  const sold = currency === fields.currency ? fields : Object.hasOwn(options, currency) ? options[currency] : undefined
  if (fields.interval === null || sold === undefined) return null
  return {
    currency,
    interval: fields.interval,
    intervalCount: fields.intervalCount,
    ...(sold.unitAmount === null ? {} : { unit_amount_decimal: sold.unitAmount }),
    ...(sold.tiers === null ? {} : { tiers: sold.tiers.map(documentTier) }),
    ...(fields.tiersMode === null ? {} : { tiers_mode: fields.tiersMode }),
    ...(fields.transformQuantity === null
      ? {}
      : {
          transform_quantity: { divide_by: fields.transformQuantity.divideBy, round: fields.transformQuantity.round },
        }),
  }
}

/**
 * Returns a warning if the plan affects more live subscriptions than `threshold`, the server's limit without approval (null: any number).
 */
export function beyondThreshold({ subscriptions, prices }: Impact, threshold: number | null): Issue[] {
  if (threshold === null || subscriptions <= threshold) return []
  const named = prices.filter((price) => price.subscriptions > 0).map(({ priceId }) => `"${priceId}"`)
  const shown = named.slice(0, 5).join(', ') + (named.length > 5 ? ` and ${String(named.length - 5)} more` : '')
  return [
    {
      code: 'subscribers_affected',
      pointer: '#/products',
      severity: 'warning',
      detail: `${String(subscriptions)} live ${subscriptions === 1 ? 'subscription is' : 'subscriptions are'} on prices that this plan archives or replaces (${shown}); this server asks for approval above ${String(threshold)}.`,
      hint: 'Read whom it affects, then go on with --approve-impact.',
    },
  ]
}

/** Serializes the impact as the member of a problem document. */
export function impactMember({ prices }: Impact): readonly Readonly<Record<string, unknown>>[] {
  return prices.map((price) => ({
    price_id: price.priceId,
    processor_price_id: price.processorPriceId,
    action: price.action,
    subscriptions: price.subscriptions,
    subscriptions_without_tenant: price.subscriptionsWithoutTenant,
    tenants: price.tenants,
    monthly: price.monthly,
    usage_based: price.usageBased,
  }))
}
