// Semantic comparison of two documents. If the same content is only written differently (e.g. a default is spelled out), there is no
// difference.
import type { BillingConfig } from '../config/schema/schema.ts'
import { desiredCatalog, emptyCatalog } from './desired.ts'
import { displayOf } from './display.ts'
import { aliasesOf } from '../config/schema/previous-ids.ts'
import { same } from './fields/differences.ts'
import { documentName, documentValue } from './fields/tables.ts'
import { renameCatalog } from './renames.ts'
import { resourceKinds, type Catalog, type DesiredResource, type ResourceKind } from './resource.ts'

/** A resource whose content differs between two documents. */
export interface DocumentDifference {
  readonly kind: ResourceKind
  readonly configId: string
  readonly change: 'added' | 'changed' | 'removed'
  readonly fields: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[]
  readonly display: { readonly before: string | null; readonly after: string | null }
}

/**
 * Returns the resources that differ: kinds in creation order, each kind in document order, removed resources last. An item that takes over
 * an earlier id (`previous_ids`) counts as one change of `id`, not as a removal and an addition.
 */
export function compareDocuments(before: BillingConfig | null, after: BillingConfig | null): DocumentDifference[] {
  const written = before === null ? emptyCatalog : desiredCatalog(before)
  const later = after === null ? emptyCatalog : desiredCatalog(after)
  const { catalog: earlier, formerId } = underLaterIds(written, later, after)
  const [showBefore, showAfter] = [displayOf(before), displayOf(after)]
  const found: DocumentDifference[] = []
  for (const kind of resourceKinds) {
    const old = byId(earlier[kind])
    const now = byId(later[kind])
    for (const configId of new Set([...now.keys(), ...old.keys()])) {
      const former = formerId(kind, configId)
      const fields = [
        ...(former === undefined ? [] : [{ field: 'id', before: former, after: configId }]),
        ...fieldDifferences(kind, old.get(configId), now.get(configId)),
      ]
      const change = !old.has(configId) ? 'added' : !now.has(configId) ? 'removed' : 'changed'
      if (change !== 'changed' || fields.length > 0) {
        const display = { before: showBefore(kind, former ?? configId), after: showAfter(kind, configId) }
        found.push({ kind, configId, change, fields, display })
      }
    }
  }
  return found
}

/** Returns the earlier catalog with the later ids of renamed items, and a lookup of the earlier id of a renamed item. */
function underLaterIds(earlier: Catalog, later: Catalog, document: BillingConfig | null) {
  const aliases = document === null ? [] : aliasesOf(document)
  const has = (catalog: Catalog, kind: ResourceKind, id: string) =>
    (catalog[kind] as readonly DesiredResource[]).some((resource) => resource.configId === id)
  const renamed = aliases.filter(
    ({ kind, from, to }) => has(earlier, kind, from) && !has(later, kind, from) && !has(earlier, kind, to),
  )
  // If the document merges two items into one, neither counts as renamed.
  const single = renamed.filter(
    ({ kind, to }) => renamed.filter((one) => one.kind === kind && one.to === to).length === 1,
  )
  return {
    catalog: renameCatalog(
      earlier,
      single.map((one) => ({ ...one, continues: true })),
    ),
    formerId: (kind: ResourceKind, id: string) => single.find((one) => one.kind === kind && one.to === id)?.from,
  }
}

const byId = (resources: readonly DesiredResource[]) =>
  new Map<string, DesiredResource>(resources.map((one) => [one.configId, one]))

function fieldDifferences(kind: ResourceKind, before: DesiredResource | undefined, after: DesiredResource | undefined) {
  const [old, now] = [bagOf(before), bagOf(after)]
  return [...new Set([...Object.keys(now), ...Object.keys(old)])]
    .filter((field) => !same(old[field], now[field]))
    .map((field) => ({
      field: documentName(kind, field, old[field], now[field]),
      before: documentValue(kind, field, old[field] ?? null),
      after: documentValue(kind, field, now[field] ?? null),
    }))
}

/**
 * Returns the fields to compare by name. Leaves out null and empty text, because in canonical fields they mean the same as an absent field.
 */
function bagOf(resource: DesiredResource | undefined): Record<string, unknown> {
  if (resource === undefined) return {}
  return Object.fromEntries(
    Object.entries({ ...resource.fields, ...resource.ours }).filter(([, value]) => value !== null && value !== ''),
  )
}
