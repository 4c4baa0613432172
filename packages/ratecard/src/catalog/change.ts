// Planned change of one resource, with the field names of the document. Used by plans, reports and views. Imports no other module of the
// planner.
import type { ConfigId, ProcessorId, ResourceKind } from './kinds.ts'

/** Origin of a difference: an edit of the document, drift (an edit at the processor), or both of these. */
export type Origin = 'edit' | 'drift' | 'both'

export interface FieldChange {
  /** Field name in the document (snake_case), e.g. `unit_amount_decimal`, or `metadata.<key>` for one metadata key. */
  readonly field: string
  /**
   * JSON value before the change, in the form of the document; `undefined` if the field was absent. `after` is the value after the change,
   * in the same form.
   */
  readonly before: unknown
  readonly after: unknown
  readonly origin: Origin
}

interface ChangeOf<Action extends string> {
  readonly action: Action
  readonly kind: ResourceKind
  readonly configId: ConfigId
  readonly home: 'processor' | 'local'
  /** Changed fields, i.e. the reasons of the change. Empty if the action needs no reason, e.g. a create. */
  readonly because: readonly FieldChange[]
  readonly processorIdBefore: ProcessorId | null
  /** Processor id after the change; null if it is not known yet (a create). */
  readonly processorIdAfter: ProcessorId | null
  /**
   * One readable line for the resource before and one after the change, e.g. `€12.00 / month`. null if the resource does not exist before
   * (or after).
   */
  readonly display: { readonly before: string | null; readonly after: string | null }
}

export type PlannedChange =
  | ChangeOf<'create'>
  /** `foreign` is false for an object of Ratecard's own that has no mapping, e.g. because the push that created it was killed. */
  | (ChangeOf<'adopt'> & { readonly foreign: boolean })
  | ChangeOf<'update'>
  /**
   * A new configuration id takes over the mapping of an earlier id, with its history. The change also lists other fields of the resource
   * that changed in place.
   */
  | ChangeOf<'rename'>
  /** A new object replaces the current one. With `reused`, an earlier object with equal content replaces it instead. */
  | (ChangeOf<'replace'> & { readonly reused: boolean })
  | ChangeOf<'reactivate'>
  /** `removed`: the document no longer contains the resource. `stray`: an abandoned push left the object behind. */
  | (ChangeOf<'archive'> & { readonly reason: 'removed' | 'stray' })
  | ChangeOf<'keep'>

export type ChangeAction = PlannedChange['action']
