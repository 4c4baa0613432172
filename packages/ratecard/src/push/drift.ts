import { ServiceError } from '../base/errors/service-error.ts'
import { detailsOf } from '../catalog/detail.ts'
import { ownershipOf } from '../catalog/observed.ts'
import { resourceKinds, type ObservedResource, type ResourceKind } from '../catalog/resource.ts'
import { bindAccount } from './account.ts'
import type { SyncDeps } from './deps.ts'
import { retiringEndpoints } from './webhooks/retiring.ts'
import { readForPush } from '../processor/failures.ts'
import type { DriftReport } from '../api/push/config.ts'

/**
 * Returns drift: changes that were made at the processor since the last version was applied. Finds them by planning that version against
 * the live state.
 */
export async function findDrift(deps: SyncDeps): Promise<DriftReport> {
  const current = await deps.store.versions.current()
  const text = current?.document ?? null
  if (current === null || text === null)
    throw new ServiceError('config_not_found', 'There is no applied configuration to compare with.', {
      hint: 'Push one first: `ratecard billing push`.',
    })
  // Throws if the key belongs to another account: no object of this environment exists there, so all of them would seem to be deleted.
  await bindAccount(deps, deps.shutdown, 'look')
  const snapshot = await readForPush(() => deps.processor.snapshot({ signal: deps.shutdown }))
  const mappings = await deps.store.mappings.all()
  const retiring = await retiringEndpoints(deps.store)
  const { plan } = await deps.documents.run('plan', { text, previous: text, snapshot, mappings, force: true, retiring })
  const differences = detailsOf(plan.changes, () => null)
  const own = ownershipOf(snapshot, mappings)
  const unmanaged = resourceKinds.flatMap((kind) =>
    (snapshot[kind] as readonly ObservedResource[])
      .filter((object) => object.active && own.ownerOf(kind, object.processorId) === null)
      .map((object) => ({ kind, processorId: object.processorId, name: nameOf(object) })),
  )
  const notes = plan.bindings.flatMap(({ kind, configId, processorId }) => {
    const { unsaid } = own.find<ResourceKind>(kind, processorId) ?? { unsaid: [] }
    return unsaid.length === 0 ? [] : [{ kind, configId, processorId, notExpressible: unsaid }]
  })
  return {
    inSync: differences.length === 0,
    revision: current.revision,
    version: current.version,
    editedFields: differences.reduce((sum, { fields }) => sum + Math.max(1, fields.length), 0),
    differences,
    notes,
    unmanaged,
  }
}

function nameOf(object: ObservedResource): string | null {
  const fields = object.fields as unknown as Record<string, unknown>
  const name =
    fields['name'] ??
    fields['displayName'] ??
    fields['code'] ??
    fields['url'] ??
    fields['headline'] ??
    fields['lookupKey']
  return typeof name === 'string' && name !== '' ? name : null
}
