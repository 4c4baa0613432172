// Remembers which subscription a request cancelled or resumed, and by which job. A retry whose first response was lost (e.g. after a crash)
// must not act again: the processor does not list ended subscriptions, and a second resumption would undo a schedule that the first one
// brought back.
import { findKept, keep, type Kept, type KeptDeps } from './kept.ts'

interface KeptAct extends Kept {
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
export async function keepAct(
  deps: KeptDeps,
  request: ActRequest,
  { subscription, job }: Pick<KeptAct, 'subscription' | 'job'>,
): Promise<void> {
  const { id } = request
  if (id === null) return
  const record: KeptAct = { id, subscription, job, madeAt: deps.clock.now() }
  await keep(deps, listOf(request), record)
}

/** Returns what an earlier attempt of the request began; null if there is none. */
export async function findAct(deps: KeptDeps, request: ActRequest): Promise<KeptAct | null> {
  return request.id === null ? null : ((await findKept(deps, listOf(request), request.id)) as KeptAct | null)
}
