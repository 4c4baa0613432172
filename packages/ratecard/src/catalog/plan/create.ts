// Plans the creation of an object at the processor: its id, and the archives that must happen first.
import { createHash } from 'node:crypto'
import { canonicalJson } from '../../document/schema/canonical/canonical.ts'
import type { Issue } from '../../base/errors/issue.ts'
import { processorId, type ConfigId, type ProcessorId, type ResourceKind } from '../kinds.ts'
import type { FieldsOf } from '../fields/tables.ts'
import type { CarriedValue, DesiredResource, ObservedResource } from '../resource.ts'
import type { Step } from '../steps.ts'
import { hasRoomForMark, metadataOf } from '../mark.ts'
import { archiveStep } from './archives.ts'
import { mergeDecisions, type Decision } from './decision.ts'
import { noRoomForMark, planError, type PlanState } from './state.ts'

/** Prefix of the product ids that Ratecard chooses, e.g. `rc_pro`. */
const productPrefix = 'rc_'

/**
 * Decides how to create an object. Refuses the creation if a foreign object already has a unique key of the resource (lookup key, event
 * name, code). `carried` is the number of redemptions that the replaced objects had.
 */
export function decideCreation<K extends ResourceKind>(
  state: PlanState,
  want: DesiredResource<K>,
  carried: number,
  unsaid: readonly CarriedValue[] = [],
): Partial<Decision> {
  const key = keyOf(want)
  const taken = [
    ...takenLookupKey(state, want, key),
    ...takenFeatureKey(state, want, key),
    ...codeOfDeletedCoupon(state, want),
    ...noRoomForCompanions(state, want, { carried, keys: Object.keys(metadataOf(want.fields)).length }),
  ]
  if (taken.length > 0) return { issues: taken }
  const cleared = clearTheWay(state, want)
  if (cleared.issues.length > 0) return cleared
  const id = chooseId(state, want)
  const step = {
    op: 'create',
    kind: want.kind,
    configId: want.configId,
    fields: { ...want.fields, ...settledLater(want.kind), ...(key === null ? {} : { lookupKey: key }) },
    id,
    carried: limitOf(want) === null ? 0 : carried,
    ...(unsaid.length === 0 ? {} : { unsaid: Object.fromEntries(unsaid.map(({ member, value }) => [member, value])) }),
  } as Step
  return mergeDecisions(cleared, {
    issues: hasRoomForMark(Object.keys(metadataOf(want.fields)).length) ? [] : [noRoomForMark(state, want)],
    steps: [step],
    chosenId: id === null ? null : { kind: want.kind, configId: want.configId, id },
  })
}

/**
 * Refuses a new or adopted object whose metadata, which has `keys` keys, has no room for a key that Ratecard must store: the redemptions of
 * a replaced code or coupon, or the flag of a webhook for connected accounts.
 */
export function noRoomForCompanions(
  state: PlanState,
  want: DesiredResource,
  { carried, keys }: { readonly carried: number; readonly keys: number },
): Issue[] {
  const counted = (want.kind === 'promotion_code' || want.kind === 'coupon') && limitOf(want) !== null && carried > 0
  const connected = want.kind === 'webhook' && (want as DesiredResource<'webhook'>).fields.connect
  if (!(counted || connected) || hasRoomForMark(keys)) return []
  return [
    planError(
      state,
      want,
      'metadata_full',
      `The ${want.kind.replace('_', ' ')} "${want.configId}" has ${String(keys)} metadata keys, and one more is needed for ${connected ? 'its flag `connect`' : 'the redemptions so far'}.`,
      'Remove a metadata key.',
      'metadata',
    ),
  ]
}

/** Returns empty values for the fields that later steps set. These fields refer to objects that must be created first. */
function settledLater(kind: ResourceKind): object {
  return kind === 'product' ? { defaultPrice: null, features: [] } : {}
}

/** Returns the lookup key for a new object: the one in the document, otherwise the id. null for kinds without lookup keys. */
function keyOf(want: DesiredResource): string | null {
  if (want.kind !== 'price' && want.kind !== 'feature') return null
  return (want.fields as FieldsOf<'price' | 'feature'>).lookupKey || want.configId
}

/** Refuses a promotion code whose coupon was deleted at the processor and is not re-created by this plan. */
function codeOfDeletedCoupon(state: PlanState, want: DesiredResource): Issue[] {
  if (want.kind !== 'promotion_code') return []
  const { coupon } = (want as DesiredResource<'promotion_code'>).fields
  const object = state.outcomes.get('coupon', coupon) ?? null
  if (object === null || state.own.find('coupon', object) !== null) return []
  return [
    planError(
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
 * Chooses the id of a new product or coupon. Returns null for other kinds, because the processor chooses their ids. Never reuses a used id:
 * Stripe does not document whether an id may be reused after a deletion, and existing discounts refer to their coupon by id.
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

/**
 * Refuses a price whose lookup key belongs to a foreign price, or to a price that was adopted with that key and keeps it. Lookup keys are
 * unique over all prices of the account, including archived ones.
 */
export function takenLookupKey(state: PlanState, want: DesiredResource, key: string | null): Issue[] {
  if (want.kind !== 'price' || key === null) return []
  const holder = state.own.holderOf(key)
  if (holder === null || holder.processorId === want.adopt) return []
  const owner = state.own.ownerOf('price', holder.processorId)
  if (owner !== null && !keepsKey(state, owner, holder.processorId, want)) return []
  return [
    planError(
      state,
      want,
      'lookup_key_taken',
      `The price ${holder.processorId}, which ${owner === null ? 'Ratecard does not manage' : `is "${owner}"`}, has the lookup key ${JSON.stringify(key)}.`,
      owner === null
        ? `Adopt it with "processor_id": "${holder.processorId}", give it another lookup key at the processor, or choose another \`lookup_key\`.`
        : `Choose another \`lookup_key\`, or write the new one of "${owner}" into the document.`,
      key === want.configId ? 'id' : 'lookup_key',
    ),
  ]
}

/**
 * True if another price of the document was adopted without a `lookup_key`. Such a price keeps the lookup key that it has at the processor.
 */
function keepsKey(state: PlanState, owner: ConfigId, holder: ProcessorId, want: DesiredResource): boolean {
  const kept = state.wanted.get('price', owner) as DesiredResource<'price'> | undefined
  return (
    owner !== want.configId &&
    kept !== undefined &&
    kept.fields.lookupKey === '' &&
    state.own.currentOf('price', owner) === holder
  )
}

/**
 * Refuses a feature whose lookup key belongs to another active feature. A feature's lookup key never changes, so a renamed feature still
 * has its original key.
 */
function takenFeatureKey(state: PlanState, want: DesiredResource, key: string | null): Issue[] {
  if (want.kind !== 'feature') return []
  const holder = state.own.all('feature').find(({ active, fields }) => active && fields.lookupKey === key)
  if (holder === undefined) return []
  const owner = state.own.ownerOf('feature', holder.processorId)
  return [
    planError(
      state,
      want,
      'lookup_key_taken',
      `The feature ${holder.processorId}, which ${owner === null ? 'Ratecard does not manage' : `is "${owner}"`}, has the lookup key ${JSON.stringify(key)}.`,
      owner === null
        ? `Adopt it with "processor_id": "${holder.processorId}", archive it at the processor, or choose another \`lookup_key\`.`
        : 'Choose another `lookup_key`.',
      key === want.configId ? 'id' : 'lookup_key',
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
    return planError(
      state,
      want,
      'meter_event_name_taken',
      `The active meter ${holder.processorId}, which Ratecard does not manage, has the same event name but other settings.`,
      `Match its settings, adopt it with "processor_id": "${holder.processorId}", or use another event name.`,
      'event_name',
    )
  return planError(
    state,
    want,
    'code_taken',
    `The active promotion code ${holder.processorId}, which Ratecard does not manage, has the same code.`,
    `Deactivate it in the dashboard, adopt it with "processor_id": "${holder.processorId}", or use another code.`,
    'code',
  )
}
