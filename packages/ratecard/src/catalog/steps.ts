// Steps are numbered in the journal; each makes at most one processor write. `Ref` is a config id in a plan, a processor id in a resolved
// step.
import type { FieldsOf } from './fields/tables.ts'
import type { ConfigId, ProcessorId, ResourceKind } from './kinds.ts'

interface StepOf<Op extends string, K extends ResourceKind> {
  readonly op: Op
  readonly kind: K
  readonly configId: ConfigId
}

/** Creates an object with the ownership mark. A price takes over the lookup key (= its config id) in the same request. */
export type CreateStep<Ref = ConfigId> = {
  [K in ResourceKind]: StepOf<'create', K> & {
    readonly fields: FieldsOf<K, Ref>
    /** Id chosen by Ratecard; products and coupons only. */
    readonly id: ProcessorId | null
    /** Redemptions used up by predecessors (coupons and codes). */
    readonly carried: number
    /** Carried-over values that no document can hold, by the processor's parameter path. Absent: none. */
    readonly unsaid?: Readonly<Record<string, unknown>>
  }
}[ResourceKind]

/** Changes an object in place: fields, mark, lookup key and activity in one request. */
export type UpdateStep<Ref = ConfigId> = {
  [K in ResourceKind]: StepOf<'update', K> & {
    readonly processorId: ProcessorId
    /** Only the fields to write. `metadata` holds the author's keys to set. */
    readonly set: Partial<FieldsOf<K, Ref>>
    /** Metadata keys to remove. */
    readonly unset: readonly string[]
    /** Writes the ownership mark. */
    readonly mark: boolean
    /** Prices only: takes over the lookup key. */
    readonly claimLookupKey: boolean
    /** Also reactivates the object. Stripe reactivates a meter with a separate request, so such a step changes nothing else. */
    readonly activate: boolean
  }
}[ResourceKind]

/** Archives an object. A product loses its default price in the same request, a coupon is deleted, a webhook is disabled. */
export interface ArchiveStep extends StepOf<'archive', ResourceKind> {
  readonly processorId: ProcessorId
  /** The last state of an object that archiving deletes (a coupon), so that it stays readable in the store; null otherwise. */
  readonly last: unknown
}

/** Changes only the mapping, without a processor write (local prices, adopted meters). */
export interface RecordStep extends StepOf<'record', ResourceKind> {
  readonly processorId: ProcessorId
}

export interface AttachStep<Ref = ConfigId> extends StepOf<'attach', 'product'> {
  readonly processorId: ProcessorId
  readonly feature: Ref
}

export interface DetachStep extends StepOf<'detach', 'product'> {
  readonly processorId: ProcessorId
  readonly feature: ProcessorId
  /** Processor id of the attachment. */
  readonly attachment: string
}

export type Step<Ref = ConfigId> =
  CreateStep<Ref> | UpdateStep<Ref> | AttachStep<Ref> | DetachStep | ArchiveStep | RecordStep
/** A step with resolved references, as the processor port accepts it. */
export type ResolvedStep = Step<ProcessorId>
