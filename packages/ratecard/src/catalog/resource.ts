// Core types of the catalog: desired resources (from the document) and observed resources (from the processor). Fields are canonical: two
// resources are equivalent if and only if their fields are equal, no matter how the document writes them.
import type { FieldsOf } from './fields/tables.ts'
import type { ConfigId, ProcessorId, ResourceKind } from './kinds.ts'

export { carriedKey, configId, connectKey, ownershipKey, processorId, resourceKey, resourceKinds } from './kinds.ts'
export type { CanonicalTier, ConfigId, Interval, MetadataMap, ProcessorId, ResourceKind } from './kinds.ts'
export type { FieldsOf } from './fields/tables.ts'

/** A resource of the document. A `local` resource (a free price) has no object at the processor. */
export interface DesiredResource<K extends ResourceKind = ResourceKind> {
  readonly kind: K
  readonly configId: ConfigId
  readonly home: 'processor' | 'local'
  readonly fields: FieldsOf<K>
  /** Existing object to adopt (`processor_id` in the document); null if there is none. */
  readonly adopt: ProcessorId | null
  /**
   * Local fields of the resource, which are never sent to the processor: `ui`, `public`, enterprise fields, `default` of a price. They are
   * canonical JSON, so that they can be compared.
   */
  readonly ours: Readonly<Record<string, unknown>>
}

/** Desired resources by kind, in document order. */
export type Catalog = { readonly [K in ResourceKind]: readonly DesiredResource<K>[] }

/** A value that no document can contain but that a create request accepts, e.g. a trial period. */
export interface CarriedValue {
  /** Parameter path at the processor, e.g. `recurring.trial_period_days`. */
  readonly member: string
  readonly value: unknown
  /**
   * Canonical field that the create request must contain too, because otherwise the processor rejects the value. E.g. `interval` for a
   * trial period.
   */
  readonly beside: string
}

/** A live object at the processor, owned or foreign. */
export interface ObservedResource<K extends ResourceKind = ResourceKind> {
  readonly kind: K
  readonly processorId: ProcessorId
  /** True if the object is active. A coupon is active while it exists, and a webhook unless it is disabled. */
  readonly active: boolean
  readonly fields: FieldsOf<K, ProcessorId>
  /** Configuration id in the ownership mark (metadata); null if the object has no mark. */
  readonly mark: ConfigId | null
  /** False if the processor refuses to archive the object: the account's own default configuration of the portal. */
  readonly archivable?: false
  /** True if the processor does not say whether this webhook endpoint is for connected accounts. `connect` is false then. */
  readonly connectUnknown?: true
  /** Number of Ratecard's metadata keys besides the mark. */
  readonly companions: number
  /** Time of creation in Unix seconds; 0 if the processor does not return it. */
  readonly created: number
  /**
   * Feature attachments of a product: the processor id of each attachment, keyed by the processor id of the feature. Empty for other kinds.
   */
  readonly attachments: Readonly<Record<string, string>>
  /** Number of redemptions of this coupon or code. `carried` is the number for the objects that it replaced. Both are 0 for other kinds. */
  readonly redeemed: number
  readonly carried: number
  /** True if a coupon or code itself has expired or is used up. The state of a code's coupon does not count here. */
  readonly spent: boolean
  /**
   * Properties that the document format cannot express, e.g. `transform_quantity`. An object with such a property never equals a desired
   * resource.
   */
  readonly unrepresentable: readonly string[]
  /**
   * Members of the live object that no document can contain, under the processor's names. An update leaves their values unchanged, but a
   * replacement object would lose them.
   */
  readonly unsaid: readonly string[]
  /** Those members of `unsaid` that a create request accepts, so that a replacement object can get them too. */
  readonly carriable: readonly CarriedValue[]
  /**
   * The complete object of the processor, which is stored when the object is deleted. null for products and prices, which are never deleted
   * and of which there are many.
   */
  readonly raw: unknown
}

/** All catalog objects of the account, read from list endpoints. */
export type Snapshot = { readonly [K in ResourceKind]: readonly ObservedResource<K>[] }

/** Entry of the mapping history: a configuration id, and a processor object that it is or was mapped to. */
export interface MappingEntry {
  readonly kind: ResourceKind
  readonly configId: ConfigId
  readonly processorId: ProcessorId
  /**
   * Ascending number of the entry. Of all entries with the same kind and configuration id, the one with the highest number is the current
   * one.
   */
  readonly sequence: number
  /** Revision that added the entry. */
  readonly revision: number
}
