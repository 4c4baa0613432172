// Core types of the catalog: desired resources (from the document) and observed resources (from the processor). Fields are canonical: two
// resources are equivalent exactly if their fields are equal, however they were spelled.
import type { FieldsOf } from './fields/tables.ts'
import type { ConfigId, ProcessorId, ResourceKind } from './kinds.ts'

export { carriedKey, configId, ownershipKey, processorId, resourceKey, resourceKinds } from './kinds.ts'
export type { CanonicalTier, ConfigId, Interval, MetadataMap, ProcessorId, ResourceKind } from './kinds.ts'
export type { FieldsOf } from './fields/tables.ts'

/** Desired resource. `local` resources (free prices) have no object at the processor. */
export interface DesiredResource<K extends ResourceKind = ResourceKind> {
  readonly kind: K
  readonly configId: ConfigId
  readonly home: 'processor' | 'local'
  readonly fields: FieldsOf<K>
  /** `processor_id` of the document: an existing object to adopt. */
  readonly adopt: ProcessorId | null
  /** Local fields (`ui`, `public`, enterprise fields, `default` of a price), never sent to the processor; canonical JSON for comparison. */
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

/** A value that no document can hold but that a create request accepts, e.g. a trial period. */
export interface CarriedValue {
  /** Parameter path at the processor. */
  readonly member: string
  readonly value: unknown
  /** The canonical field that must be set for this value to be allowed. */
  readonly beside: string
}

/** A live object of the processor, owned or foreign. */
export interface ObservedResource<K extends ResourceKind = ResourceKind> {
  readonly kind: K
  readonly processorId: ProcessorId
  /** An existing coupon is active. A webhook is active unless it is disabled. */
  readonly active: boolean
  readonly fields: FieldsOf<K, ProcessorId>
  /** Config id in the ownership metadata; null if the object is not marked. */
  readonly mark: ConfigId | null
  /** Unix seconds; 0 if the processor does not return it. */
  readonly created: number
  /** Current lookup key; prices and features only. */
  readonly lookupKey: string | null
  /** Processor id of each feature attachment, by the processor id of the feature; products only. */
  readonly attachments: Readonly<Record<string, string>>
  /** Redemptions of this object and of its predecessors (`carried`); coupons and codes only, 0 otherwise. */
  readonly redeemed: number
  readonly carried: number
  /** True for a coupon or code that expired or is used up. The coupon of a code is checked separately. */
  readonly spent: boolean
  /** Properties that the document format cannot express, e.g. `transform_quantity`. Such a price never equals a desired one. */
  readonly unrepresentable: readonly string[]
  /** Members that no document can hold, by the processor's names: unchanged by updates, lost when the object is replaced. */
  readonly unsaid: readonly string[]
  /** Those `unsaid` members that a create request accepts, so that a replacement can carry them over. */
  readonly carriable: readonly CarriedValue[]
  /**
   * The processor's complete object, recorded when it is deleted. null for products and prices, which are numerous and are never deleted.
   */
  readonly raw: unknown
}

/** All objects of the account, read from list endpoints. */
export interface Snapshot {
  readonly meter: readonly ObservedResource<'meter'>[]
  readonly feature: readonly ObservedResource<'feature'>[]
  readonly product: readonly ObservedResource<'product'>[]
  readonly price: readonly ObservedResource<'price'>[]
  readonly coupon: readonly ObservedResource<'coupon'>[]
  readonly promotion_code: readonly ObservedResource<'promotion_code'>[]
  readonly webhook: readonly ObservedResource<'webhook'>[]
}

/** Entry of the mapping history: the processor object that stood for a configuration id. */
export interface MappingEntry {
  readonly kind: ResourceKind
  readonly configId: ConfigId
  readonly processorId: ProcessorId
  /** Ascending: the entry with the highest sequence of a (kind, config id) is the current one. */
  readonly sequence: number
  /** Revision that created the entry. */
  readonly revision: number
}
