// Core types of the catalog: desired resources (from the document) and observed resources (from the processor). Fields are canonical: two
// resources are equivalent if and only if their fields are equal, no matter how the document writes them.
import type { FieldsOf } from './fields/tables.ts'
import type { ConfigId, ProcessorId, ResourceKind } from './kinds.ts'

export { carriedKey, configId, ownershipKey, processorId, resourceKey, resourceKinds } from './kinds.ts'
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
  /** Local fields, never sent to the processor: `ui`, `public`, enterprise fields, `default` of a price. Canonical JSON for comparison. */
  readonly ours: Readonly<Record<string, unknown>>
}

/** Desired resources by kind, in document order. */
export interface Catalog {
  readonly meter: readonly DesiredResource<'meter'>[]
  readonly feature: readonly DesiredResource<'feature'>[]
  readonly product: readonly DesiredResource<'product'>[]
  readonly price: readonly DesiredResource<'price'>[]
  readonly coupon: readonly DesiredResource<'coupon'>[]
  readonly promotion_code: readonly DesiredResource<'promotion_code'>[]
  readonly webhook: readonly DesiredResource<'webhook'>[]
}

/** A value that no document can contain but that a create request accepts, e.g. a trial period. */
export interface CarriedValue {
  /** Parameter path at the processor, e.g. `recurring.trial_period_days`. */
  readonly member: string
  readonly value: unknown
  /** Canonical field that a create request must also set, otherwise the value is not accepted, e.g. `interval` for a trial period. */
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
  /** Time of creation in Unix seconds; 0 if the processor does not return it. */
  readonly created: number
  /** Current lookup key of a price or feature; null for other kinds. */
  readonly lookupKey: string | null
  /** Processor id of each feature attachment of a product, keyed by the processor id of the feature. Empty for other kinds. */
  readonly attachments: Readonly<Record<string, string>>
  /** Redemptions of this coupon or code. `carried` contains those of the objects that it replaced. Both are 0 for other kinds. */
  readonly redeemed: number
  readonly carried: number
  /** True for a coupon or code that expired or is used up. A code's own coupon is not considered here. */
  readonly spent: boolean
  /**
   * Properties that the document format cannot express, e.g. `transform_quantity`. An object with such a property never equals a desired
   * resource.
   */
  readonly unrepresentable: readonly string[]
  /**
   * Members of the live object that no document can contain, under the processor's names. An update leaves them unchanged. A replacement
   * object does not have them.
   */
  readonly unsaid: readonly string[]
  /** Those members of `unsaid` that a create request accepts, so that a replacement object can get them too. */
  readonly carriable: readonly CarriedValue[]
  /**
   * The processor's complete object, recorded when the object is deleted. null for products and prices, because there are many of them and
   * they are never deleted.
   */
  readonly raw: unknown
}

/** All catalog objects of the account, read from list endpoints. */
export interface Snapshot {
  readonly meter: readonly ObservedResource<'meter'>[]
  readonly feature: readonly ObservedResource<'feature'>[]
  readonly product: readonly ObservedResource<'product'>[]
  readonly price: readonly ObservedResource<'price'>[]
  readonly coupon: readonly ObservedResource<'coupon'>[]
  readonly promotion_code: readonly ObservedResource<'promotion_code'>[]
  readonly webhook: readonly ObservedResource<'webhook'>[]
}

/** Entry of the mapping history: a processor object that a configuration id is or was mapped to. */
export interface MappingEntry {
  readonly kind: ResourceKind
  readonly configId: ConfigId
  readonly processorId: ProcessorId
  /** Ascending number. The entry with the highest sequence of a kind and config id is the current one. */
  readonly sequence: number
  /** Revision that added the entry. */
  readonly revision: number
}
