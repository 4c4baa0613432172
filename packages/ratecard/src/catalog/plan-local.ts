// Free prices live with us: no object at the processor, mapped to themselves, but planned, journalled and reported as any other.
import type { PlanContext } from './plan-context.ts'
import { editsSince } from './plan-edits.ts'
import type { Change } from './plan.ts'
import { processorId } from './resource.ts'
import type { DesiredResource } from './resource.ts'

export function decideLocal(context: PlanContext, want: DesiredResource): void {
  const self = processorId(want.configId)
  const mapped = context.own.currentOf(want.kind, want.configId)
  const known = context.known.get(want.kind, want.configId)
  const because = editsSince(context, want)
  const moves = mapped !== self
  let action: Change['action']
  if (known === undefined) action = moves ? 'create' : 'reactivate'
  else if (moves) action = 'replace'
  else action = because.length > 0 ? 'update' : 'keep'
  context.outcomes.set(want.kind, want.configId, self)
  context.drafts.set(want.kind, want.configId, {
    action,
    kind: want.kind,
    configId: want.configId,
    home: 'local',
    because: action === 'update' || action === 'replace' ? because : [],
    before: action === 'create' ? null : mapped,
    after: self,
    reused: false,
    reason: 'removed',
  })
  if (moves) context.forward.push({ op: 'record', kind: want.kind, configId: want.configId, processorId: self })
}
