// The leaf of the catalog: kinds of resources, their ids, and the canonical values that several kinds share.
import type {
  BillingConfig,
  Coupon,
  Feature,
  Meter,
  Price,
  Product,
  PromotionCode,
  Webhook,
} from '../config/schema/schema.ts'
import { webhookId } from '../config/schema/ids.ts'

declare const brand: unique symbol
/** An id chosen by the user in the document. */
export type ConfigId = string & { readonly [brand]: 'config' }
/** An id of the processor. */
export type ProcessorId = string & { readonly [brand]: 'processor' }
export const configId = (text: string) => text as ConfigId
export const processorId = (text: string) => text as ProcessorId

/** In the order in which a push creates them. */
export const resourceKinds = ['meter', 'feature', 'product', 'price', 'coupon', 'promotion_code', 'webhook'] as const
export type ResourceKind = (typeof resourceKinds)[number]

/** What the document writes for a resource of each kind. */
export interface ItemByKind {
  meter: Meter
  feature: Feature
  product: Product
  price: Price
  coupon: Coupon
  promotion_code: PromotionCode
  webhook: Webhook
}
export type ItemOf<K extends ResourceKind> = ItemByKind[K]

/** The list of the document that holds a kind's items; prices stand in their products. */
export const documentLists = {
  meter: 'meters',
  feature: 'features',
  product: 'products',
  coupon: 'coupons',
  promotion_code: 'promotion_codes',
  webhook: 'webhooks',
} as const satisfies Record<Exclude<ResourceKind, 'price'>, keyof BillingConfig>

/** Kinds whose items stand in a list of the document. */
export type ListedKind = keyof typeof documentLists
export const listedKinds = Object.keys(documentLists) as readonly ListedKind[]

/** The items of such a kind in document order. */
export function listOf<K extends ListedKind>(config: BillingConfig, kind: K): readonly ItemOf<K>[] {
  return (config[documentLists[kind]] ?? []) as unknown as readonly ItemOf<K>[]
}

/** One item of a document. `product` is the one that a price stands in. */
export interface PlacedItem<K extends ResourceKind> {
  readonly item: ItemOf<K>
  readonly product: K extends 'price' ? Product : undefined
  readonly path: readonly (string | number)[]
}

/** The items of a kind in document order, each with its place. */
export function itemsOf<K extends ResourceKind>(config: BillingConfig, kind: K): PlacedItem<K>[] {
  return itemsOfKind(config, kind) as unknown as PlacedItem<K>[]
}

function itemsOfKind(config: BillingConfig, kind: ResourceKind): object[] {
  if (kind === 'price')
    return config.products.flatMap((product, index) =>
      (product.prices ?? []).map((item, place) => ({ item, product, path: ['products', index, 'prices', place] })),
    )
  return listOf(config, kind).map((item, index) => ({ item, path: [documentLists[kind], index] }))
}

/** The id under which an item is kept. */
export function idOfItem<K extends ResourceKind>(kind: K, item: ItemOf<K>): string {
  return kind === 'webhook' ? webhookId(item as Webhook) : (item as { readonly id: string }).id
}

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

/** What a price costs in another currency: one of the two amounts is null. */
export interface CanonicalCurrencyOption {
  readonly unitAmount: string | null
  readonly tiers: readonly CanonicalTier[] | null
  readonly taxBehavior: TaxBehavior
}
export type CurrencyOptions = Readonly<Record<string, CanonicalCurrencyOption>>

/** `kind` and id as one key; ids of different kinds may be equal. */
export const resourceKey = (kind: ResourceKind, id: string) => `${kind}:${id}`
