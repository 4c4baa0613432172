// The change details of a plan as the API returns them.
import type { PlannedChange, ChangeAction, FieldChange } from './change.ts'
import type { ResourceKind } from './kinds.ts'

/** One change of a plan. */
export interface Detail {
  readonly kind: ResourceKind
  readonly configId: string
  readonly action: ChangeAction
  readonly because: readonly string[]
  readonly fields: readonly FieldChange[]
  readonly processorIdBefore: string | null
  readonly processorIdAfter: string | null
  readonly display: { readonly before: string | null; readonly after: string | null }
}

/** Converts changes to details. Kept resources have no detail. */
export function detailsOf(
  changes: readonly PlannedChange[],
  created: (kind: ResourceKind, id: string) => string | null,
): Detail[] {
  return changes
    .filter((change) => change.action !== 'keep')
    .map((change) => ({
      kind: change.kind,
      configId: change.configId,
      action: change.action,
      because: change.because.map((field) => field.field),
      fields: change.because,
      processorIdBefore: change.processorIdBefore,
      processorIdAfter:
        change.processorIdAfter ?? (change.action === 'archive' ? null : created(change.kind, change.configId)),
      display: change.display,
    }))
}
