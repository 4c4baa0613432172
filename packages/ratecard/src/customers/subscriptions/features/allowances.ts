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
  const limits = bought.map(({ entry, source }) => limitOf(entry, source.quantity))
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

const sumOf = (limits: readonly Limit[]): Limit =>
  limits.reduce((sum, limit) => (sum === 'unlimited' || limit === 'unlimited' ? 'unlimited' : sum + limit), 0)

function countedIn(
  given: readonly { readonly source: FeatureSource; readonly entry: ProductFeature }[],
  now: number,
): { readonly from: number; readonly to: number | null } {
  const windows = given.map(({ source, entry }) => windowOf(entry, source.period, now))
  const [first, ...others] = windows.length === 0 ? [monthOf(now)] : windows
  return others.reduce(
    (one, other) => ({
      from: Math.min(one.from, other.from),
      to: one.to === null || other.to === null ? null : Math.min(one.to, other.to),
    }),
    first ?? monthOf(now),
  )
}

/** A free subscription has no billing period, so its usage is counted by calendar month. */
function windowOf(entry: ProductFeature, period: FeatureSource['period'], now: number) {
  const resets = typeof entry === 'string' ? 'billing_period' : (entry.resets ?? 'billing_period')
  if (resets === 'never') return { from: 0, to: null }
  if (resets === 'month' || period === null) return monthOf(now)
  // The period has ended, but the mirror has not read the renewal yet. So the next period is computed: it begins at the end of this one.
  if (now >= period.end) return { from: period.end, to: 2 * period.end - period.start }
  return { from: period.start, to: period.end }
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
