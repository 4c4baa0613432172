// A configuration document of what is active at the processor: live values for what the processor holds, our own values
// (ui, public, enterprise fields, free prices, inactive codes) from the current version. Never rounds, never guesses money:
// what the document cannot express is listed instead.
import type { BillingConfig, Coupon, Meter, Price, Product, PromotionCode, Webhook } from '../config/schema.ts'
import { isLocalPrice, webhookId } from '../config/ids.ts'
import { validateConfig } from '../config/validate.ts'
import { pathOf } from '../errors/issue.ts'
import { same } from './compare.ts'
import { desiredCatalog, emptyCatalog } from './desired.ts'
import {
  Unrepresentable,
  codeFromLive,
  couponFromLive,
  meterFromLive,
  priceFromLive,
  productFromLive,
  webhookFromLive,
} from './from-live.ts'
import type { Names } from './from-live.ts'
import { guessId } from './guess-id.ts'
import { isWithheld, ownershipOf } from './observed.ts'
import type { Ownership } from './observed.ts'
import { referenceFields } from './document-fields.ts'
import { configId, resourceKey } from './resource.ts'
import type { Catalog, DesiredResource, MappingEntry, ObservedResource, ProcessorId, ResourceKind, Snapshot } from './resource.ts'

export interface LiveDocument {
  readonly document: BillingConfig
  readonly unrepresentable: readonly { readonly kind: ResourceKind; readonly processorId: string; readonly reason: string }[]
}

interface Reading {
  readonly own: Ownership
  readonly current: BillingConfig | null
  readonly catalog: Catalog
  /** (kind, processor id) → the id in the document being written. */
  readonly names: Map<string, string>
  readonly taken: Record<ResourceKind, Set<string>>
  readonly left: { kind: ResourceKind; processorId: string; reason: string }[]
}

export function toDocument(snapshot: Snapshot, mappings: readonly MappingEntry[], current: BillingConfig | null): LiveDocument {
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
  const meters = listOf(reading, 'meter', current?.meters ?? [], (meter) => meter.id, (id, live) => meterFromLive(id, live.fields))
  const products = productsOf(reading)
  const coupons = listOf(reading, 'coupon', current?.coupons ?? [], (coupon) => coupon.id, (id, live) => couponFromLive(id, live.fields, namesOf(reading)))
  const codes = listOf(reading, 'promotion_code', current?.promotion_codes ?? [], (code) => code.id, (id, live) => codeFromLive(id, live.fields, namesOf(reading)))
  const webhooks = listOf(reading, 'webhook', current?.webhooks ?? [], webhookId, (id, live) => webhookFromLive(id, live.fields))
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
  return items.length === 0 && current?.[key] === undefined ? {} : ({ [key]: [...items] } as Partial<Record<Key, Item[]>>)
}

const namesOf =
  (reading: Reading): Names =>
  (kind, id) =>
    reading.names.get(resourceKey(kind, id))

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

function managedItem<K extends ResourceKind, I extends object>(
  reading: Reading,
  kind: K,
  id: string,
  item: I,
  build: (id: string, live: ObservedResource<K>) => I,
): { readonly item: I; readonly processorId: ProcessorId } | undefined {
  const mapped = reading.own.currentOf(kind, configId(id))
  const live = mapped === null ? null : reading.own.find(kind, mapped)
  const desired = (reading.catalog[kind] as readonly DesiredResource[]).find((resource) => resource.configId === id)
  if (live === null || desired === undefined) return undefined
  // A code that is off on purpose, expired or used up is still the document's.
  const stays = live.active || (kind === 'promotion_code' && (isWithheld(reading.own, live) || !(desired as DesiredResource<'promotion_code'>).fields.active))
  if (!stays) return undefined
  reading.names.set(resourceKey(kind, live.processorId), id)
  reading.taken[kind].add(id)
  if (unchanged(reading, kind, desired, live)) return { item, processorId: live.processorId }
  try {
    return { item: { ...ownPart(kind, item), ...build(id, live) }, processorId: live.processorId }
  } catch (error) {
    return leaveOut(reading, live, error)
  }
}

const ownFields: Partial<Record<ResourceKind, readonly string[]>> = {
  product: ['ui'],
  price: ['ui', 'public', 'enterprise_template', 'enterprise_id', 'base_price'],
}

/** What the processor does not hold: kept as the document has it. */
function ownPart(kind: ResourceKind, item: object): object {
  const ours = ['processor_id', ...(ownFields[kind] ?? [])]
  return Object.fromEntries(Object.entries(item).filter(([field]) => ours.includes(field)))
}

/** Whether the live object still says what the document says, so that its own wording can stay. */
function unchanged<K extends ResourceKind>(reading: Reading, kind: K, desired: DesiredResource, live: ObservedResource<K>): boolean {
  const wanted = desired.fields as unknown as Record<string, unknown>
  const lived = live.fields as unknown as Record<string, unknown>
  const references: Readonly<Record<string, ResourceKind>> = referenceFields[kind] ?? {}
  return Object.keys(wanted).every((field) => {
    if (field === 'defaultPrice') return true
    if (field === 'active' && isWithheld(reading.own, live)) return true
    if (field === 'metadata') {
      const [want, have] = [wanted[field] as Record<string, string>, lived[field] as Record<string, string>]
      return Object.entries(want).every(([key, value]) => have[key] === value)
    }
    const of = references[field]
    if (of === undefined) return same(wanted[field], lived[field])
    const resolve = (id: unknown) => (typeof id === 'string' ? reading.own.currentOf(of, configId(id)) : null)
    const want = wanted[field]
    return same(Array.isArray(want) ? want.map(resolve).sort() : resolve(want), lived[field])
  })
}

/** Active objects that the current version does not speak of. Ours without an entry (a lost store) keep the id of their mark. */
function others<K extends ResourceKind>(reading: Reading, kind: K, managed: ReadonlySet<string>): ObservedResource<K>[] {
  return reading.own.all(kind).filter((live) => {
    if (!live.active || managed.has(live.processorId) || live.spent) return false
    const owner = reading.own.ownerOf(kind, live.processorId)
    return owner === null || !reading.taken[kind].has(owner)
  })
}

function foreignItem<K extends ResourceKind, I extends object>(
  reading: Reading,
  kind: K,
  live: ObservedResource<K>,
  productName: string | undefined,
  build: (id: string, live: ObservedResource<K>) => I,
): I | undefined {
  if (live.unrepresentable.length > 0) {
    reading.left.push({ kind, processorId: live.processorId, reason: live.unrepresentable.join(', ') })
    return undefined
  }
  const owner = reading.own.ownerOf(kind, live.processorId)
  const id = owner ?? guessId(live, productName, reading.taken[kind])
  try {
    const item = build(id, live)
    reading.names.set(resourceKey(kind, live.processorId), id)
    reading.taken[kind].add(id)
    return owner === null ? { ...item, processor_id: live.processorId } : item
  } catch (error) {
    return leaveOut(reading, live, error)
  }
}

function leaveOut(reading: Reading, live: ObservedResource, error: unknown): undefined {
  if (!(error instanceof Unrepresentable)) throw error
  reading.left.push({ kind: live.kind, processorId: live.processorId, reason: error.message })
  return undefined
}

function productsOf(reading: Reading): Product[] {
  const build = (id: string, live: ObservedResource<'product'>) => productFromLive(id, live.fields)
  const result: { product: Product; live: ObservedResource<'product'>; present: Product | undefined }[] = []
  const managed = new Set<string>()
  const add = (product: Product | undefined, live: ObservedResource<'product'> | null, present?: Product) => {
    if (product === undefined || live === null) return
    managed.add(live.processorId)
    result.push({ product, live, present })
  }
  for (const present of reading.current?.products ?? []) {
    const { prices: _prices, ...bare } = present
    const kept = managedItem(reading, 'product', present.id, bare, build)
    if (kept !== undefined) add(kept.item, reading.own.find('product', kept.processorId), present)
  }
  for (const live of others(reading, 'product', managed)) add(foreignItem(reading, 'product', live, undefined, build), live)

  reserveManagedPrices(reading)
  const prices = foreignPricesByProduct(reading)
  noteOrphanPrices(reading, new Set(result.map(({ live }) => live.processorId)), prices)
  return result.map(({ product, live, present }) => withPrices(reading, product, live, present, prices.get(live.processorId) ?? []))
}

/** Ids of the document come first: a guess never takes one of them. */
function reserveManagedPrices(reading: Reading): void {
  for (const product of reading.current?.products ?? [])
    for (const price of product.prices ?? []) reading.taken.price.add(price.id)
}

function foreignPricesByProduct(reading: Reading): Map<string, ObservedResource<'price'>[]> {
  const managed = new Set<string>()
  for (const id of reading.taken.price) {
    const mapped = reading.own.currentOf('price', configId(id))
    if (mapped !== null) managed.add(mapped)
  }
  const groups = new Map<string, ObservedResource<'price'>[]>()
  for (const live of [...others(reading, 'price', managed)].reverse()) {
    const group = groups.get(live.fields.product) ?? []
    group.push(live)
    groups.set(live.fields.product, group)
  }
  return groups
}

function noteOrphanPrices(reading: Reading, shown: ReadonlySet<string>, prices: ReadonlyMap<string, readonly ObservedResource<'price'>[]>): void {
  for (const [product, group] of prices)
    if (!shown.has(product))
      for (const live of group)
        reading.left.push({ kind: 'price', processorId: live.processorId, reason: `its product ${product} is archived or cannot be expressed` })
}

function withPrices(
  reading: Reading,
  product: Product,
  live: ObservedResource<'product'>,
  present: Product | undefined,
  foreign: readonly ObservedResource<'price'>[],
): Product {
  const build = (id: string, price: ObservedResource<'price'>) => priceFromLive(id, price.fields, namesOf(reading))
  const prices: { price: Price; processorId: string | null }[] = []
  for (const item of present?.prices ?? []) {
    if (isLocalPrice(item)) {
      prices.push({ price: item, processorId: null })
      continue
    }
    const kept = managedItem(reading, 'price', item.id, item, build)
    if (kept !== undefined) prices.push({ price: kept.item, processorId: kept.processorId })
  }
  for (const price of foreign) {
    // Nobody told us whether it may be shown.
    const hidden = (id: string, one: ObservedResource<'price'>): Price => ({ ...build(id, one), public: false })
    const item = foreignItem(reading, 'price', price, live.fields.name, hidden)
    if (item !== undefined) prices.push({ price: item, processorId: price.processorId })
  }
  if (prices.length === 0 && present?.prices === undefined) return product
  return { ...product, prices: prices.map(({ price, processorId }) => withDefault(price, processorId, live)) }
}

function withDefault(price: Price, processorId: string | null, product: ObservedResource<'product'>): Price {
  if (processorId === null) return price
  const isDefault = product.fields.defaultPrice === processorId
  if (isDefault) {
    const enterprise = price.enterprise_template !== undefined || price.enterprise_id !== undefined
    return price.default === true || enterprise ? price : { ...price, default: true }
  }
  if (price.default !== true) return price
  const { default: _default, ...rest } = price
  return rest
}

/** Drops what breaks a rule of the document after all, one item at a time, and lists it. */
function withoutInvalid(document: BillingConfig, reading: Reading): BillingConfig {
  for (let round = 0; round < 10_000; round++) {
    const broken = validateConfig(document).errors.find((issue) => issue.code !== 'products_empty')
    if (broken === undefined) return document
    const next = without(document, pathOf(broken.pointer), broken.detail, reading)
    if (next === null) return document
    document = next
  }
  return document
}

function without(document: BillingConfig, path: readonly string[], reason: string, reading: Reading): BillingConfig | null {
  const [list, index, inner, innerIndex] = path
  const kinds: Record<string, ResourceKind> = { webhooks: 'webhook', meters: 'meter', products: 'product', coupons: 'coupon', promotion_codes: 'promotion_code' }
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
