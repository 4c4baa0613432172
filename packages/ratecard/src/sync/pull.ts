import type { LiveDocument } from '../catalog/pull/to-document.ts'
import { bindAccount } from './account.ts'
import type { SyncDeps } from './deps.ts'
import { readForPush } from '../processor/failures.ts'

/** Returns a configuration document of the active objects at the processor. Reads only. */
export async function pullConfig(deps: SyncDeps): Promise<LiveDocument> {
  // Throws for another account: our ids mean nothing there, so the document would mix two catalogs.
  await bindAccount(deps, deps.shutdown, 'look')
  const snapshot = await readForPush(() => deps.processor.snapshot({ signal: deps.shutdown }))
  const current = await deps.store.versions.current()
  const mappings = await deps.store.mappings.all()
  return deps.documents.run('fromLive', { snapshot, mappings, current: current?.document ?? null })
}
