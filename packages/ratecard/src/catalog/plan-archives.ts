// Everything that goes, planned last: what the document no longer holds, what was replaced, and strays of abandoned pushes.
import type { Draft, PlanContext } from './plan-context.ts'
import { resourceKinds } from './resource.ts'
import type { ConfigId, DesiredResource, ObservedResource, ProcessorId, ResourceKind } from './resource.ts'
import type { ArchiveStep } from './steps.ts'

export function planArchives(context: PlanContext): void {
  for (const kind of resourceKinds) {
    for (const object of context.own.all<ResourceKind>(kind)) archiveIfNotWanted(context, object)
    for (const resource of context.previous[kind] as readonly DesiredResource[]) reportRemoved(context, kind, resource)
  }
}

function archiveIfNotWanted(context: PlanContext, object: ObservedResource): void {
  const { kind, processorId } = object
  const owner = context.own.ownerOf(kind, processorId)
  if (owner === null || !object.active) return
  const settled = context.settled.has(kind, processorId)
  if (settled) return
  const wanted = context.wanted.has(kind, owner)
  // The plan refuses this resource: whatever stands for it stays.
  if (wanted && !context.outcomes.has(kind, owner)) return
  context.settled.set(kind, processorId, true)
  context.archives[kind].push(archiveStep(object, owner))
  const replaced = wanted && context.own.currentOf(kind, owner) === processorId
  const removed = !wanted && context.known.has(kind, owner)
  if (!replaced && !removed) context.strays.push(archiveDraft(kind, owner, processorId, 'stray'))
}

/** A coupon is deleted at the processor, so the step carries its last object. */
export function archiveStep(object: ObservedResource, id: ConfigId): ArchiveStep {
  const { kind, processorId } = object
  return { op: 'archive', kind, configId: id, processorId, last: kind === 'coupon' ? object.raw : null }
}

function reportRemoved(context: PlanContext, kind: ResourceKind, resource: DesiredResource): void {
  if (context.wanted.has(kind, resource.configId) || context.drafts.has(kind, resource.configId)) return
  const current = context.own.currentOf(kind, resource.configId)
  context.drafts.set(kind, resource.configId, {
    ...archiveDraft(kind, resource.configId, current, 'removed'),
    home: resource.home,
  })
}

function archiveDraft(
  kind: ResourceKind,
  configId: ConfigId,
  before: ProcessorId | null,
  reason: 'removed' | 'stray',
): Draft {
  return {
    action: 'archive',
    kind,
    configId,
    home: 'processor',
    because: [],
    before,
    after: null,
    reused: false,
    reason,
  }
}
