// Decides which rules (policies) a change breaks. The input is the rules, the facts of the plan and its impact, the time and the
// environment. The output is a list of violations.
import type { ChangeAction } from '../change.ts'
import type { ResourceKind } from '../kinds.ts'
import { formatMinor, groupDigits } from '../../base/money/format.ts'
import {
  compareFractions,
  fraction,
  fractionDecimal,
  multiplyFractions,
  subtractFractions,
} from '../../base/money/fraction.ts'
import { divideFractions, fractionOfDecimal, roundFraction } from '../../base/money/fraction.ts'
import { canonicalDecimal, decimalText, parseDecimal } from '../../base/money/decimal.ts'
import type { AmountChange, CurrencyChange } from '../../document/pricing/price-change.ts'
import { appliesIn } from './elsewhere.ts'
import { freezeTimes, patternOf } from './read-policies.ts'
import type { Policy, PolicyOf, RuleName } from '../../document/schema/policies/policy-rules.ts'

export type { Policy }

/** An item that a plan changes. */
export interface ChangedItem {
  readonly kind: ResourceKind
  readonly configId: string
  readonly action: ChangeAction
  /** Keys of its metadata; null if the rules on metadata do not concern it. */
  readonly metadata: readonly string[] | null
  /** Currencies of its amounts after the change. */
  readonly currencies: readonly string[]
  /** True if the id is new. */
  readonly isNew: boolean
}

/**
 * A price whose subscriptions are affected, because it is archived or replaced, or because a migration or a deal moves them from it.
 * Contains their number.
 */
export interface AffectedPrice {
  readonly configId: string
  readonly action: 'archive' | 'replace' | 'move'
  readonly subscriptions: number
  readonly tenants: number
  readonly monthly: readonly { readonly currency: string; readonly amount: number }[]
}

/** A price whose cost rises or falls for those who pay it. */
export interface ChangedPrice {
  readonly configId: string
  readonly currencies: readonly CurrencyChange[]
  /** Revision that had the amount before; absent if it is the current one. */
  readonly since?: number
}

/** What the rules look at. */
export interface ChangeFacts {
  readonly items: readonly ChangedItem[]
  readonly prices: readonly ChangedPrice[]
  readonly affected: readonly AffectedPrice[]
  /** Number of distinct tenants in `affected`. */
  readonly tenants: number
  readonly message: string | null
}

export interface Circumstances {
  readonly now: number
  /** Name of the environment; null if it is unknown. If it is unknown, rules for named environments apply too. */
  readonly environment: string | null
  /** Returns true if an id matches a pattern. Whoever does not know the patterns must limit their time before. */
  readonly matches?: (pattern: RegExp, id: string) => boolean
}

export interface Violation {
  readonly id: string
  readonly rule: RuleName
  readonly severity: Policy['severity']
  /** Kind and id of the item that breaks the rule; null if the rule concerns the change as a whole. */
  readonly kind: ResourceKind | null
  readonly configId: string | null
  readonly detail: string
  readonly reason: string | null
}

interface Finding {
  readonly kind: ResourceKind | null
  readonly configId: string | null
  readonly detail: string
}

type Check<Name extends RuleName> = (rule: PolicyOf<Name>, facts: ChangeFacts, at: Circumstances) => readonly Finding[]

/** Returns the violations, in the order of the rules. */
export function decideViolations(
  rules: readonly Policy[],
  facts: ChangeFacts,
  at: Circumstances,
): readonly Violation[] {
  return rules
    .filter((rule) => appliesIn(rule, at.environment))
    .flatMap((rule) => {
      const { id, severity, reason = null } = rule
      // Each `check` gets only rules of its own name, but the compiler cannot derive that.
      const check = checks[rule.rule] as unknown as (
        ...args: readonly [Policy, ChangeFacts, Circumstances]
      ) => readonly Finding[]
      return check(rule, withoutExceptions(rule, facts), at).map((finding) => ({
        id,
        rule: rule.rule,
        severity,
        ...finding,
        reason,
      }))
    })
}

/** Returns the facts without the items that the rule leaves alone. */
function withoutExceptions({ except = [] }: Policy, facts: ChangeFacts): ChangeFacts {
  if (except.length === 0) return facts
  const left = new Set(except)
  const stays = ({ configId }: { readonly configId: string }) => !left.has(configId)
  const affected = facts.affected.filter(stays)
  // `facts.tenants` counts each tenant once. If some prices are exempt, only the number of tenants per price is known. The sum of these
  // numbers is used as an upper bound.
  const sum = affected.reduce((total, { tenants }) => total + tenants, 0)
  return {
    ...facts,
    items: facts.items.filter(stays),
    prices: facts.prices.filter(stays),
    affected,
    tenants: affected.length === facts.affected.length ? facts.tenants : Math.min(facts.tenants, sum),
  }
}

const findingOfPlan = (detail: string): Finding => ({ kind: null, configId: null, detail })
const hasContent = ({ action }: ChangedItem) => action !== 'archive' && action !== 'keep'

const checks: { readonly [Name in RuleName]: Check<Name> } = {
  max_increase_percent: ({ value }, { prices }) =>
    prices.flatMap((price) => changesOver(price, 'rise', value).map((change) => riseFinding(price, change, value))),

  max_decrease_percent: ({ value }, { prices }) =>
    prices.flatMap((price) => changesOver(price, 'fall', value).map((change) => fallFinding(price, change, value))),

  no_archive_with_subscribers: (_rule, { affected }) =>
    affected
      .filter(({ action, subscriptions }) => action === 'archive' && subscriptions > 0)
      .map(({ configId, subscriptions }) => ({
        kind: 'price',
        configId,
        detail: `The price "${configId}" is archived, and ${countText(subscriptions, 'subscription')} ${subscriptions === 1 ? 'is' : 'are'} on it.`,
      })),

  required_metadata: ({ value }, { items }) =>
    items.filter(hasContent).flatMap(({ kind, configId, metadata }) => {
      const missing = metadata === null ? [] : value.filter((key) => !metadata.includes(key))
      if (missing.length === 0) return []
      const keys = missing.map((key) => `"${key}"`).join(', ')
      return [{ kind, configId, detail: `The ${nameOf(kind)} "${configId}" has no metadata ${keys}.` }]
    }),

  id_pattern: ({ value }, { items }, { matches = (pattern, id) => pattern.test(id) }) => {
    const pattern = patternOf(value)
    if (pattern === null) return []
    return items
      .filter(({ kind, isNew, configId }) => kind !== 'webhook' && isNew && !matches(pattern, configId))
      .map(({ kind, configId }) => ({
        kind,
        configId,
        detail: `The id "${configId}" of the ${nameOf(kind)} does not match ${value}.`,
      }))
  },

  currencies: ({ value }, { items }) =>
    items.filter(hasContent).flatMap(({ kind, configId, currencies }) => {
      const others = currencies.filter((currency) => !value.some((allowed) => allowed === currency))
      if (others.length === 0) return []
      const detail = `The ${nameOf(kind)} "${configId}" has amounts in ${others.join(', ')}; allowed: ${value.join(', ')}.`
      return [{ kind, configId, detail }]
    }),

  max_tenants_affected: ({ value }, { tenants }) =>
    tenants > value
      ? [
          findingOfPlan(
            `${countText(tenants, 'tenant')} ${tenants === 1 ? 'is' : 'are'} affected, more than ${String(value)}.`,
          ),
        ]
      : [],

  max_monthly_affected: ({ value: { currency, amount } }, { affected }) => {
    const sum = affected
      .flatMap(({ monthly }) => monthly)
      .reduce((total, one) => total + (one.currency === currency ? one.amount : 0), 0)
    if (sum <= amount) return []
    return [
      findingOfPlan(`${formatMinor(sum, currency)} a month is affected, more than ${formatMinor(amount, currency)}.`),
    ]
  },

  freeze: ({ value, except }, { items }, { now }) => {
    const { begin, end } = freezeTimes(value)
    if (now < begin || now >= end || (except !== undefined && items.length === 0)) return []
    return [findingOfPlan(`Nothing may change from ${value.from} to ${value.to}.`)]
  },

  require_message: ({ except }, { items, message }) =>
    message !== null || (except !== undefined && items.length === 0)
      ? []
      : [findingOfPlan('The change has no message with its reason.')],
}

/** Returns the change in each currency that exceeds `percent` per cent of the cost before the change. */
function changesOver(
  { currencies }: ChangedPrice,
  direction: 'rise' | 'fall',
  percent: number,
): readonly AmountChange[] {
  const limit = fractionOfDecimal(parseDecimal(canonicalDecimal(percent)))
  return currencies.flatMap((change) => {
    const found = change[direction]
    if (found === null) return []
    const difference =
      direction === 'rise' ? subtractFractions(found.after, found.before) : subtractFractions(found.before, found.after)
    const exceeds =
      compareFractions(multiplyFractions(difference, fraction(100)), multiplyFractions(found.before, limit)) > 0
    return exceeds ? [found] : []
  })
}

function riseFinding({ configId, since }: ChangedPrice, change: AmountChange, limit: number): Finding {
  const by =
    change.before.numerator === 0n
      ? 'costs something and was free'
      : `rises by ${percentText(subtractFractions(change.after, change.before), change)}`
  return { kind: 'price', configId, detail: sentenceOf(configId, `${by}${sinceText(since)}`, change, limit) }
}

function fallFinding({ configId, since }: ChangedPrice, change: AmountChange, limit: number): Finding {
  const by = `falls by ${percentText(subtractFractions(change.before, change.after), change)}`
  return { kind: 'price', configId, detail: sentenceOf(configId, `${by}${sinceText(since)}`, change, limit) }
}

const sinceText = (since: number | undefined) => (since === undefined ? '' : ` since revision ${String(since)}`)

function sentenceOf(configId: string, by: string, { currency, quantity, before, after }: AmountChange, limit: number) {
  const [was, is] = [before, after].map((cost) => formatMinor(roundFraction(cost), currency))
  const units = quantity === 1 ? '' : ` for ${groupDigits(String(quantity))} units`
  return `The price "${configId}" ${by} (${was ?? ''} → ${is ?? ''}${units}), more than ${String(limit)}%.`
}

/** Returns the share in per cent with at most one decimal. */
function percentText(difference: AmountChange['before'], { before }: AmountChange): string {
  const tenths = roundFraction(multiplyFractions(divideFractions(difference, before), fraction(1000)))
  return `${decimalText(fractionDecimal(fraction(tenths, 10)))}%`
}

const nameOf = (kind: ResourceKind) => kind.replace('_', ' ')
const countText = (number: number, what: string) => `${String(number)} ${what}${number === 1 ? '' : 's'}`
