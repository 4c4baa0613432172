import type { LiveDocument } from '../catalog/pull/to-document.ts'
import { bindAccount } from './account.ts'
import type { SyncDeps } from './deps.ts'
import { readForPush } from '../processor/failures.ts'

/** Returns a configuration document of the active objects at the processor. Reads only. */
export async function pullConfig(deps: SyncDeps, { codes = 'all' }: PullOptions = {}): Promise<LiveDocument> {
  // Throws if the key belongs to another account: the ids of this environment mean nothing there, so the document would mix two catalogs.
  await bindAccount(deps, deps.shutdown, 'look')
  const snapshot = await readForPush(() => deps.processor.snapshot({ signal: deps.shutdown }))
  const current = await deps.store.versions.current()
  const mappings = await deps.store.mappings.all()
  return deps.documents.run('fromLive', { snapshot, mappings, current: current?.document ?? null, codes })
}

export interface PullOptions {
  /** `active` leaves out promotion codes that cannot be redeemed any more. Default `all`. */
  readonly codes?: 'all' | 'active'
}
