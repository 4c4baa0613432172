// Handles objects that were switched off at the processor since the last push, e.g. a leaked promotion code or a price with a mistake. Such
// an object stays off until the document is edited or `--force` is given. A push never reactivates it as a side effect.
import type { Issue } from '../../base/errors/issue.ts'
import type { Difference } from '../fields/differences.ts'
import { statesActive } from '../fields/tables.ts'
import type { ProcessorId, ResourceKind } from '../kinds.ts'
import type { DesiredResource, ObservedResource } from '../resource.ts'
import { planWarning, editsSince, planError, type PlanState } from './state.ts'

/**
 * Effect of a switched-off object, by kind, without `--force` or an edit. True: it stays off with a warning, because it sells nothing by
 * itself (e.g. a coupon). False: the push is refused, because the document still sells it (e.g. a price).
 */
const staysOff: Readonly<Record<ResourceKind, boolean>> = {
  meter: false,
  // An archived feature can no longer be reactivated or attached, and a re-created one would be a different feature.
  feature: true,
  product: false,
  price: false,
  coupon: true,
  promotion_code: true,
  // New checkouts fail with an archived rate.
  tax_rate: false,
  // Sessions of a switched-off configuration fail.
  portal: false,
  webhook: true,
}

export interface SwitchedOff {
  /** True if the object stays switched off. */
  readonly stays: boolean
  readonly issues: readonly Issue[]
}

/** Decides whether the object was switched off at the processor (not by Ratecard), whether it stays off, and which issues to report. */
export function switchedOff<K extends ResourceKind>(
  state: PlanState,
  want: DesiredResource<K>,
  object: ObservedResource<K>,
  found: readonly Difference[],
): SwitchedOff {
  const { kind, configId } = want
  const asField = found.find(({ field }) => field === 'active')
  const off = statesActive(kind) ? asField?.want === true && asField.origin !== 'edit' : !object.active
  if (!off || state.own.currentOf(kind, configId) !== object.processorId) return { stays: false, issues: [] }
  return decide(state, want, object.processorId)
}

/** Like `switchedOff`, for states that cannot be reverted: a deleted coupon or an archived feature. */
export function stoppedForGood(state: PlanState, want: DesiredResource): SwitchedOff {
  const mapped = state.own.currentOf(want.kind, want.configId)
  return (want.kind !== 'coupon' && want.kind !== 'feature') || mapped === null
    ? { stays: false, issues: [] }
    : decide(state, want, mapped)
}

function decide(state: PlanState, want: DesiredResource, object: ProcessorId): SwitchedOff {
  const { kind, configId } = want
  const last = state.known.get(kind, configId)
  const here = last === undefined || last.home === 'local' || state.stopped.has(object)
  if (here) return { stays: false, issues: [] }
  const name = `${kind.replace('_', ' ')} "${configId}"`
  if (state.force || editsSince(state, want).length > 0)
    return {
      stays: false,
      issues: [
        planWarning(
          state,
          want,
          'switched_on_again',
          `The ${name} was switched off at the processor; this push switches it on again.`,
          'Remove it from the files to keep it off.',
        ),
      ],
    }
  if (staysOff[kind])
    return {
      stays: true,
      issues: [
        planWarning(
          state,
          want,
          'switched_off_at_processor',
          `The ${name} was switched off at the processor, and stays off.`,
          kind === 'promotion_code'
            ? 'To switch it on, push with --force or edit it in the files. To keep it off, run `ratecard billing pull --update`.'
            : 'To switch it on, push with --force or edit it in the files. To keep it off, remove it from the files.',
        ),
      ],
    }
  return {
    stays: true,
    issues: [
      planError(
        state,
        want,
        'drift',
        `${name}: active is false at the processor, but was applied as true; the files still sell it.`,
        'Switch it on again with --force, remove it from the files, or switch it on at the processor.',
      ),
    ],
  }
}
