// Change of one resource, with the field names of the document. Used by plans, reports and views; imports no other module of the planner.
import type { ConfigId, ProcessorId, ResourceKind } from './kinds.ts'

/** Origin of a difference: an edit of the document, drift (an edit at the processor), or both. */
export type Origin = 'edit' | 'drift' | 'both'

export interface FieldChange {
  /** Field name in the document (snake_case), e.g. `unit_amount_decimal`, or `metadata.<key>` for one metadata key. */
  readonly field: string
  /** JSON values in the document's form. `undefined` means absent. */
  readonly before: unknown
  readonly after: unknown
  readonly origin: Origin
}

interface ChangeOf<Action extends string> {
  readonly action: Action
  readonly kind: ResourceKind
  readonly configId: ConfigId
  readonly home: 'processor' | 'local'
  /** Changed fields. Empty if the action needs no reason, e.g. a create. */
  readonly because: readonly FieldChange[]
  readonly processorIdBefore: ProcessorId | null
  /** null if the id is not known yet (a create). */
  readonly processorIdAfter: ProcessorId | null
  /** The resource in one readable line, e.g. `€12.00 / month`. */
  readonly display: { readonly before: string | null; readonly after: string | null }
}

export type PlannedChange =
  | ChangeOf<'create'>
  | ChangeOf<'adopt'>
  | ChangeOf<'update'>
  /**
   * A new configuration id takes over the mapping of an earlier one, with its history. The change also lists other fields that changed in
   * place.
   */
  | ChangeOf<'rename'>
  /** A new object, or an earlier object with equal content (`reused`), replaces the current one. */
  | (ChangeOf<'replace'> & { readonly reused: boolean })
  | ChangeOf<'reactivate'>
  /** `removed`: gone from the document. `stray`: left behind by an abandoned push. */
  | (ChangeOf<'archive'> & { readonly reason: 'removed' | 'stray' })
  | ChangeOf<'keep'>

export type ChangeAction = PlannedChange['action']
