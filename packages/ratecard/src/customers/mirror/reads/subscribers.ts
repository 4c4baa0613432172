// Lists subscribers of a price, on its current processor price and on former ones (together called generations).
import type { ProcessorId } from '../../../catalog/resource.ts'
import { didYouMean } from '../../../base/errors/suggest.ts'
import { ServiceError } from '../../../base/errors/service-error.ts'
import type { PriceBook } from '../../item-swaps/price-book.ts'
import { parseFraction } from '../../../base/money/fraction.ts'
import { formatMinor } from '../../../base/money/format.ts'
import { plannedEnd } from '../../../processor/customer-half.ts'
import type { MirroredPrice } from '../../../processor/mirrored.ts'
import { tariffOf } from '../sums/tariff.ts'
import { mainAmount } from './amounts.ts'
import { requireSums, type MirrorReadDeps } from './deps.ts'
import type { Generation, Subscriber } from '../../../api/customers/money.ts'
import type { MirroredItems } from '../../../api/notation/mirrored.ts'
import type { PageQuery } from '../../../store/records/page.ts'
import type { FreeSubscriber, StoredSubscriber } from '../../../store/records/mirror.ts'

/**
 * Returns a page of subscribers. Throws `price_not_found` for a price that never existed. A price that was removed from the configuration
 * may still have subscribers.
 */
export async function readSubscribers(
  deps: MirrorReadDeps,
  id: string,
  { generation, limit, offset }: PageQuery & { readonly generation: Generation },
): Promise<MirroredItems<Subscriber>> {
  const { store } = deps
  const age = await requireSums(deps)
  const book = await deps.priceBook()
  const booked = book.find(id)
  const priceId = booked?.price.id ?? id
  const generations = generationsOf(book, priceId)
  if (booked === undefined && generations.length === 0)
    throw new ServiceError('price_not_found', `There is no price "${id}".`, {
      hint: didYouMean(
        id,
        book.prices.map(({ price }) => price.id),
      ),
    })
  const current = booked?.processorId ?? null
  const wanted = generations.filter((one) => generation === 'all' || (one === current) === (generation === 'current'))
  // Free subscriptions are listed under the current price if it is still free, otherwise under the former prices.
  const withFree = generation === 'all' || (current === null) === (generation === 'current')
  const on = { prices: wanted, freePrice: withFree ? priceId : null }
  const { items, total } = await store.mirror.subscribers(on, { limit, offset })
  const paid = items.flatMap((one) => ('free' in one ? [] : one.item))
  const monthly = await store.revenue.monthlyOf(paid.map((item) => item.id))
  const prices = await store.revenue.prices([...new Set(paid.map(({ price }) => price.id))])
  const currency = booked?.price.currency ?? 'usd'
  return {
    ...age,
    items: items.map((one) =>
      'free' in one
        ? freeSubscriber(one, currency, current !== null)
        : paidSubscriber(one, {
            book,
            current,
            known: prices.get(one.item.price.id),
            monthly: monthly.get(one.item.id) ?? '0',
          }),
    ),
    total,
  }
}

/**
 * Returns the current and former processor prices of a configuration price. A processor price that now belongs to another configuration
 * price is left out.
 */
export function generationsOf(book: PriceBook, priceId: string): readonly ProcessorId[] {
  const ids = new Set(book.history(priceId).map(({ processorId }) => processorId))
  return [...ids].filter((id) => String(id) !== priceId && book.idOf(id) === priceId)
}

function paidSubscriber(
  { subscription, item, tenant }: StoredSubscriber,
  {
    book,
    current,
    known,
    monthly,
  }: {
    readonly book: PriceBook
    readonly current: ProcessorId | null
    readonly known: MirroredPrice | undefined
    readonly monthly: string
  },
): Subscriber {
  const { currency, customer, status, paused } = subscription
  const { price, quantity } = item
  // The item itself has only the amount in the first currency of its price; the mirrored price has all.
  const amount = tariffOf(known, price, currency)?.unit_amount_decimal ?? null
  const scheduled = subscription.scheduled.find(({ from }) => from === price.id)?.to
  return {
    tenantId: tenant?.id ?? null,
    tenantName: tenant?.name ?? null,
    customer,
    subscription: subscription.id,
    item: item.id,
    processorPriceId: price.id,
    legacy: price.id !== current,
    currency,
    amount,
    formatted: amount === null ? null : formatMinor(amount, currency),
    quantity,
    monthly: [{ currency, ...mainAmount('amount', parseFraction(monthly), currency) }],
    status,
    pause: paused && { behavior: paused.behavior, until: paused.resumesAt },
    endsAt: plannedEnd(subscription),
    currentPeriodEnd: item.currentPeriodEnd,
    scheduledPriceId: scheduled === undefined ? null : (book.idOf(scheduled) ?? null),
  }
}

/** Converts a free subscription, which exists only in this store. */
function freeSubscriber({ free: id, tenant }: FreeSubscriber, currency: string, legacy: boolean): Subscriber {
  return {
    tenantId: tenant.id,
    tenantName: tenant.name,
    customer: '',
    subscription: id,
    item: id,
    processorPriceId: '',
    legacy,
    currency,
    amount: '0',
    formatted: formatMinor('0', currency),
    quantity: 1,
    monthly: [],
    status: 'active',
    pause: null,
    endsAt: null,
    currentPeriodEnd: null,
    scheduledPriceId: null,
  }
}
