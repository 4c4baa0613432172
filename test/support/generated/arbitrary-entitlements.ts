// Random histories of what a tenant may use: revisions of the document, subscriptions in the mirror, free subscriptions, grants and usage.
import fc from 'fast-check'
import type { BillingConfig, Product } from '../../../packages/ratecard/src/document/schema/schema.ts'
import type { ProductFeature } from '../../../packages/ratecard/src/document/schema/feature-schema.ts'
import type { SubscriptionStatus } from '../../../packages/ratecard/src/processor/customer-half.ts'

export const dayMs = 86_400_000
/** Times of a history begin here. */
export const beginning = Date.UTC(2026, 2, 3, 4, 5, 6, 789)
const periodMs = 30 * dayMs

export const productKeys = ['basic', 'pro', 'extra'] as const
export type ProductKey = (typeof productKeys)[number]

export interface Revision {
  readonly at: number
  readonly document: BillingConfig
  /** Number of the generation of each product's licensed price. A product that the document does not have has none. */
  readonly generations: Readonly<Partial<Record<ProductKey, number>>>
}

export interface HistoryItem {
  readonly product: ProductKey
  /** Generation of the licensed price; null for an item on the metered price. */
  readonly generation: number | null
  readonly quantity: number | null
  readonly start: number
  readonly end: number
}

export interface HistorySubscription {
  readonly id: string
  readonly status: SubscriptionStatus
  readonly collectionPaused: boolean
  readonly items: readonly HistoryItem[]
  readonly invoices: readonly {
    readonly status: 'open' | 'paid' | 'uncollectible' | 'void'
    readonly dueAt: number | null
    readonly finalizedAt: number
  }[]
}

export interface HistoryGrant {
  readonly feature: string
  readonly limit?: number | 'unlimited'
  readonly enabled?: boolean
  readonly replace: boolean
  readonly endsAt: number | null
}

export interface EntitlementHistory {
  readonly revisions: readonly Revision[]
  readonly subscriptions: readonly HistorySubscription[]
  /** Ids of the products whose free price the tenant has. */
  readonly free: readonly string[]
  readonly grants: readonly HistoryGrant[]
  readonly usage: readonly { readonly at: number; readonly value: number }[]
  readonly now: number
}

/** Ids of a revision. One feature and one product get a new id in the middle of some histories. */
export interface Names {
  readonly renamed: boolean
}
export const featureId = (key: string, { renamed }: Names) => (key === 'projects' && renamed ? 'workspaces' : key)
export const productId = (key: ProductKey, { renamed }: Names) => (key === 'pro' && renamed ? 'business' : key)

const limit = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constant('unlimited' as const))
const counted = fc.record(
  { limit, per_quantity: fc.boolean(), beyond: fc.constantFrom('deny' as const, 'allow' as const) },
  { requiredKeys: ['limit'] },
)
const metered = fc.record(
  {
    limit,
    per_quantity: fc.boolean(),
    beyond: fc.constantFrom('deny' as const, 'allow' as const),
    resets: fc.constantFrom('billing_period' as const, 'month' as const, 'never' as const),
  },
  { requiredKeys: ['limit'] },
)
const gives = fc.record({
  sso: fc.boolean(),
  projects: fc.option(counted, { freq: 3 }),
  calls: fc.option(metered, { freq: 3 }),
})
const productChoice = fc.record({
  present: fc.nat(7).map((n) => n > 0),
  gives,
  grandfathers: fc.boolean(),
  /** `back`: an earlier generation of the price is sold again. */
  price: fc.constantFrom('keep' as const, 'replace' as const, 'back' as const),
  metered: fc.boolean(),
  hidden: fc.nat(4).map((n) => n === 0),
})
type ProductChoice = typeof productChoice extends fc.Arbitrary<infer T> ? T : never
const revisionChoice = fc.record({
  days: fc.integer({ min: 1, max: 25 }),
  ms: fc.nat(1999),
  renames: fc.nat(3).map((n) => n === 0),
  basic: productChoice,
  pro: productChoice,
  extra: productChoice,
})
type RevisionChoice = typeof revisionChoice extends fc.Arbitrary<infer T> ? T : never

function productOf(key: ProductKey, choice: ProductChoice, generation: number, names: Names): Product {
  const { sso, projects, calls } = choice.gives
  const features: ProductFeature[] = [
    ...(sso ? ['sso'] : []),
    ...(projects === null ? [] : [{ id: featureId('projects', names), ...projects }]),
    ...(calls === null ? [] : [{ id: 'calls', ...calls }]),
  ]
  const shown = choice.hidden ? { public: false } : {}
  return {
    id: productId(key, names),
    name: key,
    ...(key === 'extra' ? {} : { subscription_group: 'plan' }),
    ...(features.length === 0 ? {} : { features }),
    ...(choice.grandfathers && { grandfather_features: true }),
    ...(key === 'pro' && names.renamed && { previous_ids: ['pro'] }),
    prices: [
      { id: `${key}_month`, amount: 1000 + generation, currency: 'usd', interval: 'month', ...shown },
      { id: `${key}_calls`, amount: 2, currency: 'usd', interval: 'month', usage_type: 'metered', meter: 'api_calls' },
      { id: `${key}_free`, amount: 0, currency: 'usd' },
    ],
  }
}

function revisionsOf(choices: readonly RevisionChoice[]): Revision[] {
  const generations = { basic: 0, pro: 0, extra: 0 }
  let at = beginning
  let renamed = false
  return choices.map((choice, index) => {
    at += choice.days * dayMs + choice.ms
    renamed ||= choice.renames
    const names = { renamed }
    const present = productKeys.filter((key) => choice[key].present)
    for (const key of index > 0 ? present : [])
      generations[key] = Math.max(0, generations[key] + { keep: 0, replace: 1, back: -1 }[choice[key].price])
    const document: BillingConfig = {
      version: `1.0.${String(index)}`,
      meters: [{ id: 'api_calls', display_name: 'API calls', event_name: 'api_call' }],
      features: [
        { id: 'sso', name: 'Single sign-on' },
        {
          ...{ id: featureId('projects', names), name: 'Projects', type: 'limit' },
          ...(renamed && { previous_ids: ['projects'] }),
        },
        { id: 'calls', name: 'API calls', type: 'metered', meter: 'api_calls' },
      ],
      products: present.map((key) => productOf(key, choice[key], generations[key], names)),
    }
    return { at, document, generations: Object.fromEntries(present.map((key) => [key, generations[key]])) }
  })
}

const itemChoice = fc.record({
  sold: fc.nat(),
  metered: fc.nat(3).map((n) => n === 0),
  quantity: fc.integer({ min: 1, max: 4 }),
  key: fc.nat(),
})
const subscriptionChoice = fc.record({
  status: fc.oneof(
    fc.constantFrom<SubscriptionStatus>('active', 'trialing', 'past_due'),
    fc.constantFrom<SubscriptionStatus>('incomplete', 'canceled', 'unpaid', 'paused', 'incomplete_expired'),
  ),
  collectionPaused: fc.nat(4).map((n) => n === 0),
  /** Days before `now` at which the period began, or the revision in whose second it began. */
  began: fc.oneof(fc.record({ daysAgo: fc.nat(55) }), fc.record({ withRevision: fc.nat() })),
  items: fc.array(itemChoice, { minLength: 1, maxLength: 3 }),
  invoices: fc.array(
    fc.record({
      status: fc.constantFrom(
        'open' as const,
        'open' as const,
        'paid' as const,
        'uncollectible' as const,
        'void' as const,
      ),
      due: fc.boolean(),
      daysAgo: fc.nat(20),
      ms: fc.constantFrom(-1, 0, 1),
    }),
    { maxLength: 3 },
  ),
})
type SubscriptionChoice = typeof subscriptionChoice extends fc.Arbitrary<infer T> ? T : never

function subscriptionOf(choice: SubscriptionChoice, index: number, revisions: readonly Revision[], now: number) {
  const { began } = choice
  const moment =
    'daysAgo' in began
      ? now - began.daysAgo * dayMs
      : (revisions[began.withRevision % revisions.length]?.at ?? beginning)
  const start = Math.floor(Math.max(moment, now - 59 * dayMs) / 1000) * 1000
  const items = choice.items.flatMap(({ sold, metered, quantity, key }): HistoryItem[] => {
    const generations: Revision['generations'] = revisions[sold % revisions.length]?.generations ?? {}
    const keys = productKeys.filter((one) => generations[one] !== undefined)
    const product = keys[key % Math.max(1, keys.length)]
    if (product === undefined) return []
    const generation = metered ? null : (generations[product] ?? null)
    return [{ product, generation, quantity: metered ? null : quantity, start, end: start + periodMs }]
  })
  return {
    id: `sub_${String(index)}`,
    status: choice.status,
    collectionPaused: choice.collectionPaused,
    items,
    invoices: choice.invoices.map(({ status, due, daysAgo, ms }) => ({
      status,
      dueAt: due ? now - daysAgo * dayMs + ms : null,
      finalizedAt: now - daysAgo * dayMs - (due ? 10 * dayMs : ms),
    })),
  }
}

const grantChoice = fc.record({
  feature: fc.constantFrom('sso', 'projects', 'calls'),
  limit: fc.option(limit),
  enabled: fc.option(fc.boolean()),
  replace: fc.boolean(),
  ends: fc.constantFrom(null, -1, 0, 1, 5 * dayMs),
})
type GrantChoice = typeof grantChoice extends fc.Arbitrary<infer T> ? T : never

/** A grant changes something: a switch has no limit. */
function grantOf({ feature, limit: to, enabled, replace, ends }: GrantChoice, now: number): HistoryGrant {
  const switched = feature === 'sso' || to === null
  return {
    feature,
    ...(switched ? { enabled: enabled ?? true } : { limit: to, ...(enabled === null ? {} : { enabled }) }),
    replace,
    endsAt: ends === null ? null : now + ends,
  }
}

export const arbitraryHistory: fc.Arbitrary<EntitlementHistory> = fc
  .record({
    revisions: fc.array(revisionChoice, { minLength: 1, maxLength: 4 }),
    subscriptions: fc.array(subscriptionChoice, { maxLength: 3 }),
    free: fc.uniqueArray(fc.constantFrom(...productKeys), { maxLength: 2 }),
    grants: fc.uniqueArray(grantChoice, { maxLength: 3, selector: ({ feature }) => feature }),
    usage: fc.array(fc.record({ daysAgo: fc.integer({ min: 0, max: 70 }), value: fc.nat(8) }), { maxLength: 6 }),
    later: fc.integer({ min: 0, max: 60 * dayMs }),
  })
  .map(({ later, ...choices }) => {
    const revisions = revisionsOf(choices.revisions)
    const now = (revisions.at(-1)?.at ?? beginning) + 1000 + later
    return {
      revisions,
      subscriptions: choices.subscriptions.map((choice, index) => subscriptionOf(choice, index, revisions, now)),
      free: choices.free,
      grants: choices.grants.map((choice) => grantOf(choice, now)),
      usage: choices.usage.map(({ daysAgo, value }) => ({ at: now - daysAgo * dayMs, value })),
      now,
    }
  })
