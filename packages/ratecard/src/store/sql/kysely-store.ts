// The store for both SQL engines. It only composes the repositories and contains no logic of its own.
import { sql } from 'kysely'
import type { Clock } from '../../base/clock.ts'
import type { Sealer } from '../seal.ts'
import type { Store } from '../store.ts'
import { backupSqlite } from './maintenance/backup.ts'
import type { Database } from './database/database.ts'
import { sqlDashboardPasses } from './repositories/auth/dashboard-passes.ts'
import { sqlFacts } from './repositories/coordination/facts.ts'
import { sqlIdempotency } from './repositories/auth/idempotency.ts'
import { SqlJobs } from './repositories/configuration/jobs.ts'
import { Leases } from './repositories/coordination/leases.ts'
import { sqlGrants } from './repositories/features/grants.ts'
import { sqlHoldings } from './repositories/features/holdings.ts'
import { sqlUsage } from './repositories/features/usage.ts'
import { sqlUsageComparison } from './repositories/features/usage-comparison.ts'
import { sqlLocalSubscriptions } from './repositories/tenants/local-subscriptions.ts'
import { sqlMappings } from './repositories/configuration/mappings.ts'
import { sqlCredits } from './repositories/mirror/credits.ts'
import { SqlMirror } from './repositories/mirror/mirror.ts'
import { SqlRevenue } from './repositories/mirror/revenue.ts'
import { sqlPolicies } from './repositories/configuration/policies.ts'
import { sqlPaces } from './repositories/coordination/paces.ts'
import { SqlPushes } from './repositories/configuration/pushes.ts'
import { reseal } from './maintenance/reseal.ts'
import { sqlSecrets } from './repositories/configuration/secrets.ts'
import { sqlServiceKeys } from './repositories/auth/service-keys.ts'
import { sqlSessions } from './repositories/auth/sessions.ts'
import { sqlTenants } from './repositories/tenants/tenants.ts'
import { sqlUnbilledUsage } from './repositories/tenants/unbilled-usage.ts'
import { sqlVersions } from './repositories/configuration/versions.ts'
import { sqlWrittenForms } from './repositories/configuration/written-forms.ts'
import { sqlWorkers } from './repositories/workers/worker-deployments.ts'
import type { SqlWorkerLogs } from './repositories/workers/worker-logs.ts'
import { sqlWorkerRuns } from './repositories/workers/worker-runs.ts'

export interface StoreParts {
  readonly database: Database
  readonly workerLogs: SqlWorkerLogs
  readonly sealer: Sealer
  readonly clock: Clock
  readonly leaseMs: number
}

export interface KyselyStore extends Store {
  /** The database handle, for operations on the whole database (copies, backups) and for tests of the engine. */
  readonly database: Database
  readonly sealer: Sealer
  readonly workerLogs: SqlWorkerLogs
}

export function kyselyStore({ database, workerLogs, sealer, clock, leaseMs }: StoreParts): KyselyStore {
  const leases = new Leases(database, leaseMs)
  return {
    engine: database.engine,
    database,
    sealer,
    versions: sqlVersions(database),
    mappings: sqlMappings(database),
    secrets: sqlSecrets(database, sealer),
    pushes: new SqlPushes({ database, leases, sealer, clock }),
    writtenForms: sqlWrittenForms(database),
    policies: sqlPolicies(database),
    serviceKeys: sqlServiceKeys(database),
    idempotency: sqlIdempotency(database, sealer),
    facts: sqlFacts(database),
    tenants: sqlTenants(database, leases),
    dashboardPasses: sqlDashboardPasses(database),
    sessions: sqlSessions(database),
    localSubscriptions: sqlLocalSubscriptions(database),
    grants: sqlGrants(database),
    holdings: sqlHoldings(database),
    credits: sqlCredits(database),
    usage: sqlUsage(database),
    usageComparison: sqlUsageComparison(database),
    unbilledUsage: sqlUnbilledUsage(database),
    jobs: new SqlJobs({ database, leases, sealer, clock }),
    mirror: new SqlMirror(database, clock),
    revenue: new SqlRevenue(database),
    paces: sqlPaces(database),
    workers: sqlWorkers(database, sealer, leases),
    workerRuns: sqlWorkerRuns(database),
    workerLogs,
    exclusively: (name, work) => leases.exclusively(name, work),
    held: (name) => leases.held(name),
    checkpoint: () => database.checkpoint(),
    changeSequence: () =>
      database.read(async (db) => {
        const { sequence } = await db.selectFrom('published').select('sequence').executeTakeFirstOrThrow()
        return sequence
      }),
    resealSecrets: () => reseal(database, sealer),
    backup: (file) => backupSqlite(database, file),
    async ping() {
      await database.read((db) => sql`select 1`.execute(db))
    },
    refusal: () => database.refusal,
    async close() {
      await workerLogs.close()
      await database.destroy()
    },
  }
}
