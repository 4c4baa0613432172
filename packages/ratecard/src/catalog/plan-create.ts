// A new object at the processor: which id it gets, and what must give way first.
import { createHash } from 'node:crypto'
import { canonicalJson } from '../config/canonical.ts'
import { archiveStep } from './plan-archives.ts'
import { refuse } from './plan-context.ts'
import type { PlanContext } from './plan-context.ts'
import { processorId } from './resource.ts'
import type { DesiredResource, ObservedResource, ProcessorId, ResourceKind } from './resource.ts'
import type { Step } from './steps.ts'

/** Our namespace among the account's product ids. */
const productPrefix = 'rc_'

/** Plans the creation; refuses it when a natural key is in somebody else's hands. `carried`: redemptions of a code's predecessors. */
export function createStep<K extends ResourceKind>(
  context: PlanContext,
  want: DesiredResource<K>,
  carried: number,
): void {
  if (want.kind === 'price' && !lookupKeyIsFree(context, want)) return
  if (!clearTheWay(context, want)) return
  context.forward.push({
    op: 'create',
    kind: want.kind,
    configId: want.configId,
    // A default price can only be set once the price exists: a step of its own.
    fields: want.kind === 'product' ? { ...want.fields, defaultPrice: null } : want.fields,
    id: chosenId(context, want),
    carried: limitOf(want) === null ? 0 : carried,
  } as Step)
}

function limitOf(want: DesiredResource): number | null {
  return want.kind === 'promotion_code' ? (want as DesiredResource<'promotion_code'>).fields.maxRedemptions : null
}

/** Whether all the redemptions that the document allows are used up already. */
export function usedUp(want: DesiredResource, object: ObservedResource): boolean {
  const limit = limitOf(want)
  return limit !== null && object.redeemed + object.carried >= limit
}

/**
 * Products and coupons have ids of our choosing. A used one is never taken again: whether the processor allows it after a
 * deletion is not documented, and a coupon's id is what discounts already given refer to.
 */
function chosenId(context: PlanContext, want: DesiredResource): ProcessorId | null {
  if (want.kind !== 'product' && want.kind !== 'coupon') return null
  const base = want.kind === 'product' ? productPrefix + want.configId : want.configId
  const taken = (id: string) =>
    context.own.everMapped(want.kind, id) ||
    context.own.find(want.kind, processorId(id)) !== null ||
    context.chosenIds.has(want.kind, id)
  const choose = (id: string) => {
    context.chosenIds.set(want.kind, id, true)
    return processorId(id)
  }
  if (!taken(base)) return choose(base)
  // Derived from the content, so that a push that is repeated chooses the same id again.
  const digest = createHash('sha256').update(canonicalJson(want.fields)).digest('hex').slice(0, 6)
  for (let attempt = 0; ; attempt++) {
    const id = attempt === 0 ? `${base}-${digest}` : `${base}-${digest}-${String(attempt)}`
    if (!taken(id)) return choose(id)
  }
}

/** Lookup keys are unique over all prices of the account, archived ones included. */
export function lookupKeyIsFree(context: PlanContext, want: DesiredResource): boolean {
  const holder = context.own.holderOf(want.configId)
  if (holder === null || context.own.ownerOf('price', holder.processorId) !== null || holder.processorId === want.adopt)
    return true
  refuse(
    context,
    want,
    'lookup_key_taken',
    `The price ${holder.processorId}, which is not ours, holds the lookup key "${want.configId}".`,
    `Adopt it with "processor_id": "${holder.processorId}", give it another lookup key at the processor, or choose another price id.`,
    'id',
  )
  return false
}

/**
 * Event names of meters and codes are unique among active objects: ours that is in the way is stopped before its successor
 * is made or woken, somebody else's refuses the plan.
 */
export function clearTheWay(context: PlanContext, want: DesiredResource): boolean {
  if (want.kind !== 'meter' && want.kind !== 'promotion_code') return true
  for (const object of context.own.all(want.kind) as readonly ObservedResource[]) {
    if (!object.active || context.settled.has(want.kind, object.processorId) || !inTheWay(want, object)) continue
    if (object.processorId === want.adopt) continue
    if (context.own.ownerOf(want.kind, object.processorId) === null) {
      refuseTaken(context, want, object)
      return false
    }
    context.settled.set(want.kind, object.processorId, true)
    context.forward.push(archiveStep(object, want.configId))
  }
  return true
}

function inTheWay(want: DesiredResource, object: ObservedResource): boolean {
  if (want.kind === 'meter')
    return (
      (want as DesiredResource<'meter'>).fields.eventName === (object as ObservedResource<'meter'>).fields.eventName
    )
  const code = want as DesiredResource<'promotion_code'>
  const other = object as ObservedResource<'promotion_code'>
  return code.fields.active && code.fields.code.toLowerCase() === other.fields.code.toLowerCase()
}

function refuseTaken(context: PlanContext, want: DesiredResource, holder: ObservedResource): void {
  if (want.kind === 'meter')
    refuse(
      context,
      want,
      'meter_event_name_taken',
      `The active meter ${holder.processorId}, which is not ours, listens to the same event in another way.`,
      `Match its settings, adopt it with "processor_id": "${holder.processorId}", or use another event name.`,
      'event_name',
    )
  else
    refuse(
      context,
      want,
      'code_taken',
      `The active promotion code ${holder.processorId}, which is not ours, has the same code.`,
      `Deactivate it in the dashboard, adopt it with "processor_id": "${holder.processorId}", or use another code.`,
      'code',
    )
}
