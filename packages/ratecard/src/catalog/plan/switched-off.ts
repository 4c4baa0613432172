// What somebody switched off at the processor since the last push stays off until somebody here wants it on: a leaked code, a price
// with a mistake. Nothing is switched on again by the way.
import type { Issue } from '../../errors/issue.ts'
import type { Difference } from '../fields/differences.ts'
import type { ProcessorId, ResourceKind } from '../kinds.ts'
import type { DesiredResource, ObservedResource } from '../resource.ts'
import { caution, editsSince, refusal } from './state.ts'
import type { PlanState } from './state.ts'

/** What sells nothing by itself stays off and lets the push go on; the rest is promised by the files, and stops it. */
const staysOff: Readonly<Record<ResourceKind, boolean>> = {
  meter: false,
  // One that is archived stays so, and nobody can attach it any more: made again, it is another.
  feature: true,
  product: false,
  price: false,
  coupon: true,
  promotion_code: true,
  webhook: true,
}

export interface SwitchedOff {
  /** It is left as it is. */
  readonly stays: boolean
  readonly issues: readonly Issue[]
}

/** Whether the object that stands for the resource is off by somebody else's hand, and what the plan says of it. */
export function switchedOff<K extends ResourceKind>(
  state: PlanState,
  want: DesiredResource<K>,
  object: ObservedResource<K>,
  found: readonly Difference[],
): SwitchedOff {
  const { kind, configId } = want
  const asCode = found.find(({ field }) => field === 'active')
  const off = kind === 'promotion_code' ? asCode?.want === true && asCode.origin !== 'edit' : !object.active
  if (!off || state.own.currentOf(kind, configId) !== object.processorId) return { stays: false, issues: [] }
  return decide(state, want, object.processorId)
}

/** The same of what is stopped for good: a coupon that was deleted, a feature that was archived. */
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
        caution(
          state,
          want,
          'switched_on_again',
          `The ${name} was switched off at the processor; this push switches it on again.`,
          'Take it out of the files if it shall stay off.',
        ),
      ],
    }
  if (staysOff[kind])
    return {
      stays: true,
      issues: [
        caution(
          state,
          want,
          'switched_off_at_processor',
          `The ${name} was switched off at the processor, and stays off.`,
          kind === 'promotion_code'
            ? 'Switch it on with --force or an edit of it; take it into the files with `ratecard billing pull --update`.'
            : 'Switch it on with --force or an edit of it; take it out of the files if it shall stay off.',
        ),
      ],
    }
  return {
    stays: true,
    issues: [
      refusal(
        state,
        want,
        'drift',
        `${name}: active is false at the processor, but was applied as true; the files still sell it.`,
        'Switch it on again with --force, take it out of the files, or switch it on at the processor.',
      ),
    ],
  }
}
