// Compares two documents by their meaning. Documents that express the same content differently (e.g. one contains a default value
// explicitly) are equal.
import type { BillingConfig } from '../document/schema/schema.ts'
import { desiredCatalog, emptyCatalog, withDefaultKey } from './desired.ts'
import { displayOf } from './display.ts'
import { aliasesOf } from '../document/rules/previous-ids.ts'
import { needNewObject, deepEqual } from './fields/differences.ts'
import { documentName, documentValue } from './fields/tables.ts'
import { renameCatalog } from './renames.ts'
import { taxText, withPresentRates } from './tax-settings.ts'
import { resourceKinds, type Catalog, type DesiredResource, type ResourceKind } from './resource.ts'

/** Content that differs between two documents: a resource, or the tax settings of the document (`tax`). */
export interface DocumentDifference<Kind extends string = ResourceKind | 'tax'> {
  readonly kind: Kind
  readonly configId: string
  readonly change: 'added' | 'changed' | 'removed'
  /** What a push does for this difference. */
  readonly action: 'create' | 'update' | 'rename' | 'replace' | 'archive'
  readonly fields: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[]
  readonly display: { readonly before: string | null; readonly after: string | null }
}

export type ResourceDifference = DocumentDifference<ResourceKind>

/** Returns the resources that differ, and the tax settings if they differ. */
export function compareDocuments(before: BillingConfig | null, after: BillingConfig | null): DocumentDifference[] {
  return [...compareResources(before, after), ...taxDifference(before, after)]
}

function taxDifference(before: BillingConfig | null, after: BillingConfig | null): DocumentDifference[] {
  const later = after?.tax ?? {}
  const earlier = withPresentRates(before?.tax ?? {}, after)
  if (deepEqual(earlier, later)) return []
  const fields = (['automatic', 'collect_tax_ids', 'rates'] as const)
    .filter((field) => !deepEqual(earlier[field], later[field]))
    .map((field) => ({ field, before: earlier[field] ?? null, after: later[field] ?? null }))
  const display = { before: taxText(earlier), after: taxText(later) }
  return [{ kind: 'tax', configId: 'tax', change: 'changed', action: 'update', fields, display }]
}

/**
 * Returns the resources that differ: kinds in creation order, each kind in document order, removed resources last. An item that takes over
 * an earlier id (`previous_ids`) counts as one change of `id`, not as a removal and an addition.
 */
export function compareResources(before: BillingConfig | null, after: BillingConfig | null): ResourceDifference[] {
  const written = before === null ? emptyCatalog : desiredCatalog(before)
  const later = after === null ? emptyCatalog : desiredCatalog(after)
  const { catalog: earlier, formerId } = underLaterIds(written, later, after)
  const [showBefore, showAfter] = [displayOf(before), displayOf(after)]
  const found: ResourceDifference[] = []
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
        const action = actionOf(kind, old.get(configId), now.get(configId), former !== undefined)
        found.push({ kind, configId, change, action, fields, display })
      }
    }
  }
  return found
}

/** Returns what a push does for a difference between the earlier and the later state of a resource. */
function actionOf(
  kind: ResourceKind,
  old: DesiredResource | undefined,
  now: DesiredResource | undefined,
  isRenamed: boolean,
): ResourceDifference['action'] {
  if (old === undefined) return 'create'
  if (now === undefined) return 'archive'
  const isLocal = old.home === 'local' && now.home === 'local'
  const isReplaced = old.home !== now.home || (!isLocal && needNewObject(kind, now.fields, old.fields))
  return isReplaced ? 'replace' : isRenamed ? 'rename' : 'update'
}

/** Returns the earlier catalog with renamed items under their later ids, and a function that finds the earlier id of a renamed item. */
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
    .filter((field) => !deepEqual(old[field], now[field]))
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
    Object.entries({ ...withDefaultKey(resource), ...resource.ours }).filter(
      ([, value]) => value !== null && value !== '',
    ),
  )
}
