// Decides one resource: keep, update, reactivate, adopt, replace or create. The live objects take precedence over the mapping history, e.g.
// if the mapped object no longer exists.
import type { Issue } from '../../base/errors/issue.ts'
import type { PlannedChange, FieldChange } from '../change.ts'
import { differences, isUnmanaged, deepEqual, type Difference } from '../fields/differences.ts'
import { documentName, fieldRows, type FieldsOf } from '../fields/tables.ts'
import { connectKey, processorId, type ProcessorId, type ResourceKind } from '../kinds.ts'
import { keysBesideMark } from '../mark.ts'
import { isWithheld } from '../observed.ts'
import type { CarriedValue, DesiredResource, ObservedResource } from '../resource.ts'
import { carriedOver, type CarriedOver } from './carry-over.ts'
import { decideCreation, noRoomForCompanions, usedUp } from './create.ts'
import { changeOf, concat, mergeDecisions, type Decision } from './decision.ts'
import { settleOn } from './settle.ts'
import { stoppedForGood } from './switched-off.ts'
import { planWarning, editsSince, fieldChange, ourEdits, planError, renamedFrom, type PlanState } from './state.ts'

export function decideResource<K extends ResourceKind>(state: PlanState, want: DesiredResource<K>): Partial<Decision> {
  if (want.home === 'local') return decideLocal(state, want)
  // The object is adopted, unless it already belongs to this id, according to a present or former mapping or to the ownership mark.
  if (want.adopt !== null && state.own.ownerOf(want.kind, want.adopt) !== want.configId)
    return decideAdoption(state, want, want.adopt)
  const fields = state.wantedFields(want)
  const candidates = candidatesFor(state, want, fields)
  const mapped = state.own.currentOf(want.kind, want.configId)
  const target =
    candidates.find((object) => object.processorId === mapped) ??
    candidates.find((object) => isEqual(want.kind, fields, object)) ??
    candidates[0]
  if (target === undefined) return decideAbsent(state, want)
  const found = relevantDifferences(
    state,
    differences(want.kind, fields, target.fields, state.lastFields(want.kind, want.configId), {
      // True if an earlier push wrote the ownership mark of the adopted object and was then interrupted. In this case the present push
      // continues the adoption.
      adopting: want.adopt === target.processorId,
    }),
    target,
  )
  const fixed = found.length === 0 ? found : found.filter((difference) => difference.fixed)
  if (fixed.length === 0) return settleOn(state, want, target, found, { adopting: false })
  if (want.kind === 'product') return { issues: [typeChanged(state, want, target)] }
  if (usedUp(want, target)) return settleExhausted(state, want, target, found)
  const drift = { issues: fixed.flatMap((difference) => driftIssues(state, want, difference)) }
  const over = carriedOver(state, want, target)
  const { want: whole, issues } = over
  const wholeFields = state.wantedFields(whole)
  const equal = candidates.find(
    (object) => object !== target && isEqual(want.kind, wholeFields, object) && hasSameUnsaid(object, over),
  )
  if (equal === undefined) return mergeDecisions(drift, decideReplacement(state, want, target, found, over))
  const remaining = differences(want.kind, wholeFields, equal.fields, null)
  return mergeDecisions(
    drift,
    { issues },
    settleOn(state, want, equal, remaining, { adopting: false, replacing: { target, found, whole } }),
  )
}

/**
 * True if both objects have the same values in the members that no document can express. If not, the object is not reused. E.g. if it has a
 * trial period, each new subscriber would get a trial that the replaced price did not have.
 */
function hasSameUnsaid({ carriable }: ObservedResource, { unsaid }: CarriedOver<ResourceKind>): boolean {
  const within = (some: readonly CarriedValue[], others: readonly CarriedValue[]) =>
    some.every((one) => others.some((other) => deepEqual(one, other)))
  return within(unsaid, carriable) && within(carriable, unsaid)
}

/**
 * Decides a free price. It is local: it has no object at the processor and maps to its own id. It is planned, recorded in the journal and
 * reported like other prices.
 */
function decideLocal(state: PlanState, want: DesiredResource): Partial<Decision> {
  const { kind, configId } = want
  const self = processorId(configId)
  const mapped = state.own.currentOf(kind, configId)
  const because = concat(renamedFrom(state, want), editsSince(state, want))
  const moves = mapped !== self
  const renamed = state.formerId(kind, configId)
  let action: PlannedChange['action']
  if (!state.known.has(kind, configId)) action = moves ? 'create' : 'reactivate'
  else if (renamed !== undefined && (!moves || mapped === String(renamed))) action = 'rename'
  else if (moves) action = 'replace'
  else action = because.length > 0 ? 'update' : 'keep'
  return {
    outcome: { kind, configId, is: self },
    change: changeOf(state, {
      action,
      kind,
      configId,
      home: 'local',
      because: action === 'update' || action === 'replace' || action === 'rename' ? because : [],
      before: action === 'create' ? null : mapped,
      after: self,
    }),
    steps: moves ? [{ op: 'record', kind, configId, processorId: self }] : [],
  }
}

/**
 * Returns the objects that can be used for the resource: owned ones and, for meters (which carry no ownership mark), also foreign ones with
 * the same event name and aggregation.
 */
function candidatesFor<K extends ResourceKind>(
  state: PlanState,
  want: DesiredResource<K>,
  fields: FieldsOf<K, ProcessorId>,
): readonly ObservedResource<K>[] {
  const ours = state.own.candidates(want.kind, want.configId)
  if (want.kind !== 'meter') return ours
  const others = state.own
    .all(want.kind)
    .filter((object) => state.own.ownerOf('meter', object.processorId) === null && isEqual(want.kind, fields, object))
  return [...ours, ...others.sort((a, b) => Number(b.active) - Number(a.active))]
}

/** True if the object equals the resource in all immutable fields, so that it can be used for the resource. */
function isEqual<K extends ResourceKind>(
  kind: K,
  fields: FieldsOf<K, ProcessorId>,
  object: ObservedResource<K>,
): boolean {
  if (object.unrepresentable.length > 0) return false
  if (kind === 'promotion_code' && object.spent) return false
  return differences(kind, fields, object.fields, null).every((difference) => !difference.fixed)
}

/**
 * Returns the differences that need a decision. Ignores a difference in `active` for a promotion code that cannot be active. An expired or
 * used-up code is kept even if its coupon was replaced. A code that only lost its coupon is re-created.
 */
function relevantDifferences<K extends ResourceKind>(
  state: PlanState,
  found: readonly Difference[],
  target: ObservedResource<K>,
): readonly Difference[] {
  if (!isWithheld(state.own, target)) return found
  const edits = found.filter((difference) => difference.field !== 'active')
  if (!target.spent) return edits.some((difference) => difference.fixed) ? found : edits
  return edits.every((difference) => difference.field === 'coupon' || !difference.fixed)
    ? edits.filter((difference) => !difference.fixed)
    : found
}

/**
 * Decides about a coupon or code whose allowed redemptions are all used up. A replacement would have no redemptions left, so the object is
 * only deactivated.
 */
function settleExhausted<K extends ResourceKind>(
  state: PlanState,
  want: DesiredResource<K>,
  target: ObservedResource<K>,
  found: readonly Difference[],
): Partial<Decision> {
  const inPlace = found.filter((difference) => !difference.fixed && difference.field !== 'active')
  const stop: Difference[] = target.active
    ? [{ field: 'active', want: false, live: true, origin: 'edit', fixed: false }]
    : []
  return settleOn(state, want, target, [...inPlace, ...stop], { adopting: false })
}

function decideAbsent<K extends ResourceKind>(state: PlanState, want: DesiredResource<K>): Decision {
  const known = state.known.get(want.kind, want.configId)
  if (known === undefined) return newObject(state, want, 0, 'create', [])
  const deleted = stoppedForGood(state, want)
  const mapped = state.own.currentOf(want.kind, want.configId)
  if (deleted.stays && mapped !== null)
    return mergeDecisions({
      issues: deleted.issues,
      outcome: { kind: want.kind, configId: want.configId, is: mapped },
      change: changeOf(state, { ...want, action: 'keep', because: [], before: mapped, after: mapped }),
    })
  const gone: FieldChange[] =
    known.home === 'local'
      ? []
      : [{ field: 'processor_id', before: mapped ?? undefined, after: undefined, origin: 'drift' }]
  return mergeDecisions(
    { issues: deleted.issues },
    newObject(state, want, 0, 'replace', [...renamedFrom(state, want), ...gone, ...editsSince(state, want)]),
  )
}

function decideReplacement<K extends ResourceKind>(
  state: PlanState,
  want: DesiredResource<K>,
  target: ObservedResource<K>,
  found: readonly Difference[],
  { want: whole, unsaid, issues }: CarriedOver<K>,
): Decision {
  const { kind, configId } = want
  const because = () => [
    ...renamedFrom(state, want),
    ...found.map((difference) => fieldChange(state, kind, difference)),
    ...ourEdits(state, want),
  ]
  const carried = target.redeemed + target.carried
  const made = mergeDecisions(
    { issues },
    state.known.has(kind, configId)
      ? newObject(state, whole, carried, 'replace', because(), unsaid)
      : newObject(state, whole, carried, 'create', [], unsaid),
  )
  if (kind !== 'coupon' || target.redeemed === 0) return made
  if ((want as DesiredResource<'coupon'>).fields.maxRedemptions === null) return made
  const restart = planWarning(
    state,
    want,
    'coupon_redemptions_restart',
    `Coupon "${configId}" was redeemed ${String(target.redeemed)} times; its replacement counts from 0 again.`,
    'To count the earlier redemptions too, lower `max_redemptions`.',
  )
  return mergeDecisions({ issues: [restart] }, made)
}

function newObject<K extends ResourceKind>(
  state: PlanState,
  want: DesiredResource<K>,
  carried: number,
  action: 'create' | 'replace',
  because: readonly FieldChange[],
  unsaid: readonly CarriedValue[] = [],
): Decision {
  const { kind, configId, home } = want
  const before = action === 'replace' ? state.own.currentOf(kind, configId) : null
  return mergeDecisions(decideCreation(state, want, carried, unsaid), {
    outcome: { kind, configId, is: null },
    change: changeOf(state, { action, kind, configId, home, because, before, after: null }),
  })
}

function decideAdoption<K extends ResourceKind>(
  state: PlanState,
  want: DesiredResource<K>,
  id: ProcessorId,
): Partial<Decision> {
  const live = state.own.find(want.kind, id)
  if (live === null)
    return {
      issues: [
        planError(
          state,
          want,
          'processor_id_unknown',
          `The processor has no ${want.kind} "${id}".`,
          'Correct the id, or remove `processor_id` to create a new object.',
          'processor_id',
        ),
      ],
    }
  const owner = state.own.ownerOf(want.kind, id)
  const holder = owner === null ? undefined : state.wanted.get(want.kind, owner)
  if (owner !== null && holder !== undefined && (holder.adopt === null || holder.adopt === id))
    return {
      issues: [
        planError(
          state,
          want,
          'processor_id_taken',
          `"${id}" already belongs to the ${want.kind} "${owner}".`,
          'An object can belong to only one configuration id: remove one of the two.',
          'processor_id',
        ),
      ],
    }
  const { object, flag } = assumedConnect(want, live)
  const found = [...differences(want.kind, state.wantedFields(want), object.fields, null, { adopting: true }), ...flag]
  const conflicts = [
    ...(flag.length > 0 ? noRoomForCompanions(state, want, { carried: 0, keys: keysBesideMark(want, live, []) }) : []),
    ...found
      .filter((difference) => difference.fixed)
      .map((difference) => adoptionConflict(state, want, id, difference)),
    ...object.unrepresentable
      .filter((reason) => !reason.startsWith('currency_options'))
      .map((reason) => notExpressible(state, want, id, reason)),
  ]
  if (conflicts.length > 0) return { issues: conflicts }
  const issues = [...leftAsIs(state, want, object), ...losesLookupKey(state, want, found)]
  return mergeDecisions({ issues }, settleOn(state, want, object, found, { adopting: true }))
}

/**
 * Returns the webhook endpoint as the document describes it, if the processor does not say whether it is for connected accounts. If it is,
 * the adoption writes that into the endpoint's metadata.
 */
function assumedConnect(
  want: DesiredResource,
  live: ObservedResource,
): { readonly object: ObservedResource; readonly flag: readonly Difference[] } {
  const { connect } = want.fields as FieldsOf<'webhook'>
  if (live.connectUnknown !== true || !connect) return { object: live, flag: [] }
  const flag = { field: `metadata.${connectKey}`, want: 'true', live: null, origin: 'edit', fixed: false } as const
  const object = { ...live, fields: { ...live.fields, connect }, companions: live.companions + 1 }
  return { object: object as ObservedResource, flag: [flag] }
}

/** Warns that an adopted price gets a new lookup key, because the seller's application may find the price by the old key. */
function losesLookupKey(state: PlanState, want: DesiredResource, found: readonly Difference[]): Issue[] {
  const key = found.find(({ field, live }) => field === 'lookupKey' && live !== '')
  if (key === undefined) return []
  return [
    planWarning(
      state,
      want,
      'lookup_key_replaced',
      `"${want.adopt ?? want.configId}" has the lookup key ${JSON.stringify(key.live)} at the processor; it becomes ${JSON.stringify(key.want)}.`,
      'Change programs that look up the price by the old key. To keep the old key, remove `lookup_key` from the document.',
    ),
  ]
}

/** Warns about values of an adopted object that the document does not manage, and which therefore stay unchanged. */
function leftAsIs(state: PlanState, want: DesiredResource, object: ObservedResource): Issue[] {
  const [wanted, live] = [want.fields, object.fields] as unknown as Readonly<Record<string, unknown>>[]
  const left = fieldRows[want.kind].filter(
    ([field, row]) =>
      isUnmanaged(row, wanted?.[field]) &&
      !deepEqual(live?.[field], row.absent) &&
      !(field === 'lookupKey' && live?.[field] === want.configId),
  )
  const names = [...left.map(([field]) => documentName(want.kind, field, live?.[field])), ...object.unsaid]
  if (names.length === 0) return []
  return [
    planWarning(
      state,
      want,
      'left_as_is',
      `"${object.processorId}" has ${names.join(', ')} at the processor, which the document does not set. It stays unchanged.`,
      left.length === 0
        ? 'A document cannot express this value. If the object is replaced, the value may be lost; the plan then warns about it.'
        : 'To manage the values, write them into the document with `ratecard billing pull --update`, or by hand if a document cannot contain the live value.',
    ),
  ]
}

function adoptionConflict(state: PlanState, want: DesiredResource, id: ProcessorId, conflict: Difference): Issue {
  const { field, before, after } = fieldChange(state, want.kind, conflict)
  return planError(
    state,
    want,
    'processor_id_conflict',
    `"${id}" has ${field} ${show(before)}, the document says ${show(after)}; the processor cannot change it.`,
    `Write the live value into the document, or remove \`processor_id\`.`,
    documentName(want.kind, conflict.field, conflict.want).split('.')[0],
  )
}

function notExpressible(state: PlanState, want: DesiredResource, id: ProcessorId, reason: string): Issue {
  return planError(
    state,
    want,
    'processor_id_conflict',
    `"${id}" uses ${reason}, which the document cannot express.`,
    'Remove `processor_id` to create a new price.',
    'processor_id',
  )
}

function typeChanged(state: PlanState, want: DesiredResource, target: ObservedResource): Issue {
  const live = (target.fields as FieldsOf<'product', never>).type
  return planError(
    state,
    want,
    'product_type_changed',
    `Product "${want.configId}" is a ${live} at the processor, which fixes the type at creation.`,
    `Set "type": "${live}", or give the product a new id.`,
    'type',
  )
}

/** Returns the issues about drift of immutable fields (e.g. an amount). They make the plan fail, unless `force` is set. */
function driftIssues(state: PlanState, want: DesiredResource, difference: Difference): Issue[] {
  if (state.force || difference.origin === 'edit') return []
  const { field, before, after } = fieldChange(state, want.kind, difference)
  return [
    planError(
      state,
      want,
      'drift',
      `${want.kind.replace('_', ' ')} "${want.configId}": ${field} is ${show(before)} at the processor, but was applied otherwise; the document says ${show(after)}.`,
      'Overwrite it with --force, or take the live value into the document.',
      field.split('.')[0],
    ),
  ]
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}
