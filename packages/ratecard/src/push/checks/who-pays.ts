// The people whom a plan touches: whose price changes most, and who pays in a currency that a price loses.
import type { Planned } from './planned.ts'
import type { Issue } from '../../base/errors/issue.ts'
import {
  compareFractions,
  roundFraction,
  subtractFractions,
  zeroFraction,
  type Fraction,
} from '../../base/money/fraction.ts'
import { currenciesOf } from '../../document/pricing/calculate.ts'
import { keepingOf, usesOf, type Found, type TouchedPrice } from './item-months.ts'
import type { Use, UseDeps } from './price-uses.ts'
import type { AffectedSubscriber } from '../../api/push/pushes.ts'

/** Distinct subscribers of several prices. */
export interface Subscribers {
  readonly tenants: number
  /** Subscriptions of customers that are no tenant. */
  readonly withoutTenant: number
}

/** A price that the new document no longer sells in a currency, and those who are billed in it. */
export interface LostCurrency {
  readonly priceId: string
  readonly currency: string
  readonly subscribers: Subscribers
  /** Ids of the tenants, sorted. */
  readonly tenants: readonly string[]
}

/** Number of subscribers of each currency that a plan names. */
const named = 10

export async function whoOf(
  { store }: UseDeps,
  prices: readonly TouchedPrice[],
  found: Found,
): Promise<readonly AffectedSubscriber[]> {
  const differing = prices.flatMap((price) =>
    usesOf(price, found).flatMap((use) => {
      const { before, after } = found.monthly.get(use.item) ?? { before: null, after: null }
      if (before === null || after === null || keepingOf(price, use, found) !== 'replaced') return []
      const difference = subtractFractions(after, before)
      return [{ use, priceId: price.configId, before, after, size: absoluteValue(difference) }]
    }),
  )
  const currencies = [...new Set(differing.map(({ use }) => use.currency))].sort()
  const largest = currencies.flatMap((currency) =>
    differing
      .filter(({ use }) => use.currency === currency)
      .sort((a, b) => compareFractions(b.size, a.size) || (a.use.item < b.use.item ? -1 : 1))
      .slice(0, named),
  )
  const names = await store.tenants.names([...new Set(largest.flatMap(({ use }) => use.tenantId ?? []))])
  return largest.map(({ use: { tenantId, customer, subscription, currency }, priceId, before, after }) => ({
    ...{ priceId, tenantId, customer, subscription, currency },
    name: tenantId === null ? null : (names.get(tenantId) ?? null),
    before: Number(roundFraction(before)),
    after: Number(roundFraction(after)),
  }))
}

const absoluteValue = (value: Fraction) =>
  compareFractions(value, zeroFraction) < 0 ? subtractFractions(zeroFraction, value) : value

export function lostCurrencies(price: TouchedPrice, previous: Found['after'], found: Found): readonly LostCurrency[] {
  const [before, after] = [previous.get(price.configId), found.after.get(price.configId)]
  if (before === undefined || after === undefined) return []
  const lost = currenciesOf(before).filter((currency) => !currenciesOf(after).includes(currency))
  return lost.flatMap((currency) => {
    const paying = usesOf(price, found).filter((use) => use.currency === currency)
    if (paying.length === 0) return []
    const tenants = [...countUses(paying).tenants].sort()
    return [{ priceId: price.configId, currency, subscribers: subscribersOf(paying, []), tenants }]
  })
}

/** Counts distinct subscribers: those of paid items, and the tenants of free subscriptions. */
export function subscribersOf(uses: readonly Use[], free: readonly string[]): Subscribers {
  const paid = countUses(uses)
  return { tenants: new Set([...paid.tenants, ...free]).size, withoutTenant: paid.withoutTenant }
}

export function countUses(uses: readonly Use[]) {
  const tenants = new Map(uses.map(({ subscription, tenantId }) => [subscription, tenantId]))
  return {
    subscriptions: tenants.size,
    tenants: new Set([...tenants.values()].flatMap((id) => id ?? [])),
    withoutTenant: [...tenants.values()].filter((id) => id === null).length,
  }
}

/** Number of tenants that a warning names. */
const mostNamed = 10

/** Returns a warning for each price that loses a currency in which subscriptions are billed. */
export function removedCurrencies(lost: readonly LostCurrency[], { place }: Planned): Issue[] {
  return lost.map(({ priceId, currency, subscribers, tenants }) => {
    const code = currency.toUpperCase()
    const ids = tenants.slice(0, mostNamed).map((id) => `"${id}"`)
    const more = tenants.length > mostNamed ? [`${String(tenants.length - mostNamed)} more tenants`] : []
    const others =
      subscribers.withoutTenant === 0 ? [] : [`${String(subscribers.withoutTenant)} customers that are not tenants`]
    return {
      code: 'currency_removed',
      pointer: place('price', priceId, 'currency_options'),
      severity: 'warning',
      detail: `The price "${priceId}" is no longer sold in ${code}, in which subscriptions are billed: ${[...ids, ...more, ...others].join(', ')}.`,
      hint: `They keep the price that they have, and cannot be moved to the new one. To go on selling in ${code}, leave it in \`currency_options\`.`,
    }
  })
}
