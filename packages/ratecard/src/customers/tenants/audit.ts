// Audit trail of changes to tenants. The column descriptions of a record define which fields appear in the trail.
import { toRfc3339 } from '../../base/clock.ts'
import { pick, shownColumns, columnsUsedFor } from '../../store/records/columns.ts'
import { auditColumns, tenantColumns } from '../../store/records/tenants.ts'
import { byOf, keyOf } from '../../store/records/actor.ts'
import type { JobRecord } from '../../store/records/journal.ts'
import type { AuditRecord, EditedField, EnterpriseFields, TenantRecord } from '../../store/records/tenants.ts'
import { snake } from '../../api/notation/names.ts'
import type { AuditEntry } from '../../api/customers/tenants.ts'
import type { Caller } from '../../api/notation/callers.ts'

export type EditedFields = Pick<TenantRecord, EditedField>

export interface AuditDeps {
  readonly newId: () => string
  readonly now: number
}

/** Creates an audit row. Its fields have the names of the API, because users read the trail, possibly years later. */
export function auditRow(
  { newId, now }: AuditDeps,
  entry: Pick<AuditRecord, 'tenantId' | 'action'> & {
    readonly before: Partial<TenantRecord> | null
    readonly after: Partial<TenantRecord> | null
    readonly result?: Readonly<Record<string, unknown>>
  },
  { author, by, requestId }: Caller,
): AuditRecord {
  const { tenantId, action, before, after, result } = entry
  return {
    id: newId(),
    tenantId,
    action,
    before: before && wireText(before),
    after: after && wireText(after),
    result: result === undefined ? null : JSON.stringify(result),
    author,
    ...keyOf(by),
    requestId,
    createdAt: now,
  }
}

/** Creates the audit row of an act at the processor. The caller is that of its job. A second row with the same id is not stored. */
export const actRow = (
  { author, requestId, ...job }: JobRecord,
  { id, at }: { readonly id: string; readonly at: number },
  entry: Pick<AuditRecord, 'tenantId' | 'action'> & { readonly result: Readonly<Record<string, unknown>> },
): AuditRecord =>
  auditRow({ newId: () => id, now: at }, { ...entry, before: null, after: null }, { author, by: byOf(job), requestId })

export const editedFields = columnsUsedFor(tenantColumns, 'edited')

/** Returns the tenant's fields that callers can set. */
export const editedOf = (tenant: EditedFields): EditedFields => pick(tenant, editedFields)

/** Returns the fields that select the tenant's negotiated prices. */
export const enterpriseOf = (tenant: EnterpriseFields): EnterpriseFields =>
  pick(tenant, columnsUsedFor(tenantColumns, 'deal'))

export function auditEntry(record: AuditRecord): AuditEntry {
  const { before, after, result, ...rest } = shownColumns(auditColumns, record)
  const who = { by: byOf(record), keyId: record.keyId }
  return { ...rest, ...who, before: fieldsOf(before), after: fieldsOf(after), result: fieldsOf(result) }
}

// Serializes the fields as JSON with the names of the API. Undefined members are omitted; null is kept as a value.
const wireText = (fields: Partial<TenantRecord>) => JSON.stringify(inWireNames(fields))

export function inWireNames(fields: Partial<TenantRecord>): Readonly<Record<string, unknown>> {
  // All numbers of a tenant are times.
  const wire = (value: unknown) => (typeof value === 'number' ? toRfc3339(value) : value)
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [snake(name), wire(value)]))
}

function fieldsOf(text: string | null): Readonly<Record<string, unknown>> | null {
  return text === null ? null : (JSON.parse(text) as Readonly<Record<string, unknown>>)
}
