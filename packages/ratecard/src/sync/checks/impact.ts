// Whom a plan touches: the live subscriptions on each price that it archives or replaces, whose they are, and their money a month.
// It asks only about such prices; a plan without any asks nothing. Nobody is moved by a push, so impact alone refuses nothing
// unless the server says from how many subscriptions on.
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
  /** Each once, however many of its items are affected. */
  readonly subscriptions: number
}

interface LeavingPrice {
  readonly configId: ConfigId
  readonly action: PriceImpact['action']
  readonly live: ObservedResource<'price'>
}

type SubscriptionsByPrice = ReadonlyMap<ProcessorId, readonly LiveSubscription[]>

/** One entry for each processor price that the plan archives or replaces, in document order. */
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

/** Free prices that become paid or are removed, with who has them: those subscriptions are kept here, and nobody is on most of them. */
async function freeImpact({ store }: ImpactDeps, plan: Plan): Promise<PriceImpact[]> {
  const found: PriceImpact[] = []
  for (const { kind, action, configId, processorIdBefore } of plan.changes) {
    // A free price stands for itself.
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

/** Up to this many prices are asked for one by one; beyond, reading all subscriptions may be cheaper. */
const fewPrices = 50
/** Reads of the processor that one plan has under way. */
export const readsAtOnce = 8

/**
 * The first page of all subscriptions answers for a small account at once. A larger one is asked price by price; with many
 * prices, all subscriptions are read, but never for longer than asking price by price would take.
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
  await runSteps(prices, readsAtOnce, async (id) => {
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
  }
}

function monthlyOf(
  live: ObservedResource<'price'>,
  subscriptions: readonly LiveSubscription[],
): PriceImpact['monthly'] {
  // A price with parts that the document cannot express may bill another amount than its fields say.
  if (live.fields.usageType === 'metered' || live.unrepresentable.length > 0) return []
  const currencies = [...new Set(subscriptions.map(({ currency }) => currency))]
  // Its own currency first, the others by name.
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

/** What is billed in one of the price's currencies; null where it is not sold in that one, or once. */
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

/** One issue when the plan touches more live subscriptions than the server lets pass unasked. */
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

/** The impact as the member of a problem document. */
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
