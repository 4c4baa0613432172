// Renames: an item gets a new configuration id and keeps its processor objects. The whole mapping history of the earlier id moves to the
// new id. A rename writes nothing at the processor. All functions are pure.
import type { GrantsCredit } from '../document/schema/credit-schema.ts'
import type { BillingConfig } from '../document/schema/schema.ts'
import { featureLimits } from './fields/feature.ts'
import { referTo } from './fields/field.ts'
import { referringRows, type FieldsOf } from './fields/tables.ts'
import { configId, idOfItem, itemsOf, listedKinds, listOf, resourceKey, resourceKinds } from './kinds.ts'
import type { ConfigId, ItemOf, ProcessorId, ResourceKind } from './kinds.ts'
import type { Catalog, DesiredResource, MappingEntry } from './resource.ts'

/** Moves entries of the mapping history from one configuration id to another. */
export interface Rename {
  readonly kind: ResourceKind
  readonly from: ConfigId
  readonly to: ConfigId
  /** Sequence numbers of the mapping entries that move. */
  readonly rows: readonly number[]
  /**
   * True if the item itself continues under the new id. False if the item was removed, and only its history is merged into an existing
   * item.
   */
  readonly continues: boolean
  /** The processor object that `to` maps to after the rename. */
  readonly object: ProcessorId
}

/** Change of an item's id. */
type NewId = Pick<Rename, 'kind' | 'continues'> & { readonly from: string; readonly to: string }

/** A rename that an earlier revision made. */
export interface PastRename extends Omit<Rename, 'object'> {
  readonly revision: number
}

/** A refused merge: two items that were sold at the same time cannot become one item. */
export interface RefusedRename {
  readonly kind: ResourceKind
  readonly to: ConfigId
  /** The ids that the document would merge into `to`. */
  readonly from: readonly ConfigId[]
}

export interface Renames {
  readonly renames: readonly Rename[]
  readonly refused: readonly RefusedRename[]
}

interface Item {
  readonly kind: ResourceKind
  readonly id: ConfigId
  readonly previousIds: readonly ConfigId[]
  readonly adopt: string | null
}

/** Returns all items of the document, with kind and id. */
function everyItem(config: BillingConfig): Item[] {
  return resourceKinds.flatMap((kind) =>
    itemsOf(config, kind).map(({ item }) => ({
      kind,
      id: configId(idOfItem(kind, item)),
      previousIds: (item.previous_ids ?? []).map(configId),
      adopt: item.processor_id ?? null,
    })),
  )
}

const keysOf = (items: readonly Item[]) => new Set(items.map(({ kind, id }) => resourceKey(kind, id)))

/** False if no item has `previous_ids` or `processor_id`, which is the usual case. Then there can be no renames. */
function mayRename(config: BillingConfig): boolean {
  const may = ({ previous_ids, processor_id }: ItemOf<ResourceKind>) =>
    previous_ids !== undefined || processor_id !== undefined
  return (
    listedKinds.some((kind) => listOf(config, kind).some(may)) ||
    config.products.some(({ prices }) => prices?.some(may) === true)
  )
}

/**
 * Returns the renames that the document requests, compared with the previous version and the mapping history. An item gets the history of
 * each mapped id in its `previous_ids`. If it adopts an object by `processor_id`, it also gets the history of the id that owns the object.
 * Ids without a mapping are ignored, because a document that is promoted to another environment may contain them. If the previous version
 * sold two items at the same time, merging them is refused. A rename that the previous version already contained is not repeated, because
 * another item may have the former id now.
 */
export function renamesOf(
  config: BillingConfig,
  previous: BillingConfig | null,
  mappings: readonly MappingEntry[],
): Renames {
  if (!mayRename(config)) return { renames: [], refused: [] }
  const items = everyItem(config)
  const present = keysOf(items)
  const earlier = previous === null ? [] : everyItem(previous)
  const before = keysOf(earlier)
  const done = new Map(earlier.map((item) => [resourceKey(item.kind, item.id), item.previousIds]))
  const current = latestEntries(mappings)
  const owners = ownersOf(current)
  const wanted = new Map(items.map((item) => [resourceKey(item.kind, item.id), item]))

  const renames: Rename[] = []
  const refused: RefusedRename[] = []
  for (const { kind, id, previousIds, adopt } of items) {
    const said = new Set([id, ...previousIds].flatMap((one) => done.get(resourceKey(kind, one)) ?? []))
    const named = previousIds.filter((from) => {
      const key = resourceKey(kind, from)
      return current.has(key) && !present.has(key) && !said.has(from)
    })
    const owner = adopt === null ? undefined : owners.get(resourceKey(kind, adopt))
    if (
      owner !== undefined &&
      owner !== id &&
      !named.includes(owner) &&
      givesAway(wanted.get(resourceKey(kind, owner)), adopt)
    )
      named.push(owner)
    if (named.length === 0) continue
    const sold = [...new Set([id, ...named])].filter((one) => before.has(resourceKey(kind, one)))
    // If an item adopts the object of another item, it no longer has its own object. Then its own id is not one of the ids to merge.
    const merged = sold.filter((one) => one !== id || owner === undefined || owner === id)
    if (merged.length > 1) refused.push({ kind, to: id, from: merged.filter((one) => one !== id) })
    else {
      const heir = merged[0] ?? latestOf(current, kind, owner === undefined ? [id, ...named] : named)
      const object = heir === undefined ? undefined : current.get(resourceKey(kind, heir))?.processorId
      if (object === undefined) continue
      for (const from of named)
        renames.push({ kind, from, to: id, rows: rowsOf(mappings, kind, from), continues: from === heir, object })
    }
  }
  return { renames, refused }
}

/** True if an id may lose its current object, because the document no longer contains the id, or its item adopts another object. */
function givesAway(holder: Item | undefined, object: string | null): boolean {
  return holder === undefined || (holder.adopt !== null && holder.adopt !== object)
}

const rowsOf = (mappings: readonly MappingEntry[], kind: ResourceKind, id: ConfigId) =>
  mappings.filter((entry) => entry.kind === kind && entry.configId === id).map(({ sequence }) => sequence)

/**
 * Returns the renames that undo all renames after a revision, so that each item has the id that it had at that revision. `taken`
 * lists former ids that another item now has. That other item must be renamed before the rollback.
 */
export function renamesBack(
  revision: number,
  past: readonly PastRename[],
  mappings: readonly MappingEntry[],
  present: BillingConfig | null,
): { readonly renames: readonly Rename[]; readonly taken: readonly Rename[] } {
  const undone = past
    .filter((rename) => rename.revision > revision)
    .sort((a, b) => b.revision - a.revision)
    .map((rename) => ({ ...rename, moved: new Set(rename.rows) }))
  const idThen = (entry: MappingEntry): ConfigId => {
    let id = entry.configId
    // All renames of one revision happen at the same time. So at most one of them applies to an entry.
    let at = Number.POSITIVE_INFINITY
    for (const { kind, from, to, moved, continues, revision: then } of undone) {
      // In this revision another item lost the id, and the entry was created later. So the entry always had this id.
      if (kind === entry.kind && from === id && continues && then < at && then <= entry.revision) break
      if (kind !== entry.kind || to !== id || then >= at) continue
      if (then > entry.revision ? !moved.has(entry.sequence) : !continues) continue
      id = from
      at = then
    }
    return id
  }
  const renamed = mappings.map((entry) => ({ ...entry, was: entry.configId, configId: idThen(entry) }))
  const latestNow = latestEntries(mappings)
  // Since then, another item may have had the id as well. The object of that other item must not be sold under the id of the first one.
  const ownersThen = latestEntries(renamed.filter((entry) => entry.revision <= revision))
  const isOwner = ({ kind, was, configId: to }: (typeof renamed)[number]) =>
    (ownersThen.get(resourceKey(kind, to))?.was ?? was) === was
  const latestThen = latestEntries(renamed.filter(isOwner))
  const groups = new Map<string, Rename>()
  for (const entry of renamed) {
    const { kind, was, configId: to, sequence } = entry
    const object = latestThen.get(resourceKey(kind, to))?.processorId
    if (was === to || object === undefined || (entry.revision > revision && !isOwner(entry))) continue
    const key = `${resourceKey(kind, was)}\n${to}`
    const known = groups.get(key)
    const continues = latestNow.get(resourceKey(kind, was))?.sequence === sequence
    groups.set(key, {
      kind,
      from: was,
      to,
      rows: [...(known?.rows ?? []), sequence],
      continues: continues || known?.continues === true,
      object,
    })
  }
  const renames = [...groups.values()]
  const moving = new Set(renames.filter(({ continues }) => continues).map(({ kind, from }) => resourceKey(kind, from)))
  const sold = keysOf(present === null ? [] : everyItem(present))
  return {
    renames,
    taken: renames.filter(({ kind, to }) => {
      const key = resourceKey(kind, to)
      return sold.has(key) && !moving.has(key)
    }),
  }
}

/** Returns a function that maps an id in the earlier document to its new id. All renames of the document apply at the same time. */
function namerOf(renames: readonly NewId[]): (kind: ResourceKind, id: string) => string {
  const names = new Map<string, string>(
    renames.filter(({ continues }) => continues).map(({ kind, from, to }) => [resourceKey(kind, from), to]),
  )
  return (kind, id) => names.get(resourceKey(kind, id)) ?? id
}

/**
 * Returns the mapping history with the new ids. When two items are merged, the mapping of the item that continues must be the present one.
 * So this mapping is appended once more at the end.
 */
export function handOver(mappings: readonly MappingEntry[], renames: readonly Rename[]): readonly MappingEntry[] {
  if (renames.length === 0) return mappings
  const ids = new Map(renames.flatMap(({ rows, to }) => rows.map((row) => [row, to] as const)))
  const renamed = mappings.map((entry) => ({ ...entry, configId: ids.get(entry.sequence) ?? entry.configId }))
  let newest = renamed.reduce((highest, { sequence }) => Math.max(highest, sequence), 0)
  const latest = latestEntries(renamed)
  const goesOn = new Map(renames.map((rename) => [resourceKey(rename.kind, rename.to), rename]))
  const repeated = [...goesOn].flatMap(([key, { object }]) => {
    const last = latest.get(key)
    return last === undefined || last.processorId === object
      ? []
      : [{ ...last, processorId: object, sequence: ++newest }]
  })
  return [...renamed, ...repeated]
}

/** Returns the earlier catalog with the new ids, in the renamed resources and in all references to them. */
export function renameCatalog(catalog: Catalog, renames: readonly NewId[]): Catalog {
  if (renames.length === 0) return catalog
  const nameOf = namerOf(renames)
  const renamed = <K extends ResourceKind>(resource: DesiredResource<K>): DesiredResource<K> => {
    const { kind, home } = resource
    const fields: Record<string, unknown> = { ...resource.fields }
    for (const [field, row] of referringRows[kind]) fields[field] = referTo(row, fields[field], nameOf)
    const to = configId(nameOf(kind, resource.configId))
    // A lookup key that is the id moves with the id.
    if (fields['lookupKey'] === resource.configId) fields['lookupKey'] = to
    return {
      ...resource,
      kind,
      home,
      configId: to,
      fields: fields as unknown as FieldsOf<K>,
      ours: renamedOurs(resource, nameOf),
    }
  }
  return Object.fromEntries(
    resourceKinds.map((kind) => [kind, (catalog[kind] as readonly DesiredResource[]).map((one) => renamed(one))]),
  ) as unknown as Catalog
}

/** Returns the local members of a resource. References to renamed items have the new ids. */
function renamedOurs({ kind, ours }: DesiredResource, nameOf: (kind: ResourceKind, id: string) => string) {
  const { base_price: base, attached_prices: attached, grants_credit: credit, meter, [featureLimits]: limits } = ours
  return {
    ...ours,
    ...(typeof base === 'string' && { base_price: nameOf('price', base) }),
    ...(Array.isArray(attached) && { attached_prices: attached.map((id: string) => nameOf('price', id)) }),
    ...(credit !== undefined && { grants_credit: renamedCredit(credit as GrantsCredit, nameOf) }),
    ...(kind === 'feature' && typeof meter === 'string' && { meter: nameOf('meter', meter) }),
    ...(limits !== undefined && {
      [featureLimits]: Object.fromEntries(
        Object.entries(limits as object).map(([id, limit]) => [nameOf('feature', id), limit as unknown]),
      ),
    }),
  }
}

function renamedCredit(credit: GrantsCredit, nameOf: (kind: ResourceKind, id: string) => string): GrantsCredit {
  const { meters } = credit
  return meters === undefined ? credit : { ...credit, meters: meters.map((id) => nameOf('meter', id)) }
}

function latestEntries<E extends MappingEntry>(mappings: readonly E[]): ReadonlyMap<string, E> {
  const latest = new Map<string, E>()
  for (const entry of mappings) {
    const key = resourceKey(entry.kind, entry.configId)
    const known = latest.get(key)
    if (known === undefined || known.sequence < entry.sequence) latest.set(key, entry)
  }
  return latest
}

/** Returns the id among `ids` whose mapping changed last. */
function latestOf(
  current: ReadonlyMap<string, MappingEntry>,
  kind: ResourceKind,
  ids: readonly ConfigId[],
): ConfigId | undefined {
  return ids
    .flatMap((id) => current.get(resourceKey(kind, id)) ?? [])
    .sort((a, b) => b.sequence - a.sequence)
    .at(0)?.configId
}

function ownersOf(current: ReadonlyMap<string, MappingEntry>): ReadonlyMap<string, ConfigId> {
  return new Map([...current.values()].map((entry) => [resourceKey(entry.kind, entry.processorId), entry.configId]))
}
