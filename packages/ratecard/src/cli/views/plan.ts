// Formats a plan as text: one line per change with its sign, followed by the fields that differ.
import type { Detail, DocumentDifference } from '@ratecard/client'
import type { Paint } from '../terminal/output.ts'
import { inline } from '../terminal/terminal-text.ts'
import { count } from './issues.ts'

type Action = Detail['action']

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
const shownInLine = new Set(['amount', 'unit_amount', 'unit_amount_decimal', 'currency', 'interval', 'interval_count'])

export function showPlan(details: readonly Detail[], paint: Paint): string {
  const changes = details.filter(({ action }) => action !== 'keep')
  const idWidth = Math.max(0, ...changes.map(({ configId }) => configId.length))
  const kindWidth = Math.max(0, ...changes.map(({ kind }) => kindName(kind).length))
  return changes
    .map((change) => {
      const head = [
        colored(change.action, signs[change.action].padStart(3), paint),
        kindName(change.kind).padEnd(kindWidth),
        paint.bold(inline(change.configId).padEnd(idWidth)),
        inline(lineOf(change, paint)),
      ]
      return [head.join('  ').trimEnd(), ...fieldLines(change, paint)].join('\n')
    })
    .join('\n')
}

/** Returns e.g. `Plan: 2 to create, 1 to replace, 1 to archive. 7 calls to the processor.` */
export function planSummary(details: readonly Detail[], writes: number): string {
  const words: readonly (readonly [Action, string])[] = [
    ['create', 'to create'],
    ['adopt', 'to adopt'],
    ['reactivate', 'to bring back'],
    ['update', 'to update'],
    ['rename', 'to rename'],
    ['replace', 'to replace'],
    ['archive', 'to archive'],
  ]
  const parts = words.flatMap(([action, text]) => {
    const number = details.filter((detail) => detail.action === action).length
    return number === 0 ? [] : [`${number} ${text}`]
  })
  const calls = writes === 0 ? 'Nothing is written to the processor.' : `${count(writes, 'write')} to the processor.`
  return parts.length === 0 ? `Plan: no changes. ${calls}` : `Plan: ${parts.join(', ')}. ${calls}`
}

export function showDifferences(differences: readonly DocumentDifference[], paint: Paint): string {
  return showPlan(asDetails(differences), paint)
}

/** Converts the differences between two documents to the change details of a plan. */
export function asDetails(differences: readonly DocumentDifference[]): readonly Detail[] {
  const action = { added: 'create', changed: 'update', removed: 'archive' } as const
  return differences.map((difference) => ({
    ...difference,
    action: action[difference.change],
    because: difference.fields.map(({ field }) => field),
    fields: difference.change === 'changed' ? difference.fields.map((field) => ({ ...field, origin: 'edit' })) : [],
    processorIdBefore: null,
    processorIdAfter: null,
  }))
}

export function kindName(kind: Detail['kind']): string {
  return kind.replace('_', ' ')
}

function colored(action: Action, text: string, paint: Paint): string {
  if (action === 'archive') return paint.red(text)
  if (action === 'update' || action === 'rename' || action === 'replace') return paint.yellow(text)
  return action === 'keep' ? text : paint.green(text)
}

function lineOf({ action, display, processorIdBefore, processorIdAfter }: Detail, paint: Paint): string {
  const { before, after } = display
  if (action === 'archive') return before ?? ''
  if (action === 'adopt')
    return `${after ?? ''} ${paint.dim(`adopts ${processorIdBefore ?? processorIdAfter ?? 'an existing object'}`)}`.trim()
  if (before !== null && after !== null && before !== after) return `${before} ${paint.dim('→')} ${paint.bold(after)}`
  return after ?? before ?? ''
}

/** Returns the changed fields that the display line does not show. */
export function changedFields(change: Detail): Detail['fields'] {
  if (change.action === 'create' || change.action === 'archive') return []
  const told = change.display.before !== change.display.after && change.kind === 'price'
  return change.fields.filter(({ field }) => !(told && shownInLine.has(field)))
}

function fieldLines(change: Detail, paint: Paint): string[] {
  return changedFields(change).map(({ field, before, after, origin }) => {
    const note =
      origin === 'edit'
        ? ''
        : paint.magenta(origin === 'drift' ? '  (edited at the processor)' : '  (edited here and at the processor)')
    return `         ${paint.dim(`${inline(field)}:`)} ${difference(before, after, paint)}${note}`
  })
}

/** Formats the change of a value. Lists of text are shown as added and removed items, other values as old and new value. */
function difference(before: unknown, after: unknown, paint: Paint): string {
  if (isTextList(before) && isTextList(after)) {
    const gone = before.filter((item) => !after.includes(item)).map((item) => paint.red(`-${inline(item)}`))
    const come = after.filter((item) => !before.includes(item)).map((item) => paint.green(`+${inline(item)}`))
    if (gone.length + come.length > 0) return [...gone, ...come].join(' ')
  }
  return `${value(before)} ${paint.dim('→')} ${value(after)}`
}

function isTextList(list: unknown): list is string[] {
  return Array.isArray(list) && list.every((item) => typeof item === 'string')
}

function value(something: unknown): string {
  if (something === undefined || something === null) return '(none)'
  const text = valueText(something)
  return text.length > 70 ? `${text.slice(0, 69)}…` : text
}

export const valueText = (value: unknown): string => JSON.stringify(value)
