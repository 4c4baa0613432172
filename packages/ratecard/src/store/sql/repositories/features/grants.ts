import { toRow } from '../../../records/columns.ts'
import { auditColumns, type AuditRecord } from '../../../records/tenants.ts'
import type { Database } from '../../database/database.ts'
import type { FeatureGrantRecord } from '../../../records/features.ts'

export function sqlGrants(database: Database) {
  return {
    /** Returns the tenant's grants, including ended ones, sorted by feature. */
    list: (tenantId: string): Promise<readonly FeatureGrantRecord[]> =>
      database.read((db) =>
        db.selectFrom('featureGrants').selectAll().where('tenantId', '=', tenantId).orderBy('feature').execute(),
      ),

    /** Stores a grant and adds the audit row in one transaction. The grant replaces an earlier grant of the same feature. */
    put: (grant: FeatureGrantRecord, audit: AuditRecord): Promise<void> =>
      database.write(async (db) => {
        const { tenantId: _, feature: __, ...values } = grant
        await db
          .insertInto('featureGrants')
          .values(grant)
          .onConflict((conflict) => conflict.columns(['tenantId', 'feature']).doUpdateSet(values))
          .execute()
        await db.insertInto('tenantAudit').values(toRow(auditColumns, audit)).execute()
      }),

    /** Removes a grant and adds the audit row in one transaction. Returns false if there is no such grant. */
    remove: (tenantId: string, feature: string, audit: AuditRecord): Promise<boolean> =>
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
