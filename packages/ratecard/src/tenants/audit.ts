import type { AuditEntry, Caller } from '../service-tenants.ts'
import type { AuditAction, AuditRecord, TenantRecord } from '../store/tenant-store.ts'

type Fields = Partial<Pick<TenantRecord, 'name' | 'email' | 'processorCustomerId'>>

export interface AuditDeps {
  readonly newId: () => string
  readonly now: number
}

/** One row of the trail. Fields are kept in the wire's names: the trail is read by people, years later. */
export function auditRow(
  { newId, now }: AuditDeps,
  entry: {
    readonly tenantId: string
    readonly action: AuditAction
    readonly before: Fields | null
    readonly after: Fields | null
  },
  { author, keyId, requestId }: Caller,
): AuditRecord {
  return {
    id: newId(),
    tenantId: entry.tenantId,
    action: entry.action,
    before: entry.before === null ? null : wireText(entry.before),
    after: entry.after === null ? null : wireText(entry.after),
    result: null,
    author,
    keyId,
    requestId,
    createdAt: now,
  }
}

/** What a tenant is to an audit trail, without what changes by itself. */
export function audited({ name, email, processorCustomerId }: TenantRecord): Fields {
  return { name, email, processorCustomerId }
}

export function auditEntry({ tenantId: _tenant, ...record }: AuditRecord): AuditEntry {
  return {
    ...record,
    before: fieldsOf(record.before),
    after: fieldsOf(record.after),
    result: fieldsOf(record.result),
  }
}

function wireText({ name, email, processorCustomerId }: Fields): string {
  // Absent members fall away; null is a value.
  return JSON.stringify({ name, email, processor_customer_id: processorCustomerId })
}

function fieldsOf(text: string | null): Readonly<Record<string, unknown>> | null {
  return text === null ? null : (JSON.parse(text) as Readonly<Record<string, unknown>>)
}
