// The store over SQL: composes the repositories. Nothing is decided here.
import { sql } from 'kysely'
import type { Clock } from '../../clock.ts'
import type { Sealer } from '../seal.ts'
import type { LeaseToken, Store, StoreRefusal } from '../store.ts'
import { backupSqlite } from './maintenance/backup.ts'
import type { Database, Engine } from './database/database.ts'
import { SqlDashboardPasses } from './repositories/auth/dashboard-passes.ts'
import { SqlFacts } from './repositories/coordination/facts.ts'
import { SqlIdempotency } from './repositories/auth/idempotency.ts'
import { SqlJobs } from './repositories/configuration/jobs.ts'
import { Leases } from './repositories/coordination/leases.ts'
import { SqlLocalSubscriptions } from './repositories/tenants/local-subscriptions.ts'
import { SqlMappings } from './repositories/configuration/mappings.ts'
import { SqlMirror } from './repositories/mirror/mirror.ts'
import { SqlRevenue } from './repositories/mirror/revenue.ts'
import { SqlPaces } from './repositories/coordination/paces.ts'
import { SqlPushes } from './repositories/configuration/pushes.ts'
import { reseal } from './maintenance/reseal.ts'
import { SqlSecrets } from './repositories/configuration/secrets.ts'
import { SqlServiceKeys } from './repositories/auth/service-keys.ts'
import { SqlSessions } from './repositories/auth/sessions.ts'
import { SqlTenants } from './repositories/tenants/tenants.ts'
import { SqlVersions } from './repositories/configuration/versions.ts'
import { SqlWrittenForms } from './repositories/configuration/written-forms.ts'
import { SqlWorkers } from './repositories/workers/worker-deployments.ts'
import type { SqlWorkerLogs } from './repositories/workers/worker-logs.ts'
import { SqlWorkerRuns } from './repositories/workers/worker-runs.ts'

export interface StoreParts {
  readonly database: Database
  readonly workerLogs: SqlWorkerLogs
  readonly sealer: Sealer
  readonly clock: Clock
  readonly leaseMs: number
}

export class KyselyStore implements Store {
  readonly engine: Engine
  readonly versions: SqlVersions
  readonly mappings: SqlMappings
  readonly pushes: SqlPushes
  readonly writtenForms: SqlWrittenForms
  readonly secrets: SqlSecrets
  readonly serviceKeys: SqlServiceKeys
  readonly idempotency: SqlIdempotency
  readonly facts: SqlFacts
  readonly tenants: SqlTenants
  readonly dashboardPasses: SqlDashboardPasses
  readonly sessions: SqlSessions
  readonly localSubscriptions: SqlLocalSubscriptions
  readonly jobs: SqlJobs
  readonly mirror: SqlMirror
  readonly revenue: SqlRevenue
  readonly paces: SqlPaces
  readonly workers: SqlWorkers
  readonly workerRuns: SqlWorkerRuns
  readonly workerLogs: SqlWorkerLogs
  /** For work on whole databases: copies, backups and tests of the engine. */
  readonly database: Database
  readonly sealer: Sealer
  readonly #leases: Leases

  constructor(parts: StoreParts) {
    const { database, sealer, clock } = parts
    this.engine = database.engine
    this.database = database
    this.sealer = sealer
    this.#leases = new Leases(database, parts.leaseMs)
    this.versions = new SqlVersions(database)
    this.mappings = new SqlMappings(database)
    this.secrets = new SqlSecrets(database, sealer)
    this.pushes = new SqlPushes({ database, leases: this.#leases, secrets: this.secrets, clock })
    this.writtenForms = new SqlWrittenForms(database)
    this.serviceKeys = new SqlServiceKeys(database)
    this.idempotency = new SqlIdempotency(database, sealer)
    this.facts = new SqlFacts(database)
    this.tenants = new SqlTenants(database, this.#leases)
    this.dashboardPasses = new SqlDashboardPasses(database)
    this.sessions = new SqlSessions(database)
    this.localSubscriptions = new SqlLocalSubscriptions(database)
    this.jobs = new SqlJobs({ database, leases: this.#leases, clock, secrets: this.secrets })
    this.mirror = new SqlMirror(database, clock)
    this.revenue = new SqlRevenue(database)
    this.paces = new SqlPaces(database)
    this.workers = new SqlWorkers(database, sealer, this.#leases)
    this.workerRuns = new SqlWorkerRuns(database)
    this.workerLogs = parts.workerLogs
  }

  async exclusively<T>(
    name: string,
    work: (lease: { readonly token: LeaseToken; readonly signal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    return this.#leases.exclusively(name, work)
  }

  async held(name: string): Promise<boolean> {
    return this.#leases.held(name)
  }

  async changeSequence(): Promise<number> {
    const row = await this.database.read((db) =>
      db.selectFrom('published').select('sequence').executeTakeFirstOrThrow(),
    )
    return row.sequence
  }

  async resealSecrets(): Promise<number> {
    return reseal(this.database, this.sealer)
  }

  async backup(file: string): Promise<void> {
    await backupSqlite(this.database, file)
  }

  async ping(): Promise<void> {
    await this.database.read((db) => sql`select 1`.execute(db))
  }

  refusal(): StoreRefusal | null {
    return this.database.refusal
  }

  async close(): Promise<void> {
    await this.workerLogs.close()
    await this.database.destroy()
  }
}
