// Reads all data that a tenant's allowances are computed from, in one statement that uses only indexes. Speed matters, because every check
// of a feature runs it.
import { sql } from 'kysely'
import type { MirroredSubscription } from '../../../../processor/mirrored.ts'
import type { FeatureGrantRecord, TenantHoldings } from '../../../records/features.ts'
import type { Database } from '../../database/database.ts'
import { preparedRead, textParameter } from '../../database/prepared-read.ts'

/** A row of the result. The statement joins several queries, and the meaning of the columns differs from query to query. */
type Row = {
  readonly text: string | null
  readonly second: string | null
  readonly third: string | null
  readonly fourth: string | null
  readonly one: number | null
  readonly two: number | null
  readonly three: number | null
  readonly four: number | null
} & { readonly part: 'tenant' | 'subscription' | 'free' | 'grant' }

const query = sql<Row>`
select 'tenant' as part, t.processor_customer_id as text,
  cast(null as text) as second, cast(null as text) as third, cast(null as text) as fourth,
  (select sequence from published) as one,
  (select began_at from mirror_state) as two,
  (select read_until from mirror_state) as three,
  (select since from mirror_stale where skipped = 0 order by since limit 1) as four
from tenants t where t.id = ${textParameter()}
union all
select 'subscription', o.object, null, null, null, o.happened_at, null, null, null
from tenants t join mirror_objects o on o.customer = t.processor_customer_id and o.kind = 'subscription'
where t.id = ${textParameter()} and o.object is not null
union all
select 'free', id, price_id, null, null, created_at, null, null, null
from local_subscriptions where tenant_id = ${textParameter()} and ended_at is null
union all
select 'grant', feature, granted, switched, mode, ends_at, null, null, null
from feature_grants where tenant_id = ${textParameter()}`

export function sqlHoldings(database: Database) {
  const read = preparedRead(database, query)
  return {
    /** Returns all data of one tenant, read at a single point in time; null if there is no such tenant. */
    async of(tenantId: string): Promise<TenantHoldings | null> {
      const rows = await read(tenantId, tenantId, tenantId, tenantId)
      const tenant = rows.find(({ part }) => part === 'tenant')
      return tenant === undefined ? null : holdingsOf(tenantId, tenant, rows)
    },
  }
}

function holdingsOf(tenantId: string, tenant: Row, rows: readonly Row[]): TenantHoldings {
  const subscriptions: MirroredSubscription[] = []
  const free: TenantHoldings['free'][number][] = []
  const grants: TenantHoldings['grants'][number][] = []
  for (const { part, text, second, third, fourth, one } of rows) {
    if (text === null) continue
    if (part === 'subscription') subscriptions.push(JSON.parse(text) as MirroredSubscription)
    else if (part === 'free')
      free.push({ id: text, tenantId, priceId: second ?? '', createdAt: one ?? 0, endedAt: null })
    else if (part === 'grant')
      // The database's own constraints allow no other values.
      grants.push({ feature: text, granted: second, switched: third, mode: fourth, endsAt: one } as GrantColumns)
  }
  return {
    tenantId,
    customer: tenant.text,
    sequence: tenant.one ?? 0,
    mirror: { beganAt: tenant.two, readUntil: tenant.three, oldestStale: tenant.four },
    subscriptions: subscriptions.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)),
    free: free.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)),
    grants,
  }
}

type GrantColumns = Pick<FeatureGrantRecord, 'feature' | 'granted' | 'switched' | 'mode' | 'endsAt'>
