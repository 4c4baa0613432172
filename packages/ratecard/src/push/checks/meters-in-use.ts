// Check for meters in use. After a meter is deactivated, usage of live subscriptions on it is lost, and no later push restores that usage.
import type { Issue } from '../../base/errors/issue.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import type { Planned } from './planned.ts'
import type { SyncDeps } from '../deps.ts'
import { readForPush } from '../../processor/failures.ts'

/**
 * Returns one issue for each meter that the plan deactivates while live subscriptions are on one of its prices (archived prices included).
 */
export async function metersInUse(
  deps: Pick<SyncDeps, 'processor'>,
  { plan, snapshot, place }: Planned,
  signal: AbortSignal,
): Promise<Issue[]> {
  const issues: Issue[] = []
  for (const step of plan.steps) {
    if (step.op !== 'archive' || step.kind !== 'meter') continue
    let subscriptions = 0
    for (const price of snapshot.price)
      if (price.fields.meter === step.processorId)
        subscriptions += await readForPush(() => deps.processor.liveSubscriptions(price.processorId, signal))
    if (subscriptions === 0) continue
    issues.push({
      code: 'meter_in_use',
      pointer: place('meter', step.configId),
      severity: 'warning',
      detail: `The meter "${step.configId}" would be deactivated while ${String(subscriptions)} live ${subscriptions === 1 ? 'subscription is' : 'subscriptions are'} billed by it: their usage would be dropped.`,
      hint: 'Move them first, or push with --approve-impact.',
    })
  }
  return issues
}

/** Throws `impact_not_approved` if there is an issue and the caller did not approve the impact. */
export function requireApproval(
  issues: readonly Issue[],
  approved: boolean,
  extra: Readonly<Record<string, unknown>> = {},
): void {
  if (issues.length === 0 || approved) return
  throw new ServiceError(
    'impact_not_approved',
    `${issues.map((issue) => issue.detail).join(' ')} Nothing was written.`,
    {
      hint: 'Check the affected subscriptions, then push with --approve-impact (`?approve_impact=true`).',
      issues: issues.map((issue) => ({ ...issue, severity: 'error' as const })),
      extra,
    },
  )
}
