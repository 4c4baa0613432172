// Slow reference for what a tenant may use. Written from the contract's sentences alone, without code of the product: one function for each
// sentence, everything recomputed for each feature.
import type { BillingConfig, Price, Product } from '../../../packages/ratecard/src/document/schema/schema.ts'
import type { FeatureLimit, ProductFeature } from '../../../packages/ratecard/src/document/schema/feature-schema.ts'
import { dayMs } from './arbitrary-entitlements.ts'
import type { EntitlementHistory, HistoryItem, HistorySubscription, Revision } from './arbitrary-entitlements.ts'

const graceDays = 14

export interface ExpectedCheck {
  readonly allowed: boolean
  readonly reason: null | 'not_included' | 'limit_reached'
  readonly limit: number | 'unlimited' | null
  readonly used: number | null
  readonly remaining: number | 'unlimited' | null
  readonly resetsAt: number | null
  readonly beyond: 'deny' | 'allow' | null
  readonly offeredBy: readonly string[]
}

/** A product as something that gives: what it gives of one feature, how many units were bought, and in which period. */
interface Given {
  readonly group: string | null
  readonly entry: ProductFeature
  readonly quantity: number
  readonly period: { readonly start: number; readonly end: number } | null
}

const idOf = (entry: ProductFeature) => (typeof entry === 'string' ? entry : entry.id)
const present = (history: EntitlementHistory) => history.revisions.at(-1) as Revision
const monthStart = (year: number, month: number) => Date.UTC(year, month, 1)

/** All ids that an item has or had, newest first, as the documents say. */
function namesOf(history: EntitlementHistory, list: 'products' | 'features', id: string): readonly string[] {
  const items: readonly { readonly id: string; readonly previous_ids?: readonly string[] }[] =
    list === 'products'
      ? history.revisions.flatMap(({ document }) => document.products)
      : history.revisions.flatMap(({ document }) => document.features ?? [])
  const item = items.findLast((one) => one.id === id || one.previous_ids?.includes(id))
  return item === undefined ? [id] : [item.id, ...(item.previous_ids ?? [])]
}

function productIn(document: BillingConfig, ids: readonly string[]): Product | undefined {
  return document.products.find(({ id }) => ids.includes(id))
}

/** The product in the newest document that has it. A product that is not sold any more gives what it gave last. */
function newest(history: EntitlementHistory, ids: readonly string[]): Product | undefined {
  return history.revisions.map(({ document }) => productIn(document, ids)).findLast((found) => found !== undefined)
}

/** "Live: active, trialing, past_due up to 14 days after the oldest unpaid invoice was due." */
function isLive({ status, invoices }: HistorySubscription, now: number): boolean {
  if (status === 'active' || status === 'trialing') return true
  if (status !== 'past_due') return false
  const unpaid = invoices.filter((invoice) => invoice.status === 'open' || invoice.status === 'uncollectible')
  return unpaid.every(({ dueAt, finalizedAt }) => now <= (dueAt ?? finalizedAt) + graceDays * dayMs)
}

/** A product that is sold as a base price with metered usage gives its features once. */
function givingItems({ items }: HistorySubscription): readonly HistoryItem[] {
  return items.filter((item, index) => {
    if (item.quantity !== null) return true
    const same = items.filter(({ product }) => product === item.product)
    return (
      same.every(({ quantity }) => quantity === null) &&
      items.findIndex((one) => one.product === item.product) === index
    )
  })
}

/** "Who is on an earlier generation of a price keeps the features that its product gave when that generation was sold." */
function grandfathered(history: EntitlementHistory, item: HistoryItem, ids: readonly string[]): Product | undefined {
  const product = productIn(present(history).document, ids)
  if (product?.grandfather_features !== true || item.generation === null) return undefined
  const generations = history.revisions.map((revision) => revision.generations[item.product])
  if (generations.at(-1) === item.generation) return undefined
  const soldLast = generations.findLastIndex((generation) => generation === item.generation)
  return productIn((history.revisions[soldLast] as Revision).document, ids)
}

/** What the product of an item gives of a feature. Attached or detached features apply from the customer's next period, limits at once. */
function entryOf(
  history: EntitlementHistory,
  item: HistoryItem,
  since: number,
  feature: string,
): ProductFeature | undefined {
  const ids = namesOf(history, 'products', item.product)
  const features = namesOf(history, 'features', feature)
  const entryIn = (product: Product | undefined) => product?.features?.find((entry) => features.includes(idOf(entry)))
  const kept = grandfathered(history, item, ids)
  if (kept !== undefined) return entryIn(kept)
  const now = newest(history, ids)
  const inForce = history.revisions.findLast(({ at }) => at - (at % 1000) <= since)
  const then = inForce === undefined ? undefined : productIn(inForce.document, ids)
  if (then === undefined) return entryIn(now)
  return entryIn(then) === undefined ? undefined : (entryIn(now) ?? entryIn(then))
}

/** Everything that gives the tenant this feature. */
function givenOf(history: EntitlementHistory, feature: string): Given[] {
  const { document } = present(history)
  const items = history.subscriptions.filter((one) => isLive(one, history.now)).flatMap(givingItems)
  const since = Math.max(...items.map(({ start }) => start))
  const bought = items.map((item) => ({
    group: productIn(document, namesOf(history, 'products', item.product))?.subscription_group ?? null,
    entry: entryOf(history, item, since, feature),
    quantity: item.quantity ?? 1,
    period: { start: item.start, end: item.end },
  }))
  const free = history.free.map((key) => {
    const product = document.products.find(({ prices = [] }) => prices.some(({ id }) => id === `${key}_free`))
    const entry = product?.features?.find((one) => idOf(one) === feature)
    return { group: product?.subscription_group ?? null, entry, quantity: 1, period: null }
  })
  return [...bought, ...free].flatMap((one) => (one.entry === undefined ? [] : [{ ...one, entry: one.entry }]))
}

interface Sum {
  readonly included: boolean
  readonly limit: number | 'unlimited' | null
  readonly beyond: 'deny' | 'allow' | null
}

/** "Limits of several items add up; unlimited wins." A grant is on top of, or in place of, what is bought, until it ends. */
function sumOf(history: EntitlementHistory, feature: string, given: readonly Given[]): Sum {
  const { document } = present(history)
  const names = namesOf(history, 'features', feature)
  const grant = history.grants.find(
    (one) => names.includes(one.feature) && (one.endsAt === null || one.endsAt > history.now),
  )
  const counting = grant?.replace === true ? [] : given
  const included = grant?.enabled ?? (counting.length > 0 || grant?.limit !== undefined)
  if (document.features?.find(({ id }) => id === feature)?.type === undefined)
    return { included, limit: null, beyond: null }
  const entries = given.flatMap(({ entry }) => (typeof entry === 'string' ? [] : [entry]))
  const beyond = included && entries.some((entry) => entry.beyond === 'allow') ? 'allow' : 'deny'
  if (!included) return { included, limit: 0, beyond }
  let limit: number | 'unlimited' = grant?.limit ?? 0
  for (const { entry, quantity } of counting) {
    const { limit: own, per_quantity: each } = entry as FeatureLimit
    if (limit === 'unlimited' || own === 'unlimited') limit = 'unlimited'
    else for (let unit = 0; unit < (each === true ? quantity : 1); unit++) limit += own
  }
  return { included, limit, beyond }
}

/** Usage counts from the earliest start of what gives the feature, and is reset at the earliest end. */
function windowOf(given: readonly Given[], now: number): { from: number; to: number | null } {
  const date = new Date(now)
  const month = {
    from: monthStart(date.getUTCFullYear(), date.getUTCMonth()),
    to: monthStart(date.getUTCFullYear(), date.getUTCMonth() + 1),
  }
  const windows = given.map(({ entry, period }) => {
    const resets = (entry as FeatureLimit).resets ?? 'billing_period'
    if (resets === 'never') return { from: 0, to: null }
    if (resets === 'month' || period === null) return month
    const length = period.end - period.start
    return now < period.end ? { from: period.start, to: period.end } : { from: period.end, to: period.end + length }
  })
  if (windows.length === 0) return month
  const ends = windows.flatMap(({ to }) => to ?? [])
  return {
    from: Math.min(...windows.map(({ from }) => from)),
    to: ends.length < windows.length ? null : Math.min(...ends),
  }
}

function verdict({ included, limit, beyond }: Sum, used: number | null, requested: number) {
  if (limit === null)
    return { allowed: included, reason: included ? null : ('not_included' as const), used: null, remaining: null }
  if (!included) return { allowed: false, reason: 'not_included' as const, used, remaining: 0 }
  if (limit === 'unlimited') return { allowed: true, reason: null, used, remaining: limit }
  const allowed = beyond === 'allow' || (used ?? 0) + requested <= limit
  const remaining = used === null ? null : Math.max(0, limit - used)
  return { allowed, reason: allowed ? null : ('limit_reached' as const), used, remaining }
}

/** Returns the check of a feature (by its present id) that the contract asks for. */
export function expectedCheck(
  history: EntitlementHistory,
  feature: string,
  question: { readonly used?: number; readonly requested: number },
): ExpectedCheck & { readonly included: boolean } {
  const { document } = present(history)
  const given = givenOf(history, feature)
  const type = document.features?.find(({ id }) => id === feature)?.type ?? 'switch'
  const window = type === 'metered' ? windowOf(given, history.now) : null
  const reported = history.usage.filter(
    ({ at }) => window !== null && at >= window.from && at < (window.to ?? Infinity),
  )
  const used = window === null ? (question.used ?? null) : reported.reduce((sum, { value }) => sum + value, 0)
  const sum = sumOf(history, feature, given)
  const answer = verdict(sum, used, question.requested)
  return {
    ...{ ...answer, included: sum.included, limit: sum.limit, beyond: sum.beyond, resetsAt: window?.to ?? null },
    offeredBy: answer.allowed ? [] : offers(history, feature, given, used, question.requested),
  }
}

/** "Public price ids that would allow it." A product of a group takes the place of what the tenant has of the group. */
function offers(
  history: EntitlementHistory,
  feature: string,
  given: readonly Given[],
  used: number | null,
  requested: number,
): string[] {
  const sold = ({ public: visible, interval }: Price) => visible !== false && interval !== undefined
  return present(history).document.products.flatMap((product) => {
    const entry = product.features?.find((one) => idOf(one) === feature)
    if (entry === undefined) return []
    const group = product.subscription_group ?? null
    const kept = given.filter((one) => group === null || one.group !== group)
    const after = [...kept, { group, entry, quantity: 1, period: null }]
    if (!verdict(sumOf(history, feature, after), used, requested).allowed) return []
    return (product.prices ?? []).filter(sold).map(({ id }) => id)
  })
}
