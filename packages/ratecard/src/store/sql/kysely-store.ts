// The store for both SQL engines. It only composes the repositories and contains no logic of its own.
import { sql } from 'kysely'
import type { Clock } from '../../base/clock.ts'
import type { Sealer } from '../seal.ts'
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

export type KyselyStore = ReturnType<typeof kyselyStore>

export function kyselyStore({ database, workerLogs, sealer, clock, leaseMs }: StoreParts) {
  const leases = new Leases(database, leaseMs)
  return {
    engine: database.engine,
    /** The database handle, for operations on the whole database (copies, backups) and for tests of the engine. */
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
    /** Key-value store of this environment, e.g. for the processor account that the environment is bound to. */
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
    exclusively: leases.exclusively.bind(leases),
    tryExclusively: leases.tryExclusively.bind(leases),
    held: leases.held.bind(leases),
    /** Moves the write-ahead log of an embedded store into its file, as far as no reader needs it. Does nothing for PostgreSQL. */
    checkpoint: () => database.checkpoint(),
    /** Returns a counter that grows with every change of published data by any replica. Replicas poll it to invalidate their caches. */
    changeSequence: () =>
      database.read(async (db) => {
        const { sequence } = await db.selectFrom('published').select('sequence').executeTakeFirstOrThrow()
        return sequence
      }),
    /** Encrypts every text again that was encrypted with an older master key. Returns the number of changed secrets and stored responses. */
    resealSecrets: () => reseal(database, sealer),
    /** Writes a complete and consistent copy of the store to a new file while the store is in use. SQLite only. */
    backup: (file: string) => backupSqlite(database, file),
    async ping() {
      await database.read((db) => sql`select 1`.execute(db))
    },
    /** Returns the last failure of a read or write at the database; null if there was none. */
    refusal: () => database.refusal,
    async close() {
      await workerLogs.close()
      await database.destroy()
    },
  }
}
