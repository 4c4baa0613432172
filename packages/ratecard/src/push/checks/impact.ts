// Impact of a plan: the live subscriptions on each price that the plan archives or replaces, with their tenants and monthly amounts. A
// price that was replaced before has several processor prices (generations), and subscriptions on all of them are counted. A push moves no
// subscriber, so the impact needs approval only if it exceeds the threshold in the server's settings.
import type { BillingConfig, Price } from '../../document/schema/schema.ts'
import type { Issue } from '../../base/errors/issue.ts'
import type { ChangeFacts } from '../../catalog/policies/decide.ts'
import { ownersOf } from '../../catalog/owners.ts'
import type { MappingEntry, ProcessorId } from '../../catalog/resource.ts'
import { sumFractions, type Fraction } from '../../base/money/fraction.ts'
import { formatMinor } from '../../base/money/format.ts'
import { currenciesOf } from '../../document/pricing/calculate.ts'
import { shownMonth } from '../../document/pricing/impact.ts'
import { subscribersPath } from '../../api/customers/money.ts'
import { factsOf, itemMonths, keepingOf, usesOf, type Found, type Keeping, type TouchedPrice } from './item-months.ts'
import type { Planned } from './planned.ts'
import { readUses, type PriceUses, type Use, type UseDeps } from './price-uses.ts'
import { countUses, lostCurrencies, subscribersOf, whoOf, type LostCurrency, type Subscribers } from './who-pays.ts'
import type { AffectedSubscriber, PriceImpact } from '../../api/push/pushes.ts'

export interface Impact {
  readonly prices: readonly PriceImpact[]
  /** Number of distinct subscriptions on prices that are archived or replaced. A subscription with two such items counts once. */
  readonly subscriptions: number
  /** Number of distinct tenants on prices that are archived or replaced. */
  readonly tenants: number
  /**
   * Number of subscribers who keep a price that is replaced by one of another amount, of those who keep one that is archived, of those whose earlier
   * price is sold again (e.g. by a rollback), and of those who pay the new amount already.
   */
  readonly kept: Record<'replaced' | 'archived' | 'current' | 'same', Subscribers>
  /** Subscribers who would pay another amount at the new price: for each currency, the ten with the largest difference. */
  readonly who: readonly AffectedSubscriber[]
  /** Prices that lose a currency in which subscriptions are billed. */
  readonly lostCurrencies: readonly LostCurrency[]
  /** Age of the mirror (the local copy of the processor's subscriptions); null if the subscriptions were read at the processor. */
  readonly age: PriceUses['age']
}

/**
 * Returns one entry for each price that the plan archives or replaces, in document order, then one for each free price. A price that is
 * changed in place has an entry only if it has subscribers on an earlier processor price.
 */
export async function impactOf(
  deps: UseDeps,
  input: Planned<BillingConfig | null>,
  signal: AbortSignal,
): Promise<Impact> {
  const touched = touchedPrices(input)
  const live = new Map(input.snapshot.price.map((price) => [price.processorId, price]))
  // Skip one-time prices, because they have no subscriptions.
  const recurring = touched
    .flatMap(({ generations }) => generations)
    .filter((id) => live.get(id)?.fields.interval !== null)
  const after = byId(input.prices)
  const before = byId(input.formerPrices)
  const read = { ...(await readUses(deps, [...new Set(recurring)], signal)), live, after }
  const found: Found = { ...read, monthly: itemMonths(touched, read) }
  const free = new Map<string, readonly string[]>()
  for (const { configId, current, action } of touched)
    if (current === null && action !== 'update') free.set(configId, await freeTenants(deps, configId))
  const paid = touched.filter(({ current }) => current !== null && isShown(current, found))
  const local = touched.filter(({ current }) => current === null)
  const entries = [...paid, ...local]
    .map((price) => ({ price, entry: entryOf(price, free.get(price.configId) ?? [], found) }))
    .filter(({ price, entry }) => isTold(price, entry))
  const prices = entries.map(({ price }) => price)
  const on = (actions: readonly PriceImpact['action'][], ...kinds: readonly Keeping[]) => {
    const own = prices.filter(({ action }) => actions.includes(action))
    const paying = own.flatMap((price) =>
      usesOf(price, found).filter((use) => kinds.includes(keepingOf(price, use, found))),
    )
    const local = kinds.includes('replaced') ? own.flatMap(({ configId }) => free.get(configId) ?? []) : []
    return subscribersOf(paying, local)
  }
  return {
    prices: entries.map(({ entry }) => entry),
    subscriptions: countLeaving(prices, found, free),
    tenants: on(['archive', 'replace'], 'replaced', 'current', 'same').tenants,
    kept: {
      replaced: on(['replace'], 'replaced'),
      archived: on(['archive'], 'replaced', 'current', 'same'),
      current: on(['replace'], 'current'),
      same: on(['replace'], 'same'),
    },
    who: await whoOf(deps, prices, found),
    // Also of prices that are changed in place, which the impact leaves out.
    lostCurrencies: paid.flatMap((price) => lostCurrencies(price, before, found)),
    age: found.age,
  }
}

const byId = (prices: readonly Price[]): Found['after'] => new Map(prices.map((price) => [price.id, price]))

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

function touchedPrices({ plan, mappings }: Planned<BillingConfig | null>): readonly TouchedPrice[] {
  const earlier = generationsBy(mappings)
  const renamed = new Map(
    plan.renames.filter(({ kind }) => kind === 'price').map(({ from, to }) => [String(to), String(from)]),
  )
  const touched = new Map<string, TouchedPrice>()
  const add = (
    configId: string,
    action: PriceImpact['action'],
    before: ProcessorId,
    next: ProcessorId | null = null,
  ) => {
    // A free price is mapped to itself: its processor id equals its configuration id.
    const current = String(before) === configId ? null : before
    const own = [...(earlier.get(configId) ?? []), ...(earlier.get(renamed.get(configId) ?? '') ?? [])]
    const others = own.filter((id) => id !== current)
    touched.set(configId, {
      configId,
      action,
      current,
      next,
      generations: current === null ? others : [current, ...others],
    })
  }
  for (const { kind, action, configId, processorIdBefore, processorIdAfter } of plan.changes) {
    if (kind !== 'price' || processorIdBefore === null) continue
    if (action === 'replace' || action === 'archive') add(configId, action, processorIdBefore, processorIdAfter)
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
    monthlyAfter: monthlyAfter(found.after.get(configId), uses, found),
    subscribersUrl: subscribersPath(configId),
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

/**
 * Returns what all subscriptions on one processor price pay a month, by currency: its own currency first, then by currency code. Empty if the
 * amounts depend on usage.
 */
function monthlyOf(id: ProcessorId, found: Found): PriceImpact['monthly'] {
  const uses = found.uses.get(id) ?? []
  const first = factsOf(id, found)?.currency
  const rank = (currency: string) => (currency === first ? '' : currency)
  const currencies = [...new Set(uses.map(({ currency }) => currency))].sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  return sumsIn(currencies, uses, ({ item }) => found.monthly.get(item)?.before ?? null)
}

/** Returns what the subscribers would pay a month if their items moved to the new price, in the order of its currencies. */
function monthlyAfter(price: Price | undefined, uses: readonly Use[], { monthly }: Found): PriceImpact['monthlyAfter'] {
  if (price === undefined) return []
  return sumsIn(currenciesOf(price), uses, ({ item }) => monthly.get(item)?.after ?? null)
}

/** Adds up the amounts in each currency. A currency without a known amount is left out. */
function sumsIn(
  currencies: readonly string[],
  uses: readonly Use[],
  amountOf: (use: Use) => Fraction | null,
): PriceImpact['monthly'] {
  return currencies.flatMap((currency) => {
    const amounts = uses.filter((use) => use.currency === currency).flatMap((use) => amountOf(use) ?? [])
    return amounts.length === 0 ? [] : [shownMonth(sumFractions(amounts), currency)]
  })
}

/** Adds up the amounts by currency. Currencies are in the order of their first occurrence. */
function addMonthly(generations: readonly PriceImpact['monthly'][]): PriceImpact['monthly'] {
  const sums = new Map<string, number>()
  for (const { currency, amount } of generations.flat()) sums.set(currency, (sums.get(currency) ?? 0) + amount)
  return [...sums].map(([currency, amount]) => ({ currency, amount, formatted: formatMinor(amount, currency) }))
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
    subscribers_url: price.subscribersUrl,
    usage_based: price.usageBased,
    generations: price.generations.map(({ processorPriceId, ...generation }) => ({
      processor_price_id: processorPriceId,
      ...generation,
    })),
  }))
}

/** Returns what policies look at: the items and prices of a plan, and its impact on subscribers. */
export function planFacts(
  documented: Pick<ChangeFacts, 'items' | 'prices'>,
  { prices, tenants }: Pick<Impact, 'tenants' | 'prices'>,
  message: string | null,
): ChangeFacts {
  return {
    ...documented,
    affected: prices.flatMap(({ priceId: configId, action, subscriptions, tenants: own, monthly }) =>
      action === 'update' ? [] : [{ configId, action, subscriptions, tenants: own, monthly }],
    ),
    tenants,
    message,
  }
}
