// How two documents differ in meaning: what is written another way and says the same is no difference.
import type { BillingConfig } from '../config/document/schema.ts'
import { desiredCatalog, emptyCatalog } from './desired.ts'
import { displayOf } from './display.ts'
import { same } from './fields/differences.ts'
import { documentName, documentValue } from './fields/tables.ts'
import { resourceKinds } from './resource.ts'
import type { DesiredResource, ResourceKind } from './resource.ts'

/** One configuration id that differs. */
export interface DocumentDifference {
  readonly kind: ResourceKind
  readonly configId: string
  readonly change: 'added' | 'changed' | 'removed'
  readonly fields: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[]
  readonly display: { readonly before: string | null; readonly after: string | null }
}

/** One entry per configuration id that differs: creation order of the kinds, then document order, removed ones last. */
export function compareDocuments(before: BillingConfig | null, after: BillingConfig | null): DocumentDifference[] {
  const [earlier, later] = [before, after].map((config) => (config === null ? emptyCatalog : desiredCatalog(config)))
  const [showBefore, showAfter] = [displayOf(before), displayOf(after)]
  return resourceKinds.flatMap((kind) => {
    const old = new Map<string, DesiredResource>((earlier?.[kind] ?? []).map((item) => [item.configId, item]))
    const now = new Map<string, DesiredResource>((later?.[kind] ?? []).map((item) => [item.configId, item]))
    return [...new Set([...now.keys(), ...old.keys()])].flatMap((configId): DocumentDifference[] => {
      const fields = fieldDifferences(kind, old.get(configId), now.get(configId))
      const change = !old.has(configId) ? 'added' : !now.has(configId) ? 'removed' : 'changed'
      if (change === 'changed' && fields.length === 0) return []
      return [
        {
          kind,
          configId,
          change,
          fields,
          display: { before: showBefore(kind, configId), after: showAfter(kind, configId) },
        },
      ]
    })
  })
}

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

/** Absent, null and empty mean the same in canonical fields, so they are left out. */
function bagOf(resource: DesiredResource | undefined): Record<string, unknown> {
  if (resource === undefined) return {}
  return Object.fromEntries(
    Object.entries({ ...resource.fields, ...resource.ours }).filter(([, value]) => value !== null && value !== ''),
  )
}
