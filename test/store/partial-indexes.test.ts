// Reads of few rows among many (e.g. the unfinished jobs among all jobs) use a partial index, which contains only those rows. Without it,
// SQLite reads all rows of the table, e.g. every minute.
import Sqlite from 'better-sqlite3'
import { afterEach, expect, test, vi } from 'vitest'
import type { Store } from '../../packages/ratecard/src/store/store.ts'
import { inMemory } from '../support/stores/store.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const reads = [
  ['jobs_unfinished', 'jobs', (store) => store.jobs.unfinished('subscription_change')],
  ['jobs_by_date', 'jobs', (store) => store.jobs.due(0)],
  ['job_steps_unanswered', 'job_steps', (store) => store.jobs.unanswered(['migration'])],
  ['tenant_audit_of_deal_ends', 'tenant_audit', (store) => store.tenants.dealEnds('acme', { limit: 1, offset: 0 })],
] as const satisfies readonly (readonly [string, string, (store: Store) => Promise<unknown>])[]

test.each(reads)('on SQLite the index %s is read, and not the table %s', async (index, table, read) => {
  const store = await (await inMemory()).open()
  const prepare = vi.spyOn(Sqlite.prototype, 'prepare')
  await read(store)
  const plans = prepare.mock.calls.flatMap(([text], call) => {
    if (!text.includes(`from "${table}"`)) return []
    const database = prepare.mock.contexts[call] as Sqlite.Database
    const parameters = Array.from(text.matchAll(/\?/g), () => 1)
    return database.prepare(`explain query plan ${text}`).all(parameters) as readonly { readonly detail: string }[]
  })
  expect(plans).not.toEqual([])
  for (const { detail } of plans.filter((step) => step.detail.includes(table))) expect(detail).toContain(index)
})
