import { ServiceError } from '../base/errors/service-error.ts'
import { pushLease } from '../acts/lease.ts'
import type { SyncDeps } from './deps.ts'
import { requireValid } from './document-jobs.ts'
import { planPush, pushUnderLease } from './push.ts'
import type { PushOptions, PushOutcome } from '../api/push/pushes.ts'

/** Pushes the content of an earlier revision as a new revision. Uses the original processor objects again if they still exist. */
export async function rollbackConfig(deps: SyncDeps, revision: number, request: PushOptions): Promise<PushOutcome> {
  const version = await deps.store.versions.find(revision)
  if (version === null)
    throw new ServiceError('revision_not_found', `The history has no revision ${String(revision)}.`, {
      hint: 'List the revisions with `ratecard billing history`.',
    })
  if (version.document === null)
    throw new ServiceError('revision_not_found', `Revision ${String(revision)} is a reset and has no configuration.`, {
      hint: 'Choose another revision.',
    })
  const checked = await requireValid(deps, version.document)
  if (request.dryRun === true) return planPush(deps, checked, { ...request, rollbackTo: revision })
  const written = version.pushId === null ? null : await deps.store.writtenForms.ofPush(version.pushId)
  const asked = { ...request, rollbackTo: revision, ...(written === null ? {} : { written: written.id }) }
  return deps.store.exclusively(pushLease, (lease) =>
    pushUnderLease(deps, { kind: 'rollback', ...checked }, asked, lease),
  )
}
