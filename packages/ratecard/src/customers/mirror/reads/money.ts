// Monthly recurring revenue (MRR), now and day by day.
import { decimalText } from '../../../base/money/decimal.ts'
import { fractionDecimal, parseFraction } from '../../../base/money/fraction.ts'
import { readCurrencySums, runningMovements, withEndedCurrencies } from '../sums/account.ts'
import { addDays, dayOf, startOfDay } from '../sums/days.ts'
import { nameItemsBy, sumOfAmounts, type CurrencySums, type Revenue } from '../sums/money.ts'
import { addMovements, movementKinds, netOf, noMovements, type Movements } from '../sums/movements.ts'
import { furtherAmount, mainAmount } from './amounts.ts'
import { requireSums, type MirrorReadDeps } from './deps.ts'
import type { CurrencyMoney, DayRange, Money, MoneyDay, MoneyDays } from '../../../api/customers/money.ts'
import type { RevenueDay } from '../../../store/records/revenue.ts'
import type { VersionHead } from '../../../store/records/configuration.ts'

export async function readMoney(deps: MirrorReadDeps): Promise<Money> {
  const { store, priceBook } = deps
  const age = await requireSums(deps)
  const sums = await readCurrencySums(store.revenue, nameItemsBy(await priceBook()))
  const movements = await lastThirtyDays(store.revenue, age.asOf)
  const currencies = withEndedCurrencies(sums, movements)
  return { ...age, currencies: currencies.map((one) => currencyMoney(one, movements.get(one.currency) ?? noMovements)) }
}

/**
 * Returns the MRR movements of the 30 days (UTC) until `asOf`. They are the movements of the stored days, plus the movements since the last
 * stored day.
 */
async function lastThirtyDays(
  revenue: MirrorReadDeps['store']['revenue'],
  asOf: number,
): Promise<ReadonlyMap<string, Movements>> {
  const today = dayOf(asOf)
  const sums = new Map(runningMovements(await revenue.changes()))
  for (const day of await revenue.days(addDays(today, -29), today)) {
    const before = sums.get(day.currency) ?? noMovements
    sums.set(day.currency, addMovements(before, movementsOfDay(day)))
  }
  return sums
}

function movementsOfDay(day: RevenueDay): Movements {
  return Object.fromEntries(movementKinds.map((kind) => [kind, parseFraction(day[kind])])) as unknown as Movements
}

function currencyMoney(sums: CurrencySums, movements: Movements): CurrencyMoney {
  const { currency, tenants, trialing, pastDue, writtenOff, byProduct, byPrice } = sums
  return {
    currency,
    ...countedRevenue(sums, currency),
    tenants,
    trialing,
    pastDue: { ...mainAmount('amount', pastDue.amount, currency), tenants: pastDue.tenants },
    writtenOff: { ...mainAmount('amount', writtenOff.amount, currency), tenants: writtenOff.tenants },
    byProduct: byProduct.map(({ productId, ...one }) => ({ productId, ...countedRevenue(one, currency) })),
    byPrice: byPrice.map(({ priceId, legacy, ...one }) => ({
      priceId,
      ...countedRevenue(one, currency),
      legacy: countedRevenue(legacy, currency),
    })),
    last30Days: { ...shownMovements(movements, currency), ...furtherAmount('net', netOf(movements), currency) },
  }
}

function countedRevenue(one: Revenue, currency: string) {
  return { ...shownRevenue(one, currency), subscriptions: one.subscriptions }
}

function shownRevenue({ mrr, usageLastPeriod }: Pick<Revenue, 'mrr' | 'usageLastPeriod'>, currency: string) {
  return { ...mainAmount('mrr', mrr, currency), ...furtherAmount('usageLastPeriod', usageLastPeriod, currency) }
}

function shownMovements({ new: fresh, expansion, contraction, churn, reactivation }: Movements, currency: string) {
  return {
    ...furtherAmount('new', fresh, currency),
    ...furtherAmount('expansion', expansion, currency),
    ...furtherAmount('contraction', contraction, currency),
    ...furtherAmount('churn', churn, currency),
    ...furtherAmount('reactivation', reactivation, currency),
  }
}

export async function readMoneyDays({ store, mirror }: MirrorReadDeps, { from, to }: DayRange): Promise<MoneyDays> {
  const age = await mirror.require()
  const [days, pushes] = await Promise.all([store.revenue.days(from, to), versionsOf(store.versions, { from, to })])
  return { ...age, days: days.map(shownDay), pushes: pushes.map(shownPush) }
}

function shownDay(row: RevenueDay): MoneyDay {
  const { day, currency, mrr, usageLastPeriod, byProduct, pastDue } = row
  return {
    day,
    currency,
    ...shownRevenue({ mrr: parseFraction(mrr), usageLastPeriod }, currency),
    byProduct: byProduct.map((product) => ({
      productId: product.productId,
      ...shownRevenue({ mrr: parseFraction(product.mrr), usageLastPeriod: product.usageLastPeriod }, currency),
    })),
    ...shownMovements(movementsOfDay(row), currency),
    ...furtherAmount('pastDue', pastDue, currency),
  }
}

const pageSize = 100

/** Returns the versions that were applied in these days, oldest first. */
async function versionsOf(
  versions: Pick<MirrorReadDeps['store']['versions'], 'list'>,
  { from, to }: DayRange,
): Promise<readonly VersionHead[]> {
  const [begin, end] = [startOfDay(from), startOfDay(addDays(to, 1))]
  const found: VersionHead[] = []
  for (let offset = 0; ; offset += pageSize) {
    const { items } = await versions.list({ limit: pageSize, offset })
    found.push(...items.filter(({ createdAt }) => createdAt >= begin && createdAt < end))
    const last = items.at(-1)
    if (last === undefined || items.length < pageSize || last.createdAt < begin) return found.reverse()
  }
}

function shownPush({ revision, version, createdAt, author, keyName }: VersionHead): MoneyDays['pushes'][number] {
  return { revision, version, at: createdAt, by: author ?? keyName }
}

/** Returns the numbers for metrics; null while the mirror is off or incomplete. */
export async function readGauges({ store, mirror }: MirrorReadDeps): Promise<BillingGauges | null> {
  if ((await mirror.status()).state !== 'ready') return null
  const [counts, debts, byStatus] = await Promise.all([
    store.revenue.monthlyCounts(),
    store.revenue.debts(),
    store.mirror.countByStatus(),
  ])
  const owed: Record<string, number> = {}
  for (const debt of debts)
    for (const [currency, amount] of Object.entries(debt.owed)) owed[currency] = (owed[currency] ?? 0) + amount
  const { canceled: _canceled, incomplete_expired: _expired, ...subscriptions } = byStatus
  const currencies = [...new Set(counts.map(({ currency }) => currency))].sort()
  const mrrOf = (currency: string) =>
    sumOfAmounts(counts.filter((one) => one.currency === currency).map(({ monthly, items }) => [monthly, items]))
  return {
    mrr: Object.fromEntries(
      currencies.map((currency) => [currency, Number(decimalText(fractionDecimal(mrrOf(currency))))]),
    ),
    owed,
    subscriptions,
  }
}

/** Numbers for `GET /metrics`; null while the mirror is off or incomplete. */
export interface BillingGauges {
  /** Monthly recurring revenue in minor units, by currency. */
  readonly mrr: Readonly<Record<string, number>>
  readonly owed: Readonly<Record<string, number>>
  /** Number of subscriptions that have not ended, by the processor's status. */
  readonly subscriptions: Readonly<Record<string, number>>
}
