// Pages of the subscribers of a price: items of the mirror, and free subscriptions, which exist only in this store.
import { sql } from 'kysely'
import type { MirroredSubscription } from '../../../../processor/mirrored.ts'
import { inBatches } from '../../database/queries.ts'
import type { ReadConnection } from '../../database/database.ts'
import { objectOf } from './rows.ts'
import type { FreeSubscriber, StoredSubscriber } from '../../../records/mirror.ts'
import type { ProcessorId } from '../../../../catalog/resource.ts'

/** The price in all its generations at the processor, and its configuration id if it is free. */
export interface On {
  readonly prices: readonly ProcessorId[]
  readonly freePrice: string | null
}

export async function subscribersOf(
  db: ReadConnection,
  { prices, freePrice }: On,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly items: readonly (StoredSubscriber | FreeSubscriber)[]; readonly total: number }> {
  const rows = await db
    .selectFrom(
      itemsOn(db, prices)
        .leftJoin('tenants as tenant', 'tenant.processorCustomerId', 'item.customer')
        .select([
          'item.id',
          'item.subscription',
          'tenant.id as tenantId',
          'tenant.name as tenantName',
          sql<number>`0`.as('isFree'),
        ])
        .unionAll(
          freeOn(db, freePrice)
            .leftJoin('tenants as tenant', 'tenant.id', 'local.tenantId')
            .select([
              'local.id',
              'local.id as subscription',
              'local.tenantId',
              'tenant.name as tenantName',
              sql<number>`1`.as('isFree'),
            ]),
        )
        .as('subscriber'),
    )
    .selectAll()
    .orderBy((eb) => eb.case().when('tenantId', 'is', null).then(1).else(0).end())
    .orderBy('tenantId')
    .orderBy('subscription')
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute()
  const { count: paid } = await itemsOn(db, prices).select(counted).executeTakeFirstOrThrow()
  const { count: free } = await freeOn(db, freePrice).select(counted).executeTakeFirstOrThrow()
  const subscriptions = await subscriptionsById(
    db,
    rows.filter(({ isFree }) => isFree === 0).map(({ subscription }) => subscription),
  )
  return {
    items: rows.flatMap(
      ({ id, subscription: of, tenantId, tenantName, isFree }): readonly (StoredSubscriber | FreeSubscriber)[] => {
        const tenant = tenantId === null ? null : { id: tenantId, name: tenantName ?? tenantId }
        if (isFree === 1) return tenant === null ? [] : [{ free: id, tenant }]
        const subscription = subscriptions.get(of)
        const item = subscription?.items.find((one) => one.id === id)
        return subscription === undefined || item === undefined ? [] : [{ subscription, item, tenant }]
      },
    ),
    total: paid + free,
  }
}

const counted = sql<number>`count(*)`.as('count')

/** `in ()` is no valid SQL, and no price has the empty id. */
const itemsOn = (db: ReadConnection, prices: readonly string[]) =>
  db.selectFrom('mirrorItems as item').where('item.price', 'in', prices.length === 0 ? [''] : prices)

const freeOn = (db: ReadConnection, price: string | null) =>
  db
    .selectFrom('localSubscriptions as local')
    .where('local.priceId', '=', price ?? '')
    .where('local.endedAt', 'is', null)

async function subscriptionsById(db: ReadConnection, ids: readonly string[]) {
  const found = new Map<string, MirroredSubscription>()
  await inBatches([...new Set(ids)], async (slice) => {
    const rows = await db
      .selectFrom('mirrorObjects')
      .select(['id', 'object'])
      .where('kind', '=', 'subscription')
      .where('id', 'in', slice)
      .execute()
    for (const { id, object } of rows) {
      const subscription = objectOf<'subscription'>({ object })
      if (subscription !== null) found.set(id, subscription)
    }
  })
  return found
}
