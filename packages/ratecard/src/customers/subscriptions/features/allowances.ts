// Decides how much of each feature a tenant may use, and whether it may use more now. Pure. See §17 of the specification's decisions.
import { featureIdOf, type Feature, type ProductFeature } from '../../../document/schema/feature-schema.ts'
import {
  addDecimals,
  compareDecimals,
  decimalFromInteger,
  multiplyByInteger,
  zero,
  type Decimal,
} from '../../../base/money/decimal.ts'

export type Limit = number | 'unlimited'

/** Features that one subscription item, or one free subscription, gives to a tenant. Times are epoch milliseconds. */
export interface FeatureSource {
  readonly features: readonly ProductFeature[]
  /** Subscription group of the product; null if it has none. */
  readonly group: string | null
  /** Number of units that were bought, e.g. seats; 1 for a metered item. */
  readonly quantity: number
  /** Current billing period; null for a free subscription, which has none. */
  readonly period: { readonly start: number; readonly end: number } | null
  /** What the item gave before changes within a period that is not over, oldest first. */
  readonly turns?: readonly SourceTurn[]
}

/** What an item gave until a change. Its period is the item's own, or one that the change replaced. */
export interface SourceTurn extends Pick<FeatureSource, 'features' | 'quantity'> {
  readonly at: number
  readonly period: { readonly start: number; readonly end: number }
}

/** A feature that was granted to a tenant by hand, in addition to the features it bought or in place of them. */
export interface FeatureGrant {
  readonly feature: string
  /** null: the grant does not change the limit. */
  readonly limit: Limit | null
  /** null: the grant does not switch the feature. */
  readonly enabled: boolean | null
  /** Epoch milliseconds; null: the grant does not end. */
  readonly endsAt: number | null
  readonly replace: boolean
}

export interface Allowance {
  readonly feature: Feature
  readonly included: boolean
  /** null for a switch. */
  readonly limit: Limit | null
  /** Result of a check for usage beyond the limit; null for a switch. */
  readonly beyond: 'deny' | 'allow' | null
  /**
   * Time range (epoch milliseconds) of the usage that counts. `to: null` means that the range has no end. `counted` is null for a feature
   * that is not metered.
   */
  readonly counted: { readonly from: number; readonly to: number | null } | null
}

/**
 * Returns the allowance of one feature. The limits of several items are added; if one of them is `"unlimited"`, so is the sum. If one item
 * allows usage beyond its limit, the whole allowance does, because such usage is billed. If the items have different billing periods, usage
 * counts from the earliest start, so that no usage is left out.
 */
export function allowanceOf(
  feature: Feature,
  sources: readonly FeatureSource[],
  grant: FeatureGrant | undefined,
  now: number,
): Allowance {
  const given = sources.flatMap((source) =>
    source.features.filter((entry) => featureIdOf(entry) === feature.id).map((entry) => ({ source, entry })),
  )
  const live = grant !== undefined && (grant.endsAt === null || grant.endsAt > now) ? grant : undefined
  const bought = live?.replace === true ? [] : given
  const included = live?.enabled ?? (bought.length > 0 || (live !== undefined && live.limit !== null))
  const type = feature.type ?? 'switch'
  if (type === 'switch') return { feature, included, limit: null, beyond: null, counted: null }
  const limits = bought.map(({ entry, source }) =>
    type === 'metered' ? limitInPeriod(entry, source, now) : limitOf(entry, source.quantity),
  )
  const limit = included ? sumOf([...limits, ...(live === undefined || live.limit === null ? [] : [live.limit])]) : 0
  const entries = given.flatMap(({ entry }) => (typeof entry === 'string' ? [] : [entry]))
  const beyond = included && entries.some((entry) => entry.beyond === 'allow') ? 'allow' : 'deny'
  return { feature, included, limit, beyond, counted: type === 'metered' ? countedIn(given, now) : null }
}

/** An entry without a limit is from an earlier document in which the feature was a switch, so that its use was not limited. */
function limitOf(entry: ProductFeature, quantity: number): Limit {
  if (typeof entry === 'string' || entry.limit === 'unlimited') return 'unlimited'
  return entry.limit * (entry.per_quantity === true ? quantity : 1)
}

/**
 * Returns the limit of a metered feature in the running period (decision 29). What a change within the period added counts in proportion to the
 * time that it is paid for, rounded up, e.g. 500 of 1,000 in the middle of the period. What a later change takes away is taken from that first.
 */
function limitInPeriod(entry: ProductFeature, source: FeatureSource, now: number): Limit {
  const { period, turns = [], quantity } = source
  const present = limitOf(entry, quantity)
  const running = turns.filter((turn) => period !== null && turn.period.start === period.start && now < period.end)
  if (present === 'unlimited' || period === null || running.length === 0) return present
  const id = featureIdOf(entry)
  const before = running.map((turn) => {
    const then = turn.features.find((one) => featureIdOf(one) === id)
    return { at: turn.at, limit: then === undefined ? 0 : limitOf(then, turn.quantity) }
  })
  const [first] = before
  let base = first === undefined || first.limit === 'unlimited' ? present : first.limit
  const raised: { at: number; by: number }[] = []
  for (const [index, { at, limit }] of before.entries()) {
    const next = before[index + 1]?.limit ?? present
    if (next === 'unlimited') continue
    let by = next - (limit === 'unlimited' ? next : limit)
    if (by > 0) raised.push({ at, by })
    for (let last = raised.at(-1); by < 0 && last !== undefined; last = raised.at(-1)) {
      const taken = Math.min(last.by, -by)
      by += taken
      last.by -= taken
      if (last.by === 0) raised.pop()
    }
    if (by < 0) base += by
  }
  return raised.reduce((sum, { at, by }) => sum + paidPart(by, paidFor(entry, period, at, now)), base)
}

/** Returns the part of its window that a raise at a time is paid for. */
function paidFor(entry: ProductFeature, { start, end }: NonNullable<FeatureSource['period']>, at: number, now: number) {
  if (resetsOf(entry) !== 'month') return { paid: end - at, whole: end - start }
  const month = monthOf(now)
  if (at < month.from) return { paid: 1, whole: 1 }
  return { paid: Math.min(month.to, end) - at, whole: month.to - month.from }
}

/** Whole numbers of milliseconds and units, whose product may be too large for a number. */
function paidPart(by: number, { paid, whole }: { readonly paid: number; readonly whole: number }): number {
  const [units, part, of] = [BigInt(by), BigInt(Math.max(0, Math.floor(paid))), BigInt(Math.floor(whole))]
  return Number((units * part + of - 1n) / of)
}

const resetsOf = (entry: ProductFeature) =>
  typeof entry === 'string' ? 'billing_period' : (entry.resets ?? 'billing_period')

const sumOf = (limits: readonly Limit[]): Limit =>
  limits.reduce((sum, limit) => (sum === 'unlimited' || limit === 'unlimited' ? 'unlimited' : sum + limit), 0)

function countedIn(
  given: readonly { readonly source: FeatureSource; readonly entry: ProductFeature }[],
  now: number,
): { readonly from: number; readonly to: number | null } {
  const windows = given.map(({ source, entry }) => windowOf(entry, source, now))
  const [first, ...others] = windows.length === 0 ? [monthOf(now)] : windows
  return others.reduce(
    (one, other) => ({
      from: Math.min(one.from, other.from),
      to: one.to === null || other.to === null ? null : Math.min(one.to, other.to),
    }),
    first ?? monthOf(now),
  )
}

/**
 * Returns the time from which usage is counted, and until when. A free subscription has no billing period: its usage is counted by calendar
 * month. A period that a change began goes on counting from the start of the one that it replaced, until that one would have ended: e.g. if a
 * month from 1 March is replaced by a year on 10 March, usage since 1 March counts until 1 April.
 */
function windowOf(entry: ProductFeature, { period, turns = [] }: FeatureSource, now: number) {
  const resets = resetsOf(entry)
  if (resets === 'never') return { from: 0, to: null }
  if (resets === 'month' || period === null) return monthOf(now)
  // The period has ended, but the mirror has not read the renewal yet. So the next period is computed: it begins at the end of this one.
  if (now >= period.end) return { from: period.end, to: 2 * period.end - period.start }
  const replaced = turns.map((turn) => turn.period).filter(({ start, end }) => start < period.start && now < end)
  return {
    from: Math.min(period.start, ...replaced.map(({ start }) => start)),
    to: Math.min(period.end, ...replaced.map(({ end }) => end)),
  }
}

/** Returns the calendar month (UTC) of a time. */
function monthOf(now: number): { readonly from: number; readonly to: number } {
  const date = new Date(now)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return { from: Date.UTC(year, month), to: Date.UTC(year, month + 1) }
}

export interface FeatureCheck {
  readonly allowed: boolean
  readonly reason: null | 'not_included' | 'limit_reached'
  /** null for a switch, and if it is not known how much is used. */
  readonly used: Decimal | null
  /** Never negative; null like `used`. */
  readonly remaining: Decimal | 'unlimited' | null
}

/** Decides whether the tenant may use `requested` more. `used: null` means that the usage is unknown; then it is taken as zero. */
export function checkAllowance(allowance: Allowance, used: Decimal | null, requested: number): FeatureCheck {
  const { included, limit, beyond } = allowance
  if (limit === null)
    return { allowed: included, reason: included ? null : 'not_included', used: null, remaining: null }
  if (!included) return { allowed: false, reason: 'not_included', used, remaining: zero }
  if (limit === 'unlimited') return { allowed: true, reason: null, used, remaining: limit }
  const left = addDecimals(decimalFromInteger(limit), multiplyByInteger(used ?? zero, -1))
  const remaining = used === null ? null : compareDecimals(left, zero) < 0 ? zero : left
  const allowed = beyond === 'allow' || compareDecimals(left, decimalFromInteger(requested)) >= 0
  return { allowed, reason: allowed ? null : 'limit_reached', used, remaining }
}
