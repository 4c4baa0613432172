// The vocabulary of the catalog: what a resource is, on our side (desired) and at the processor (observed).
// Fields are canonical: two resources mean the same exactly when their fields are equal, whatever way they were written.

declare const brand: unique symbol
/** An id chosen by the user in the document. */
export type ConfigId = string & { readonly [brand]: 'config' }
/** An id of the processor. */
export type ProcessorId = string & { readonly [brand]: 'processor' }
export const configId = (text: string) => text as ConfigId
export const processorId = (text: string) => text as ProcessorId

/** In the order in which a push creates them. */
export const resourceKinds = ['meter', 'product', 'price', 'coupon', 'promotion_code', 'webhook'] as const
export type ResourceKind = (typeof resourceKinds)[number]

/** Metadata key on every processor object that is ours; its value is the config id. Meters have no metadata. */
export const ownershipKey = 'ratecard_id'
/** Metadata key of a re-made coupon or promotion code: redemptions that its predecessors already used up. */
export const carriedKey = 'ratecard_redeemed_before'

export type Interval = 'day' | 'week' | 'month' | 'year'
export type TaxBehavior = 'unspecified' | 'inclusive' | 'exclusive'
/** Metadata of the document's author; never holds our own keys. */
export type MetadataMap = Readonly<Record<string, string>>

export interface CanonicalTier {
  /** null is infinity. */
  readonly upTo: number | null
  /** Canonical decimals in minor units (no trailing zeros); null is absent. `0` and absent mean the same: both are null. */
  readonly unitAmount: string | null
  readonly flatAmount: string | null
}

/** `Ref` is a config id in the document and in a plan, a processor id in what was observed or is to be sent. */
export interface MeterFields {
  readonly displayName: string
  readonly eventName: string
  readonly formula: 'sum' | 'count' | 'last'
  readonly customerKey: string
  readonly valueKey: string
}
export interface ProductFields<Ref = ConfigId> {
  readonly name: string
  /** '' is absent. */
  readonly description: string
  readonly type: 'service' | 'good'
  readonly metadata: MetadataMap
  readonly defaultPrice: Ref | null
}
export interface PriceFields<Ref = ConfigId> {
  readonly product: Ref
  readonly currency: string
  /** null is a one-time price. */
  readonly interval: Interval | null
  readonly intervalCount: number
  readonly usageType: 'licensed' | 'metered'
  readonly meter: Ref | null
  readonly billingScheme: 'per_unit' | 'tiered'
  readonly tiersMode: 'graduated' | 'volume' | null
  /** Canonical decimal in minor units; null with tiers. */
  readonly unitAmount: string | null
  readonly tiers: readonly CanonicalTier[] | null
  readonly taxBehavior: TaxBehavior
  readonly metadata: MetadataMap
}
export interface CouponFields<Ref = ConfigId> {
  /** '' is absent. */
  readonly name: string
  /** Canonical decimal, or null. */
  readonly percentOff: string | null
  readonly amountOff: number | null
  readonly currency: string | null
  readonly duration: 'once' | 'repeating' | 'forever'
  readonly durationInMonths: number | null
  /** As the document says it: what is left plus what predecessors used up. */
  readonly maxRedemptions: number | null
  /** Unix seconds. */
  readonly redeemBy: number | null
  /** Sorted; null is every product. */
  readonly appliesTo: readonly Ref[] | null
  readonly metadata: MetadataMap
}
export interface PromotionCodeFields<Ref = ConfigId> {
  readonly code: string
  readonly coupon: Ref
  readonly active: boolean
  /** As the document says it: what is left plus what predecessors used up. */
  readonly maxRedemptions: number | null
  readonly firstTimeTransaction: boolean
  readonly minimumAmount: number | null
  readonly minimumAmountCurrency: string | null
  /** Unix seconds. */
  readonly expiresAt: number | null
  readonly metadata: MetadataMap
}
export interface WebhookFields {
  readonly url: string
  /** Sorted, without duplicates. */
  readonly events: readonly string[]
  readonly connect: boolean
  readonly description: string
}

export interface FieldsByKind<Ref = ConfigId> {
  meter: MeterFields
  product: ProductFields<Ref>
  price: PriceFields<Ref>
  coupon: CouponFields<Ref>
  promotion_code: PromotionCodeFields<Ref>
  webhook: WebhookFields
}
export type FieldsOf<K extends ResourceKind, Ref = ConfigId> = FieldsByKind<Ref>[K]

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
  readonly product: readonly DesiredResource<'product'>[]
  readonly price: readonly DesiredResource<'price'>[]
  readonly coupon: readonly DesiredResource<'coupon'>[]
  readonly promotion_code: readonly DesiredResource<'promotion_code'>[]
  readonly webhook: readonly DesiredResource<'webhook'>[]
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
  /** Unix seconds. */
  readonly created: number
  /** Prices only: the lookup key it holds now. */
  readonly lookupKey: string | null
  /** Coupons and codes: redemptions so far of this object, and those of its predecessors. 0 elsewhere. */
  readonly redeemed: number
  readonly carried: number
  /** A coupon or code that expired or is used up by itself. Whether the coupon of a code still gives anything is asked apart. */
  readonly spent: boolean
  /** What the document cannot express of it, for example `transform_quantity`. Such a price is never equal to a desired one. */
  readonly unrepresentable: readonly string[]
  /** The processor’s whole object, for the record when it is deleted. null for products and prices: they are many, and stay. */
  readonly raw: unknown
}

/** All that was read of the account, by list pages. */
export interface Snapshot {
  readonly meter: readonly ObservedResource<'meter'>[]
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

/** `kind` and id as one key; ids of different kinds may be equal. */
export const resourceKey = (kind: ResourceKind, id: string) => `${kind}:${id}`
