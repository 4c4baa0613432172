// What the journal numbers: at most one processor write each. `Ref` is a config id as planned, a processor id as sent.
import type { FieldsOf } from './fields/tables.ts'
import type { ConfigId, ProcessorId, ResourceKind } from './kinds.ts'

interface StepOf<Op extends string, K extends ResourceKind> {
  readonly op: Op
  readonly kind: K
  readonly configId: ConfigId
}

/** Make a new object, marked as ours. A price takes over the lookup key (= its config id) in the same call. */
export type CreateStep<Ref = ConfigId> = {
  [K in ResourceKind]: StepOf<'create', K> & {
    readonly fields: FieldsOf<K, Ref>
    /** The id we choose, for products and coupons. */
    readonly id: ProcessorId | null
    /** Redemptions used up by predecessors (coupons and codes). */
    readonly carried: number
    /** What it takes over although no document says it, by the path in the processor's words. Absent: nothing. */
    readonly unsaid?: Readonly<Record<string, unknown>>
  }
}[ResourceKind]

/** Change an object in place: fields, mark, lookup key, activity; all in one call. */
export type UpdateStep<Ref = ConfigId> = {
  [K in ResourceKind]: StepOf<'update', K> & {
    readonly processorId: ProcessorId
    /** Only the fields to write. `metadata` holds the author's keys to set. */
    readonly set: Partial<FieldsOf<K, Ref>>
    /** Metadata keys to remove. */
    readonly unset: readonly string[]
    /** Write the ownership mark. */
    readonly mark: boolean
    /** Prices: take over the lookup key. */
    readonly claimLookupKey: boolean
    /** Reactivate as well. Meters have a call of their own for this: such a step changes nothing else. */
    readonly activate: boolean
  }
}[ResourceKind]

/** Stop an object. Products lose their default price in the same call; coupons are deleted; webhooks are disabled. */
export interface ArchiveStep extends StepOf<'archive', ResourceKind> {
  readonly processorId: ProcessorId
  /** The whole last object where archiving deletes it (coupons), so that it stays readable with us; null elsewhere. */
  readonly last: unknown
}

/** Nothing at the processor: only the mapping changes (local prices, adopted meters). */
export interface RecordStep extends StepOf<'record', ResourceKind> {
  readonly processorId: ProcessorId
}

/** Put a feature on a product. */
export interface AttachStep<Ref = ConfigId> extends StepOf<'attach', 'product'> {
  readonly processorId: ProcessorId
  readonly feature: Ref
}

/** Take it off again. */
export interface DetachStep extends StepOf<'detach', 'product'> {
  readonly processorId: ProcessorId
  readonly feature: ProcessorId
  /** The processor's id of the attachment. */
  readonly attachment: string
}

export type Step<Ref = ConfigId> =
  CreateStep<Ref> | UpdateStep<Ref> | AttachStep<Ref> | DetachStep | ArchiveStep | RecordStep
/** A step with every reference resolved: what the processor port takes. */
export type ResolvedStep = Step<ProcessorId>
