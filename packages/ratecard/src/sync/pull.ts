import type { LiveDocument } from '../catalog/pull/to-document.ts'
import { bindAccount } from './account.ts'
import type { SyncDeps } from './deps.ts'
import { readForPush } from '../processor/failures.ts'

/** A configuration document of what is active at the processor. Reads only. */
export async function pullConfig(deps: SyncDeps): Promise<LiveDocument> {
  // Our ids and marks mean nothing in another account: the document would mix two.
  await bindAccount(deps, deps.shutdown, 'look')
  const snapshot = await readForPush(() => deps.processor.snapshot({ signal: deps.shutdown }))
  const current = await deps.store.versions.current()
  const mappings = await deps.store.mappings.all()
  return deps.documents.run('fromLive', { snapshot, mappings, current: current?.document ?? null })
}
