// What a plan says of one resource, in the words of the document: the leaf that plan, reports and views share.
import type { ConfigId, ProcessorId, ResourceKind } from './kinds.ts'

/** Whose change a difference is: the author's edit, an edit at the processor, or both. */
export type Origin = 'edit' | 'drift' | 'both'

export interface FieldChange {
  /** The document's own name of the field (snake_case), `metadata.<key>` for one metadata key. */
  readonly field: string
  /** JSON values in the document's form. `undefined` is absent. */
  readonly before: unknown
  readonly after: unknown
  readonly origin: Origin
}

interface ChangeOf<Action extends string> {
  readonly action: Action
  readonly kind: ResourceKind
  readonly configId: ConfigId
  readonly home: 'processor' | 'local'
  /** Why, field by field; empty where the action speaks for itself. */
  readonly because: readonly FieldChange[]
  readonly processorIdBefore: ProcessorId | null
  /** null while it is not known (a create). */
  readonly processorIdAfter: ProcessorId | null
  /** The resource in one line as people read it, for example `€12.00 / month`. */
  readonly display: { readonly before: string | null; readonly after: string | null }
}

export type PlannedChange =
  | ChangeOf<'create'>
  | ChangeOf<'adopt'>
  | ChangeOf<'update'>
  /** Another id takes the mapping over, with its history; what else changed in place comes with it. */
  | ChangeOf<'rename'>
  /** A new object (or an earlier one of equal content) takes the place of the present one. */
  | (ChangeOf<'replace'> & { readonly reused: boolean })
  | ChangeOf<'reactivate'>
  /** `removed` from the document, or a `stray` of an abandoned push. */
  | (ChangeOf<'archive'> & { readonly reason: 'removed' | 'stray' })
  | ChangeOf<'keep'>

export type ChangeAction = PlannedChange['action']
