// A configuration document of what is active at the processor: live values for what the processor holds, our own values
// (ui, public, enterprise fields, free prices, inactive codes) from the current version. Never rounds, never guesses money:
// what the document cannot express is listed instead.
import type { BillingConfig, Coupon, Meter, Product, PromotionCode, Webhook } from '../config/schema.ts'
import { webhookId } from '../config/ids.ts'
import { withSoundText } from '../config/text.ts'
import { validateConfig } from '../config/validate.ts'
import { pathOf } from '../errors/issue.ts'
import { desiredCatalog, emptyCatalog } from './desired.ts'
import { foreignItem, managedItem, namesOf, others } from './document-items.ts'
import type { Reading } from './document-items.ts'
import { productsOf } from './document-products.ts'
import { codeFromLive, couponFromLive, meterFromLive, webhookFromLive } from './from-live.ts'
import { ownershipOf } from './observed.ts'
import type { MappingEntry, ObservedResource, ResourceKind, Snapshot } from './resource.ts'

export interface LiveDocument {
  readonly document: BillingConfig
  readonly unrepresentable: readonly {
    readonly kind: ResourceKind
    readonly processorId: string
    readonly reason: string
  }[]
}

export function toDocument(
  snapshot: Snapshot,
  mappings: readonly MappingEntry[],
  current: BillingConfig | null,
): LiveDocument {
  const reading: Reading = {
    own: ownershipOf(snapshot, mappings),
    current,
    catalog: current === null ? emptyCatalog : desiredCatalog(current),
    names: new Map(),
    taken: {
      meter: new Set(),
      product: new Set(),
      price: new Set(),
      coupon: new Set(),
      promotion_code: new Set(),
      webhook: new Set(),
    },
    left: [],
  }
  const meters = listOf(
    reading,
    'meter',
    current?.meters ?? [],
    (meter) => meter.id,
    (id, live) => meterFromLive(id, live.fields),
  )
  const products = productsOf(reading)
  const coupons = listOf(
    reading,
    'coupon',
    current?.coupons ?? [],
    (coupon) => coupon.id,
    (id, live) => couponFromLive(id, live.fields, namesOf(reading)),
  )
  const codes = listOf(
    reading,
    'promotion_code',
    current?.promotion_codes ?? [],
    (code) => code.id,
    (id, live) => codeFromLive(id, live.fields, namesOf(reading)),
  )
  const webhooks = listOf(reading, 'webhook', current?.webhooks ?? [], webhookId, (id, live) =>
    webhookFromLive(id, live.fields),
  )
  const document: BillingConfig = {
    ...(current?.$schema === undefined ? {} : { $schema: current.$schema }),
    version: current?.version ?? '1.0.0',
    ...section('webhooks', webhooks, current),
    ...section('meters', meters, current),
    products,
    ...section('coupons', coupons, current),
    ...section('promotion_codes', codes, current),
  }
  return { document: withoutInvalid(document, reading), unrepresentable: reading.left }
}

function section<Key extends 'webhooks' | 'meters' | 'coupons' | 'promotion_codes', Item>(
  key: Key,
  items: readonly Item[],
  current: BillingConfig | null,
): Partial<Record<Key, Item[]>> {
  return items.length === 0 && current?.[key] === undefined
    ? {}
    : ({ [key]: [...items] } as Partial<Record<Key, Item[]>>)
}

type Item = Meter | Coupon | PromotionCode | Webhook

/** The managed items in the current version's order, then active objects that the current version does not hold. */
function listOf<K extends 'meter' | 'coupon' | 'promotion_code' | 'webhook', I extends Item>(
  reading: Reading,
  kind: K,
  present: readonly I[],
  idOf: (item: I) => string,
  build: (id: string, live: ObservedResource<K>) => I,
): I[] {
  const result: I[] = []
  const managed = new Set<string>()
  for (const item of present) {
    const kept = managedItem(reading, kind, idOf(item), item, build)
    if (kept === undefined) continue
    result.push(kept.item)
    managed.add(kept.processorId)
  }
  for (const live of others(reading, kind, managed)) {
    const item = foreignItem(reading, kind, live, undefined, build)
    if (item !== undefined) result.push(item)
  }
  return result
}

/** Drops what breaks a rule of the document after all, one item at a time, and lists it. */
function withoutInvalid(document: BillingConfig, reading: Reading): BillingConfig {
  let valid = document
  for (let round = 0; round < 10_000; round++) {
    const broken = validateConfig(valid).errors.find((issue) => issue.code !== 'products_empty')
    if (broken === undefined) return valid
    if (broken.code === 'text_malformed') {
      valid = withSoundTextOf(valid, reading)
      continue
    }
    const next = without(valid, pathOf(broken.pointer), broken.detail, reading)
    if (next === null) return valid
    valid = next
  }
  return valid
}

/** Text of the account that a document must not hold is made harmless and listed: leaving the item out would archive it with the next push. */
function withSoundTextOf(document: BillingConfig, reading: Reading): BillingConfig {
  const { document: sound, pointers } = withSoundText(document)
  for (const pointer of pointers)
    without(
      document,
      pathOf(pointer),
      `${pathOf(pointer).at(-1) ?? ''} holds control characters, which are left out.`,
      reading,
    )
  return sound
}

function without(
  document: BillingConfig,
  path: readonly string[],
  reason: string,
  reading: Reading,
): BillingConfig | null {
  const [list, index, inner, innerIndex] = path
  const kinds: Record<string, ResourceKind> = {
    webhooks: 'webhook',
    meters: 'meter',
    products: 'product',
    coupons: 'coupon',
    promotion_codes: 'promotion_code',
  }
  const kind = list === undefined ? undefined : kinds[list]
  if (kind === undefined || index === undefined) return null
  const items = [...((document as Record<string, unknown>)[list as string] as object[])]
  const item = items[Number(index)] as { id?: string; processor_id?: string } | undefined
  if (item === undefined) return null
  if (kind === 'product' && inner === 'prices' && innerIndex !== undefined) {
    const product = item as Product
    const price = product.prices?.[Number(innerIndex)]
    if (price === undefined) return null
    reading.left.push({ kind: 'price', processorId: price.processor_id ?? price.id, reason })
    items[Number(index)] = { ...product, prices: (product.prices ?? []).filter((one) => one !== price) }
  } else {
    reading.left.push({ kind, processorId: item.processor_id ?? item.id ?? '', reason })
    items.splice(Number(index), 1)
  }
  return { ...document, [list as string]: items }
}
