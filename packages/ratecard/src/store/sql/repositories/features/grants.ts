import { toRow } from '../../../records/columns.ts'
import { auditColumns } from '../../../records/tenants.ts'
import type { GrantStore } from '../../../feature-store.ts'
import type { Database } from '../../database/database.ts'

export function sqlGrants(database: Database): GrantStore {
  return {
    list: (tenantId) =>
      database.read((db) =>
        db.selectFrom('featureGrants').selectAll().where('tenantId', '=', tenantId).orderBy('feature').execute(),
      ),

    put: (grant, audit) =>
      database.write(async (db) => {
        const { tenantId: _, feature: __, ...values } = grant
        await db
          .insertInto('featureGrants')
          .values(grant)
          .onConflict((conflict) => conflict.columns(['tenantId', 'feature']).doUpdateSet(values))
          .execute()
        await db.insertInto('tenantAudit').values(toRow(auditColumns, audit)).execute()
      }),

    remove: (tenantId, feature, audit) =>
      database.write(async (db) => {
        const removed = await db
          .deleteFrom('featureGrants')
          .where('tenantId', '=', tenantId)
          .where('feature', '=', feature)
          .returning('feature')
          .executeTakeFirst()
        if (removed === undefined) return false
        await db.insertInto('tenantAudit').values(toRow(auditColumns, audit)).execute()
        return true
      }),
  }
}
