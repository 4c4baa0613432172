// Records that belong to requests of a tenant, in the store under the name of their list, newest first.
import type { KeyedCaller } from '../../api/notation/callers.ts'
import { createHash } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Store } from '../../store/store.ts'
import { withNamedLease } from '../../acts/lease.ts'
import type { Principal } from '../../api/customers/sessions.ts'
import type { TenantRecord } from '../../store/records/tenants.ts'
import { previewMinutes } from '../../api/server/limits.ts'
import type { BilledNow } from './decide/next-invoice.ts'
import type { ChangePreview } from '../../api/customers/subscription-changes.ts'

/** Maximum number of records in a list, e.g. 20 previews of a tenant. The oldest are deleted first. */
const maxRecords = 20
/** Time (ms) after which a record is deleted: a day, because a request may be retried with its idempotency key for that long. */
const recordLifetimeMs = 24 * 60 * 60_000

export interface RequestRecord {
  readonly id: string
  /** Time at which the service stored the record. Only the deletion of old records uses it. */
  readonly madeAt: number
}

export interface RequestRecordDeps {
  readonly store: Pick<Store, 'tryExclusively' | 'facts'>
  readonly clock: Clock
  readonly shutdown: AbortSignal
}

/**
 * Returns the id of a record for a request with this idempotency key; null without a key. A retry finds the record by this id. Another
 * caller (e.g. a session beside a service key), another request with the same key, or a new tenant of the same id does not.
 */
export function requestId({ idempotencyKey }: KeyedCaller, { principal, tenant, request }: RequestOf): string | null {
  if (idempotencyKey === null) return null
  const by = principal.kind === 'session' ? 'session' : principal.keyId
  const text = JSON.stringify([tenant.createdAt, by, idempotencyKey, request])
  return `key_${createHash('sha256').update(text).digest('hex')}`
}

interface RequestOf {
  readonly principal: Principal
  readonly tenant: Pick<TenantRecord, 'createdAt'>
  /** Body of the request. */
  readonly request: object
}

export async function findRecord(deps: RequestRecordDeps, list: string, id: string): Promise<RequestRecord | null> {
  return (await readRecords(deps, list)).find((one) => one.id === id) ?? null
}

/** Adds the record to the list, or replaces the one with its id. */
export function storeRecord(deps: RequestRecordDeps, list: string, record: RequestRecord): Promise<void> {
  return withNamedLease(deps, list, async () => {
    const others = (await readRecords(deps, list)).filter(({ id }) => id !== record.id)
    await deps.store.facts.set(list, JSON.stringify([record, ...others].slice(0, maxRecords)))
  })
}

async function readRecords({ store, clock }: RequestRecordDeps, list: string): Promise<readonly RequestRecord[]> {
  const text = await store.facts.get(list)
  const kept = text === null ? [] : (JSON.parse(text) as readonly RequestRecord[])
  return kept.filter(({ madeAt }) => madeAt > clock.now() - recordLifetimeMs)
}

// Remembers which subscription a request cancelled or resumed, and by which job. A retry whose first response was lost (e.g. after a crash)
// must not act again: the processor does not list ended subscriptions, and a second resumption would undo a schedule that the first one
// brought back.
interface ActRecord extends RequestRecord {
  readonly subscription: string
  /** Job of the act; null for a free subscription, which exists only in the service. */
  readonly job: string | null
}

export interface ActRequest {
  readonly act: 'cancel' | 'resume'
  readonly tenantId: string
  /** Id of the request (see `requestId`); null for a request without an idempotency key, which has no retries. */
  readonly id: string | null
}

const lists = { cancel: 'subscription_cancellations', resume: 'subscription_resumptions' }
const listOf = ({ act, tenantId }: ActRequest) => `${lists[act]}:${tenantId}`

/** Stores, before the act, on which subscription the request acts. */
export async function storeAct(
  deps: RequestRecordDeps,
  request: ActRequest,
  { subscription, job }: Pick<ActRecord, 'subscription' | 'job'>,
): Promise<void> {
  const { id } = request
  if (id === null) return
  const record: ActRecord = { id, subscription, job, madeAt: deps.clock.now() }
  await storeRecord(deps, listOf(request), record)
}

/** Returns what an earlier attempt of the request began; null if there is none. */
export async function findAct(deps: RequestRecordDeps, request: ActRequest): Promise<ActRecord | null> {
  return request.id === null ? null : ((await findRecord(deps, listOf(request), request.id)) as ActRecord | null)
}

// Stores previews of changes. A change can be made at the amounts of its preview for a limited time. Previews are kept in the store and not by
// the caller, because a caller could alter the time from which the change is prorated.
/** Time (ms of the customer's clock) for which a preview is fresh. */
export const previewLifetimeMs = previewMinutes * 60_000

export interface StoredPreview extends RequestRecord {
  readonly subscription: string
  /** Moment from which the change is prorated, by the customer's clock. */
  readonly at: number
  readonly fingerprint: string
  /** What was shown. */
  readonly shown: Omit<ChangePreview, 'preview'>
  readonly billed: BilledNow
  /** Job that carried the preview out; null before that. */
  readonly job: string | null
}

const previewListOf = (tenantId: string) => `subscription_previews:${tenantId}`

export function findPreview(deps: RequestRecordDeps, tenantId: string, id: string): Promise<StoredPreview | null> {
  return findRecord(deps, previewListOf(tenantId), id) as Promise<StoredPreview | null>
}

/** Adds the preview, or replaces the one with its id. */
export function storePreview(deps: RequestRecordDeps, tenantId: string, preview: StoredPreview): Promise<void> {
  return storeRecord(deps, previewListOf(tenantId), preview)
}
