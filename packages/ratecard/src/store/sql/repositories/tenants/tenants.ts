// Tenants and their audit trail. A change and its audit row are stored together or not at all.
import { pointerOf } from '../../../../base/errors/issue.ts'
import { ServiceError } from '../../../../base/errors/service-error.ts'
import { pick, columnsUsedFor } from '../../../records/columns.ts'
import {
  dealEndActions,
  tenantColumns,
  type TenantListQuery,
  type ListedTenant,
  type EditedField,
  type EnterpriseFields,
  type AuditRecord,
  type TenantRecord,
} from '../../../records/tenants.ts'
import { inBatches, isOneOf, readPage } from '../../database/queries.ts'
import type { Database, ReadConnection, Write } from '../../database/database.ts'
import { isDuplicate } from '../../database/database-errors.ts'
import type { Leases } from '../coordination/leases.ts'
import { markOwned } from '../mirror/marks.ts'
import { listTenants } from './list.ts'
import { refreshListings } from './listings.ts'
import type { Page, PageQuery } from '../../../records/page.ts'
import type { LeaseToken } from '../../../lease-token.ts'

/** Tables whose rows are deleted with their tenant. */
const tablesOfTenant = [
  'plannedFreeSubscriptions',
  'featureGrants',
  'usageReports',
  'usageTotals',
  'usageRunningTotals',
  'usageDifferences',
] as const

export function sqlTenants(database: Database, leases: Leases) {
  /** Writes a change of a tenant and its audit row. Returns null, without an audit row, if the tenant does not exist. */
  async function applyChange(
    id: string,
    audit: AuditRecord,
    work: (db: Write) => Promise<TenantRecord | undefined>,
  ): Promise<TenantRecord | null> {
    if (audit.tenantId !== id) throw new Error(`An audit row of "${audit.tenantId}" does not belong to "${id}".`)
    return database.write(async (db) => {
      const tenant = await work(db)
      if (tenant === undefined) return null
      await db.insertInto('tenantAudit').values(audit).execute()
      return tenant
    })
  }

  async function claimingCustomer<T>(
    id: string,
    customer: string | null | undefined,
    taken: (customer: string) => ServiceError,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (typeof customer !== 'string' || !isDuplicate(error)) throw error
      const owner = await findByCustomer(customer)
      throw owner === null || owner.id === id ? error : taken(customer)
    }
  }

  /** Refreshes the listing row of a tenant that was added or got a customer. */
  async function refreshListing(db: Write, id: string, customer: string | null): Promise<void> {
    if (customer !== null) await markOwned(db, customer)
    await refreshListings(database, db, [id])
  }

  const findByCustomer = (processorCustomerId: string) =>
    database.readFirst((db) =>
      db.selectFrom('tenants').selectAll().where('processorCustomerId', '=', processorCustomerId).executeTakeFirst(),
    )

  return {
    /** Adds a tenant and its audit row in one transaction. Throws `conflict` if the id or the customer is taken. */
    async add(tenant: TenantRecord, audit: AuditRecord): Promise<void> {
      await database.write(async (db) => {
        const added = await db
          .insertInto('tenants')
          .values(tenant)
          .onConflict((conflict) => conflict.doNothing())
          .returning('id')
          .executeTakeFirst()
        if (added === undefined) throw await takenBy(db, tenant)
        await refreshListing(db, tenant.id, tenant.processorCustomerId)
        await db.insertInto('tenantAudit').values(audit).execute()
      })
    },

    find: (id: string): Promise<TenantRecord | null> =>
      database.readFirst((db) => db.selectFrom('tenants').selectAll().where('id', '=', id).executeTakeFirst()),

    findByCustomer,

    /** Returns the names of these tenants by id; unknown ones are omitted. */
    async names(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const names = new Map<string, string>()
      await inBatches(ids, async (slice) => {
        const rows = await database.read((db) =>
          db.selectFrom('tenants').select(['id', 'name']).where('id', 'in', slice).execute(),
        )
        for (const { id, name } of rows) names.set(id, name)
      })
      return names
    },

    /**
     * Returns tenant ids by processor customer; customers without a tenant are omitted. Takes a few queries, no matter how many customers
     * there are.
     */
    async idsByCustomer(processorCustomerIds: Iterable<string>): Promise<ReadonlyMap<string, string>> {
      const ids = new Map<string, string>()
      await inBatches([...processorCustomerIds], async (slice) => {
        const rows = await database.read((db) =>
          db
            .selectFrom('tenants')
            .select(['id', 'processorCustomerId'])
            .where('processorCustomerId', 'in', slice)
            .execute(),
        )
        for (const { id, processorCustomerId } of rows)
          if (processorCustomerId !== null) ids.set(processorCustomerId, id)
      })
      return ids
    },

    /** Returns the ids of all tenants with the template, ascending, in one consistent read. */
    async idsOnTemplate(template: string): Promise<readonly string[]> {
      const rows = await database.read((db) =>
        db.selectFrom('tenants').select('id').where('enterpriseTemplate', '=', template).orderBy('id').execute(),
      )
      return rows.map(({ id }) => id)
    },

    /** Returns a page of the tenants that match all members of the query. Default order: ascending by id. */
    list: (query: TenantListQuery): Promise<Page<ListedTenant>> =>
      database.read((db) => listTenants(database, db, query)),

    /**
     * Changes fields of a tenant and adds the audit row in one transaction. Returns null if the tenant does not exist. Throws `conflict` if
     * the customer belongs to another tenant.
     */
    async update(
      id: string,
      change: Partial<Pick<TenantRecord, EditedField>>,
      audit: AuditRecord,
    ): Promise<TenantRecord | null> {
      return claimingCustomer(id, change.processorCustomerId, customerRefused, () =>
        applyChange(id, audit, async (db) => {
          const changed = await db
            .updateTable('tenants')
            .set({ ...change, updatedAt: audit.createdAt })
            .where('id', '=', id)
            .returningAll()
            .executeTakeFirst()
          await refreshListing(db, id, change.processorCustomerId ?? null)
          return changed
        }),
      )
    },

    /**
     * Adds an audit row for a change at the processor that does not change the tenant's record. Does nothing if a row with the same id
     * exists.
     */
    async note(audit: AuditRecord): Promise<void> {
      await database.write((db) =>
        db
          .insertInto('tenantAudit')
          .values(audit)
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute(),
      )
    },

    /** Sets the tenant's customer if it has none yet, and returns the stored tenant; null if the tenant does not exist. */
    async bindCustomer(id: string, processorCustomerId: string, at: number): Promise<TenantRecord | null> {
      return claimingCustomer(id, processorCustomerId, customerTaken, () =>
        database.write(async (db) => {
          const bound = await db
            .updateTable('tenants')
            .set({ processorCustomerId, updatedAt: at })
            .where('id', '=', id)
            .where('processorCustomerId', 'is', null)
            .returningAll()
            .executeTakeFirst()
          if (bound !== undefined) {
            await refreshListing(db, id, processorCustomerId)
            return bound
          }
          return (await db.selectFrom('tenants').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
        }),
      )
    },

    /**
     * Writes all enterprise fields and the audit row in one transaction. The caller holds the tenant's lease. Returns null if the tenant
     * does not exist.
     */
    async setEnterprise(
      id: string,
      fields: EnterpriseFields,
      audit: AuditRecord,
      token: LeaseToken,
    ): Promise<TenantRecord | null> {
      return applyChange(id, audit, async (db) => {
        await leases.assertHeld(db, token)
        const applied = pick(fields, columnsUsedFor(tenantColumns, 'deal'))
        return db
          .updateTable('tenants')
          .set({ ...applied, updatedAt: audit.createdAt })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst()
      })
    },

    /** Returns the tenants whose negotiated prices end at `now` (epoch milliseconds) or have ended before, earliest end first. */
    async dealsDue(now: number): Promise<readonly { readonly id: string; readonly endsAt: number }[]> {
      const rows = await database.read((db) =>
        db
          .selectFrom('tenants')
          .select(['id', 'enterpriseEndsAt'])
          .where('enterpriseEndsAt', '<=', now)
          .orderBy('enterpriseEndsAt')
          .orderBy('id')
          .execute(),
      )
      return rows.flatMap(({ id, enterpriseEndsAt: endsAt }) => (endsAt === null ? [] : [{ id, endsAt }]))
    },

    /** Returns the earliest time after `now` at which negotiated prices of a tenant end; null if there is none. */
    async nextDealEnd(now: number): Promise<number | null> {
      const [next] = await database.read((db) =>
        db
          .selectFrom('tenants')
          .select('enterpriseEndsAt')
          .where('enterpriseEndsAt', '>', now)
          .orderBy('enterpriseEndsAt')
          .limit(1)
          .execute(),
      )
      return next?.enterpriseEndsAt ?? null
    },

    /** Removes a tenant and revokes its sessions; its audit trail stays. Returns false if the tenant does not exist. */
    async remove(id: string, audit: AuditRecord): Promise<boolean> {
      const removed = await applyChange(id, audit, async (db) => {
        const tenant = await db.deleteFrom('tenants').where('id', '=', id).returningAll().executeTakeFirst()
        if (tenant === undefined) return undefined
        await db.deleteFrom('tenantListings').where('tenantId', '=', id).execute()
        await db.deleteFrom('unbilledUsage').where('tenantId', '=', id).execute()
        // Revokes the tenant's sessions, so that a later tenant with the same id does not inherit them.
        await db
          .updateTable('sessions')
          .set({ revokedAt: audit.createdAt })
          .where('tenantId', '=', id)
          .where('revokedAt', 'is', null)
          .execute()
        await db
          .updateTable('localSubscriptions')
          .set({ endedAt: audit.createdAt })
          .where('tenantId', '=', id)
          .where('endedAt', 'is', null)
          .execute()
        for (const table of tablesOfTenant) await db.deleteFrom(table).where('tenantId', '=', id).execute()
        return tenant
      })
      return removed !== null
    },

    /** Returns a page of the tenant's audit trail, newest first. */
    audit: (tenantId: string, page: PageQuery): Promise<Page<AuditRecord>> =>
      database.read((db) => readPage(auditOf(db, tenantId), page)),
    /** Returns a page of those rows of the tenant's audit trail after which it had no deal, newest first. */
    dealEnds: (tenantId: string, page: PageQuery): Promise<Page<AuditRecord>> =>
      // The condition of the index `tenant_audit_of_deal_ends`.
      database.read((db) => readPage(auditOf(db, tenantId).where(isOneOf('action', dealEndActions)), page)),
  }
}

const auditOf = (db: ReadConnection, tenantId: string) =>
  db
    .selectFrom('tenantAudit')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')

async function takenBy(db: Write, tenant: TenantRecord): Promise<ServiceError> {
  const same = await db.selectFrom('tenants').select('id').where('id', '=', tenant.id).executeTakeFirst()
  if (same === undefined && tenant.processorCustomerId !== null) return customerRefused(tenant.processorCustomerId)
  return tenantConflict('id', `The tenant "${tenant.id}" exists already.`, 'Change it, or choose another id.')
}

/** Returns a `conflict` error with the JSON pointer of the offending value in the request. */
function tenantConflict(field: string, detail: string, hint?: string): ServiceError {
  const pointer = pointerOf([field])
  return new ServiceError('conflict', detail, {
    hint,
    issues: [{ code: 'value_invalid', pointer, severity: 'error', detail }],
  })
}

/** Returns a conflict error without a pointer, because the customer is not in the request: the service created it at the processor. */
function customerTaken(customer: string): ServiceError {
  return new ServiceError('conflict', takenText(customer))
}

/** Returns a conflict error with a pointer to the customer in the request. */
function customerRefused(customer: string): ServiceError {
  return tenantConflict('processor_customer_id', takenText(customer))
}

const takenText = (customer: string) => `The customer "${customer}" belongs to another tenant.`
