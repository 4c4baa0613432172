import { inline } from '../terminal/terminal-text.ts'
import type { ChangeReport, HistoryEntry } from '@ratecard/client'
import type { Paint } from '../terminal/output.ts'
import { count } from './issues.ts'

const groups = [
  ['products', 'Products'],
  ['prices', 'Prices'],
  ['features', 'Features'],
  ['meters', 'Meters'],
  ['coupons', 'Coupons'],
  ['promotion_codes', 'Promotion codes'],
  ['webhooks', 'Webhooks'],
] as const

/** Formats a change report, one line per non-empty list. */
export function showChanges(changes: ChangeReport, archivedWebhooks: readonly string[], paint: Paint): string {
  const lines = groups.flatMap(([group, title]) =>
    Object.entries(changes[group])
      .filter(([list, ids]) => ids.length > 0 && list !== 'unchanged')
      .map(([list, ids]) => `  ${title.padEnd(15)}  ${paintList(list, paint)}  ${shorten(ids)}`),
  )
  if (archivedWebhooks.length > 0)
    lines.push(`  ${'Webhooks'.padEnd(15)}  ${paintList('archived', paint)}  ${shorten(archivedWebhooks)}`)
  return lines.length === 0 ? '  No resource changed.' : lines.join('\n')
}

/** Summarizes a version for one line of the history: `2 created, 3 updated, 1 archived`. */
export function summarizeChanges(entry: Pick<HistoryEntry, 'changes' | 'archivedWebhooks'>): string {
  const totals = new Map<string, number>()
  for (const [group] of groups)
    for (const [list, ids] of Object.entries(entry.changes[group]))
      if (list !== 'unchanged') totals.set(list, (totals.get(list) ?? 0) + ids.length)
  // An older server does not return archived webhooks.
  totals.set(
    'archived',
    (totals.get('archived') ?? 0) + ((entry.archivedWebhooks as readonly string[] | undefined) ?? []).length,
  )
  const parts = [...totals].filter(([, number]) => number > 0).map(([list, number]) => `${number} ${list}`)
  return parts.length === 0 ? 'no changes' : parts.join(', ')
}

function paintList(list: string, paint: Paint): string {
  const text = list.padEnd(11)
  if (list === 'created') return paint.green(text)
  return list === 'updated' ? paint.yellow(text) : paint.red(text)
}

function shorten(ids: readonly string[]): string {
  const shown = ids.slice(0, 12).map(inline).join(', ')
  return ids.length <= 12 ? shown : `${shown} and ${count(ids.length - 12, 'more', 'more')}`
}
