// Plans the features of products. Features are attached after everything is created and detached together with the archives, so that no
// customer loses an entitlement before its replacement exists.
import { isLeftAlone, deepEqual } from '../fields/differences.ts'
import { rowOf } from '../fields/tables.ts'
import type { ConfigId, ProcessorId } from '../kinds.ts'
import type { DesiredResource, ObservedResource } from '../resource.ts'
import type { AttachStep, DetachStep } from '../steps.ts'
import type { Decision } from './decision.ts'
import { pendingId, withReason } from './default-price.ts'
import { fieldChange, type PlanState } from './state.ts'

export function decideFeatures(state: PlanState, product: DesiredResource<'product'>): Partial<Decision> {
  const outcome = state.outcomes.get('product', product.configId)
  const change = state.changes.get('product', product.configId)
  if (outcome === undefined || change === undefined) return {}
  if (leftAlone(state, product)) return {}
  const object = outcome === null ? null : state.own.find('product', outcome)
  const live = object?.fields.features ?? []
  const wanted = product.fields.features.filter((id) => canBeAttached(state, id))
  const present = wanted.map((id) => state.outcomes.get('feature', id) ?? null)
  const id = outcome ?? pendingId(state, product.configId)
  const steps = wanted
    .filter((_, index) => !live.some((one) => one === present[index]))
    .map((feature): AttachStep => ({
      op: 'attach',
      kind: 'product',
      configId: product.configId,
      processorId: id,
      feature,
    }))
  const gone = live.filter((feature) => !present.includes(feature))
  const archives = object === null ? [] : gone.map((feature) => detachStep(object, product.configId, feature))
  if (steps.length + archives.length === 0 && !isEdited(state, product)) return {}
  if (outcome === null || change.action === 'adopt' || change.action === 'reactivate') return { steps, archives }
  const reason = reasonOf(state, product, live)
  return { steps, archives, ...(reason === null ? {} : { change: withReason(state, change, reason) }) }
}

/**
 * True if the feature can be attached to a product. A feature that was archived at the processor cannot; another decision of the plan
 * reports it.
 */
function canBeAttached(state: PlanState, id: ConfigId): boolean {
  const feature = state.outcomes.get('feature', id)
  if (feature === undefined) return false
  return feature === null || state.own.find('feature', feature) !== null
}

function leftAlone(state: PlanState, product: DesiredResource<'product'>): boolean {
  const row = rowOf('product', 'features')
  const last = state.known.get('product', product.configId) as DesiredResource<'product'> | undefined
  const adopting = product.adopt !== null && product.adopt === state.outcomes.get('product', product.configId)
  return (
    row !== undefined &&
    isLeftAlone(
      row,
      product.fields.features,
      last === undefined ? undefined : { value: last.fields.features },
      adopting,
    )
  )
}

function isEdited(state: PlanState, product: DesiredResource<'product'>): boolean {
  const last = state.known.get('product', product.configId) as DesiredResource<'product'> | undefined
  return last !== undefined && !deepEqual(last.fields.features, product.fields.features)
}

/**
 * Returns the change of the product's features. Returns null if only the processor object of a feature was replaced, because then the
 * product has the same features as before and does not change.
 */
function reasonOf(state: PlanState, product: DesiredResource<'product'>, live: readonly ProcessorId[]) {
  const want = state.wantedFields(product).features
  const edited = isEdited(state, product)
  const last = state.lastFields('product', product.configId)?.features
  const drifted = last !== undefined && !deepEqual(last, live)
  if (!edited && !drifted) return null
  const origin = edited ? (drifted ? ('both' as const) : ('edit' as const)) : ('drift' as const)
  return fieldChange(state, 'product', { field: 'features', want, live, origin, fixed: false })
}

function detachStep(product: ObservedResource<'product'>, configId: ConfigId, feature: ProcessorId): DetachStep {
  const { processorId, attachments } = product
  return { op: 'detach', kind: 'product', configId, processorId, feature, attachment: attachments[feature] ?? '' }
}
