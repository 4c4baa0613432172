import type { Store } from '../store/store.ts'

/**
 * Returns the present state of journalled work. If the state is `running` but no process holds the lease, the process that ran the work
 * died, so the state is `interrupted`. Work may also have ended between the two reads, so `again` reads the state a second time.
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
