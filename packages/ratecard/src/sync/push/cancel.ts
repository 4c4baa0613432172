// Cancellation of a push between two steps. Any replica may request it: the replica that runs the push polls the journal, and a request to
// that replica itself takes effect at once. Requests in flight are awaited: a cancelled push is interrupted, and no step is left half done.
import { ServiceError } from '../../errors/service-error.ts'
import type { PushRecord } from '../../store/store.ts'
import type { SyncDeps } from '../deps.ts'
import { findPush, liveState } from './pushes.ts'

/** Minimum interval (ms) between two reads of the journal for cancel requests, because a push performs up to a hundred steps a second. */
const pollIntervalMs = 250

/** Requests cancellation of a push. Throws `push_not_running` if no replica runs it now. */
export async function cancelPush(
  deps: Pick<SyncDeps, 'store' | 'clock' | 'cancelled' | 'onProgress'>,
  id: string,
): Promise<PushRecord> {
  const push = await findPush(deps, id)
  const running = (await liveState(deps, push)) === 'running'
  if (!running || !(await deps.store.pushes.requestCancel(id, deps.clock.now())))
    throw new ServiceError('push_not_running', `Push ${id} is ${(await findPush(deps, id)).state}, not running.`, {
      hint: 'Look at it with `ratecard billing pushes`.',
    })
  deps.cancelled.ask(id)
  deps.onProgress(id)
  return push
}

/** Returns a check to call between two steps; it throws `push_cancelled` once cancellation was requested. */
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
