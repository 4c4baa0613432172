// One decision of a plan, as a plain value. Only `planChanges` writes decisions to the plan.
import type { Issue } from '../../base/errors/issue.ts'
import type { PlannedChange, FieldChange } from '../change.ts'
import type { ConfigId, ProcessorId, ResourceKind } from '../kinds.ts'
import type { ArchiveStep, DetachStep, Step } from '../steps.ts'
import type { PlanState } from './state.ts'

export interface Decision {
  readonly issues: readonly Issue[]
  readonly steps: readonly Step[]
  /** Archive and detach steps, which run after all other steps. */
  readonly archives: readonly (ArchiveStep | DetachStep)[]
  /** Objects that no later decision may archive. */
  readonly settled: readonly { readonly kind: ResourceKind; readonly processorId: ProcessorId }[]
  readonly chosenId: { readonly kind: ResourceKind; readonly configId: ConfigId; readonly id: ProcessorId } | null
  /**
   * The processor object that the resource will be mapped to. `is` is its id, or null if the object will be created. `outcome` itself is
   * null if there is no decision yet, or if the change is refused.
   */
  readonly outcome: { readonly kind: ResourceKind; readonly configId: ConfigId; readonly is: ProcessorId | null } | null
  readonly change: PlannedChange | null
  /** Changes of objects that abandoned pushes left behind. These objects belong to no configuration id. */
  readonly strays: readonly PlannedChange[]
}

export const emptyDecision: Decision = {
  issues: [],
  steps: [],
  archives: [],
  settled: [],
  chosenId: null,
  outcome: null,
  change: null,
  strays: [],
}

/** Merges decisions. Lists are concatenated. For a single value, the last decision that sets it wins. */
export function mergeDecisions(...parts: readonly Partial<Decision>[]): Decision {
  let { issues, steps, archives, settled, chosenId, outcome, change, strays } = emptyDecision
  for (const part of parts) {
    issues = concat(issues, part.issues)
    steps = concat(steps, part.steps)
    archives = concat(archives, part.archives)
    settled = concat(settled, part.settled)
    chosenId = part.chosenId ?? chosenId
    outcome = part.outcome ?? outcome
    change = part.change ?? change
    strays = concat(strays, part.strays)
  }
  return { issues, steps, archives, settled, chosenId, outcome, change, strays }
}

/** Concatenates two lists. Returns one of them without a copy if the other is empty, which is the usual case. */
export function concat<T>(list: readonly T[], more: readonly T[] | undefined): readonly T[] {
  if (more === undefined || more.length === 0) return list
  return list.length === 0 ? more : [...list, ...more]
}

interface ChangeParts {
  readonly action: PlannedChange['action']
  readonly kind: ResourceKind
  readonly configId: ConfigId
  readonly home: 'processor' | 'local'
  readonly because: readonly FieldChange[]
  readonly before: ProcessorId | null
  readonly after: ProcessorId | null
  /** Set for a replacement: true if an earlier object is reused. */
  readonly reused?: boolean
  /** Set for an adoption: false if the object is Ratecard's own. */
  readonly foreign?: boolean
  /** Set for an archive: the reason for it. */
  readonly reason?: 'removed' | 'stray'
}

export function changeOf(state: PlanState, parts: ChangeParts): PlannedChange {
  const {
    action,
    kind,
    configId,
    home,
    because,
    before,
    after,
    reused = false,
    foreign = true,
    reason = 'removed',
  } = parts
  const change = {
    kind,
    configId,
    home,
    because,
    processorIdBefore: before,
    processorIdAfter: after,
    display: state.display(action, kind, configId),
    action,
  }
  if (action === 'replace') return { ...change, action, reused }
  if (action === 'adopt') return { ...change, action, foreign }
  if (action === 'archive') return { ...change, action, reason }
  return change as PlannedChange
}
