// Kinds of resources, their ids, and canonical value types that several kinds share. The bottom layer of the catalog: imports no other
// module of the catalog.
import type {
  BillingConfig,
  Coupon,
  Feature,
  Meter,
  Portal,
  Price,
  Product,
  PromotionCode,
  TaxRate,
  Webhook,
} from '../document/schema/schema.ts'
import { webhookId } from '../document/schema/ids.ts'

declare const brand: unique symbol
/** Configuration id: an id in the document, chosen by its author. */
export type ConfigId = string & { readonly [brand]: 'config' }
/** Id of an object at the processor, e.g. `price_1Nv…`. */
export type ProcessorId = string & { readonly [brand]: 'processor' }
export const configId = (text: string) => text as ConfigId
export const processorId = (text: string) => text as ProcessorId

/** Kinds in the order in which a push creates them. */
export const resourceKinds = [
  'meter',
  'feature',
  'product',
  'price',
  'coupon',
  'promotion_code',
  'tax_rate',
  'portal',
  'webhook',
] as const
export type ResourceKind = (typeof resourceKinds)[number]

/** Type of the document item of each kind. */
export interface ItemByKind {
  meter: Meter
  feature: Feature
  product: Product
  price: Price
  coupon: Coupon
  promotion_code: PromotionCode
  tax_rate: TaxRate
  portal: Portal
  webhook: Webhook
}
export type ItemOf<K extends ResourceKind> = ItemByKind[K]

/** Name of the list of each kind in the document. Prices have no list, because they are nested in their products. */
export const documentLists = {
  meter: 'meters',
  feature: 'features',
  product: 'products',
  coupon: 'coupons',
  promotion_code: 'promotion_codes',
  tax_rate: 'tax_rates',
  portal: 'portal',
  webhook: 'webhooks',
} as const satisfies Record<Exclude<ResourceKind, 'price'>, keyof BillingConfig>

/** Kinds with a top-level list in the document, i.e. all but `price`. */
export type ListedKind = keyof typeof documentLists
export const listedKinds = Object.keys(documentLists) as readonly ListedKind[]

/** Returns the items of a listed kind in document order. */
export function listOf<K extends ListedKind>(config: BillingConfig, kind: K): readonly ItemOf<K>[] {
  return (config[documentLists[kind]] ?? []) as unknown as readonly ItemOf<K>[]
}

/** One item of a document with its path. For a price, `product` is the product that contains it. */
export interface PlacedItem<K extends ResourceKind> {
  readonly item: ItemOf<K>
  readonly product: K extends 'price' ? Product : undefined
  readonly path: readonly (string | number)[]
}

/** Returns the items of a kind in document order, each with its path. */
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

/** Returns the configuration id of an item. */
export function idOfItem<K extends ResourceKind>(kind: K, item: ItemOf<K>): string {
  return kind === 'webhook' ? webhookId(item as Webhook) : (item as { readonly id: string }).id
}

/**
 * Metadata key of the ownership mark, which every object that Ratecard manages carries. Its value is the configuration id. Meters cannot
 * carry it, because they have no metadata.
 */
export const ownershipKey = 'ratecard_id'
/**
 * Metadata key of a coupon or promotion code that replaces others. Its value is the number of redemptions that the replaced objects had.
 */
export const carriedKey = 'ratecard_redeemed_before'

/** Metadata key for the `connect` flag of a webhook endpoint, which the processor's replies do not contain. */
export const connectKey = 'ratecard_connect'

export type Interval = 'day' | 'week' | 'month' | 'year'
export type TaxBehavior = 'unspecified' | 'inclusive' | 'exclusive'
/** Metadata set by the author of the document. It never contains Ratecard's own keys. */
export type MetadataMap = Readonly<Record<string, string>>

export interface CanonicalTier {
  /** Upper bound of the tier, inclusive. null means infinity. */
  readonly upTo: number | null
  /** Canonical decimal in minor units without trailing zeros, e.g. `12.5`. null means absent or zero, which are equivalent in a tier. */
  readonly unitAmount: string | null
  readonly flatAmount: string | null
}

/** The amount of a price in another currency. One of `unitAmount` and `tiers` is null. */
export interface CanonicalCurrencyOption {
  readonly unitAmount: string | null
  readonly tiers: readonly CanonicalTier[] | null
  readonly taxBehavior: TaxBehavior
}
export type CurrencyOptions = Readonly<Record<string, CanonicalCurrencyOption>>

export type ProrationBehavior = 'none' | 'create_prorations' | 'always_invoice'

/** A product that customers can change to in the portal. `Ref` is the type of ids. */
export interface PortalPrices<Ref> {
  readonly product: Ref
  readonly prices: readonly Ref[]
  /** Limits of the quantity; null if it cannot be changed. */
  readonly quantity: { readonly minimum: number; readonly maximum: number | null } | null
}

/** Rules for how customers may change their subscriptions in the portal. Lists are sorted, because their order has no meaning. */
export interface SubscriptionUpdate<Ref = ConfigId> {
  readonly allowedUpdates: readonly ('price' | 'promotion_code' | 'quantity')[]
  readonly products: readonly PortalPrices<Ref>[]
  readonly prorationBehavior: ProrationBehavior
  readonly billingCycleAnchor: 'now' | 'unchanged'
  readonly trialUpdateBehavior: 'continue_trial' | 'end_trial'
  readonly atPeriodEnd: readonly ('decreasing_item_amount' | 'shortening_interval')[]
}

/** Returns a map key of kind and id, because resources of different kinds may have the same id. */
export const resourceKey = (kind: ResourceKind, id: string) => `${kind}:${id}`
