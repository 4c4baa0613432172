// Plans the archives, which run last. Archived are resources that were removed from the document, objects that were replaced, and strays
// (objects that an abandoned push left behind).
import type { Issue } from '../../base/errors/issue.ts'
import type { PlannedChange } from '../change.ts'
import { resourceKinds, type ConfigId, type ProcessorId, type ResourceKind } from '../kinds.ts'
import type { DesiredResource, ObservedResource } from '../resource.ts'
import type { ArchiveStep, Step } from '../steps.ts'
import { changeOf, type Decision } from './decision.ts'
import { planWarning, type PlanState } from './state.ts'

/**
 * Archive order of the kinds: a resource is archived before the resources that it refers to. A code refers to its coupon, a product to its
 * default price and its features, a price to its meter.
 */
const archiveRank: Readonly<Record<ResourceKind, number>> = {
  portal: 1,
  promotion_code: 2,
  coupon: 3,
  product: 4,
  feature: 5,
  price: 6,
  meter: 7,
  tax_rate: 8,
  webhook: 9,
}

/** Returns the archive steps sorted by kind. Steps of one kind keep their order. */
export function inArchiveOrder<S extends Step>(archives: readonly S[]): S[] {
  return [...archives].sort((one, other) => archiveRank[one.kind] - archiveRank[other.kind])
}

/** Returns a decision for each owned object that must be archived, and one for each resource that was removed from the document. */
export function decideArchives(state: PlanState): Partial<Decision>[] {
  return resourceKinds.flatMap((kind) => [
    ...state.own.all<ResourceKind>(kind).flatMap((object) => archiveIfNotWanted(state, object) ?? []),
    ...state.removed(kind).map((resource) => decideRemoved(state, resource)),
  ])
}

function archiveIfNotWanted(state: PlanState, object: ObservedResource): Partial<Decision> | null {
  const { kind, processorId } = object
  if (!object.active || state.settled.has(kind, processorId)) return null
  const owner = state.own.ownerOf(kind, processorId)
  if (owner === null) return null
  const wanted = state.wanted.has(kind, owner)
  // The document contains the resource, but the plan refuses the resource (it has no outcome). So its objects are not archived.
  if (wanted && !state.outcomes.has(kind, owner)) return null
  if (wanted && state.retiring.has(processorId)) return null
  const replaced = wanted && state.own.currentOf(kind, owner) === processorId
  const removed = !wanted && state.known.has(kind, owner)
  if (object.archivable === false) return removed ? { issues: [staysActive(state, kind, owner)] } : null
  return {
    archives: [archiveStep(object, owner)],
    strays: replaced || removed ? [] : [archiveChange(state, kind, owner, processorId, 'stray')],
  }
}

/** Warns that the account's own default configuration of the portal stays active, because the processor refuses to switch it off. */
function staysActive(state: PlanState, kind: ResourceKind, configId: ConfigId): Issue {
  return planWarning(
    state,
    { kind, configId },
    'portal_default_stays',
    `The portal configuration "${configId}" is the account’s own default, which the processor cannot switch off: it stays as it is.`,
    'To switch it off, first choose another default configuration in the processor’s dashboard.',
  )
}

/**
 * Returns the step that archives an object. The step of a coupon contains its last state, because archiving deletes a coupon at the
 * processor.
 */
export function archiveStep(object: ObservedResource, id: ConfigId): ArchiveStep {
  const { kind, processorId } = object
  return { op: 'archive', kind, configId: id, processorId, last: kind === 'coupon' ? object.raw : null }
}

/** Returns the change of a resource that was removed from the document. */
function decideRemoved(state: PlanState, resource: DesiredResource): Partial<Decision> {
  const { kind, configId, home } = resource
  const change = archiveChange(state, kind, configId, state.own.currentOf(kind, configId), 'removed')
  return { change: { ...change, home } }
}

function archiveChange(
  state: PlanState,
  kind: ResourceKind,
  configId: ConfigId,
  before: ProcessorId | null,
  reason: 'removed' | 'stray',
): PlannedChange {
  return changeOf(state, {
    action: 'archive',
    kind,
    configId,
    home: 'processor',
    because: [],
    before,
    after: null,
    reason,
  })
}
