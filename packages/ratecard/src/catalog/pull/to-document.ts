// Builds a configuration document from the active objects at the processor. Fields that the processor stores have live values. Everything
// local (ui, public, enterprise fields, free prices, inactive codes) comes from the current version. Amounts are never rounded or guessed:
// objects that the format cannot express are listed in `left` instead.
import type { BillingConfig, Price, TaxRate } from '../../document/schema/schema.ts'
import { neededExtraCurrencies } from '../../document/rules/currency-rules.ts'
import { withSoundText } from '../../document/rules/text.ts'
import { validateConfig } from '../../document/validation/validate.ts'
import { pathOf } from '../../base/errors/issue.ts'
import { desiredCatalog, emptyCatalog } from '../desired.ts'
import { isUnmanaged } from '../fields/differences.ts'
import { fieldRows } from '../fields/tables.ts'
import { documentLists, idOfItem, processorId, resourceKinds, type ItemOf, type ResourceKind } from '../kinds.ts'
import { metadataOf } from '../mark.ts'
import { ownershipOf } from '../observed.ts'
import type { DesiredResource, MappingEntry, ObservedResource, Snapshot } from '../resource.ts'
import { foreignItem, managedItem, others, type LeftOut, type PullContext, type PulledCodes } from './items.ts'
import { productsOf } from './products.ts'
import { withConnect } from './webhooks.ts'

export interface LiveDocument {
  readonly document: BillingConfig
  readonly unrepresentable: readonly LeftOut[]
}

export function toDocument(
  snapshot: Snapshot,
  mappings: readonly MappingEntry[],
  current: BillingConfig | null,
  pulledCodes: PulledCodes,
): LiveDocument {
  const reading: PullContext = {
    own: ownershipOf(snapshot, mappings),
    current,
    codes: pulledCodes,
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
  const taxRates = listOf(reading, 'tax_rate')
  const portals = listOf(reading, 'portal')
  const webhooks = listOf(reading, 'webhook', (foreign) => withConnect(reading, foreign))
  const document: BillingConfig = {
    ...(current?.$schema === undefined ? {} : { $schema: current.$schema }),
    version: current?.version ?? '1.0.0',
    ...section('webhooks', webhooks, current),
    ...section('meters', meters, current),
    ...section('features', features, current),
    products,
    ...section('coupons', coupons, current),
    ...section('promotion_codes', codes, current),
    ...section('tax_rates', taxRates, current),
    ...taxOf(current, taxRates),
    ...section('portal', portals, current),
  }
  const allowing = withExtraCurrencies(document, current)
  const valid = withoutInvalid(allowing, reading)
  return { document: withExtraCurrencies(valid, current), unrepresentable: reading.left }
}

/** Returns the document with the extra currencies that it needs, and those of the current version. */
function withExtraCurrencies(document: BillingConfig, current: BillingConfig | null): BillingConfig {
  const { $schema, version, extra_currencies: _extra, ...rest } = document
  const kept = current?.extra_currencies ?? []
  const added = neededExtraCurrencies(rest).filter((code) => !kept.some((one) => one === code))
  const codes = [...kept, ...added] as NonNullable<BillingConfig['extra_currencies']>
  return {
    ...($schema === undefined ? {} : { $schema }),
    version,
    ...(codes.length === 0 ? {} : { extra_currencies: codes }),
    ...rest,
  }
}

/**
 * Returns the document's tax settings without rates that no longer exist in the live account or are archived there, because such rates
 * cannot be used in new sales.
 */
function taxOf(current: BillingConfig | null, live: readonly TaxRate[]): Pick<BillingConfig, 'tax'> {
  if (current?.tax === undefined) return {}
  const { rates = [], ...tax } = current.tax
  const usable = rates.filter((id) => live.some((rate) => rate.id === id && rate.active !== false))
  return { tax: usable.length === 0 ? tax : { ...tax, rates: usable } }
}

type ListedKind = Exclude<ResourceKind, 'product' | 'price'>

function section<K extends ListedKind>(
  key: (typeof documentLists)[K],
  items: readonly ItemOf<K>[],
  current: BillingConfig | null,
): Partial<BillingConfig> {
  return items.length === 0 && current?.[key] === undefined ? {} : { [key]: [...items] }
}

/** Returns the managed items in the order of the current version, then active objects that the current version does not contain. */
function listOf<K extends ListedKind>(
  reading: PullContext,
  kind: K,
  told: (foreign: readonly ObservedResource<K>[]) => readonly ObservedResource<K>[] = (foreign) => foreign,
): ItemOf<K>[] {
  const result: ItemOf<K>[] = []
  const managed = new Set<string>()
  for (const item of (reading.current?.[documentLists[kind]] ?? []) as unknown as readonly ItemOf<K>[]) {
    const kept = managedItem(reading, kind, idOfItem(kind, item), item)
    if (kept === undefined) continue
    result.push(kept.item)
    managed.add(kept.processorId)
  }
  for (const live of told(others(reading, kind, managed))) {
    const item = foreignItem(reading, kind, live)
    if (item !== undefined) result.push(item)
  }
  return result
}

/** Removes items and fields that violate a rule of the document, one at a time, and lists each in `left`. */
function withoutInvalid(document: BillingConfig, reading: PullContext): BillingConfig {
  let valid = document
  for (let round = 0; round < 10_000; round++) {
    const errors = validateConfig(valid).errors.filter((issue) => issue.code !== 'products_empty')
    // Malformed text in a field that the item must keep is repaired at the end, for all such fields at once.
    const broken = errors.find(({ code, pointer }) => code !== 'text_malformed' || !mustStay(valid, pointer, reading))
    if (broken === undefined) return errors.length === 0 ? valid : withSoundTextOf(valid, reading)
    const next = documentWithout(valid, pathOf(broken.pointer), broken.detail, reading)
    if (next === null) return valid
    valid = next
  }
  return valid
}

/**
 * Sanitizes malformed text of a pulled document, and lists the sanitized places. Omitting an item because of its text would make the next
 * push archive the item.
 */
function withSoundTextOf(document: BillingConfig, reading: PullContext): BillingConfig {
  const { document: sound, pointers } = withSoundText(document)
  for (const pointer of pointers) {
    const found = itemAt(document, pathOf(pointer))
    if (found === null) continue
    const field = found.rest.join('.')
    reading.left.push({ ...nameOf(found), field, reason: 'its control characters are replaced in the document' })
  }
  return sound
}

/** An item of the document that is being built, and the rest of a path, which leads to a place within the item. */
interface PlacedItem {
  readonly kind: ResourceKind
  readonly item: Readonly<Record<string, unknown>>
  /** Path to the list that contains the item, and the place in it. */
  readonly list: readonly string[]
  readonly index: number
  readonly rest: readonly string[]
}

function itemAt(document: BillingConfig, path: readonly string[]): PlacedItem | null {
  const [list = '', index = '', inner, innerIndex, ...rest] = path
  const kind = resourceKinds.find((one) => one !== 'price' && documentLists[one] === list)
  const item = kind === undefined ? undefined : listAt(document, [list])[Number(index)]
  if (kind === undefined || item === undefined) return null
  const price = kind === 'product' && inner === 'prices' ? listAt(item, ['prices'])[Number(innerIndex)] : undefined
  if (price === undefined) return { kind, item, list: [list], index: Number(index), rest: path.slice(2) }
  return { kind: 'price', item: price, list: [list, index, 'prices'], index: Number(innerIndex), rest }
}

type Item = Readonly<Record<string, unknown>>

function listAt(value: object, path: readonly string[]): readonly Item[] {
  const found = path.reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], value)
  return Array.isArray(found) ? (found as Item[]) : []
}

const nameOf = ({ kind, item }: PlacedItem) => {
  const { processor_id: adopted, id = '' } = item as { readonly processor_id?: string; readonly id?: string }
  return { kind, processorId: adopted ?? id }
}

/**
 * True if the text is in a field that a managed item must keep. Without the field, the next push would empty the live field or archive the
 * item.
 */
function mustStay(document: BillingConfig, pointer: string, reading: PullContext): boolean {
  const found = itemAt(document, pathOf(pointer))
  return found !== null && !adopts(found, reading) && withoutField(found, reading) === null
}

/** True if the item adopts an object that Ratecard does not manage yet. Then a push does not change fields that the item omits. */
function adopts({ kind, item }: PlacedItem, { own }: PullContext): boolean {
  const id = item['processor_id']
  return typeof id === 'string' && own.ownerOf(kind, processorId(id)) === null
}

/** Returns the document without the invalid field or, if the item cannot omit it, without the item; null if the path leads to no item. */
function documentWithout(
  document: BillingConfig,
  path: readonly string[],
  reason: string,
  reading: PullContext,
): BillingConfig | null {
  const found = itemAt(document, path)
  if (found === null) return null
  const { kind, item, rest } = found
  const omitted = withoutField(found, reading)
  reading.left.push({ ...nameOf(found), field: omitted?.field ?? null, reason })
  if (omitted !== null) return replaceItem(document, found, [omitted.item])
  return replaceItem(document, found, kind === 'price' ? smallerPrices(item as unknown as Price, rest[0], rest[1]) : [])
}

/**
 * Returns the item without the field, so that the next push leaves its live value unchanged. Returns null if the item needs the field: the
 * document requires it, or the current version manages it.
 */
function withoutField(found: PlacedItem, reading: PullContext) {
  const { kind, item, rest } = found
  const [member = '', key] = rest
  const { [member]: value, ...others } = item
  const managed = adopts(found, reading) ? {} : desiredFields(reading, kind, String(item['id']))
  if (managed === null) return null
  if (member === 'metadata' && key !== undefined) {
    if (Object.hasOwn(metadataOf(managed), key)) return null
    const kept = Object.entries(value as Item).filter(([name]) => name !== key)
    return { field: `metadata.${key}`, item: { ...others, metadata: Object.fromEntries(kept) } }
  }
  const [field = '', row] = fieldRows[kind].find(([, { members }]) => members.includes(member)) ?? []
  if (row === undefined || row.leftOut === 'default') return null
  return isUnmanaged(row, managed[field] ?? row.absent) ? { field: member, item: others } : null
}

/** Returns the fields of the item in the current version; null if that version does not contain it. */
function desiredFields({ catalog }: PullContext, kind: ResourceKind, id: string): Item | null {
  const desired = (catalog[kind] as readonly DesiredResource[]).find(({ configId }) => configId === id)
  return desired === undefined ? null : { ...desired.fields }
}

function replaceItem(document: BillingConfig, { list, index }: PlacedItem, by: readonly object[]): BillingConfig {
  const [name = '', outer] = list
  const items = listAt(document, list).flatMap((one, place): object[] => (place === index ? [...by] : [one]))
  if (outer === undefined) return { ...document, [name]: items }
  const products = document.products.map((one, place) =>
    place === Number(outer) ? { ...one, prices: items as Price[] } : one,
  )
  return { ...document, products }
}

/**
 * Returns the price in a list, without the member that refers to something that no longer exists at the processor (an attached price, or a
 * meter of its credit). Returns an empty list if the error concerns the price itself.
 */
function smallerPrices(price: Price, member: string | undefined, index: string | undefined): readonly Price[] {
  if (member === 'attached_prices') return [withoutAttached(price, index)]
  if (member !== 'grants_credit') return []
  // A credit without its last meter would count for every meter, so the whole credit is left out.
  const { grants_credit: _credit, ...rest } = price
  return [rest]
}

/** Returns the price without the attached price at `index`. Without an index, removes all attached prices. */
function withoutAttached({ attached_prices: ids = [], ...price }: Price, index: string | undefined): Price {
  const left = index === undefined ? [] : ids.filter((_id, at) => at !== Number(index))
  return left.length === 0 ? price : { ...price, attached_prices: left }
}
