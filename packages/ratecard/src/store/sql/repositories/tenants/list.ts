// Pages of tenants. The rows of listings.ts determine order and number of the tenants; other values are read only for the tenants of the
// page.
import { sql, type RawBuilder } from 'kysely'
import { processorId } from '../../../../catalog/resource.ts'
import { searchForm } from '../../../records/search-text.ts'
import type {
  TenantListingRow,
  TenantSort,
  ListedPrice,
  ListedTenant,
  TenantListQuery,
} from '../../../records/tenants.ts'
import type { Database, ReadConnection } from '../../database/database.ts'
import { searchConditions, type SearchConditions } from '../../dialects/text-search.ts'
import { liveSubscriptionsOf } from '../mirror/reads.ts'
import { standingsOf } from '../mirror/standings.ts'

const sortColumns = {
  id: 'tenantId',
  name: 'nameKey',
  created_at: 'createdAt',
  monthly: 'monthly',
  owed: 'owed',
} as const satisfies Record<TenantSort, string>

export async function listTenants(database: Database, db: ReadConnection, query: TenantListQuery) {
  const part = searchForm(query.q ?? '')
  const search = part === '' ? null : await searchConditions(database, db, part)
  const conditions = await filtersOf(db, query)
  const { sort = 'id', order = 'asc' } = query
  const page = await listingsWhere(db, search === null ? conditions : [...conditions, search.page])
    .select(['tenantId', 'billingStatus'])
    .orderBy(sortColumns[sort], order)
    .$if(sort !== 'id', (rows) => rows.orderBy('tenantId', order))
    .limit(query.limit)
    .offset(query.offset)
    .execute()
  const total = await countOf(db, conditions, search)
  return { items: await withShownValues(db, page), total }
}

async function countOf(
  db: ReadConnection,
  conditions: readonly RawBuilder<boolean>[],
  search: SearchConditions | null,
): Promise<number> {
  const alone = conditions.length === 0 ? (search?.alone ?? null) : null
  if (alone !== null) {
    const { rows } = await alone.execute(db)
    return rows[0]?.total ?? 0
  }
  const { total } = await listingsWhere(db, search === null ? conditions : [...conditions, search.total])
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

const listingsWhere = (db: ReadConnection, conditions: readonly RawBuilder<boolean>[]) =>
  db.selectFrom('tenantListings').where((eb) => eb.and([...conditions]))

async function filtersOf(db: ReadConnection, query: TenantListQuery): Promise<readonly RawBuilder<boolean>[]> {
  const { processorCustomerId, enterpriseTemplate, enterpriseId, state, onPrices = [], owing = false } = query
  const conditions: RawBuilder<boolean>[] = []
  for (const prices of onPrices) conditions.push(await onOneOf(db, prices))
  if (processorCustomerId !== undefined) conditions.push(sql`customer = ${processorCustomerId}`)
  if (enterpriseTemplate !== undefined)
    conditions.push(sql`tenant_id in (select id from tenants where enterprise_template = ${enterpriseTemplate})`)
  if (enterpriseId !== undefined)
    conditions.push(sql`tenant_id in (select id from tenants where enterprise_id = ${enterpriseId})`)
  if (state !== undefined) conditions.push(sql`billing_status = ${state}`)
  if (owing) conditions.push(sql`owed > 0`)
  return conditions
}

/** Returns the SQL condition for tenants that have an item or a free subscription on one of these prices. */
async function onOneOf(db: ReadConnection, prices: readonly string[]): Promise<RawBuilder<boolean>> {
  if (prices.length === 0) return sql`1 = 0`
  const list = sql.join(prices)
  const hasItem = sql<boolean>`customer in (select customer from mirror_items where price in (${list}))`
  const free = await db
    .selectFrom('localSubscriptions')
    .select('id')
    .where('priceId', 'in', prices)
    .where('endedAt', 'is', null)
    .limit(1)
    .executeTakeFirst()
  // Without free subscriptions, the condition is simpler and has no `or`. With `or` PostgreSQL would use no index, and would read all
  // tenants even for a price with one subscriber.
  if (free === undefined) return hasItem
  return sql`(${hasItem} or tenant_id in (
    select tenant_id from local_subscriptions where ended_at is null and price_id in (${list})
  ))`
}

/** Returns the tenants of a page with the values that lists show: tenant, prices and money. */
async function withShownValues(
  db: ReadConnection,
  page: readonly Pick<TenantListingRow, 'tenantId' | 'billingStatus'>[],
): Promise<readonly ListedTenant[]> {
  if (page.length === 0) return []
  const ids = page.map(({ tenantId }) => tenantId)
  const rows = await db.selectFrom('tenants').selectAll().where('id', 'in', ids).execute()
  const tenants = new Map(rows.map((row) => [row.id, row]))
  const customers = rows.flatMap(({ processorCustomerId }) => processorCustomerId ?? [])
  const standings = await standingsOf(db, customers)
  const atProcessor = await pricesOfCustomers(db, customers)
  const free = await freePrices(db, ids)
  const subscriptions = await liveSubscriptionsOf(db, customers)
  return page.flatMap(({ tenantId, billingStatus }): readonly ListedTenant[] => {
    // The tenant was deleted since the page was read.
    const tenant = tenants.get(tenantId)
    if (tenant === undefined) return []
    const customer = tenant.processorCustomerId ?? ''
    const { monthly = {}, owed = {} } = standings.get(customer) ?? {}
    const prices = [...(atProcessor.get(customer) ?? []), ...(free.get(tenantId) ?? [])]
    return [
      {
        ...tenant,
        billingStatus,
        monthly,
        owed,
        prices: prices.sort((a, b) => (a.price < b.price ? -1 : 1)),
        subscriptions: subscriptions.get(customer) ?? [],
        freeSubscriptions: free.get(tenantId)?.length ?? 0,
      },
    ]
  })
}

async function pricesOfCustomers(db: ReadConnection, customers: readonly string[]) {
  if (customers.length === 0) return new Map<string, readonly ListedPrice[]>()
  const rows = await db
    .selectFrom('mirrorItems')
    .select(['customer', 'price', 'product', (eb) => eb.fn.countAll<number>().as('items')])
    .where('customer', 'in', customers)
    .groupBy(['customer', 'price', 'product'])
    .execute()
  return groupByTenant(rows, ({ customer, price, product, items }) => [
    customer,
    { price, product: product === null ? null : processorId(product), items },
  ])
}

async function freePrices(db: ReadConnection, tenantIds: readonly string[]) {
  const rows = await db
    .selectFrom('localSubscriptions')
    .select(['tenantId', 'priceId'])
    .where('tenantId', 'in', tenantIds)
    .where('endedAt', 'is', null)
    .execute()
  return groupByTenant(rows, ({ tenantId, priceId }) => [tenantId, { price: priceId, product: null, items: 1 }])
}

function groupByTenant<R>(rows: readonly R[], entryOf: (row: R) => readonly [string, ListedPrice]) {
  const groups = new Map<string, ListedPrice[]>()
  for (const row of rows) {
    const [key, price] = entryOf(row)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [price])
    else group.push(price)
  }
  return groups
}
