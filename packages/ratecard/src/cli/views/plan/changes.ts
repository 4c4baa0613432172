import { escapeBreaks } from '../../terminal/terminal-text.ts'
import type { HistoryEntry } from '@ratecard/client'
import {
  changeWords,
  countedChanges,
  kindWord,
  reportedChanges,
  type ChangeAction,
} from '../../../base/wording/change-words.ts'
import type { Paint } from '../../terminal/output.ts'
import { count } from '../issues.ts'

/** Formats what a push did, one line for each kind and action. */
export function showChanges(details: ReturnType<typeof reportedChanges>, paint: Paint): string {
  const groups = new Map<string, { readonly head: string; readonly ids: string[] }>()
  for (const { kind, configId, action } of details) {
    if (action === 'keep') continue
    const key = `${kind} ${action}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { head: headOf(kind, action, paint), ids: [configId] })
    else group.ids.push(configId)
  }
  if (groups.size === 0) return '  No resource changed.'
  return [...groups.values()].map(({ head, ids }) => `${head}  ${joinFewIds(ids)}`).join('\n')
}

function headOf(kind: string, action: ChangeAction, paint: Paint): string {
  return `  ${kindWord(kind).padEnd(20)}  ${colorByAction(action, changeWords[action].done.padEnd(12), paint)}`
}

/** Summarizes a version for one line of the history: `2 created, 3 updated, 1 archived`. */
export function summarizeChanges(entry: Pick<HistoryEntry, 'changes' | 'actions' | 'archivedWebhooks'>): string {
  const parts = countedChanges(reportedChanges(entry), 'done')
  return parts.length === 0 ? 'no changes' : parts.join(', ')
}

/** Colors a text by the action: green for something new, yellow for a change, red for an archive. */
export function colorByAction(action: ChangeAction, text: string, paint: Paint): string {
  if (action === 'archive') return paint.red(text)
  if (action === 'update' || action === 'rename' || action === 'replace') return paint.yellow(text)
  return action === 'keep' ? text : paint.green(text)
}

function joinFewIds(ids: readonly string[]): string {
  const shown = ids.slice(0, 12).map(escapeBreaks).join(', ')
  return ids.length <= 12 ? shown : `${shown} and ${count(ids.length - 12, 'more', 'more')}`
}
