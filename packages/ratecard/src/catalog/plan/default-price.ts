// Plans the change of a product's default price. It happens after the product's prices exist and before anything is archived, because the
// processor refuses to archive a default price.
import type { PlannedChange, FieldChange, Origin } from '../change.ts'
import type { ConfigId, ProcessorId } from '../kinds.ts'
import type { DesiredResource } from '../resource.ts'
import type { Step } from '../steps.ts'
import { changeOf, type Decision } from './decision.ts'
import type { PlanState } from './state.ts'

export function decideDefaultPrice(state: PlanState, product: DesiredResource<'product'>): Partial<Decision> {
  const outcome = state.outcomes.get('product', product.configId)
  const change = state.changes.get('product', product.configId)
  if (outcome === undefined || change === undefined) return {}
  const live = outcome === null ? null : (state.own.find('product', outcome)?.fields.defaultPrice ?? null)
  const moves = needsMove(state, product.fields.defaultPrice, live)
  // A product that does not exist yet already has an id, because the plan chose one.
  const steps = moves ? [moveStep(product, outcome ?? pendingId(state, product.configId))] : []
  const because =
    outcome === null || change.action === 'adopt' || change.action === 'reactivate'
      ? null
      : defaultChange(state, product, live, moves)
  return because === null ? { steps } : { steps, change: withReason(state, change, because) }
}

function moveStep(product: DesiredResource<'product'>, processorId: ProcessorId): Step {
  return {
    op: 'update',
    kind: 'product',
    configId: product.configId,
    processorId,
    set: { defaultPrice: product.fields.defaultPrice },
    unset: [],
    mark: false,
    activate: false,
  }
}

/** Adds a reason to the change of a product. If the product was unchanged (`keep`), the change becomes an update. */
export function withReason(state: PlanState, change: PlannedChange, reason: FieldChange): PlannedChange {
  const because = [...change.because, reason]
  if (change.action !== 'keep') return { ...change, because }
  const { kind, configId, home, processorIdBefore: before, processorIdAfter: after } = change
  return changeOf(state, { action: 'update', kind, configId, home, because, before, after })
}

function needsMove(state: PlanState, want: ConfigId | null, live: ProcessorId | null): boolean {
  if (want === null) {
    // If the default price does not belong to Ratecard, it was set by hand. So it is not cleared either.
    return live !== null && state.own.ownerOf('price', live) !== null
  }
  const target = state.outcomes.get('price', want)
  if (target === undefined) return false
  return target === null || target !== live
}

/** Returns the id that the plan reserved for a product that does not exist yet. */
export function pendingId(state: PlanState, id: ConfigId): ProcessorId {
  const chosen = state.chosenFor.get('product', id)
  if (chosen === undefined) throw new Error(`No planned product ${id}`)
  return chosen
}

/**
 * Returns the change of the default price. Returns null if only the processor object of the default price was replaced, because then the
 * product itself does not change.
 */
function defaultChange(
  state: PlanState,
  product: DesiredResource<'product'>,
  live: ProcessorId | null,
  moves: boolean,
): FieldChange | null {
  const last = state.known.get('product', product.configId) as DesiredResource<'product'> | undefined
  const lastPrice = last?.fields.defaultPrice ?? null
  const lastId = lastPrice === null ? null : state.own.currentOf('price', lastPrice)
  const edited = last !== undefined && lastPrice !== product.fields.defaultPrice
  const drifted = moves && last !== undefined && lastId !== live
  if (!edited && !drifted) return null
  const origin: Origin = edited ? (drifted ? 'both' : 'edit') : 'drift'
  const owner = live === null ? null : state.own.ownerOf('price', live)
  // An earlier object of the same price has its own id here, since its configuration id would be that of the wanted one.
  const isSame = owner !== null && owner === product.fields.defaultPrice
  return {
    field: 'default_price',
    before: live === null ? undefined : isSame ? live : (owner ?? live),
    after: product.fields.defaultPrice ?? undefined,
    origin,
  }
}
