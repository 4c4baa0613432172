// Listing rows: one row per tenant, for searching, filtering and sorting lists of tenants. Code that changes a tenant, its free
// subscriptions or the sums of its customer must refresh the tenant's row in the same transaction.
import { currencyDecimals, isCurrency } from '../../../../base/money/currencies.ts'
import { mostUrgentStatus, type CustomerStanding } from '../../../records/billing-status.ts'
import { searchForm, searchText } from '../../../records/search-text.ts'
import type { TenantListingRow, TenantRecord } from '../../../records/tenants.ts'
import { inBatches } from '../../database/queries.ts'
import type { Database, ReadConnection, Write } from '../../database/database.ts'
import { standingsOf } from '../mirror/standings.ts'

/** Recomputes the listing rows of these tenants. */
export async function refreshListings(database: Database, db: Write, tenantIds: readonly string[]): Promise<void> {
  const sorted = [...new Set(tenantIds)].sort()
  await inBatches(sorted, async (slice) => {
    // The rows are locked before anything is read. So if two transactions change the same tenant, the second one reads what the first one
    // has written.
    await database
      .locked(db.selectFrom('tenantListings').select('tenantId').where('tenantId', 'in', slice).orderBy('tenantId'))
      .execute()
    const tenants = await db.selectFrom('tenants').selectAll().where('id', 'in', slice).orderBy('id').execute()
    if (tenants.length === 0) return
    const customers = tenants.flatMap(({ processorCustomerId }) => processorCustomerId ?? [])
    const standings = await standingsOf(db, customers)
    const free = await tenantsOnFree(db, slice)
    const rows = tenants.map((tenant) =>
      listingRow(tenant, standings.get(tenant.processorCustomerId ?? '') ?? null, free.has(tenant.id)),
    )
    await db
      .insertInto('tenantListings')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('tenantId').doUpdateSet((eb) => ({
          customer: eb.ref('excluded.customer'),
          search: eb.ref('excluded.search'),
          nameKey: eb.ref('excluded.nameKey'),
          billingStatus: eb.ref('excluded.billingStatus'),
          monthly: eb.ref('excluded.monthly'),
          owed: eb.ref('excluded.owed'),
        })),
      )
      .execute()
  })
}

/** Recomputes the listing rows of the tenants with these customers. */
export async function refreshListingsOf(database: Database, db: Write, customers: readonly string[]): Promise<void> {
  await inBatches(customers, async (slice) => {
    const tenants = await db.selectFrom('tenants').select('id').where('processorCustomerId', 'in', slice).execute()
    await refreshListings(
      database,
      db,
      tenants.map(({ id }) => id),
    )
  })
}

function listingRow(tenant: TenantRecord, standing: CustomerStanding | null, onFree: boolean): TenantListingRow {
  const { id, name, email, processorCustomerId, createdAt } = tenant
  return {
    tenantId: id,
    customer: processorCustomerId,
    search: searchText([id, name, email, processorCustomerId]),
    nameKey: searchForm(name),
    createdAt,
    billingStatus: mostUrgentStatus([standing?.billingStatus ?? null, onFree ? 'free' : null]),
    monthly: sortAmount(standing?.monthly ?? {}),
    owed: sortAmount(standing?.owed ?? {}),
  }
}

async function tenantsOnFree(db: ReadConnection, tenantIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('localSubscriptions')
    .select('tenantId')
    .where('tenantId', 'in', tenantIds)
    .where('endedAt', 'is', null)
    .execute()
  return new Set(rows.map(({ tenantId }) => tenantId))
}

/**
 * Returns one number by which lists are sorted: the sum of amounts in several currencies, without exchange rates, in ten-thousandths of
 * major units. E.g. 150,000 for 10 dollars and 5 yen. The sum is rounded, and limited to the range of exact integers.
 */
export function sortAmount(amounts: Readonly<Record<string, string | number>>): number {
  let sum = 0
  for (const [currency, amount] of Object.entries(amounts))
    sum += (Number(amount) / 10 ** (isCurrency(currency) ? currencyDecimals[currency] : 2)) * 10_000
  return Math.min(Math.round(sum), Number.MAX_SAFE_INTEGER)
}
