// The default price of a product, moved after prices exist and before anything is archived: the processor refuses to
// archive a price that is still somebody's default.
import type { FieldChange, Origin } from './plan.ts'
import type { PlanContext } from './plan-context.ts'
import type { ConfigId, DesiredResource, ProcessorId } from './resource.ts'

export function decideDefaultPrices(context: PlanContext): void {
  for (const product of context.desired.product) decideDefaultPrice(context, product)
}

function decideDefaultPrice(context: PlanContext, product: DesiredResource<'product'>): void {
  const outcome = context.outcomes.get('product', product.configId)
  const draft = context.drafts.get('product', product.configId)
  if (outcome === undefined || draft === undefined) return
  const live = outcome === null ? null : (context.own.find('product', outcome)?.fields.defaultPrice ?? null)
  const want = product.fields.defaultPrice
  const moves = needsMove(context, want, live)
  if (moves)
    context.forward.push({
      op: 'update',
      kind: 'product',
      configId: product.configId,
      // A product that is yet to be made has chosen its id already.
      processorId: outcome ?? pendingId(context, product.configId),
      set: { defaultPrice: want },
      unset: [],
      mark: false,
      claimLookupKey: false,
      activate: false,
    })
  if (outcome === null || draft.action === 'adopt' || draft.action === 'reactivate') return
  const change = defaultChange(context, product, live, moves)
  if (change === null) return
  draft.because.push(change)
  if (draft.action === 'keep') draft.action = 'update'
}

function needsMove(context: PlanContext, want: ConfigId | null, live: ProcessorId | null): boolean {
  if (want === null) {
    // Somebody else's price as default is not ours to clear.
    return live !== null && context.own.ownerOf('price', live) !== null
  }
  const target = context.outcomes.get('price', want)
  if (target === undefined) return false
  return target === null || target !== live
}

function pendingId(context: PlanContext, id: ConfigId): ProcessorId {
  for (const step of context.forward)
    if (step.op === 'create' && step.kind === 'product' && step.configId === id && step.id !== null) return step.id
  throw new Error(`No planned product ${id}`)
}

/** null when only the object behind the same configuration id changed: then the product itself did not. */
function defaultChange(
  context: PlanContext,
  product: DesiredResource<'product'>,
  live: ProcessorId | null,
  moves: boolean,
): FieldChange | null {
  const last = context.known.get('product', product.configId) as DesiredResource<'product'> | undefined
  const lastPrice = last?.fields.defaultPrice ?? null
  const lastId = lastPrice === null ? null : context.own.currentOf('price', lastPrice)
  const edited = last !== undefined && lastPrice !== product.fields.defaultPrice
  const drifted = moves && last !== undefined && lastId !== live
  if (!edited && !drifted) return null
  const origin: Origin = edited ? (drifted ? 'both' : 'edit') : 'drift'
  return {
    field: 'default_price',
    before: live === null ? undefined : (context.own.ownerOf('price', live) ?? live),
    after: product.fields.defaultPrice ?? undefined,
    origin,
  }
}
