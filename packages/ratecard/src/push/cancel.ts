// Cancels a push between two of its steps. Any replica can receive the request and stores it in the journal. The replica that runs the push
// polls the journal; if it receives the request itself, the request takes effect at once. Requests to the processor that are in progress
// are finished first, so no step is left half done.
import { ServiceError } from '../base/errors/service-error.ts'
import type { SyncDeps } from './deps.ts'
import { findPush, liveState } from './pushes.ts'
import type { PushRecord } from '../store/records/journal.ts'

/**
 * Minimum interval (ms) between two reads of the journal for cancel requests. A push executes up to a hundred steps a second, so a read
 * before each step would slow it down.
 */
const pollIntervalMs = 250

/** Requests the cancellation of a push. Throws `push_not_running` if no replica is running it. */
export async function cancelPush(
  deps: Pick<SyncDeps, 'store' | 'clock' | 'cancelled' | 'onProgress'>,
  id: string,
): Promise<PushRecord> {
  const push = await findPush(deps, id)
  const running = (await liveState(deps, push)) === 'running'
  if (!running || !(await deps.store.pushes.requestCancel(id, deps.clock.now())))
    throw new ServiceError('push_not_running', `Push ${id} is ${(await findPush(deps, id)).state}, not running.`, {
      hint: 'See `ratecard billing pushes`.',
    })
  deps.cancelled.ask(id)
  deps.onProgress(id)
  return push
}

/** Returns a check to call between two steps. The check throws `push_cancelled` after cancellation was requested. */
export function cancelCheck(
  deps: Pick<SyncDeps, 'store' | 'clock' | 'cancelled'>,
  pushId: string,
): () => Promise<void> {
  let askedAt = deps.clock.now()
  return async () => {
    if (!deps.cancelled.has(pushId)) {
      const now = deps.clock.now()
      if (now - askedAt < pollIntervalMs) return
      askedAt = now
      if (!(await deps.store.pushes.cancelRequested(pushId))) return
    }
    throw new ServiceError('push_cancelled', 'A user cancelled it.')
  }
}
