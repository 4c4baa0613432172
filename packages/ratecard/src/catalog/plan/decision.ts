// One decision of a plan, as a value: planChanges writes it down, nobody else does.
import type { Issue } from '../../errors/issue.ts'
import type { Change, FieldChange } from '../change.ts'
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
  readonly chosenId: { readonly kind: ResourceKind; readonly id: ProcessorId } | null
  /** What the resource will be; null when nothing is said of it, or when it is refused. */
  readonly outcome: { readonly kind: ResourceKind; readonly configId: ConfigId; readonly is: ProcessorId | null } | null
  readonly change: Change | null
  /** Objects of abandoned pushes: changes that no configuration id stands for. */
  readonly strays: readonly Change[]
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
  return parts.reduce<Decision>(
    (all, part) => ({
      issues: [...all.issues, ...(part.issues ?? [])],
      steps: [...all.steps, ...(part.steps ?? [])],
      archives: [...all.archives, ...(part.archives ?? [])],
      settled: [...all.settled, ...(part.settled ?? [])],
      chosenId: part.chosenId ?? all.chosenId,
      outcome: part.outcome ?? all.outcome,
      change: part.change ?? all.change,
      strays: [...all.strays, ...(part.strays ?? [])],
    }),
    nothing,
  )
}

interface ChangeParts {
  readonly action: Change['action']
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

export function changeOf(state: PlanState, parts: ChangeParts): Change {
  const { action, kind, configId, home, because, before, after, reused = false, reason = 'removed' } = parts
  const base = {
    kind,
    configId,
    home,
    because,
    processorIdBefore: before,
    processorIdAfter: after,
    display: state.display(action, kind, configId),
  }
  if (action === 'replace') return { ...base, action, reused }
  if (action === 'archive') return { ...base, action, reason }
  return { ...base, action }
}
