import { ServiceError } from '../../errors/service-error.ts'
import { changeReport } from '../../catalog/change-report.ts'
import { detailsOf } from '../../catalog/detail.ts'
import { resourceKey } from '../../catalog/resource.ts'
import { bindAccount } from '../account.ts'
import { keyRetentionMs } from '../../journal/late-writes.ts'
import { pushLease } from '../../journal/leases.ts'
import type { SyncDeps } from '../deps.ts'
import { findPush } from './pushes.ts'
import type { PushOptions, PushOutcome } from '../../service/service.ts'
import { resolveSteps } from './recover.ts'
import { finishPush } from './run.ts'
import type { StoredPlan } from './run.ts'

/** Finishes an interrupted push: looks up steps of unknown outcome, performs the remaining steps and makes the version current. */
export async function resumePush(
  deps: SyncDeps,
  id: string,
  { onOpen }: Pick<PushOptions, 'onOpen'> = {},
): Promise<PushOutcome> {
  await findPush(deps, id)
  return deps.store.exclusively(pushLease, async (lease) => {
    const push = await findPush(deps, id)
    if (push.state !== 'interrupted' && push.state !== 'running')
      throw new ServiceError('push_not_resumable', `Push ${id} is ${push.state}.`, {
        hint: 'Only an interrupted push can be resumed. Push the document again instead.',
      })
    const current = await deps.store.versions.current()
    if ((current?.revision ?? null) !== push.baseRevision)
      throw new ServiceError(
        'push_not_resumable',
        `Push ${id} was planned on revision ${String(push.baseRevision ?? 0)}, but the current one is ${String(current?.revision ?? 0)}.`,
        {
          hint: 'Push the document again: the push then plans against the present state.',
        },
      )
    await bindAccount(deps, lease.signal)
    await deps.store.pushes.resume(id, lease.token)
    deps.cancelled.forget(id)
    deps.onProgress(id)
    onOpen?.(id)
    await resolveSteps(deps, push, lease, keyRetentionMs)
    const plan = JSON.parse(push.plan) as StoredPlan
    const { version, results } = await finishPush(deps, { push, plan }, lease)
    return {
      status: 'applied',
      version: version.version,
      revision: version.revision,
      pushId: id,
      changes: changeReport(plan.changes),
      details: detailsOf(plan.changes, (kind, configId) => results.get(resourceKey(kind, configId)) ?? null),
      warnings: [],
      // A plan that an earlier release stored has no `generations`.
      impact: (plan.impact ?? []).map((one) => ({ ...one, generations: one.generations ?? [] })),
      writes: push.stepsTotal,
      plan: plan.fingerprint ?? '',
    }
  })
}
