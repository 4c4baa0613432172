// Finds document items and their positions in the author's files.
import type { ResourceDifference } from '../../catalog/compare-documents.ts'
import { documentLists } from '../../catalog/kinds.ts'
import { webhookId } from '../../document/schema/ids.ts'
import type { EditPath, SourceEdit } from '../../document/edit/edit.ts'
import type { SourceFile } from './read-config.ts'

export interface LiveEdit extends SourceEdit {
  readonly source: SourceFile
  /** Kind and id of the item, e.g. `price pro_monthly`. */
  readonly item: string
  /** Path of the field, e.g. `amount` or `tiers.1.unit_amount`. */
  readonly field: string
  readonly before: unknown
}

/** A document item as one file contains it. If a product is split among several files, each file contains a part of it. */
export interface Holder {
  readonly source: SourceFile
  readonly path: EditPath
  readonly raw: Readonly<Record<string, unknown>>
  readonly expanded: Readonly<Record<string, unknown>>
}

export type Kind = ResourceDifference['kind']

export function nameOf({ kind, configId }: Pick<ResourceDifference, 'kind' | 'configId'>): string {
  return `${kind.replace('_', ' ')} ${configId}`
}

export function holdersOf(sources: readonly SourceFile[], kind: Kind, id: string): Holder[] {
  return sources.flatMap((source) => {
    if (kind !== 'price')
      return itemsAt(source, [documentLists[kind]]).filter(({ expanded }) => idOf(kind, expanded) === id)
    return itemsAt(source, ['products'])
      .flatMap((product) => itemsAt(source, [...product.path, 'prices']))
      .filter(({ expanded }) => expanded['id'] === id)
  })
}

function itemsAt(source: SourceFile, path: EditPath): Holder[] {
  const [raw, expanded] = [valueAt(source.document, path), valueAt(source.expanded, path)]
  if (!Array.isArray(raw) || !Array.isArray(expanded)) return []
  return raw.flatMap((item: unknown, index): Holder[] => {
    const whole: unknown = expanded[index]
    return isRecord(item) && isRecord(whole) ? [{ source, path: [...path, index], raw: item, expanded: whole }] : []
  })
}

export function idOf(kind: Kind, item: Readonly<Record<string, unknown>>): unknown {
  const { id, url, connect } = item
  if (kind !== 'webhook' || typeof url !== 'string') return id
  return webhookId({ url, id: typeof id === 'string' ? id : undefined, connect: connect === true })
}

export function valueAt(document: unknown, path: EditPath): unknown {
  let value = document
  for (const token of path) {
    if (Array.isArray(value)) value = value[Number(token)]
    else if (isRecord(value)) value = value[String(token)]
    else return undefined
  }
  return value
}

export function recordsOf(items: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(items) ? items.filter(isRecord) : []
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
