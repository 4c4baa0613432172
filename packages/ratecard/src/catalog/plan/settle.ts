// Decides the writes that make a live object match the resource.
import { maxMetadataKeys } from '../../document/schema/fields.ts'
import type { Issue } from '../../base/errors/issue.ts'
import type { PlannedChange, FieldChange } from '../change.ts'
import { differences, type Difference } from '../fields/differences.ts'
import { statesActive, type FieldsOf } from '../fields/tables.ts'
import { ownershipKey, type ResourceKind } from '../kinds.ts'
import { hasRoomForMark, keysBesideMark } from '../mark.ts'
import type { DesiredResource, ObservedResource } from '../resource.ts'
import type { Step } from '../steps.ts'
import { clearTheWay, takenLookupKey } from './create.ts'
import { changeOf, concat, mergeDecisions, type Decision } from './decision.ts'
import { planWarning, fieldChange, noRoomForMark, ourEdits, planError, renamedFrom, type PlanState } from './state.ts'
import { switchedOff } from './switched-off.ts'

interface SettleOptions<K extends ResourceKind> {
  readonly adopting: boolean
  /**
   * Set if the object replaces another one: `target` is the replaced object, `found` are its differences, and `whole` is the resource with
   * the values carried over from `target`.
   */
  readonly replacing?: {
    readonly target: ObservedResource<K>
    readonly found: readonly Difference[]
    readonly whole: DesiredResource<K>
  }
}

/** Changes that an object needs in addition to changed fields: reactivation, or writing or removing the ownership mark. */
interface Needs {
  readonly activate: boolean
  readonly mark: boolean
  /** True if the metadata of the document needs the place of the mark. */
  readonly unmark: boolean
}

export function settleOn<K extends ResourceKind>(
  state: PlanState,
  want: DesiredResource<K>,
  object: ObservedResource<K>,
  differing: readonly Difference[],
  options: SettleOptions<K>,
): Partial<Decision> {
  const { kind, configId, home } = want
  const off = switchedOff(state, want, object, differing)
  const inFields = off.stays ? differing.filter(({ field }) => field !== 'active') : differing
  const found = [...inFields, ...missingKey(state, want, object)]
  const newKey = found.find(({ field }) => field === 'lookupKey')
  const keys = keysBesideMark(want, object, writesFor(want, found).unset)
  const room = hasRoomForMark(keys)
  const needs: Needs = {
    // Kinds whose objects this function never activates. Promotion codes and tax rates have a field `active` instead, coupons are active as
    // long as they exist, and an archived feature cannot be reactivated.
    activate: !object.active && !statesActive(kind) && kind !== 'coupon' && kind !== 'feature' && !off.stays,
    mark: kind !== 'meter' && object.mark !== configId && room,
    unmark: object.mark !== null && !room,
  }
  const wakes = needs.activate || found.some((difference) => difference.field === 'active' && difference.want === true)
  const mapped = state.own.currentOf(kind, configId)
  const moves = mapped !== object.processorId
  const known = state.known.get(kind, configId)
  const because = reasonsFor(state, want, object, { known, found: options.replacing?.found ?? found, needs, options })
  const action = actionFor(state, want, object, {
    known: known !== undefined,
    edited: because.length > 0,
    moves,
    options,
  })
  const steps = stepsFor(options.replacing?.whole ?? want, object, found, needs, moves)
  const orphaned = steps.length === 0 && !options.adopting ? orphanedCode(state, want, object) : []
  // If the only change would activate a promotion code whose coupon was deleted, the code is reported as kept.
  const idle = orphaned.length > 0 && because.every(({ field }) => field === 'active')
  const change = changeOf(state, {
    action: idle ? 'keep' : action,
    kind,
    configId,
    home,
    because: idle || action === 'keep' ? [] : because,
    before: action === 'adopt' ? null : mapped,
    after: object.processorId,
    reused: moves,
    foreign: options.adopting || want.adopt === object.processorId,
  })
  const settled = {
    // A refused change is still listed in the plan, because the drift report is built from the plan.
    issues: [
      ...off.issues,
      ...orphaned,
      ...(room || change.action === 'keep' ? [] : metadataIssues(state, want, keys)),
    ],
    outcome: { kind, configId, is: object.processorId },
    settled: [object],
    change,
    steps,
  }
  if (newKey === undefined && !wakes) return settled
  return mergeDecisions(
    { issues: settled.issues },
    newKey === undefined ? {} : { issues: takenLookupKey(state, want, String(newKey.want)) },
    wakes ? clearTheWay(state, want) : {},
    { ...settled, issues: [] },
  )
}

/**
 * Returns the change of the lookup key of a price for which the document gives none. A price without a lookup key gets its id as key. A
 * renamed price whose key was its earlier id gets its new id.
 */
function missingKey(state: PlanState, want: DesiredResource, object: ObservedResource): Difference[] {
  if (want.kind !== 'price' || (want as DesiredResource<'price'>).fields.lookupKey !== '') return []
  const live = (object as ObservedResource<'price'>).fields.lookupKey
  if (live !== '' && live !== state.formerId('price', want.configId)) return []
  return [{ field: 'lookupKey', want: want.configId, live, origin: 'edit', fixed: false }]
}

/** Refuses more metadata keys than the processor allows, and warns if they leave no room for the ownership mark. */
function metadataIssues(state: PlanState, want: DesiredResource, keys: number): Issue[] {
  if (keys <= maxMetadataKeys) return [noRoomForMark(state, want)]
  const detail = `The ${want.kind.replace('_', ' ')} "${want.configId}" would have ${String(keys)} metadata keys with those at the processor, and the processor allows ${String(maxMetadataKeys)}.`
  return [
    planError(state, want, 'metadata_full', detail, 'Remove metadata keys, here or at the processor.', 'metadata'),
  ]
}

/** Warns that a code stays inactive although the document activates it, because the code's coupon was deleted at the processor. */
function orphanedCode(state: PlanState, want: DesiredResource, object: ObservedResource): Issue[] {
  if (want.kind !== 'promotion_code' || object.active || object.spent) return []
  const { coupon, active } = (want as DesiredResource<'promotion_code'>).fields
  const last = state.known.get('promotion_code', want.configId) as DesiredResource<'promotion_code'> | undefined
  if (!active || last?.fields.active === true) return []
  if (state.own.find('coupon', (object as ObservedResource<'promotion_code'>).fields.coupon) !== null) return []
  return [
    planWarning(
      state,
      want,
      'switched_off_at_processor',
      `The promotion code "${want.configId}" stays off: its coupon "${coupon}" was deleted at the processor.`,
      'Create both again with --force, or remove both from the files.',
    ),
  ]
}

/**
 * Returns the reasons for the change of an object in the order of display: first a rename, then changed fields, then repairs (e.g. a
 * reactivation).
 */
function reasonsFor<K extends ResourceKind>(
  state: PlanState,
  want: DesiredResource<K>,
  object: ObservedResource<K>,
  { known, found, needs, options }: ReplacementContext<K>,
): readonly FieldChange[] {
  // If the lookup key was the item's earlier id, it changes together with the id and is not listed as a separate change.
  const former = state.formerId(want.kind, want.configId)
  const fields = found
    .filter(({ field, live }) => field !== 'lookupKey' || live !== former)
    .map((difference) => fieldChange(state, want.kind, difference))
  const because = concat(renamedFrom(state, want), fields)
  if (known === undefined || options.adopting) return because
  const since = concat(editsAlreadyLive(state, want, found), repairsOf(state, needs, want, object, options))
  return concat(concat(because, since), known === want ? [] : ourEdits(state, want))
}

interface ReplacementContext<K extends ResourceKind> {
  /** The resource as the last push applied it; undefined if the last version did not contain it. */
  readonly known: DesiredResource | undefined
  readonly found: readonly Difference[]
  readonly needs: Needs
  readonly options: SettleOptions<K>
}

/**
 * Returns edits of the document that the live object already has, e.g. from an abandoned push. Such an edit needs no write, but is listed
 * as a change of the new version.
 */
function editsAlreadyLive<K extends ResourceKind>(
  state: PlanState,
  want: DesiredResource<K>,
  found: readonly Difference[],
): readonly FieldChange[] {
  const last = state.lastFields(want.kind, want.configId)
  if (last === null || last === state.wantedFields(want)) return []
  return differences(want.kind, state.wantedFields(want), last, last)
    .filter((difference) => !found.some((other) => other.field === difference.field))
    .map((difference) => fieldChange(state, want.kind, difference))
}

/**
 * Returns these repairs as field changes with origin `drift`, because they revert edits at the processor: an object was deactivated, or its
 * ownership mark was removed.
 */
function repairsOf<K extends ResourceKind>(
  state: PlanState,
  needs: Needs,
  want: DesiredResource<K>,
  object: ObservedResource<K>,
  options: SettleOptions<K>,
): FieldChange[] {
  if (options.replacing !== undefined) return []
  // After a rename, the ownership mark of the object still contains the earlier id. That is no drift.
  const former = state.formerId(want.kind, want.configId)
  return [
    ...(needs.activate ? [{ field: 'active', before: false, after: true, origin: 'drift' as const }] : []),
    ...(needs.mark && object.mark !== former
      ? [
          {
            field: 'metadata.ratecard_id',
            before: object.mark ?? undefined,
            after: want.configId,
            origin: 'drift' as const,
          },
        ]
      : []),
  ]
}

function actionFor<K extends ResourceKind>(
  state: PlanState,
  want: DesiredResource<K>,
  object: ObservedResource<K>,
  {
    known,
    edited,
    moves,
    options,
  }: {
    readonly known: boolean
    readonly edited: boolean
    readonly moves: boolean
    readonly options: SettleOptions<K>
  },
): PlannedChange['action'] {
  if (options.adopting) return 'adopt'
  if (!known) return object.active && moves ? 'adopt' : 'reactivate'
  if (moves) return 'replace'
  if (state.formerId(want.kind, want.configId) !== undefined) return 'rename'
  return edited ? 'update' : 'keep'
}

function stepsFor<K extends ResourceKind>(
  want: DesiredResource<K>,
  object: ObservedResource<K>,
  found: readonly Difference[],
  needs: Needs,
  moves: boolean,
): Step[] {
  const base = { kind: want.kind, configId: want.configId, processorId: object.processorId }
  const idle = found.length === 0 && !needs.activate && !needs.mark && !needs.unmark
  if (idle) return moves ? [{ op: 'record', ...base }] : []
  const change = (part: { readonly set: object; readonly unset: readonly string[]; readonly activate: boolean }) =>
    ({ op: 'update', ...base, mark: needs.mark, ...part }) as Step
  const { set, unset: removed } = writesFor(want, found)
  const unset = needs.unmark ? [...removed, ownershipKey] : removed
  if (want.kind !== 'meter') return [change({ set, unset, activate: needs.activate })]
  // Stripe reactivates a meter by a request of its own.
  return [
    ...(needs.activate ? [change({ set: {}, unset: [], activate: true })] : []),
    ...(found.length > 0 ? [change({ set, unset, activate: false })] : []),
  ]
}

function writesFor<K extends ResourceKind>(
  want: DesiredResource<K>,
  found: readonly Difference[],
): { readonly set: Partial<FieldsOf<K>>; readonly unset: readonly string[] } {
  const set: Record<string, unknown> = {}
  const metadata: Record<string, string> = {}
  const unset: string[] = []
  for (const difference of found) {
    if (!difference.field.startsWith('metadata.')) {
      // In the step, references are configuration ids. `active` of a used-up code, and a default lookup key, come from the planner and not
      // from the document.
      set[difference.field] =
        difference.field === 'active' || difference.field === 'lookupKey'
          ? difference.want
          : (want.fields as unknown as Record<string, unknown>)[difference.field]
      continue
    }
    const key = difference.field.slice('metadata.'.length)
    if (typeof difference.want === 'string') metadata[key] = difference.want
    else unset.push(key)
  }
  if (Object.keys(metadata).length > 0) set['metadata'] = metadata
  return { set: set as Partial<FieldsOf<K>>, unset }
}
