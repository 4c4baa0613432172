// Formats a plan as text. Each change has one line with a sign (e.g. `+`), followed by the fields that differ.
import type { Detail, DocumentDifference } from '@ratecard/client'
import { countedChanges, editedWords, kindWord } from '../../../base/wording/change-words.ts'
import type { Output, Paint } from '../../terminal/output.ts'
import { escapeBreaks, visibleLength } from '../../terminal/terminal-text.ts'
import { colorByAction } from './changes.ts'
import { count } from '../issues.ts'
import { wrapText } from '../text/wrap.ts'

type Action = Detail['action']

/** A change of a plan, or a difference between two documents. */
export type Change = Omit<Detail, 'kind'> & { readonly kind: DocumentDifference['kind'] }

const signs: Record<Action, string> = {
  create: '+',
  adopt: '⇐',
  update: '~',
  rename: '»',
  replace: '-/+',
  reactivate: '↺',
  archive: '-',
  keep: ' ',
}

/** Fields that the display line of a price already shows. */
const shownInLine = new Set([
  ...['amount', 'unit_amount', 'unit_amount_decimal', 'currency', 'interval', 'interval_count'],
  ...['tiers', 'tiers_mode', 'currency_options', 'transform_quantity'],
])

type PlanStyle = Pick<Output, 'paint' | 'width'>

/**
 * Formats the changes, each with its fields. A line that is too long for the terminal is broken before `→ after`. If a half is still too
 * long, it is broken at spaces.
 */
export function showPlan(details: readonly Change[], style: PlanStyle): string {
  const changes = details.filter(({ action }) => action !== 'keep')
  const idWidth = Math.max(0, ...changes.map(({ configId }) => configId.length))
  const kindWidth = Math.max(0, ...changes.map(({ kind }) => kindWord(kind).length))
  const { paint } = style
  return changes
    .map((change) => {
      const head = [
        colorByAction(change.action, signs[change.action].padStart(3), paint),
        kindWord(change.kind).padEnd(kindWidth),
        paint.bold(escapeBreaks(change.configId).padEnd(idWidth)),
      ].join('  ')
      return [withValue(`${head}  `, lineOf(change, paint), style), ...fieldLines(change, style)].join('\n')
    })
    .join('\n')
}

/** What a line shows of a value: as it is, or before and after. */
type ShownValue = { readonly text: string } | { readonly before: string; readonly after: string }

/** Spaces before a value that does not fit behind its head. */
const hanging = 7

function withValue(head: string, value: ShownValue, { paint, width }: PlanStyle): string {
  const arrow = paint.dim('→')
  const text = 'text' in value ? value.text : `${value.before} ${arrow} ${paint.bold(value.after)}`
  const line = `${head}${text}`.trimEnd()
  if (visibleLength(line) <= width) return line
  const indent = ' '.repeat(hanging)
  const parts =
    'text' in value
      ? [`  ${wrapText(value.text, width, hanging + 2)}`]
      : [
          `  ${wrapText(value.before, width, hanging + 2)}`,
          `${arrow} ${paint.bold(wrapText(value.after, width, hanging + 2))}`,
        ]
  return [head.trimEnd(), ...parts.map((part) => `${indent}${part}`)].join('\n')
}

/** Returns e.g. `Plan: 2 to create, 1 to replace, 1 to archive. 7 calls to the processor.` */
export function planSummary(details: readonly Change[], writes: number): string {
  const parts = countedChanges(details, 'todo')
  const calls = writes === 0 ? 'Nothing is written to the processor.' : `${count(writes, 'write')} to the processor.`
  return parts.length === 0 ? `Plan: no changes. ${calls}` : `Plan: ${parts.join(', ')}. ${calls}`
}

export function showDifferences(differences: readonly DocumentDifference[], style: PlanStyle): string {
  return showPlan(asDetails(differences), style)
}

/** Converts the differences between two documents to the change details of a plan. */
export function asDetails(differences: readonly DocumentDifference[]): readonly Change[] {
  return differences.map((difference) => ({
    ...difference,
    because: difference.fields.map(({ field }) => field),
    fields: difference.change === 'changed' ? difference.fields.map((field) => ({ ...field, origin: 'edit' })) : [],
    processorIdBefore: null,
    processorIdAfter: null,
  }))
}

function lineOf({ action, display, fields, processorIdBefore, processorIdAfter }: Change, paint: Paint): ShownValue {
  const [before, after] = [display.before, display.after].map((text) => (text === null ? null : escapeBreaks(text)))
  if (action === 'archive') return { text: before ?? after ?? '' }
  if (action === 'adopt')
    return {
      text: `${after ?? ''} ${paint.dim(`adopts ${escapeBreaks(processorIdBefore ?? processorIdAfter ?? 'an existing object')}`)}`.trim(),
    }
  if (typeof before === 'string' && typeof after === 'string' && before !== after)
    return { before, after: `${after}${percentOf(fields, paint)}` }
  return { text: after ?? before ?? '' }
}

const amounts = new Set(['amount', 'unit_amount_decimal'])

/** Returns the change of the amount in per cent, e.g. ` (+6.3%)`; empty for tiers, and for an amount that was or becomes free. */
function percentOf(fields: Change['fields'], paint: Paint): string {
  const changed = fields.filter(({ field }) => amounts.has(field))
  const [only] = changed
  const [was, is] = [Number(only?.before), Number(only?.after)]
  if (changed.length !== 1 || !(was > 0) || !(is > 0)) return ''
  const percent = Math.round((is / was - 1) * 1000) / 10
  return ` ${paint.dim(`(${percent > 0 ? '+' : '−'}${String(Math.abs(percent))}%)`)}`
}

/** Returns the changed fields that the display line does not show. */
export function changedFields(change: Change): Detail['fields'] {
  if (change.action === 'create' || change.action === 'archive') return []
  return change.fields.filter((field) => !isInLine(field, change))
}

/** True for the fields behind the amount of a price, and for a field whose values are the line itself, e.g. the name of a product. */
function isInLine({ field, before, after, origin }: Detail['fields'][number], { kind, display }: Change): boolean {
  if (display.before === display.after) return false
  if (kind === 'price' && shownInLine.has(field)) return true
  // A field that was edited at the processor keeps its line, which says so.
  return origin === 'edit' && before === display.before && after === display.after
}

function fieldLines(change: Change, style: PlanStyle): string[] {
  const { paint } = style
  return changedFields(change).map(({ field, before, after, origin }) => {
    const note = origin === 'edit' ? '' : paint.magenta(`  (${editedWords[origin]})`)
    return (
      withValue(`         ${paint.dim(`${escapeBreaks(field)}:`)} `, showDifference(before, after, paint), style) + note
    )
  })
}

/** Formats the change of a value. Lists of text are shown as added and removed items, other values as old and new value. */
function showDifference(before: unknown, after: unknown, paint: Paint): ShownValue {
  if (isTextList(before) && isTextList(after)) {
    const gone = before.filter((item) => !after.includes(item)).map((item) => paint.red(`-${escapeBreaks(item)}`))
    const come = after.filter((item) => !before.includes(item)).map((item) => paint.green(`+${escapeBreaks(item)}`))
    if (gone.length + come.length > 0) return { text: [...gone, ...come].join(' ') }
  }
  const [was, is] = shortenBoth(valueOf(before), valueOf(after))
  return { before: was, after: is }
}

function isTextList(list: unknown): list is string[] {
  return Array.isArray(list) && list.every((item) => typeof item === 'string')
}

function valueOf(something: unknown): string {
  return something === undefined || something === null ? '(none)' : valueText(something)
}

/** Most characters of a value: 70. */
const longestValue = 70

/** Shortens two long values around the first place where they differ, so that the difference is always visible. */
export function shortenBoth(before: string, after: string): readonly [string, string] {
  let same = 0
  while (same < before.length && before[same] === after[same]) same += 1
  const from = Math.max(before.length, after.length) <= longestValue ? 0 : Math.max(0, same - 20)
  return [cutFrom(before, from), cutFrom(after, from)]
}

function cutFrom(text: string, from: number): string {
  const rest = from === 0 ? text : `…${text.slice(from)}`
  return rest.length > longestValue ? `${rest.slice(0, longestValue - 1)}…` : rest
}

export const valueText = (value: unknown): string => JSON.stringify(value)
