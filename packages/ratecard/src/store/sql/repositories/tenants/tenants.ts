// Tenants and their audit trail: a change and its audit row are stored together or not at all.
import { pointerOf } from '../../../../errors/issue.ts'
import { ServiceError } from '../../../../errors/service-error.ts'
import { pick, used } from '../../../records/columns.ts'
import { tenantColumns } from '../../../records/tenants.ts'
import type { LeaseToken } from '../../../store.ts'
import type {
  AuditRecord,
  EnterpriseFields,
  TenantListQuery,
  TenantRecord,
  TenantStore,
} from '../../../tenant-store.ts'
import { inBatches } from '../../database/batches.ts'
import type { Database, Write } from '../../database/database.ts'
import { isDuplicate } from '../../database/database-errors.ts'
import type { Leases } from '../coordination/leases.ts'
import { markOwned } from '../mirror/marks.ts'
import { listTenants } from './list.ts'
import { refreshListings } from './listings.ts'

type TenantPatch = Parameters<TenantStore['update']>[1]

export class SqlTenants implements TenantStore {
  readonly #database: Database
  readonly #leases: Leases

  constructor(database: Database, leases: Leases) {
    this.#database = database
    this.#leases = leases
  }

  async add(tenant: TenantRecord, audit: AuditRecord): Promise<void> {
    await this.#database.write(async (db) => {
      const added = await db
        .insertInto('tenants')
        .values(tenant)
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst()
      if (added === undefined) throw await takenBy(db, tenant)
      await this.#listed(db, tenant.id, tenant.processorCustomerId)
      await db.insertInto('tenantAudit').values(audit).execute()
    })
  }

  async find(id: string): Promise<TenantRecord | null> {
    const row = await this.#database.read((db) =>
      db.selectFrom('tenants').selectAll().where('id', '=', id).executeTakeFirst(),
    )
    return row ?? null
  }

  async findByCustomer(processorCustomerId: string): Promise<TenantRecord | null> {
    const row = await this.#database.read((db) =>
      db.selectFrom('tenants').selectAll().where('processorCustomerId', '=', processorCustomerId).executeTakeFirst(),
    )
    return row ?? null
  }

  async idsByCustomer(processorCustomerIds: Iterable<string>): Promise<ReadonlyMap<string, string>> {
    const ids = new Map<string, string>()
    await inBatches([...processorCustomerIds], async (slice) => {
      const rows = await this.#database.read((db) =>
        db
          .selectFrom('tenants')
          .select(['id', 'processorCustomerId'])
          .where('processorCustomerId', 'in', slice)
          .execute(),
      )
      for (const { id, processorCustomerId } of rows) if (processorCustomerId !== null) ids.set(processorCustomerId, id)
    })
    return ids
  }

  async idsOnTemplate(template: string): Promise<readonly string[]> {
    const rows = await this.#database.read((db) =>
      db.selectFrom('tenants').select('id').where('enterpriseTemplate', '=', template).orderBy('id').execute(),
    )
    return rows.map(({ id }) => id)
  }

  async list(query: TenantListQuery) {
    return this.#database.read((db) => listTenants(this.#database, db, query))
  }

  async update(id: string, change: TenantPatch, audit: AuditRecord): Promise<TenantRecord | null> {
    return this.#claimingCustomer(id, change.processorCustomerId, customerRefused, () =>
      this.#change(id, audit, async (db) => {
        const changed = await db
          .updateTable('tenants')
          .set({ ...change, updatedAt: audit.createdAt })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst()
        await this.#listed(db, id, change.processorCustomerId ?? null)
        return changed
      }),
    )
  }

  async bindCustomer(id: string, processorCustomerId: string, at: number): Promise<TenantRecord | null> {
    return this.#claimingCustomer(id, processorCustomerId, customerTaken, () =>
      this.#database.write(async (db) => {
        const bound = await db
          .updateTable('tenants')
          .set({ processorCustomerId, updatedAt: at })
          .where('id', '=', id)
          .where('processorCustomerId', 'is', null)
          .returningAll()
          .executeTakeFirst()
        if (bound !== undefined) {
          await this.#listed(db, id, processorCustomerId)
          return bound
        }
        return (await db.selectFrom('tenants').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
      }),
    )
  }

  async setEnterprise(id: string, fields: EnterpriseFields, audit: AuditRecord, token: LeaseToken) {
    return this.#change(id, audit, async (db) => {
      await this.#leases.assertHeld(db, token)
      const applied = pick(fields, used(tenantColumns, 'deal'))
      return db
        .updateTable('tenants')
        .set({ ...applied, updatedAt: audit.createdAt })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst()
    })
  }

  async remove(id: string, audit: AuditRecord): Promise<boolean> {
    const removed = await this.#change(id, audit, async (db) => {
      const tenant = await db.deleteFrom('tenants').where('id', '=', id).returningAll().executeTakeFirst()
      if (tenant === undefined) return undefined
      await db.deleteFrom('tenantListings').where('tenantId', '=', id).execute()
      // A later tenant with the same id must not inherit anything of this one.
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
      return tenant
    })
    return removed !== null
  }

  async audit(tenantId: string, page: { readonly limit: number; readonly offset: number }) {
    return this.#database.read(async (db) => {
      const entries = db.selectFrom('tenantAudit').where('tenantId', '=', tenantId)
      const items = await entries
        .selectAll()
        .orderBy('createdAt', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit)
        .offset(page.offset)
        .execute()
      const { total } = await entries.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
      return { items, total }
    })
  }

  /** Writes the change and its audit row. Returns null, without an audit row, if the tenant does not exist. */
  async #change(
    id: string,
    audit: AuditRecord,
    work: (db: Write) => Promise<TenantRecord | undefined>,
  ): Promise<TenantRecord | null> {
    if (audit.tenantId !== id) throw new Error(`An audit row of "${audit.tenantId}" does not tell of "${id}".`)
    return this.#database.write(async (db) => {
      const tenant = await work(db)
      if (tenant === undefined) return null
      await db.insertInto('tenantAudit').values(audit).execute()
      return tenant
    })
  }

  /** Refreshes what lists show of the tenant, after it was added or got a customer. */
  async #listed(db: Write, id: string, customer: string | null): Promise<void> {
    if (customer !== null) await markOwned(db, customer)
    await refreshListings(this.#database, db, [id])
  }

  async #claimingCustomer<T>(
    id: string,
    customer: string | null | undefined,
    taken: (customer: string) => ServiceError,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (typeof customer !== 'string' || !isDuplicate(error)) throw error
      const owner = await this.findByCustomer(customer)
      throw owner === null || owner.id === id ? error : taken(customer)
    }
  }
}

async function takenBy(db: Write, tenant: TenantRecord): Promise<ServiceError> {
  const same = await db.selectFrom('tenants').select('id').where('id', '=', tenant.id).executeTakeFirst()
  if (same === undefined && tenant.processorCustomerId !== null) return customerRefused(tenant.processorCustomerId)
  return conflict('id', `There is a tenant "${tenant.id}" already.`)
}

/** A conflict with the pointer of the offending value in the request. */
function conflict(field: string, detail: string): ServiceError {
  const pointer = pointerOf([field])
  return new ServiceError('conflict', detail, {
    issues: [{ code: 'value_invalid', pointer, severity: 'error', detail }],
  })
}

/** Conflict without a pointer: the customer was created at the processor, no caller sent it. */
function customerTaken(customer: string): ServiceError {
  return new ServiceError('conflict', takenText(customer))
}

/** Conflict with a pointer: the caller sent the customer. */
function customerRefused(customer: string): ServiceError {
  return conflict('processor_customer_id', takenText(customer))
}

const takenText = (customer: string) => `The customer "${customer}" belongs to another tenant.`
