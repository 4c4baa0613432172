// Builds a configuration document from the active objects at the processor. Fields that the processor stores have live values. Everything
// local (ui, public, enterprise fields, free prices, inactive codes) comes from the current version. Amounts are never rounded or guessed:
// objects that the format cannot express are listed in `left` instead.
import type { BillingConfig, Product } from '../../config/schema/schema.ts'
import { withSoundText } from '../../config/schema/text.ts'
import { validateConfig } from '../../config/validation/validate.ts'
import { pathOf } from '../../errors/issue.ts'
import { desiredCatalog, emptyCatalog } from '../desired.ts'
import { documentLists, idOfItem, resourceKinds, type ItemOf, type ResourceKind } from '../kinds.ts'
import { ownershipOf } from '../observed.ts'
import type { MappingEntry, Snapshot } from '../resource.ts'
import { foreignItem, managedItem, others, type PullContext } from './items.ts'
import { productsOf } from './products.ts'

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
  const reading: PullContext = {
    own: ownershipOf(snapshot, mappings),
    current,
    catalog: current === null ? emptyCatalog : desiredCatalog(current),
    names: new Map(),
    taken: Object.fromEntries(resourceKinds.map((kind) => [kind, new Set<string>()])) as PullContext['taken'],
    left: [],
  }
  // Referenced kinds come first, because a referenced object needs its id before the objects that refer to it.
  const meters = listOf(reading, 'meter')
  const features = listOf(reading, 'feature')
  const products = productsOf(reading)
  const coupons = listOf(reading, 'coupon')
  const codes = listOf(reading, 'promotion_code')
  const webhooks = listOf(reading, 'webhook')
  const document: BillingConfig = {
    ...(current?.$schema === undefined ? {} : { $schema: current.$schema }),
    version: current?.version ?? '1.0.0',
    ...section('webhooks', webhooks, current),
    ...section('meters', meters, current),
    ...section('features', features, current),
    products,
    ...section('coupons', coupons, current),
    ...section('promotion_codes', codes, current),
  }
  return { document: withoutInvalid(document, reading), unrepresentable: reading.left }
}

type ListedKind = 'meter' | 'feature' | 'coupon' | 'promotion_code' | 'webhook'

function section<K extends ListedKind>(
  key: (typeof documentLists)[K],
  items: readonly ItemOf<K>[],
  current: BillingConfig | null,
): Partial<BillingConfig> {
  return items.length === 0 && current?.[key] === undefined ? {} : { [key]: [...items] }
}

/** Returns the managed items in the order of the current version, then active objects that the current version does not contain. */
function listOf<K extends ListedKind>(reading: PullContext, kind: K): ItemOf<K>[] {
  const result: ItemOf<K>[] = []
  const managed = new Set<string>()
  for (const item of (reading.current?.[documentLists[kind]] ?? []) as unknown as readonly ItemOf<K>[]) {
    const kept = managedItem(reading, kind, idOfItem(kind, item), item)
    if (kept === undefined) continue
    result.push(kept.item)
    managed.add(kept.processorId)
  }
  for (const live of others(reading, kind, managed)) {
    const item = foreignItem(reading, kind, live)
    if (item !== undefined) result.push(item)
  }
  return result
}

/** Removes items that violate a rule of the document, one at a time, and lists each in `left`. */
function withoutInvalid(document: BillingConfig, reading: PullContext): BillingConfig {
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

/** Sanitizes text that a document must not contain, and lists where. Omitting the item instead would make the next push archive it. */
function withSoundTextOf(document: BillingConfig, reading: PullContext): BillingConfig {
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
  reading: PullContext,
): BillingConfig | null {
  const [list, index, inner, innerIndex] = path
  const kind = resourceKinds.find((one) => one !== 'price' && documentLists[one] === list)
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
