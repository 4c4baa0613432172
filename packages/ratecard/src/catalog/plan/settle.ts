// Decides the writes that make a live object match the resource.
import type { Issue } from '../../errors/issue.ts'
import type { PlannedChange, FieldChange } from '../change.ts'
import { differences, type Difference } from '../fields/differences.ts'
import type { FieldsOf } from '../fields/tables.ts'
import type { ResourceKind } from '../kinds.ts'
import type { DesiredResource, ObservedResource } from '../resource.ts'
import type { Step } from '../steps.ts'
import { clearTheWay, takenLookupKey } from './create.ts'
import { changeOf, joined, mergeDecisions, type Decision } from './decision.ts'
import { caution, fieldChange, ourEdits, renamedFrom, type PlanState } from './state.ts'
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

/** Repairs that an object needs besides changes of fields: reactivation, the ownership mark, the lookup key. */
interface Needs {
  readonly activate: boolean
  readonly mark: boolean
  readonly claim: boolean
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
  const found = off.stays ? differing.filter(({ field }) => field !== 'active') : differing
  const needs: Needs = {
    // Three kinds are never activated by this step. Promotion codes have a field `active` instead, coupons are active while they exist, and
    // an archived feature cannot be reactivated.
    activate: !object.active && kind !== 'promotion_code' && kind !== 'coupon' && kind !== 'feature' && !off.stays,
    mark: kind !== 'meter' && object.mark !== configId,
    claim: kind === 'price' && object.lookupKey !== configId,
  }
  const wakes = needs.activate || found.some((difference) => difference.field === 'active' && difference.want === true)
  const mapped = state.own.currentOf(kind, configId)
  const moves = mapped !== object.processorId
  const known = state.known.get(kind, configId)
  const because = reasons(state, want, object, { known, found: options.replacing?.found ?? found, needs, options })
  const action = actionFor(state, want, object, {
    known: known !== undefined,
    edited: because.length > 0,
    moves,
    options,
  })
  const steps = stepsFor(options.replacing?.whole ?? want, object, found, needs, moves)
  const orphaned = steps.length === 0 && !options.adopting ? orphanedCode(state, want, object) : []
  // If the only change is to activate a code that cannot work, the code is reported as kept.
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
  })
  const settled = {
    // The change is part of the plan even if it is refused, because the drift report is built from it.
    issues: [...off.issues, ...orphaned],
    outcome: { kind, configId, is: object.processorId },
    settled: [object],
    change,
    steps,
  }
  if (!needs.claim && !wakes) return settled
  return mergeDecisions(
    { issues: settled.issues },
    needs.claim ? { issues: takenLookupKey(state, want) } : {},
    wakes ? clearTheWay(state, want) : {},
    { ...settled, issues: [] },
  )
}

/** Warns that a code stays inactive although the document activates it, because the code's coupon was deleted at the processor. */
function orphanedCode(state: PlanState, want: DesiredResource, object: ObservedResource): Issue[] {
  if (want.kind !== 'promotion_code' || object.active || object.spent) return []
  const { coupon, active } = (want as DesiredResource<'promotion_code'>).fields
  const last = state.known.get('promotion_code', want.configId) as DesiredResource<'promotion_code'> | undefined
  if (!active || last?.fields.active === true) return []
  if (state.own.find('coupon', (object as ObservedResource<'promotion_code'>).fields.coupon) !== null) return []
  return [
    caution(
      state,
      want,
      'switched_off_at_processor',
      `The promotion code "${want.configId}" stays off: its coupon "${coupon}" was deleted at the processor.`,
      'Create both again with --force, or remove both from the files.',
    ),
  ]
}

/** Returns the reasons for the change of an object in display order: rename, fields, repairs. */
function reasons<K extends ResourceKind>(
  state: PlanState,
  want: DesiredResource<K>,
  object: ObservedResource<K>,
  { known, found, needs, options }: ReplacementContext<K>,
): readonly FieldChange[] {
  const fields = found.length === 0 ? [] : found.map((difference) => fieldChange(state, want.kind, difference))
  const because = joined(renamedFrom(state, want), fields)
  if (known === undefined || options.adopting) return because
  const since = joined(landed(state, want, found), repairs(state, needs, want, object, options))
  return joined(joined(because, since), known === want ? [] : ourEdits(state, want))
}

interface ReplacementContext<K extends ResourceKind> {
  /** The resource as last applied; undefined if the last version did not contain it. */
  readonly known: DesiredResource | undefined
  readonly found: readonly Difference[]
  readonly needs: Needs
  readonly options: SettleOptions<K>
}

/**
 * Returns edits of the document that the live object already has, e.g. from an abandoned push. They need no write, but they are changes of
 * the new version.
 */
function landed<K extends ResourceKind>(
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
 * Returns the repairs of changes made at the processor (deactivated, lookup key or ownership mark lost) as field changes with origin
 * `drift`.
 */
function repairs<K extends ResourceKind>(
  state: PlanState,
  needs: Needs,
  want: DesiredResource<K>,
  object: ObservedResource<K>,
  options: SettleOptions<K>,
): FieldChange[] {
  if (options.replacing !== undefined) return []
  // A renamed object still carries its earlier id in the ownership mark, which is no drift.
  const former = state.formerId(want.kind, want.configId)
  return [
    ...(needs.activate ? [{ field: 'active', before: false, after: true, origin: 'drift' as const }] : []),
    ...(needs.claim && object.lookupKey !== former
      ? [{ field: 'lookup_key', before: object.lookupKey ?? undefined, after: want.configId, origin: 'drift' as const }]
      : []),
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
  const idle = found.length === 0 && !needs.activate && !needs.mark && !needs.claim
  if (idle) return moves ? [{ op: 'record', ...base }] : []
  const change = (part: { readonly set: object; readonly unset: readonly string[]; readonly activate: boolean }) =>
    ({ op: 'update', ...base, mark: needs.mark, claimLookupKey: needs.claim, ...part }) as Step
  const { set, unset } = writes(want, found)
  if (want.kind !== 'meter') return [change({ set, unset, activate: needs.activate })]
  // Stripe reactivates a meter by a request of its own.
  return [
    ...(needs.activate ? [change({ set: {}, unset: [], activate: true })] : []),
    ...(found.length > 0 ? [change({ set, unset, activate: false })] : []),
  ]
}

function writes<K extends ResourceKind>(
  want: DesiredResource<K>,
  found: readonly Difference[],
): { readonly set: Partial<FieldsOf<K>>; readonly unset: readonly string[] } {
  const set: Record<string, unknown> = {}
  const metadata: Record<string, string> = {}
  const unset: string[] = []
  for (const difference of found) {
    if (!difference.field.startsWith('metadata.')) {
      // References are configuration ids in the step. `active` of a used-up code comes from the planner, not from the document.
      set[difference.field] =
        difference.field === 'active'
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
