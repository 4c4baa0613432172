// The vocabulary of the catalog: what a resource is, on our side (desired) and at the processor (observed).
// Fields are canonical: two resources mean the same exactly when their fields are equal, whatever way they were written.
import type { FieldsOf } from './fields/tables.ts'
import type { ConfigId, ProcessorId, ResourceKind } from './kinds.ts'

export { carriedKey, configId, ownershipKey, processorId, resourceKey, resourceKinds } from './kinds.ts'
export type { CanonicalTier, ConfigId, Interval, MetadataMap, ProcessorId, ResourceKind } from './kinds.ts'
export type { FieldsOf } from './fields/tables.ts'

/** What should exist. `local` resources (free prices) have no object at the processor. */
export interface DesiredResource<K extends ResourceKind = ResourceKind> {
  readonly kind: K
  readonly configId: ConfigId
  readonly home: 'processor' | 'local'
  readonly fields: FieldsOf<K>
  /** The document's own `processor_id`: an object to adopt. */
  readonly adopt: ProcessorId | null
  /** Fields that are ours alone (`ui`, `public`, enterprise fields, `default` of a price), canonical JSON for comparing. */
  readonly ours: Readonly<Record<string, unknown>>
}

/** What the document wants, each list in document order. */
export interface Catalog {
  readonly meter: readonly DesiredResource<'meter'>[]
  readonly feature: readonly DesiredResource<'feature'>[]
  readonly product: readonly DesiredResource<'product'>[]
  readonly price: readonly DesiredResource<'price'>[]
  readonly coupon: readonly DesiredResource<'coupon'>[]
  readonly promotion_code: readonly DesiredResource<'promotion_code'>[]
  readonly webhook: readonly DesiredResource<'webhook'>[]
}

/** A value that no document says and that a creation takes. */
export interface CarriedValue {
  /** Its path in the processor's words. */
  readonly member: string
  readonly value: unknown
  /** The canonical field that it can only stand beside. */
  readonly beside: string
}

/** One live object of the processor, ours or not. */
export interface ObservedResource<K extends ResourceKind = ResourceKind> {
  readonly kind: K
  readonly processorId: ProcessorId
  /** Coupons that exist are active; webhooks are active unless disabled. */
  readonly active: boolean
  readonly fields: FieldsOf<K, ProcessorId>
  /** Config id in our ownership metadata; null when the object is not marked. */
  readonly mark: ConfigId | null
  /** Unix seconds; 0 where the processor does not tell it. */
  readonly created: number
  /** Prices and features only: the lookup key it holds now. */
  readonly lookupKey: string | null
  /** Products only: the processor’s id of each attachment of a feature, by the feature’s processor id. */
  readonly attachments: Readonly<Record<string, string>>
  /** Coupons and codes: redemptions so far of this object, and those of its predecessors. 0 elsewhere. */
  readonly redeemed: number
  readonly carried: number
  /** A coupon or code that expired or is used up by itself. Whether the coupon of a code still gives anything is asked apart. */
  readonly spent: boolean
  /** What the document cannot express of it, for example `transform_quantity`. Such a price is never equal to a desired one. */
  readonly unrepresentable: readonly string[]
  /** Members with a value that no document says, in the processor's words: left as they are, lost when the object is replaced. */
  readonly unsaid: readonly string[]
  /** Those of them that a creation takes, so that an object that replaces this one has them too. */
  readonly carriable: readonly CarriedValue[]
  /** The processor’s whole object, for the record when it is deleted. null for products and prices: they are many, and stay. */
  readonly raw: unknown
}

/** All that was read of the account, by list pages. */
export interface Snapshot {
  readonly meter: readonly ObservedResource<'meter'>[]
  readonly feature: readonly ObservedResource<'feature'>[]
  readonly product: readonly ObservedResource<'product'>[]
  readonly price: readonly ObservedResource<'price'>[]
  readonly coupon: readonly ObservedResource<'coupon'>[]
  readonly promotion_code: readonly ObservedResource<'promotion_code'>[]
  readonly webhook: readonly ObservedResource<'webhook'>[]
}

/** One entry of the mapping history: this processor object stood for this configuration id. */
export interface MappingEntry {
  readonly kind: ResourceKind
  readonly configId: ConfigId
  readonly processorId: ProcessorId
  /** Ascending: the highest entry of a (kind, config id) is the current one. */
  readonly sequence: number
  /** The revision that made the entry. */
  readonly revision: number
}
