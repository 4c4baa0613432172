// Edits the author's files so that they match the live values. Only fields that the processor stores are edited; local fields (ui, public,
// enterprise) and the version belong to the author. A value that comes from a variable is never overwritten.
import { compareResources, type ResourceDifference } from '../../catalog/compare-documents.ts'
import { deepEqual } from '../../catalog/fields/differences.ts'
import { documentName, membersOf, references, rowOf, wholeMembers } from '../../catalog/fields/tables.ts'
import { documentLists } from '../../catalog/kinds.ts'
import { editsBetween } from '../../document/edit/apply-edits.ts'
import { escapeVariables } from '../../document/files/interpolate.ts'
import type { BillingConfig, Portal } from '../../document/schema/schema.ts'
import { canonicalDecimal } from '../../base/money/decimal.ts'
import { holdersOf, idOf, isRecord, nameOf, recordsOf, valueAt } from './file-items.ts'
import type { Holder, Kind, LiveEdit } from './file-items.ts'
import { additionsOf, currencyEdits } from './live-additions.ts'
import type { SourceFile } from './read-config.ts'
import { withoutSecret } from './webhook-secrets.ts'

export interface LiveEdits {
  readonly edits: readonly LiveEdit[]
  /** Differences that the edits leave out because they must not be written to the file, each with the reason. */
  readonly refused: readonly string[]
  /** Items that the files contain and that are not active at the processor. */
  readonly notLive: readonly string[]
  /** Items that are active at the processor and that the files neither contain nor refer to. */
  readonly notInFiles: readonly string[]
}

export function liveEdits(
  sources: readonly SourceFile[],
  config: BillingConfig,
  live: BillingConfig,
  { all }: { readonly all: boolean },
): LiveEdits {
  const differences = compareResources(config, live)
  const result = { edits: [] as LiveEdit[], refused: [] as string[] }
  for (const difference of differences)
    if (difference.change === 'changed') addChanges(result, sources, live, difference)
  dropDefaults(result, sources, live)
  const added = differences.filter(({ change }) => change === 'added')
  const named = all ? null : namedBy(result.edits, differences, live)
  const isTaken = (item: ResourceDifference) => named?.has(keyOf(item)) ?? true
  result.edits.push(...additionsOf(sources, live, added.filter(isTaken)))
  result.edits.push(...currencyEdits(sources, config, live, result.edits))
  return {
    ...result,
    notLive: differences.filter(({ change }) => change === 'removed').map(nameOf),
    notInFiles: added.filter((difference) => !isTaken(difference)).map(nameOf),
  }
}

/**
 * Returns the items (as `kind id`) that the edits refer to, directly or indirectly, and that are in no file. They must be added too,
 * because a dangling reference would make the files invalid.
 */
function namedBy(
  edits: readonly LiveEdit[],
  differences: readonly ResourceDifference[],
  live: BillingConfig,
): ReadonlySet<string> {
  const edited = new Set(edits.map(({ item, field }) => `${item} ${field.split('.')[0] ?? ''}`))
  const missing = new Set(differences.filter(({ change }) => change === 'added').map(keyOf))
  const named = new Set<string>()
  const queue = differences
    .filter(({ change }) => change === 'changed')
    .flatMap((item) => [
      ...namedInMembers(item, live).filter(({ member }) => edited.has(`${nameOf(item)} ${member}`)),
      ...namedElsewhere(item),
    ])
  // The loop body appends to the queue that it iterates over.
  for (const item of queue) {
    if (!missing.has(keyOf(item)) || named.has(keyOf(item))) continue
    named.add(keyOf(item))
    queue.push(...namedInMembers(item, live), ...pricesOf(item, live))
  }
  return named
}

type Item = Pick<ResourceDifference, 'kind' | 'configId'>

const keyOf = ({ kind, configId }: Item) => `${kind} ${configId}`

function namedInMembers({ kind, configId }: Item, live: BillingConfig): (Item & { readonly member: string })[] {
  const item = itemOf(live, kind, configId)
  if (kind === 'portal') return namedByPortal(item as Portal | undefined)
  return references[kind].flatMap(([field, of]) =>
    (rowOf(kind, field)?.members ?? []).flatMap((member) =>
      [item?.[member]].flat().flatMap((id) => (typeof id === 'string' ? [{ kind: of, configId: id, member }] : [])),
    ),
  )
}

function namedByPortal(portal: Portal | undefined): (Item & { readonly member: string })[] {
  const products = portal?.features.subscription_update?.products
  if (products === undefined || products === 'public') return []
  const member = 'features'
  return products.flatMap(({ product, prices }) => [
    { kind: 'product' as const, configId: product, member },
    ...prices.map((price) => ({ kind: 'price' as const, configId: price, member })),
  ])
}

/**
 * Returns references of a changed item that the document stores in a different item. E.g. the default price of a product is a flag of that
 * price.
 */
function namedElsewhere({ kind, fields }: ResourceDifference): (Item & { readonly member: null })[] {
  return references[kind].flatMap(([field, of]) =>
    (rowOf(kind, field)?.members ?? []).length > 0
      ? []
      : fields
          .filter((difference) => difference.field === documentName(kind, field))
          .flatMap(({ after }) => (typeof after === 'string' ? [{ kind: of, configId: after, member: null }] : [])),
  )
}

function pricesOf({ kind, configId }: Item, live: BillingConfig): (Item & { readonly member: null })[] {
  if (kind !== 'product') return []
  return recordsOf(itemOf(live, kind, configId)?.['prices']).flatMap(({ id }) =>
    typeof id === 'string' ? [{ kind: 'price' as const, configId: id, member: null }] : [],
  )
}

type Result = { readonly edits: LiveEdit[]; readonly refused: string[] }

function addChanges(
  result: Result,
  sources: readonly SourceFile[],
  live: BillingConfig,
  difference: ResourceDifference,
): void {
  const { kind, configId } = difference
  const holders = holdersOf(sources, kind, configId)
  const target = itemOf(live, kind, configId)
  if (target === undefined || holders.length === 0) return
  const item = nameOf(difference)
  for (const { field, after } of difference.fields) {
    if (field === 'product') result.refused.push(`${item} belongs to the product "${String(after)}" at the processor.`)
    else
      for (const member of membersOf(kind, field)) {
        // If several files set the same member of a product, the values must be equal. So the member is edited in all of them.
        const saying = holders.filter(({ raw }) => raw[member] !== undefined)
        for (const holder of saying.length > 0 ? saying : holders.slice(0, 1))
          addMember(result, holder, member, target[member], item)
      }
    // The id of a webhook without `id` is derived from its URL. It would change with the URL, and the signing secret would be lost. So the
    // current id is written into the file.
    if (kind === 'webhook' && field === 'url' && holders[0]?.raw['id'] === undefined && holders[0] !== undefined)
      addMember(result, holders[0], 'id', configId, item)
  }
}

function addMember(result: Result, holder: Holder, member: string, live: unknown, item: string): void {
  const [raw, expanded] = [holder.raw[member], holder.expanded[member]]
  const wanted = wantedValue(member, expanded, live)
  if (deepEqual(expanded, wanted)) return
  if (JSON.stringify(raw ?? null).includes('${')) {
    const written = typeof raw === 'string' ? raw : `a variable in "${member}"`
    result.refused.push(
      `${item}: "${member}" comes from ${written} in ${holder.source.path}, but is ${shownLive(item, wanted)} at the processor.`,
    )
    return
  }
  const path = [...holder.path, member]
  const edits = wholeMembers.has(member)
    ? [{ path, value: escapeVariables(wanted) }]
    : editsBetween(raw, escapeVariables(wanted), path)
  for (const edit of edits)
    result.edits.push({
      ...edit,
      source: holder.source,
      item,
      field: edit.path.slice(holder.path.length).join('.'),
      before: valueAt(holder.source.document, edit.path),
    })
}

/** Returns the live value for a message, without the secrets of a webhook URL. */
function shownLive(item: string, value: unknown): string {
  if (!item.startsWith('webhook ') || typeof value !== 'string') return JSON.stringify(value ?? null)
  const shown = withoutSecret(value, item.slice('webhook '.length), [])
  return `${JSON.stringify(shown)}${shown === value ? '' : ' (variables stand for its secrets)'}`
}

/** Returns the value to write. If the file has an equivalent value in a different notation, keeps the file's notation. */
function wantedValue(member: string, before: unknown, live: unknown): unknown {
  if (member === 'metadata') {
    // Live metadata keys that the file does not contain are foreign and are not added to it.
    if (!isRecord(before)) return before
    const held = isRecord(live) ? live : {}
    return Object.fromEntries(Object.keys(before).flatMap((key) => (held[key] === undefined ? [] : [[key, held[key]]])))
  }
  if (member === 'tiers' && Array.isArray(before) && Array.isArray(live))
    return live.map((tier: unknown, index) => {
      const present: unknown = before[index]
      return isRecord(tier) && isRecord(present) && tierText(tier) === tierText(present) ? present : tier
    })
  return live
}

function tierText(tier: Readonly<Record<string, unknown>>): string {
  const amount = (value: unknown) => canonicalDecimal(typeof value === 'string' ? value : Number(value ?? 0))
  return [
    tier['up_to'],
    amount(tier['unit_amount_decimal'] ?? tier['unit_amount']),
    amount(tier['flat_amount_decimal'] ?? tier['flat_amount']),
  ].join(' ')
}

/**
 * If a price that exists at the processor is the default, removes `default` from prices that exist only in the files, because a product
 * must not have two default prices.
 */
function dropDefaults(result: Result, sources: readonly SourceFile[], live: BillingConfig): void {
  for (const { id: product, prices = [] } of live.products) {
    if (!prices.some((price) => price.default === true)) continue
    for (const { expanded } of holdersOf(sources, 'product', product))
      for (const { id } of recordsOf(expanded['prices']))
        if (typeof id === 'string' && itemOf(live, 'price', id) === undefined)
          for (const holder of holdersOf(sources, 'price', id))
            addMember(result, holder, 'default', undefined, `price ${id}`)
  }
}

function itemOf(config: BillingConfig, kind: Kind, id: string): Readonly<Record<string, unknown>> | undefined {
  const items =
    kind === 'price'
      ? config.products.flatMap((product) => product.prices ?? [])
      : (valueAt(config, [documentLists[kind]]) ?? [])
  return recordsOf(items).find((item) => idOf(kind, item) === id)
}
