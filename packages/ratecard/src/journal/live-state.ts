import type { Store } from '../store/store.ts'

/**
 * The state of work as it is now: `running` in the journal while nobody holds its lease means that its process died. `again`
 * reads the state once more: the work may have ended between the two looks.
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
