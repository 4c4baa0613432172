// Impact of a plan: the live subscriptions on each price that the plan archives or replaces, with their tenants and monthly amounts. A
// price that was replaced before has several processor prices (generations), and subscriptions on all of them are counted. A push moves no
// subscriber, so the impact needs approval only if it exceeds the threshold in the server's settings.
import { configWithAmounts } from '../../document/schema/prices/percent-off.ts'
import type { BillingConfig, Price } from '../../document/schema/schema.ts'
import type { Issue } from '../../base/errors/issue.ts'
import { itemsOf } from '../../catalog/kinds.ts'
import { documentTier } from '../../catalog/fields/amounts.ts'
import { ownersOf } from '../../catalog/owners.ts'
import type { Plan } from '../../catalog/plan/plan-changes.ts'
import type { MappingEntry, ObservedResource, FieldsOf, ProcessorId, Snapshot } from '../../catalog/resource.ts'
import { formatMinor } from '../../base/money/format.ts'
import { currenciesOf, inCurrency } from '../../document/pricing/calculate.ts'
import { monthlyAmount } from '../../document/pricing/impact.ts'
import type { BilledPrice } from '../../document/pricing/impact.ts'
import type { PriceImpact } from '../../api/service/service.ts'
import { readUses } from './price-uses.ts'
import type { PriceUses, Use, UseDeps, UsedPrice } from './price-uses.ts'

export interface Impact {
  readonly prices: readonly PriceImpact[]
  /** Number of distinct subscriptions on prices that are archived or replaced. A subscription with two such items counts once. */
  readonly subscriptions: number
  /** Number of distinct tenants on prices that are archived or replaced. */
  readonly tenants: number
  /** Number of subscribers who keep a price that is replaced, and of those who keep a price that is archived. */
  readonly kept: Record<'replaced' | 'archived', Subscribers>
  /** Age of the mirror (the local copy of the processor's subscriptions); null if the subscriptions were read at the processor. */
  readonly age: PriceUses['age']
}

/** Distinct subscribers of several prices. */
export interface Subscribers {
  readonly tenants: number
  /** Subscriptions of customers that are no tenant. */
  readonly withoutTenant: number
}

/** A price that the plan changes. */
interface TouchedPrice {
  readonly configId: string
  readonly action: PriceImpact['action']
  /**
   * Processor prices that belong to the configuration price. The price that is sold now comes first, then the earlier ones, newest first.
   */
  readonly generations: readonly ProcessorId[]
  /** The processor price that is sold now; null for a free price. */
  readonly current: ProcessorId | null
}

interface Found extends PriceUses {
  readonly live: ReadonlyMap<ProcessorId, ObservedResource<'price'>>
  /** The prices of the new document, by configuration id. */
  readonly after: ReadonlyMap<string, Price>
}

/**
 * Returns one entry for each price that the plan archives or replaces, in document order, then one for each free price. A price that is
 * changed in place has an entry only if it has subscribers on an earlier processor price.
 */
export async function impactOf(
  deps: UseDeps,
  input: {
    readonly plan: Plan
    readonly snapshot: Snapshot
    readonly mappings: readonly MappingEntry[]
    readonly config: BillingConfig | null
  },
  signal: AbortSignal,
): Promise<Impact> {
  const touched = touchedPrices(input)
  const live = new Map(input.snapshot.price.map((price) => [price.processorId, price]))
  // Skip one-time prices, because they have no subscriptions.
  const recurring = touched
    .flatMap(({ generations }) => generations)
    .filter((id) => live.get(id)?.fields.interval !== null)
  const found = { ...(await readUses(deps, [...new Set(recurring)], signal)), live, after: pricesOf(input.config) }
  const free = new Map<string, readonly string[]>()
  for (const { configId, current, action } of touched)
    if (current === null && action !== 'update') free.set(configId, await freeTenants(deps, configId))
  const paid = touched.filter(({ current }) => current !== null && isShown(current, found))
  const local = touched.filter(({ current }) => current === null)
  const entries = [...paid, ...local]
    .map((price) => ({ price, entry: entryOf(price, free.get(price.configId) ?? [], found) }))
    .filter(({ price, entry }) => isTold(price, entry))
  const prices = entries.map(({ price }) => price)
  const on = (...actions: readonly PriceImpact['action'][]) =>
    subscribersOf(
      prices.filter(({ action }) => actions.includes(action)),
      found,
      free,
    )
  return {
    prices: entries.map(({ entry }) => entry),
    subscriptions: countLeaving(prices, found, free),
    tenants: on('archive', 'replace').tenants,
    kept: { replaced: on('replace'), archived: on('archive') },
    age: found.age,
  }
}

function pricesOf(config: BillingConfig | null): Found['after'] {
  if (config === null) return new Map()
  return new Map(itemsOf(configWithAmounts(config), 'price').map(({ item }) => [item.id, item]))
}

function subscribersOf(
  prices: readonly TouchedPrice[],
  { uses }: Found,
  free: ReadonlyMap<string, readonly string[]>,
): Subscribers {
  const paid = countUses(prices.flatMap(({ generations }) => generations.flatMap((id) => uses.get(id) ?? [])))
  const local = prices.flatMap(({ configId }) => free.get(configId) ?? [])
  return { tenants: new Set([...paid.tenants, ...local]).size, withoutTenant: paid.withoutTenant }
}

/** True if the processor still has the price, or if a subscription is on it. The impact contains no other prices. */
function isShown(current: ProcessorId, { live, uses }: Found): boolean {
  return live.has(current) || uses.has(current)
}

function isTold({ action, current }: TouchedPrice, { subscriptions, generations: used }: PriceImpact): boolean {
  if (action === 'update') return used.some((one) => !one.current && one.subscriptions > 0)
  return current !== null || subscriptions > 0
}

function countLeaving(
  prices: readonly TouchedPrice[],
  { uses }: Found,
  free: ReadonlyMap<string, readonly string[]>,
): number {
  const leaving = prices.filter(({ action }) => action !== 'update')
  const paid = leaving.flatMap(({ generations }) => generations.flatMap((id) => uses.get(id) ?? []))
  const local = leaving.reduce((sum, { configId }) => sum + (free.get(configId)?.length ?? 0), 0)
  return new Set(paid.map(({ subscription }) => subscription)).size + local
}

/**
 * Returns the tenants with a running free subscription to the price. They are read from the store, because the processor does not know free
 * subscriptions.
 */
async function freeTenants({ store }: UseDeps, priceId: string): Promise<readonly string[]> {
  return (await store.localSubscriptions.running(priceId)).map(({ tenantId }) => tenantId)
}

/** Plan actions that keep the processor price. */
const inPlace: ReadonlySet<string> = new Set(['update', 'rename', 'reactivate'])

function touchedPrices({
  plan,
  mappings,
}: {
  readonly plan: Plan
  readonly mappings: readonly MappingEntry[]
}): readonly TouchedPrice[] {
  const earlier = generationsBy(mappings)
  const renamed = new Map(
    plan.renames.filter(({ kind }) => kind === 'price').map(({ from, to }) => [String(to), String(from)]),
  )
  const touched = new Map<string, TouchedPrice>()
  const add = (configId: string, action: PriceImpact['action'], before: ProcessorId) => {
    // A free price is mapped to itself: its processor id equals its configuration id.
    const current = String(before) === configId ? null : before
    const own = [...(earlier.get(configId) ?? []), ...(earlier.get(renamed.get(configId) ?? '') ?? [])]
    const others = own.filter((id) => id !== current)
    touched.set(configId, { configId, action, current, generations: current === null ? others : [current, ...others] })
  }
  for (const { kind, action, configId, processorIdBefore } of plan.changes) {
    if (kind !== 'price' || processorIdBefore === null) continue
    if (action === 'replace' || action === 'archive') add(configId, action, processorIdBefore)
    else if (inPlace.has(action)) add(configId, 'update', processorIdBefore)
  }
  for (const step of plan.steps)
    if (step.op === 'archive' && step.kind === 'price' && !touched.has(step.configId))
      add(step.configId, 'archive', step.processorId)
  return [...touched.values()]
}

/** Returns the processor prices of each configuration price, newest first: the present one and all earlier ones. */
function generationsBy(mappings: readonly MappingEntry[]): ReadonlyMap<string, readonly ProcessorId[]> {
  const generations = new Map<string, ProcessorId[]>()
  for (const [processorPrice, configId] of ownersOf('price', mappings)) {
    if (String(processorPrice) === configId) continue
    const own = generations.get(configId)
    if (own === undefined) generations.set(configId, [processorPrice])
    else own.unshift(processorPrice)
  }
  return generations
}

function entryOf(price: TouchedPrice, free: readonly string[], found: Found): PriceImpact {
  const { configId, action, current, generations } = price
  const uses = generations.flatMap((id) => found.uses.get(id) ?? [])
  const { subscriptions, tenants, withoutTenant } = countUses(uses)
  return {
    priceId: configId,
    processorPriceId: current ?? configId,
    action,
    subscriptions: subscriptions + free.length,
    subscriptionsWithoutTenant: withoutTenant,
    tenants: new Set([...tenants, ...free]).size,
    monthly: addMonthly(generations.map((id) => monthlyOf(id, found))),
    monthlyAfter: action === 'replace' ? monthlyAt(found.after.get(configId), uses) : [],
    usageBased: current !== null && factsOf(current, found)?.usageType === 'metered',
    generations: generations
      .filter((id) => id === current || found.uses.has(id))
      .map((id) => generationOf(id, id === current, found)),
  }
}

function generationOf(id: ProcessorId, current: boolean, found: Found): PriceImpact['generations'][number] {
  const facts = factsOf(id, found)
  const { subscriptions, tenants } = countUses(found.uses.get(id) ?? [])
  const amount = facts?.unitAmount ?? null
  return {
    processorPriceId: id,
    currency: facts?.currency ?? '',
    amount,
    formatted: amount === null || facts === null ? null : formatMinor(amount, facts.currency),
    subscriptions,
    tenants: tenants.size,
    monthly: monthlyOf(id, found),
    current,
  }
}

function countUses(uses: readonly Use[]) {
  const tenants = new Map(uses.map(({ subscription, tenantId }) => [subscription, tenantId]))
  return {
    subscriptions: tenants.size,
    tenants: new Set([...tenants.values()].flatMap((id) => id ?? [])),
    withoutTenant: [...tenants.values()].filter((id) => id === null).length,
  }
}

function factsOf(id: ProcessorId, { live, prices }: Found): UsedPrice | null {
  const observed = live.get(id)
  if (observed === undefined) return prices.get(id) ?? null
  const { fields, unrepresentable } = observed
  return {
    usageType: fields.usageType === 'metered' ? 'metered' : 'licensed',
    currency: fields.currency,
    unitAmount: fields.unitAmount,
    // If the live price has parts that the document cannot express, the fields may not give the real amount. Then the amount is unknown
    // (null).
    billedIn: (currency) => (unrepresentable.length > 0 ? null : billedPrice(fields, currency)),
  }
}

/**
 * Returns the monthly amounts of all subscriptions on one processor price, by currency: its own currency first, then by currency code.
 * Empty if the amounts depend on usage.
 */
function monthlyOf(id: ProcessorId, found: Found): PriceImpact['monthly'] {
  const facts = factsOf(id, found)
  const uses = found.uses.get(id) ?? []
  if (facts === null || facts.usageType === 'metered') return []
  const rank = (currency: string) => (currency === facts.currency ? '' : currency)
  const currencies = [...new Set(uses.map(({ currency }) => currency))].sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  return currencies.flatMap((currency) => {
    const price = facts.billedIn(currency)
    const quantities = uses.filter((use) => use.currency === currency).map(({ quantity }) => quantity ?? 0)
    return price === null ? [] : [monthlyAmount(price, quantities)]
  })
}

/**
 * Returns what subscribers would pay per month if their items moved to this price of the document, by currency: 7 seats at €12.00 are
 * €84.00. Empty for a one-time price, a metered price, and a price whose amount the customer chooses.
 */
function monthlyAt(price: Price | undefined, uses: readonly Use[]): PriceImpact['monthlyAfter'] {
  if (price?.interval === undefined || price.usage_type === 'metered' || price.custom_unit_amount !== undefined)
    return []
  const { interval, interval_count: intervalCount = 1 } = price
  const offered = currenciesOf(price).filter((currency) => uses.some((use) => use.currency === currency))
  return offered.map((currency) => {
    const quantities = uses.filter((use) => use.currency === currency).map(({ quantity }) => quantity ?? 0)
    return monthlyAmount({ ...inCurrency(price, currency), currency, interval, intervalCount }, quantities)
  })
}

/** Adds up the amounts by currency. Currencies are in the order of their first occurrence. */
function addMonthly(generations: readonly PriceImpact['monthly'][]): PriceImpact['monthly'] {
  const sums = new Map<string, number>()
  for (const { currency, amount } of generations.flat()) sums.set(currency, (sums.get(currency) ?? 0) + amount)
  return [...sums].map(([currency, amount]) => ({ currency, amount, formatted: formatMinor(amount, currency) }))
}

/** Returns what the price bills in one currency; null if the price is not sold in that currency or is a one-time price. */
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
 * Returns a warning if the plan affects more live subscriptions than `threshold`, the server's limit for changes without approval (null: no
 * limit).
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
      hint: 'Check the affected subscriptions, then push with --approve-impact.',
    },
  ]
}

/**
 * Returns the members `asOf` and `stale` for an API result with this impact. Empty if the impact was read at the processor, or if the plan
 * affects no price.
 */
export function impactAge({ age, prices }: Impact): { readonly asOf?: number; readonly stale?: true } {
  if (age === null || prices.length === 0) return {}
  return { asOf: age.asOf, ...(age.stale ? { stale: true } : {}) }
}

/** Serializes the impact as a member of a problem document (the JSON body of an API error). */
export function impactMember({ prices }: Impact): readonly Readonly<Record<string, unknown>>[] {
  return prices.map((price) => ({
    price_id: price.priceId,
    processor_price_id: price.processorPriceId,
    action: price.action,
    subscriptions: price.subscriptions,
    subscriptions_without_tenant: price.subscriptionsWithoutTenant,
    tenants: price.tenants,
    monthly: price.monthly,
    monthly_after: price.monthlyAfter,
    usage_based: price.usageBased,
    generations: price.generations.map(({ processorPriceId, ...generation }) => ({
      processor_price_id: processorPriceId,
      ...generation,
    })),
  }))
}
