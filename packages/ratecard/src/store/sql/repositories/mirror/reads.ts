// Queries on mirrored objects.
import { sql } from 'kysely'
import { processorId, type ProcessorId } from '../../../../catalog/resource.ts'
import type { Mirrored, MirroredInvoice, MirroredKind, MirroredSubscription } from '../../../../processor/mirrored.ts'
import { inBatches } from '../../database/queries.ts'
import type { ReadConnection } from '../../database/database.ts'
import { endedStatuses, objectOf } from './rows.ts'
import type {
  BilledObject,
  DiscountedSubscription,
  PriceUse,
  TaxedSubscription,
  PaidBy,
} from '../../../records/mirror.ts'

interface Page {
  readonly limit: number
  readonly offset: number
}

const objectsOf = <K extends MirroredKind>(rows: readonly { readonly object: string | null }[]) =>
  rows.flatMap((row) => objectOf<K>(row) ?? [])

export async function findObject<K extends MirroredKind>(db: ReadConnection, kind: K, id: string) {
  const row = await db
    .selectFrom('mirrorObjects')
    .select('object')
    .where('kind', '=', kind)
    .where('id', '=', id)
    .executeTakeFirst()
  return row === undefined ? null : objectOf<K>(row)
}

export async function objectPage<K extends MirroredKind>(
  db: ReadConnection,
  kind: K,
  after: string | null,
  limit: number,
): Promise<readonly Mirrored[K][]> {
  const rows = await db
    .selectFrom('mirrorObjects')
    .select('object')
    .where('kind', '=', kind)
    .where('object', 'is not', null)
    .$if(after !== null, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute()
  return objectsOf<K>(rows)
}

export async function objectsBetween<K extends MirroredKind>(
  db: ReadConnection,
  kind: K,
  time: { readonly from: number; readonly to: number },
  { after, limit }: { readonly after: { readonly at: number; readonly id: string } | null; readonly limit: number },
) {
  const rows = await db
    .selectFrom('mirrorObjects')
    .select(['object', 'happenedAt'])
    .where('kind', '=', kind)
    .where('happenedAt', '>=', after?.at ?? time.from)
    .where('happenedAt', '<', time.to)
    .$if(after !== null, (query) =>
      query.where((eb) => eb.or([eb('happenedAt', '>', after?.at ?? 0), eb('id', '>', after?.id ?? '')])),
    )
    .orderBy('happenedAt')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.flatMap((row) => {
    const object = objectOf<K>(row)
    return object === null || row.happenedAt === null ? [] : [{ at: row.happenedAt, object }]
  })
}

export async function subscriptionsOf(
  db: ReadConnection,
  customer: ProcessorId,
): Promise<readonly MirroredSubscription[]> {
  const rows = await db
    .selectFrom('mirrorObjects')
    .select('object')
    .where('kind', '=', 'subscription')
    .where('customer', '=', customer)
    .orderBy('happenedAt')
    .orderBy('id')
    .execute()
  return objectsOf<'subscription'>(rows)
}

/** Returns the subscriptions of these customers that have not ended, by customer. */
export async function liveSubscriptionsOf(
  db: ReadConnection,
  customers: readonly string[],
): Promise<ReadonlyMap<string, readonly MirroredSubscription[]>> {
  const found = new Map<string, MirroredSubscription[]>()
  await inBatches(customers, async (slice) => {
    const rows = await db
      .selectFrom('mirrorObjects')
      .select('object')
      .where('kind', '=', 'subscription')
      .where('customer', 'in', slice)
      .where('status', 'not in', endedStatuses)
      .orderBy('happenedAt')
      .orderBy('id')
      .execute()
    for (const subscription of objectsOf<'subscription'>(rows)) {
      const own = found.get(subscription.customer)
      if (own === undefined) found.set(subscription.customer, [subscription])
      else own.push(subscription)
    }
  })
  return found
}

/** Invoices that are not drafts, and purchases that have no invoice: see `factsOf` in rows.ts. */
const billedObjects = (db: ReadConnection, customer: ProcessorId) =>
  db
    .selectFrom('mirrorObjects')
    .where('kind', 'in', ['invoice', 'purchase'])
    .where('customer', '=', customer)
    .where('happenedAt', 'is not', null)

export async function billedTo(db: ReadConnection, customer: ProcessorId, page: Page) {
  const rows = await billedObjects(db, customer)
    .select(['kind', 'object'])
    .orderBy('happenedAt', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  const { total } = await billedObjects(db, customer)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const items = rows.flatMap(({ kind, object }) => {
    const found = objectOf({ object })
    return found === null ? [] : [{ kind, object: found } as BilledObject]
  })
  return { items, total }
}

export async function unpaidInvoicesOf(db: ReadConnection, customer: ProcessorId): Promise<readonly MirroredInvoice[]> {
  const rows = await billedObjects(db, customer)
    .select('object')
    .where('kind', '=', 'invoice')
    .where('status', 'in', ['open', 'uncollectible'])
    .orderBy('happenedAt')
    .orderBy('id')
    .execute()
  return objectsOf<'invoice'>(rows)
}

/**
 * Returns the refunded amount of each invoice or purchase, without refunds that failed or were cancelled. A refund that names both the payment
 * intent and the charge of an invoice is counted once.
 */
export async function refundedOf(db: ReadConnection, paid: readonly PaidBy[]): Promise<ReadonlyMap<string, number>> {
  const refunds = new Map<string, Map<string, number>>()
  await inBatches(
    paid.flatMap(({ payments }) => payments),
    async (slice) => {
      const rows = await db
        .selectFrom('mirrorPayments as refunded')
        .innerJoin('mirrorObjects as refund', 'refund.id', 'refunded.id')
        .select(['refunded.payment', 'refund.id', 'refund.object'])
        .where('refunded.payment', 'in', slice)
        .where('refunded.kind', '=', 'refund')
        .where('refund.kind', '=', 'refund')
        .where('refund.status', 'not in', ['failed', 'canceled'])
        .execute()
      for (const { payment, id, object } of rows) {
        const found = refunds.get(payment) ?? new Map<string, number>()
        refunds.set(payment, found.set(id, objectOf<'refund'>({ object })?.amount ?? 0))
      }
    },
  )
  const sums = paid.map(({ id, payments }) => {
    const once = new Map(payments.flatMap((payment) => [...(refunds.get(payment) ?? [])]))
    return [id, [...once.values()].reduce((sum, amount) => sum + amount, 0)] as const
  })
  return new Map(sums.filter(([, amount]) => amount !== 0))
}

const itemsOn = (db: ReadConnection, prices: readonly ProcessorId[]) =>
  db.selectFrom('mirrorItems as item').where('item.price', 'in', [...prices])

export async function usesOf(db: ReadConnection, prices: readonly ProcessorId[]): Promise<readonly PriceUse[]> {
  const uses: PriceUse[] = []
  await inBatches(prices, async (slice) => {
    const rows = await itemsOn(db, slice)
      .leftJoin('tenants as tenant', 'tenant.processorCustomerId', 'item.customer')
      .select([
        'item.id as item',
        'item.price',
        'item.subscription',
        'item.customer',
        'item.status',
        'item.paused',
        'item.currency',
      ])
      .select(['item.quantity', 'tenant.id as tenantId'])
      .execute()
    for (const row of rows)
      uses.push({
        ...row,
        price: processorId(row.price),
        customer: processorId(row.customer),
        paused: row.paused !== null,
      })
  })
  return uses
}

/** Discounts that last, as `canonicalJson` writes them. Only subscriptions with this text are read and parsed. */
const lasting = '%"duration":"forever"%'

export async function discountedOn(
  db: ReadConnection,
  prices: readonly ProcessorId[],
): Promise<readonly DiscountedSubscription[]> {
  const found = new Map<string, DiscountedSubscription>()
  await inBatches(prices, async (slice) => {
    const rows = await itemsOn(db, slice)
      .innerJoin('mirrorObjects as subscription', 'subscription.id', 'item.subscription')
      .leftJoin('mirrorObjects as customer', (join) =>
        join.onRef('customer.id', '=', 'item.customer').on('customer.kind', '=', 'customer'),
      )
      .where('subscription.kind', '=', 'subscription')
      .where((one) => one.or([one('subscription.object', 'like', lasting), one('customer.object', 'like', lasting)]))
      .select(['subscription.object', 'customer.object as customer'])
      .distinct()
      .execute()
    for (const row of rows) {
      const subscription = objectOf<'subscription'>(row)
      const customer = objectOf<'customer'>({ object: row.customer })
      if (subscription !== null)
        found.set(subscription.id, { subscription, customerDiscount: customer?.discount ?? null })
    }
  })
  return [...found.values()]
}

/**
 * Returns the subscriptions with one of the tax rates. It reads all subscriptions, which is acceptable because tax rates are rarely
 * replaced.
 */
export async function taxedWith(
  db: ReadConnection,
  rates: readonly ProcessorId[],
): Promise<readonly TaxedSubscription[]> {
  if (rates.length === 0) return []
  const rows = await db
    .selectFrom('mirrorObjects as subscription')
    .leftJoin('tenants as tenant', 'tenant.processorCustomerId', 'subscription.customer')
    .where('subscription.kind', '=', 'subscription')
    .where('subscription.status', 'not in', [...endedStatuses])
    .where((all) => all.or(rates.map((rate) => all('subscription.object', 'like', `%"${rate}"%`))))
    .select(['subscription.id', 'subscription.object', 'tenant.id as tenantId'])
    .orderBy('subscription.id')
    .execute()
  return rows.flatMap(({ id, object, tenantId }) => {
    const { taxRates = [] } = objectOf<'subscription'>({ object }) ?? {}
    return taxRates.some((rate) => rates.includes(rate)) ? [{ subscription: id, tenantId, taxRates }] : []
  })
}

/** Returns the prices of all items. The query jumps from price to price in the index, because `distinct` would read every item. */
export async function pricesInUse(db: ReadConnection): Promise<readonly ProcessorId[]> {
  const { rows } = await sql<{ price: string }>`
    with recursive used (price) as (
      select min(price) from mirror_items
      union all
      select (select min(price) from mirror_items where price > used.price) from used where used.price is not null
    )
    select price from used where price is not null`.execute(db)
  return rows.map(({ price }) => processorId(price))
}

export async function countByStatus(db: ReadConnection): Promise<Readonly<Record<string, number>>> {
  const rows = await db
    .selectFrom('mirrorObjects')
    .select(['status', (eb) => eb.fn.countAll<number>().as('count')])
    .where('kind', '=', 'subscription')
    .where('status', 'is not', null)
    .groupBy('status')
    .execute()
  return Object.fromEntries(rows.flatMap(({ status, count }) => (status === null ? [] : [[status, count]])))
}

export async function markedWith(db: ReadConnection, tenantId: string): Promise<readonly ProcessorId[]> {
  const rows = await db
    .selectFrom('mirrorObjects')
    .select('id')
    .where('kind', '=', 'customer')
    .where('status', '=', tenantId)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => processorId(id))
}

export async function readMarked(db: ReadConnection, after: string | null, limit: number) {
  const rows = await db
    .selectFrom('mirrorObjects')
    .select(['id', 'status'])
    .where('kind', '=', 'customer')
    .where('status', 'is not', null)
    .where('id', '>', after ?? '')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id, status }) => ({ id: processorId(id), tenant: status ?? '' }))
}
