// Pages of tenants are read in the order of an index. Without a fitting index, SQLite reads and sorts all rows that match the filter, e.g.
// 90,000 active tenants of 100,000 for each page.
import Sqlite from 'better-sqlite3'
import { afterEach, expect, test, vi } from 'vitest'
import { tenantSorts, type TenantListQuery } from '../../packages/ratecard/src/store/records/tenants.ts'
import { inMemory } from '../support/stores/store.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** Steps of the query plan of the statement that reads the page. */
async function planOfPage(query: Partial<TenantListQuery>): Promise<readonly string[]> {
  const store = await (await inMemory()).open()
  const prepare = vi.spyOn(Sqlite.prototype, 'prepare')
  await store.tenants.list({ limit: 50, offset: 0, ...query })
  const index = prepare.mock.calls.findIndex(([text]) => /from "tenant_listings".* order by /s.test(text))
  const [text = ''] = prepare.mock.calls[index] ?? []
  const database = prepare.mock.contexts[index] as Sqlite.Database
  const parameters = Array.from(text.matchAll(/\?/g), () => 1)
  const steps = database.prepare(`explain query plan ${text}`).all(parameters)
  return (steps as readonly { readonly detail: string }[]).map(({ detail }) => detail)
}

const filters = [{}, { state: 'active' }, { owing: true }] as const satisfies readonly Partial<TenantListQuery>[]
const cases = filters.flatMap((filter) =>
  tenantSorts.flatMap((sort) => (['asc', 'desc'] as const).map((order) => ({ ...filter, sort, order }))),
)

test.each(cases)(
  'on SQLite the page of tenants %j is read in the order of an index, without sorting',
  async (query) => {
    const plan = await planOfPage(query)
    expect(plan).toHaveLength(1)
    expect(plan[0]).toMatch(/^(SCAN|SEARCH) tenant_listings USING (COVERING )?INDEX /)
  },
)

test.each(tenantSorts)(
  'on SQLite an index finds the tenants that owe money without reading other tenants, sorted by %s',
  async (sort) => {
    const [step = ''] = await planOfPage({ owing: true, sort })
    expect(step).toContain(sort === 'owed' ? 'tenant_listings_by_owed (owed>?)' : 'INDEX tenant_listings_owing_by_')
  },
)
