// Builders of tenant and job records for tests.
import type {
  AuditRecord,
  LocalSubscriptionRecord,
  TenantRecord,
} from '../../../packages/ratecard/src/store/records/tenants.ts'
import type { NewJob } from '../../../packages/ratecard/src/store/records/journal.ts'
import type { SessionRecord } from '../../../packages/ratecard/src/store/records/auth.ts'

let counter = 0
const nextId = (kind: string) => `${kind}_${String((counter += 1)).padStart(6, '0')}`

export function newTenant(change: Partial<TenantRecord> = {}): TenantRecord {
  return {
    id: nextId('tenant'),
    name: 'Acme',
    email: 'billing@acme.test',
    processorCustomerId: null,
    enterpriseTemplate: null,
    enterpriseId: null,
    enterpriseEndsAt: null,
    enterpriseThen: null,
    createdAt: 1000,
    updatedAt: 1000,
    ...change,
  }
}

export function newAudit(tenantId: string, change: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id: nextId('audit'),
    tenantId,
    action: 'tenant_updated',
    before: null,
    after: null,
    result: null,
    author: 'ada',
    keyId: 'key_1',
    keyName: 'ci',
    requestId: 'req_1',
    createdAt: 2000,
    ...change,
  }
}

export function newSession(tenantId: string, change: Partial<SessionRecord> = {}): SessionRecord {
  return {
    id: nextId('session'),
    tenantId,
    hash: 'h'.repeat(64),
    createdAt: 1000,
    expiresAt: 61_000,
    revokedAt: null,
    ...change,
  }
}

export function newLocalSubscription(
  tenantId: string,
  change: Partial<LocalSubscriptionRecord> = {},
): LocalSubscriptionRecord {
  return { id: nextId('local'), tenantId, priceId: 'free', createdAt: 1000, endedAt: null, ...change }
}

export function newJob(change: Partial<NewJob> = {}): NewJob {
  return {
    id: nextId('job'),
    kind: 'migration',
    subject: 'pro_monthly',
    input: '{"to":"renewal"}',
    author: 'ada',
    message: 'new prices',
    keyId: 'key_1',
    keyName: 'ci',
    requestId: 'req_1',
    createdAt: 1000 + counter,
    steps: ['{"n":0}', '{"n":1}', '{"n":2}'],
    ...change,
  }
}
