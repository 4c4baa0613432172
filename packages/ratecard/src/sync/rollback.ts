import type { BillingConfig } from '../config/document/schema.ts'
import { ServiceError } from '../errors/service-error.ts'
import { pushLease } from '../journal/leases.ts'
import type { SyncDeps } from './deps.ts'
import { planPush, pushUnderLease, requireValid } from './push.ts'
import type { PushRequest, PushResult } from './push.ts'

/** Pushes the content of an earlier revision as a new one. Original processor objects come back where they still exist. */
export async function rollbackConfig(deps: SyncDeps, revision: number, request: PushRequest): Promise<PushResult> {
  const version = await deps.store.versions.find(revision)
  if (version === null)
    throw new ServiceError('revision_not_found', `The history has no revision ${String(revision)}.`, {
      hint: 'List the revisions with `ratecard billing history`.',
    })
  if (version.document === null)
    throw new ServiceError(
      'revision_not_found',
      `Revision ${String(revision)} is a reset and holds no configuration.`,
      { hint: 'Choose another revision.' },
    )
  const document = JSON.parse(version.document) as BillingConfig
  const { config, warnings } = await requireValid(deps, document, { acceptedBefore: true })
  if (request.dryRun === true) return planPush(deps, config, warnings, { ...request, rollbackTo: revision })
  const message = request.message ?? `Rollback to revision ${String(revision)}`
  const written = version.pushId === null ? null : await deps.store.writtenForms.ofPush(version.pushId)
  const asked = { ...request, message, rollbackTo: revision, ...(written === null ? {} : { written: written.id }) }
  return deps.store.exclusively(pushLease, (lease) =>
    pushUnderLease(deps, { kind: 'rollback', config, document, warnings }, asked, lease),
  )
}
