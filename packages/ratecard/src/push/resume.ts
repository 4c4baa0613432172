import { ServiceError } from '../base/errors/service-error.ts'
import { changeReport } from '../catalog/change-report.ts'
import { detailsOf } from '../catalog/detail.ts'
import { resourceKey } from '../catalog/resource.ts'
import { bindAccount } from './account.ts'
import { keyRetentionMs } from '../acts/journal/late-writes.ts'
import { pushLease } from '../acts/lease.ts'
import type { SyncDeps } from './deps.ts'
import { findPush } from './pushes.ts'
import { keyOf } from '../store/records/actor.ts'
import { documentOf } from '../catalog/document-tasks.ts'
import type { ChangeFacts } from '../catalog/policies/decide.ts'
import { documentFacts } from '../catalog/policies/facts.ts'
import { lastAmounts } from './checks/last-amounts.ts'
import { planFacts } from './checks/impact.ts'
import { comparedPrices } from './checks/planned.ts'
import { resolveSteps } from './recover.ts'
import { finishPush } from './run.ts'
import { impactOfStored, type StoredPlan } from './lookup/stored-plan.ts'
import type { PushOptions, PushOutcome } from '../api/push/pushes.ts'
import type { PushRecord } from '../store/records/journal.ts'
import type { VersionRecord } from '../store/records/configuration.ts'

export type ResumeOptions = Pick<PushOptions, 'onOpen' | 'override'> & Partial<Pick<PushOptions, 'by' | 'message'>>

/** Finishes an interrupted push: looks up steps of unknown outcome, executes the remaining steps and makes the version current. */
export async function resumePush(
  deps: SyncDeps,
  id: string,
  { onOpen, override = [], by = null, message = null }: ResumeOptions = {},
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
          hint: 'Push the document again, so that the plan is made for the current state.',
        },
      )
    const stored = JSON.parse(push.plan) as StoredPlan
    const before = stored.overrides ?? []
    const facts = await factsOfStored(deps, push, stored, current)
    const { violations, overrides } = await deps.guard.allow(facts, override, before)
    const plan = { ...stored, overrides }
    // If the caller overrides a policy that the push did not override before, the history contains this caller and its reason, instead of
    // the caller who began the push.
    const answering = overrides.some((one) => !before.includes(one)) ? { ...push, ...keyOf(by), message } : push
    await bindAccount(deps, lease.signal)
    await deps.store.pushes.resume(id, lease.token)
    deps.cancelled.forget(id)
    deps.onProgress(id)
    onOpen?.(id)
    await resolveSteps(deps, push, lease, keyRetentionMs)
    const { version, results } = await finishPush(deps, { push: answering, plan }, lease)
    return {
      status: 'applied',
      version: version.version,
      revision: version.revision,
      pushId: id,
      summary: plan.summary ?? '',
      changes: changeReport(plan.changes),
      details: detailsOf(plan.changes, (kind, configId) => results.get(resourceKey(kind, configId)) ?? null),
      warnings: [],
      violations,
      impact: impactOfStored(plan),
      who: [...(plan.who ?? [])],
      writes: push.stepsTotal,
      plan: plan.fingerprint ?? '',
    }
  })
}

/** Returns the facts that policies are checked against. The impact is the one stored with the plan, because a push moves no subscriber. */
async function factsOfStored(
  deps: SyncDeps,
  push: PushRecord,
  plan: StoredPlan,
  current: VersionRecord | null,
): Promise<ChangeFacts> {
  const { changes, renames } = plan
  const documents = { config: documentOf(push.document), previous: documentOf(current?.document ?? null) }
  const prices = impactOfStored(plan)
  const tenants = plan.tenants ?? prices.reduce((sum, one) => sum + one.tenants, 0)
  const documented = documentFacts({ changes, renames, ...documents })
  const last = await lastAmounts(deps, { plan, ...comparedPrices(documents) })
  return planFacts({ ...documented, prices: [...documented.prices, ...last] }, { prices, tenants }, push.message)
}
