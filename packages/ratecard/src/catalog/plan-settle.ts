// A live object stands for the resource: what has to be written so that it does so fully.
import { differences } from './compare.ts'
import type { Difference } from './compare.ts'
import { fieldChange, lastFields, wantedFields } from './plan-context.ts'
import type { PlanContext } from './plan-context.ts'
import { clearTheWay, lookupKeyIsFree } from './plan-create.ts'
import { ourEdits } from './plan-edits.ts'
import type { Change, FieldChange } from './plan.ts'
import type { DesiredResource, FieldsOf, ObservedResource, ResourceKind } from './resource.ts'
import type { Step } from './steps.ts'

interface SettleOptions<K extends ResourceKind> {
  readonly adopting: boolean
  /** The object that it takes the place of, and how that one differs. */
  readonly replacing?: { readonly target: ObservedResource<K>; readonly found: readonly Difference[] }
}

/** What an object lacks, besides its fields, to stand for a resource. */
interface Needs {
  readonly activate: boolean
  readonly mark: boolean
  readonly claim: boolean
}

export function settleOn<K extends ResourceKind>(
  context: PlanContext,
  want: DesiredResource<K>,
  object: ObservedResource<K>,
  found: readonly Difference[],
  options: SettleOptions<K>,
): void {
  const needs: Needs = {
    // Codes are switched by their own field `active`; a coupon that exists is active.
    activate: !object.active && want.kind !== 'promotion_code' && want.kind !== 'coupon',
    mark: want.kind !== 'meter' && object.mark !== want.configId,
    claim: want.kind === 'price' && object.lookupKey !== want.configId,
  }
  // What refuses the plan is no reason to leave the change out: the drift report lives on it.
  if (needs.claim) lookupKeyIsFree(context, want)
  const wakes = needs.activate || found.some((difference) => difference.field === 'active' && difference.want === true)
  if (wakes) clearTheWay(context, want)

  const mapped = context.own.currentOf(want.kind, want.configId)
  const known = context.known.get(want.kind, want.configId)
  const because: FieldChange[] = [
    ...(options.replacing?.found ?? found).map((difference) => fieldChange(context, want.kind, difference)),
    ...(known === undefined || options.adopting
      ? []
      : [
          ...landed(context, want, options.replacing?.found ?? found),
          ...repairs(needs, want, object, options),
          ...ourEdits(context, want),
        ]),
  ]
  const moves = mapped !== object.processorId
  const action = actionFor(context, want, object, because, moves, options)
  context.outcomes.set(want.kind, want.configId, object.processorId)
  context.settled.set(want.kind, object.processorId, true)
  context.drafts.set(want.kind, want.configId, {
    action,
    kind: want.kind,
    configId: want.configId,
    home: want.home,
    because:
      action === 'adopt' || action === 'update' || action === 'replace' || action === 'reactivate' ? because : [],
    before: action === 'adopt' ? null : mapped,
    after: object.processorId,
    reused: moves,
    reason: 'removed',
  })
  context.forward.push(...stepsFor(want, object, found, needs, moves))
}

/** Edits that are at the processor already, brought there by a push that was abandoned: no write, but a change of the version. */
function landed<K extends ResourceKind>(
  context: PlanContext,
  want: DesiredResource<K>,
  found: readonly Difference[],
): FieldChange[] {
  const last = lastFields(context, want.kind, want.configId)
  if (last === null) return []
  return differences(want.kind, wantedFields(context, want), last, last)
    .filter((difference) => !found.some((other) => other.field === difference.field))
    .map((difference) => fieldChange(context, want.kind, difference))
}

/** Repairs of what somebody undid at the processor, as differences that people can read. */
function repairs<K extends ResourceKind>(
  needs: Needs,
  want: DesiredResource<K>,
  object: ObservedResource<K>,
  options: SettleOptions<K>,
): FieldChange[] {
  if (options.replacing !== undefined) return []
  return [
    ...(needs.activate ? [{ field: 'active', before: false, after: true, origin: 'drift' as const }] : []),
    ...(needs.claim
      ? [{ field: 'lookup_key', before: object.lookupKey ?? undefined, after: want.configId, origin: 'drift' as const }]
      : []),
    ...(needs.mark
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
  context: PlanContext,
  want: DesiredResource<K>,
  object: ObservedResource<K>,
  because: readonly FieldChange[],
  moves: boolean,
  options: SettleOptions<K>,
): Change['action'] {
  if (options.adopting) return 'adopt'
  const known = context.known.has(want.kind, want.configId)
  if (!known) return object.active && moves ? 'adopt' : 'reactivate'
  if (moves) return 'replace'
  return because.length > 0 ? 'update' : 'keep'
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
  // A meter is reactivated by a call of its own.
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
      // The planned value, with references as configuration ids; `active` of an exhausted code is the planner's own.
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
