// The steps of a plan, with their numbers in the journal. Each step makes at most one write at the processor. `Ref` is a config id in a
// plan, and a processor id in a resolved step.
import type { FieldsOf } from './fields/tables.ts'
import type { ConfigId, ProcessorId, ResourceKind } from './kinds.ts'

interface StepOf<Op extends string, K extends ResourceKind> {
  readonly op: Op
  readonly kind: K
  readonly configId: ConfigId
}

/**
 * Creates an object with the ownership mark. The request also sets the lookup key of a price, and takes the key from another price that has
 * it.
 */
export type CreateStep<Ref = ConfigId> = {
  [K in ResourceKind]: StepOf<'create', K> & {
    readonly fields: FieldsOf<K, Ref>
    /** Id chosen by Ratecard; null for all kinds but products and coupons. */
    readonly id: ProcessorId | null
    /** Number of redemptions of the objects that this object replaces; 0 for all kinds except coupons and codes. */
    readonly carried: number
    /** Values from the replaced object that no document can contain, keyed by the processor's parameter path. Absent if there are none. */
    readonly unsaid?: Readonly<Record<string, unknown>>
  }
}[ResourceKind]

/** Changes an object in place. One request contains the fields, the ownership mark, and whether the object is active. */
export type UpdateStep<Ref = ConfigId> = {
  [K in ResourceKind]: StepOf<'update', K> & {
    readonly processorId: ProcessorId
    /** Fields to write; other fields stay unchanged. `metadata` contains only keys that the author sets. */
    readonly set: Partial<FieldsOf<K, Ref>>
    /** Metadata keys to remove. */
    readonly unset: readonly string[]
    /** True if the step writes the ownership mark. */
    readonly mark: boolean
    /**
     * True if the step also reactivates the object. Stripe reactivates a meter with a separate request, so such a step changes nothing
     * else.
     */
    readonly activate: boolean
  }
}[ResourceKind]

/** Archives an object. For a product, the same request also removes the default price. A coupon is deleted, and a webhook is disabled. */
export interface ArchiveStep extends StepOf<'archive', ResourceKind> {
  readonly processorId: ProcessorId
  /** The last state of an object that archiving deletes (a coupon), so that the store still has it; null otherwise. */
  readonly last: unknown
}

/** Changes only the mapping, without a write at the processor, e.g. for a free price or an adopted meter. */
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
  /** Processor id of the attachment to remove. */
  readonly attachment: string
}

export type Step<Ref = ConfigId> =
  CreateStep<Ref> | UpdateStep<Ref> | AttachStep<Ref> | DetachStep | ArchiveStep | RecordStep
/** A step with processor ids as references, as the processor port accepts it. */
export type ResolvedStep = Step<ProcessorId>
