import type { Store } from '../../store/store.ts'

/**
 * Returns the current state of journalled work (a push or a job). Work in state `running` whose lease is not held by a process was
 * interrupted, because its process died. `again` reads the state a second time, because the work may have ended between the reads of state
 * and lease.
 */
export async function liveState<State extends string>(
  store: Pick<Store, 'held'>,
  state: State,
  lease: string,
  again: () => Promise<State | null>,
): Promise<State | 'interrupted'> {
  if (state !== 'running' || (await store.held(lease))) return state
  const now = (await again()) ?? 'running'
  return now === 'running' ? 'interrupted' : now
}
