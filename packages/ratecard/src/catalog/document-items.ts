// One item of a pulled document: managed (live values, our own from the current version) or of somebody else (with its id).
import type { BillingConfig } from '../config/schema.ts'
import { same } from './compare.ts'
import { referenceFields } from './document-fields.ts'
import { Unrepresentable } from './from-live.ts'
import type { Names } from './from-live.ts'
import { guessId } from './guess-id.ts'
import { isWithheld } from './observed.ts'
import type { Ownership } from './observed.ts'
import { configId, resourceKey } from './resource.ts'
import type { Catalog, DesiredResource, ObservedResource, ProcessorId, ResourceKind } from './resource.ts'

/** What a pull knows, and what it has named so far. */
export interface Reading {
  readonly own: Ownership
  readonly current: BillingConfig | null
  readonly catalog: Catalog
  /** (kind, processor id) → the id in the document being written. */
  readonly names: Map<string, string>
  readonly taken: Record<ResourceKind, Set<string>>
  readonly left: { kind: ResourceKind; processorId: string; reason: string }[]
}

export const namesOf =
  (reading: Reading): Names =>
  (kind, id) =>
    reading.names.get(resourceKey(kind, id))

export function managedItem<K extends ResourceKind, I extends object>(
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
  const stays =
    live.active ||
    (kind === 'promotion_code' &&
      (isWithheld(reading.own, live) || !(desired as DesiredResource<'promotion_code'>).fields.active))
  if (!stays) return undefined
  reading.names.set(resourceKey(kind, live.processorId), id)
  reading.taken[kind].add(id)
  if (unchanged(reading, kind, desired, live)) return { item, processorId: live.processorId }
  try {
    return { item: { ...ownPart(kind, item), ...build(id, live) }, processorId: live.processorId }
  } catch (error) {
    leaveOut(reading, live, error)
    return undefined
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
function unchanged<K extends ResourceKind>(
  reading: Reading,
  kind: K,
  desired: DesiredResource,
  live: ObservedResource<K>,
): boolean {
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
export function others<K extends ResourceKind>(
  reading: Reading,
  kind: K,
  managed: ReadonlySet<string>,
): ObservedResource<K>[] {
  return reading.own.all(kind).filter((live) => {
    if (!live.active || managed.has(live.processorId) || live.spent) return false
    const owner = reading.own.ownerOf(kind, live.processorId)
    return owner === null || !reading.taken[kind].has(owner)
  })
}

export function foreignItem<K extends ResourceKind, I extends object>(
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
    leaveOut(reading, live, error)
    return undefined
  }
}

function leaveOut(reading: Reading, live: ObservedResource, error: unknown): void {
  if (!(error instanceof Unrepresentable)) throw error
  reading.left.push({ kind: live.kind, processorId: live.processorId, reason: error.message })
  return undefined
}
