// Stopping a push between two steps. Any replica may ask; the one that runs it learns of it from the journal, and at once when it
// is asked itself. What was sent is waited for: a cancelled push is interrupted, never torn.
import { ServiceError } from '../../errors/service-error.ts'
import type { PushRecord } from '../../store/store.ts'
import type { SyncDeps } from '../deps.ts'
import { findPush, liveState } from './pushes.ts'

/** The least time between two reads of the journal, as a push makes up to a hundred steps a second. */
const askEveryMs = 250

/** Fails with `push_not_running` for a push that nobody runs now. */
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

/** A check for the time between two steps; throws `push_cancelled` once somebody asked. */
export function cancelCheck(
  deps: Pick<SyncDeps, 'store' | 'clock' | 'cancelled'>,
  pushId: string,
): () => Promise<void> {
  let askedAt = deps.clock.now()
  return async () => {
    if (!deps.cancelled.has(pushId)) {
      const now = deps.clock.now()
      if (now - askedAt < askEveryMs) return
      askedAt = now
      if (!(await deps.store.pushes.cancelRequested(pushId))) return
    }
    throw new ServiceError('push_cancelled', 'Somebody asked for it.')
  }
}
