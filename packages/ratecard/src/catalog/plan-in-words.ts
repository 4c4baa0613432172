// Describes the effects of a plan on customers in words: prices that rise or fall, who keeps which price, and the change of money a month.
// The same text is shown in the terminal, in pull requests and in the dashboard.
import { itemsOf, type ResourceKind } from './kinds.ts'
import { isNegotiated } from './price-moves.ts'
import type { BillingConfig } from '../document/schema/schema.ts'
import type { CurrencyChange } from '../document/pricing/price-change.ts'
import { formatMinor } from '../base/money/format.ts'
import type { PlannedChange } from './change.ts'

type Amounts = readonly { readonly currency: string; readonly amount: number }[]

interface Subscribers {
  readonly tenants: number
  /** Subscriptions of customers that are no tenant. */
  readonly withoutTenant: number
}

export interface PlanFigures {
  readonly changes: readonly Pick<PlannedChange, 'action' | 'kind' | 'configId'>[]
  readonly moves: readonly { readonly configId: string; readonly currencies: readonly CurrencyChange[] }[]
  /** Ids of negotiated prices. */
  readonly negotiated: ReadonlySet<string>
  readonly impact: {
    readonly prices: readonly { readonly action: string; readonly monthly: Amounts; readonly monthlyAfter: Amounts }[]
    readonly kept: Readonly<Record<'replaced' | 'archived' | 'current' | 'same', Subscribers>>
    readonly lostCurrencies: readonly {
      readonly priceId: string
      readonly currency: string
      readonly subscribers: Subscribers
      readonly tenants: readonly string[]
    }[]
  }
  /** Number of products that lose features or get lower limits, and number of affected tenants. */
  readonly lowered: { readonly products: number; readonly tenants: number }
}

/** Returns the ids of the negotiated prices in either document. */
export function negotiatedIds(...configs: readonly (BillingConfig | null)[]): ReadonlySet<string> {
  const prices = configs.flatMap((config) => (config === null ? [] : itemsOf(config, 'price')))
  return new Set(prices.filter(({ item }) => isNegotiated(item)).map(({ item }) => item.id))
}

/**
 * Returns one or several sentences, e.g. `3 prices rise. 120 tenants keep the old price until you move them; at the new price they would pay
 * €1,040.00 a month more in total.`
 */
export function planInWords(plan: PlanFigures): string {
  const sentences = [
    pricesInWords(plan),
    keptInWords(plan),
    currentInWords(plan.impact.kept.current),
    sameInWords(plan.impact.kept.same),
    ...lostInWords(plan.impact.lostCurrencies),
    endedInWords(plan.impact.kept.archived),
    loweredInWords(plan),
  ]
  const said = sentences.filter((sentence) => sentence !== null)
  if (said.length > 0) return said.join(' ')
  return plan.changes.some(({ action }) => action !== 'keep')
    ? 'No customer pays more or less.'
    : 'Nothing changes for any customer.'
}

/** Returns e.g. `3 prices rise, 1 falls, 2 are new.` Negotiated prices, coupons and promotion codes are counted separately. */
function pricesInWords({ changes, moves, negotiated }: PlanFigures): string | null {
  const ids = (kind: ResourceKind, ...actions: readonly string[]) =>
    changes.filter((change) => change.kind === kind && actions.includes(change.action)).map(({ configId }) => configId)
  const moved = (direction: 'rise' | 'fall' | 'both') =>
    moves.filter((move) => directionOf(move) === direction).map(({ configId }) => configId)
  const verbs = [
    { ids: moved('rise'), one: 'rises', many: 'rise' },
    { ids: moved('fall'), one: 'falls', many: 'fall' },
    { ids: moved('both'), one: 'rises for some and falls for others', many: 'rise for some and fall for others' },
    { ids: ids('price', 'create', 'reactivate'), one: 'is new', many: 'are new' },
    { ids: ids('price', 'archive'), one: 'is no longer sold', many: 'are no longer sold' },
  ]
  const listed = (isOurs: (id: string) => boolean) =>
    verbs.map((verb) => ({ ...verb, number: verb.ids.filter(isOurs).length }))
  const others = (kind: 'coupon' | 'promotion_code') => [
    { number: ids(kind, 'create', 'reactivate').length, one: 'is new', many: 'are new' },
    { number: ids(kind, 'archive').length, one: 'ends', many: 'end' },
  ]
  const parts = [
    ...listCounts(
      'price',
      listed((id) => !negotiated.has(id)),
    ),
    ...listCounts(
      'negotiated price',
      listed((id) => negotiated.has(id)),
    ),
    ...listCounts('coupon', others('coupon')),
    ...listCounts('promotion code', others('promotion_code')),
  ]
  return parts.length === 0 ? null : `${parts.join(', ')}.`
}

interface Verb {
  readonly number: number
  readonly one: string
  readonly many: string
}

/** Returns e.g. `3 prices rise` and `1 falls`: the noun stands only once. */
function listCounts(noun: string, verbs: readonly Verb[]): readonly string[] {
  return verbs
    .filter(({ number }) => number > 0)
    .map(({ number, one, many }, index) => {
      const subject = index > 0 ? String(number) : countText(number, noun)
      return `${subject} ${number === 1 ? one : many}`
    })
}

function directionOf({ currencies }: PlanFigures['moves'][number]): 'rise' | 'fall' | 'both' {
  const [rises, falls] = [currencies.some(({ rise }) => rise !== null), currencies.some(({ fall }) => fall !== null)]
  return rises && falls ? 'both' : rises ? 'rise' : 'fall'
}

/** Returns the sentence about replaced prices: how many tenants keep the old price, and how much more or less they would pay at the new one. */
function keptInWords({ impact: { kept, prices }, moves }: PlanFigures): string | null {
  const whose = subscribersInWords(kept.replaced)
  const others = subscribersInWords(kept.current) ?? subscribersInWords(kept.same)
  if (whose === null) return moves.length === 0 || others !== null ? null : noneKept(moves.length)
  const one = isOne(kept.replaced)
  const money = differencesInWords(prices.filter(({ action }) => action === 'replace'))
  const then = one ? `it would pay ${money ?? ''}` : `they would pay ${money ?? ''} in total`
  return [
    `${whose} ${one ? 'keeps' : 'keep'} the old price until you move ${one ? 'it' : 'them'}`,
    ...(money === null ? [] : [`at the new price ${then}`]),
  ]
    .join('; ')
    .concat('.')
}

const noneKept = (prices: number): string =>
  `${prices === 1 ? 'It has' : 'They have'} no subscribers, so only new customers are affected.`

/** Returns the sentence about subscribers of an earlier price that is sold again, e.g. after a rollback. */
function currentInWords(current: Subscribers): string | null {
  const whose = subscribersInWords(current)
  if (whose === null) return null
  return isOne(current)
    ? `${whose} has the price that is sold again, and becomes current.`
    : `${whose} have the price that is sold again, and become current.`
}

function sameInWords(same: Subscribers): string | null {
  const whose = subscribersInWords(same)
  return whose === null ? null : `${whose} would pay the same at the new price.`
}

/** Returns e.g. `1 price is no longer sold in USD; 3 tenants pay in USD.`, one sentence for each currency. */
function lostInWords(lost: PlanFigures['impact']['lostCurrencies']): readonly string[] {
  const currencies = [...new Set(lost.map(({ currency }) => currency))].sort()
  return currencies.map((currency) => {
    const own = lost.filter((one) => one.currency === currency)
    const code = currency.toUpperCase()
    const paying = {
      // A tenant with two of the prices counts once.
      tenants: new Set(own.flatMap(({ tenants }) => tenants)).size,
      withoutTenant: own.reduce((sum, { subscribers }) => sum + subscribers.withoutTenant, 0),
    }
    const prices = own.length === 1 ? '1 price is' : `${countText(own.length, 'price')} are`
    return `${prices} no longer sold in ${code}; ${subscribersInWords(paying) ?? ''} ${isOne(paying) ? 'pays' : 'pay'} in ${code}.`
  })
}

const isOne = ({ tenants, withoutTenant }: Subscribers): boolean => tenants + withoutTenant === 1

function endedInWords(archived: Subscribers): string | null {
  const whose = subscribersInWords(archived)
  if (whose === null) return null
  return `${whose} ${isOne(archived) ? 'goes' : 'go'} on paying a price that is no longer sold.`
}

function loweredInWords({ lowered: { products, tenants } }: PlanFigures): string | null {
  if (products === 0) return null
  return tenants === 0
    ? `${countText(products, 'product')} ${products === 1 ? 'gives' : 'give'} less to new customers; existing customers keep their features.`
    : `${countText(tenants, 'tenant')} ${tenants === 1 ? 'gets' : 'get'} fewer features or lower limits.`
}

function subscribersInWords({ tenants, withoutTenant }: Subscribers): string | null {
  const parts = [
    ...(tenants === 0 ? [] : [countText(tenants, 'tenant')]),
    ...(withoutTenant === 0
      ? []
      : [
          withoutTenant === 1
            ? '1 customer that is not a tenant'
            : `${countText(withoutTenant, 'customer')} that are not tenants`,
        ]),
  ]
  return parts.length === 0 ? null : parts.join(' and ')
}

/** Returns e.g. `€1,040.00 a month more` or `€10.00 a month more and $5.00 a month less`; null if there is no difference. */
function differencesInWords(prices: PlanFigures['impact']['prices']): string | null {
  const sums = new Map<string, number>()
  for (const { monthly, monthlyAfter } of prices)
    for (const { currency, amount } of monthlyAfter) {
      // Without the sum before the change in this currency, there is nothing to compare with.
      const before = monthly.find((one) => one.currency === currency)
      if (before !== undefined) sums.set(currency, (sums.get(currency) ?? 0) + amount - before.amount)
    }
  const money = (sign: 1 | -1) =>
    [...sums].filter(([, sum]) => sum * sign > 0).map(([currency, sum]) => formatMinor(Math.abs(sum), currency))
  const parts = [
    ...(money(1).length === 0 ? [] : [`${joinWithAnd(money(1))} a month more`]),
    ...(money(-1).length === 0 ? [] : [`${joinWithAnd(money(-1))} a month less`]),
  ]
  return parts.length === 0 ? null : parts.join(' and ')
}

function joinWithAnd(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1) ?? ''}`
}

function countText(number: number, noun: string): string {
  const digits = String(number).replace(/\B(?=(\d{3})+$)/g, ',')
  return `${digits} ${noun}${number === 1 ? '' : 's'}`
}
