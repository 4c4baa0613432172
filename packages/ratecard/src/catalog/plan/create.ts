// Plans the creation of an object at the processor: its id, and the archives that must happen first.
import { createHash } from 'node:crypto'
import { canonicalJson } from '../../config/schema/canonical.ts'
import type { Issue } from '../../errors/issue.ts'
import { processorId, type ProcessorId, type ResourceKind } from '../kinds.ts'
import type { CarriedValue, DesiredResource, ObservedResource } from '../resource.ts'
import type { Step } from '../steps.ts'
import { archiveStep } from './archives.ts'
import { mergeDecisions, type Decision } from './decision.ts'
import { refusal, type PlanState } from './state.ts'

/** Prefix of the product ids that Ratecard chooses, e.g. `rc_pro`. */
const productPrefix = 'rc_'

/**
 * Decides a creation. Refuses it if a foreign object already has a unique key of the resource (lookup key, event name, code). `carried` is
 * the number of redemptions that the replaced objects had.
 */
export function decideCreation<K extends ResourceKind>(
  state: PlanState,
  want: DesiredResource<K>,
  carried: number,
  unsaid: readonly CarriedValue[] = [],
): Partial<Decision> {
  const taken = [...takenLookupKey(state, want), ...takenFeatureKey(state, want), ...codeOfDeletedCoupon(state, want)]
  if (taken.length > 0) return { issues: taken }
  const cleared = clearTheWay(state, want)
  if (cleared.issues.length > 0) return cleared
  const id = chooseId(state, want)
  const step = {
    op: 'create',
    kind: want.kind,
    configId: want.configId,
    // Separate steps set the default price and the features of a product, because both refer to objects that must exist first.
    fields: want.kind === 'product' ? { ...want.fields, defaultPrice: null, features: [] } : want.fields,
    id,
    carried: limitOf(want) === null ? 0 : carried,
    ...(unsaid.length === 0 ? {} : { unsaid: Object.fromEntries(unsaid.map(({ member, value }) => [member, value])) }),
  } as Step
  return mergeDecisions(cleared, {
    steps: [step],
    chosenId: id === null ? null : { kind: want.kind, configId: want.configId, id },
  })
}

/** Refuses a promotion code whose coupon was deleted at the processor and is not re-created by this plan. */
function codeOfDeletedCoupon(state: PlanState, want: DesiredResource): Issue[] {
  if (want.kind !== 'promotion_code') return []
  const { coupon } = (want as DesiredResource<'promotion_code'>).fields
  const object = state.outcomes.get('coupon', coupon) ?? null
  if (object === null || state.own.find('coupon', object) !== null) return []
  return [
    refusal(
      state,
      want,
      'drift',
      `The code "${want.configId}" gives the coupon "${coupon}", which was deleted at the processor.`,
      'Create the coupon again with --force, or remove both from the files.',
      'coupon',
    ),
  ]
}

function limitOf(want: DesiredResource): number | null {
  return want.kind === 'promotion_code' ? (want as DesiredResource<'promotion_code'>).fields.maxRedemptions : null
}

/** True if the redemptions that the document allows are all used up. */
export function usedUp(want: DesiredResource, object: ObservedResource): boolean {
  const limit = limitOf(want)
  return limit !== null && object.redeemed + object.carried >= limit
}

/**
 * Chooses the id of a new product or coupon; null for other kinds, whose ids the processor chooses. A used id is never reused: Stripe does
 * not document whether it may be reused after a deletion, and existing discounts refer to their coupon by id.
 */
function chooseId(state: PlanState, want: DesiredResource): ProcessorId | null {
  if (want.kind !== 'product' && want.kind !== 'coupon') return null
  const base = want.kind === 'product' ? productPrefix + want.configId : want.configId
  const taken = (id: string) =>
    state.own.everMapped(want.kind, id) ||
    state.own.find(want.kind, processorId(id)) !== null ||
    state.chosenIds.has(want.kind, id)
  if (!taken(base)) return processorId(base)
  // The suffix is derived from the content, so that a retry of the push chooses the same id.
  const digest = createHash('sha256').update(canonicalJson(want.fields)).digest('hex').slice(0, 6)
  for (let attempt = 0; ; attempt++) {
    const id = attempt === 0 ? `${base}-${digest}` : `${base}-${digest}-${String(attempt)}`
    if (!taken(id)) return processorId(id)
  }
}

/** Refuses a price whose lookup key a foreign price has. Lookup keys are unique over all prices of the account, including archived ones. */
export function takenLookupKey(state: PlanState, want: DesiredResource): Issue[] {
  if (want.kind !== 'price') return []
  const holder = state.own.holderOf(want.configId)
  if (holder === null || state.own.ownerOf('price', holder.processorId) !== null || holder.processorId === want.adopt)
    return []
  return [
    refusal(
      state,
      want,
      'lookup_key_taken',
      `The price ${holder.processorId}, which Ratecard does not manage, has the lookup key "${want.configId}".`,
      `Adopt it with "processor_id": "${holder.processorId}", give it another lookup key at the processor, or choose another price id.`,
      'id',
    ),
  ]
}

/**
 * Refuses a feature whose lookup key another active feature has. A feature's lookup key never changes, so a renamed feature still has its
 * original one.
 */
function takenFeatureKey(state: PlanState, want: DesiredResource): Issue[] {
  if (want.kind !== 'feature') return []
  const holder = state.own.all('feature').find((object) => object.active && object.lookupKey === want.configId)
  if (holder === undefined) return []
  const owner = state.own.ownerOf('feature', holder.processorId)
  return [
    refusal(
      state,
      want,
      'lookup_key_taken',
      `The feature ${holder.processorId}, which ${owner === null ? 'Ratecard does not manage' : `is "${owner}"`}, has the lookup key "${want.configId}".`,
      owner === null
        ? `Adopt it with "processor_id": "${holder.processorId}", archive it at the processor, or choose another feature id.`
        : 'Choose another feature id.',
      'id',
    ),
  ]
}

/**
 * Resolves name conflicts. Event names of meters and promotion codes are unique among active objects. An owned object with the same name is
 * archived before its successor is created or reactivated. A foreign object with the same name makes the plan refuse the resource.
 */
export function clearTheWay(state: PlanState, want: DesiredResource): Decision {
  if (want.kind !== 'meter' && want.kind !== 'promotion_code') return mergeDecisions()
  const inTheWay = (state.own.all(want.kind) as readonly ObservedResource[]).filter(
    (object) =>
      object.active &&
      object.processorId !== want.adopt &&
      !state.settled.has(want.kind, object.processorId) &&
      sharesName(want, object),
  )
  const foreign = inTheWay.findIndex((object) => state.own.ownerOf(want.kind, object.processorId) === null)
  const ours = foreign < 0 ? inTheWay : inTheWay.slice(0, foreign)
  const holder = inTheWay[foreign]
  return mergeDecisions({
    settled: ours,
    steps: ours.map((object) => archiveStep(object, want.configId)),
    issues: holder === undefined ? [] : [nameTaken(state, want, holder)],
  })
}

function sharesName(want: DesiredResource, object: ObservedResource): boolean {
  if (want.kind === 'meter')
    return (
      (want as DesiredResource<'meter'>).fields.eventName === (object as ObservedResource<'meter'>).fields.eventName
    )
  const code = want as DesiredResource<'promotion_code'>
  const other = object as ObservedResource<'promotion_code'>
  return code.fields.active && code.fields.code.toLowerCase() === other.fields.code.toLowerCase()
}

function nameTaken(state: PlanState, want: DesiredResource, holder: ObservedResource): Issue {
  if (want.kind === 'meter')
    return refusal(
      state,
      want,
      'meter_event_name_taken',
      `The active meter ${holder.processorId}, which Ratecard does not manage, has the same event name but other settings.`,
      `Match its settings, adopt it with "processor_id": "${holder.processorId}", or use another event name.`,
      'event_name',
    )
  return refusal(
    state,
    want,
    'code_taken',
    `The active promotion code ${holder.processorId}, which Ratecard does not manage, has the same code.`,
    `Deactivate it in the dashboard, adopt it with "processor_id": "${holder.processorId}", or use another code.`,
    'code',
  )
}
