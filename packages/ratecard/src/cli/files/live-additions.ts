import type { ResourceDifference } from '../../catalog/compare-documents.ts'
import { documentLists } from '../../catalog/kinds.ts'
import type { EditPath } from '../../document/edit/edit.ts'
import { escapeVariables } from '../../document/files/interpolate.ts'
import type { BillingConfig } from '../../document/schema/schema.ts'
import { holdersOf, idOf, nameOf, recordsOf, valueAt, type LiveEdit } from './file-items.ts'
import type { SourceFile } from './read-config.ts'

/**
 * Returns edits that add live items which are in no file. An item is added to the list of its kind if a file has that list. A price is
 * added to its product.
 */
export function additionsOf(
  sources: readonly SourceFile[],
  live: BillingConfig,
  added: readonly ResourceDifference[],
): LiveEdit[] {
  const edits: LiveEdit[] = []
  const lengths = new Map<string, number>()
  const append = (source: SourceFile, path: EditPath, item: unknown, difference: ResourceDifference) => {
    const value = escapeVariables(item)
    const key = [source.file, ...path].join('\0')
    const present = valueAt(source.document, path)
    const length = lengths.get(key) ?? (Array.isArray(present) ? present.length : -1)
    lengths.set(key, Math.max(length, 0) + 1)
    // If the list is missing, the first item creates it.
    const edit = length < 0 ? { path, value: [value] } : { path: [...path, length], value }
    edits.push({ ...edit, source, item: nameOf(difference), field: '(new)', before: undefined })
  }
  const whole = new Set(added.filter(({ kind }) => kind === 'product').map(({ configId }) => configId))
  for (const difference of added) {
    const { kind, configId } = difference
    if (kind === 'price') {
      const product = live.products.find((one) => (one.prices ?? []).some((price) => price.id === configId))
      const price = product?.prices?.find((one) => one.id === configId)
      if (product === undefined || whole.has(product.id)) continue
      const holders = holdersOf(sources, 'product', product.id)
      const holder = holders.find(({ raw }) => raw['prices'] !== undefined) ?? holders[0]
      if (holder !== undefined) append(holder.source, [...holder.path, 'prices'], price, difference)
      continue
    }
    const list = documentLists[kind]
    const item = recordsOf(valueAt(live, [list])).find((one) => idOf(kind, one) === configId)
    const source = sources.find(({ document }) => Array.isArray(valueAt(document, [list]))) ?? sources[0]
    if (source !== undefined && item !== undefined) append(source, [list], item, difference)
  }
  return edits
}

/**
 * Returns the edits that allow currencies with `extra_currencies`, for those that the other edits write into the files and that no file
 * allows.
 */
export function currencyEdits(
  sources: readonly SourceFile[],
  config: BillingConfig,
  live: BillingConfig,
  edits: readonly LiveEdit[],
): LiveEdit[] {
  const list = 'extra_currencies'
  const written = JSON.stringify(edits.map(({ path, value }) => [path, value]))
  const missing = (live[list] ?? []).filter(
    (code) => !(config[list] ?? []).includes(code) && written.includes(JSON.stringify(code)),
  )
  const source = sources.find(({ document }) => Array.isArray(valueAt(document, [list]))) ?? sources[0]
  if (source === undefined || missing.length === 0) return []
  const present = valueAt(source.document, [list])
  const common = { source, item: 'document', before: present }
  if (!Array.isArray(present)) return [{ ...common, path: [list], value: missing, field: list }]
  return missing.map((code, place) => ({
    ...common,
    path: [list, present.length + place],
    value: code,
    field: list,
    before: undefined,
  }))
}
