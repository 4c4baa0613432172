// One resource: keep, update, reactivate, adopt, replace or create. Observation outranks memory: the live object decides.
import { differences } from './compare.ts'
import type { Difference } from './compare.ts'
import { documentName } from './document-fields.ts'
import { isWithheld } from './observed.ts'
import { editsSince, ourEdits } from './plan-edits.ts'
import { decideLocal } from './plan-local.ts'
import { createStep, usedUp } from './plan-create.ts'
import { fieldChange, lastFields, refuse, wantedFields, warn } from './plan-context.ts'
import type { Draft, PlanContext } from './plan-context.ts'
import type { FieldChange } from './plan.ts'
import type { DesiredResource, FieldsOf, ObservedResource, ResourceKind } from './resource.ts'
import { settleOn } from './plan-settle.ts'

export function decideResource<K extends ResourceKind>(context: PlanContext, want: DesiredResource<K>): void {
  if (want.home === 'local') {
    decideLocal(context, want)
    return
  }
  // An object that is ours for this id already (mapped now, or before a later replacement) is not adopted again.
  if (want.adopt !== null && context.own.ownerOf(want.kind, want.adopt) !== want.configId) {
    decideAdoption(context, want)
    return
  }
  const fields = wantedFields(context, want)
  const candidates = candidatesFor(context, want, fields)
  const mapped = context.own.currentOf(want.kind, want.configId)
  const target =
    candidates.find((object) => object.processorId === mapped) ??
    candidates.find((object) => isEqual(want.kind, fields, object)) ??
    candidates[0]
  if (target === undefined) {
    decideAbsent(context, want)
    return
  }
  const found = relevantDifferences(
    context,
    differences(want.kind, fields, target.fields, lastFields(context, want.kind, want.configId)),
    target,
  )
  const fixed = found.filter((difference) => difference.fixed)
  if (fixed.length === 0) {
    settleOn(context, want, target, found, { adopting: false })
    return
  }
  if (want.kind === 'product') {
    refuseTypeChange(context, want, target)
    return
  }
  if (usedUp(want, target)) {
    settleExhausted(context, want, target, found)
    return
  }
  stopOnDrift(context, want, fixed)
  const equal = candidates.find((object) => object !== target && isEqual(want.kind, fields, object))
  if (equal === undefined) decideReplacement(context, want, target, found)
  else
    settleOn(context, want, equal, differences(want.kind, fields, equal.fields, null), {
      adopting: false,
      replacing: { target, found },
    })
}

/** Ours, and for meters (which carry no mark) whatever already listens to the same event in the same way. */
function candidatesFor<K extends ResourceKind>(
  context: PlanContext,
  want: DesiredResource<K>,
  fields: FieldsOf<K, ObservedResource['processorId']>,
): readonly ObservedResource<K>[] {
  const ours = context.own.candidates(want.kind, want.configId)
  if (want.kind !== 'meter') return ours
  const others = context.own
    .all(want.kind)
    .filter((object) => context.own.ownerOf('meter', object.processorId) === null && isEqual(want.kind, fields, object))
  return [...ours, ...others.sort((a, b) => Number(b.active) - Number(a.active))]
}

/** Equal in everything that cannot be changed in place, so that the object can stand for the resource. */
export function isEqual<K extends ResourceKind>(
  kind: K,
  fields: FieldsOf<K, ObservedResource['processorId']>,
  object: ObservedResource<K>,
): boolean {
  if (object.unrepresentable.length > 0) return false
  if (kind === 'promotion_code' && object.spent) return false
  return differences(kind, fields, object.fields, null).every((difference) => !difference.fixed)
}

/**
 * A code that cannot be used is inactive for that reason, which is then no difference. One that expired or ran out itself is
 * kept although its coupon was replaced; one that only lost its coupon is re-made.
 */
function relevantDifferences<K extends ResourceKind>(
  context: PlanContext,
  found: readonly Difference[],
  target: ObservedResource<K>,
): readonly Difference[] {
  if (!isWithheld(context.own, target)) return found
  const edits = found.filter((difference) => difference.field !== 'active')
  if (!target.spent) return edits.some((difference) => difference.fixed) ? found : edits
  return edits.every((difference) => difference.field === 'coupon' || !difference.fixed)
    ? edits.filter((difference) => !difference.fixed)
    : found
}

/** The author allows fewer redemptions than there were: nothing is left to re-make, so the object is only stopped. */
function settleExhausted<K extends ResourceKind>(
  context: PlanContext,
  want: DesiredResource<K>,
  target: ObservedResource<K>,
  found: readonly Difference[],
): void {
  const inPlace = found.filter((difference) => !difference.fixed && difference.field !== 'active')
  const stop: Difference[] = target.active
    ? [{ field: 'active', want: false, live: true, origin: 'edit', fixed: false }]
    : []
  settleOn(context, want, target, [...inPlace, ...stop], { adopting: false })
}

function decideAbsent<K extends ResourceKind>(context: PlanContext, want: DesiredResource<K>): void {
  const known = context.known.get(want.kind, want.configId)
  const mapped = context.own.currentOf(want.kind, want.configId)
  if (known === undefined) {
    createStep(context, want, 0)
    draftNew(context, want, 'create', [])
    return
  }
  const because: FieldChange[] =
    known.home === 'local'
      ? editsSince(context, want)
      : [
          { field: 'processor_id', before: mapped ?? undefined, after: undefined, origin: 'drift' },
          ...editsSince(context, want),
        ]
  createStep(context, want, 0)
  draftNew(context, want, 'replace', because)
}

function decideReplacement<K extends ResourceKind>(
  context: PlanContext,
  want: DesiredResource<K>,
  target: ObservedResource<K>,
  found: readonly Difference[],
): void {
  if (
    want.kind === 'coupon' &&
    target.redeemed > 0 &&
    (want as DesiredResource<'coupon'>).fields.maxRedemptions !== null
  )
    warn(
      context,
      want,
      'coupon_redemptions_restart',
      `Coupon "${want.configId}" was redeemed ${String(target.redeemed)} times; its replacement starts to count anew.`,
      'Lower `max_redemptions` if the earlier redemptions are to count.',
    )
  createStep(context, want, target.redeemed + target.carried)
  const known = context.known.has(want.kind, want.configId)
  draftNew(
    context,
    want,
    known ? 'replace' : 'create',
    known
      ? [...found.map((difference) => fieldChange(context, want.kind, difference)), ...ourEdits(context, want)]
      : [],
  )
}

function draftNew<K extends ResourceKind>(
  context: PlanContext,
  want: DesiredResource<K>,
  action: 'create' | 'replace',
  because: FieldChange[],
): void {
  context.outcomes.set(want.kind, want.configId, null)
  const draft: Draft = {
    action,
    kind: want.kind,
    configId: want.configId,
    home: want.home,
    because,
    before: action === 'replace' ? context.own.currentOf(want.kind, want.configId) : null,
    after: null,
    reused: false,
    reason: 'removed',
  }
  context.drafts.set(want.kind, want.configId, draft)
}

function decideAdoption<K extends ResourceKind>(context: PlanContext, want: DesiredResource<K>): void {
  const id = want.adopt
  if (id === null) return
  const object = context.own.find(want.kind, id)
  if (object === null) {
    refuse(
      context,
      want,
      'processor_id_unknown',
      `The processor has no ${want.kind} "${id}".`,
      'Correct the id, or remove `processor_id` to create a new object.',
      'processor_id',
    )
    return
  }
  const owner = context.own.ownerOf(want.kind, id)
  const holder = owner === null ? undefined : context.wanted.get(want.kind, owner)
  if (
    owner !== null &&
    owner !== want.configId &&
    holder !== undefined &&
    (holder.adopt === null || holder.adopt === id)
  ) {
    refuse(
      context,
      want,
      'processor_id_taken',
      `"${id}" already belongs to the ${want.kind} "${owner}".`,
      'One object stands for one configuration id: remove one of the two.',
      'processor_id',
    )
    return
  }
  const found = differences(want.kind, wantedFields(context, want), object.fields, null)
  const conflicts = found.filter((difference) => difference.fixed)
  const foreign = object.unrepresentable.filter((reason) => !reason.startsWith('currency_options'))
  for (const conflict of conflicts) {
    const change = fieldChange(context, want.kind, conflict)
    refuse(
      context,
      want,
      'processor_id_conflict',
      `"${id}" has ${change.field} ${show(change.before)}, the document says ${show(change.after)}; the processor cannot change it.`,
      `Write the live value into the document, or remove \`processor_id\`.`,
      documentName(conflict.field, conflict.want).split('.')[0],
    )
  }
  for (const reason of foreign)
    refuse(
      context,
      want,
      'processor_id_conflict',
      `"${id}" uses ${reason}, which the document cannot express.`,
      'Remove `processor_id` and make a new price.',
      'processor_id',
    )
  if (conflicts.length === 0 && foreign.length === 0) settleOn(context, want, object, found, { adopting: true })
}

function refuseTypeChange(context: PlanContext, want: DesiredResource, target: ObservedResource): void {
  const live = (target.fields as FieldsOf<'product', never>).type
  refuse(
    context,
    want,
    'product_type_changed',
    `Product "${want.configId}" is a ${live} at the processor, which fixes the type at creation.`,
    `Set "type": "${live}", or give the product a new id.`,
    'type',
  )
}

/** Money fields that somebody changed at the processor are not overwritten without being asked to. */
function stopOnDrift<K extends ResourceKind>(
  context: PlanContext,
  want: DesiredResource<K>,
  fixed: readonly Difference[],
): void {
  if (context.input.force === true) return
  for (const difference of fixed) {
    if (difference.origin === 'edit') continue
    const change = fieldChange(context, want.kind, difference)
    refuse(
      context,
      want,
      'drift',
      `${want.kind} "${want.configId}": ${change.field} is ${show(change.before)} at the processor, but was applied otherwise; the document says ${show(change.after)}.`,
      'Overwrite it with --force, or take the live value into the document.',
      change.field.split('.')[0],
    )
  }
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}
