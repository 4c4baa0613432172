import type { Store } from '../store/store.ts'

/**
 * Returns the present state of journalled work. `running` without a held lease means that its process died, so it becomes `interrupted`.
 * `again` reads the state a second time, because the work may have ended between the two reads.
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
