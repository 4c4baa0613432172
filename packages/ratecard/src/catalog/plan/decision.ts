// One decision of a plan, as a value: planChanges writes it down, nobody else does.
import type { Issue } from '../../errors/issue.ts'
import type { PlannedChange, FieldChange } from '../change.ts'
import type { ConfigId, ProcessorId, ResourceKind } from '../kinds.ts'
import type { ArchiveStep, DetachStep, Step } from '../steps.ts'
import type { PlanState } from './state.ts'

export interface Decision {
  readonly issues: readonly Issue[]
  readonly steps: readonly Step[]
  /** Steps that come after every other. */
  readonly archives: readonly (ArchiveStep | DetachStep)[]
  /** Objects that nobody shall archive any more. */
  readonly settled: readonly { readonly kind: ResourceKind; readonly processorId: ProcessorId }[]
  /** The id that a new object gets. */
  readonly chosenId: { readonly kind: ResourceKind; readonly configId: ConfigId; readonly id: ProcessorId } | null
  /** What the resource will be; null when nothing is said of it, or when it is refused. */
  readonly outcome: { readonly kind: ResourceKind; readonly configId: ConfigId; readonly is: ProcessorId | null } | null
  readonly change: PlannedChange | null
  /** Objects of abandoned pushes: changes that no configuration id stands for. */
  readonly strays: readonly PlannedChange[]
}

export const nothing: Decision = {
  issues: [],
  steps: [],
  archives: [],
  settled: [],
  chosenId: null,
  outcome: null,
  change: null,
  strays: [],
}

/** Several decisions as one; of two that say one thing, the later. */
export function together(...parts: readonly Partial<Decision>[]): Decision {
  let { issues, steps, archives, settled, chosenId, outcome, change, strays } = nothing
  for (const part of parts) {
    issues = joined(issues, part.issues)
    steps = joined(steps, part.steps)
    archives = joined(archives, part.archives)
    settled = joined(settled, part.settled)
    chosenId = part.chosenId ?? chosenId
    outcome = part.outcome ?? outcome
    change = part.change ?? change
    strays = joined(strays, part.strays)
  }
  return { issues, steps, archives, settled, chosenId, outcome, change, strays }
}

/** One list after the other. Nearly always one of them is empty: then no third one is made. */
export function joined<T>(list: readonly T[], more: readonly T[] | undefined): readonly T[] {
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
  /** Of a replacement: an earlier object is brought back. */
  readonly reused?: boolean
  /** Of an archive. */
  readonly reason?: 'removed' | 'stray'
}

export function changeOf(state: PlanState, parts: ChangeParts): PlannedChange {
  const { action, kind, configId, home, because, before, after, reused = false, reason = 'removed' } = parts
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
  if (action === 'archive') return { ...change, action, reason }
  return change as PlannedChange
}
