// Records that belong to requests of a tenant, in the store under the name of their list, newest first.
import type { KeyedCaller } from '../../../api/notation/callers.ts'
import { createHash } from 'node:crypto'
import type { Clock } from '../../../base/clock.ts'
import type { Store } from '../../../store/store.ts'
import { withNamedLease } from '../../../acts/lease.ts'
import type { Principal } from '../../../api/customers/sessions.ts'
import type { TenantRecord } from '../../../store/records/tenants.ts'

/** Maximum number of records in a list, e.g. 20 previews of a tenant. The oldest are deleted first. */
const maxKept = 20
/** Time (ms) after which a record is deleted: a day, because a request may be retried with its idempotency key for that long. */
const keptMs = 24 * 60 * 60_000

export interface Kept {
  readonly id: string
  /** Time of the service when the record was made; only for deleting it. */
  readonly madeAt: number
}

export interface KeptDeps {
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

export async function findKept(deps: KeptDeps, list: string, id: string): Promise<Kept | null> {
  return (await readKept(deps, list)).find((one) => one.id === id) ?? null
}

/** Adds the record to the list, or replaces the one with its id. */
export function keep(deps: KeptDeps, list: string, record: Kept): Promise<void> {
  return withNamedLease(deps, list, async () => {
    const others = (await readKept(deps, list)).filter(({ id }) => id !== record.id)
    await deps.store.facts.set(list, JSON.stringify([record, ...others].slice(0, maxKept)))
  })
}

async function readKept({ store, clock }: KeptDeps, list: string): Promise<readonly Kept[]> {
  const text = await store.facts.get(list)
  const kept = text === null ? [] : (JSON.parse(text) as readonly Kept[])
  return kept.filter(({ madeAt }) => madeAt > clock.now() - keptMs)
}
